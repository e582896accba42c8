#include "mathlib/mathlib.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>

#include "gtest/gtest.h"

namespace quern::mathlib {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

double Reference(std::string_view name, double x, double y) {
  static const auto& functions = *new std::map<std::string_view, double (*)(double)>{
      {"exp", std::exp}, {"exp2", std::exp2},   {"expm1", std::expm1},
      {"log", std::log}, {"log1p", std::log1p}, {"tanh", std::tanh},
      {"erf", std::erf}, {"sin", std::sin},     {"cos", std::cos}};
  return name == "pow" ? std::pow(x, y) : functions.at(name)(x);
}

float Evaluate(const Contract& contract, float x, float y = 0) {
  const float arguments[] = {x, y};
  return contract.evaluate(arguments);
}

float Evaluate(std::string_view name, float x, float y = 0) {
  return Evaluate(*FindContract("quern_" + std::string(name) + "_f32"), x, y);
}

// In units in the last place of the exact result; of an overflow, as if exponents went on.
double Error(float actual, double exact) {
  const float rounded = static_cast<float>(exact);
  if (std::isnan(exact)) return std::isnan(actual) ? 0 : HUGE_VAL;
  if (std::isinf(exact) || actual == rounded) return actual == rounded ? 0 : HUGE_VAL;
  const int exponent = std::max(std::ilogb(exact), -126);
  const double value = std::isinf(actual) ? std::copysign(0x1p128, actual) : actual;
  return std::fabs(value - exact) / std::ldexp(1.0, exponent - 23);
}

struct Worst {
  double error = 0;
  float x = 0, y = 0;
};

void Measure(const Contract& contract, float x, float y, Worst& worst) {
  const float actual = Evaluate(contract, x, y);
  const double error = Error(actual, Reference(contract.name, x, y));
  if (!(error <= worst.error)) worst = {error, x, y};
  if (std::isnan(actual)) return;
  EXPECT_TRUE(actual >= contract.low && actual <= contract.high)
      << contract.name << "(" << x << ") = " << actual;
}

TEST(MathlibTest, UnaryFunctionsKeepTheirContractOnSamplesOfAllExponents) {
  for (const Contract& contract : Contracts()) {
    if (contract.arguments != 1) continue;
    Worst worst;
    for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 4093) {
      Measure(contract, std::bit_cast<float>(static_cast<uint32_t>(bits)), 0, worst);
    }
    float last = -kInf;
    for (float x = -20; x < 20; x += 0x1p-12f) {
      Measure(contract, x, 0, worst);
      const float y = Evaluate(contract, x);
      if (contract.order > 0) EXPECT_FALSE(y < last) << contract.name << "(" << x << ")";
      last = y;
    }
    EXPECT_LE(worst.error, contract.ulp) << contract.name << " at " << std::hexfloat << worst.x
                                         << std::defaultfloat << " " << worst.x;
    RecordProperty(std::string(contract.name), std::to_string(worst.error));
  }
}

TEST(MathlibTest, ThePowerKeepsItsContractOnSamples) {
  const Contract& pow = *FindContract("quern_pow_f32");
  std::mt19937 random(7);
  Worst worst;
  for (int i = 0; i < 1'000'000; ++i) {
    Measure(pow, std::bit_cast<float>(static_cast<uint32_t>(random())),
            std::bit_cast<float>(static_cast<uint32_t>(random())), worst);
  }
  std::uniform_real_distribution<float> exponent(-160, 160), logarithm(-20, 20);
  for (int i = 0; i < 1'000'000; ++i) {
    const float x = std::exp2(logarithm(random));
    Measure(pow, x, exponent(random) / std::log2(x), worst);
    Measure(pow, -x, std::rint(exponent(random)), worst);
  }
  EXPECT_LE(worst.error, pow.ulp) << worst.x << " " << worst.y;
}

TEST(MathlibTest, SpecialPointsAreThoseOfC) {
  for (const Contract& contract : Contracts()) {
    for (float x : {0.0f,
                    -0.0f,
                    1.0f,
                    -1.0f,
                    kInf,
                    -kInf,
                    kNaN,
                    0x1p-149f,
                    -0x1p-149f,
                    0x1p-126f,
                    std::numeric_limits<float>::max(),
                    std::numeric_limits<float>::lowest(),
                    0.5f,
                    2.0f,
                    3.0f,
                    -2.0f,
                    -3.0f,
                    -2.5f,
                    0x1p23f,
                    -0x1p23f,
                    0x1.fffffep23f}) {
      for (float y : {0.0f, -0.0f, 1.0f, -1.0f, kInf, -kInf, kNaN, 0.5f, -0.5f, 2.0f, 3.0f, -3.0f,
                      0x1p24f, 0x1.fffffep23f, -0x1.fffffep23f, 1e30f}) {
        const double exact = Reference(contract.name, x, y);
        const float actual = Evaluate(contract, x, y);
        EXPECT_LE(Error(actual, exact), contract.ulp)
            << contract.name << "(" << x << ", " << y << ")";
        if (actual == 0 && static_cast<float>(exact) == 0) {
          EXPECT_EQ(std::signbit(actual), std::signbit(exact)) << contract.name << "(" << x << ")";
        }
        if (contract.arguments == 1) break;
      }
    }
  }
  EXPECT_EQ(Evaluate("exp", 0), 1);
  EXPECT_EQ(Evaluate("exp", -kInf), 0);
  EXPECT_EQ(Evaluate("exp2", 10), 1024);
  EXPECT_EQ(Evaluate("log", 1), 0);
  EXPECT_EQ(Evaluate("cos", 0), 1);
}

TEST(MathlibTest, AnglesNearMultiplesOfARightAngleAreReduced) {
  const Contract& sin = *FindContract("quern_sin_f32");
  const Contract& cos = *FindContract("quern_cos_f32");
  Worst worst;
  for (double k = 1; k < 0x1p80; k = std::floor(k * 1.01) + 1) {
    const float x = static_cast<float>(k * 0x1.921fb54442d18p0);
    Measure(sin, x, 0, worst);
    Measure(cos, x, 0, worst);
  }
  EXPECT_LE(worst.error, sin.ulp) << worst.x;
}

TEST(MathlibTest, SymbolsNameAFunctionAndItsLanes) {
  EXPECT_EQ(ParseSymbol("quern_exp_f32")->contract->name, "exp");
  EXPECT_EQ(ParseSymbol("quern_exp_f32")->lanes, 1);
  EXPECT_EQ(ParseSymbol("quern_exp2_f32x16")->contract->name, "exp2");
  EXPECT_EQ(ParseSymbol("quern_exp2_f32x16")->lanes, 16);
  EXPECT_EQ(SymbolOf(*FindContract("quern_pow_f32"), 4), "quern_pow_f32x4");
  for (const char* symbol : {"quern_exp_f32x", "quern_exp_f32x1", "quern_exp_f32x08", "expf",
                             "quern_exp_f32x8x8", "quern_exp_f32x-8", "quern_exp_f64", "x8", ""}) {
    EXPECT_FALSE(ParseSymbol(symbol).has_value()) << symbol;
  }
}

}  // namespace
}  // namespace quern::mathlib
