// Arithmetic and conversions against LLVM's arbitrary-precision numbers: over all operands of 8-bit
// types, over a sample of wider ones.
#include "frontend/elements.h"

#include <map>
#include <random>

#include "absl/strings/str_cat.h"
#include "frontend/arithmetic.h"
#include "gtest/gtest.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"

namespace quern::frontend {

using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;

static const llvm::fltSemantics& SemanticsOf(ElementType type) {
  static const std::map<ElementType, const llvm::fltSemantics*> all = {
      {ElementType::kF64, &APFloat::IEEEdouble()},
      {ElementType::kF32, &APFloat::IEEEsingle()},
      {ElementType::kF16, &APFloat::IEEEhalf()},
      {ElementType::kBF16, &APFloat::BFloat()},
      {ElementType::kF8E3M4, &APFloat::Float8E3M4()},
      {ElementType::kF8E4M3, &APFloat::Float8E4M3()},
      {ElementType::kF8E4M3FN, &APFloat::Float8E4M3FN()},
      {ElementType::kF8E4M3FNUZ, &APFloat::Float8E4M3FNUZ()},
      {ElementType::kF8E4M3B11FNUZ, &APFloat::Float8E4M3B11FNUZ()},
      {ElementType::kF8E5M2, &APFloat::Float8E5M2()},
      {ElementType::kF8E5M2FNUZ, &APFloat::Float8E5M2FNUZ()},
      {ElementType::kF8E8M0FNU, &APFloat::Float8E8M0FNU()}};
  return *all.at(type);
}

static std::vector<ElementType> TypesOf(std::initializer_list<ElementKind> kinds) {
  std::vector<ElementType> types;
  for (ElementType type : AllElementTypes()) {
    if (std::find(kinds.begin(), kinds.end(), KindOf(type)) != kinds.end()) types.push_back(type);
  }
  return types;
}

// An element's bits, above them zeros.
static uint64_t Get(const Tensor& tensor, int64_t index) {
  uint64_t bits = 0;
  const int64_t size = ByteSize(tensor.type().element);
  std::memcpy(&bits, tensor.data() + index * size, size);
  return bits & (~uint64_t{0} >> (64 - BitWidth(tensor.type().element)));
}

static void Put(Tensor& tensor, int64_t index, uint64_t bits) {
  if (tensor.type().element == ElementType::kI4 && (bits & 8)) bits |= 0xf0;
  const int64_t size = ByteSize(tensor.type().element);
  std::memcpy(tensor.data() + index * size, &bits, size);
}

// All bit patterns of a type of up to 16 bits. Of a wider one random patterns, and for floats also
// numbers that narrower formats hold, their neighbours and the middles between.
static std::vector<uint64_t> Patterns(ElementType type) {
  std::vector<uint64_t> patterns;
  const int width = BitWidth(type);
  if (width <= 16) {
    for (uint64_t bits = 0; bits < uint64_t{1} << width; ++bits) patterns.push_back(bits);
    return patterns;
  }
  std::mt19937_64 random(width);
  const uint64_t mask = ~uint64_t{0} >> (64 - width);
  for (int i = 0; i < 2000; ++i) patterns.push_back(random() >> random() % 64 & mask);
  for (uint64_t edge : {uint64_t{0}, uint64_t{1}, mask, mask >> 1, (mask >> 1) + 1})
    patterns.push_back(edge);
  if (!IsFloat(type)) {
    for (int i = 0; i < 2000; ++i) {  // near ties of narrower floats
      const int shift = static_cast<int>(random() % width);
      patterns.push_back(((random() % 4096 << shift) + random() % 3 - 1) & mask);
    }
    return patterns;
  }
  for (int i = 0; i < 20000; ++i) {
    const ElementType narrow = TypesOf({ElementKind::kFloat})[random() % 12];
    if (BitWidth(narrow) > 16) continue;
    auto number = [&] {
      APFloat x(SemanticsOf(narrow),
                APInt(BitWidth(narrow), random() & (BitWidth(narrow) == 8 ? 0xff : 0xffff)));
      bool lost = false;
      x.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
      return x.convertToDouble();
    };
    const double a = number(), ulp = std::fabs(a) / (1 << random() % 12);
    const double b = a + ulp / 2 * (random() % 3);
    const double near = random() % 2 ? b : std::nextafter(b, random() % 2 ? 1e300 : -1e300);
    patterns.push_back(type == ElementType::kF32 ? std::bit_cast<uint32_t>(static_cast<float>(near))
                                                 : std::bit_cast<uint64_t>(near));
  }
  return patterns;
}

static Tensor Make(ElementType type, const std::vector<uint64_t>& patterns) {
  Tensor tensor =
      Tensor::Create({.element = type, .shape = {static_cast<int64_t>(patterns.size())}}).value();
  for (size_t i = 0; i < patterns.size(); ++i) Put(tensor, i, patterns[i]);
  return tensor;
}

// What an element is converted to, by LLVM.
static uint64_t Expected(ElementType from, ElementType to, uint64_t bits) {
  const bool is_signed = KindOf(from) == ElementKind::kSigned;
  const APSInt integer(APInt(BitWidth(from), bits), !is_signed);
  bool lost = false;
  if (IsFloat(from)) {
    APFloat x(SemanticsOf(from), APInt(BitWidth(from), bits));
    if (to == ElementType::kBool) return x.isZero() ? 0 : 1;
    if (IsFloat(to)) {
      if (x.isNaN()) return APFloat::getNaN(SemanticsOf(to)).bitcastToAPInt().getZExtValue();
      x.convert(SemanticsOf(to), APFloat::rmNearestTiesToEven, &lost);
      return x.bitcastToAPInt().getZExtValue();
    }
    APSInt result(BitWidth(to), KindOf(to) == ElementKind::kUnsigned);
    x.convertToInteger(result, APFloat::rmTowardZero, &lost);
    return result.getZExtValue();
  }
  if (to == ElementType::kBool) return integer.isZero() ? 0 : 1;
  if (IsFloat(to)) {
    APFloat x(SemanticsOf(to));
    x.convertFromAPInt(integer, is_signed, APFloat::rmNearestTiesToEven);
    return x.bitcastToAPInt().getZExtValue();
  }
  return integer.extOrTrunc(BitWidth(to)).getZExtValue();
}

static bool IsNan(ElementType type, uint64_t bits) {
  return IsFloat(type) && APFloat(SemanticsOf(type), APInt(BitWidth(type), bits)).isNaN();
}

// Powers of two alone: LLVM 22 is unsure about negative numbers and zero there.
static bool IsOddFormat(ElementType type) { return type == ElementType::kF8E8M0FNU; }

TEST(ConversionTest, AgreesWithLlvmOnAllPairsOfRealTypes) {
  const auto types = TypesOf(
      {ElementKind::kFloat, ElementKind::kSigned, ElementKind::kUnsigned, ElementKind::kBool});
  for (ElementType from : types) {
    const std::vector<uint64_t> patterns = Patterns(from);
    const Tensor operand = Make(from, patterns);
    for (ElementType to : types) {
      if (IsOddFormat(to)) continue;
      Tensor result = Convert(operand.Clone(), to).value();
      int failures = 0;
      for (size_t i = 0; i < patterns.size() && failures < 3; ++i) {
        const uint64_t expected = Expected(from, to, patterns[i]), actual = Get(result, i);
        if (actual == expected || (IsNan(to, actual) && IsNan(to, expected))) continue;
        ++failures;
        ADD_FAILURE() << Name(from) << " " << std::hex << patterns[i] << " to " << Name(to) << ": "
                      << actual << " instead of " << expected;
      }
    }
  }
}

TEST(ConversionTest, ComplexNumbersKeepOrGainAPart) {
  Tensor complex = Tensor::Create({.element = ElementType::kComplexF32, .shape = {2}}).value();
  complex.as<std::complex<float>>()[0] = {1.5f, 2};
  complex.as<std::complex<float>>()[1] = {0, -1};
  EXPECT_EQ(Convert(complex.Clone(), ElementType::kI8)->At(0), 1);
  EXPECT_EQ(Convert(complex.Clone(), ElementType::kF16)->At(0), 1.5);
  EXPECT_EQ(Convert(complex.Clone(), ElementType::kBool)->At(1), 1);  // not zero
  EXPECT_EQ(Convert(complex.Clone(), ElementType::kComplexF64)->ComplexAt(0),
            std::complex<double>(1.5, 2));
  Tensor real = Tensor::Create({.element = ElementType::kBF16, .shape = {1}}).value();
  real.Set(0, -3);
  EXPECT_EQ(Convert(std::move(real), ElementType::kComplexF64)->ComplexAt(0),
            std::complex<double>(-3, 0));
}

// All pairs of patterns of up to 8 bits; of wider types a sample.
static std::vector<std::pair<uint64_t, uint64_t>> Pairs(ElementType type) {
  const std::vector<uint64_t> patterns = Patterns(type);
  std::vector<std::pair<uint64_t, uint64_t>> pairs;
  if (BitWidth(type) <= 8) {
    for (uint64_t a : patterns) {
      for (uint64_t b : patterns) pairs.emplace_back(a, b);
    }
    return pairs;
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 50000; ++i) {
    const uint64_t a = patterns[random() % patterns.size()];
    const uint64_t near = a + random() % 1024;  // cancels
    const bool close = random() % 4 == 0 && BitWidth(type) == 16;
    pairs.emplace_back(a, close ? near & 0xffff : patterns[random() % patterns.size()]);
  }
  return pairs;
}

template <typename Function, typename Reference>
static void CheckBinary(ElementType type, const char* name, Reference reference) {
  const auto pairs = Pairs(type);
  std::vector<uint64_t> left, right;
  for (auto [a, b] : pairs) {
    left.push_back(a);
    right.push_back(b);
  }
  const Tensor lhs = Make(type, left), rhs = Make(type, right);
  Tensor result = Make(type, left);
  const Elementwise run = FindLoop<Function, 2>(type);
  ASSERT_TRUE(run != nullptr) << name << " " << Name(type);
  const std::byte* operands[] = {lhs.data(), rhs.data()};
  run(operands, result.data(), pairs.size());
  int failures = 0;
  for (size_t i = 0; i < pairs.size() && failures < 3; ++i) {
    const uint64_t expected = reference(left[i], right[i]), actual = Get(result, i);
    if (actual == expected || (IsNan(type, actual) && IsNan(type, expected))) continue;
    ++failures;
    ADD_FAILURE() << Name(type) << ": " << name << std::hex << " of " << left[i] << " and "
                  << right[i] << " is " << actual << " instead of " << expected;
  }
}

TEST(ArithmeticTest, FloatsRoundOnceInTheirType) {
  for (ElementType type : TypesOf({ElementKind::kFloat})) {
    if (IsOddFormat(type)) continue;
    auto check = [&]<typename Function>(Function, const char* name, auto apply) {
      CheckBinary<Function>(type, name, [&](uint64_t a, uint64_t b) {
        APFloat x(SemanticsOf(type), APInt(BitWidth(type), a));
        const APFloat y(SemanticsOf(type), APInt(BitWidth(type), b));
        apply(x, y);
        return x.bitcastToAPInt().getZExtValue();
      });
    };
    constexpr auto kEven = APFloat::rmNearestTiesToEven;
    check(Add(), "add", [](APFloat& x, const APFloat& y) { x.add(y, kEven); });
    check(Subtract(), "subtract", [](APFloat& x, const APFloat& y) { x.subtract(y, kEven); });
    check(Multiply(), "multiply", [](APFloat& x, const APFloat& y) { x.multiply(y, kEven); });
    check(Divide(), "divide", [](APFloat& x, const APFloat& y) { x.divide(y, kEven); });
    check(Remainder(), "remainder", [](APFloat& x, const APFloat& y) { x.mod(y); });
    check(Maximum(), "maximum", [](APFloat& x, const APFloat& y) { x = llvm::maximum(x, y); });
    check(Minimum(), "minimum", [](APFloat& x, const APFloat& y) { x = llvm::minimum(x, y); });
  }
}

TEST(ArithmeticTest, IntegersWrapInTheirWidth) {
  for (ElementType type : TypesOf({ElementKind::kSigned, ElementKind::kUnsigned})) {
    const int width = BitWidth(type);
    const bool is_signed = KindOf(type) == ElementKind::kSigned;
    auto check = [&]<typename Function>(Function, const char* name, auto apply) {
      CheckBinary<Function>(type, name, [&](uint64_t a, uint64_t b) {
        const APInt result = apply(APInt(width, a), APInt(width, b));
        return result.getZExtValue();
      });
    };
    check(Add(), "add", [](APInt a, APInt b) { return a + b; });
    check(Subtract(), "subtract", [](APInt a, APInt b) { return a - b; });
    check(Multiply(), "multiply", [](APInt a, APInt b) { return a * b; });
    check(And(), "and", [](APInt a, APInt b) { return a & b; });
    check(Or(), "or", [](APInt a, APInt b) { return a | b; });
    check(Xor(), "xor", [](APInt a, APInt b) { return a ^ b; });
    check(ShiftLeft(), "shift_left", [](APInt a, APInt b) { return a.shl(b); });
    check(ShiftRightLogical(), "shift_right_logical", [](APInt a, APInt b) { return a.lshr(b); });
    check(ShiftRightArithmetic(), "shift_right_arithmetic",
          [](APInt a, APInt b) { return a.ashr(b); });
    check(Divide(), "divide", [&](APInt a, APInt b) {
      if (b.isZero()) return APInt::getAllOnes(width);
      return is_signed ? a.sdiv(b) : a.udiv(b);
    });
    check(Remainder(), "remainder", [&](APInt a, APInt b) {
      if (b.isZero()) return a;
      return is_signed ? a.srem(b) : a.urem(b);
    });
    check(Maximum(), "maximum",
          [&](APInt a, APInt b) { return (is_signed ? a.sgt(b) : a.ugt(b)) ? a : b; });
    check(MultiplyHigh(), "mulhi", [&](APInt a, APInt b) {
      const int wide = 2 * width;
      const APInt product = is_signed ? a.sext(wide) * b.sext(wide) : a.zext(wide) * b.zext(wide);
      return product.lshr(width).trunc(width);
    });
  }
}

TEST(ArithmeticTest, BitsAreCountedInTheWidth) {
  for (ElementType type : TypesOf({ElementKind::kSigned, ElementKind::kUnsigned})) {
    const std::vector<uint64_t> patterns = Patterns(type);
    const Tensor operand = Make(type, patterns);
    Tensor ones = Make(type, patterns), zeros = Make(type, patterns),
           flipped = Make(type, patterns);
    const std::byte* operands[] = {operand.data()};
    const int64_t count = operand.type().num_elements();
    FindLoop<PopCount, 1>(type)(operands, ones.data(), count);
    FindLoop<CountLeadingZeros, 1>(type)(operands, zeros.data(), count);
    FindLoop<Not, 1>(type)(operands, flipped.data(), count);
    const int width = BitWidth(type);
    for (int64_t i = 0; i < count; ++i) {
      const APInt x(width, patterns[i]);
      ASSERT_EQ(Get(ones, i), APInt(width, x.popcount()).getZExtValue()) << Name(type);
      ASSERT_EQ(Get(zeros, i), APInt(width, x.countl_zero()).getZExtValue()) << Name(type);
      ASSERT_EQ(Get(flipped, i), (~x).getZExtValue()) << Name(type);
    }
  }
}

TEST(ReducePrecisionTest, AgreesWithRoundingToANarrowFormat) {
  struct Format {
    int exponent, mantissa;
    const llvm::fltSemantics& semantics;
  };
  const Format formats[] = {{5, 10, APFloat::IEEEhalf()},
                            {8, 7, APFloat::BFloat()},
                            {5, 2, APFloat::Float8E5M2()},
                            {4, 3, APFloat::Float8E4M3()}};
  for (ElementType type : {ElementType::kF64, ElementType::kF32}) {
    const std::vector<uint64_t> patterns = Patterns(type);
    const Tensor operand = Make(type, patterns);
    for (const Format& format : formats) {
      Tensor result = Make(type, patterns);
      const std::byte* operands[] = {operand.data()};
      FindReducePrecision(type, format.exponent, format.mantissa)(operands, result.data(),
                                                                  patterns.size());
      for (size_t i = 0; i < patterns.size(); ++i) {
        APFloat x(SemanticsOf(type), APInt(BitWidth(type), patterns[i]));
        const APFloat original = x;
        bool lost = false;
        x.convert(format.semantics, APFloat::rmNearestTiesToEven, &lost);
        // Subnormal results are flushed, which a conversion does not do; same width is not
        // narrowed.
        if (x.isDenormal() || original.isNaN()) continue;
        if (x.isSmallestNormalized()) continue;  // may have been rounded up from a subnormal
        if (BitWidth(type) == 32 && format.exponent == 8 && original.isDenormal()) continue;
        x.convert(SemanticsOf(type), APFloat::rmNearestTiesToEven, &lost);
        ASSERT_EQ(Get(result, i), x.bitcastToAPInt().getZExtValue())
            << Name(type) << " e" << format.exponent << "m" << format.mantissa << std::hex << " of "
            << patterns[i];
      }
    }
  }
}

TEST(ReducePrecisionTest, FlushesAndKeepsSpecialValues) {
  auto reduce = [](double x, int exponent, int mantissa) {
    const auto* operand = reinterpret_cast<const std::byte*>(&x);
    double result = 0;
    FindReducePrecision(ElementType::kF64, exponent, mantissa)(
        &operand, reinterpret_cast<std::byte*>(&result), 1);
    return result;
  };
  EXPECT_EQ(reduce(0x1p-14, 5, 10), 0x1p-14);
  EXPECT_EQ(reduce(0x1p-15, 5, 10), 0);
  EXPECT_TRUE(std::signbit(reduce(-0x1p-15, 5, 10)));
  EXPECT_EQ(reduce(65520, 5, 10), HUGE_VAL);
  EXPECT_EQ(reduce(1.3, 11, 0), 1);
  EXPECT_EQ(reduce(1.5, 11, 0), 2);
  EXPECT_TRUE(std::isnan(reduce(NAN, 5, 2)));
  EXPECT_EQ(reduce(NAN, 5, 0), HUGE_VAL);
  EXPECT_TRUE(FindReducePrecision(ElementType::kF8E4M3FN, 3, 2) == nullptr);
}

}  // namespace quern::frontend
