#include "bundle/status.h"
#include "mlir/IR/IRMapping.h"
#include "search/dataflow.h"
#include "search/nest.h"
#include "search/rules/rule.h"

namespace quern::search {

using program::BufferOp;
using program::KernelOp;
using program::LoadOp;
using program::LoopOp;
using program::StoreOp;

namespace {

// A kernel of nested loops around scalar code that ends in one store, its index a permutation of
// the loops.
struct Pointwise {
  std::vector<LoopOp> nest;
  StoreOp store;
};

}  // namespace

static std::optional<Pointwise> AsPointwise(KernelOp kernel) {
  Pointwise pointwise{.nest = PerfectNest(kernel)};
  if (pointwise.nest.empty()) return std::nullopt;
  for (mlir::Operation& op : pointwise.nest.back().block()) {
    if (op.getNumRegions() != 0 || llvm::isa<program::AllocOp>(op)) return std::nullopt;
    auto store = llvm::dyn_cast<StoreOp>(op);
    if (!store) continue;
    if (pointwise.store) return std::nullopt;
    pointwise.store = store;
  }
  StoreOp store = pointwise.store;
  if (!store || !store.getMap().isPermutation() ||
      store.getMap().getNumResults() != pointwise.nest.size()) {
    return std::nullopt;
  }
  return pointwise;
}

// Computes the element that `load` reads where it stands.
static mlir::Value Recompute(Pointwise& producer, LoadOp load) {
  StoreOp store = producer.store;
  mlir::OpBuilder builder(load);
  mlir::IRMapping mapping;
  for (mlir::Operation& op : producer.nest.back().block()) {
    if (&op != store.getOperation()) builder.clone(op, mapping);
  }
  llvm::SmallVector<mlir::Value> counters(load.getCounters());
  for (auto [position, result] : llvm::enumerate(store.getMap().getResults())) {
    mlir::Value old = store.getCounters()[llvm::cast<mlir::AffineDimExpr>(result).getPosition()];
    for (mlir::Operation& op : producer.nest.back().block()) {
      mlir::Value clone =
          op.getNumResults() == 1 ? mapping.lookupOrNull(op.getResult(0)) : mlir::Value();
      if (clone)
        ReplaceCounterIn(clone.getDefiningOp(), old, counters, load.getMap().getResult(position));
    }
  }
  return mapping.lookupOrDefault(store.getValue());
}

namespace {

class Inlining : public Rule {
 public:
  std::string_view name() const override { return "inline"; }
  Soundness soundness() const override { return Soundness::kNeedsProof; }
  std::string_view help() const override {
    return "computes an element-wise kernel again wherever a later kernel reads its result";
  }

  std::vector<Action> Actions(program::ProgramOp program) const override {
    std::vector<Action> actions;
    std::vector<KernelOp> kernels = Kernels(program);
    for (size_t i = 0; i < kernels.size(); ++i) {
      if (!AsPointwise(kernels[i])) continue;
      for (size_t j = i + 1; j < kernels.size(); ++j) {
        if (Between(kernels[i], kernels[j]).empty()) continue;
        actions.push_back(
            {.rule = "inline", .site = {kernels[i].getName().str(), kernels[j].getName().str()}});
      }
    }
    return actions;
  }

  absl::Status Apply(const frontend::Spec& spec, program::ProgramOp program,
                     const Action& action) const override {
    QUERN_ASSIGN_OR_RETURN(KernelOp producer, KernelAt(program, action));
    KernelOp consumer = action.site.size() > 1 ? FindKernel(program, action.site[1]) : KernelOp();
    if (!consumer) return DoesNotApply(action, "the consumer is gone");
    std::optional<Pointwise> pointwise = AsPointwise(producer);
    std::vector<BufferOp> buffers = Between(producer, consumer);
    if (!pointwise || buffers.empty() || !producer->isBeforeInBlock(consumer)) {
      return DoesNotApply(action, "the producer is not element-wise or not read");
    }
    for (LoadOp load : LoadsFrom(consumer, buffers.front().getBuffer())) {
      load.getValue().replaceAllUsesWith(Recompute(*pointwise, load));
      load.erase();
    }
    EraseUnused(program);
    return absl::OkStatus();
  }
};

}  // namespace

std::unique_ptr<Rule> InlineRule() { return std::make_unique<Inlining>(); }

}  // namespace quern::search
