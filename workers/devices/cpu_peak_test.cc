#include "workers/devices/cpu_peak.h"

#include <cmath>

#include "gtest/gtest.h"
#include "workers/devices/cpu.h"

namespace quern::workers {

// Rates of any machine that LLVM runs on; a loop that was optimised away would be far above.
TEST(CpuPeakTest, RatesArePlausible) {
  const std::vector<int> cpus = DetectCpu().usable;
  for (int64_t bytes : {int64_t{0}, int64_t{16} << 10, int64_t{64} << 20}) {
    const CpuPeak peak = MeasureCpuPeak({cpus.front()}, bytes);
    EXPECT_GT(peak.flops_per_second, 1e8);
    EXPECT_LT(peak.flops_per_second, 2e12);
    EXPECT_GT(peak.bytes_per_second, 1e8);
    EXPECT_LT(peak.bytes_per_second, 5e12);
  }
}

TEST(CpuPeakTest, RooflineIsTheSlowerSide) {
  const CpuPeak peak{.flops_per_second = 1e9, .bytes_per_second = 2e9};
  EXPECT_EQ(peak.RooflineNs(1000, 10), 1000);
  EXPECT_EQ(peak.RooflineNs(10, 1000), 500);
  EXPECT_EQ(CpuPeak().RooflineNs(10, 1000), 0);
}

}  // namespace quern::workers
