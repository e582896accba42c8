#include "frontend/fold.h"

#include <algorithm>
#include <cmath>

#include "frontend/evaluate.h"
#include "ir/stablehlo/constant.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/TypeUtilities.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;
using mlir::DenseElementsAttr;

// Ops whose results are elements of the first operand at other places.
static bool Rearranges(mlir::Operation* op) {
  return llvm::isa<hlo::BroadcastInDimOp, hlo::ReshapeOp, hlo::TransposeOp, hlo::SliceOp,
                   hlo::ReverseOp, hlo::DynamicSliceOp, hlo::GatherOp>(op);
}

// Ops whose results have bits of the operands'.
static bool KeepsBits(mlir::Operation* op) {
  return Rearranges(op) ||
         llvm::isa<hlo::BitcastConvertOp, hlo::ComplexOp, hlo::ConcatenateOp,
                   hlo::DynamicUpdateSliceOp, hlo::ImagOp, hlo::PadOp, hlo::RealOp, hlo::SelectOp>(
             op);
}

// Ops that round once, if at all.
static bool RoundsOnce(mlir::Operation* op) {
  if (op->getNumOperands() == 0) return false;
  const mlir::Type element = mlir::getElementTypeOrSelf(op->getOperand(0).getType());
  if (llvm::isa<mlir::ComplexType>(element) ||
      llvm::isa<mlir::ComplexType>(mlir::getElementTypeOrSelf(op->getResult(0).getType()))) {
    return false;
  }
  if (llvm::isa<hlo::PowOp>(op)) return llvm::isa<mlir::IntegerType>(element);
  return llvm::isa<hlo::AbsOp, hlo::AddOp, hlo::AndOp, hlo::CeilOp, hlo::ClampOp, hlo::ClzOp,
                   hlo::CompareOp, hlo::ConvertOp, hlo::DivOp, hlo::FloorOp, hlo::IsFiniteOp,
                   hlo::MaxOp, hlo::MinOp, hlo::MulOp, hlo::NegateOp, hlo::NotOp, hlo::OrOp,
                   hlo::PopulationCountOp, hlo::ReducePrecisionOp, hlo::RemOp,
                   hlo::RoundNearestAfzOp, hlo::RoundNearestEvenOp, hlo::ShiftLeftOp,
                   hlo::ShiftRightArithmeticOp, hlo::ShiftRightLogicalOp, hlo::SignOp, hlo::SqrtOp,
                   hlo::SubtractOp, hlo::XorOp>(op);
}

static bool HasNan(const Tensor& tensor) {
  if (!IsFloat(tensor.type().element)) return false;
  for (int64_t i = 0; i < tensor.type().num_elements(); ++i) {
    if (std::isnan(tensor.At(i))) return true;
  }
  return false;
}

static bool HasFloats(mlir::Value value) {
  return llvm::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(value.getType()));
}

// What a constant op holds; null of another value, or if the data is elsewhere.
static DenseElementsAttr ConstantOf(mlir::Value value) {
  auto constant = value.getDefiningOp<hlo::ConstantOp>();
  return constant ? llvm::dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
}

// The numbers that a constant needs in memory.
static int64_t Stored(DenseElementsAttr constant) {
  return constant.isSplat() ? 1 : constant.getNumElements();
}

// Of one number for each operand.
static absl::StatusOr<Tensor> Compute(const Elementwise& function, ElementType result,
                                      llvm::ArrayRef<DenseElementsAttr> operands) {
  llvm::SmallVector<Tensor, 3> numbers;
  llvm::SmallVector<const std::byte*, 3> data;
  for (DenseElementsAttr operand : operands) {
    const auto scalar = mlir::RankedTensorType::get({}, operand.getElementType());
    QUERN_ASSIGN_OR_RETURN(Tensor number, hlo::ToTensor(operand.resizeSplat(scalar)));
    data.push_back(numbers.emplace_back(std::move(number)).data());
  }
  QUERN_ASSIGN_OR_RETURN(Tensor number, Tensor::Create({result, {}}));
  function(data.data(), number.data(), 1);
  return number;
}

static absl::StatusOr<Tensor> Compute(mlir::Operation* op, Evaluator evaluate,
                                      llvm::ArrayRef<DenseElementsAttr> operands) {
  llvm::SmallDenseMap<mlir::Value, SharedTensor> held;
  for (auto [value, operand] : llvm::zip(op->getOperands(), operands)) {
    QUERN_ASSIGN_OR_RETURN(Tensor tensor, hlo::ToTensor(operand));
    held[value] = std::make_shared<const Tensor>(std::move(tensor));
  }
  const auto find = [&](mlir::Value value) -> const SharedTensor& { return held[value]; };
  const auto none = [](mlir::Operation& other, Lookup) { return UndefinedOp(other); };
  QUERN_ASSIGN_OR_RETURN(const std::vector<SharedTensor> results,
                         evaluate(*op, Scope(find, none, nullptr)));
  return results.front()->Clone();
}

DenseElementsAttr ConstantFolder::Fold(mlir::Operation* op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0) return {};
  const auto type = llvm::dyn_cast<mlir::RankedTensorType>(op->getResult(0).getType());
  const std::optional<TensorType> result =
      type ? hlo::ToTensorType(type) : std::optional<TensorType>();
  if (!result) return {};
  DenseElementsAttr first = ConstantOf(op->getOperand(0));
  if (!first) return {};
  const bool any = type.getNumElements() > 0;
  if (any && first.isSplat() && Rearranges(op)) return first.resizeSplat(type);
  if (!KeepsBits(op) && !RoundsOnce(op)) return {};
  llvm::SmallVector<DenseElementsAttr> operands;
  for (mlir::Value operand : op->getOperands()) {
    if (!operands.emplace_back(ConstantOf(operand))) return {};
  }
  const auto is_splat = [](DenseElementsAttr operand) { return operand.isSplat(); };
  if (const Elementwise function = FindElementwise(*op);
      any && function != nullptr && llvm::all_of(operands, is_splat)) {
    const absl::StatusOr<Tensor> number = Compute(function, result->element, operands);
    if (!number.ok() || (!KeepsBits(op) && HasNan(*number))) return {};
    return hlo::FromTensor(*number, type.clone(llvm::ArrayRef<int64_t>())).resizeSplat(type);
  }
  const bool floats = llvm::any_of(op->getOperands(), HasFloats) || HasFloats(op->getResult(0));
  if (any && floats && !KeepsBits(op)) return {};
  return FoldTables(op, *result, operands);
}

DenseElementsAttr ConstantFolder::FoldTables(mlir::Operation* op, const TensorType& result,
                                             llvm::ArrayRef<DenseElementsAttr> operands) {
  int64_t elements = 0, stored = 0;
  for (DenseElementsAttr operand : operands) {
    if (operand.getNumElements() > kMaxElements) return {};
    elements += operand.getNumElements();
    stored += Stored(operand);
  }
  const Evaluator evaluate = FindEvaluator(*op);
  if (evaluate == nullptr || result.num_elements() > std::min(elements, kMaxElements) ||
      result.num_bytes() > bytes_left_) {
    return {};
  }
  bytes_left_ -= result.num_bytes();
  const absl::StatusOr<Tensor> value = Compute(op, evaluate, operands);
  if (!value.ok() || (!KeepsBits(op) && HasNan(*value))) return {};
  const DenseElementsAttr constant =
      hlo::FromTensor(*value, llvm::cast<mlir::RankedTensorType>(op->getResult(0).getType()));
  return Stored(constant) <= std::max<int64_t>(stored, 1) ? constant : DenseElementsAttr();
}

}  // namespace quern::frontend
