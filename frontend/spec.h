// The user's program: one pure tensor function with static shapes.
#ifndef QUERN_FRONTEND_SPEC_H_
#define QUERN_FRONTEND_SPEC_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bundle/tensor_type.h"
#include "frontend/signature.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace quern::frontend {

struct Spec {
  std::string source;  // the user's bytes
  mlir::OwningOpRef<mlir::ModuleOp>
      module;             // canonical: one func.func @main, no calls, no attributes but of `uses`
  std::string canonical;  // its text, in normal order (frontend/normal_order.h)
  std::string sha256;     // of the canonical text
  std::vector<TensorType> arguments, results;  // of @main
  std::vector<ArgumentUse> uses;               // of the arguments; part of the canonical text
  std::vector<std::string> notes;              // for the user: what was read over, a sentence each

  mlir::func::FuncOp main() const;
};

// Parses StableHLO text; `name` stands for the file in messages. The entry is the function @main,
// else the only public one. Private functions are inlined; dead code, repeated expressions, moves
// that move nothing and what constants determine (frontend/simplify.h) go. Two programs that differ
// in names, in these, in an order that means nothing (frontend/normal_order.h), or in attributes
// other than those of frontend/signature.h have the same canonical text. None of this is trusted:
// the checker reads the user's own bytes. kInvalidArgument: "file:line:column: error: ...", for bad
// syntax, an op or type that quern lacks, a dynamic shape, recursion, or a tensor that does not fit
// in memory.
absl::StatusOr<Spec> ParseSpec(const std::string& text, const std::string& name,
                               mlir::MLIRContext& context);

// ParseSpec of a whole model, of which parts are specs: calls of libraries stay, and constants
// without data become further arguments, which are constant. `entry` names the function, as
// module::name in a module of the module, where it is not the one of ParseSpec.
absl::StatusOr<Spec> ParseModel(const std::string& text, const std::string& name,
                                mlir::MLIRContext& context, const std::string& entry = "");

// ParseSpec of a file of at most 256 MiB. kNotFound or kInvalidArgument if it is no readable text
// file.
absl::StatusOr<Spec> ReadSpec(const std::string& path, mlir::MLIRContext& context);

// Likewise of ParseModel.
absl::StatusOr<Spec> ReadModel(const std::string& path, mlir::MLIRContext& context,
                               const std::string& entry = "");

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_SPEC_H_
