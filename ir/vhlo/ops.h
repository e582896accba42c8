// The table of VHLO ops, ops.def, and what an op's properties become in StableHLO.
#ifndef QUERN_IR_VHLO_OPS_H_
#define QUERN_IR_VHLO_OPS_H_

#include <string>
#include <vector>

#include "ir/vhlo/values.h"
#include "mlir/IR/OperationSupport.h"

namespace quern::vhlo {

struct Property {
  std::string name;
  char kind;           // see ops.def
  std::string target;  // the StableHLO struct that the value is a field of, else empty
  std::string value;   // the default, else empty
};

struct Op {
  std::string name;      // as StableHLO calls it
  Version since, until;  // the releases that write it
  std::vector<Property> properties;
};

// By its name in a file, as "add_v1"; null if quern does not know it.
const Op* FindOp(llvm::StringRef name);
// For tests: how many the table holds.
size_t CountOps();

// Appends the StableHLO attributes that `raw`, one value a property, stand for: structs are put
// together, defaults left out. False after an error at `at`.
bool ConvertProperties(const Op& op, llvm::ArrayRef<mlir::Attribute> raw, mlir::Location at,
                       Values& values, mlir::NamedAttrList& attributes);

}  // namespace quern::vhlo

#endif  // QUERN_IR_VHLO_OPS_H_
