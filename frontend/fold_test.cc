#include "frontend/fold.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "frontend/interpreter.h"
#include "frontend/testing/programs.h"
#include "frontend/testing/run.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/stablehlo/constant.h"
#include "ir/stablehlo/stablehlo.h"
#include "mlir/AsmParser/AsmParser.h"

namespace quern::frontend {

using ::testing::HasSubstr;
using ::testing::Not;

static std::string Canonical(const std::string& body, const std::string& result) {
  return MustParse(absl::StrCat("func.func @main(%a: ", result, ") -> ", result, " {\n", body,
                                "\nreturn %r : ", result, "\n}"))
      .canonical;
}

TEST(FoldTest, WhatIsNotFixedStays) {
  const std::string c = "%c = stablehlo.constant dense<1.5> : tensor<2xf32>\n";
  const std::string use = "%r = stablehlo.add %a, %d : tensor<2xf32>";
  const auto body = [&](const std::string& op) {
    return Canonical(absl::StrCat(c, op, "\n", use), "tensor<2xf32>");
  };
  EXPECT_THAT(body("%d = stablehlo.multiply %c, %c : tensor<2xf32>"),
              AllOf(HasSubstr("dense<2.250000e+00>"), Not(HasSubstr("multiply"))));
  EXPECT_THAT(body("%d = stablehlo.exponential %c : tensor<2xf32>"), HasSubstr("exponential"));
  EXPECT_THAT(body("%d = stablehlo.power %c, %c : tensor<2xf32>"), HasSubstr("power"));
  EXPECT_THAT(body("%z = stablehlo.subtract %c, %c : tensor<2xf32>\n"
                   "%d = stablehlo.divide %z, %z : tensor<2xf32>"),
              HasSubstr("divide"));
  EXPECT_THAT(body("%n = stablehlo.constant dense<0x7FC12345> : tensor<2xf32>\n"
                   "%d = stablehlo.reverse %n, dims = [0] : tensor<2xf32>"),
              AllOf(HasSubstr("0x7FC12345"), Not(HasSubstr("reverse"))));
  EXPECT_THAT(body("%m = stablehlo.constant dense<1.0> : tensor<3x2xf32>\n"
                   "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                   "%d = stablehlo.reduce(%m init: %z) applies stablehlo.add across dimensions = "
                   "[0] : (tensor<3x2xf32>, tensor<f32>) -> tensor<2xf32>"),
              HasSubstr("reduce"));
}

TEST(FoldTest, OneNumberHasAnyShape) {
  const std::string type = "tensor<1024x1024xf32>";
  const std::string text =
      Canonical(absl::StrCat("%h = stablehlo.constant dense<0.5> : tensor<f32>\n"
                             "%b = stablehlo.broadcast_in_dim %h, dims = [] : (tensor<f32>) -> ",
                             type, "\n%s = stablehlo.add %b, %b : ", type,
                             "\n%r = stablehlo.maximum %a, %s : ", type),
                type);
  EXPECT_THAT(text, HasSubstr("dense<1.000000e+00> : tensor<1024x1024xf32>"));
  EXPECT_THAT(text, Not(HasSubstr("broadcast_in_dim")));
}

TEST(FoldTest, FormulasDoNotBecomeTables) {
  const std::string text = Canonical(
      "%c = stablehlo.constant dense<[1, 2, 3, 4, 5, 6, 7, 9]> : tensor<8xi32>\n"
      "%b = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<8xi32>) -> tensor<8x8xi32>\n"
      "%i = stablehlo.iota dim = 1 : tensor<8x8xi32>\n"
      "%s = stablehlo.add %b, %i : tensor<8x8xi32>\n"
      "%r = stablehlo.add %a, %s : tensor<8x8xi32>",
      "tensor<8x8xi32>");
  EXPECT_THAT(text, HasSubstr("broadcast_in_dim"));
  EXPECT_THAT(text, HasSubstr("iota"));
}

// ---- Random programs: their constants as constants against their constants as arguments

namespace {

constexpr ElementType kTypes[] = {ElementType::kF32,  ElementType::kF64,       ElementType::kF16,
                                  ElementType::kBF16, ElementType::kF8E4M3FN,  ElementType::kBool,
                                  ElementType::kI4,   ElementType::kUI8,       ElementType::kI32,
                                  ElementType::kI64,  ElementType::kComplexF32};

class RandomProgram {
 public:
  explicit RandomProgram(uint32_t seed) : random_(seed) {
    for (int i = 0; i < 4; ++i) AddConstant();
    for (int i = 0; i < 24; ++i) AddOp();
  }

