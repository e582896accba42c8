// Terms against values.
#include "verifier/spec/symbolic.h"

#include <cmath>

#include "gtest/gtest.h"
#include "verifier/spec/evaluate.h"
#include "verifier/spec/reader.h"
#include "verifier/spec/scalar.h"

namespace quern::verifier {

// What terms of additions, products and maxima of f32 arguments are on these inputs.
class TermValues {
 public:
  TermValues(TermTable* terms, std::vector<const Tensor*> inputs)
      : terms_(*terms), inputs_(std::move(inputs)) {}

  float Of(Value v) {
    switch (v.kind) {
      case Value::kInt:
        return static_cast<float>(
            FromBits(*TermTable::ConstantBits({Type::kFloat, 32, 1}, v), ElementType::kF32).number);
      case Value::kLeaf:
        EXPECT_TRUE(terms_.Element(v).is_constant());
        return static_cast<float>(inputs_[terms_.leaf(v).argument]->At(terms_.Element(v).constant));
      case Value::kTerm: {
        const Term term = terms_.term(v);
        return Apply(term.op, Of(term.args[0]), Of(term.args[1]));
      }
      default:
        return OfRun(terms_.run(v), v.payload);
    }
  }

 private:
  float Apply(const Op& op, float a, float b) {
    if (op.family == Op::kIntrinsic) return std::fmax(a, b);
    return static_cast<BinaryOp>(op.code) == BinaryOp::kFAdd ? a + b : a * b;
  }

  float OfRun(Run run, int64_t length) {
    float value = Of(run.init);
    std::vector<int64_t> extents = {length};
    extents.insert(extents.end(), run.inner.begin(), run.inner.end());
    int64_t steps = 1;
    for (int64_t extent : extents) steps *= extent;
    for (int64_t step = 0; step < steps; ++step) {
      Value element = run.elements[0];
      int64_t rest = step;
      for (size_t i = extents.size(); i-- > 0; rest /= extents[i]) {
        const int level = run.level + static_cast<int>(extents.size() - 1 - i);
        element = *terms_.Substitute(element, terms_.affine().Counter(level),
                                     AffineTable::Number(rest % extents[i]));
      }
      value = Apply(run.op, value, Of(element));
    }
    return value;
  }

