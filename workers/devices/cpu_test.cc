#include "workers/devices/cpu.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern::workers {
namespace {

TEST(Cpu, DetectsThisMachine) {
  const Cpu cpu = DetectCpu();
  EXPECT_FALSE(cpu.usable.empty());
  const double tsc_hz = MeasureTscHz();
  EXPECT_GT(tsc_hz, 1e8);
  EXPECT_LT(tsc_hz, 1e10);
  EXPECT_GE(cpu.llc_bytes, cpu.l2_bytes);
  EXPECT_THAT(cpu.kernel, testing::StartsWith("Linux "));
  EXPECT_EQ(cpu.Fingerprint(), DetectCpu().Fingerprint());
}

TEST(Cpu, FingerprintTellsCachesApart) {
  const Cpu small{
      .model = "A, B", .l1d_bytes = 32 << 10, .l2_bytes = 512 << 10, .llc_bytes = 32 << 20};
  Cpu large = small;
  large.llc_bytes = 64 << 20;
  EXPECT_NE(small.Fingerprint(), large.Fingerprint());
  EXPECT_THAT(small.Fingerprint(), testing::Not(testing::HasSubstr(",")));
}

}  // namespace
}  // namespace quern::workers
