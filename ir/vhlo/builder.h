// Ops of a bytecode file as ops of StableHLO.
#ifndef QUERN_IR_VHLO_BUILDER_H_
#define QUERN_IR_VHLO_BUILDER_H_

#include <optional>

#include "ir/vhlo/values.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace quern::vhlo {

// An op before it is built. Its regions follow in the file.
struct Record {
  OpName name;
  mlir::Location location;
  mlir::DictionaryAttr attributes;
  std::optional<Cursor> properties;
  llvm::SmallVector<mlir::Type> results;
  llvm::SmallVector<mlir::Value> operands;
  size_t regions = 0;
  bool isolated = false;
};

// Appends to the block the op of func, stablehlo or sdy that the record stands for, with its
// regions empty. Null after an error, as where the context has no such op.
mlir::Operation* BuildOp(const Record& record, mlir::Block& block, Values& values);

}  // namespace quern::vhlo

#endif  // QUERN_IR_VHLO_BUILDER_H_
