#include "search/strategy/accesses.h"

#include "search/dataflow.h"
#include "search/nest.h"

namespace quern::search {

using program::BufferOp;
using program::KernelOp;
using program::LoadOp;
using program::LoopOp;

std::optional<size_t> DimensionOf(LoadOp load, mlir::Value counter) {
  for (auto [position, result] : llvm::enumerate(load.getMap().getResults())) {
    auto dimension = llvm::dyn_cast<mlir::AffineDimExpr>(result);
    if (dimension && load.getCounters()[dimension.getPosition()] == counter) return position;
  }
  return std::nullopt;
}

bool Uses(mlir::Operation* access, mlir::Value counter) {
  return llvm::is_contained(CountersOf(access), counter);
}

bool IsConsecutive(mlir::Operation* access, mlir::Value counter) {
  if (!Uses(access, counter)) return true;
  unsigned position = llvm::find(CountersOf(access), counter) - CountersOf(access).begin();
  llvm::ArrayRef<mlir::AffineExpr> results = MapOf(access).getResults();
  return llvm::none_of(results.drop_back(),
                       [&](mlir::AffineExpr result) { return result.isFunctionOfDim(position); });
}

bool OnRegisters(LoopOp loop) {
  bool found = false;
  loop.getBody().walk([&](mlir::Operation* op) {
    mlir::Value buffer = BufferOf(op);
    if (!buffer || !Uses(op, loop.counter())) return;
    found |=
        llvm::cast<program::BufferType>(buffer.getType()).getSpace() == program::Space::Register;
  });
  return found;
}

bool ReadsOnce(KernelOp kernel, BufferOp buffer) {
  int64_t loads = 0;
  for (LoadOp load : LoadsFrom(kernel, buffer.getBuffer())) {
    int64_t times = 1;
    for (auto loop = load->getParentOfType<LoopOp>(); loop;
         loop = loop->getParentOfType<LoopOp>()) {
      times *= loop.getExtent();
    }
    loads += times;
  }
  return loads <= 2 * buffer.getBuffer().getType().num_elements();
}

}  // namespace quern::search
