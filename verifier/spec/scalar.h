// The element-wise ops on concrete values of the declared types.
#ifndef QUERN_VERIFIER_SPEC_SCALAR_H_
#define QUERN_VERIFIER_SPEC_SCALAR_H_

#include <cstdint>
#include <span>

#include "bundle/tensor.h"
#include "bundle/tensor_type.h"
#include "verifier/spec/graph.h"

namespace quern::verifier {

// `number` of a float: one of its type's values. `integer` of an integer, extended by sign if the
// type is signed, else by zeros; of a bool 0 or 1.
struct Scalar {
  double number = 0;
  int64_t integer = 0;
};

Scalar Load(const Tensor& tensor, int64_t element);
void Store(Scalar value, int64_t element, Tensor& tensor);
// As it lies in memory, zero-extended.
uint64_t BitsOf(Scalar value, ElementType type);
Scalar FromBits(uint64_t bits, ElementType type);

// Whether the checker computes on such elements: all but complex numbers.
bool IsChecked(ElementType type);
// Whether terms only move such elements: no machine computes on f8.
bool IsStorageOnly(ElementType type);
bool IsSigned(ElementType type);

// In which a dot_general of floats multiplies and adds.
ElementType SumType(ElementType operand);

double ToDouble(Scalar value, ElementType type);  // rounds large i64 and ui64

// Whether an element-wise op is defined on operands (for select, on branches) of this type.
bool IsDefined(const SpecNode& node, ElementType element);

// Each op rounds once, to nearest even, to the declared type. logistic is 1 / (1 + exp(-x)) and
// rsqrt 1 / sqrt(x), rounded at each step; these and other functions are this machine's libm, in
// f64 for f64, else in f32, where SpecNode::mathlib asks for mathlib's. maximum and minimum are
// those of IEEE 754-2019. Integers wrap; x / 0 = -1 (all bits set) and x % 0 = x; a shift by the
// width or more leaves the sign alone, of logical shifts nothing; float to integer truncates and
// saturates, NaN gives 0. Raises FE_INEXACT if anything was rounded, perhaps also where a function
// was exact.
Scalar Apply(const SpecNode& node, ElementType element, std::span<const Scalar> operands);

Scalar Convert(ElementType from, ElementType to, Scalar x);
Scalar ApplyInteger(const SpecNode& node, ElementType element, std::span<const Scalar> operands);
bool CompareScalars(const SpecNode& node, ElementType element, Scalar a, Scalar b);
double ReducePrecision(ElementType type, double value, int64_t exponent_bits,
                       int64_t mantissa_bits);

// Rounds to a float type; raises FE_INEXACT if the value changes.
double RoundTo(ElementType type, double value);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SPEC_SCALAR_H_
