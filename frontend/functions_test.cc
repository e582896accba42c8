#include "frontend/functions.h"

#include <cfloat>
#include <random>

#include "frontend/special.h"
#include "gtest/gtest.h"

namespace quern::frontend {

static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
static constexpr double kInf = std::numeric_limits<double>::infinity();

static void ExpectNear(double actual, double expected, double relative) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(actual)) << actual;
  } else if (std::isinf(expected)) {
    EXPECT_EQ(actual, expected);
  } else {
    EXPECT_NEAR(actual, expected, std::fabs(expected) * relative + DBL_MIN);
  }
}

// Values of mpmath with 30 digits.
TEST(SpecialTest, KnownValues) {
  ExpectNear(DigammaOf(1), -0.57721566490153286, 1e-14);
  ExpectNear(DigammaOf(0.5), -1.9635100260214235, 1e-14);
  ExpectNear(DigammaOf(-0.5), 0.036489973978576520, 1e-12);
  ExpectNear(DigammaOf(100), 4.6001618527380874, 1e-14);
  ExpectNear(DigammaOf(0), kNan, 0);
  ExpectNear(DigammaOf(-3), kNan, 0);
  ExpectNear(InverseErf(0.5), 0.47693627620446987, 1e-14);
  ExpectNear(InverseErf(-0.9), -1.1630871536766741, 1e-14);
  ExpectNear(InverseErf(1e-10), 8.8622692545275801e-11, 1e-14);
  ExpectNear(InverseErf(1), kInf, 0);
  ExpectNear(InverseErf(-1), -kInf, 0);
  ExpectNear(InverseErf(1.1), kNan, 0);
  ExpectNear(LogOfGamma(10), 12.801827480081469, 1e-14);
  ExpectNear(LogOfGamma(-2), kInf, 0);
  ExpectNear(HurwitzZeta(2, 1), 1.6449340668482264, 1e-14);
  ExpectNear(HurwitzZeta(3, 0.25), 64.663869968768466, 1e-14);  // 28 zeta(3) + pi cubed
  ExpectNear(HurwitzZeta(1, 3), kInf, 0);
  ExpectNear(HurwitzZeta(2, -1), kInf, 0);
  ExpectNear(HurwitzZeta(3, -1), kNan, 0);
  ExpectNear(HurwitzZeta(0.5, 1), kNan, 0);
  ExpectNear(PolygammaOf(0, 1), -0.57721566490153286, 1e-14);
  ExpectNear(PolygammaOf(1, 1), 1.6449340668482264, 1e-14);
  ExpectNear(PolygammaOf(2, 1), -2.4041138063191886, 1e-14);
  ExpectNear(PolygammaOf(1.5, 1), kNan, 0);
  ExpectNear(ScaledBesselI1(1), 0.20791041534970844, 1e-14);
  ExpectNear(ScaledBesselI1(-1), -0.20791041534970844, 1e-14);
  ExpectNear(ScaledBesselI1(0), 0, 0);
}

// Identities that hold for every argument.
TEST(SpecialTest, FunctionalEquations) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 2000; ++i) {
    const double x = unit(random) * 40 + 0.01, y = 2 * unit(random) - 1;
    EXPECT_NEAR(DigammaOf(x + 1), DigammaOf(x) + 1 / x, 1e-12 * (1 + 1 / x));
    ExpectNear(std::erf(InverseErf(y)), y, 1e-13);
    const double tail = std::exp(-unit(random) * 30);
    if (1 - (1 - tail) == tail) ExpectNear(std::erfc(InverseErf(1 - tail)), tail, 1e-11);
    const double s = 1.1 + unit(random) * 10;
    const double zeta = HurwitzZeta(s, x);
    EXPECT_NEAR(zeta, HurwitzZeta(s, x + 1) + std::pow(x, -s), 1e-10 * zeta);
    // Both series of the Bessel function, where one hands over to the other.
    const double z = 29.5 + unit(random);
    const double slope = (ScaledBesselI1(z + 1e-6) - ScaledBesselI1(z - 1e-6)) / 2e-6;
    EXPECT_NEAR(slope, -ScaledBesselI1(z) / (2 * z), 1e-4);
  }
}

// One rounding: the result is the neighbour of the exact value that is nearest.
TEST(FunctionTest, NarrowTypesRoundOnce) {
  const ElementType type = ElementType::kBF16;
  Tensor operand = Tensor::Create({.element = type, .shape = {65536}}).value();
  for (int i = 0; i < 65536; ++i) operand.as<uint16_t>()[i] = static_cast<uint16_t>(i);
  Tensor result = operand.Clone();
  const std::byte* operands[] = {operand.data()};
  auto check = [&](const Elementwise& run, long double (*function)(long double)) {
    run(operands, result.data(), 65536);
    for (int i = 0; i < 65536; ++i) {
      const double x = operand.At(i), actual = result.At(i);
      const auto exact = static_cast<double>(function(x));
      if (std::isnan(exact)) {
        ASSERT_TRUE(std::isnan(actual)) << x;
        continue;
      }
      ASSERT_EQ(actual, DecodeSmall(kSmallFloat<ElementType::kBF16>,
                                    EncodeSmall(kSmallFloat<ElementType::kBF16>, exact)))
          << x;
    }
  };
  check(FindLoop<Exponential, 1>(type), [](long double x) { return std::exp(x); });
  check(FindLoop<Log, 1>(type), [](long double x) { return std::log(x); });
  check(FindLoop<HyperbolicTangent, 1>(type), [](long double x) { return std::tanh(x); });
  check(FindLoop<SquareRoot, 1>(type), [](long double x) { return std::sqrt(x); });
  check(FindLoop<CubeRoot, 1>(type), [](long double x) { return std::cbrt(x); });
  check(FindLoop<RoundToEven, 1>(type), [](long double x) { return std::rint(x); });
  check(FindLoop<RoundAwayFromZero, 1>(type), [](long double x) { return std::round(x); });
  check(FindLoop<Erf, 1>(type), [](long double x) { return std::erf(x); });
}

TEST(FunctionTest, ComplexNumbersNearZeroKeepTheirDigits) {
  using Long = std::complex<long double>;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int i = 0; i < 2000; ++i) {
    const double size = std::exp2(-20 * std::fabs(unit(random)));
    const C128 z(unit(random) * size, unit(random) * size);
    const C128 exp = ComplexExpm1(z), log = ComplexLog1p(z);
    const Long wide_exp = std::exp(Long(z)) - 1.0L, wide_log = std::log(1.0L + Long(z));
    EXPECT_NEAR(std::abs(Long(exp) - wide_exp) / std::abs(wide_exp), 0, 1e-10) << z;
    EXPECT_NEAR(std::abs(Long(log) - wide_log) / std::abs(wide_log), 0, 1e-10) << z;
  }
}

TEST(FunctionTest, PowersOfIntegersWrap) {
  EXPECT_EQ(Power()(int8_t{2}, int8_t{7}), int8_t{-128});
  EXPECT_EQ(Power()(uint8_t{3}, uint8_t{200}), static_cast<uint8_t>(0xa1));
  EXPECT_EQ(Power()(int64_t{-1}, int64_t{-3}), -1);
  EXPECT_EQ(Power()(int64_t{2}, int64_t{-1}), 0);
  EXPECT_EQ(Power()(uint64_t{2}, uint64_t{63}), uint64_t{1} << 63);
  EXPECT_EQ(Power()(uint64_t{2}, ~uint64_t{0}), 0u);
}

}  // namespace quern::frontend
