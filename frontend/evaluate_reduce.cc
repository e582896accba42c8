#include <cstring>

#include "bundle/status.h"
#include "frontend/evaluate.h"
#include "llvm/ADT/DenseMap.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;

// The body of a reduce as steps over slots. A slot holds one value for up to kLanes independent
// accumulators, which the innermost dimension gives where it is kept.
class Reducer {
 public:
  static constexpr int64_t kLanes = 256;

  static absl::StatusOr<Reducer> Create(hlo::ReduceOp reduce, Lookup value) {
    Reducer reducer;
    mlir::Block& body = reduce.getBody().front();
    for (mlir::BlockArgument argument : body.getArguments()) reducer.NewSlot(argument);
    for (mlir::Operation& op : body.without_terminator())
      QUERN_RETURN_IF_ERROR(reducer.AddStep(op, value));
    for (mlir::Value result : body.getTerminator()->getOperands()) {
      QUERN_ASSIGN_OR_RETURN(const size_t slot, reducer.SlotOf(result, value));
      reducer.results_.push_back(slot);
    }
    return reducer;
  }

  // accumulators[i][0..lanes) = body(accumulators, elements)
  void Run(llvm::ArrayRef<std::byte*> accumulators, llvm::ArrayRef<const std::byte*> elements,
           int64_t lanes) {
    const size_t count = accumulators.size();
    for (size_t i = 0; i < count; ++i) {
      where_[i] = accumulators[i];
      where_[count + i] = elements[i];
    }
    const std::byte* operands[3];
    for (const Step& step : steps_) {
      for (size_t i = 0; i < step.operands.size(); ++i) operands[i] = where_[step.operands[i]];
      step.run(operands, slots_[step.result].data(), lanes);
    }
    if (count == 1) {
      std::memmove(accumulators[0], where_[results_[0]], lanes * sizes_[results_[0]]);
      return;
    }
    // A result may be an accumulator, its own or another's accumulator: read all before writing
    // any.
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(staging_[i].data(), where_[results_[i]], lanes * sizes_[results_[i]]);
    }
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(accumulators[i], staging_[i].data(), lanes * sizes_[results_[i]]);
    }
  }

 private:
  struct Step {
    Elementwise run;
    llvm::SmallVector<size_t, 3> operands;
    size_t result;
  };

  size_t NewSlot(mlir::Value value) {
    const size_t slot = slots_.size();
    const int64_t size = ByteSize(hlo::ToTensorType(value.getType())->element);
    slots_.emplace_back(kLanes * size);
    staging_.emplace_back(kLanes * size);
    sizes_.push_back(size);
    where_.push_back(slots_.back().data());
    numbers_[value] = slot;
    return slot;
  }

  absl::StatusOr<size_t> SlotOf(mlir::Value value, Lookup outside) {
    auto found = numbers_.find(value);
    if (found != numbers_.end()) return found->second;
    QUERN_ASSIGN_OR_RETURN(Tensor lanes, Spread(outside(value), {kLanes}));
    return FillSlot(value, lanes);
  }

  size_t FillSlot(mlir::Value value, const Tensor& lanes) {
    const size_t slot = NewSlot(value);
    std::memcpy(slots_[slot].data(), lanes.data(), lanes.type().num_bytes());
    return slot;
  }

  absl::Status AddStep(mlir::Operation& op, Lookup outside) {
    for (mlir::Type type : op.getResultTypes()) {
      if (!llvm::cast<mlir::RankedTensorType>(type).getShape().empty()) return UndefinedOp(op);
    }
    if (llvm::isa<hlo::ConstantOp>(op)) {
      QUERN_ASSIGN_OR_RETURN(Tensor scalar, EvaluateMovement(op, outside));
      QUERN_ASSIGN_OR_RETURN(Tensor lanes, Spread(scalar, {kLanes}));
      FillSlot(op.getResult(0), lanes);
      return absl::OkStatus();
    }
    llvm::SmallVector<size_t, 3> operands;
    for (mlir::Value operand : op.getOperands()) {
      if (!llvm::cast<mlir::RankedTensorType>(operand.getType()).getShape().empty())
        return UndefinedOp(op);
      QUERN_ASSIGN_OR_RETURN(const size_t slot, SlotOf(operand, outside));
      operands.push_back(slot);
    }
    if (IsMovement(op)) {  // of a scalar to a scalar
      numbers_[op.getResult(0)] = operands[0];
      return absl::OkStatus();
    }
    Elementwise run = FindElementwise(op);
    if (run == nullptr) return UndefinedOp(op);
    steps_.push_back({run, std::move(operands), NewSlot(op.getResult(0))});
    return absl::OkStatus();
  }

  llvm::DenseMap<mlir::Value, size_t> numbers_;
  std::vector<std::vector<std::byte>> slots_, staging_;  // by slot
  std::vector<int64_t> sizes_;                           // of an element
  std::vector<const std::byte*> where_;  // where a slot's value lies; arguments lie outside
  std::vector<Step> steps_;
  std::vector<size_t> results_;
};

