// What would help with an op that quern does not have.
#ifndef QUERN_IR_STABLEHLO_UNSUPPORTED_H_
#define QUERN_IR_STABLEHLO_UNSUPPORTED_H_

#include <optional>
#include <string>

#include "llvm/ADT/StringRef.h"

namespace quern::stablehlo {

// Of an op by its full name, such as "stablehlo.all_reduce"; empty for an op not in
// unsupported.def.
llvm::StringRef UnsupportedHint(llvm::StringRef op);

// A message of MLIR's parser about a type or an attribute that quern does not have, with what would
// help; nullopt for any other message.
std::optional<std::string> ExplainUnsupported(llvm::StringRef message);

}  // namespace quern::stablehlo

#endif  // QUERN_IR_STABLEHLO_UNSUPPORTED_H_
