#include "ir/stablehlo/verify.h"

#include "llvm/ADT/SmallSet.h"

namespace quern::stablehlo {

mlir::RankedTensorType ScalarOf(mlir::Value value) {
  return mlir::RankedTensorType::get({}, Ranked(value).getElementType());
}

bool AreDistinct(llvm::ArrayRef<int64_t> dimensions, int64_t rank) {
  llvm::SmallSet<int64_t, 8> seen;
  for (int64_t dimension : dimensions) {
    if (dimension < 0 || dimension >= rank || !seen.insert(dimension).second) return false;
  }
  return true;
}

bool AreSorted(llvm::ArrayRef<int64_t> dimensions) { return llvm::is_sorted(dimensions); }

llvm::SmallVector<int64_t> Concatenated(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  llvm::SmallVector<int64_t> all(a);
  all.append(b.begin(), b.end());
  return all;
}

llvm::SmallVector<int64_t> Others(llvm::ArrayRef<int64_t> taken, int64_t rank) {
  llvm::SmallVector<int64_t> others;
  for (int64_t i = 0; i < rank; ++i) {
    if (!llvm::is_contained(taken, i)) others.push_back(i);
  }
  return others;
}

bool Promotes(mlir::Type from, mlir::Type to) {
  if (from == to) return true;
  auto a = llvm::dyn_cast<mlir::ComplexType>(from), b = llvm::dyn_cast<mlir::ComplexType>(to);
  if (a && b) return Promotes(a.getElementType(), b.getElementType());
  if (llvm::isa<mlir::FloatType>(from) && llvm::isa<mlir::FloatType>(to))
    return from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
  auto i = llvm::dyn_cast<mlir::IntegerType>(from), j = llvm::dyn_cast<mlir::IntegerType>(to);
  return i && j && i.getWidth() > 1 && i.getSignedness() == j.getSignedness() &&
         i.getWidth() < j.getWidth();
}

llvm::SmallVector<mlir::Type> BodyScalars(mlir::Region& body, mlir::ValueRange operands) {
  llvm::SmallVector<mlir::Type> scalars;
  mlir::Block& block = body.front();
  for (auto [i, operand] : llvm::enumerate(operands)) {
    mlir::RankedTensorType scalar = ScalarOf(operand);
    if (i < block.getNumArguments()) {
      auto inner = llvm::dyn_cast<mlir::RankedTensorType>(block.getArgument(i).getType());
      if (inner && inner.getRank() == 0 &&
          Promotes(scalar.getElementType(), inner.getElementType())) {
        scalar = inner;
      }
    }
    scalars.push_back(scalar);
  }
  return scalars;
}

mlir::LogicalResult CheckRegion(mlir::Operation* op, mlir::Region& region, llvm::StringRef name,
                                mlir::TypeRange arguments, mlir::TypeRange returned) {
  mlir::Block& block = region.front();
  if (block.getArgumentTypes() != arguments) {
    return op->emitOpError(name) << " must take (" << arguments << "), not ("
                                 << block.getArgumentTypes() << ")";
  }
  mlir::TypeRange actual = block.getTerminator()->getOperandTypes();
  if (actual != returned) {
    return op->emitOpError(name) << " must return (" << returned << "), not (" << actual << ")";
  }
  return mlir::success();
}

mlir::LogicalResult CheckResult(mlir::Operation* op, mlir::Value result,
                                llvm::ArrayRef<int64_t> shape, mlir::Type element) {
  const auto expected = mlir::RankedTensorType::get(shape, element);
  if (Ranked(result).getShape() == shape && Ranked(result).getElementType() == element)
    return mlir::success();
  return op->emitOpError("result must be ") << expected << ", not " << result.getType();
}

}  // namespace quern::stablehlo
