// Self-checking modules: StableHLO's conformance tests.
#ifndef QUERN_FRONTEND_CHECK_H_
#define QUERN_FRONTEND_CHECK_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "mlir/IR/MLIRContext.h"

namespace quern::frontend {

// A case is a function; it passes when all its checks hold.
struct CheckReport {
  int passed = 0, failed = 0;
  int unsupported = 0;                // did not run: bad syntax, or an op or type that quern lacks
  std::vector<std::string> messages;  // one for each case that did not pass
};

// Interprets a file of modules, which lines that start with "// -----" part. Of each module,
// @main runs, or else every function without arguments. A check is an op of the `check` dialect or
// a custom_call of @check.expect_eq (element-wise ==), @check.expect_almost_eq (an absolute
// difference of at most 1e-3) or @check.expect_close (at most 3 units in the last place).
// kNotFound or kInvalidArgument: no readable text file, or one without a case.
absl::StatusOr<CheckReport> RunChecks(const std::string& path, mlir::MLIRContext& context);

// The same of text; `name` stands for the file in messages.
absl::StatusOr<CheckReport> RunChecksOfText(const std::string& text, const std::string& name,
                                            mlir::MLIRContext& context);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_CHECK_H_
