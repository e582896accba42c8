#include "frontend/expand_calls.h"

#include <vector>

#include "frontend/expand_random.h"
#include "frontend/steps.h"
#include "ir/stablehlo/chlo.h"
#include "llvm/ADT/StringMap.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;
using mlir::RankedTensorType;
using mlir::Value;

// Sorts with the positions along the last dimension and keeps the first ones.
static Values TopK(mlir::Operation* op, Value operand, bool largest) {
  Steps steps(op);
  auto type = llvm::cast<RankedTensorType>(operand.getType());
  auto indices_type = llvm::cast<RankedTensorType>(op->getResult(1).getType());
  const int64_t last = type.getRank() - 1;
  auto all_indices = RankedTensorType::get(type.getShape(), indices_type.getElementType());
  Value iota = steps.Create<hlo::IotaOp>(all_indices, last);
  auto sort = steps.Create<hlo::SortOp>(mlir::TypeRange{type, all_indices},
                                        mlir::ValueRange{operand, iota}, last, true);
  {
    mlir::OpBuilder::InsertionGuard guard(steps.builder());
    const mlir::Type scalar = RankedTensorType::get({}, type.getElementType()),
                     index = RankedTensorType::get({}, indices_type.getElementType()),
                     truth = RankedTensorType::get({}, steps.builder().getI1Type());
    mlir::Block* body = steps.Body(sort.getComparator(), {scalar, scalar, index, index});
    hlo::ComparisonTypeAttr order;
    if (llvm::isa<mlir::FloatType>(type.getElementType()))
      order = hlo::ComparisonTypeAttr::get(op->getContext(), hlo::ComparisonType::TOTALORDER);
    steps.Return(steps.Create<hlo::CompareOp>(
        truth, body->getArgument(0), body->getArgument(1),
        hlo::ComparisonDirectionAttr::get(op->getContext(), largest ? hlo::ComparisonDirection::GT
                                                                    : hlo::ComparisonDirection::LT),
        order));
  }
  const llvm::SmallVector<int64_t> zeros(type.getRank(), 0), ones(type.getRank(), 1);
  Values results;
  for (auto [result, sorted] : llvm::zip(op->getResults(), sort.getResults())) {
    auto kept = llvm::cast<RankedTensorType>(result.getType());
    results.push_back(
        steps.Create<hlo::SliceOp>(kept, sorted, steps.builder().getDenseI64ArrayAttr(zeros),
                                   steps.builder().getDenseI64ArrayAttr(kept.getShape()),
                                   steps.builder().getDenseI64ArrayAttr(ones)));
  }
  return results;
}

// Whether results are what TopK makes: the operand with a shorter last dimension, and integers.
static bool IsTopK(hlo::CustomCallOp call) {
  if (call.getInputs().size() != 1 || call.getNumResults() != 2) return false;
  auto from = llvm::dyn_cast<RankedTensorType>(call.getInputs()[0].getType()),
       values = llvm::dyn_cast<RankedTensorType>(call.getType(0)),
       indices = llvm::dyn_cast<RankedTensorType>(call.getType(1));
  return from && values && indices && from.getRank() > 0 && values.getRank() == from.getRank() &&
         values.getShape().drop_back() == from.getShape().drop_back() &&
         values.getShape().back() <= from.getShape().back() &&
         values.getElementType() == from.getElementType() &&
         values.getShape() == indices.getShape() && indices.getElementType().isInteger();
}

static Values ExpandTopK(hlo::CustomCallOp call) {
  if (!IsTopK(call)) return {};
  auto attributes = call->getAttrOfType<mlir::DictionaryAttr>("mhlo.attributes");
  auto largest = attributes ? attributes.getAs<mlir::BoolAttr>("largest") : mlir::BoolAttr();
  return TopK(call, call.getInputs()[0], !largest || largest.getValue());
}

