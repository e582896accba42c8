// Every op over every element type: the naive program, compiled for this machine and run, against
// the interpreter. Exact ops must give equal bits, functions what is near.
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "codegen/testing/loaded.h"
#include "frontend/context.h"
#include "frontend/interpreter.h"
#include "gtest/gtest.h"
#include "search/naive.h"
#include "search/nest.h"
#include "search/testing/execute.h"

namespace quern {
namespace {

constexpr int64_t kCount = 64;

enum Kinds { kFloats = 1, kSigned = 2, kUnsigned = 4, kBools = 8, kIntegers = 6, kNumbers = 7 };

// `text` with $T the type, $1 its one and $V its vectors; operands %a, %b, %c are vectors, %p is
// one of bools.
struct Row {
  const char* name;
  int kinds;
  int ulps;  // 0: equal bits
  const char* text;
  const char* result = "$V";
};

#define UNARY(op) "stablehlo." op " %a : $V"
#define BINARY(op) "stablehlo." op " %a, %b : $V"
#define COMPARE(direction) "stablehlo.compare " direction ", %a, %b : ($V, $V) -> tensor<64xi1>"
#define CHLO(op) "chlo." op " %a : $V -> $V"
constexpr Row kRows[] = {
    {"abs", kFloats | kSigned, 0, UNARY("abs")},
    {"cbrt", kFloats, 4, UNARY("cbrt")},
    {"ceil", kFloats, 0, UNARY("ceil")},
    {"cosine", kFloats, 4, UNARY("cosine")},
    {"count_leading_zeros", kIntegers, 0, UNARY("count_leading_zeros")},
    {"exponential", kFloats, 4, UNARY("exponential")},
    {"exponential_minus_one", kFloats, 4, UNARY("exponential_minus_one")},
    {"floor", kFloats, 0, UNARY("floor")},
    {"is_finite", kFloats, 0, "stablehlo.is_finite %a : ($V) -> tensor<64xi1>", "tensor<64xi1>"},
    {"log", kFloats, 4, UNARY("log")},
    {"log_plus_one", kFloats, 4, UNARY("log_plus_one")},
    {"logistic", kFloats, 8, UNARY("logistic")},
    {"negate", kNumbers, 0, UNARY("negate")},
    {"not", kIntegers | kBools, 0, UNARY("not")},
    {"popcnt", kIntegers, 0, UNARY("popcnt")},
    {"round_nearest_afz", kFloats, 0, UNARY("round_nearest_afz")},
    {"round_nearest_even", kFloats, 0, UNARY("round_nearest_even")},
    {"rsqrt", kFloats, 4, UNARY("rsqrt")},
    {"sign", kNumbers, 0, UNARY("sign")},
    {"sine", kFloats, 4, UNARY("sine")},
    {"sqrt", kFloats, 0, UNARY("sqrt")},
    {"tan", kFloats, 4, UNARY("tan")},
    {"tanh", kFloats, 4, UNARY("tanh")},
    {"reduce_precision", kFloats, 0, "stablehlo.reduce_precision %a, format = e4m2 : $V"},
    {"chlo_acos", kFloats, 4, CHLO("acos")},
    {"chlo_acosh", kFloats, 4, CHLO("acosh")},
    {"chlo_asin", kFloats, 4, CHLO("asin")},
    {"chlo_asinh", kFloats, 4, CHLO("asinh")},
    {"chlo_atan", kFloats, 4, CHLO("atan")},
    {"chlo_atanh", kFloats, 4, CHLO("atanh")},
    {"chlo_cosh", kFloats, 4, CHLO("cosh")},
    {"chlo_sinh", kFloats, 4, CHLO("sinh")},
    {"chlo_erf", kFloats, 4, CHLO("erf")},
    {"chlo_erfc", kFloats, 4, CHLO("erfc")},
    {"chlo_is_inf", kFloats, 0, "chlo.is_inf %a : $V -> tensor<64xi1>", "tensor<64xi1>"},
    {"chlo_is_pos_inf", kFloats, 0, "chlo.is_pos_inf %a : $V -> tensor<64xi1>", "tensor<64xi1>"},
    {"chlo_is_neg_inf", kFloats, 0, "chlo.is_neg_inf %a : $V -> tensor<64xi1>", "tensor<64xi1>"},
    {"add", kNumbers | kBools, 0, BINARY("add")},
    {"and", kIntegers | kBools, 0, BINARY("and")},
    {"atan2", kFloats, 4, BINARY("atan2")},
    {"divide", kNumbers, 0, BINARY("divide")},
    {"maximum", kNumbers | kBools, 0, BINARY("maximum")},
    {"minimum", kNumbers | kBools, 0, BINARY("minimum")},
    {"multiply", kNumbers | kBools, 0, BINARY("multiply")},
    {"or", kIntegers | kBools, 0, BINARY("or")},
    {"power", kNumbers, 4, BINARY("power")},
    {"remainder", kNumbers, 0, BINARY("remainder")},
    {"shift_left", kIntegers, 0, BINARY("shift_left")},
    {"shift_right_arithmetic", kIntegers, 0, BINARY("shift_right_arithmetic")},
    {"shift_right_logical", kIntegers, 0, BINARY("shift_right_logical")},
    {"subtract", kNumbers, 0, BINARY("subtract")},
    {"xor", kIntegers | kBools, 0, BINARY("xor")},
    {"compare_eq", 15, 0, COMPARE("EQ"), "tensor<64xi1>"},
    {"compare_ne", 15, 0, COMPARE("NE"), "tensor<64xi1>"},
    {"compare_ge", 15, 0, COMPARE("GE"), "tensor<64xi1>"},
    {"compare_gt", 15, 0, COMPARE("GT"), "tensor<64xi1>"},
    {"compare_le", 15, 0, COMPARE("LE"), "tensor<64xi1>"},
    {"compare_lt", 15, 0, COMPARE("LT"), "tensor<64xi1>"},
    {"compare_total", kFloats, 0,
     "stablehlo.compare LT, %a, %b, TOTALORDER : ($V, $V) -> tensor<64xi1>", "tensor<64xi1>"},
    {"select", 15, 0, "stablehlo.select %p, %a, %b : tensor<64xi1>, $V"},
    {"clamp", kNumbers, 0, "stablehlo.clamp %a, %b, %c : $V"},
    {"iota", kNumbers, 0, "stablehlo.iota dim = 0 : $V"},
    {"reverse", 15, 0, "stablehlo.reverse %a, dims = [0] : $V"},
    {"slice_pad", 15, 0,
     "stablehlo.slice %a [3:63:2] : ($V) -> tensor<30x$T>\n"
     "%r_0 = stablehlo.constant dense<$1> : tensor<$T>\n"
     "%r = stablehlo.pad %r_, %r_0, low = [2], high = [3], interior = [1] : (tensor<30x$T>, "
     "tensor<$T>) -> $V"},
    {"reduce_max", 15, 0,
     "stablehlo.constant dense<$1> : tensor<$T>\n"
     "%r_0 = stablehlo.reshape %a : ($V) -> tensor<4x16x$T>\n"
     "%r = stablehlo.reduce(%r_0 init: %r_) applies stablehlo.maximum across dimensions = [1] : "
     "(tensor<4x16x$T>, tensor<$T>) -> tensor<4x$T>",
     "tensor<4x$T>"},
    {"reduce_add", kIntegers | kBools, 0,
     "stablehlo.constant dense<$1> : tensor<$T>\n"
     "%r_0 = stablehlo.reshape %a : ($V) -> tensor<4x16x$T>\n"
     "%r = stablehlo.reduce(%r_0 init: %r_) applies stablehlo.add across dimensions = [1] : "
     "(tensor<4x16x$T>, tensor<$T>) -> tensor<4x$T>",
     "tensor<4x$T>"},
    {"dot", kIntegers | kBools, 0,
     "stablehlo.reshape %a : ($V) -> tensor<8x8x$T>\n"
     "%r_0 = stablehlo.reshape %b : ($V) -> tensor<8x8x$T>\n"
     "%r = stablehlo.dot_general %r_, %r_0, contracting_dims = [1] x [0] : (tensor<8x8x$T>, "
     "tensor<8x8x$T>) -> tensor<8x8x$T>",
     "tensor<8x8x$T>"},
    {"dynamic_slice", kIntegers, 0,
     "stablehlo.slice %a [5:6:1] : ($V) -> tensor<1x$T>\n"
     "%r_0 = stablehlo.reshape %r_ : (tensor<1x$T>) -> tensor<$T>\n"
     "%r = stablehlo.dynamic_slice %b, %r_0, sizes = [60] : ($V, tensor<$T>) -> tensor<60x$T>",
     "tensor<60x$T>"},
    {"sort", 15, 0,
     "\"stablehlo.sort\"(%s) <{dimension = 0 : i64, is_stable = true}> ({\n"
     "^bb0(%x: tensor<$T>, %y: tensor<$T>):\n"
     "%l = stablehlo.compare LT, %x, %y : (tensor<$T>, tensor<$T>) -> tensor<i1>\n"
     "stablehlo.return %l : tensor<i1> }) : ($V) -> $V"},
};

int KindBit(ElementType type) {
  switch (KindOf(type)) {
    case ElementKind::kFloat:
      return kFloats;
    case ElementKind::kSigned:
      return kSigned;
    case ElementKind::kUnsigned:
      return kUnsigned;
    case ElementKind::kBool:
      return kBools;
    case ElementKind::kComplex:
      return 0;
  }
  return 0;
}

struct Program {
  std::vector<Row> rows;  // one a result
  std::string text;
};

// A function with a result for each row.
Program ProgramOf(std::vector<Row> rows, ElementType type) {
  std::string body, values, types;
  for (size_t i = 0; i < rows.size(); ++i) {
    std::string text = rows[i].text;
    const std::string result = absl::StrCat("%r", i);
    const bool several = text.find("\n%r") != std::string::npos;
    text = absl::StrCat(several ? "%r_ = " : "%r = ", text);
    // %r_, %r_0 are the row's own; %r its result.
    text = absl::StrReplaceAll(text, {{"%r_", absl::StrCat("%t", i, "_")}, {"%r", result}});
    absl::StrAppend(&body, "  ", text, "\n");
    absl::StrAppend(&values, i ? ", " : "", result);
    absl::StrAppend(&types, i ? ", " : "", rows[i].result);
  }
  std::string all =
      absl::StrCat("func.func public @main(%a: $V, %b: $V, %c: $V, %s: $V, %p: tensor<64xi1>) -> (",
                   types, ") {\n", body, "  return ", values, " : ", types, "\n}\n");
  all = absl::StrReplaceAll(all, {{"$V", absl::StrCat("tensor<", kCount, "x$T>")}});
  return {std::move(rows),
          absl::StrReplaceAll(all, {{"$T", Name(type)}, {"$1", IsFloat(type) ? "1.0" : "1"}})};
}

// Any bits that an element may have; each fourth is small, so that sums and indices stay in range.
Tensor AnyBits(ElementType element, std::mt19937_64& random) {
  Tensor tensor = *Tensor::Create({element, {kCount}});
  for (int64_t i = 0; i < kCount; ++i) {
    const uint64_t bits = random();
    if (element == ElementType::kBool || i % 4 == 0) {
      tensor.Set(i, element == ElementType::kBool   ? static_cast<double>(bits % 2)
                    : KindBit(element) == kUnsigned ? static_cast<double>(bits % 8)
                                                    : static_cast<double>(bits % 15) - 7);
    } else if (element == ElementType::kI4) {
      tensor.Set(i, static_cast<double>(bits % 16) - 8);
    } else if (element == ElementType::kUI4) {
      tensor.Set(i, static_cast<double>(bits % 16));
    } else if (i % 4 == 1 && IsFloat(element)) {
      tensor.Set(i, std::ldexp(static_cast<double>(bits % 4096) / 4096 - 0.5, 3));
    } else {
      std::memcpy(tensor.data() + i * ByteSize(element), &bits, ByteSize(element));
    }
  }
  return tensor;
}

// A sort needs an order: no NaN.
void DropNans(Tensor& tensor) {
  if (!IsFloat(tensor.type().element)) return;
  for (int64_t i = 0; i < kCount; ++i) {
    if (std::isnan(tensor.At(i))) tensor.Set(i, static_cast<double>(i % 5));
  }
}

// Elements as integers in the order of the numbers.
int64_t Order(const Tensor& tensor, int64_t i) {
  const int64_t bytes = ByteSize(tensor.type().element);
  uint64_t bits = 0;
  std::memcpy(&bits, tensor.data() + i * bytes, bytes);
  const uint64_t sign = uint64_t{1} << (8 * bytes - 1);
  if (tensor.type().element == ElementType::kF8E8M0FNU) return static_cast<int64_t>(bits);
  return bits & sign ? -static_cast<int64_t>(bits ^ sign) : static_cast<int64_t>(bits);
}

bool Agree(const Tensor& want, const Tensor& got, int64_t i, int ulps) {
  const int64_t bytes = ByteSize(want.type().element);
  if (std::memcmp(want.data() + i * bytes, got.data() + i * bytes, bytes) == 0) return true;
  if (!IsFloat(want.type().element)) return false;
  if (std::isnan(want.At(i))) return std::isnan(got.At(i));
  return !std::isnan(got.At(i)) && std::abs(Order(want, i) - Order(got, i)) <= ulps;
}

// Makes vectors of the loops over results that have nothing but scalar code in them.
int Vectorise(mlir::ModuleOp module) {
  int vectors = 0;
  module.walk([&](program::LoopOp loop) {
    for (mlir::Operation& op : loop.block()) {
      const bool index = op.getNumResults() == 1 && op.getResult(0).getType().isIndex();
      if (llvm::isa<program::LoopOp, program::AllocOp, program::GuardOp>(op)) return;
      if (index && llvm::isa<mlir::arith::MinSIOp>(op)) return;  // computed from data
    }
    auto around = loop->getParentOfType<program::LoopOp>();
    if (!loop.getName().starts_with("i") || around) return;
    loop.setMapping(program::Mapping::Vector);
    ++vectors;
  });
  return vectors;
}

class NaiveTypesTest : public ::testing::TestWithParam<ElementType> {};

void Compare(const Program& program, const std::vector<Tensor>& want,
             const std::vector<Tensor>& got, const std::vector<Tensor>& inputs, const char* how) {
  ASSERT_EQ(want.size(), got.size());
  for (size_t r = 0; r < want.size(); ++r) {
    for (int64_t i = 0; i < want[r].type().num_elements(); ++i) {
      if (Agree(want[r], got[r], i, program.rows[r].ulps)) continue;
      ADD_FAILURE() << how << ", " << program.rows[r].name << " of "
                    << Name(inputs[0].type().element) << ", element " << i << ": " << got[r].At(i)
                    << " instead of " << want[r].At(i) << "; operands " << inputs[0].At(i) << " "
                    << inputs[1].At(i) << " " << inputs[2].At(i);
      break;
    }
  }
}

void Check(const Program& program, ElementType type) {
  const auto context = frontend::MakeContext();
  absl::StatusOr<frontend::Spec> spec = frontend::ParseSpec(program.text, "types.mlir", *context);
  ASSERT_TRUE(spec.ok()) << spec.status() << "\n" << program.text;
  auto naive = search::NaiveProgram(*spec, "x86_64");
  ASSERT_TRUE(naive.ok()) << naive.status();
  codegen::Loaded serial(search::PrintText(**naive));
  mlir::OwningOpRef<mlir::ModuleOp> wide = (*naive)->clone();
  EXPECT_GT(Vectorise(*wide), 0);
  codegen::Loaded vector(search::PrintText(*wide));
  std::mt19937_64 random(17);
  for (int round = 0; round < 3; ++round) {
    std::vector<Tensor> inputs;
    for (int i = 0; i < 4; ++i) inputs.push_back(AnyBits(type, random));
    DropNans(inputs[3]);
    inputs.push_back(AnyBits(ElementType::kBool, random));
    absl::StatusOr<std::vector<Tensor>> want = frontend::Interpret(*spec, inputs);
    ASSERT_TRUE(want.ok()) << want.status();
    Compare(program, *want, serial.Results(inputs, spec->results), inputs, "serial");
    Compare(program, *want, vector.Results(inputs, spec->results), inputs, "vector");
    // The executor knows one NaN.
    for (Tensor& input : inputs) DropNans(input);
    want = frontend::Interpret(*spec, inputs);
    ASSERT_TRUE(want.ok()) << want.status();
    absl::StatusOr<std::vector<Tensor>> executed = search::Execute(**naive, inputs);
    ASSERT_TRUE(executed.ok()) << executed.status();
    Compare(program, *want, *executed, inputs, "executed");
  }
}

bool IsIeee(ElementType type) {
  return type != ElementType::kF8E4M3FN && type != ElementType::kF8E4M3FNUZ &&
         type != ElementType::kF8E5M2FNUZ && type != ElementType::kF8E4M3B11FNUZ &&
         type != ElementType::kF8E8M0FNU;
}

TEST_P(NaiveTypesTest, OpsAgreeWithTheInterpreter) {
  std::vector<Row> rows;
  for (const Row& row : kRows) {
    if (!(row.kinds & KindBit(GetParam()))) continue;
    if (std::string(row.name) == "reduce_precision" && !IsIeee(GetParam())) continue;
    rows.push_back(row);
  }
  Check(ProgramOf(rows, GetParam()), GetParam());
}

TEST_P(NaiveTypesTest, ConversionsAgreeWithTheInterpreter) {
  static std::vector<std::string> kept;
  kept.clear();
  std::vector<std::string> results;
  for (ElementType to : AllElementTypes()) {
    if (!HasCodeGeneration(to)) continue;
    kept.push_back(absl::StrCat("tensor<64x", Name(to), ">"));
    kept.push_back(absl::StrCat("stablehlo.convert %a : ($V) -> ", kept.back()));
  }
  std::vector<Row> rows;
  for (size_t i = 0; i < kept.size(); i += 2) {
    rows.push_back({kept[i].c_str(), 15, 0, kept[i + 1].c_str(), kept[i].c_str()});
  }
  Check(ProgramOf(rows, GetParam()), GetParam());
}

TEST_P(NaiveTypesTest, BitcastsAgreeWithTheInterpreter) {
  std::vector<std::string> kept;
  const int from = BitWidth(GetParam());
  for (ElementType to : AllElementTypes()) {
    if (!HasCodeGeneration(to)) continue;
    const int bits = BitWidth(to);
    if (bits > from) {  // the vectors as groups of what is one element
      const int parts = bits / from;
      if (kCount % parts != 0) continue;
      const std::string groups = absl::StrCat("tensor<", kCount / parts, "x", parts, "x$T>");
      kept.push_back(absl::StrCat("tensor<", kCount / parts, "x", Name(to), ">"));
      kept.push_back(absl::StrCat("stablehlo.reshape %a : ($V) -> ", groups,
                                  "\n%r = stablehlo.bitcast_convert %r_ : (", groups, ") -> ",
                                  kept.back()));
    } else {
      kept.push_back(absl::StrCat("tensor<64x",
                                  bits < from ? absl::StrCat(from / bits, "x") : std::string(),
                                  Name(to), ">"));
      kept.push_back(absl::StrCat("stablehlo.bitcast_convert %a : ($V) -> ", kept.back()));
    }
  }
  std::vector<Row> rows;
  for (size_t i = 0; i < kept.size(); i += 2) {
    rows.push_back({kept[i].c_str(), 15, 0, kept[i + 1].c_str(), kept[i].c_str()});
  }
  Check(ProgramOf(rows, GetParam()), GetParam());
}

std::vector<ElementType> Supported() {
  std::vector<ElementType> types;
  for (ElementType type : AllElementTypes()) {
    if (HasCodeGeneration(type)) types.push_back(type);
  }
  return types;
}

INSTANTIATE_TEST_SUITE_P(Types, NaiveTypesTest, ::testing::ValuesIn(Supported()),
                         [](const auto& info) { return Name(info.param); });

}  // namespace
}  // namespace quern
