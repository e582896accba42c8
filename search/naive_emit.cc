#include "search/naive_emit.h"

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "ir/program/program.h"
#include "ir/stablehlo/stablehlo.h"
#include "search/naive_scalar.h"
#include "search/nest.h"

namespace quern::search {

namespace arith = mlir::arith;
using program::AllocOp;
using program::BufferType;

mlir::RankedTensorType TensorOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

mlir::Type SumType(mlir::Type result) {
  const bool narrow = llvm::isa<mlir::FloatType>(result) && result.getIntOrFloatBitWidth() < 32;
  return narrow ? mlir::Float32Type::get(result.getContext()) : result;
}

mlir::AffineExpr Emission::Constant(int64_t value) const {
  return mlir::getAffineConstantExpr(value, builder_.getContext());
}

Point Emission::OpenLoops(std::string_view prefix, llvm::ArrayRef<int64_t> shape, Point around) {
  around.index.clear();
  for (auto [number, extent] : llvm::enumerate(shape)) {
    program::LoopOp loop = CreateLoop(builder_, absl::StrCat(std::string(prefix), number), extent);
    around.index.push_back(mlir::getAffineDimExpr(around.counters.size(), builder_.getContext()));
    around.counters.push_back(loop.counter());
    builder_.setInsertionPointToEnd(&loop.block());
  }
  return around;
}

void Emission::OpenGuard(const Point& point, llvm::ArrayRef<mlir::AffineExpr> at_least_0,
                         llvm::ArrayRef<mlir::AffineExpr> equal_0) {
  llvm::SmallVector<mlir::AffineExpr> constraints(at_least_0);
  constraints.append(equal_0.begin(), equal_0.end());
  if (constraints.empty()) return;
  llvm::SmallVector<bool> equal(at_least_0.size(), false);
  equal.append(equal_0.size(), true);
  auto set = mlir::IntegerSet::get(point.counters.size(), 0, constraints, equal);
  auto guard = program::GuardOp::create(builder_, builder_.getUnknownLoc(), point.counters, set);
  SetCondition(guard, point.counters, set);
  builder_.setInsertionPointToStart(&guard.getBody().emplaceBlock());
}

mlir::AffineExpr Emission::ComputedIndex(Point& point, mlir::Value integer, mlir::Type element,
                                         int64_t low, int64_t high) {
  mlir::Location location = builder_.getUnknownLoc();
  mlir::Type index = builder_.getIndexType();
  mlir::Value value;
  if (element.isInteger(1) || element.isUnsignedInteger()) {
    if (integer.getType().isInteger(64)) {  // above 2^63 it would become negative
      mlir::Value most = ScalarConstant(builder_, integer.getType(), static_cast<double>(high));
      integer = arith::MinUIOp::create(builder_, location, integer, most);
    }
    value = arith::IndexCastUIOp::create(builder_, location, index, integer);
  } else {
    value = arith::IndexCastOp::create(builder_, location, index, integer);
  }
  value = arith::MaxSIOp::create(builder_, location, value,
                                 arith::ConstantIndexOp::create(builder_, location, low));
  value = arith::MinSIOp::create(builder_, location, value,
                                 arith::ConstantIndexOp::create(builder_, location, high));
  point.counters.push_back(value);
  return mlir::getAffineDimExpr(point.counters.size() - 1, builder_.getContext());
}

mlir::Value Emission::Register(const std::string& name, mlir::Type element) {
  return AllocOp::create(builder_, builder_.getUnknownLoc(),
                         BufferType::get(builder_.getContext(), {}, program::ScalarType(element),
                                         program::Space::Register),
                         name)
      .getBuffer();
}

mlir::Value Emission::LoadRegister(mlir::Value buffer) {
  return program::LoadOp::create(builder_, builder_.getUnknownLoc(),
                                 llvm::cast<BufferType>(buffer.getType()).getElement(), buffer,
                                 mlir::ValueRange(), mlir::AffineMap::get(builder_.getContext()))
      .getValue();
}

void Emission::StoreRegister(mlir::Value value, mlir::Value buffer) { Store(value, buffer, {}); }

mlir::Value Emission::Accumulator(size_t number, mlir::Type type) {
  return Register(number == 0 ? "acc" : absl::StrCat("acc", number), type);
}

llvm::SmallVector<mlir::Value> Emission::LoadRegisters(llvm::ArrayRef<mlir::Value> buffers) {
  llvm::SmallVector<mlir::Value> values;
  for (mlir::Value buffer : buffers) values.push_back(LoadRegister(buffer));
  return values;
}

void Emission::AddProduct(mlir::Value left, mlir::Value right, mlir::Value accumulator) {
  mlir::Location location = builder_.getUnknownLoc();
  mlir::Value sum = LoadRegister(accumulator);
  if (llvm::isa<mlir::FloatType>(sum.getType())) {
    mlir::Value product = mlir::arith::MulFOp::create(builder_, location, left, right);
    sum = mlir::arith::AddFOp::create(builder_, location, sum, product);
  } else if (sum.getType().isInteger(1)) {
    mlir::Value product = mlir::arith::AndIOp::create(builder_, location, left, right);
    sum = mlir::arith::OrIOp::create(builder_, location, sum, product);
  } else {
    mlir::Value product = mlir::arith::MulIOp::create(builder_, location, left, right);
    sum = mlir::arith::AddIOp::create(builder_, location, sum, product);
  }
  StoreRegister(sum, accumulator);
}

absl::StatusOr<mlir::Value> Emission::Read(mlir::Value value, const Point& point) {
  return ReadElement(builder_, value, point, buffers_);
}

mlir::Value Emission::Load(mlir::Value buffer, const Point& point) {
  mlir::AffineMap map =
      mlir::AffineMap::get(point.counters.size(), 0, point.index, builder_.getContext());
  auto load = program::LoadOp::create(
      builder_, builder_.getUnknownLoc(),
      program::ScalarType(llvm::cast<BufferType>(buffer.getType()).getElement()), buffer,
      point.counters, map);
  SetIndex(load, point.counters, map);
  return load.getValue();
}

void Emission::Store(mlir::Value value, mlir::Value buffer, const Point& point) {
  mlir::AffineMap map =
      mlir::AffineMap::get(point.counters.size(), 0, point.index, builder_.getContext());
  auto store = program::StoreOp::create(builder_, builder_.getUnknownLoc(), value, buffer,
                                        point.counters, map);
  SetIndex(store, point.counters, map);
}

absl::StatusOr<llvm::SmallVector<mlir::Value>> Emission::Body(
    mlir::Block& body, llvm::ArrayRef<mlir::Value> arguments) {
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  for (auto [argument, value] : llvm::zip(body.getArguments(), arguments)) {
    scalars[argument] = value;
  }
  // Regions may use scalars from around their op.
  auto scalar = [&](mlir::Value value) -> absl::StatusOr<mlir::Value> {
    if (mlir::Value known = scalars.lookup(value)) return known;
    return Read(value, Point());
  };
  for (mlir::Operation& op : body.without_terminator()) {
    if (llvm::isa<stablehlo::ConstantOp>(op)) continue;
    if (!IsElementwise(&op)) return Unsupported(&op, "is not supported in a reduction");
    llvm::SmallVector<mlir::Value> operands;
    for (mlir::Value operand : op.getOperands()) {
      QUERN_ASSIGN_OR_RETURN(operands.emplace_back(), scalar(operand));
    }
    QUERN_ASSIGN_OR_RETURN(scalars[op.getResult(0)], EmitScalar(builder_, &op, operands));
  }
  llvm::SmallVector<mlir::Value> results;
  for (mlir::Value result : body.getTerminator()->getOperands()) {
    QUERN_ASSIGN_OR_RETURN(results.emplace_back(), scalar(result));
  }
  return results;
}

absl::Status Emission::Combine(mlir::Block& body, llvm::ArrayRef<mlir::Value> arguments,
                               llvm::ArrayRef<mlir::Value> accumulators) {
  QUERN_ASSIGN_OR_RETURN(auto results, Body(body, arguments));
  for (auto [result, accumulator] : llvm::zip(results, accumulators)) {
    StoreRegister(result, accumulator);
  }
  return absl::OkStatus();
}

void Emission::StoreAccumulators(llvm::ArrayRef<mlir::Value> accumulators,
                                 llvm::ArrayRef<mlir::Value> to, const Point& at) {
  for (auto [accumulator, buffer] : llvm::zip(accumulators, to)) {
    Store(LoadRegister(accumulator), buffer, at);
  }
}

}  // namespace quern::search