// Threefry of two 32-bit words.
static Values ExpandThreefry(hlo::CustomCallOp call) {
  if (call.getInputs().size() != 4 || call.getNumResults() != 2) return {};
  auto type = llvm::dyn_cast<RankedTensorType>(call.getInputs()[0].getType());
  const auto same = [&](mlir::Type other) { return other == type; };
  if (!type || !type.getElementType().isUnsignedInteger(32) ||
      !llvm::all_of(call.getOperandTypes(), same) || !llvm::all_of(call.getResultTypes(), same)) {
    return {};
  }
  Steps steps(call);
  const mlir::ValueRange x = call.getInputs();
  const auto words = ThreefrySteps(steps, {x[2], x[3]}, {x[0], x[1]});
  return {words[0], words[1]};
}

// A letter of the call's configuration; 0 if it is not there.
static char Letter(mlir::DictionaryAttr configuration, llvm::StringRef name) {
  auto letter = configuration.getAs<mlir::IntegerAttr>(name);
  return letter && letter.getValue().getBitWidth() == 8
             ? static_cast<char>(letter.getValue().getZExtValue())
             : '\0';
}

static Values ExpandTrsm(hlo::CustomCallOp call) {
  auto configuration = call->getAttrOfType<mlir::DictionaryAttr>("mhlo.backend_config");
  if (!configuration || call.getInputs().size() != 2 || call.getNumResults() != 1 ||
      call.getType(0) != call.getInputs()[1].getType()) {
    return {};
  }
  const char side = Letter(configuration, "side"), lower = Letter(configuration, "uplo"),
             diagonal = Letter(configuration, "diag"),
             transposed = Letter(configuration, "trans_x");
  if ((side != 'L' && side != 'R') || (lower != 'L' && lower != 'U') ||
      (diagonal != 'N' && diagonal != 'U')) {
    return {};
  }
  hlo::Transpose transpose;
  switch (transposed) {
    case 'N':
      transpose = hlo::Transpose::NO_TRANSPOSE;
      break;
    case 'T':
      transpose = hlo::Transpose::TRANSPOSE;
      break;
    case 'C':
      transpose = hlo::Transpose::ADJOINT;
      break;
    default:
      return {};
  }
  return {Steps(call).Create<hlo::TriangularSolveOp>(call.getType(0), call.getInputs()[0],
                                                     call.getInputs()[1], side == 'L', lower == 'L',
                                                     diagonal == 'U', transpose)};
}

template <typename Op>
static Values ExpandFunction(hlo::CustomCallOp call) {
  if (call.getInputs().size() != 1 || call.getInputs().getTypes() != call.getResultTypes())
    return {};
  return {Steps(call).Create<Op>(call.getType(0), call.getInputs()[0])};
}

static Values ExpandCall(hlo::CustomCallOp call) {
  static const llvm::StringMap<Values (*)(hlo::CustomCallOp)> kCalls = {
      {"mhlo.erf", ExpandFunction<chlo::ErfOp>},
      {"mhlo.tan", ExpandFunction<hlo::TanOp>},
      {"mhlo.topk", ExpandTopK},
      {"cu_threefry2x32_ffi", ExpandThreefry},
      {"hip_threefry2x32_ffi", ExpandThreefry},
      {"lapack_strsm_ffi", ExpandTrsm},
      {"lapack_dtrsm_ffi", ExpandTrsm},
      {"lapack_ctrsm_ffi", ExpandTrsm},
      {"lapack_ztrsm_ffi", ExpandTrsm},
  };
  auto found = kCalls.find(call.getCallTargetName());
  return found == kCalls.end() ? Values() : found->second(call);
}

void ExpandCalls(mlir::func::FuncOp function) {
  std::vector<mlir::Operation*> ops;
  function.walk([&](mlir::Operation* op) {
    if (llvm::isa<hlo::CustomCallOp, chlo::TopKOp>(op)) ops.push_back(op);
  });
  for (mlir::Operation* op : ops) {
    auto call = llvm::dyn_cast<hlo::CustomCallOp>(op);
    const Values values = call ? ExpandCall(call) : TopK(op, op->getOperand(0), /*largest=*/true);
    if (values.empty()) continue;
    op->replaceAllUsesWith(values);
    op->erase();
  }
}

}  // namespace quern::frontend
