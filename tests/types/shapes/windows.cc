// reduce_window, select_and_scatter and convolution, with every attribute of a window.
#include <algorithm>

#include "absl/strings/str_join.h"
#include "tests/types/shapes/random_ops.h"

namespace quern {

namespace {

// A window over some dimensions, of which each has its own place.
struct Window {
  Index sizes, strides, dilations, base_dilations, low, high, positions;

  std::string Padding(bool pretty) const {
    std::vector<std::string> pairs;
    for (size_t i = 0; i < low.size(); ++i)
      pairs.push_back(absl::StrCat("[", low[i], ", ", high[i], "]"));
    if (pretty) return absl::StrCat("[", absl::StrJoin(pairs, ", "), "]");
    return absl::StrCat("dense<", pairs.empty() ? "" : "[", absl::StrJoin(pairs, ", "),
                        pairs.empty() ? "" : "]", "> : tensor<", low.size(), "x2xi64>");
  }
};

}  // namespace

static int64_t Dilated(int64_t extent, int64_t dilation) {
  return extent == 0 ? 0 : (extent - 1) * dilation + 1;
}

static Window RandomWindow(RandomOps& ops, const Index& shape, const Index& sizes, bool dilates) {
  Window w{.sizes = sizes};
  for (size_t i = 0; i < shape.size(); ++i) {
    w.strides.push_back(ops.Draw(1, 3));
    w.dilations.push_back(dilates ? ops.Draw(1, 2) : 1);
    w.base_dilations.push_back(dilates ? ops.Draw(1, 2) : 1);
    const int64_t base = Dilated(shape[i], w.base_dilations[i]);
    w.low.push_back(ops.Draw(dilates && base > 0 ? -1 : 0, 2));
    w.high.push_back(ops.Draw(dilates && base > 1 ? -1 : 0, 2));
    const int64_t padded = base + w.low[i] + w.high[i];
    const int64_t reach = Dilated(sizes[i], w.dilations[i]);
    w.positions.push_back(padded < reach || padded == 0 ? 0 : (padded - reach) / w.strides[i] + 1);
  }
  return w;
}

static Index RandomSizes(RandomOps& ops, int64_t rank) {
  Index sizes;
  for (; rank > 0; --rank) sizes.push_back(ops.Draw(1, 3));
  return sizes;
}

static std::string Body(RandomOps& ops, const std::string& op) {
  const std::string scalar = ops.Text({});
  return absl::StrCat("({\n^bb0(%x: ", scalar, ", %y: ", scalar, "):\n%m = stablehlo.", op,
                      " %x, %y : ", scalar, "\nstablehlo.return %m : ", scalar, " })");
}

static void ReduceWindow(RandomOps& ops) {
  const Index shape = ops.Shape(ops.Draw(0, 3));
  const Window w = RandomWindow(ops, shape, RandomSizes(ops, static_cast<int64_t>(shape.size())),
                                /*dilates=*/true);
  const std::string operand = ops.Argument(shape), init = ops.Argument(Index());
  const char* op = ops.Toss() ? "add" : ops.is_complex() ? "add" : "maximum";
  ops.Op(absl::StrCat("\"stablehlo.reduce_window\"(", operand, ", ", init,
                      ") <{window_dimensions = ", Array(w.sizes), ", window_strides = ",
                      Array(w.strides), ", base_dilations = ", Array(w.base_dilations),
                      ", window_dilations = ", Array(w.dilations), ", padding = ", w.Padding(false),
                      "}> ", Body(ops, op), " : (", ops.Text(shape), ", ", ops.Text({}), ") -> ",
                      ops.Text(w.positions)),
         {ops.element(), w.positions});
}

static void SelectAndScatter(RandomOps& ops) {
  const Index shape = ops.Shape(ops.Draw(1, 3));
  const Window w = RandomWindow(ops, shape, RandomSizes(ops, static_cast<int64_t>(shape.size())),
                                /*dilates=*/false);
  const std::string operand = ops.Argument(shape), source = ops.Argument(w.positions),
                    init = ops.Argument(Index()), scalar = ops.Text({});
  std::string select = absl::StrCat("%p = stablehlo.compare ", ops.Toss() ? "GE" : "LT",
                                    ", %x, %y : (", scalar, ", ", scalar, ") -> tensor<i1>");
  if (ops.is_complex()) {
    select = absl::StrCat("%p = stablehlo.compare ", ops.Toss() ? "EQ" : "NE", ", %x, %y : (",
                          scalar, ", ", scalar, ") -> tensor<i1>");
  }
  ops.Op(absl::StrCat(
             "\"stablehlo.select_and_scatter\"(", operand, ", ", source, ", ", init,
             ") <{window_dimensions = ", Array(w.sizes), ", window_strides = ", Array(w.strides),
             ", padding = ", w.Padding(false), "}> ({\n^bb0(%x: ", scalar, ", %y: ", scalar, "):\n",
             select, "\nstablehlo.return %p : tensor<i1> }, ", Body(ops, "add").substr(1), " : (",
             ops.Text(shape), ", ", ops.Text(w.positions), ", ", scalar, ") -> ", ops.Text(shape)),
         {ops.element(), shape});
}

// The extents `named` (two of them) and the spatial ones where `layout` has them: "b01f" and alike.
static Index Arrange(const std::string& layout, char first, int64_t first_extent,
                     int64_t second_extent, const Index& spatial) {
  Index shape;
  for (char place : layout) {
    shape.push_back(place >= '0' && place <= '9' ? spatial[place - '0']
                    : place == first             ? first_extent
                                                 : second_extent);
  }
  return shape;
}

static std::string RandomLayout(RandomOps& ops, const std::string& letters, size_t spatial) {
  std::string all = letters;
  for (size_t i = 0; i < spatial; ++i) all += static_cast<char>('0' + i);
  std::string layout;
  for (int64_t i : ops.Permutation(static_cast<int64_t>(all.size()))) layout += all[i];
  return layout;
}

static std::string Spelled(const std::string& layout) {
  std::vector<std::string> places;
  for (char place : layout) places.emplace_back(1, place);
  return absl::StrCat("[", absl::StrJoin(places, ", "), "]");
}

static void Convolution(RandomOps& ops) {
  const Index spatial = ops.Shape(ops.Draw(0, 2));
  const Index kernel = RandomSizes(ops, static_cast<int64_t>(spatial.size()));
  const Window w = RandomWindow(ops, spatial, kernel, /*dilates=*/true);
  const int64_t kind = ops.Draw(0, 2);
  const int64_t features = kind == 1 ? ops.Draw(1, 3) : 1, batches = kind == 2 ? ops.Draw(1, 3) : 1;
  const int64_t inputs = ops.Draw(1, 2) * features, batch = ops.Draw(1, 2) * batches;
  const int64_t outputs = ops.Draw(1, 2) * features * batches;
  const std::string from = RandomLayout(ops, "bf", spatial.size()),
                    by = RandomLayout(ops, "io", spatial.size()),
                    to = RandomLayout(ops, "bf", spatial.size());
  const Index lhs = Arrange(from, 'b', batch, inputs, spatial),
              rhs = Arrange(by, 'i', inputs / features, outputs, kernel),
              result = Arrange(to, 'b', batch / batches, outputs, w.positions);
  std::vector<std::string> reversed;
  for (size_t i = 0; i < kernel.size(); ++i) reversed.emplace_back(ops.Toss() ? "true" : "false");
  const std::string window =
      kernel.empty()
          ? ""
          : absl::StrCat("stride = [", List(w.strides), "], pad = ", w.Padding(true),
                         ", lhs_dilate = [", List(w.base_dilations), "], rhs_dilate = [",
                         List(w.dilations), "], reverse = [", absl::StrJoin(reversed, ", "), "]");
  const std::string left = ops.Argument(lhs), right = ops.Argument(rhs);
  ops.Op(
      absl::StrCat("stablehlo.convolution(", left, ", ", right, ") dim_numbers = ", Spelled(from),
                   "x", Spelled(by), "->", Spelled(to), ", window = {", window,
                   "} {batch_group_count = ", batches, " : i64, feature_group_count = ", features,
                   " : i64} : (", ops.Text(lhs), ", ", ops.Text(rhs), ") -> ", ops.Text(result)),
      {ops.element(), result});
}

void AddWindows(RandomOps& ops) {
  ops.Begin("reduce_window");
  ReduceWindow(ops);
  ops.Begin("select_and_scatter");
  SelectAndScatter(ops);
  ops.Begin("convolution");
  Convolution(ops);
}

}  // namespace quern
