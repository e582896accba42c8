#include "workers/devices/cpu.h"

#include <sched.h>
#include <sys/utsname.h>
#include <time.h>
#include <x86intrin.h>

#include <algorithm>
#include <fstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace quern::workers {

static std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The value of the first "key : value" line in /proc/cpuinfo.
static std::string CpuInfo(absl::string_view key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const absl::string_view text(line);
    if (absl::StripAsciiWhitespace(text.substr(0, colon)) != key) continue;
    return std::string(absl::StripAsciiWhitespace(text.substr(colon + 1)));
  }
  return "";
}

// "512K" or "32M" in bytes; 0 if it is neither.
static int64_t ParseSize(absl::string_view text) {
  int64_t unit = 1;
  if (absl::ConsumeSuffix(&text, "K")) unit = int64_t{1} << 10;
  if (absl::ConsumeSuffix(&text, "M")) unit = int64_t{1} << 20;
  int64_t value = 0;
  return absl::SimpleAtoi(text, &value) ? value * unit : 0;
}

static void DetectCaches(int cpu, Cpu* result) {
  int last_level = 0;
  for (int index = 0;; ++index) {
    const std::string folder =
        absl::StrCat("/sys/devices/system/cpu/cpu", cpu, "/cache/index", index, "/");
    int level = 0;
    if (!absl::SimpleAtoi(FirstLine(folder + "level"), &level)) return;
    if (FirstLine(folder + "type") == "Instruction") continue;
    const int64_t bytes = ParseSize(FirstLine(folder + "size"));
    if (level == 1) result->l1d_bytes = bytes;
    if (level == 2) result->l2_bytes = bytes;
    if (level >= last_level) result->llc_bytes = bytes;
    last_level = std::max(last_level, level);
  }
}

static double Seconds() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double MeasureTscHz() {
  constexpr double kSeconds = 0.02;
  const double start = Seconds();
  const uint64_t ticks = __rdtsc();
  double now = start;
  while (now < start + kSeconds) now = Seconds();
  return static_cast<double>(__rdtsc() - ticks) / (now - start);
}

std::string Cpu::Fingerprint() const {
  std::string name = model;
  std::replace(name.begin(), name.end(), ',', ' ');
  return absl::StrCat(name, "; L1d ", l1d_bytes >> 10, "K L2 ", l2_bytes >> 10, "K LLC ",
                      llc_bytes >> 10, "K; microcode ", microcode.empty() ? "?" : microcode, "; ",
                      kernel);
}

Cpu DetectCpu() {
  Cpu cpu{.model = CpuInfo("model name"),
          .microcode = CpuInfo("microcode"),
          .kernel = "",
          .usable = {}};
  if (cpu.model.empty()) cpu.model = "unknown CPU";
  utsname names;
  if (uname(&names) == 0) cpu.kernel = absl::StrCat(names.sysname, " ", names.release);
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    for (int i = 0; i < CPU_SETSIZE; ++i) {
      if (CPU_ISSET(i, &set)) cpu.usable.push_back(i);
    }
  }
  if (cpu.usable.empty()) cpu.usable = {0};
  DetectCaches(cpu.usable.front(), &cpu);
  return cpu;
}

}  // namespace quern::workers
