#include "workers/devices/cpu_peak.h"

#include <immintrin.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace quern::workers {

using Clock = std::chrono::steady_clock;

static constexpr int kChains = 12;  // latency 4 to 5 times two units, and a few to spare

typedef float F32x4 __attribute__((vector_size(16)));
typedef float F32x8 __attribute__((vector_size(32)));
typedef float F32x16 __attribute__((vector_size(64)));

static volatile float opaque = 0.5f;  // keeps the compiler from computing anything ahead
static volatile float sink;

// Floating-point operations done by `rounds` of the loop.
template <typename Vector, bool kFused>
[[gnu::always_inline]] static inline double Multiply(int64_t rounds) {
  const Vector factor = Vector{} + opaque;
  Vector sums[kChains];
#pragma clang loop unroll(full)
  for (int k = 0; k < kChains; ++k) sums[k] = factor * static_cast<float>(k);
  for (int64_t i = 0; i < rounds; ++i) {
#pragma clang loop unroll(full)
    for (int k = 0; k < kChains; ++k) {
      if constexpr (kFused) {
        sums[k] = __builtin_elementwise_fma(sums[k], factor, factor);
      } else {
        sums[k] = sums[k] * factor + factor;
      }
    }
  }
  Vector sum = {};
#pragma clang loop unroll(full)
  for (int k = 0; k < kChains; ++k) sum += sums[k];
  sink = sum[0];
  return 2.0 * kChains * static_cast<double>(rounds) * sizeof(Vector) / sizeof(float);
}

[[gnu::target("avx512f")]] static double Multiply512(int64_t rounds) {
  return Multiply<F32x16, true>(rounds);
}
[[gnu::target("avx2,fma")]] static double Multiply256(int64_t rounds) {
  return Multiply<F32x8, true>(rounds);
}
static double Multiply128(int64_t rounds) { return Multiply<F32x4, false>(rounds); }

// Reads 16-byte lanes; eight chains keep enough loads in flight.
static double Read(const std::vector<__m128i>& data) {
  __m128i sums[8] = {};
  for (size_t i = 0; i + 8 <= data.size(); i += 8) {
    for (size_t k = 0; k < 8; ++k) sums[k] = _mm_xor_si128(sums[k], data[i + k]);
  }
  for (__m128i& sum : sums) asm volatile("" : "+x"(sum));
  return static_cast<double>(data.size() * sizeof(__m128i));
}

[[gnu::target("avx2")]] static double Read256(const std::vector<__m128i>& data) {
  __m256i sums[8] = {};
  const auto* wide = reinterpret_cast<const __m256i*>(data.data());
  const size_t count = data.size() / 2;
  for (size_t i = 0; i + 8 <= count; i += 8) {
#pragma clang loop unroll(full)
    for (size_t k = 0; k < 8; ++k)
      sums[k] = _mm256_xor_si256(sums[k], _mm256_loadu_si256(wide + i + k));
  }
  for (__m256i& sum : sums) asm volatile("" : "+x"(sum));
  return static_cast<double>(data.size() * sizeof(__m128i));
}

// The best rate, in units a second, of some stretches of repeated work().
template <typename Work>
static double BestRate(Work work) {
  constexpr int kStretches = 8;
  constexpr auto kLong = std::chrono::milliseconds(3);
  double best = 0;
  for (int stretch = 0; stretch < kStretches; ++stretch) {
    double done = 0;
    const Clock::time_point start = Clock::now();
    Clock::time_point now = start;
    while (now - start < kLong) {
      done += work();
      now = Clock::now();
    }
    best = std::max(best, done / std::chrono::duration<double>(now - start).count());
  }
  return best;
}

static CpuPeak MeasureHere(int cpu, int64_t bytes, std::atomic<int>& waiting) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
  const std::vector<__m128i> data(std::max<int64_t>(bytes / sizeof(__m128i), 1024), __m128i{});
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  auto multiply = __builtin_cpu_supports("avx512f") ? Multiply512
                  : avx2                            ? Multiply256
                                                    : Multiply128;
  auto read = avx2 ? Read256 : Read;
  for (--waiting; waiting > 0;) std::this_thread::yield();
  CpuPeak peak;
  peak.flops_per_second = BestRate([&] { return multiply(10'000); });
  peak.bytes_per_second = BestRate([&] { return read(data); });
  return peak;
}

double CpuPeak::RooflineNs(double flops, double bytes) const {
  const double computing = flops_per_second > 0 ? flops / flops_per_second : 0;
  const double reading = bytes_per_second > 0 ? bytes / bytes_per_second : 0;
  return 1e9 * std::max(computing, reading);
}

CpuPeak MeasureCpuPeak(const std::vector<int>& cpus, int64_t working_set_bytes) {
  constexpr int64_t kMost = int64_t{256} << 20;  // farther from any cache it gets no slower
  const int64_t count = static_cast<int64_t>(cpus.size());
  const int64_t share = std::min(working_set_bytes, kMost) / std::max<int64_t>(count, 1);
  std::vector<CpuPeak> peaks(cpus.size());
  std::vector<std::thread> threads;
  std::atomic<int> waiting = static_cast<int>(cpus.size());
  for (size_t i = 0; i < cpus.size(); ++i) {
    threads.emplace_back([&, i] { peaks[i] = MeasureHere(cpus[i], share, waiting); });
  }
  for (std::thread& thread : threads) thread.join();
  CpuPeak sum;
  for (const CpuPeak& peak : peaks) {
    sum.flops_per_second += peak.flops_per_second;
    sum.bytes_per_second += peak.bytes_per_second;
  }
  return sum;
}

}  // namespace quern::workers
