#include "search/rules/reduction.h"

#include <limits>

#include "llvm/ADT/TypeSwitch.h"
#include "search/nest.h"

namespace quern::search {

using program::LoadOp;
using program::LoopOp;
using program::StoreOp;

std::optional<Accumulation> FindAccumulation(LoopOp loop) {
  if (!IsInnermost(loop)) return std::nullopt;
  std::optional<Accumulation> found;
  for (StoreOp store : loop.block().getOps<StoreOp>()) {
    auto alloc = store.getBuffer().getDefiningOp<program::AllocOp>();
    if (!alloc || loop->isAncestor(alloc) || !alloc.getBuffer().getType().getShape().empty()) {
      return std::nullopt;
    }
    mlir::Operation* combine = store.getValue().getDefiningOp();
    if (found || !combine || combine->getBlock() != &loop.block()) return std::nullopt;
    for (mlir::Value operand : combine->getOperands()) {
      auto load = operand.getDefiningOp<LoadOp>();
      if (load && load.getBuffer() == store.getBuffer() && load.getValue().hasOneUse() &&
          load->getBlock() == &loop.block()) {
        found = Accumulation{
            .load = load, .store = store, .combine = combine, .accumulator = store.getBuffer()};
      }
    }
    if (!found) return std::nullopt;
  }
  return found;
}

mlir::Value Combine(mlir::OpBuilder& builder, mlir::Operation* combine, mlir::Value left,
                    mlir::Value right) {
  mlir::Location location = combine->getLoc();
  if (llvm::isa<mlir::math::FmaOp>(combine)) {
    return mlir::arith::AddFOp::create(builder, location, left, right);
  }
  mlir::OperationState state(location, combine->getName());
  state.addOperands({left, right});
  state.addTypes(left.getType());
  state.addAttributes(combine->getAttrs());
  return builder.create(state)->getResult(0);
}

mlir::Value Neutral(mlir::OpBuilder& builder, mlir::Operation* combine) {
  mlir::Type type = combine->getResult(0).getType();
  auto constant = [&](auto value) -> mlir::Value {
    mlir::TypedAttr attribute;
    if (auto floating = llvm::dyn_cast<mlir::FloatType>(type)) {
      attribute = builder.getFloatAttr(floating, static_cast<double>(value));
    } else {
      attribute = builder.getIntegerAttr(type, static_cast<int64_t>(value));
    }
    return mlir::arith::ConstantOp::create(builder, combine->getLoc(), attribute);
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
  auto integer = [&](const llvm::APInt& value) -> mlir::Value {
    return mlir::arith::ConstantOp::create(builder, combine->getLoc(),
                                           builder.getIntegerAttr(type, value));
  };
  return llvm::TypeSwitch<mlir::Operation*, mlir::Value>(combine)
      .Case<mlir::arith::AddFOp, mlir::math::FmaOp>([&](auto) { return constant(0.0); })
      .Case<mlir::arith::MulFOp>([&](auto) { return constant(1.0); })
      .Case<mlir::arith::MaximumFOp>([&](auto) { return constant(-kInfinity); })
      .Case<mlir::arith::MinimumFOp>([&](auto) { return constant(kInfinity); })
      .Case<mlir::arith::AddIOp, mlir::arith::OrIOp, mlir::arith::XOrIOp>(
          [&](auto) { return constant(int64_t{0}); })
      .Case<mlir::arith::MulIOp>([&](auto) { return constant(int64_t{1}); })
      .Case<mlir::arith::AndIOp>([&](auto) { return constant(int64_t{-1}); })
      .Case<mlir::arith::MaxSIOp>(
          [&](auto) { return integer(llvm::APInt::getSignedMinValue(bits)); })
      .Case<mlir::arith::MinSIOp>(
          [&](auto) { return integer(llvm::APInt::getSignedMaxValue(bits)); })
      .Case<mlir::arith::MaxUIOp>([&](auto) { return integer(llvm::APInt::getZero(bits)); })
      .Case<mlir::arith::MinUIOp>([&](auto) { return integer(llvm::APInt::getMaxValue(bits)); })
      .Default(mlir::Value());
}

}  // namespace quern::search
