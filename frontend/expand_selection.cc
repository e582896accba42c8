#include "frontend/expand_selection.h"

#include <vector>

#include "frontend/complex_parts.h"
#include "mlir/IR/IRMapping.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

class Selection {
 public:
  explicit Selection(hlo::SelectAndScatterOp op)
      : op_(op),
        steps_(op),
        type_(Ranked(op.getOperand())),
        position_(type_.clone(steps_.builder().getI32Type())) {}

  void Expand() {
    const Value places = Places();
    const RankedTensorType flat = type_.clone({type_.getNumElements()});
    const int64_t count = Ranked(places).getNumElements();
    auto scatter = steps_.Create<hlo::ScatterOp>(
        mlir::TypeRange(flat), mlir::ValueRange(steps_.Broadcast(op_.getInitValue(), flat, {})),
        steps_.Reshape(places, {count, 1}),
        mlir::ValueRange(steps_.Reshape(op_.getSource(), {count})),
        hlo::ScatterDimensionNumbersAttr::get(op_.getContext(), /*update_window_dims=*/{},
                                              /*inserted_window_dims=*/{0},
                                              /*input_batching_dims=*/{},
                                              /*scatter_indices_batching_dims=*/{},
                                              /*scatter_dims_to_operand_dims=*/{0},
                                              /*index_vector_dim=*/1));
    scatter.getUpdateComputation().takeBody(op_.getScatter());
    op_.getResult().replaceAllUsesWith(steps_.Reshape(scatter.getResult(0), type_.getShape()));
    op_.erase();
  }

 private:
  Value Number(int32_t number) {
    const auto scalar = RankedTensorType::get({}, steps_.builder().getI32Type());
    return steps_.Create<hlo::ConstantOp>(scalar, mlir::DenseElementsAttr::get(scalar, number));
  }

  // For each window, the position of what it selects.
  Value Places() {
    const auto flat = position_.clone({position_.getNumElements()});
    const Value positions =
        steps_.Reshape(steps_.Create<hlo::IotaOp>(flat, 0), position_.getShape());
    RankedTensorType windows = Ranked(op_.getSource());
    mlir::DenseI64ArrayAttr sizes = op_.getWindowDimensionsAttr();
    if (!sizes) {
      sizes = steps_.builder().getDenseI64ArrayAttr(llvm::SmallVector<int64_t>(type_.getRank(), 1));
    }
    const Value nothing = op_.getInitValue();  // any number
    auto reduce = steps_.Create<hlo::ReduceWindowOp>(
        mlir::TypeRange({windows, windows.clone(position_.getElementType())}),
        mlir::ValueRange({op_.getOperand(), positions}), mlir::ValueRange({nothing, Number(-1)}),
        sizes, op_.getWindowStridesAttr(), nullptr, nullptr, op_.getPaddingAttr());
    mlir::OpBuilder::InsertionGuard guard(steps_.builder());
    FillBody(reduce.getBody());
    return reduce.getResult(1);
  }

  // (x, i), the choice so far, and (y, j), which padding leaves out.
  void FillBody(mlir::Region& region) {
    const mlir::Type number = type_.clone(llvm::ArrayRef<int64_t>());
    const mlir::Type index = position_.clone(llvm::ArrayRef<int64_t>());
    mlir::Block* body = steps_.Body(region, {number, index, number, index});
    const Value x = body->getArgument(0), i = body->getArgument(1), y = body->getArgument(2),
                j = body->getArgument(3);
    mlir::IRMapping values;
    mlir::Block& select = op_.getSelect().front();
    values.map(select.getArguments(), mlir::ValueRange({x, y}));
    for (mlir::Operation& op : select.without_terminator()) steps_.builder().clone(op, values);
    const Value keeps = values.lookupOrDefault(select.getTerminator()->getOperand(0));
    const Value chosen = Holds(hlo::ComparisonDirection::GE, i);
    const Value keep = steps_.Binary<hlo::OrOp>(Holds(hlo::ComparisonDirection::LT, j),
                                                steps_.Binary<hlo::AndOp>(chosen, keeps));
    const Value results[] = {steps_.Create<hlo::SelectOp>(number, keep, x, y),
                             steps_.Create<hlo::SelectOp>(index, keep, i, j)};
    steps_.Create<hlo::ReturnOp>(mlir::ValueRange(results));
  }

  // Whether a position compares so with 0.
  Value Holds(hlo::ComparisonDirection direction, Value position) {
    return steps_.Create<hlo::CompareOp>(RankedTensorType::get({}, steps_.builder().getI1Type()),
                                         position, Number(0), direction, nullptr);
  }

  hlo::SelectAndScatterOp op_;
  Steps steps_;
  RankedTensorType type_, position_;
};

}  // namespace

void ExpandSelections(mlir::func::FuncOp function) {
  std::vector<hlo::SelectAndScatterOp> ops;
  function.walk([&](hlo::SelectAndScatterOp op) {
    if (IsComplex(op.getType())) ops.push_back(op);
  });
  for (hlo::SelectAndScatterOp op : ops) Selection(op).Expand();
}

}  // namespace quern::frontend
