// Shardy's dialect, as far as a program for one device needs it: what is read is the axes of device
// meshes that ops and attributes name.
#ifndef QUERN_IR_SDY_SDY_H_
#define QUERN_IR_SDY_SDY_H_

#include <vector>

#include "llvm/ADT/StringRef.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"

namespace quern::sdy {

// An op of the dialect in bytecode: its properties in order; a name that ends in '?' may be absent.
struct Op {
  const char* name;
  std::vector<const char*> properties;
};
// Null for an op that programs for one device do not hold.
const Op* FindOp(llvm::StringRef name);

// Every #sdy attribute becomes an array: the names of axes that it mentions (strings), meshes that
// it defines (dictionaries of axis to size), and arrays of the same. Ops stay unregistered; text is
// parsed for sdy.mesh (attributes sym_name and mesh), sdy.constant (value), sdy.sharding_constraint
// (sharding), sdy.manual_computation (in_shardings, out_shardings, manual_axes) and sdy.return.
class SdyDialect : public mlir::Dialect {
 public:
  explicit SdyDialect(mlir::MLIRContext* context);
  static constexpr llvm::StringLiteral getDialectNamespace() { return {"sdy"}; }

  mlir::Attribute parseAttribute(mlir::DialectAsmParser& parser, mlir::Type type) const override;
  void printAttribute(mlir::Attribute, mlir::DialectAsmPrinter&) const override {}
  std::optional<ParseOpHook> getParseOperationHook(llvm::StringRef name) const override;
};

}  // namespace quern::sdy

#endif  // QUERN_IR_SDY_SDY_H_
