// What the CPU under this process is.
#ifndef QUERN_WORKERS_DEVICES_CPU_H_
#define QUERN_WORKERS_DEVICES_CPU_H_

#include <cstdint>
#include <string>
#include <vector>

namespace quern::workers {

struct Cpu {
  std::string model;      // as /proc/cpuinfo names it
  std::string microcode;  // "" if unknown
  std::string kernel;     // name and release of the operating system
  int64_t l1d_bytes = 0;  // of one core; 0 if unknown
  int64_t l2_bytes = 0;
  int64_t llc_bytes = 0;    // the last level, of whatever shares it
  std::vector<int> usable;  // numbers of the CPUs that this process may run on, ascending

  // "AMD EPYC; L1d 32K L2 512K LLC 32768K; microcode 0x1000065; Linux 6.1.0". No commas, and
  // nothing that changes from one start to the next: part of cache keys.
  std::string Fingerprint() const;
};

Cpu DetectCpu();

// Ticks a second of the time-stamp counter, against CLOCK_MONOTONIC, to some 0.01 %. Takes 20 ms.
double MeasureTscHz();

}  // namespace quern::workers

#endif  // QUERN_WORKERS_DEVICES_CPU_H_
