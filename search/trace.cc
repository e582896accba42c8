#include "search/trace.h"

#include "absl/strings/str_split.h"
#include "bundle/digest.h"
#include "bundle/status.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "search/nest.h"
#include "search/rules/rule.h"

namespace quern::search {

std::string ToText(const Trace& trace) {
  std::string text;
  for (const Action& action : trace) text += ToJson(action) + "\n";
  return text;
}

absl::StatusOr<Trace> ParseTrace(std::string_view text) {
  Trace trace;
  for (absl::string_view line : absl::StrSplit(absl::string_view(text.data(), text.size()), '\n')) {
    if (line.empty()) continue;
    QUERN_ASSIGN_OR_RETURN(trace.emplace_back(), ParseAction({line.data(), line.size()}));
  }
  return trace;
}

Derived Replay(const frontend::Spec& spec, mlir::ModuleOp naive, const Trace& trace) {
  Derived derived{.module = naive.clone()};
  mlir::ScopedDiagnosticHandler quiet(naive.getContext(),
                                      [](mlir::Diagnostic&) { return mlir::success(); });
  for (const Action& action : trace) {
    const Rule* rule = FindRule(action.rule);
    mlir::OwningOpRef<mlir::ModuleOp> next = derived.module->clone();
    if (!rule || !rule->Apply(spec, FindProgram(*next), action).ok() ||
        mlir::failed(mlir::verify(*next))) {
      ++derived.dropped;
      continue;
    }
    derived.module = std::move(next);
    derived.applied.push_back(action);
    if (rule->soundness() == Soundness::kUnsound) ++derived.unsound_actions;
  }
  return derived;
}

std::string ProgramDigest(mlir::ModuleOp module) { return Sha256(PrintText(module)); }

}  // namespace quern::search
