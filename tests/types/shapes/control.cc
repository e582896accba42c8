// if, case, while, and random bits.
#include "absl/strings/str_join.h"
#include "tests/types/shapes/random_ops.h"

namespace quern {

static void Case(RandomOps& ops) {
  const Index shape = ops.Shape(ops.Draw(0, 3));
  const std::string type = ops.Text(shape), a = ops.Argument(shape), b = ops.Argument(shape),
                    which = ops.Integers({}, -1, 3), sum = ops.Fresh();
  const auto branch = [&](const std::string& value) {
    return absl::StrCat("{\nstablehlo.return ", value, " : ", type, "\n}");
  };
  ops.Op(absl::StrCat("\"stablehlo.case\"(", which, ") (", branch(a), ", {\n", sum,
                      " = stablehlo.add ", a, ", ", b, " : ", type, "\nstablehlo.return ", sum,
                      " : ", type, "\n}, ", branch(b), ") : (tensor<i32>) -> ", type),
         {ops.element(), shape});
}

// Some trips, each with a sum and a rotation of what is carried.
static void While(RandomOps& ops) {
  const Index shape = ops.Shape(1, 1);
  const std::string type = ops.Text(shape), start = ops.Argument(shape), add = ops.Argument(shape),
                    zero = ops.Fresh(), result = ops.Fresh();
  ops.Line(absl::StrCat(zero, " = stablehlo.constant dense<0> : tensor<i32>"));
  ops.Line(absl::StrCat(
      result, ":2 = stablehlo.while(%i = ", zero, ", %x = ", start, ") : tensor<i32>, ", type,
      "\ncond {\n%n = stablehlo.constant dense<", ops.Draw(0, 4),
      "> : tensor<i32>\n%p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> "
      "tensor<i1>\nstablehlo.return %p : tensor<i1>\n} do {\n%one = stablehlo.constant dense<1> : "
      "tensor<i32>\n%j = stablehlo.add %i, %one : tensor<i32>\n%r = stablehlo.reverse %x, dims = "
      "[0] : ",
      type, "\n%y = stablehlo.add %r, ", add, " : ", type,
      "\nstablehlo.return %j, %y : tensor<i32>, ", type, "\n}"));
  ops.Result(result + "#1", shape);
}

static void RandomBits(RandomOps& ops) {
  if (ops.is_bool() || ops.is_complex() || BitWidth(ops.element()) < 8) return;
  const Index shape = ops.Shape(ops.Draw(0, 3));
  const TensorType state{ElementType::kUI64, {2}};
  const std::string seed = ops.Argument(state), result = ops.Fresh();
  ops.Line(absl::StrCat(result, ":2 = stablehlo.rng_bit_generator ", seed,
                        ", algorithm = ", ops.Toss() ? "THREE_FRY" : "PHILOX", " : (",
                        TypeText(state), ") -> (", TypeText(state), ", ", ops.Text(shape), ")"));
  ops.Result(result + "#0", state);
  ops.Result(result + "#1", shape);
}

void AddControl(RandomOps& ops) {
  ops.Begin("case");
  Case(ops);
  ops.Begin("while");
  While(ops);
  ops.Begin("rng_bit_generator");
  RandomBits(ops);
}

}  // namespace quern
