#include "frontend/simplify.h"

#include <vector>

#include "frontend/fold.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;
using mlir::Value;

static bool AreZero(llvm::ArrayRef<int64_t> numbers) {
  return llvm::all_of(numbers, [](int64_t n) { return n == 0; });
}

static bool IsIdentity(llvm::ArrayRef<int64_t> dimensions) {
  for (auto [i, dimension] : llvm::enumerate(dimensions)) {
    if (dimension != static_cast<int64_t>(i)) return false;
  }
  return true;
}

// outer[inner[i]] for each i.
static llvm::SmallVector<int64_t> Compose(llvm::ArrayRef<int64_t> outer,
                                          llvm::ArrayRef<int64_t> inner) {
  llvm::SmallVector<int64_t> composed;
  for (int64_t i : inner) composed.push_back(outer[i]);
  return composed;
}

static Value Simplify(hlo::ReshapeOp op) {
  auto inner = op.getOperand().getDefiningOp<hlo::ReshapeOp>();
  if (!inner) return {};
  if (inner.getOperand().getType() == op.getType()) return inner.getOperand();
  mlir::OpBuilder builder(op);
  return hlo::ReshapeOp::create(builder, op.getLoc(), op.getType(), inner.getOperand());
}

static Value Simplify(hlo::TransposeOp op) {
  if (IsIdentity(op.getPermutation())) return op.getOperand();
  auto inner = op.getOperand().getDefiningOp<hlo::TransposeOp>();
  if (!inner) return {};
  // result[i] = middle[outer[i]] = operand[inner[outer[i]]]
  const llvm::SmallVector<int64_t> both = Compose(inner.getPermutation(), op.getPermutation());
  if (IsIdentity(both)) return inner.getOperand();
  mlir::OpBuilder builder(op);
  return hlo::TransposeOp::create(builder, op.getLoc(), op.getType(), inner.getOperand(),
                                  builder.getDenseI64ArrayAttr(both));
}

static Value Simplify(hlo::BroadcastInDimOp op) {
  if (op.getOperand().getType() == op.getType() && IsIdentity(op.getBroadcastDimensions()))
    return op.getOperand();
  auto inner = op.getOperand().getDefiningOp<hlo::BroadcastInDimOp>();
  if (!inner) return {};
  const llvm::SmallVector<int64_t> both =
      Compose(op.getBroadcastDimensions(), inner.getBroadcastDimensions());
  mlir::OpBuilder builder(op);
  return hlo::BroadcastInDimOp::create(builder, op.getLoc(), op.getType(), inner.getOperand(),
                                       builder.getDenseI64ArrayAttr(both));
}

static Value Simplify(hlo::SelectOp op) {
  auto constant = op.getPred().getDefiningOp<hlo::ConstantOp>();
  auto dense = constant ? llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue())
                        : mlir::DenseElementsAttr();
  if (!dense || !dense.isSplat()) return {};
  return dense.getSplatValue<bool>() ? op.getOnTrue() : op.getOnFalse();
}

// Of an op whose result has its operand's type: whether it is the operand.
static bool GivesOperand(mlir::Operation* op) {
  return llvm::TypeSwitch<mlir::Operation*, bool>(op)
      .Case<hlo::ConvertOp, hlo::ReshapeOp, hlo::DynamicSliceOp, hlo::BitcastConvertOp>(
          [](auto) { return true; })
      .Case([](hlo::SliceOp slice) {
        return AreZero(slice.getStartIndices()) &&
               llvm::all_of(slice.getStrides(), [](int64_t stride) { return stride == 1; });
      })
      .Case([](hlo::PadOp pad) {
        return AreZero(pad.getEdgePaddingLow()) && AreZero(pad.getEdgePaddingHigh()) &&
               AreZero(pad.getInteriorPadding());
      })
      .Case([](hlo::ReverseOp reverse) {
        return llvm::all_of(reverse.getDimensions(), [&](int64_t dimension) {
          return reverse.getOperand().getType().getDimSize(dimension) <= 1;
        });
      })
      .Case([](hlo::ConcatenateOp concatenate) { return concatenate.getInputs().size() == 1; })
      .Default([](mlir::Operation*) { return false; });
}

// What stands for the op's one result; null if the op stays.
static Value Simplified(mlir::Operation* op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0) return {};
  if (op->getOperand(0).getType() == op->getResult(0).getType() && GivesOperand(op))
    return op->getOperand(0);
  return llvm::TypeSwitch<mlir::Operation*, Value>(op)
      .Case<hlo::ReshapeOp, hlo::TransposeOp, hlo::BroadcastInDimOp, hlo::SelectOp>(
          [](auto move) { return Simplify(move); })
      .Case([](hlo::DynamicUpdateSliceOp update) {
        return update.getUpdate().getType() == update.getType() ? update.getUpdate() : Value();
      })
      .Default([](mlir::Operation*) { return Value(); });
}

namespace {

class SimplifyPass
    : public mlir::PassWrapper<SimplifyPass, mlir::OperationPass<mlir::func::FuncOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SimplifyPass)

  llvm::StringRef getArgument() const override { return "quern-simplify"; }
  llvm::StringRef getDescription() const override {
    return "Remove moves that move nothing and compute what constants determine";
  }

  void runOnOperation() override {
    ConstantFolder folder;
    std::vector<mlir::Operation*> ops;
    getOperation().walk([&](mlir::Operation* op) { ops.push_back(op); });
    for (mlir::Operation* op : ops) {  // operands come first, so each is simple already
      Value value = Simplified(op);
      if (!value) value = Constant(op, folder.Fold(op));
      if (!value) continue;
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
    }
  }

 private:
  static Value Constant(mlir::Operation* op, mlir::DenseElementsAttr value) {
    if (!value) return {};
    mlir::OpBuilder builder(op);
    return hlo::ConstantOp::create(builder, op->getLoc(), value.getType(), value);
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> CreateSimplifyPass() { return std::make_unique<SimplifyPass>(); }

}  // namespace quern::frontend
