// What a person sees while a search runs.
#ifndef QUERN_SEARCH_PROGRESS_H_
#define QUERN_SEARCH_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace quern::search {

// "2.1 ms": three significant digits, unit by size.
std::string FormatNanoseconds(double nanoseconds);

// Reports at most five times a second.
class Progress {
 public:
  // `sink` may be empty. `limit` is the number of candidates, -1 for none.
  Progress(std::function<void(const std::string&)> sink, int64_t limit);

  // "12/50 cand 3.1 s best 2.1 ms 14.2x naive"; a time that is 0 is not known
  void Candidates(int64_t count, double best_ns, double naive_ns);
  // A line of its own, at once.
  void Say(const std::string& line);

  double seconds() const;  // since the start

 private:
  using Clock = std::chrono::steady_clock;

  std::function<void(const std::string&)> sink_;
  int64_t limit_;
  Clock::time_point start_ = Clock::now();
  double last_ = -1;  // seconds() of the last line of candidates
};

}  // namespace quern::search

#endif  // QUERN_SEARCH_PROGRESS_H_
