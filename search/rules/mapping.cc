// The rules that map loops on the machine.
#include "bundle/status.h"
#include "search/nest.h"
#include "search/rules/rule.h"

namespace quern::search {

using program::KernelOp;
using program::LoopOp;
using program::Mapping;

static constexpr int64_t kMaxExtent = 64;         // of a vector or unrolled loop
static constexpr int64_t kMaxUnrolledOps = 4096;  // in one kernel

// `loop` and the copies of it that sinking made: name, name.1, name.2, ...
static std::vector<LoopOp> Family(KernelOp kernel, llvm::StringRef name) {
  std::vector<LoopOp> family;
  for (LoopOp loop : Loops(kernel)) {
    llvm::StringRef rest = loop.getName();
    if (!rest.consume_front(name)) continue;
    if (rest.empty() || (rest.consume_front(".") && !rest.empty() &&
                         llvm::all_of(rest, [](char c) { return llvm::isDigit(c); }))) {
      family.push_back(loop);
    }
  }
  return family;
}

// Ops of the region, each counted once for every unrolled iteration.
static int64_t UnrolledOps(mlir::Region& region) {
  int64_t count = 0;
  for (mlir::Operation& op : region.front()) {
    ++count;
    if (op.getNumRegions() == 0) continue;
    auto loop = llvm::dyn_cast<LoopOp>(op);
    int64_t times = loop && loop.getMapping() == Mapping::Unrolled ? loop.getExtent() : 1;
    count += times * UnrolledOps(op.getRegion(0));
  }
  return count;
}

namespace {

class FamilyMapping : public Rule {
 public:
  FamilyMapping(std::string_view name, std::string_view help, Mapping mapping)
      : name_(name), help_(help), mapping_(mapping) {}

  std::string_view name() const override { return name_; }
  std::string_view help() const override { return help_; }
  Soundness soundness() const override { return Soundness::kByConstruction; }

  std::vector<Action> Actions(program::ProgramOp program) const override {
    std::vector<Action> actions;
    for (KernelOp kernel : Kernels(program)) {
      for (LoopOp loop : Loops(kernel)) {
        if (!Fits(loop)) continue;
        actions.push_back(
            {.rule = std::string(name_), .site = {kernel.getName().str(), loop.getName().str()}});
      }
    }
    return actions;
  }

  absl::Status Apply(const frontend::Spec& spec, program::ProgramOp program,
                     const Action& action) const override {
    QUERN_ASSIGN_OR_RETURN(LoopOp named, LoopAt(program, action));
    KernelOp kernel = named->getParentOfType<KernelOp>();
    if (!Fits(named)) return DoesNotApply(action, "the loop is mapped, too long or not innermost");
    for (LoopOp loop : Family(kernel, named.getName())) {
      if (Fits(loop)) loop.setMapping(mapping_);
    }
    if (UnrolledOps(kernel.getBody()) > kMaxUnrolledOps) {
      return DoesNotApply(action, "the unrolled kernel would be too long");
    }
    return absl::OkStatus();
  }

 private:
  bool Fits(LoopOp loop) const {
    int64_t extent = loop.getExtent();
    return loop.getMapping() == Mapping::Serial && extent >= 1 && extent <= kMaxExtent &&
           (mapping_ != Mapping::Vector || (IsInnermost(loop) && extent > 1));
  }

  std::string_view name_, help_;
  Mapping mapping_;
};

class Parallelising : public Rule {
 public:
  std::string_view name() const override { return "parallelise"; }
  Soundness soundness() const override { return Soundness::kNeedsProof; }
  std::string_view help() const override {
    return "runs the iterations of the outermost serial loop as blocks of the grid";
  }

  std::vector<Action> Actions(program::ProgramOp program) const override {
    std::vector<Action> actions;
    for (KernelOp kernel : Kernels(program)) {
      for (LoopOp loop : Loops(kernel)) {
        if (!Fits(loop)) continue;
        actions.push_back(
            {.rule = "parallelise", .site = {kernel.getName().str(), loop.getName().str()}});
      }
    }
    return actions;
  }

  absl::Status Apply(const frontend::Spec& spec, program::ProgramOp program,
                     const Action& action) const override {
    QUERN_ASSIGN_OR_RETURN(LoopOp loop, LoopAt(program, action));
    if (!Fits(loop)) return DoesNotApply(action, "not the outermost serial loop");
    constexpr Mapping kAxes[] = {Mapping::GridX, Mapping::GridY, Mapping::GridZ};
    loop.setMapping(kAxes[GridLoopsAround(loop)]);
    return absl::OkStatus();
  }

 private:
  static int GridLoopsAround(LoopOp loop) {
    int count = 0;
    for (auto around = loop->getParentOfType<LoopOp>(); around;
         around = around->getParentOfType<LoopOp>()) {
      ++count;
    }
    return count;
  }
  static bool Fits(LoopOp loop) {
    return loop.getMapping() == Mapping::Serial && IsOutermost(loop) && GridLoopsAround(loop) < 3;
  }
};

}  // namespace

std::unique_ptr<Rule> VectoriseRule() {
  return std::make_unique<FamilyMapping>(
      "vectorise", "runs an innermost loop of at most 64 iterations, and its copies, as a vector",
      Mapping::Vector);
}
std::unique_ptr<Rule> UnrollRule() {
  return std::make_unique<FamilyMapping>(
      "unroll", "unrolls a loop of at most 64 iterations, and its copies", Mapping::Unrolled);
}
std::unique_ptr<Rule> ParalleliseRule() { return std::make_unique<Parallelising>(); }

}  // namespace quern::search
