// gather, scatter and sort.
#include <algorithm>

#include "absl/strings/str_join.h"
#include "tests/types/shapes/random_ops.h"

namespace quern {

namespace {

// The dimensions of a gather, or of a scatter in its words.
struct Dimensions {
  Index operand, indices, result;
  Index offset, collapsed, operand_batching, indices_batching, map, sizes;
  int64_t vector = 0;

  std::string Attribute(bool scatter) const {
    const auto list = [](const char* name, const Index& numbers) {
      return numbers.empty() ? std::string() : absl::StrCat(name, " = [", List(numbers), "], ");
    };
    return absl::StrCat(
        scatter ? "#stablehlo.scatter<" : "#stablehlo.gather<",
        list(scatter ? "update_window_dims" : "offset_dims", offset),
        list(scatter ? "inserted_window_dims" : "collapsed_slice_dims", collapsed),
        list(scatter ? "input_batching_dims" : "operand_batching_dims", operand_batching),
        list(scatter ? "scatter_indices_batching_dims" : "start_indices_batching_dims",
             indices_batching),
        list(scatter ? "scatter_dims_to_operand_dims" : "start_index_map", map),
        "index_vector_dim = ", vector, ">");
  }
};

}  // namespace

static Dimensions RandomDimensions(RandomOps& ops) {
  Dimensions d;
  const int64_t rank = ops.Draw(1, 4);
  d.operand = ops.Shape(rank, 1);
  Index window, batch, mappable;
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t role = ops.Draw(0, 3);
    if (role == 0) {
      d.operand_batching.push_back(i);
      d.sizes.push_back(1);
      batch.push_back(d.operand[i]);
      continue;
    }
    mappable.push_back(i);
    if (role == 1) {
      d.collapsed.push_back(i);
      d.sizes.push_back(1);
    } else {
      d.sizes.push_back(ops.Draw(0, d.operand[i]));
      window.push_back(d.sizes.back());
    }
  }
  // Batching extents in any order, among others.
  const auto batching = static_cast<int64_t>(batch.size());
  for (int64_t more = ops.Draw(0, 2); more > 0; --more) batch.push_back(ops.Shape(1)[0]);
  const Index order = ops.Permutation(static_cast<int64_t>(batch.size()));
  Index places(order.size()), shape;
  for (size_t i = 0; i < order.size(); ++i) {
    places[order[i]] = static_cast<int64_t>(i);
    shape.push_back(batch[order[i]]);
  }
  for (int64_t dimension : ops.Permutation(static_cast<int64_t>(mappable.size())))
    d.map.push_back(mappable[dimension]);
  d.map.resize(ops.Draw(0, static_cast<int64_t>(d.map.size())));
  d.indices = shape;
  d.vector = ops.Draw(0, static_cast<int64_t>(shape.size()));
  if (d.map.size() == 1 && ops.Toss()) {
    d.vector = static_cast<int64_t>(shape.size());  // scalars
  } else {
    d.indices.insert(d.indices.begin() + d.vector, static_cast<int64_t>(d.map.size()));
  }
  for (int64_t i = 0; i < batching; ++i)
    d.indices_batching.push_back(places[i] + (places[i] >= d.vector ? 1 : 0));
  const auto all = static_cast<int64_t>(window.size() + shape.size());
  d.offset = ops.Some(static_cast<int64_t>(window.size()), all);
  auto next_window = window.begin();
  auto next_batch = shape.begin();
  for (int64_t i = 0; i < all; ++i) {
    const bool inside = std::find(d.offset.begin(), d.offset.end(), i) != d.offset.end();
    d.result.push_back(inside ? *next_window++ : *next_batch++);
  }
  return d;
}

static void Gather(RandomOps& ops) {
  const Dimensions d = RandomDimensions(ops);
  const std::string operand = ops.Argument(d.operand), indices = ops.Integers(d.indices, -1, 4);
  ops.Op(absl::StrCat("\"stablehlo.gather\"(", operand, ", ", indices,
                      ") <{dimension_numbers = ", d.Attribute(false),
                      ", slice_sizes = ", Array(d.sizes), "}> : (", ops.Text(d.operand), ", ",
                      TypeText({ElementType::kI32, d.indices}), ") -> ", ops.Text(d.result)),
         {ops.element(), d.result});
}

static void Scatter(RandomOps& ops) {
  const Dimensions d = RandomDimensions(ops);
  const std::string operand = ops.Argument(d.operand), indices = ops.Integers(d.indices, -1, 4),
                    updates = ops.Argument(d.result), scalar = ops.Text({});
  static constexpr const char* kBodies[] = {"", "add", "multiply", "subtract"};
  const char* op = kBodies[ops.Draw(0, ops.is_bool() ? 2 : 3)];
  const std::string body =
      *op == 0 ? "stablehlo.return %y"
               : absl::StrCat("%m = stablehlo.", op, " %x, %y : ", scalar, "\nstablehlo.return %m");
  ops.Op(absl::StrCat("\"stablehlo.scatter\"(", operand, ", ", indices, ", ", updates,
                      ") <{scatter_dimension_numbers = ", d.Attribute(true), "}> ({\n^bb0(%x: ",
                      scalar, ", %y: ", scalar, "):\n", body, " : ", scalar, " }) : (",
                      ops.Text(d.operand), ", ", TypeText({ElementType::kI32, d.indices}), ", ",
                      ops.Text(d.result), ") -> ", ops.Text(d.operand)),
         {ops.element(), d.operand});
}

// Of keys and, beside them, what they belong to.
static void Sort(RandomOps& ops) {
  const Index shape = ops.Shape(ops.Draw(1, 3));
  const std::string keys = ops.Argument(shape), others = ops.Integers(shape, 0, 9),
                    scalar = ops.Text({}), type = ops.Text(shape),
                    integers = TypeText({ElementType::kI32, shape}), result = ops.Fresh();
  const char* direction = ops.is_complex() ? "NE" : ops.Toss() ? "LT" : "GT";
  // Complex numbers have an order by their real parts.
  std::string body = absl::StrCat("%l = stablehlo.compare ", direction, ", %x, %y : (", scalar,
                                  ", ", scalar, ") -> tensor<i1>\n");
  if (ops.is_complex()) {
    const std::string part = ops.element() == ElementType::kComplexF32 ? "f32" : "f64";
    body = absl::StrCat("%p = stablehlo.real %x : (", scalar, ") -> tensor<", part, ">\n",
                        "%q = stablehlo.real %y : (", scalar, ") -> tensor<", part, ">\n",
                        "%l = stablehlo.compare LT, %p, %q : (tensor<", part, ">, tensor<", part,
                        ">) -> tensor<i1>\n");
  }
  ops.Line(absl::StrCat(result, ":2 = \"stablehlo.sort\"(", keys, ", ", others,
                        ") <{dimension = ", ops.Draw(0, static_cast<int64_t>(shape.size()) - 1),
                        " : i64, is_stable = true}> ({\n^bb0(%x: ", scalar, ", %y: ", scalar,
                        ", %u: tensor<i32>, %v: tensor<i32>):\n", body,
                        "stablehlo.return %l : tensor<i1> }) : (", type, ", ", integers, ") -> (",
                        type, ", ", integers, ")"));
  ops.Result(result + "#0", shape);
  ops.Result(result + "#1", TensorType{ElementType::kI32, shape});
}

void AddIndexing(RandomOps& ops) {
  for (int i = 0; i < 2; ++i) {
    ops.Begin("gather");
    Gather(ops);
    ops.Begin("scatter");
    Scatter(ops);
  }
  ops.Begin("sort");
  Sort(ops);
}

}  // namespace quern
