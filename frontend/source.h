// From a file to a parsed module, with errors a person can act on.
#ifndef QUERN_FRONTEND_SOURCE_H_
#define QUERN_FRONTEND_SOURCE_H_

#include <string>

#include "absl/status/statusor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"

namespace quern::frontend {

// The bytes of a file of at most 256 MiB. kNotFound, or kInvalidArgument for a folder or a larger
// file.
absl::StatusOr<std::string> ReadText(const std::string& path);

// Reads and verifies a module of StableHLO: text, portable bytecode (ir/vhlo/reader.h), or an
// artifact of jax.export, told apart by content; `name` stands for the file in messages. Shardings
// are removed (frontend/sharding.h). kInvalidArgument: "name:line:column: error: ...", for bytecode
// the place in the program's source where the file tells it, or the byte. Text that would make MLIR
// recurse deeply is refused: brackets more than 256 deep, affine maps, and aliases other than those
// of locations.
absl::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> ParseModule(const std::string& text,
                                                              const std::string& name,
                                                              mlir::MLIRContext& context);

// "file:line:column: ", or nothing where no file is known.
std::string Where(mlir::Location location);

// While it lives, keeps the first error that MLIR reports and prints none.
class ErrorCatcher {
 public:
  explicit ErrorCatcher(mlir::MLIRContext& context);
  // The error, kInvalidArgument; a general one about `name` if MLIR gave no reason.
  absl::Status Error(const std::string& name) const;

 private:
  std::string first_;
  mlir::ScopedDiagnosticHandler handler_;
};

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_SOURCE_H_
