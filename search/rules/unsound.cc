// The rules that are wrong on purpose: they keep the checker in use, and sometimes find that a spec
// does not need what they drop.
#include "bundle/status.h"
#include "search/nest.h"
#include "search/rules/rule.h"

namespace quern::search {

using program::AllocOp;
using program::KernelOp;
using program::LoadOp;
using program::LoopOp;
using program::StoreOp;

namespace {

class SkippingTails : public Rule {
 public:
  std::string_view name() const override { return "skip_tail"; }
  Soundness soundness() const override { return Soundness::kUnsound; }
  std::string_view help() const override { return "drops the peeled rest of a tiled loop"; }

  std::vector<Action> Actions(program::ProgramOp program) const override {
    std::vector<Action> actions;
    for (KernelOp kernel : Kernels(program)) {
      for (LoopOp loop : Loops(kernel)) {
        if (!IsTail(loop)) continue;
        actions.push_back(
            {.rule = "skip_tail", .site = {kernel.getName().str(), loop.getName().str()}});
      }
    }
    return actions;
  }

  absl::Status Apply(const frontend::Spec& spec, program::ProgramOp program,
                     const Action& action) const override {
    QUERN_ASSIGN_OR_RETURN(LoopOp loop, LoopAt(program, action));
    if (!IsTail(loop)) return DoesNotApply(action, "the loop is not a peeled rest");
    loop.erase();
    return absl::OkStatus();
  }

 private:
  // A peeled loop beside the loop it was peeled from, so that something remains.
  static bool IsTail(LoopOp loop) {
    return loop.getName().ends_with(".t") && !llvm::hasSingleElement(*loop->getBlock());
  }
};

class NarrowingAccumulators : public Rule {
 public:
  std::string_view name() const override { return "narrow_accumulator"; }
  Soundness soundness() const override { return Soundness::kUnsound; }
  std::string_view help() const override { return "keeps an f32 register buffer in bf16"; }

  std::vector<Action> Actions(program::ProgramOp program) const override {
    std::vector<Action> actions;
    for (KernelOp kernel : Kernels(program)) {
      kernel.getBody().walk([&](AllocOp alloc) {
        if (!Fits(alloc)) return;
        actions.push_back({.rule = "narrow_accumulator",
                           .site = {kernel.getName().str(), alloc.getName().str()}});
      });
    }
    return actions;
  }

  absl::Status Apply(const frontend::Spec& spec, program::ProgramOp program,
                     const Action& action) const override {
    QUERN_ASSIGN_OR_RETURN(KernelOp kernel, KernelAt(program, action));
    AllocOp alloc = action.site.size() > 1 ? FindAlloc(kernel, action.site[1]) : AllocOp();
    if (!alloc || !Fits(alloc)) return DoesNotApply(action, "no f32 register buffer of that name");
    program::BufferType wide = alloc.getBuffer().getType();
    mlir::OpBuilder builder(alloc);
    mlir::Type narrow = builder.getBF16Type();
    alloc.getBuffer().setType(program::BufferType::get(alloc.getContext(), wide.getShape(), narrow,
                                                       program::Space::Register));
    for (mlir::Operation* access : Accesses(alloc.getBuffer())) {
      if (auto load = llvm::dyn_cast<LoadOp>(access)) {
        builder.setInsertionPointAfter(load);
        load.getValue().setType(narrow);
        auto widened =
            mlir::arith::ExtFOp::create(builder, load.getLoc(), wide.getElement(), load.getValue());
        load.getValue().replaceAllUsesExcept(widened.getResult(), widened);
      } else {
        auto store = llvm::cast<StoreOp>(access);
        builder.setInsertionPoint(store);
        mlir::Value rounded =
            mlir::arith::TruncFOp::create(builder, store.getLoc(), narrow, store.getValue());
        store.getValueMutable().assign(rounded);
      }
    }
    return absl::OkStatus();
  }

 private:
  static bool Fits(AllocOp alloc) {
    program::BufferType type = alloc.getBuffer().getType();
    return type.getSpace() == program::Space::Register && type.getElement().isF32();
  }
};

}  // namespace

std::unique_ptr<Rule> SkipTailRule() { return std::make_unique<SkippingTails>(); }
std::unique_ptr<Rule> NarrowAccumulatorRule() { return std::make_unique<NarrowingAccumulators>(); }

}  // namespace quern::search