// Walks the inputs in row-major order; the position of the accumulator goes along.
class Walk {
 public:
  Walk(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> reduced) : shape_(shape) {
    if (shape_.empty()) shape_.push_back(1);
    strides_.assign(shape_.size(), 0);
    int64_t stride = 1;
    for (size_t i = shape_.size(); i-- > 0;) {
      if (llvm::is_contained(reduced, static_cast<int64_t>(i))) continue;
      strides_[i] = stride;
      stride *= shape_[i];
    }
  }

  // visit(input position, result position, count): `count` elements for one accumulator each if
  // the innermost dimension is kept, else all for one.
  template <typename Visitor>
  void Rows(Visitor visit) const {
    if (llvm::is_contained(shape_, 0)) return;
    std::vector<int64_t> index(shape_.size() - 1, 0);
    int64_t input = 0, result = 0;
    while (true) {
      visit(input, result, shape_.back());
      input += shape_.back();
      size_t d = index.size();
      while (d > 0 && ++index[d - 1] == shape_[d - 1]) {
        result -= (shape_[d - 1] - 1) * strides_[d - 1];
        index[--d] = 0;
      }
      if (d == 0) return;
      result += strides_[d - 1];
    }
  }

  bool keeps_innermost() const { return strides_.back() != 0; }

 private:
  llvm::SmallVector<int64_t> shape_, strides_;
};

absl::StatusOr<std::vector<Tensor>> EvaluateReduce(hlo::ReduceOp reduce, Lookup value) {
  const size_t count = reduce.getInputs().size();
  std::vector<Tensor> results;
  std::vector<const Tensor*> inputs;
  for (size_t i = 0; i < count; ++i) {
    inputs.push_back(&value(reduce.getInputs()[i]));
    QUERN_ASSIGN_OR_RETURN(Tensor result, Spread(value(reduce.getInitValues()[i]),
                                                 hlo::ToTensorType(reduce.getType(i))->shape));
    results.push_back(std::move(result));
  }
  QUERN_ASSIGN_OR_RETURN(Reducer reducer, Reducer::Create(reduce, value));
  llvm::SmallVector<std::byte*> accumulators(count);
  llvm::SmallVector<const std::byte*> elements(count);
  const Walk walk(inputs[0]->type().shape, reduce.getDimensions());
  const int64_t lanes = walk.keeps_innermost() ? Reducer::kLanes : 1;
  const int64_t step = walk.keeps_innermost() ? 1 : 0;  // of the result position
  walk.Rows([&](int64_t input, int64_t result, int64_t length) {
    for (int64_t at = 0; at < length; at += lanes) {
      for (size_t i = 0; i < count; ++i) {
        const int64_t size = ByteSize(inputs[i]->type().element);
        accumulators[i] = results[i].data() + (result + at * step) * size;
        elements[i] = inputs[i]->data() + (input + at) * size;
      }
      reducer.Run(accumulators, elements, std::min(lanes, length - at));
    }
  });
  return results;
}

}  // namespace quern::frontend
