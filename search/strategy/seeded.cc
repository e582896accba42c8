#include "search/strategy/seeded.h"

#include <algorithm>

#include "search/nest.h"
#include "search/rules/rule.h"

namespace quern::search {

static constexpr size_t kKept = 6;

SeededStrategy::SeededStrategy(const frontend::Spec& spec, mlir::ModuleOp naive, uint64_t seed)
    : spec_(spec), naive_(naive), random_(seed), first_(FirstSketches()) {}

std::optional<Trace> SeededStrategy::Propose() {
  if (next_ < first_.size()) return Expand(spec_, naive_, first_[next_++]);
  if (best_.empty() || Below(10) < 3) return Expand(spec_, naive_, RandomSketch(random_));
  return Mutate();
}

void SeededStrategy::Observe(const Trace& applied, Outcome outcome, double time_ns) {
  if (outcome != Outcome::kSlower && outcome != Outcome::kFastest) return;
  if (time_ns <= 0) return;
  auto at = std::upper_bound(best_.begin(), best_.end(), time_ns,
                             [](double time, const Scored& b) { return time < b.time_ns; });
  best_.insert(at, {.trace = applied, .time_ns = time_ns});
  if (best_.size() > kKept) best_.pop_back();
}

Trace SeededStrategy::Mutate() {
  // Two draws, the faster one: the best is tried more often, the others sometimes.
  Trace trace = best_[std::min(Below(best_.size()), Below(best_.size()))].trace;
  for (size_t steps = 1 + Below(3); steps > 0; --steps) {
    size_t kind = Below(10);
    if (trace.empty() || kind < 3) {
      Insert(trace);
    } else if (kind < 7) {
      ChangeParameter(trace);
    } else if (kind < 9) {
      trace.erase(trace.begin() + Below(trace.size()));
    } else {
      CrossWith(trace, best_[Below(best_.size())].trace);
    }
  }
  return trace;
}

// Another action of the same rule and site, among those the rule lists there.
void SeededStrategy::ChangeParameter(Trace& trace) {
  std::vector<size_t> adjustable;
  for (size_t i = 0; i < trace.size(); ++i) {
    if (!trace[i].parameters.empty()) adjustable.push_back(i);
  }
  if (adjustable.empty()) return Insert(trace);
  size_t at = adjustable[Below(adjustable.size())];
  Derived before = Replay(spec_, naive_, Trace(trace.begin(), trace.begin() + at));
  std::vector<Action> others;
  for (Action& action : ListActions(*FindRule(trace[at].rule), FindProgram(*before.module))) {
    if (action.site == trace[at].site && !(action == trace[at]))
      others.push_back(std::move(action));
  }
  if (!others.empty()) trace[at] = others[Below(others.size())];
}

void SeededStrategy::Insert(Trace& trace) {
  Derived derived = Replay(spec_, naive_, trace);
  bool unsound = Below(50) == 0;
  std::vector<const Rule*> rules;
  for (const Rule* rule : AllRules()) {
    if ((rule->soundness() == Soundness::kUnsound) == unsound) rules.push_back(rule);
  }
  const Rule* rule = rules[Below(rules.size())];
  std::vector<Action> actions = ListActions(*rule, FindProgram(*derived.module));
  if (!actions.empty()) trace.push_back(actions[Below(actions.size())]);
}

void SeededStrategy::CrossWith(Trace& trace, const Trace& other) {
  trace.resize(Below(trace.size() + 1));
  size_t from = std::min(trace.size(), other.size());
  trace.insert(trace.end(), other.begin() + from, other.end());
}

}  // namespace quern::search
