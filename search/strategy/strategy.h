// What decides which programs are tried.
#ifndef QUERN_SEARCH_STRATEGY_STRATEGY_H_
#define QUERN_SEARCH_STRATEGY_STRATEGY_H_

#include <optional>

#include "search/trace.h"

namespace quern::search {

enum class Outcome {
  kRepeated,     // the same program was tried before
  kNotCompiled,  // the code generator does not take it
  kFailed,       // crashed, timed out or gave wrong outputs
  kSlower,       // than the incumbent
  kFastest,      // the new incumbent
};

class Strategy {
 public:
  virtual ~Strategy() = default;

  // The next derivation to try; none when there is nothing more to say.
  virtual std::optional<Trace> Propose() = 0;

  // What came of the trace proposed last: `applied` is the part of it that took effect. `time_ns`
  // is 0 if it was not measured.
  virtual void Observe(const Trace& applied, Outcome outcome, double time_ns) = 0;
};

}  // namespace quern::search

#endif  // QUERN_SEARCH_STRATEGY_STRATEGY_H_
