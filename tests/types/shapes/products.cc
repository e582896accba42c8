// reduce of one and of several tensors, dot_general, fft.
#include <algorithm>

#include "absl/strings/str_join.h"
#include "tests/types/shapes/random_ops.h"

namespace quern {

static Index Without(const Index& shape, const Index& dimensions) {
  Index rest;
  for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i) {
    if (std::find(dimensions.begin(), dimensions.end(), i) == dimensions.end())
      rest.push_back(shape[i]);
  }
  return rest;
}

static void Reduce(RandomOps& ops) {
  const Index shape = ops.Shape(ops.Draw(0, 4));
  const auto rank = static_cast<int64_t>(shape.size());
  const Index dimensions = ops.Some(ops.Draw(0, rank), rank), to = Without(shape, dimensions);
  static constexpr const char* kOps[] = {"add", "multiply", "maximum", "minimum"};
  const std::string operand = ops.Argument(shape), init = ops.Argument(Index());
  ops.Op(absl::StrCat("stablehlo.reduce(", operand, " init: ", init, ") applies stablehlo.",
                      kOps[ops.Draw(0, ops.is_complex() ? 0 : 3)], " across dimensions = [",
                      List(dimensions), "] : (", ops.Text(shape), ", ", ops.Text({}), ") -> ",
                      ops.Text(to)),
         {ops.element(), to});
}

// The largest element and where it is.
static void ReduceSeveral(RandomOps& ops) {
  if (ops.is_complex()) return;
  const Index shape = ops.Shape(ops.Draw(1, 3));
  const auto rank = static_cast<int64_t>(shape.size());
  const Index dimensions = ops.Some(ops.Draw(1, rank), rank), to = Without(shape, dimensions);
  const TensorType places{ElementType::kI32, to};
  const std::string operand = ops.Argument(shape), init = ops.Argument(Index()),
                    order = ops.Integers(shape, 0, 99), first = ops.Integers({}, 0, 9),
                    scalar = ops.Text({}), result = ops.Fresh();
  ops.Line(absl::StrCat(result, ":2 = \"stablehlo.reduce\"(", operand, ", ", order, ", ", init,
                        ", ", first, ") <{dimensions = ", Array(dimensions),
                        "}> ({\n^bb0(%x: ", scalar, ", %i: tensor<i32>, %y: ", scalar,
                        ", %j: tensor<i32>):\n%p = stablehlo.compare GE, %x, %y : (", scalar, ", ",
                        scalar, ") -> tensor<i1>\n%m = stablehlo.select %p, %x, %y : tensor<i1>, ",
                        scalar, "\n%k = stablehlo.select %p, %i, %j : tensor<i1>, tensor<i32>\n",
                        "stablehlo.return %m, %k : ", scalar, ", tensor<i32> }) : (",
                        ops.Text(shape), ", ", TypeText({ElementType::kI32, shape}), ", ", scalar,
                        ", tensor<i32>) -> (", ops.Text(to), ", ", TypeText(places), ")"));
  ops.Result(result + "#0", to);
  ops.Result(result + "#1", places);
}

// Batching and contracting dimensions at places of their own in either operand.
static void Dot(RandomOps& ops) {
  const Index batch = ops.Shape(ops.Draw(0, 2)), inner = ops.Shape(ops.Draw(0, 2));
  Index result = batch;
  struct Side {
    Index shape, batching, contracting;
  };
  const auto side = [&](int64_t free) {
    Side s;
    const auto b = static_cast<int64_t>(batch.size()), c = static_cast<int64_t>(inner.size());
    s.shape.resize(b + c + free);
    const Index order = ops.Permutation(b + c + free);
    for (int64_t i = 0; i < b + c; ++i) {
      s.shape[order[i]] = i < b ? batch[i] : inner[i - b];
      (i < b ? s.batching : s.contracting).push_back(order[i]);
    }
    for (int64_t i = b + c; i < b + c + free; ++i) s.shape[order[i]] = ops.Shape(1)[0];
    Index taken(order.begin(), order.begin() + b + c);
    for (int64_t extent : Without(s.shape, taken)) result.push_back(extent);
    return s;
  };
  const Side a = side(ops.Draw(0, 2)), b = side(ops.Draw(0, 2));
  std::string numbers;
  if (!batch.empty())
    absl::StrAppend(&numbers, ", batching_dims = [", List(a.batching), "] x [", List(b.batching),
                    "]");
  absl::StrAppend(&numbers, ", contracting_dims = [", List(a.contracting), "] x [",
                  List(b.contracting), "]");
  const std::string left = ops.Argument(a.shape), right = ops.Argument(b.shape);
  ops.Op(absl::StrCat("stablehlo.dot_general ", left, ", ", right, numbers, " : (",
                      ops.Text(a.shape), ", ", ops.Text(b.shape), ") -> ", ops.Text(result)),
         {ops.element(), result});
}

static void Transform(RandomOps& ops) {
  const bool wide = ops.element() == ElementType::kF64 || ops.element() == ElementType::kComplexF64;
  if (!wide && ops.element() != ElementType::kF32 && ops.element() != ElementType::kComplexF32)
    return;
  const ElementType complex = wide ? ElementType::kComplexF64 : ElementType::kComplexF32;
  Index shape = ops.Shape(ops.Draw(1, 3), 1);
  const Index lengths(shape.end() - ops.Draw(1, static_cast<int64_t>(shape.size())), shape.end());
  const std::string operand = ops.Argument(shape);
  TensorType result{complex, shape};
  const char* kind = ops.Toss() ? "FFT" : "IFFT";
  if (!ops.is_complex()) {
    kind = "RFFT";
    result.shape.back() = shape.back() / 2 + 1;
  }
  ops.Op(absl::StrCat("stablehlo.fft ", operand, ", type = ", kind, ", length = [", List(lengths),
                      "] : (", ops.Text(shape), ") -> ", TypeText(result)),
         result, 32);
}

void AddProducts(RandomOps& ops) {
  ops.Begin("reduce");
  Reduce(ops);
  ops.Begin("reduce of two");
  ReduceSeveral(ops);
  ops.Begin("dot_general");
  Dot(ops);
  ops.Begin("fft");
  Transform(ops);
}

}  // namespace quern
