// Element-wise ops of tensors of any rank, and of scalars beside tensors; broadcasts of chlo.
#include <algorithm>

#include "tests/types/shapes/random_ops.h"

namespace quern {

static void Binary(RandomOps& ops) {
  static constexpr const char* kOps[] = {"add", "multiply", "maximum", "subtract"};
  const Index shape = ops.Shape(ops.Draw(0, 4));
  const std::string a = ops.Argument(shape), b = ops.Argument(shape);
  ops.Op(absl::StrCat("stablehlo.", kOps[ops.Draw(0, ops.is_bool() ? 2 : 3)], " ", a, ", ", b,
                      " : ", ops.Text(shape)),
         {ops.element(), shape});
}

static void Compare(RandomOps& ops) {
  const Index shape = ops.Shape(ops.Draw(0, 4));
  const std::string a = ops.Argument(shape), b = ops.Argument(shape), type = ops.Text(shape);
  const TensorType result{ElementType::kBool, shape};
  ops.Op(absl::StrCat("stablehlo.compare ", ops.is_complex() ? "EQ" : "LE", ", ", a, ", ", b,
                      " : (", type, ", ", type, ") -> ", TypeText(result)),
         result);
}

static void Select(RandomOps& ops) {
  const Index shape = ops.Shape(ops.Draw(0, 4));
  const TensorType predicate{ElementType::kBool, ops.Toss() ? shape : Index()};
  const std::string p = ops.Argument(predicate), a = ops.Argument(shape), b = ops.Argument(shape);
  ops.Op(absl::StrCat("stablehlo.select ", p, ", ", a, ", ", b, " : ", TypeText(predicate), ", ",
                      ops.Text(shape)),
         {ops.element(), shape});
}

static void Clamp(RandomOps& ops) {
  if (ops.is_bool() || ops.is_complex()) return;
  const Index shape = ops.Shape(ops.Draw(0, 4)), low = ops.Toss() ? shape : Index(),
              high = ops.Toss() ? shape : Index();
  const std::string a = ops.Argument(low), b = ops.Argument(shape), c = ops.Argument(high);
  ops.Op(absl::StrCat("stablehlo.clamp ", a, ", ", b, ", ", c, " : (", ops.Text(low), ", ",
                      ops.Text(shape), ", ", ops.Text(high), ") -> ", ops.Text(shape)),
         {ops.element(), shape});
}

static void BroadcastAdd(RandomOps& ops) {
  const Index to = ops.Shape(ops.Draw(0, 4));
  const auto operand = [&](int64_t rank) {
    Index shape(to.end() - rank, to.end());
    for (int64_t& extent : shape) extent = ops.Toss() ? extent : 1;
    return shape;
  };
  const Index a = operand(ops.Draw(0, static_cast<int64_t>(to.size())));
  Index b = operand(static_cast<int64_t>(to.size()));
  const size_t skipped = to.size() - a.size();
  for (size_t i = 0; i < to.size(); ++i) {
    if (i < skipped || a[i - skipped] != to[i]) b[i] = to[i];
  }
  const std::string left = ops.Argument(a), right = ops.Argument(b);
  ops.Op(absl::StrCat("chlo.broadcast_add ", left, ", ", right, " : (", ops.Text(a), ", ",
                      ops.Text(b), ") -> ", ops.Text(to)),
         {ops.element(), to});
}

// A tensor of another width has one more dimension, or one less.
static void Bitcast(RandomOps& ops) {
  if (ops.is_bool()) return;
  Index shape = ops.Shape(ops.Draw(0, 3));
  const int width = BitWidth(ops.element());
  static constexpr ElementType kIntegers[] = {ElementType::kUI8, ElementType::kI16,
                                              ElementType::kUI32, ElementType::kI64};
  ElementType to = kIntegers[ops.Draw(0, 3)];
  if (ops.is_complex()) {
    to = ops.element() == ElementType::kComplexF32 ? ElementType::kComplexF64
                                                   : ElementType::kComplexF32;
  }
  TensorType result{to, shape};
  if (BitWidth(to) > width) shape.push_back(BitWidth(to) / width);
  if (BitWidth(to) < width) result.shape.push_back(width / BitWidth(to));
  ops.Op(absl::StrCat("stablehlo.bitcast_convert ", ops.Argument(shape), " : (", ops.Text(shape),
                      ") -> ", TypeText(result)),
         result);
}

void AddElementwise(RandomOps& ops) {
  const std::pair<const char*, void (*)(RandomOps&)> kOps[] = {{"binary", Binary},
                                                               {"compare", Compare},
                                                               {"select", Select},
                                                               {"clamp", Clamp},
                                                               {"broadcast_add", BroadcastAdd},
                                                               {"bitcast_convert", Bitcast}};
  for (const auto& [name, add] : kOps) {
    ops.Begin(name);
    add(ops);
  }
}

}  // namespace quern
