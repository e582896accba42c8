// Linking in process.
#ifndef QUERN_CODEGEN_LINK_H_
#define QUERN_CODEGEN_LINK_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace quern::codegen {

// Runs LLVM's ELF linker with `arguments` and the given files, in this order, to a shared object.
// The result depends on the arguments and the files' contents alone. Calls run one at a time.
// kInternal with the linker's message.
absl::StatusOr<std::string> LinkShared(const std::vector<std::string>& arguments,
                                       const std::vector<std::string_view>& files);

}  // namespace quern::codegen

#endif  // QUERN_CODEGEN_LINK_H_
