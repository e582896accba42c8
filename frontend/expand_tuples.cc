#include "frontend/expand_tuples.h"

#include <vector>

#include "ir/stablehlo/stablehlo.h"
#include "mlir/IR/Builders.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;

// A call that gives a flat tuple, of which only elements are used, gives the elements.
static void FlattenCall(hlo::CustomCallOp call) {
  if (call.getNumResults() != 1) return;
  auto tuple = llvm::dyn_cast<mlir::TupleType>(call.getType(0));
  if (!tuple || !llvm::all_of(tuple, llvm::IsaPred<mlir::RankedTensorType>) ||
      !llvm::all_of(call->getUsers(), llvm::IsaPred<hlo::GetTupleElementOp>)) {
    return;
  }
  mlir::OpBuilder builder(call);
  mlir::OperationState state(call.getLoc(), call->getName());
  state.addOperands(call.getOperands());
  state.addTypes(tuple.getTypes());
  state.addAttributes(call->getAttrs());
  mlir::Operation* flat = builder.create(state);
  for (mlir::Operation* user : llvm::make_early_inc_range(call->getUsers())) {
    auto element = llvm::cast<hlo::GetTupleElementOp>(user);
    element.getResult().replaceAllUsesWith(flat->getResult(element.getIndex()));
    element.erase();
  }
  call.erase();
}

mlir::LogicalResult ExpandTuples(mlir::func::FuncOp function) {
  std::vector<hlo::CustomCallOp> calls;
  std::vector<hlo::GetTupleElementOp> elements;
  std::vector<hlo::TupleOp> tuples;
  function.walk([&](mlir::Operation* op) {
    if (auto call = llvm::dyn_cast<hlo::CustomCallOp>(op)) calls.push_back(call);
    if (auto element = llvm::dyn_cast<hlo::GetTupleElementOp>(op)) elements.push_back(element);
    if (auto tuple = llvm::dyn_cast<hlo::TupleOp>(op)) tuples.push_back(tuple);
  });
  for (hlo::GetTupleElementOp element : elements) {  // outer tuples come before what they hold
    if (auto tuple = element.getOperand().getDefiningOp<hlo::TupleOp>()) {
      element.getResult().replaceAllUsesWith(tuple.getVal()[element.getIndex()]);
      element.erase();
    }
  }
  for (hlo::TupleOp tuple : llvm::reverse(tuples)) {
    if (tuple->use_empty()) tuple.erase();
  }
  for (hlo::CustomCallOp call : calls) FlattenCall(call);
  return mlir::success();
}

}  // namespace quern::frontend
