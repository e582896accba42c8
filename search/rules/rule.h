// What a rule is. Each lives in one file of this folder and is listed by one line in rules.def.
#ifndef QUERN_SEARCH_RULES_RULE_H_
#define QUERN_SEARCH_RULES_RULE_H_

#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "frontend/spec.h"
#include "ir/program/program.h"
#include "search/action.h"

namespace quern::search {

// What is known of a rule's results. Nothing relies on it: every finished kernel is proved. It
// biases strategies and is counted in reports.
enum class Soundness {
  kByConstruction,  // same values in the same order
  kNeedsProof,      // equal over the reals, or wrong at some sites
  kUnsound,         // changes the result on purpose
};
std::string_view Name(Soundness soundness);

class Rule {
 public:
  virtual ~Rule() = default;

  virtual std::string_view name() const = 0;
  virtual Soundness soundness() const = 0;
  // One sentence for the list of rules: what it does, its site and its parameters.
  virtual std::string_view help() const = 0;

  // Some of the places and ways it applies to the program: what a strategy draws from.
  virtual std::vector<Action> Actions(program::ProgramOp program) const = 0;

  // Carries out an action of any origin. kNotFound where its site is gone or does not fit; the
  // program is then in no particular state, and the caller drops it.
  virtual absl::Status Apply(const frontend::Spec& spec, program::ProgramOp program,
                             const Action& action) const = 0;
};

// All rules, in the order of rules.def.
const std::vector<const Rule*>& AllRules();
const Rule* FindRule(std::string_view name);  // null if there is none

// Whether a load, store or guard of the kernel has an index that the kernel computes. Rules know
// loop counters only.
bool ComputesIndices(program::KernelOp kernel);

// The rule's actions, without those at a kernel that computes indices.
std::vector<Action> ListActions(const Rule& rule, program::ProgramOp program);

// The error of a rule that does not apply: the action and why.
absl::Status DoesNotApply(const Action& action, std::string_view why);

// The kernel and loop that site[0] and site[1] name; kNotFound if they are gone, or if
// the kernel computes indices.
absl::StatusOr<program::KernelOp> KernelAt(program::ProgramOp program, const Action& action);
absl::StatusOr<program::LoopOp> LoopAt(program::ProgramOp program, const Action& action,
                                       size_t position = 1);

}  // namespace quern::search

#endif  // QUERN_SEARCH_RULES_RULE_H_
