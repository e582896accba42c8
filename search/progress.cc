#include "search/progress.h"

#include <cstdio>
#include <utility>

namespace quern::search {

std::string FormatNanoseconds(double nanoseconds) {
  const char* unit = "ns";
  for (const char* larger : {"us", "ms", "s"}) {
    if (nanoseconds < 999.5) break;
    nanoseconds /= 1000;
    unit = larger;
  }
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g %s", nanoseconds, unit);
  return text;
}

Progress::Progress(std::function<void(const std::string&)> sink, int64_t limit)
    : sink_(std::move(sink)), limit_(limit) {}

void Progress::Candidates(int64_t count, double best_ns, double naive_ns) {
  double now = seconds();
  if (!sink_ || (last_ >= 0 && now - last_ < 0.2)) return;
  last_ = now;
  std::string limit = limit_ < 0 ? "∞" : std::to_string(limit_);
  char text[160];
  std::snprintf(text, sizeof(text), "%lld/%s cand %.1f s", static_cast<long long>(count),
                limit.c_str(), now);
  std::string line = text;
  if (best_ns > 0) line += " best " + FormatNanoseconds(best_ns);
  if (best_ns > 0 && naive_ns > 0) {
    std::snprintf(text, sizeof(text), " %.3gx naive", naive_ns / best_ns);
    line += text;
  }
  sink_(line);
}

void Progress::Say(const std::string& line) {
  if (sink_) sink_(line);
}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

}  // namespace quern::search
