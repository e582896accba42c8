// The element-wise ops on concrete values of the declared types.
#ifndef QUERN_VERIFIER_SPEC_SCALAR_H_
#define QUERN_VERIFIER_SPEC_SCALAR_H_

#include <cstdint>
#include <span>

#include "bundle/tensor.h"
#include "bundle/tensor_type.h"
#include "verifier/spec/graph.h"

namespace quern::verifier {

// `number` of an f32 or a bf16 (then a bf16 value), `integer` of an i32 or a bool (then 0 or 1).
struct Scalar {
  float number = 0;
  int32_t integer = 0;
};

Scalar Load(const Tensor& tensor, int64_t element);
void Store(Scalar value, int64_t element, Tensor& tensor);
// Whether the checker computes on such elements.
bool IsChecked(ElementType type);

double ToDouble(Scalar value, ElementType type);

// Whether an element-wise op is defined on operands (for select, on branches) of this type.
bool IsDefined(const SpecNode& node, ElementType element);

// Each op rounds once, to nearest even, to the declared type; bf16 is computed in f32 first.
// logistic is 1 / (1 + exp(-x)) and rsqrt 1 / sqrt(x), rounded at each step, in f32; other
// functions are this machine's libm in f32. maximum and minimum are those of IEEE 754-2019.
// Integers wrap; x / 0 = -1 and x % 0 = x; float to integer truncates and saturates, NaN gives 0.
// Raises FE_INEXACT if anything was rounded, perhaps also where a function was exact.
Scalar Apply(const SpecNode& node, ElementType element, std::span<const Scalar> operands);

// Rounds an f32 to `type`, f32 or bf16; raises FE_INEXACT if the value changes.
float RoundTo(ElementType type, float value);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SPEC_SCALAR_H_
