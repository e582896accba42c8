#include "tests/types/shapes/random_ops.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

#include "absl/strings/str_join.h"

namespace quern {

std::string List(const Index& numbers) { return absl::StrJoin(numbers, ", "); }

std::string Array(const Index& numbers) {
  return numbers.empty() ? "array<i64>" : absl::StrCat("array<i64: ", List(numbers), ">");
}

std::string TypeText(const TensorType& type) {
  std::string text = "tensor<";
  for (int64_t extent : type.shape) absl::StrAppend(&text, extent, "x");
  return absl::StrCat(text, Name(type.element), ">");
}

int64_t RandomOps::Draw(int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random_);
}

Index RandomOps::Shape(int64_t rank, int64_t low) {
  Index shape(rank);
  for (int64_t& extent : shape) extent = low == 0 && Draw(0, 15) == 0 ? 0 : Draw(1, 4);
  return shape;
}

Index RandomOps::Permutation(int64_t n) {
  Index numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::shuffle(numbers.begin(), numbers.end(), random_);
  return numbers;
}

Index RandomOps::Some(int64_t count, int64_t n) {
  Index numbers = Permutation(n);
  numbers.resize(count);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::string RandomOps::Argument(const Index& shape) { return Argument({element_, shape}); }

std::string RandomOps::Argument(const TensorType& type) {
  Tensor tensor = *Tensor::Create(type);
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    const auto half = [&] { return 0.5 * static_cast<double>(Draw(-8, 8)); };
    if (type.element == ElementType::kComplexF32) {
      tensor.as<std::complex<float>>()[i] = {static_cast<float>(half()),
                                             static_cast<float>(half())};
    } else if (type.element == ElementType::kComplexF64) {
      tensor.as<std::complex<double>>()[i] = {half(), half()};
    } else if (type.element == ElementType::kF8E8M0FNU) {
      tensor.Set(i, std::ldexp(1.0, static_cast<int>(Draw(-2, 2))));
    } else if (IsFloat(type.element)) {
      tensor.Set(i, half());
    } else if (KindOf(type.element) == ElementKind::kSigned) {
      tensor.Set(i, static_cast<double>(Draw(-8, 7)));
    } else {
      tensor.Set(i, static_cast<double>(Draw(0, type.element == ElementType::kBool ? 1 : 15)));
    }
  }
  arguments_.push_back(std::move(tensor));
  return absl::StrCat("%a", arguments_.size() - 1);
}

std::string RandomOps::Integers(const Index& shape, int64_t low, int64_t high) {
  Tensor tensor = *Tensor::Create({ElementType::kI32, shape});
  for (int64_t i = 0; i < tensor.type().num_elements(); ++i)
    tensor.Set(i, static_cast<double>(Draw(low, high)));
  arguments_.push_back(std::move(tensor));
  return absl::StrCat("%a", arguments_.size() - 1);
}

void RandomOps::Begin(const std::string& name) {
  name_ = name;
  begin_ = body_.size();
}

void RandomOps::Result(const std::string& value, const TensorType& type, double units) {
  results_.push_back(value);
  types_.push_back(type);
  checks_.push_back({absl::StrCat(name_, ":\n", body_.substr(begin_)), units});
}

void RandomOps::Op(const std::string& text, const TensorType& result, double units) {
  const std::string value = Fresh();
  Line(absl::StrCat(value, " = ", text));
  Result(value, result, units);
}

std::string RandomOps::Function() const {
  std::vector<std::string> arguments, types;
  for (size_t i = 0; i < arguments_.size(); ++i)
    arguments.push_back(absl::StrCat("%a", i, ": ", TypeText(arguments_[i].type())));
  for (const TensorType& type : types_) types.push_back(TypeText(type));
  const std::string all = absl::StrJoin(types, ", ");
  return absl::StrCat("func.func public @main(", absl::StrJoin(arguments, ", "), ") -> (", all,
                      ") {\n", body_, "  return ", absl::StrJoin(results_, ", "), " : ", all,
                      "\n}\n");
}

}  // namespace quern
