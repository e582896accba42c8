#include "search/rules/rule.h"

#include "absl/strings/str_cat.h"
#include "search/nest.h"

namespace quern::search {

#define QUERN_RULE(function) std::unique_ptr<Rule> function();
#include "search/rules/rules.def"
#undef QUERN_RULE

std::string_view Name(Soundness soundness) {
  switch (soundness) {
    case Soundness::kByConstruction:
      return "sound by construction";
    case Soundness::kNeedsProof:
      return "needs proof";
    case Soundness::kUnsound:
      return "unsound on purpose";
  }
  return "";
}

const std::vector<const Rule*>& AllRules() {
  static const auto* const rules = new std::vector<const Rule*>{
#define QUERN_RULE(function) function().release(),
#include "search/rules/rules.def"
#undef QUERN_RULE
  };
  return *rules;
}

const Rule* FindRule(std::string_view name) {
  for (const Rule* rule : AllRules()) {
    if (rule->name() == name) return rule;
  }
  return nullptr;
}

bool ComputesIndices(program::KernelOp kernel) {
  auto computed = [](mlir::ValueRange counters) {
    return llvm::any_of(counters, [](mlir::Value v) { return v.getDefiningOp() != nullptr; });
  };
  bool found = false;
  kernel.getBody().walk([&](mlir::Operation* op) {
    if (auto guard = llvm::dyn_cast<program::GuardOp>(op)) found |= computed(guard.getCounters());
    if (BufferOf(op)) found |= computed(CountersOf(op));
  });
  return found;
}

std::vector<Action> ListActions(const Rule& rule, program::ProgramOp program) {
  std::vector<Action> actions = rule.Actions(program);
  std::erase_if(actions, [&](const Action& action) {
    return llvm::any_of(action.site, [&](const std::string& name) {
      program::KernelOp kernel = FindKernel(program, name);
      return kernel && ComputesIndices(kernel);
    });
  });
  return actions;
}

absl::Status DoesNotApply(const Action& action, std::string_view why) {
  return absl::NotFoundError(absl::StrCat(ToJson(action), ": ", std::string(why)));
}

absl::StatusOr<program::KernelOp> KernelAt(program::ProgramOp program, const Action& action) {
  if (action.site.empty()) return DoesNotApply(action, "no kernel is named");
  program::KernelOp kernel = FindKernel(program, action.site[0]);
  if (!kernel) return DoesNotApply(action, "the kernel is gone");
  if (ComputesIndices(kernel)) return DoesNotApply(action, "the kernel computes indices");
  return kernel;
}

absl::StatusOr<program::LoopOp> LoopAt(program::ProgramOp program, const Action& action,
                                       size_t position) {
  absl::StatusOr<program::KernelOp> kernel = KernelAt(program, action);
  if (!kernel.ok()) return kernel.status();
  if (action.site.size() <= position) return DoesNotApply(action, "no loop is named");
  program::LoopOp loop = FindLoop(*kernel, action.site[position]);
  if (!loop) return DoesNotApply(action, "the loop is gone");
  return loop;
}

}  // namespace quern::search
