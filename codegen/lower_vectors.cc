#include <bit>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "codegen/kernel_lowering.h"
#include "llvm/ADT/TypeSwitch.h"

namespace quern::codegen {

using program::AllocOp;
using program::LoadOp;
using program::LoopOp;
using program::StoreOp;

// Whether no lane touches with the one access an element that another lane touches with the other.
bool KernelLowering::LanesAreApart(const LinearForm& a, const LinearForm& b) const {
  std::optional<int64_t> stride = a.Stride(lane_);
  if (!stride || *stride == 0 || b.Stride(lane_) != stride) return false;
  LinearForm difference = a.Plus(b.Times(-1));
  if (!difference.is_constant()) return false;
  const int64_t distance = difference.constant();
  return distance == 0 || distance % *stride != 0 || std::abs(distance / *stride) >= width_;
}

llvm::DenseSet<mlir::Operation*> KernelLowering::OpsInSequence(LoopOp loop) {
  struct Access {
    mlir::Operation* top;  // the op of the loop's body that holds it
    mlir::Value buffer;
    LinearForm offset;  // of a lane's own buffer: any that keeps lanes apart
    bool is_store;
  };
  std::vector<Access> accesses;
  loop.getBody().walk([&](mlir::Operation* op) {
    mlir::Operation* top = loop.block().findAncestorOpInBlock(*op);
    auto add = [&](auto access, bool is_store) {
      mlir::Value buffer = access.getBuffer();
      const bool own = loop->isProperAncestor(buffer.getDefiningOp());
      accesses.push_back(
          {.top = top,
           .buffer = buffer,
           .offset = own ? LinearForm::Counter(lane_)
                         : Offset(buffers_[buffer], access.getMap(), access.getCounters()),
           .is_store = is_store});
    };
    llvm::TypeSwitch<mlir::Operation*>(op)
        .Case([&](LoadOp load) { add(load, false); })
        .Case([&](StoreOp store) { add(store, true); });
  });

  llvm::DenseSet<mlir::Value> stored, buffers;  // buffers whose accesses are in sequence
  for (const Access& store : accesses) {
    if (!store.is_store) continue;
    stored.insert(store.buffer);
    for (const Access& other : accesses) {
      if (other.buffer == store.buffer && !LanesAreApart(store.offset, other.offset)) {
        buffers.insert(store.buffer);
      }
    }
  }
  llvm::DenseSet<mlir::Operation*> ops;
  for (bool grew = true; grew;) {
    grew = false;
    for (const Access& access : accesses) {
      if (buffers.contains(access.buffer)) grew |= ops.insert(access.top).second;
    }
    for (mlir::Operation& op : loop.block()) {
      op.walk([&](mlir::Operation* inner) {
        for (mlir::Value operand : inner->getOperands()) {
          mlir::Operation* maker = operand.getDefiningOp();
          if (maker && ops.contains(maker)) grew |= ops.insert(&op).second;
        }
      });
    }
    // What a late op reads must not have been overwritten, nor what it writes read.
    for (const Access& access : accesses) {
      if (ops.contains(access.top) && stored.contains(access.buffer)) {
        grew |= buffers.insert(access.buffer).second;
      }
    }
  }
  return ops;
}

absl::Status KernelLowering::ForLane(int64_t lane, llvm::function_ref<absl::Status()> lower) {
  LinearForm counter = counters_[vector_counter_];
  counters_[vector_counter_] = LinearForm::Constant(first_lane_ + lane);
  fixed_lane_ = lane;
  absl::Status status = lower();
  fixed_lane_.reset();
  counters_[vector_counter_] = counter;
  return status;
}

absl::Status KernelLowering::LowerVectorLoop(LoopOp loop) {
  const int64_t extent = loop.getExtent();
  if (extent > kMaxVectorExtent) {
    return LoweringError(loop, absl::StrCat("a vector has at most ", kMaxVectorExtent, " lanes"));
  }
  // LLVM widens other vectors, and takes their loads apart.
  for (int64_t first = 0; first < extent;) {
    const auto width = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(extent - first)));
    QUERN_RETURN_IF_ERROR(LowerLanes(loop, first, width));
    first += width;
  }
  return absl::OkStatus();
}

absl::Status KernelLowering::LowerLanes(LoopOp loop, int64_t first, int64_t width) {
  if (width == 1) {
    counters_[loop.counter()] = LinearForm::Constant(first);
    return LowerBlock(loop.block());
  }
  lane_ = static_cast<int>(ranges_.size());
  width_ = width;
  first_lane_ = first;
  vector_counter_ = loop.counter();
  ranges_.push_back({0, width - 1});
  counter_values_.push_back(nullptr);
  counters_[loop.counter()] = LinearForm::Counter(lane_).Plus(LinearForm::Constant(first));

  llvm::DenseSet<mlir::Operation*> in_sequence = OpsInSequence(loop);
  std::vector<mlir::Operation*> sequence;
  absl::Status status;
  for (mlir::Operation& op : loop.block()) {
    if (in_sequence.contains(&op)) {
      sequence.push_back(&op);
    } else if (status.ok()) {
      status = LowerOp(op);
    }
  }
  for (int64_t lane = 0; lane < width && status.ok() && !sequence.empty(); ++lane) {
    status = ForLane(lane, [&] {
      for (mlir::Operation* op : sequence) QUERN_RETURN_IF_ERROR(LowerOp(*op));
      return absl::OkStatus();
    });
  }

  ranges_.pop_back();
  counter_values_.pop_back();
  lane_ = -1;
  return status;
}

}  // namespace quern::codegen
