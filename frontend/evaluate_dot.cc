#include "frontend/evaluate.h"
#include "frontend/products.h"
#include "frontend/strided.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;

static int64_t Extent(const TensorType& type, llvm::ArrayRef<int64_t> dimensions) {
  int64_t extent = 1;
  for (int64_t dimension : dimensions) extent *= type.shape[dimension];
  return extent;
}

static llvm::SmallVector<int64_t> FreeDimensions(const TensorType& type,
                                                 llvm::ArrayRef<int64_t> batch,
                                                 llvm::ArrayRef<int64_t> contract) {
  llvm::SmallVector<int64_t> free;
  for (int64_t i = 0; i < static_cast<int64_t>(type.shape.size()); ++i) {
    if (!llvm::is_contained(batch, i) && !llvm::is_contained(contract, i)) free.push_back(i);
  }
  return free;
}

static llvm::SmallVector<int64_t> Concatenate(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b,
                                              llvm::ArrayRef<int64_t> c) {
  llvm::SmallVector<int64_t> all(a);
  all.append(b.begin(), b.end());
  all.append(c.begin(), c.end());
  return all;
}

static absl::StatusOr<Tensor> DotGeneral(hlo::DotGeneralOp dot, const Scope& scope) {
  const Tensor& lhs = scope(dot.getLhs());
  const Tensor& rhs = scope(dot.getRhs());
  const TensorType type = *hlo::ToTensorType(dot.getType());
  const std::optional<ElementType> sum =
      SumType(lhs.type().element, rhs.type().element, type.element);
  if (!sum) return UndefinedOp(*dot);

  hlo::DotDimensionNumbersAttr numbers = dot.getDotDimensionNumbers();
  llvm::ArrayRef<int64_t> lhs_batch = numbers.getLhsBatchingDimensions(),
                          rhs_batch = numbers.getRhsBatchingDimensions(),
                          lhs_contract = numbers.getLhsContractingDimensions(),
                          rhs_contract = numbers.getRhsContractingDimensions();
  const auto lhs_free = FreeDimensions(lhs.type(), lhs_batch, lhs_contract);
  const auto rhs_free = FreeDimensions(rhs.type(), rhs_batch, rhs_contract);
  QUERN_ASSIGN_OR_RETURN(Tensor left,
                         Transpose(lhs, Concatenate(lhs_batch, lhs_free, lhs_contract)));
  QUERN_ASSIGN_OR_RETURN(Tensor right,
                         Transpose(rhs, Concatenate(rhs_batch, rhs_contract, rhs_free)));
  QUERN_ASSIGN_OR_RETURN(left, Convert(std::move(left), *sum));
  QUERN_ASSIGN_OR_RETURN(right, Convert(std::move(right), *sum));
  QUERN_ASSIGN_OR_RETURN(Tensor out, Tensor::Create({.element = *sum, .shape = type.shape}));
  const int64_t batches = Extent(lhs.type(), lhs_batch), rows = Extent(lhs.type(), lhs_free);
  const int64_t depth = Extent(lhs.type(), lhs_contract), columns = Extent(rhs.type(), rhs_free);
  const int64_t size = ByteSize(*sum);
  for (int64_t b = 0; b < batches; ++b) {
    AddProducts(*sum, left.data() + b * rows * depth * size,
                right.data() + b * depth * columns * size, out.data() + b * rows * columns * size,
                {rows, depth, columns, depth, columns, columns});
  }
  return Convert(std::move(out), type.element);
}

Evaluator FindDot(mlir::Operation& op) {
  return llvm::isa<hlo::DotGeneralOp>(op) ? Single<hlo::DotGeneralOp, DotGeneral> : nullptr;
}

}  // namespace quern::frontend
