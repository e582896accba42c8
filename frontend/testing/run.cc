#include "frontend/testing/run.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "frontend/interpreter.h"
#include "frontend/testing/programs.h"
#include "gtest/gtest.h"

namespace quern::frontend {

std::string MlirType(const TensorType& type) {
  std::string text = "tensor<";
  for (int64_t extent : type.shape) absl::StrAppend(&text, extent, "x");
  return absl::StrCat(text, Name(type.element), ">");
}

std::string MlirType(const std::string& type) { return MlirType(ParseTensorType(type).value()); }

std::vector<Tensor> RunBody(const std::string& body, const std::vector<std::string>& results,
                            const std::vector<Tensor>& inputs, const std::string& functions) {
  std::vector<std::string> arguments, values, types;
  for (size_t i = 0; i < inputs.size(); ++i)
    arguments.push_back(absl::StrCat("%a", i, ": ", MlirType(inputs[i].type())));
  for (size_t i = 0; i < results.size(); ++i) {
    values.push_back(absl::StrCat("%r", i));
    types.push_back(MlirType(results[i]));
  }
  const std::string all_types = absl::StrJoin(types, ", ");
  const Spec spec = MustParse(absl::StrCat(
      "module {\nfunc.func @main(", absl::StrJoin(arguments, ", "), ") -> (", all_types, ") {\n",
      body, "\nreturn ", absl::StrJoin(values, ", "), " : ", all_types, "\n}\n", functions, "}\n"));
  std::vector<Tensor> failed(results.size());
  if (!spec.module) return failed;
  absl::StatusOr<std::vector<Tensor>> outputs = Interpret(spec, inputs);
  EXPECT_TRUE(outputs.ok()) << outputs.status();
  return outputs.ok() ? *std::move(outputs) : std::move(failed);
}

int64_t Draw(std::mt19937& random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

bool Toss(std::mt19937& random) { return Draw(random, 0, 1) == 1; }

Tensor RandomTensor(const TensorType& type, int64_t low, int64_t high, std::mt19937& random) {
  Tensor tensor = Tensor::Create(type).value();
  for (int64_t i = 0; i < type.num_elements(); ++i)
    tensor.Set(i, static_cast<double>(Draw(random, low, high)));
  return tensor;
}

int64_t PositionOf(const Index& shape, const Index& index) {
  int64_t position = 0;
  for (size_t i = 0; i < shape.size(); ++i) position = position * shape[i] + index[i];
  return position;
}

void ForEach(const Index& shape, const std::function<void(const Index&)>& visit) {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  for (int64_t i = 0; i < count; ++i) {
    Index index(shape.size());
    int64_t rest = i;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) index[d] = rest % shape[d];
    visit(index);
  }
}

std::string List(const Index& integers) { return absl::StrJoin(integers, ", "); }

std::string Array(const Index& integers) {
  return integers.empty() ? "array<i64>" : absl::StrCat("array<i64: ", List(integers), ">");
}

}  // namespace quern::frontend
