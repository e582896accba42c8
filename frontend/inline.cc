#include "frontend/inline.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace quern::frontend {

static constexpr int64_t kMaxOps = 1'000'000;
static constexpr int kMaxDepth = 64;

static mlir::func::CallOp FirstCall(mlir::func::FuncOp main) {
  mlir::func::CallOp found;
  main.walk([&](mlir::func::CallOp call) {
    found = call;
    return mlir::WalkResult::interrupt();
  });
  return found;
}

// The depth of a call is kept on the op while its own calls wait to be inlined.
static constexpr char kDepth[] = "quern.inline_depth";

static mlir::LogicalResult Inline(mlir::func::CallOp call, mlir::SymbolTable& symbols,
                                  int64_t& ops) {
  auto callee = symbols.lookup<mlir::func::FuncOp>(call.getCallee());
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock()) {
    return call.emitError("calls @") << call.getCallee() << ", which has no body here";
  }
  auto depth_attribute = call->getAttrOfType<mlir::IntegerAttr>(kDepth);
  const int64_t depth = depth_attribute ? depth_attribute.getInt() : 0;
  if (depth >= kMaxDepth)
    return call.emitError("calls nest too deeply; @") << call.getCallee() << " may be recursive";
  mlir::OpBuilder builder(call);
  mlir::IRMapping map;
  map.map(callee.getArguments(), call.getOperands());
  mlir::Block& body = callee.getBody().front();
  for (mlir::Operation& op : body.without_terminator()) {
    mlir::Operation* clone = builder.clone(op, map);
    clone->walk([&](mlir::Operation* nested) {
      ++ops;
      if (llvm::isa<mlir::func::CallOp>(nested))
        nested->setAttr(kDepth, builder.getI64IntegerAttr(depth + 1));
    });
  }
  if (ops > kMaxOps)
    return call.emitError("the program has more than a million ops once its calls are inlined");
  for (auto [result, value] : llvm::zip(call.getResults(), body.getTerminator()->getOperands())) {
    result.replaceAllUsesWith(map.lookupOrDefault(value));
  }
  call.erase();
  return mlir::success();
}

mlir::LogicalResult InlineCalls(mlir::func::FuncOp main) {
  if (!main.getBody().hasOneBlock()) return main.emitError("has more than one block");
  mlir::SymbolTable symbols(main->getParentOp());
  int64_t ops = 0;
  while (mlir::func::CallOp call = FirstCall(main)) {
    if (failed(Inline(call, symbols, ops))) return mlir::failure();
  }
  return mlir::success();
}

}  // namespace quern::frontend
