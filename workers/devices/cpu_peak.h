// How fast the CPU can compute and read at best: the two sides of the roofline.
#ifndef QUERN_WORKERS_DEVICES_CPU_PEAK_H_
#define QUERN_WORKERS_DEVICES_CPU_PEAK_H_

#include <cstdint>
#include <vector>

namespace quern::workers {

struct CpuPeak {
  double flops_per_second = 0;  // f32, a fused multiply-add counts two
  double bytes_per_second = 0;  // read from the cache level that holds the working set

  // The least time of a kernel in ns (Williams, Waterman, Patterson, "Roofline", CACM 2009).
  double RooflineNs(double flops, double bytes) const;
};

// Measured by one thread on each of `cpus` at once, with the widest vectors the CPU has, in some
// 60 ms. `working_set_bytes` are shared out among the threads.
CpuPeak MeasureCpuPeak(const std::vector<int>& cpus, int64_t working_set_bytes);

}  // namespace quern::workers

#endif  // QUERN_WORKERS_DEVICES_CPU_PEAK_H_
