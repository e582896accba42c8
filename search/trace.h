// A derivation: actions from the naive program on.
#ifndef QUERN_SEARCH_TRACE_H_
#define QUERN_SEARCH_TRACE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontend/spec.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "search/action.h"

namespace quern::search {

using Trace = std::vector<Action>;

std::string ToText(const Trace& trace);  // one action a line
absl::StatusOr<Trace> ParseTrace(std::string_view text);

struct Derived {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Trace applied;                // the actions that took effect
  int64_t dropped = 0;          // the others: unknown rule, site gone, or an invalid result
  int64_t unsound_actions = 0;  // of those applied, from rules that are unsound on purpose
};

// Applies `trace` to a copy of `naive`. A function of its arguments alone.
Derived Replay(const frontend::Spec& spec, mlir::ModuleOp naive, const Trace& trace);

// SHA-256 of the program's text: equal for equal programs.
std::string ProgramDigest(mlir::ModuleOp module);

}  // namespace quern::search

#endif  // QUERN_SEARCH_TRACE_H_
