// Helpers of the frontend's tests.
#ifndef QUERN_FRONTEND_TESTING_PROGRAMS_H_
#define QUERN_FRONTEND_TESTING_PROGRAMS_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "bundle/tensor.h"
#include "frontend/spec.h"

namespace quern::frontend {

// Parses text that must be a spec, in one context for all tests.
Spec MustParse(const std::string& text);
mlir::MLIRContext& TestContext();

// A tensor of a type such as "f32[2,3]" with these elements in row-major order.
Tensor MakeTensor(const std::string& type, const std::vector<double>& elements);
std::vector<double> Elements(const Tensor& tensor);

// Whether the two hold the same numbers; a NaN is the same as a NaN, -0 is not +0.
bool SameElements(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_TESTING_PROGRAMS_H_