  // As a function of its constants, or with them inside.
  std::string Text(bool constants_inside) const {
    std::vector<std::string> arguments, names, types;
    std::string constants;
    for (size_t i = 0; i < constants_.size(); ++i) {
      const mlir::RankedTensorType type = Ranked(constants_[i].type());
      std::string value;
      llvm::raw_string_ostream(value) << stablehlo::FromTensor(constants_[i], type);
      absl::StrAppend(&constants, "%", i, " = stablehlo.constant ", value, "\n");
      arguments.push_back(absl::StrCat("%", i, ": ", MlirType(constants_[i].type())));
    }
    for (size_t i = 0; i < values_.size(); ++i) {
      names.push_back(absl::StrCat("%", i));
      types.push_back(MlirType(values_[i]));
    }
    return absl::StrCat("func.func @main(", constants_inside ? "" : absl::StrJoin(arguments, ", "),
                        ") -> (", absl::StrJoin(types, ", "), ") {\n",
                        constants_inside ? constants : "", body_, "return ",
                        absl::StrJoin(names, ", "), " : ", absl::StrJoin(types, ", "), "\n}\n");
  }
  const std::vector<Tensor>& constants() const { return constants_; }

 private:
  static mlir::RankedTensorType Ranked(const TensorType& type) {
    mlir::Type parsed = mlir::parseType(MlirType(type), &TestContext());
    return llvm::cast<mlir::RankedTensorType>(parsed);
  }

  int64_t Below(int64_t n) { return Draw(random_, 0, n - 1); }

  void AddConstant() {
    TensorType type{kTypes[Below(std::size(kTypes))], {}};
    for (int64_t rank = Below(4); rank > 0; --rank) type.shape.push_back(Draw(random_, 0, 5));
    Tensor tensor = RandomTensor(type, -9, 9, random_);
    if (Below(3) > 0 && BitWidth(type.element) >= 8) {  // any bits
      for (int64_t i = 0; i < type.num_bytes(); ++i)
        tensor.as<uint8_t>()[i] = static_cast<uint8_t>(Below(256));
    }
    if (type.element == ElementType::kBool) tensor = RandomTensor(type, 0, 1, random_);
    constants_.push_back(std::move(tensor));
    values_.push_back(type);
  }

  // The new value's name; `text` is the op with its operands.
  void Add(const std::string& text, const TensorType& result, bool only_result = false) {
    std::vector<std::string> operands;
    for (size_t value : operands_) operands.push_back(MlirType(values_[value]));
    absl::StrAppend(&body_, "%", values_.size(), " = ", text, " : ",
                    only_result ? "" : absl::StrCat("(", absl::StrJoin(operands, ", "), ") -> "),
                    MlirType(result), "\n");
    values_.push_back(result);
  }

  void AddOp();
  void AddMove(size_t value, const TensorType& type);
  void AddArithmetic(size_t value, const TensorType& type);

  std::mt19937 random_;
  std::vector<Tensor> constants_;
  std::vector<TensorType> values_;
  std::vector<size_t> operands_;
  std::string body_;
};

void RandomProgram::AddOp() {
  const auto value = static_cast<size_t>(Below(static_cast<int64_t>(values_.size())));
  const TensorType type = values_[value];
  operands_ = {value};
  if (Toss(random_)) {
    AddMove(value, type);
  } else {
    AddArithmetic(value, type);
  }
}

void RandomProgram::AddMove(size_t value, const TensorType& type) {
  const auto rank = static_cast<int64_t>(type.shape.size());
  const std::string name = absl::StrCat("%", value);
  TensorType result = type;
  switch (Below(6)) {
    case 0: {
      result.shape = {type.num_elements()};
      return Add(absl::StrCat("stablehlo.reshape ", name), result);
    }
    case 1: {
      Index order(rank);
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), random_);
      for (int64_t i = 0; i < rank; ++i) result.shape[i] = type.shape[order[i]];
      return Add(absl::StrCat("stablehlo.transpose ", name, ", dims = [", List(order), "]"),
                 result);
    }
    case 2: {
      Index dimensions(rank);
      std::iota(dimensions.begin(), dimensions.end(), 1);
      result.shape.insert(result.shape.begin(), Draw(random_, 1, 3));
      if (result.num_elements() > 2000) return;
      return Add(
          absl::StrCat("stablehlo.broadcast_in_dim ", name, ", dims = [", List(dimensions), "]"),
          result);
    }
    case 3: {
      if (rank == 0) return;
      return Add(absl::StrCat("stablehlo.reverse ", name, ", dims = [", Below(rank), "]"), result,
                 /*only_result=*/true);
    }
    case 4: {
      Index low, high, interior;
      for (int64_t& extent : result.shape) {
        interior.push_back(Below(3));
        low.push_back(Draw(random_, -2, 2));
        high.push_back(Draw(random_, -2, 2));
        const int64_t inside = extent == 0 ? 0 : extent + (extent - 1) * interior.back();
        if (inside + low.back() + high.back() < 0) low.back() = high.back() = 0;
        extent = inside + low.back() + high.back();
      }
      if (result.num_elements() > 2000) return;
      for (size_t i = 0; i < values_.size(); ++i) {
        if (!(values_[i] == TensorType{type.element, {}})) continue;
        operands_.push_back(i);
        return Add(absl::StrCat("stablehlo.pad ", name, ", %", i, ", low = [", List(low),
                                "], high = [", List(high), "], interior = [", List(interior), "]"),
                   result);
      }
      return;
    }
    default: {
      if (rank == 0) return;
      operands_.push_back(value);
      result.shape.back() *= 2;
      if (result.num_elements() > 2000) return;
      return Add(absl::StrCat("stablehlo.concatenate ", name, ", ", name, ", dim = ", rank - 1),
                 result);
    }
  }
}

