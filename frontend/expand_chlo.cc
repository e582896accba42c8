#include "frontend/expand_chlo.h"

#include "frontend/steps.h"
#include "ir/stablehlo/chlo.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;
using mlir::RankedTensorType;

// The operand in the result's shape. Where no dimensions are named, the last ones meet; an extent
// of 1 is repeated.
static mlir::FailureOr<mlir::Value> Spread(mlir::OpBuilder& builder, mlir::Operation* op,
                                           mlir::Value operand,
                                           mlir::DenseI64ArrayAttr dimensions) {
  const RankedTensorType to = Ranked(op->getResult(0));
  RankedTensorType from = Ranked(operand);
  if (from.getShape() == to.getShape()) return operand;
  llvm::SmallVector<int64_t> where;
  // The attribute is about the operand of the lower rank.
  const bool named = dimensions && static_cast<int64_t>(dimensions.size()) == from.getRank();
  for (int64_t i = 0; i < from.getRank(); ++i)
    where.push_back(named ? dimensions[i] : to.getRank() - from.getRank() + i);
  for (auto [i, dimension] : llvm::enumerate(where)) {
    const bool fits = dimension >= 0 && dimension < to.getRank() &&
                      (from.getDimSize(i) == 1 || from.getDimSize(i) == to.getDimSize(dimension));
    if (!fits || (i > 0 && dimension <= where[i - 1]))
      return op->emitOpError("operand of type ") << from << " does not broadcast to " << to;
  }
  return hlo::BroadcastInDimOp::create(builder, op->getLoc(),
                                       RankedTensorType::get(to.getShape(), from.getElementType()),
                                       operand, where)
      .getResult();
}

// The op that a broadcasting one applies, nothing for another op.
static std::string AppliedOp(mlir::Operation* op) {
  llvm::StringRef name = op->getName().getStringRef();
  if (!name.consume_front("chlo.broadcast_")) return "";
  const bool chlo = name == "next_after" || name == "polygamma" || name == "zeta";
  return ((chlo ? "chlo." : "stablehlo.") + name).str();
}

static mlir::LogicalResult ExpandBroadcast(mlir::Operation* op, const std::string& applied) {
  mlir::OpBuilder builder(op);
  const auto dimensions = op->getAttrOfType<mlir::DenseI64ArrayAttr>("broadcast_dimensions");
  mlir::OperationState state(op->getLoc(), applied);
  for (mlir::Value operand : op->getOperands()) {
    mlir::FailureOr<mlir::Value> spread = Spread(builder, op, operand, dimensions);
    if (failed(spread)) return mlir::failure();
    state.addOperands(*spread);
  }
  state.addTypes(op->getResultTypes());
  for (mlir::NamedAttribute attribute : op->getAttrs()) {
    if (attribute.getName() != "broadcast_dimensions") state.attributes.push_back(attribute);
  }
  op->replaceAllUsesWith(builder.create(state));
  op->erase();
  return mlir::success();
}

// The value that stands for the op's; null if the op stays.
static mlir::Value Replacement(mlir::OpBuilder& builder, mlir::Operation* op) {
  const mlir::Location location = op->getLoc();
  return llvm::TypeSwitch<mlir::Operation*, mlir::Value>(op)
      .Case([&](chlo::ConstantOp constant) {
        return hlo::ConstantOp::create(builder, location, constant.getType(), constant.getValue());
      })
      .Case([&](chlo::ConstantLikeOp constant) {
        const RankedTensorType type = Ranked(constant.getResult());
        return hlo::ConstantOp::create(builder, location, type,
                                       mlir::DenseElementsAttr::get(type, constant.getValue()));
      })
      .Case([&](chlo::SquareOp square) {
        return hlo::MulOp::create(builder, location, square.getType(), square.getOperand(),
                                  square.getOperand());
      })
      .Case([&](chlo::TanOp tan) {
        return hlo::TanOp::create(builder, location, tan.getType(), tan.getOperand());
      })
      .Default([](mlir::Operation*) { return mlir::Value(); });
}

mlir::LogicalResult ExpandChlo(mlir::func::FuncOp function) {
  llvm::SmallVector<mlir::Operation*> ops;
  function.walk([&](mlir::Operation* op) {
    if (op->getName().getDialectNamespace() == "chlo") ops.push_back(op);
  });
  for (mlir::Operation* op : ops) {
    if (const std::string applied = AppliedOp(op); !applied.empty()) {
      if (failed(ExpandBroadcast(op, applied))) return mlir::failure();
      continue;
    }
    mlir::OpBuilder builder(op);
    if (mlir::Value value = Replacement(builder, op)) {
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
    }
  }
  return mlir::success();
}

}  // namespace quern::frontend
