#include "frontend/evaluate.h"
#include "llvm/ADT/TypeSwitch.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;
using Results = absl::StatusOr<std::vector<SharedTensor>>;

static Results RunRegion(mlir::Region& region, const Scope& scope) {
  return BlockEvaluator(region.front()).Run({}, &scope, scope.other());
}

static Results If(mlir::Operation& op, const Scope& scope) {
  auto branch = llvm::cast<hlo::IfOp>(op);
  return RunRegion(
      IndexAt(scope(branch.getPred()), 0) != 0 ? branch.getTrueBranch() : branch.getFalseBranch(),
      scope);
}

static Results Case(mlir::Operation& op, const Scope& scope) {
  auto select = llvm::cast<hlo::CaseOp>(op);
  const int64_t index = IndexAt(scope(select.getIndex()), 0);
  const int64_t last = static_cast<int64_t>(select.getBranches().size()) - 1;
  return RunRegion(select.getBranches()[index < 0 || index > last ? last : index], scope);
}

static Results While(mlir::Operation& op, const Scope& scope) {
  auto loop = llvm::cast<hlo::WhileOp>(op);
  const BlockEvaluator condition(loop.getCond().front()), body(loop.getBody().front());
  std::vector<SharedTensor> carried;
  for (mlir::Value operand : loop.getOperand()) carried.push_back(scope.Share(operand));
  while (true) {
    QUERN_ASSIGN_OR_RETURN(std::vector<SharedTensor> more,
                           condition.Run(carried, &scope, scope.other()));
    if (IndexAt(*more.front(), 0) == 0) return carried;
    if (scope.iterations() != nullptr && (*scope.iterations())-- <= 0)
      return absl::ResourceExhaustedError("loops run for more iterations than are allowed");
    QUERN_ASSIGN_OR_RETURN(carried, body.Run(carried, &scope, scope.other()));
  }
}

static Results Barrier(mlir::Operation& op, const Scope& scope) {
  std::vector<SharedTensor> values;
  for (mlir::Value operand : op.getOperands()) values.push_back(scope.Share(operand));
  return values;
}

Evaluator FindControl(mlir::Operation& op) {
  return llvm::TypeSwitch<mlir::Operation*, Evaluator>(&op)
      .Case([](hlo::IfOp) { return If; })
      .Case([](hlo::CaseOp) { return Case; })
      .Case([](hlo::WhileOp) { return While; })
      .Case([](hlo::OptimizationBarrierOp) { return Barrier; })
      .Default([](mlir::Operation*) { return nullptr; });
}

}  // namespace quern::frontend
