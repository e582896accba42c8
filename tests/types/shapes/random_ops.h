// Programs of ops of random shapes and attributes, for tests.
#ifndef QUERN_TESTS_TYPES_SHAPES_RANDOM_OPS_H_
#define QUERN_TESTS_TYPES_SHAPES_RANDOM_OPS_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bundle/tensor.h"

namespace quern {

using Index = std::vector<int64_t>;

std::string List(const Index& numbers);   // "1, 2"
std::string Array(const Index& numbers);  // "array<i64: 1, 2>"
std::string TypeText(const TensorType& type);

// A function in the making: arguments, with their contents, ops and results.
class RandomOps {
 public:
  RandomOps(ElementType element, uint64_t seed) : element_(element), random_(seed) {}

  ElementType element() const { return element_; }
  bool is_float() const { return IsFloat(element_); }
  bool is_complex() const { return KindOf(element_) == ElementKind::kComplex; }
  bool is_bool() const { return element_ == ElementType::kBool; }

  int64_t Draw(int64_t low, int64_t high);  // both included
  bool Toss() { return Draw(0, 1) == 1; }
  // Extents of 1 to 4; now and then 0, unless `low` is 1.
  Index Shape(int64_t rank, int64_t low = 0);
  Index Permutation(int64_t n);
  // `count` of the numbers below n, ascending.
  Index Some(int64_t count, int64_t n);

  std::string Text(const Index& shape) const { return TypeText({element_, shape}); }
  // A new argument with small numbers of the element type, of which sums and products are exact in
  // most types; its name.
  std::string Argument(const Index& shape);
  std::string Argument(const TensorType& type);
  std::string Integers(const Index& shape, int64_t low, int64_t high);  // i32

  // Starts an op, which failures name.
  void Begin(const std::string& name);
  void Line(const std::string& text) { absl::StrAppend(&body_, "  ", text, "\n"); }
  std::string Fresh() { return absl::StrCat("%v", values_++); }
  // The value is a result: equal bit for bit, or within `units` of the last place of its type, of
  // the largest number in it or 1.
  void Result(const std::string& value, const TensorType& type, double units = 0);
  void Result(const std::string& value, const Index& shape, double units = 0) {
    Result(value, TensorType{element_, shape}, units);
  }
  // One op with one result.
  void Op(const std::string& text, const TensorType& result, double units = 0);

  struct Check {
    std::string op;  // name and lines
    double units = 0;
  };
  std::string Function() const;
  const std::vector<Tensor>& arguments() const { return arguments_; }
  const std::vector<Check>& checks() const { return checks_; }

 private:
  ElementType element_;
  std::mt19937_64 random_;
  std::vector<Tensor> arguments_;
  std::string body_, name_;
  size_t begin_ = 0;  // of the op, in the body
  int values_ = 0;
  std::vector<std::string> results_;
  std::vector<TensorType> types_;
  std::vector<Check> checks_;
};

// The families: some ops each, of the element type, if they are defined on it.
void AddElementwise(RandomOps& ops);
void AddMoves(RandomOps& ops);
void AddIndexing(RandomOps& ops);
void AddWindows(RandomOps& ops);
void AddProducts(RandomOps& ops);
void AddLinear(RandomOps& ops);
void AddControl(RandomOps& ops);

}  // namespace quern

#endif  // QUERN_TESTS_TYPES_SHAPES_RANDOM_OPS_H_
