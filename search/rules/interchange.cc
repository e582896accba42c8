#include "bundle/status.h"
#include "search/nest.h"
#include "search/rules/loops.h"
#include "search/rules/rule.h"

namespace quern::search {

using program::LoopOp;

absl::Status Interchange(LoopOp loop) {
  LoopOp inner = OnlyLoop(loop.block());
  if (!inner) return absl::NotFoundError("the loop holds more than a loop");
  std::string name = loop.getName().str();
  int64_t extent = loop.getExtent();
  program::Mapping mapping = loop.getMapping();
  loop.setName(inner.getName());
  loop.setExtent(inner.getExtent());
  loop.setMapping(inner.getMapping());
  inner.setName(name);
  inner.setExtent(extent);
  inner.setMapping(mapping);
  // All uses of both counters are inside `inner`; a stand-in keeps them apart during the swap.
  mlir::Value stand_in = inner.block().addArgument(inner.counter().getType(), inner.getLoc());
  loop.counter().replaceAllUsesWith(stand_in);
  inner.counter().replaceAllUsesWith(loop.counter());
  stand_in.replaceAllUsesWith(inner.counter());
  inner.block().eraseArgument(1);
  return absl::OkStatus();
}

namespace {

class Interchanging : public Rule {
 public:
  std::string_view name() const override { return "interchange"; }
  Soundness soundness() const override { return Soundness::kNeedsProof; }
  std::string_view help() const override { return "swaps a loop with the only loop inside it"; }

  std::vector<Action> Actions(program::ProgramOp program) const override {
    std::vector<Action> actions;
    for (program::KernelOp kernel : Kernels(program)) {
      for (LoopOp loop : Loops(kernel)) {
        if (!Fits(loop)) continue;
        actions.push_back(
            {.rule = "interchange", .site = {kernel.getName().str(), loop.getName().str()}});
      }
    }
    return actions;
  }

  absl::Status Apply(const frontend::Spec& spec, program::ProgramOp program,
                     const Action& action) const override {
    QUERN_ASSIGN_OR_RETURN(LoopOp loop, LoopAt(program, action));
    if (!Fits(loop)) return DoesNotApply(action, "not two serial loops");
    return Interchange(loop);
  }

 private:
  static bool Fits(LoopOp loop) {
    LoopOp inner = OnlyLoop(loop.block());
    return inner && loop.getMapping() == program::Mapping::Serial &&
           inner.getMapping() == program::Mapping::Serial;
  }
};

}  // namespace

std::unique_ptr<Rule> InterchangeRule() { return std::make_unique<Interchanging>(); }

}  // namespace quern::search
