#include "frontend/scalar_function.h"

#include <cstring>

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;

static bool IsScalar(mlir::Type type) {
  return llvm::cast<mlir::RankedTensorType>(type).getShape().empty();
}

absl::StatusOr<ScalarFunction> ScalarFunction::Create(mlir::Region& region, const Scope& scope) {
  mlir::Block& block = region.front();
  ScalarFunction function(block, scope);
  for (mlir::BlockArgument argument : block.getArguments()) function.NewSlot(argument);
  for (mlir::Operation& op : block.without_terminator()) {
    QUERN_ASSIGN_OR_RETURN(const bool is_step, function.AddStep(op));
    if (is_step) continue;
    function.general_.emplace(block);
    return function;
  }
  for (mlir::Value result : block.getTerminator()->getOperands()) {
    QUERN_ASSIGN_OR_RETURN(const size_t slot, function.SlotOf(result));
    function.results_.push_back(slot);
    function.staging_.emplace_back(kLanes * function.sizes_[slot]);
  }
  return function;
}

size_t ScalarFunction::NewSlot(mlir::Value value) {
  const size_t slot = slots_.size();
  const int64_t size = ByteSize(hlo::ToTensorType(value.getType())->element);
  slots_.emplace_back(kLanes * size);
  sizes_.push_back(size);
  where_.push_back(slots_.back().data());
  numbers_[value] = slot;
  return slot;
}

absl::Status ScalarFunction::FillSlot(mlir::Value value, const Tensor& scalar) {
  QUERN_ASSIGN_OR_RETURN(Tensor lanes, Spread(scalar, {kLanes}));
  std::memcpy(slots_[NewSlot(value)].data(), lanes.data(), lanes.type().num_bytes());
  return absl::OkStatus();
}

absl::StatusOr<size_t> ScalarFunction::SlotOf(mlir::Value value) {
  if (!numbers_.contains(value)) QUERN_RETURN_IF_ERROR(FillSlot(value, scope_(value)));
  return numbers_.find(value)->second;
}

absl::StatusOr<bool> ScalarFunction::AddStep(mlir::Operation& op) {
  if (!llvm::all_of(op.getResultTypes(), IsScalar) || !llvm::all_of(op.getOperandTypes(), IsScalar))
    return false;
  if (auto constant = llvm::dyn_cast<hlo::ConstantOp>(op)) {
    QUERN_ASSIGN_OR_RETURN(std::vector<SharedTensor> value, FindMovement(op)(op, scope_));
    QUERN_RETURN_IF_ERROR(FillSlot(op.getResult(0), *value.front()));
    return true;
  }
  const bool moves = llvm::isa<hlo::BroadcastInDimOp, hlo::ReshapeOp, hlo::TransposeOp>(op);
  Elementwise run = moves ? nullptr : FindElementwise(op);
  if (!moves && run == nullptr) return false;
  llvm::SmallVector<size_t, 3> operands;
  for (mlir::Value operand : op.getOperands()) {
    QUERN_ASSIGN_OR_RETURN(const size_t slot, SlotOf(operand));
    operands.push_back(slot);
  }
  if (moves) {  // a scalar to a scalar
    numbers_[op.getResult(0)] = operands[0];
  } else {
    const size_t result = NewSlot(op.getResult(0));
    steps_.push_back({run, std::move(operands), result});
  }
  return true;
}

absl::Status ScalarFunction::RunLaneByLane(llvm::ArrayRef<const std::byte*> arguments,
                                           llvm::ArrayRef<std::byte*> results,
                                           int64_t lanes) const {
  for (int64_t lane = 0; lane < lanes; ++lane) {
    std::vector<SharedTensor> scalars;
    for (auto [i, argument] : llvm::enumerate(block_->getArguments())) {
      QUERN_ASSIGN_OR_RETURN(Tensor scalar, Tensor::Create(*hlo::ToTensorType(argument.getType())));
      std::memcpy(scalar.data(), arguments[i] + lane * sizes_[i], sizes_[i]);
      scalars.push_back(std::make_shared<const Tensor>(std::move(scalar)));
    }
    QUERN_ASSIGN_OR_RETURN(std::vector<SharedTensor> values,
                           general_->Run(scalars, &scope_, scope_.other()));
    for (auto [value, result] : llvm::zip(values, results)) {
      const int64_t size = value->type().num_bytes();
      std::memcpy(result + lane * size, value->data(), size);
    }
  }
  return absl::OkStatus();
}

absl::Status ScalarFunction::Run(llvm::ArrayRef<const std::byte*> arguments,
                                 llvm::ArrayRef<std::byte*> results, int64_t lanes) {
  if (general_) return RunLaneByLane(arguments, results, lanes);
  for (size_t i = 0; i < arguments.size(); ++i) where_[i] = arguments[i];
  const std::byte* operands[3];
  for (const Step& step : steps_) {
    for (size_t i = 0; i < step.operands.size(); ++i) operands[i] = where_[step.operands[i]];
    // All others have read the arguments when the last one writes.
    const bool direct =
        results.size() == 1 && &step == &steps_.back() && step.result == results_[0];
    step.run(operands, direct ? results[0] : slots_[step.result].data(), lanes);
    if (direct) return absl::OkStatus();
  }
  if (results.size() == 1) {
    std::memmove(results[0], where_[results_[0]], lanes * sizes_[results_[0]]);
    return absl::OkStatus();
  }
  // A result may lie where another result's value lies: read all before writing any.
  for (size_t i = 0; i < results.size(); ++i)
    std::memcpy(staging_[i].data(), where_[results_[i]], lanes * sizes_[results_[i]]);
  for (size_t i = 0; i < results.size(); ++i)
    std::memcpy(results[i], staging_[i].data(), lanes * sizes_[results_[i]]);
  return absl::OkStatus();
}

}  // namespace quern::frontend
