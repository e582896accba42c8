// The attributes of StableHLO that hold several properties of VHLO as fields.
#ifndef QUERN_IR_VHLO_STRUCTS_H_
#define QUERN_IR_VHLO_STRUCTS_H_

#include <string>
#include <utility>
#include <vector>

#include "mlir/IR/BuiltinAttributes.h"

namespace quern::vhlo {

// The fields of one struct, by the names of their properties; lists are array<i64>.
struct Fields {
  std::string target;  // the struct: conv, dot, dot_algorithm, gather, scatter or channel_handle
  std::vector<std::pair<std::string, mlir::Attribute>> values;

  mlir::Attribute Find(llvm::StringRef name) const;
  int64_t Number(llvm::StringRef name) const;                // 0 if it is none
  llvm::ArrayRef<int64_t> List(llvm::StringRef name) const;  // empty if it is none
};

// What the op calls the attribute.
const char* NameOf(llvm::StringRef target);

// The attribute's text; empty where the fields make none. `absent` if the op has no such attribute.
std::string Spell(const Fields& fields, bool& absent);

}  // namespace quern::vhlo

#endif  // QUERN_IR_VHLO_STRUCTS_H_
