#include "frontend/holds.h"

#include "llvm/ADT/SetVector.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace quern::frontend {

std::string SliceModule(const Spec& spec, mlir::Value value) {
  mlir::func::FuncOp main = spec.main();
  llvm::SmallPtrSet<mlir::Operation*, 32> needed;
  llvm::SmallVector<mlir::Value> pending = {value};
  mlir::Block& body = main.getBody().front();
  while (!pending.empty()) {
    mlir::Operation* op = pending.pop_back_val().getDefiningOp();
    if (op == nullptr || op->getBlock() != &body || !needed.insert(op).second) continue;
    // The body of a reduce may use values from outside.
    op->walk([&](mlir::Operation* nested) {
      pending.append(nested->operand_begin(), nested->operand_end());
    });
  }
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(main.getLoc());
  mlir::OpBuilder builder(module->getBodyRegion());
  auto type = builder.getFunctionType(main.getArgumentTypes(), value.getType());
  auto slice = mlir::func::FuncOp::create(builder, main.getLoc(), "main", type);
  builder.setInsertionPointToStart(slice.addEntryBlock());
  mlir::IRMapping map;
  map.map(main.getArguments(), slice.getArguments());
  for (mlir::Operation& op : body) {
    if (needed.contains(&op)) builder.clone(op, map);
  }
  mlir::func::ReturnOp::create(builder, main.getLoc(), map.lookupOrDefault(value));
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  return text;
}

}  // namespace quern::frontend