  TermTable& terms_;
  std::vector<const Tensor*> inputs_;
};

// At every index of the result, with small integers as inputs so that nothing is rounded.
static void Compare(const std::string& text) {
  const absl::StatusOr<SpecGraph> graph = ReadSpec(text);
  ASSERT_TRUE(graph.ok()) << graph.status();
  std::vector<Tensor> inputs;
  std::vector<ElementType> types;
  for (const TensorType& type : graph->arguments) {
    inputs.push_back(*Tensor::Create(type));
    types.push_back(type.element);
    for (int64_t i = 0; i < type.num_elements(); ++i) {
      inputs.back().Set(i, static_cast<double>((i * 7 + 3) % 11 - 5));
    }
  }
  std::vector<const Tensor*> pointers;
  for (const Tensor& input : inputs) pointers.push_back(&input);
  const Tensor expected = *Evaluator(*graph, pointers).Result(0);
  AffineTable affine;
  TermTable terms(&affine, types);
  SymbolicAlgebra algebra(*graph, &terms);
  Denotation<SymbolicAlgebra> denotation(*graph, algebra);
  TermValues values(&terms, pointers);
  for (int64_t element = 0; element < expected.type().num_elements(); ++element) {
    std::vector<Affine> index(expected.type().shape.size());
    int64_t rest = element;
    for (size_t i = index.size(); i-- > 0; rest /= expected.type().shape[i]) {
      index[i] = AffineTable::Number(rest % expected.type().shape[i]);
    }
    const absl::StatusOr<Value> value = ResultAt(denotation, terms, *graph, 0, index);
    ASSERT_TRUE(value.ok()) << value.status();
    ASSERT_EQ(values.Of(*value), expected.At(element)) << text << "\n" << element;
  }
}

TEST(Symbolic, FoldsOverPaddingAsTheEvaluatorDoes) {
  int compared = 0;
  for (const char* window :
       {"stride = [2, 1], pad = [[1, 2], [0, 3]]", "pad = [[2, 2], [1, 0]], rhs_dilate = [2, 1]",
        "pad = [[-1, 1], [3, 1]], lhs_dilate = [2, 3], reverse = [true, false]"}) {
    for (const bool groups : {false, true}) {
      const std::string kernel = groups ? "3x2x1x4" : "3x2x2x4";
      const std::string call =
          "stablehlo.convolution(%x, %w) dim_numbers = [0, b, 1, f]x[0, 1, i, o]->[b, f, 0, 1], "
          "window = {" +
          std::string(window) +
          "} {batch_group_count = 1 : i64, feature_group_count = " + (groups ? "2" : "1") +
          " : i64} : (tensor<5x2x6x2xf32>, tensor<" + kernel + "xf32>) -> ";
      // The result's shape from what the verifier of the op says it should be.
      for (const char* result : {"2x4x3x8", "2x4x5x6", "2x4x7x19"}) {
        const std::string type = "tensor<" + std::string(result) + "xf32>";
        const std::string text = "func.func @main(%x: tensor<5x2x6x2xf32>, %w: tensor<" + kernel +
                                 "xf32>) -> " + type + " {\n %y = " + call + type +
                                 "\n return %y : " + type + "\n}";
        if (!ReadSpec(text).ok()) continue;
        ++compared;
        Compare(text);
      }
    }
  }
  EXPECT_EQ(compared, 6);
  for (const char* body : {"add", "maximum"}) {
    Compare(
        "func.func @main(%x: tensor<5x30xf32>, %z: tensor<f32>) -> tensor<5x30xf32> {\n"
        " %y = \"stablehlo.reduce_window\"(%x, %z) <{window_dimensions = array<i64: 1, 30>, "
        "padding = dense<[[0, 0], [29, 0]]> : tensor<2x2xi64>}> ({\n"
        " ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n %m = stablehlo." +
        std::string(body) +
        " %a, %b : tensor<f32>\n stablehlo.return %m : tensor<f32>\n"
        " }) : (tensor<5x30xf32>, tensor<f32>) -> tensor<5x30xf32>\n"
        " return %y : tensor<5x30xf32>\n}");
  }
}

TEST(Symbolic, AsksForASplitWhereSomeIndicesLieInPadding) {
  const SpecGraph graph = *ReadSpec(R"(func.func @main(%x: tensor<10xf32>, %p: tensor<f32>)
      -> tensor<14xf32> {
    %y = stablehlo.pad %x, %p, low = [3], high = [1], interior = [0]
        : (tensor<10xf32>, tensor<f32>) -> tensor<14xf32>
    return %y : tensor<14xf32>
  })");
  AffineTable affine;
  TermTable terms(&affine, {ElementType::kF32, ElementType::kF32});
  SymbolicAlgebra algebra(graph, &terms);
  Denotation<SymbolicAlgebra> denotation(graph, algebra);
  const auto at = [&](int64_t low, int64_t high) {
    const SymbolId i = affine.AddSymbol("i", {low, high});
    return ResultAt(denotation, terms, graph, 0, {affine.Symbol(i)});
  };
  EXPECT_TRUE(absl::IsOutOfRange(at(0, 13).status()));
  EXPECT_TRUE(affine.blocked().has_value());
  EXPECT_EQ(*at(0, 2), terms.MakeLeaf(1, AffineTable::Number(0)));
  EXPECT_EQ(terms.leaf(*at(3, 12)).argument, 0);
  EXPECT_EQ(*at(13, 13), terms.MakeLeaf(1, AffineTable::Number(0)));
}

// Where the term is a number, it is the evaluator's.
TEST(Symbolic, IntegersOfConstantsAreTheEvaluators) {
  const char* const ops[] = {"add",
                             "and",
                             "divide",
                             "maximum",
                             "multiply",
                             "or",
                             "remainder",
                             "subtract",
                             "xor",
                             "shift_left",
                             "negate",
                             "not",
                             "sign",
                             "abs",
                             "shift_right_logical",
                             "convert",
                             "minimum",
                             "shift_right_arithmetic",
                             "bitcast_convert"};
  int known = 0;
  for (const std::string type : {"i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64"}) {
    const bool is_signed = type[0] == 'i';
    for (const std::string op : ops) {
      const bool unary = op == "negate" || op == "not" || op == "sign" || op == "abs" ||
                         op == "convert" || op == "bitcast_convert";
      for (const std::string left : {"0", "1", "100", is_signed ? "-128" : "255"}) {
        for (const std::string right : {"0", "3", "9", is_signed ? "-1" : "200"}) {
          const std::string tensor = "tensor<" + type + ">";
          const std::string result =
              op == "convert" ? "tensor<i16>"
              : op == "bitcast_convert"
                  ? "tensor<" + (is_signed ? "u" + type : type.substr(1)) + ">"
                  : tensor;
          const absl::StatusOr<SpecGraph> graph = ReadSpec(
              "func.func @main() -> " + result + " {\n %a = stablehlo.constant dense<" + left +
              "> : " + tensor + "\n %b = stablehlo.constant dense<" + right + "> : " + tensor +
              "\n %r = \"stablehlo." + op + "\"(" + (unary ? "%a" : "%a, %b") + ") : (" + tensor +
              (unary ? "" : ", " + tensor) + ") -> " + result + "\n return %r : " + result + "\n}");
          ASSERT_TRUE(graph.ok()) << graph.status();
          AffineTable affine;
          TermTable terms(&affine, {});
          SymbolicAlgebra algebra(*graph, &terms);
          Denotation<SymbolicAlgebra> denotation(*graph, algebra);
          const Value value = *ResultAt(denotation, terms, *graph, 0, {});
          if (value.kind != Value::kInt) continue;
          ++known;
          const Tensor expected = *Evaluator(*graph, {}).Result(0);
          const ElementType element = expected.type().element;
          EXPECT_EQ(terms.ConstantBits(SymbolicAlgebra::TypeOf(element), value),
                    BitsOf(Load(expected, 0), element))
              << op << " " << type << " " << left << " " << right;
        }
      }
    }
  }
  EXPECT_GE(known, 1500);
}

}  // namespace quern::verifier
