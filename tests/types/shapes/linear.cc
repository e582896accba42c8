// triangular_solve, cholesky, batch normalisation.
#include "absl/strings/str_join.h"
#include "tests/types/shapes/random_ops.h"

namespace quern {

// Matrices whose diagonal dominates, so that errors do not grow.
static std::string Dominant(RandomOps& ops, const Index& shape) {
  const std::string small = ops.Argument(shape), type = ops.Text(shape), diagonal = ops.Fresh(),
                    scaled = ops.Fresh(), sum = ops.Fresh(), eighth = ops.Fresh(), i = ops.Fresh(),
                    j = ops.Fresh(), same = ops.Fresh();
  const auto rank = static_cast<int64_t>(shape.size());
  const std::string places = TypeText({ElementType::kI32, shape});
  const auto constant = [&](const char* value) {
    return ops.is_complex() ? absl::StrCat("(", value, ", 0.0)") : std::string(value);
  };
  ops.Line(absl::StrCat(i, " = stablehlo.iota dim = ", rank - 2, " : ", places));
  ops.Line(absl::StrCat(j, " = stablehlo.iota dim = ", rank - 1, " : ", places));
  ops.Line(absl::StrCat(same, " = stablehlo.compare EQ, ", i, ", ", j, " : (", places, ", ", places,
                        ") -> ", TypeText({ElementType::kBool, shape})));
  ops.Line(absl::StrCat(eighth, " = stablehlo.constant dense<", constant("0.125"), "> : ", type));
  ops.Line(absl::StrCat(diagonal, " = stablehlo.constant dense<", constant("8.0"), "> : ", type));
  ops.Line(absl::StrCat(scaled, " = stablehlo.multiply ", small, ", ", eighth, " : ", type));
  ops.Line(absl::StrCat(sum, " = stablehlo.select ", same, ", ", diagonal, ", ", scaled, " : ",
                        TypeText({ElementType::kBool, shape}), ", ", type));
  return sum;
}

static void Solve(RandomOps& ops) {
  const Index batch = ops.Shape(ops.Draw(0, 2));
  const int64_t n = ops.Draw(1, 5), columns = ops.Draw(1, 4);
  const bool left = ops.Toss();
  Index a = batch, b = batch;
  a.insert(a.end(), {n, n});
  b.insert(b.end(), {left ? n : columns, left ? columns : n});
  const auto boolean = [&] { return ops.Toss() ? "true" : "false"; };
  static constexpr const char* kTransposes[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  const std::string matrix = Dominant(ops, a), right = ops.Argument(b);
  ops.Op(absl::StrCat("\"stablehlo.triangular_solve\"(", matrix, ", ", right,
                      ") <{left_side = ", left ? "true" : "false", ", lower = ", boolean(),
                      ", transpose_a = #stablehlo<transpose ", kTransposes[ops.Draw(0, 2)],
                      ">, unit_diagonal = ", boolean(), "}> : (", ops.Text(a), ", ", ops.Text(b),
                      ") -> ", ops.Text(b)),
         {ops.element(), b}, 16);
}

static void Cholesky(RandomOps& ops) {
  Index shape = ops.Shape(ops.Draw(0, 2));
  const int64_t n = ops.Draw(1, 5);
  shape.insert(shape.end(), {n, n});
  const std::string matrix = Dominant(ops, shape);
  ops.Op(absl::StrCat("stablehlo.cholesky ", matrix, ", lower = ", ops.Toss() ? "true" : "false",
                      " : ", ops.Text(shape)),
         {ops.element(), shape}, 16);
}

static void BatchNormInference(RandomOps& ops) {
  const Index shape = ops.Shape(ops.Draw(1, 4));
  const int64_t feature = ops.Draw(0, static_cast<int64_t>(shape.size()) - 1);
  const Index features = {shape[feature]};
  const std::string type = ops.Text(shape), vector = ops.Text(features);
  const std::string operand = ops.Argument(shape), scale = ops.Argument(features),
                    offset = ops.Argument(features), mean = ops.Argument(features),
                    root = ops.Argument(features), variance = ops.Fresh();
  ops.Line(absl::StrCat(variance, " = stablehlo.multiply ", root, ", ", root, " : ", vector));
  ops.Op(absl::StrCat("\"stablehlo.batch_norm_inference\"(", operand, ", ", scale, ", ", offset,
                      ", ", mean, ", ", variance,
                      ") <{epsilon = 0.125 : f32, feature_index = ", feature, " : i64}> : (", type,
                      ", ", vector, ", ", vector, ", ", vector, ", ", vector, ") -> ", type),
         {ops.element(), shape}, 16);
}

static void BatchNormTraining(RandomOps& ops) {
  const Index shape = ops.Shape(ops.Draw(1, 4), 1);
  const int64_t feature = ops.Draw(0, static_cast<int64_t>(shape.size()) - 1);
  const Index features = {shape[feature]};
  const std::string type = ops.Text(shape), vector = ops.Text(features), result = ops.Fresh();
  const std::string operand = ops.Argument(shape), scale = ops.Argument(features),
                    offset = ops.Argument(features);
  ops.Line(absl::StrCat(result, ":3 = \"stablehlo.batch_norm_training\"(", operand, ", ", scale,
                        ", ", offset, ") <{epsilon = 0.125 : f32, feature_index = ", feature,
                        " : i64}> : (", type, ", ", vector, ", ", vector, ") -> (", type, ", ",
                        vector, ", ", vector, ")"));
  ops.Result(result + "#0", shape, 64);
  ops.Result(result + "#1", features, 16);
  ops.Result(result + "#2", features, 16);
}

void AddLinear(RandomOps& ops) {
  const bool has_products =
      ops.element() == ElementType::kF32 || ops.is_complex() || ops.element() == ElementType::kF64;
  if (has_products) {
    ops.Begin("triangular_solve");
    Solve(ops);
    ops.Begin("cholesky");
    Cholesky(ops);
  }
  if (!ops.is_float() || !has_products) return;
  ops.Begin("batch_norm_inference");
  BatchNormInference(ops);
  ops.Begin("batch_norm_training");
  BatchNormTraining(ops);
}

}  // namespace quern
