// broadcast_in_dim, reshape, transpose, slice, reverse, concatenate, pad, iota and slices at
// computed places.
#include <algorithm>
#include <functional>

#include "absl/strings/str_join.h"
#include "tests/types/shapes/random_ops.h"

namespace quern {

static void Unary(RandomOps& ops, const std::string& text, const Index& from, const Index& to) {
  ops.Op(absl::StrCat(text, " : (", ops.Text(from), ") -> ", ops.Text(to)), {ops.element(), to});
}

static void Broadcast(RandomOps& ops) {
  const Index to = ops.Shape(ops.Draw(0, 4));
  const auto rank = static_cast<int64_t>(to.size());
  Index dimensions = ops.Permutation(rank), from;
  dimensions.resize(ops.Draw(0, rank));
  for (int64_t dimension : dimensions) from.push_back(ops.Toss() ? to[dimension] : 1);
  Unary(ops,
        absl::StrCat("stablehlo.broadcast_in_dim ", ops.Argument(from), ", dims = [",
                     List(dimensions), "]"),
        from, to);
}

static void Reshape(RandomOps& ops) {
  Index from = ops.Shape(ops.Draw(0, 4)), to = from;
  while (to.size() > 1 && ops.Toss()) {  // join two dimensions
    const auto at = ops.Draw(0, static_cast<int64_t>(to.size()) - 2);
    to[at] *= to[at + 1];
    to.erase(to.begin() + at + 1);
  }
  for (int64_t ones = ops.Draw(0, 2); ones > 0; --ones)
    to.insert(to.begin() + ops.Draw(0, static_cast<int64_t>(to.size())), 1);
  if (ops.Toss()) std::swap(from, to);
  Unary(ops, absl::StrCat("stablehlo.reshape ", ops.Argument(from)), from, to);
}

static void Transpose(RandomOps& ops) {
  const Index from = ops.Shape(ops.Draw(0, 4));
  const Index order = ops.Permutation(static_cast<int64_t>(from.size()));
  Index to;
  for (int64_t dimension : order) to.push_back(from[dimension]);
  Unary(ops,
        absl::StrCat("stablehlo.transpose ", ops.Argument(from), ", dims = [", List(order), "]"),
        from, to);
}

static void Slice(RandomOps& ops) {
  const Index from = ops.Shape(ops.Draw(1, 4));
  Index to;
  std::vector<std::string> ranges;
  for (int64_t extent : from) {
    const int64_t start = ops.Draw(0, extent), end = ops.Draw(start, extent);
    const int64_t stride = ops.Draw(1, 3);
    ranges.push_back(absl::StrCat(start, ":", end, ":", stride));
    to.push_back((end - start + stride - 1) / stride);
  }
  Unary(
      ops,
      absl::StrCat("stablehlo.slice ", ops.Argument(from), " [", absl::StrJoin(ranges, ", "), "]"),
      from, to);
}

static void Reverse(RandomOps& ops) {
  const Index shape = ops.Shape(ops.Draw(0, 4));
  const auto rank = static_cast<int64_t>(shape.size());
  ops.Op(absl::StrCat("stablehlo.reverse ", ops.Argument(shape), ", dims = [",
                      List(ops.Some(ops.Draw(0, rank), rank)), "] : ", ops.Text(shape)),
         {ops.element(), shape});
}

static void Concatenate(RandomOps& ops) {
  Index shape = ops.Shape(ops.Draw(1, 4));
  const int64_t along = ops.Draw(0, static_cast<int64_t>(shape.size()) - 1);
  std::vector<std::string> names, types;
  int64_t extent = 0;
  for (int64_t count = ops.Draw(1, 3); count > 0; --count) {
    shape[along] = ops.Draw(0, 3);
    extent += shape[along];
    names.push_back(ops.Argument(shape));
    types.push_back(ops.Text(shape));
  }
  shape[along] = extent;
  ops.Op(absl::StrCat("stablehlo.concatenate ", absl::StrJoin(names, ", "), ", dim = ", along,
                      " : (", absl::StrJoin(types, ", "), ") -> ", ops.Text(shape)),
         {ops.element(), shape});
}

static void Pad(RandomOps& ops) {
  const Index from = ops.Shape(ops.Draw(0, 4));
  Index to, low, high, interior;
  for (int64_t extent : from) {
    interior.push_back(ops.Draw(0, 2));
    const int64_t inside = extent == 0 ? 0 : extent + (extent - 1) * interior.back();
    low.push_back(ops.Draw(-inside, 2));
    high.push_back(ops.Draw(-inside - low.back(), 2));
    to.push_back(inside + low.back() + high.back());
  }
  const std::string operand = ops.Argument(from), padding = ops.Argument(Index());
  ops.Op(absl::StrCat("stablehlo.pad ", operand, ", ", padding, ", low = [", List(low),
                      "], high = [", List(high), "], interior = [", List(interior), "] : (",
                      ops.Text(from), ", ", ops.Text({}), ") -> ", ops.Text(to)),
         {ops.element(), to});
}

static void Iota(RandomOps& ops) {
  if (ops.is_bool()) return;
  const Index shape = ops.Shape(ops.Draw(1, 4));
  ops.Op(absl::StrCat("stablehlo.iota dim = ", ops.Draw(0, static_cast<int64_t>(shape.size()) - 1),
                      " : ", ops.Text(shape)),
         {ops.element(), shape});
}

static void DynamicSlices(RandomOps& ops) {
  const Index shape = ops.Shape(ops.Draw(0, 3));
  Index box;
  std::string starts, types;
  for (int64_t extent : shape) {
    box.push_back(ops.Draw(0, extent));
    absl::StrAppend(&starts, ", ", ops.Integers({}, -2, 5));
    absl::StrAppend(&types, ", tensor<i32>");
  }
  const std::string operand = ops.Argument(shape);
  ops.Op(absl::StrCat("stablehlo.dynamic_slice ", operand, starts, ", sizes = [", List(box),
                      "] : (", ops.Text(shape), types, ") -> ", ops.Text(box)),
         {ops.element(), box});
  const std::string update = ops.Argument(box);
  ops.Op(absl::StrCat("stablehlo.dynamic_update_slice ", operand, ", ", update, starts, " : (",
                      ops.Text(shape), ", ", ops.Text(box), types, ") -> ", ops.Text(shape)),
         {ops.element(), shape});
}

void AddMoves(RandomOps& ops) {
  const std::pair<const char*, void (*)(RandomOps&)> kMoves[] = {{"broadcast_in_dim", Broadcast},
                                                                 {"reshape", Reshape},
                                                                 {"transpose", Transpose},
                                                                 {"slice", Slice},
                                                                 {"reverse", Reverse},
                                                                 {"concatenate", Concatenate},
                                                                 {"pad", Pad},
                                                                 {"iota", Iota},
                                                                 {"dynamic slices", DynamicSlices}};
  for (const auto& [name, add] : kMoves) {
    ops.Begin(name);
    add(ops);
  }
}

}  // namespace quern
