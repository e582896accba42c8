#include "bundle/status.h"
#include "ir/program/program.h"
#include "search/naive_convert.h"
#include "search/naive_ops.h"
#include "search/naive_scalar.h"

namespace quern::search {

namespace hlo = stablehlo;

static absl::Status EmitReduce(Emission& emit, hlo::ReduceOp reduce, const Point& point,
                               llvm::ArrayRef<mlir::Value> destinations) {
  mlir::OpBuilder& builder = emit.builder();
  llvm::SmallVector<mlir::Value> accumulators;
  for (auto [number, init] : llvm::enumerate(reduce.getInitValues())) {
    accumulators.push_back(emit.Accumulator(number, TensorOf(init).getElementType()));
    QUERN_ASSIGN_OR_RETURN(mlir::Value first, emit.Read(init, {}));
    emit.StoreRegister(first, accumulators.back());
  }
  mlir::OpBuilder::InsertPoint after = builder.saveInsertionPoint();
  llvm::ArrayRef<int64_t> shape = TensorOf(reduce.getInputs().front()).getShape();
  llvm::SmallVector<int64_t> reduced;
  for (int64_t dimension : reduce.getDimensions()) reduced.push_back(shape[dimension]);
  Point inside = emit.OpenLoops("r", reduced, point);
  llvm::SmallVector<mlir::AffineExpr> index;
  size_t kept = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    auto at = llvm::find(reduce.getDimensions(), static_cast<int64_t>(i));
    index.push_back(at == reduce.getDimensions().end()
                        ? point.index[kept++]
                        : inside.index[at - reduce.getDimensions().begin()]);
  }
  inside.index = index;
  llvm::SmallVector<mlir::Value> arguments = emit.LoadRegisters(accumulators);
  for (mlir::Value input : reduce.getInputs()) {
    QUERN_ASSIGN_OR_RETURN(arguments.emplace_back(), emit.Read(input, inside));
  }
  QUERN_RETURN_IF_ERROR(emit.Combine(reduce.getBody().front(), arguments, accumulators));
  builder.restoreInsertionPoint(after);
  emit.StoreAccumulators(accumulators, destinations, point);
  return absl::OkStatus();
}

static absl::Status EmitDot(Emission& emit, hlo::DotGeneralOp dot, const Point& point,
                            mlir::Value destination) {
  mlir::OpBuilder& builder = emit.builder();
  mlir::Type type = TensorOf(dot.getResult()).getElementType();
  mlir::Type sum_type = SumType(type);
  mlir::Value accumulator = emit.Accumulator(0, sum_type);
  emit.StoreRegister(ScalarConstant(builder, program::ScalarType(sum_type), 0), accumulator);
  mlir::OpBuilder::InsertPoint after = builder.saveInsertionPoint();

  hlo::DotDimensionNumbersAttr numbers = dot.getDotDimensionNumbers();
  llvm::SmallVector<int64_t> contracted;
  for (int64_t dimension : numbers.getLhsContractingDimensions()) {
    contracted.push_back(TensorOf(dot.getLhs()).getShape()[dimension]);
  }
  Point inside = emit.OpenLoops("r", contracted, point);
  size_t free = numbers.getLhsBatchingDimensions().size();
  // Results are indexed by the batch, the free dimensions of the left and those of the right.
  auto operand = [&](mlir::Value value, llvm::ArrayRef<int64_t> batching,
                     llvm::ArrayRef<int64_t> contracting) -> absl::StatusOr<mlir::Value> {
    Point at{.counters = inside.counters};
    for (int64_t i = 0; i < TensorOf(value).getRank(); ++i) {
      auto batch = llvm::find(batching, i), contract = llvm::find(contracting, i);
      if (batch != batching.end()) {
        at.index.push_back(point.index[batch - batching.begin()]);
      } else if (contract != contracting.end()) {
        at.index.push_back(inside.index[contract - contracting.begin()]);
      } else {
        at.index.push_back(point.index[free++]);
      }
    }
    QUERN_ASSIGN_OR_RETURN(mlir::Value element, emit.Read(value, at));
    return ConvertScalar(builder, element, TensorOf(value).getElementType(), sum_type);
  };
  QUERN_ASSIGN_OR_RETURN(mlir::Value left, operand(dot.getLhs(), numbers.getLhsBatchingDimensions(),
                                                   numbers.getLhsContractingDimensions()));
  QUERN_ASSIGN_OR_RETURN(mlir::Value right,
                         operand(dot.getRhs(), numbers.getRhsBatchingDimensions(),
                                 numbers.getRhsContractingDimensions()));
  emit.AddProduct(left, right, accumulator);
  builder.restoreInsertionPoint(after);
  emit.Store(ConvertScalar(builder, emit.LoadRegister(accumulator), sum_type, type), destination,
             point);
  return absl::OkStatus();
}

std::optional<absl::Status> EmitReduction(Emission& emit, mlir::Operation* op, const Point& at,
                                          llvm::ArrayRef<mlir::Value> to) {
  if (auto reduce = llvm::dyn_cast<hlo::ReduceOp>(op)) return EmitReduce(emit, reduce, at, to);
  if (auto dot = llvm::dyn_cast<hlo::DotGeneralOp>(op)) return EmitDot(emit, dot, at, to[0]);
  return std::nullopt;
}

}  // namespace quern::search
