#include "search/dataflow.h"

#include "search/nest.h"

namespace quern::search {

using program::BufferOp;
using program::KernelOp;
using program::LoadOp;
using program::ProgramOp;
using program::StoreOp;

template <typename Op>
static std::vector<Op> AccessesIn(KernelOp kernel, mlir::Value buffer) {
  std::vector<Op> found;
  kernel.getBody().walk([&](Op op) {
    if (op.getBuffer() == buffer) found.push_back(op);
  });
  return found;
}

std::vector<StoreOp> StoresTo(KernelOp kernel, mlir::Value buffer) {
  return AccessesIn<StoreOp>(kernel, buffer);
}
std::vector<LoadOp> LoadsFrom(KernelOp kernel, mlir::Value buffer) {
  return AccessesIn<LoadOp>(kernel, buffer);
}

std::vector<BufferOp> Between(KernelOp producer, KernelOp consumer) {
  std::vector<BufferOp> buffers;
  auto program = producer->getParentOfType<ProgramOp>();
  for (BufferOp buffer : program.getBody().front().getOps<BufferOp>()) {
    if (buffer.getRole() == program::Role::Temporary &&
        !StoresTo(producer, buffer.getBuffer()).empty() &&
        !LoadsFrom(consumer, buffer.getBuffer()).empty()) {
      buffers.push_back(buffer);
    }
  }
  return buffers;
}

bool Separated(KernelOp producer, KernelOp consumer) {
  auto program = producer->getParentOfType<ProgramOp>();
  for (mlir::Operation* op = producer->getNextNode(); op && op != consumer.getOperation();
       op = op->getNextNode()) {
    auto kernel = llvm::dyn_cast<KernelOp>(op);
    if (!kernel) continue;
    for (BufferOp buffer : program.getBody().front().getOps<BufferOp>()) {
      mlir::Value value = buffer.getBuffer();
      bool stored = !StoresTo(kernel, value).empty();
      bool touched = stored || !LoadsFrom(kernel, value).empty();
      if (touched && !StoresTo(producer, value).empty()) return true;
      if (stored && !LoadsFrom(producer, value).empty()) return true;
    }
  }
  return false;
}

void EraseUnused(ProgramOp program) {
  for (bool changed = true; changed;) {
    changed = false;
    for (BufferOp buffer :
         llvm::make_early_inc_range(program.getBody().front().getOps<BufferOp>())) {
      if (buffer.getRole() != program::Role::Temporary) continue;
      std::vector<mlir::Operation*> accesses = Accesses(buffer.getBuffer());
      if (llvm::any_of(accesses, [](mlir::Operation* op) { return llvm::isa<LoadOp>(op); })) {
        continue;
      }
      for (mlir::Operation* store : accesses) store->erase();
      buffer.erase();
      changed = true;
    }
    for (KernelOp kernel : Kernels(program)) {
      bool stores = false;
      kernel.getBody().walk([&](StoreOp store) {
        stores |= store.getBuffer().getType().getSpace() == program::Space::Global;
      });
      if (stores) continue;
      kernel.erase();
      changed = true;
    }
  }
}

}  // namespace quern::search
