#include "frontend/expand_scan.h"

#include <vector>

#include "frontend/steps.h"
#include "ir/stablehlo/chlo.h"
#include "mlir/IR/IRMapping.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;
using mlir::RankedTensorType;
using mlir::Value;

// The type of one place of a tensor's dimension.
static RankedTensorType SliceType(RankedTensorType type, int64_t dimension) {
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dimension);
  return RankedTensorType::get(shape, type.getElementType());
}

class Scan {
 public:
  explicit Scan(chlo::ScanOp op)
      : op_(op), steps_(op), dimension_(static_cast<int64_t>(op.getDimension())) {}

  mlir::LogicalResult Expand() {
    if (failed(Check())) return mlir::failure();
    counter_ = RankedTensorType::get({}, steps_.builder().getI64Type());
    llvm::SmallVector<Value> carried = {Number(0)};
    carried.append(op_.getInits().begin(), op_.getInits().end());
    for (Value output : op_.getOutputs()) carried.push_back(steps_.Zeros(Ranked(output)));
    const llvm::SmallVector<mlir::Type> types(mlir::ValueRange(carried).getTypes());
    auto loop = steps_.Create<hlo::WhileOp>(mlir::TypeRange(types), mlir::ValueRange(carried));
    BuildCondition(loop, types);
    BuildBody(loop, types);
    const size_t inits = op_.getInits().size();
    for (auto [i, carry] : llvm::enumerate(op_.getCarries()))
      carry.replaceAllUsesWith(loop.getResult(1 + i));
    for (auto [i, output] : llvm::enumerate(op_.getOutputs()))
      output.replaceAllUsesWith(loop.getResult(1 + inits + i));
    op_.erase();
    return mlir::success();
  }

 private:
  mlir::LogicalResult Check() {
    mlir::Block& block = op_.getBody().front();
    const auto wrong = [&](llvm::StringRef what) {
      return op_->emitError("chlo.scan: ") << what << " do not fit";
    };
    bool known = op_.getScanDimSize().has_value();
    length_ = known ? static_cast<int64_t>(*op_.getScanDimSize()) : 0;
    llvm::SmallVector<mlir::Type> arguments, returned;
    const auto add = [&](Value value, llvm::SmallVector<mlir::Type>& types) {
      auto type = llvm::cast<RankedTensorType>(value.getType());
      if (dimension_ >= type.getRank()) return false;
      if (!known) length_ = type.getDimSize(dimension_);
      known = true;
      types.push_back(SliceType(type, dimension_));
      return type.getDimSize(dimension_) == length_ && type.getElementType().isIntOrFloat();
    };
    for (Value input : op_.getInputs()) {
      if (!add(input, arguments)) return wrong("the inputs' dimensions");
    }
    for (Value output : op_.getOutputs()) {
      if (!add(output, returned)) return wrong("the outputs' dimensions");
    }
    if (!known) return wrong("no inputs, outputs and size of the dimension");
    if (op_.getCarries().getTypes() != op_.getInits().getTypes())
      return wrong("the carries and the inits");
    for (mlir::Type type : op_.getInits().getTypes()) {
      arguments.push_back(type);
      returned.push_back(type);
    }
    if (block.empty() || !llvm::isa<hlo::ReturnOp>(block.back()) ||
        !llvm::equal(block.getArgumentTypes(), arguments) ||
        !llvm::equal(block.back().getOperandTypes(), returned)) {
      return wrong("the body's types");
    }
    return mlir::success();
  }

  Value Number(int64_t value) {
    return steps_.Create<hlo::ConstantOp>(
        counter_, mlir::DenseElementsAttr::get(counter_, llvm::APInt(64, value)));
  }

  void BuildCondition(hlo::WhileOp loop, mlir::TypeRange types) {
    mlir::OpBuilder::InsertionGuard guard(steps_.builder());
    mlir::Block* block = steps_.Body(loop.getCond(), types);
    auto truth = RankedTensorType::get({}, steps_.builder().getI1Type());
    steps_.Return(steps_.Create<hlo::CompareOp>(
        truth, block->getArgument(0), Number(length_),
        hlo::ComparisonDirectionAttr::get(op_.getContext(), hlo::ComparisonDirection::LT),
        hlo::ComparisonTypeAttr()));
  }

  // The place in a tensor at which this round's slice starts.
  llvm::SmallVector<Value> Starts(RankedTensorType type, Value place, Value zero) const {
    llvm::SmallVector<Value> starts(type.getRank(), zero);
    starts[dimension_] = place;
    return starts;
  }

  void BuildBody(hlo::WhileOp loop, mlir::TypeRange types) {
    mlir::OpBuilder::InsertionGuard guard(steps_.builder());
    mlir::Block* block = steps_.Body(loop.getBody(), types);
    mlir::Block& body = op_.getBody().front();
    Value round = block->getArgument(0), zero = Number(0), place = round;
    if (op_.getIsReverse()) place = steps_.Binary<hlo::SubtractOp>(Number(length_ - 1), round);
    mlir::IRMapping map;
    const size_t inputs = op_.getInputs().size(), inits = op_.getInits().size();
    for (auto [i, input] : llvm::enumerate(op_.getInputs())) {
      auto type = llvm::cast<RankedTensorType>(input.getType());
      llvm::SmallVector<int64_t> sizes(type.getShape());
      sizes[dimension_] = 1;
      Value slice = steps_.Create<hlo::DynamicSliceOp>(
          RankedTensorType::get(sizes, type.getElementType()), input, Starts(type, place, zero),
          steps_.builder().getDenseI64ArrayAttr(sizes));
      map.map(body.getArgument(i),
              steps_.Create<hlo::ReshapeOp>(SliceType(type, dimension_), slice).getResult());
    }
    for (size_t i = 0; i < inits; ++i)
      map.map(body.getArgument(inputs + i), block->getArgument(1 + i));
    for (mlir::Operation& op : body.without_terminator()) steps_.builder().clone(op, map);
    llvm::SmallVector<Value> next = {steps_.Binary<hlo::AddOp>(round, Number(1))};
    const size_t outputs = op_.getOutputs().size();
    const auto returned = [&](size_t i) { return map.lookupOrDefault(body.back().getOperand(i)); };
    for (size_t i = 0; i < inits; ++i) next.push_back(returned(outputs + i));
    for (size_t i = 0; i < outputs; ++i) {
      Value whole = block->getArgument(1 + inits + i);
      auto type = llvm::cast<RankedTensorType>(whole.getType());
      llvm::SmallVector<int64_t> sizes(type.getShape());
      sizes[dimension_] = 1;
      Value slice = steps_.Create<hlo::ReshapeOp>(
          RankedTensorType::get(sizes, type.getElementType()), returned(i));
      next.push_back(
          steps_.Create<hlo::DynamicUpdateSliceOp>(type, whole, slice, Starts(type, place, zero)));
    }
    steps_.Create<hlo::ReturnOp>(mlir::ValueRange(next));
  }

  chlo::ScanOp op_;
  Steps steps_;
  int64_t dimension_, length_ = 0;
  RankedTensorType counter_;
};

mlir::LogicalResult ExpandScans(mlir::func::FuncOp function) {
  std::vector<chlo::ScanOp> scans;
  function.walk([&](chlo::ScanOp scan) { scans.push_back(scan); });  // inner ones first
  for (chlo::ScanOp scan : scans) {
    if (failed(Scan(scan).Expand())) return mlir::failure();
  }
  return mlir::success();
}

}  // namespace quern::frontend