void RandomProgram::AddArithmetic(size_t value, const TensorType& type) {
  size_t other = value;
  for (size_t i = 0; i < values_.size(); ++i) {
    if (values_[i] == type && Toss(random_)) other = i;
  }
  const bool floats = IsFloat(type.element), integers = IsInteger(type.element);
  const std::string name = absl::StrCat("%", value), both = absl::StrCat(name, ", %", other);
  const auto one_of = [&](std::initializer_list<const char*> ops) {
    return absl::StrCat("stablehlo.", ops.begin()[Below(static_cast<int64_t>(ops.size()))], " ");
  };
  TensorType result = type;
  switch (Below(6)) {
    case 0:
      if (floats) {
        return Add(one_of({"abs", "negate", "sign", "floor", "ceil", "round_nearest_even",
                           "round_nearest_afz", "sqrt", "tanh"}) +
                       name,
                   type, true);
      }
      return integers
                 ? Add(one_of({"negate", "not", "popcnt", "count_leading_zeros", "sign"}) + name,
                       type, true)
                 : void();
    case 1:
    case 2:
      return Add((floats || integers
                      ? one_of({"add", "subtract", "multiply", "divide", "remainder", "maximum"})
                      : one_of({"add", "multiply"})) +
                     both,
                 type, true);
    case 3:
      if (!integers) return;
      return Add(one_of({"and", "or", "xor", "shift_left", "shift_right_logical",
                         "shift_right_arithmetic", "power"}) +
                     both,
                 type, true);
    case 4:
      result.element = kTypes[Below(std::size(kTypes))];
      return Add("stablehlo.convert " + name, result);
    default:
      operands_.push_back(other);
      result.element = ElementType::kBool;
      return Add(
          absl::StrCat("stablehlo.compare ",
                       KindOf(type.element) == ElementKind::kComplex ? "NE" : "LT", ", ", both),
          result);
  }
}

}  // namespace

TEST(FoldTest, RandomProgramsKeepTheirBits) {
  int64_t folded = 0, kept = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    const RandomProgram program(seed);
    const Spec inside = MustParse(program.Text(/*constants_inside=*/true));
    const Spec outside = MustParse(program.Text(/*constants_inside=*/false));
    ASSERT_TRUE(inside.module && outside.module) << "seed " << seed;
    inside.main().walk(
        [&](mlir::Operation* op) { (llvm::isa<stablehlo::ConstantOp>(op) ? folded : kept) += 1; });
    const absl::StatusOr<std::vector<Tensor>> want = Interpret(outside, program.constants());
    const absl::StatusOr<std::vector<Tensor>> got = Interpret(inside, {});
    ASSERT_EQ(want.ok(), got.ok()) << "seed " << seed << want.status() << got.status();
    for (size_t i = 0; want.ok() && i < want->size(); ++i) {
      ASSERT_EQ(std::memcmp((*want)[i].data(), (*got)[i].data(), (*want)[i].type().num_bytes()), 0)
          << "seed " << seed << ", value " << i << " of\n"
          << program.Text(true);
    }
    EXPECT_EQ(MustParse(inside.canonical).sha256, inside.sha256) << "seed " << seed;
  }
  EXPECT_GT(folded, 400 * 8);
  EXPECT_GT(kept, 400);
}

}  // namespace quern::frontend
