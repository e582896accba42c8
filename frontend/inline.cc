#include "frontend/inline.h"

#include <vector>

#include "ir/stablehlo/stablehlo.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace quern::frontend {

static constexpr int64_t kMaxOps = 1'000'000;
static constexpr int kMaxDepth = 64;

class Inliner {
 public:
  explicit Inliner(mlir::func::FuncOp main) : symbols_(main->getParentOp()) {
    Collect(main, /*depth=*/0);
  }

  mlir::LogicalResult Run() {
    while (!pending_.empty()) {
      const Pending next = pending_.back();
      pending_.pop_back();
      if (failed(Inline(next.call, next.depth))) return mlir::failure();
    }
    return mlir::success();
  }

 private:
  struct Pending {
    mlir::Operation* call;
    int depth;
  };

  void Collect(mlir::Operation* root, int depth) {
    root->walk([&](mlir::Operation* op) {
      ++ops_;
      if (Callee(op)) pending_.push_back({op, depth});
    });
  }

  // The function that an op stands for; null for an op that stands for itself. A composite stands
  // for its decomposition.
  static mlir::FlatSymbolRefAttr Callee(mlir::Operation* op) {
    if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op)) return call.getCalleeAttr();
    if (auto composite = llvm::dyn_cast<stablehlo::CompositeOp>(op))
      return composite.getDecompositionAttr();
    return {};
  }

  mlir::LogicalResult Inline(mlir::Operation* call, int depth) {
    const llvm::StringRef name = Callee(call).getValue();
    auto callee = symbols_.lookup<mlir::func::FuncOp>(name);
    if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock())
      return call->emitError("calls @") << name << ", which has no body here";
    if (callee.getArgumentTypes() != call->getOperandTypes() ||
        callee.getResultTypes() != call->getResultTypes()) {
      return call->emitError("does not have the type of @") << name << ", which it calls";
    }
    if (!llvm::isa<mlir::func::ReturnOp>(callee.getBody().front().back()))
      return call->emitError("calls @") << name << ", which does not end in func.return";
    if (depth >= kMaxDepth) {
      return call->emitError("calls nest too deeply; @") << name << " may be recursive";
    }
    mlir::OpBuilder builder(call);
    mlir::IRMapping map;
    map.map(callee.getArguments(), call->getOperands());
    mlir::Block& body = callee.getBody().front();
    for (mlir::Operation& op : body.without_terminator()) {
      Collect(builder.clone(op, map), depth + 1);
      if (ops_ > kMaxOps) {
        return call->emitError(
            "the program has more than a million ops once its calls are inlined");
      }
    }
    for (auto [result, value] :
         llvm::zip(call->getResults(), body.getTerminator()->getOperands())) {
      result.replaceAllUsesWith(map.lookupOrDefault(value));
    }
    call->erase();
    return mlir::success();
  }

  mlir::SymbolTable symbols_;
  std::vector<Pending> pending_;
  int64_t ops_ = 0;
};

mlir::LogicalResult InlineCalls(mlir::func::FuncOp main) {
  if (!main.getBody().hasOneBlock()) return main.emitError("has more than one block");
  return Inliner(main).Run();
}

}  // namespace quern::frontend
