// The built-in strategy: sketches first, then mutations of what was fast.
#ifndef QUERN_SEARCH_STRATEGY_SEEDED_H_
#define QUERN_SEARCH_STRATEGY_SEEDED_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "search/strategy/sketches.h"
#include "search/strategy/strategy.h"

namespace quern::search {

// A function of the spec, the naive program, the seed and what it observes: it never reads a clock.
class SeededStrategy : public Strategy {
 public:
  // `spec` and `naive` outlive it.
  SeededStrategy(const frontend::Spec& spec, mlir::ModuleOp naive, uint64_t seed);

  std::optional<Trace> Propose() override;
  void Observe(const Trace& applied, Outcome outcome, double time_ns) override;

 private:
  struct Scored {
    Trace trace;
    double time_ns;
  };

  Trace Mutate();
  void ChangeParameter(Trace& trace);
  void Insert(Trace& trace);
  void CrossWith(Trace& trace, const Trace& other);
  size_t Below(size_t count) { return random_() % count; }

  const frontend::Spec& spec_;
  mlir::ModuleOp naive_;
  std::mt19937_64 random_;
  std::vector<Sketch> first_;
  size_t next_ = 0;           // of first_
  std::vector<Scored> best_;  // fastest first, a few
};

}  // namespace quern::search

#endif  // QUERN_SEARCH_STRATEGY_SEEDED_H_
