#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "codegen/kernel_lowering.h"

namespace quern::codegen {

using program::LoopOp;
using program::Mapping;

static bool IsGrid(Mapping mapping) {
  return mapping == Mapping::GridX || mapping == Mapping::GridY || mapping == Mapping::GridZ;
}

// The loop directly around `op`; null at the top of a kernel.
static LoopOp Around(mlir::Operation* op) { return llvm::dyn_cast<LoopOp>(op->getParentOp()); }

absl::Status KernelLowering::LowerLoop(LoopOp loop) {
  if (lane_ >= 0) return LoweringError(loop, "is inside a vector loop");
  const Mapping mapping = loop.getMapping();
  if (IsGrid(mapping)) {
    return LowerGridLoop(loop, static_cast<int>(mapping) - static_cast<int>(Mapping::GridX));
  }
  if (mapping == Mapping::Lane && target_.max_threads() > 1) return LowerLaneLoop(loop);
  if (loop.getExtent() == 0) return absl::OkStatus();
  if (loop.getExtent() == 1 || mapping == Mapping::Unrolled) return LowerUnrolledLoop(loop);
  if (mapping == Mapping::Vector) return LowerVectorLoop(loop);
  return LowerSerialLoop(loop);
}

absl::Status KernelLowering::LowerBody(LoopOp loop, llvm::Value* counter) {
  counters_[loop.counter()] = LinearForm::Counter(static_cast<int>(ranges_.size()));
  ranges_.push_back({0, std::max<int64_t>(loop.getExtent() - 1, 0)});
  counter_values_.push_back(counter);
  absl::Status status = LowerBlock(loop.block());
  ranges_.pop_back();
  counter_values_.pop_back();
  return status;
}

absl::Status KernelLowering::LowerGridLoop(LoopOp loop, int axis) {
  LoopOp around = Around(loop);
  if ((around && !IsGrid(around.getMapping())) || !llvm::hasSingleElement(*loop->getBlock())) {
    return LoweringError(loop, "must be alone in its block, in a kernel or a grid loop");
  }
  const int64_t extent = loop.getExtent();
  if (extent > target_.max_grid(axis)) {
    return LoweringError(
        loop, absl::StrCat("has more blocks than an axis of ", target_.name(), " takes"));
  }
  for (LoopOp outer = around; outer; outer = Around(outer)) {
    if (outer.getMapping() == loop.getMapping()) {
      return LoweringError(loop, "is on the same axis as a loop around it");
    }
  }
  kernel_plan_.grid[axis] = extent;
  llvm::Argument* coordinate = function_->getArg(function_->arg_size() - 3 + axis);
  if (extent != 1) return LowerBody(loop, coordinate);
  return LowerUnrolledLoop(loop);
}

absl::Status KernelLowering::LowerLaneLoop(LoopOp loop) {
  LoopOp around = Around(loop);
  if ((around && !IsGrid(around.getMapping()) && around.getMapping() != Mapping::Lane) ||
      !llvm::hasSingleElement(*loop->getBlock())) {
    return LoweringError(loop,
                         "must be alone in its block, in a kernel, a grid loop or a lane loop");
  }
  // The innermost of them is the x axis.
  int axis = 0;
  loop.getBody().walk([&](LoopOp inner) { axis += inner.getMapping() == Mapping::Lane; });
  if (axis > 2) return LoweringError(loop, "is the fourth lane loop; a block has three axes");
  kernel_plan_.threads[axis] = std::max<int64_t>(loop.getExtent(), 1);
  int64_t threads = 1;
  for (int64_t extent : kernel_plan_.threads) {
    if (extent > target_.max_threads() || (threads *= extent) > target_.max_threads()) {
      return LoweringError(loop, absl::StrCat("a block of ", target_.name(), " has at most ",
                                              target_.max_threads(), " threads"));
    }
  }
  if (loop.getExtent() == 0) return absl::OkStatus();
  if (loop.getExtent() == 1) return LowerUnrolledLoop(loop);
  llvm::Value* index = target_.ThreadIndex(builder_, axis);
  return LowerBody(loop, builder_.CreateZExt(index, builder_.getInt64Ty(), loop.getName()));
}

absl::Status KernelLowering::LowerUnrolledLoop(LoopOp loop) {
  for (int64_t i = 0; i < static_cast<int64_t>(loop.getExtent()); ++i) {
    counters_[loop.counter()] = LinearForm::Constant(i);
    QUERN_RETURN_IF_ERROR(LowerBlock(loop.block()));
  }
  return absl::OkStatus();
}

absl::Status KernelLowering::LowerSerialLoop(LoopOp loop) {
  llvm::BasicBlock* before = builder_.GetInsertBlock();
  const std::string name = loop.getName().str();
  llvm::BasicBlock* body = CreateBlock(name + ".body");
  builder_.CreateBr(body);
  StartBlock(body);
  llvm::PHINode* counter = builder_.CreatePHI(builder_.getInt64Ty(), 2, name);
  counter->addIncoming(builder_.getInt64(0), before);
  QUERN_RETURN_IF_ERROR(LowerBody(loop, counter));
  llvm::Value* next = builder_.CreateAdd(counter, builder_.getInt64(1), name + ".next", true, true);
  llvm::Value* more = builder_.CreateICmpULT(next, builder_.getInt64(loop.getExtent()));
  counter->addIncoming(next, builder_.GetInsertBlock());
  llvm::BasicBlock* end = CreateBlock(name + ".end");
  builder_.CreateCondBr(more, body, end);
  StartBlock(end);
  return absl::OkStatus();
}

}  // namespace quern::codegen
