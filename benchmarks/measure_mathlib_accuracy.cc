// Every float through one function of mathlib, against the C library's in double.
//
// measure_mathlib_accuracy NAME: prints one JSON object: the greatest error in units in the last
// place and where, results outside of the contract's range, steps against its order.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <thread>
#include <vector>

#include "mathlib/functions.h"
#include "mathlib/mathlib.h"
#include "mathlib/scalar.h"

namespace quern::mathlib {

struct Findings {
  double error = 0;
  float at = 0;
  uint64_t outside = 0, falls = 0, nans = 0;
};

// Floats in the order of their values, -inf first; then the NaNs.
static float Nth(uint64_t n) {
  constexpr uint64_t kHalf = uint64_t{0x7f800000} + 1;
  if (n < kHalf) return std::bit_cast<float>(static_cast<uint32_t>(0xff800000 - n));
  if (n < 2 * kHalf) return std::bit_cast<float>(static_cast<uint32_t>(n - kHalf));
  const uint64_t nan = n - 2 * kHalf;
  const bool negative = nan >= 0x7fffff;
  return std::bit_cast<float>(
      static_cast<uint32_t>(negative ? 0xff800001 + (nan - 0x7fffff) : 0x7f800001 + nan));
}

static double Error(float actual, double exact) {
  if (std::isnan(exact)) return std::isnan(actual) ? 0 : HUGE_VAL;
  if (actual == static_cast<float>(exact) && !std::isfinite(actual)) return 0;
  if (std::isinf(exact)) return HUGE_VAL;
  if (std::isnan(actual)) return HUGE_VAL;
  const int exponent = std::clamp(std::ilogb(exact), -126, 127);
  const double value = std::isinf(actual) ? std::copysign(0x1p128, actual) : actual;
  return std::fabs(value - exact) * std::ldexp(1.0, 23 - exponent);
}

template <class Evaluate>
static Findings Sweep(const Contract& contract, double (*exact)(double), Evaluate evaluate,
                      uint64_t first, uint64_t end) {
  Findings findings;
  float last = first == 0 ? -HUGE_VALF : evaluate(Nth(first - 1));
  for (uint64_t n = first; n < end; ++n) {
    const float x = Nth(n);
    const float actual = evaluate(x);
    const double error = Error(actual, exact(x));
    if (error > findings.error) {
      findings.error = error;
      findings.at = x;
    }
    findings.nans += std::isnan(actual);
    findings.outside += !std::isnan(actual) && !(actual >= contract.low && actual <= contract.high);
    findings.falls += actual < last;
    last = actual;
  }
  return findings;
}

template <class Evaluate>
static int Measure(std::string_view name, double (*exact)(double), Evaluate evaluate) {
  const Contract* contract = nullptr;
  for (const Contract& one : Contracts()) {
    if (one.name == name) contract = &one;
  }
  const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Findings> parts(threads);
  std::vector<std::thread> running;
  for (unsigned i = 0; i < threads; ++i) {
    running.emplace_back([&, i] {
      constexpr uint64_t kAll = uint64_t{1} << 32;
      parts[i] = Sweep(*contract, exact, evaluate, kAll * i / threads, kAll * (i + 1) / threads);
    });
  }
  for (std::thread& thread : running) thread.join();
  Findings all;
  for (const Findings& part : parts) {
    if (part.error > all.error) {
      all.error = part.error;
      all.at = part.at;
    }
    all.outside += part.outside;
    all.falls += part.falls;
    all.nans += part.nans;
  }
  const bool holds =
      all.error <= contract->ulp && all.outside == 0 && (contract->order == 0 || all.falls == 0);
  std::printf(
      "{\"name\": \"%s\", \"inputs\": 4294967296, \"max_ulp\": %.6f, \"at\": \"%a\", "
      "\"contract_ulp\": %g, \"outside_range\": %llu, \"falls\": %llu, \"nans\": %llu, "
      "\"holds\": %s}\n",
      contract->name.data(), all.error, all.at, contract->ulp,
      static_cast<unsigned long long>(all.outside), static_cast<unsigned long long>(all.falls),
      static_cast<unsigned long long>(all.nans), holds ? "true" : "false");
  return holds ? 0 : 2;
}

static int Run(std::string_view name) {
#define QUERN_SWEEP(function, member)                    \
  if (name == #function) {                               \
    return Measure(                                      \
        name, [](double x) { return std::function(x); }, \
        [](float x) {                                    \
          Scalar scalar;                                 \
          return Functions<Scalar>(scalar).member(x);    \
        });                                              \
  }
  QUERN_SWEEP(exp, Exp)
  QUERN_SWEEP(exp2, Exp2)
  QUERN_SWEEP(expm1, ExpM1)
  QUERN_SWEEP(log, Log)
  QUERN_SWEEP(log1p, Log1P)
  QUERN_SWEEP(tanh, Tanh)
  QUERN_SWEEP(erf, Erf)
  QUERN_SWEEP(sin, Sin)
  QUERN_SWEEP(cos, Cos)
#undef QUERN_SWEEP
  std::fprintf(stderr, "no unary function of mathlib is called '%s'\n", name.data());
  return 1;
}

}  // namespace quern::mathlib

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: measure_mathlib_accuracy NAME\n");
    return 1;
  }
  return quern::mathlib::Run(argv[1]);
}
