// Artifacts of jax.export: a FlatBuffer around a portable StableHLO module.
#ifndef QUERN_IR_VHLO_JAX_EXPORT_H_
#define QUERN_IR_VHLO_JAX_EXPORT_H_

#include <optional>

#include "absl/strings/string_view.h"

namespace quern::vhlo {

// What quern reads of the table `Exported` (jax, serialization.fbs).
struct JaxExport {
  absl::string_view module;  // bytecode, a part of the file
  uint32_t devices = 1;      // that the program is for
};

// nullopt unless the bytes are a FlatBuffer whose root has MLIR bytecode where Exported has its
// module. Every offset is checked; nothing is copied.
std::optional<JaxExport> FindJaxExport(absl::string_view bytes);

}  // namespace quern::vhlo

#endif  // QUERN_IR_VHLO_JAX_EXPORT_H_
