#include "frontend/testing/programs.h"

#include <algorithm>
#include <cmath>

#include "frontend/context.h"
#include "gtest/gtest.h"

namespace quern::frontend {

mlir::MLIRContext& TestContext() {
  static mlir::MLIRContext& context = *MakeContext().release();
  return context;
}

Spec MustParse(const std::string& text) {
  absl::StatusOr<Spec> spec = ParseSpec(text, "test.mlir", TestContext());
  EXPECT_TRUE(spec.ok()) << spec.status() << "\n" << text;
  return spec.ok() ? *std::move(spec) : Spec();
}

Tensor MakeTensor(const std::string& type, const std::vector<double>& elements) {
  Tensor tensor = Tensor::Create(ParseTensorType(type).value()).value();
  EXPECT_EQ(tensor.type().num_elements(), static_cast<int64_t>(elements.size()));
  for (size_t i = 0; i < elements.size(); ++i) tensor.Set(i, elements[i]);
  return tensor;
}

std::vector<double> Elements(const Tensor& tensor) {
  std::vector<double> elements;
  for (int64_t i = 0; i < tensor.type().num_elements(); ++i) elements.push_back(tensor.At(i));
  return elements;
}

bool SameElements(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    return x == y && std::signbit(x) == std::signbit(y);
  });
}

}  // namespace quern::frontend
