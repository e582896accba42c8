#include "bundle/status.h"
#include "search/nest.h"
#include "search/rules/loops.h"
#include "search/rules/rule.h"

namespace quern::search {

using program::AllocOp;
using program::GuardOp;
using program::LoopOp;

namespace {

// Places copies of one loop around the ops that were its body and still use its counter.
class Distribution {
 public:
  explicit Distribution(LoopOp loop) : loop_(loop), counter_(loop.counter()) {}

  // `ops` are consecutive ops of one block.
  void Place(const std::vector<mlir::Operation*>& ops) {
    if (!CanDistribute(ops)) {
      Wrap(ops);
      return;
    }
    for (mlir::Operation* op : ops) {  // constants stay outside the copies, before all of them
      if (llvm::isa<mlir::arith::ConstantOp>(op)) op->moveBefore(ops.front());
    }
    std::vector<mlir::Operation*> cluster;
    auto flush = [&] {
      if (!cluster.empty()) Wrap(cluster);
      cluster.clear();
    };
    for (mlir::Operation* op : ops) {
      if (auto alloc = llvm::dyn_cast<AllocOp>(op)) {
        Expand(alloc);
      } else if (llvm::isa<mlir::arith::ConstantOp>(op)) {
        continue;
      } else if (IsEnterable(op)) {
        flush();
        std::vector<mlir::Operation*> body;
        for (mlir::Operation& inner : op->getRegion(0).front()) body.push_back(&inner);
        if (!body.empty()) Place(body);
      } else {
        cluster.push_back(op);
      }
    }
    flush();
  }

  void NameCopies() {
    size_t deepest = 0;
    for (size_t i = 1; i < copies_.size(); ++i) {
      if (Depth(copies_[i]) > Depth(copies_[deepest])) deepest = i;
    }
    int number = 0;
    for (size_t i = 0; i < copies_.size(); ++i) {
      std::string name = loop_.getName().str();
      if (i != deepest) name += "." + std::to_string(++number);
      copies_[i].setName(name);
    }
  }

 private:
  bool IsEnterable(mlir::Operation* op) const {
    if (auto loop = llvm::dyn_cast<LoopOp>(op)) {
      return loop.getMapping() != program::Mapping::Vector;
    }
    auto guard = llvm::dyn_cast<GuardOp>(op);
    return guard && !llvm::is_contained(guard.getCounters(), counter_);
  }

  // There is something to enter, and no scalar is made on one side of its edge and used on the
  // other.
  bool CanDistribute(const std::vector<mlir::Operation*>& ops) const {
    if (llvm::none_of(ops, [&](mlir::Operation* op) { return IsEnterable(op); })) return false;
    llvm::DenseMap<mlir::Operation*, int> group;
    int current = 0;
    for (mlir::Operation* op : ops) {
      if (IsEnterable(op)) ++current;
      group[op] = current;
      if (IsEnterable(op)) ++current;
    }
    mlir::Block* block = ops.front()->getBlock();
    for (mlir::Operation* op : ops) {
      if (llvm::isa<AllocOp, mlir::arith::ConstantOp>(op)) continue;
      for (mlir::Operation* user : op->getUsers()) {
        mlir::Operation* ancestor = block->findAncestorOpInBlock(*user);
        if (ancestor && group.lookup(ancestor) != group[op]) return false;
      }
    }
    return true;
  }

  void Expand(AllocOp alloc) {
    program::BufferType old = alloc.getBuffer().getType();
    llvm::SmallVector<int64_t> shape(old.getShape());
    shape.push_back(loop_.getExtent());
    alloc.getBuffer().setType(
        program::BufferType::get(alloc.getContext(), shape, old.getElement(), old.getSpace()));
    for (mlir::Operation* access : Accesses(alloc.getBuffer())) {
      mlir::AffineMap map = MapOf(access);
      llvm::SmallVector<mlir::Value> counters(CountersOf(access));
      llvm::SmallVector<mlir::AffineExpr> results(map.getResults());
      results.push_back(mlir::getAffineDimExpr(counters.size(), alloc.getContext()));
      counters.push_back(counter_);
      SetIndex(access, counters,
               mlir::AffineMap::get(counters.size(), 0, results, alloc.getContext()));
    }
  }

  void Wrap(const std::vector<mlir::Operation*>& ops) {
    mlir::OpBuilder builder(ops.front());
    LoopOp copy = CreateLoop(builder, "", loop_.getExtent(), loop_.getMapping());
    for (mlir::Operation* op : ops) op->moveBefore(&copy.block(), copy.block().end());
    counter_.replaceUsesWithIf(copy.counter(), [&](mlir::OpOperand& use) {
      return copy->isProperAncestor(use.getOwner());
    });
    copies_.push_back(copy);
  }

  static int Depth(mlir::Operation* op) {
    int depth = 0;
    while ((op = op->getParentOp())) ++depth;
    return depth;
  }

  LoopOp loop_;
  mlir::Value counter_;
  std::vector<LoopOp> copies_;
};

class Sinking : public Rule {
 public:
  std::string_view name() const override { return "sink"; }
  Soundness soundness() const override { return Soundness::kNeedsProof; }
  std::string_view help() const override {
    return "distributes a loop over its body, innermost; scalars in registers become arrays";
  }

  std::vector<Action> Actions(program::ProgramOp program) const override {
    std::vector<Action> actions;
    for (program::KernelOp kernel : Kernels(program)) {
      for (LoopOp loop : Loops(kernel)) {
        if (loop.getMapping() != program::Mapping::Serial || IsInnermost(loop)) continue;
        if (loop.getExtent() > 64) continue;  // registers
        actions.push_back({.rule = "sink", .site = {kernel.getName().str(), loop.getName().str()}});
      }
    }
    return actions;
  }

  absl::Status Apply(const frontend::Spec& spec, program::ProgramOp program,
                     const Action& action) const override {
    QUERN_ASSIGN_OR_RETURN(LoopOp loop, LoopAt(program, action));
    if (loop.getMapping() != program::Mapping::Serial) {
      return DoesNotApply(action, "the loop is mapped");
    }
    return Sink(loop);
  }
};

}  // namespace

absl::Status Sink(LoopOp loop) {
  std::vector<mlir::Operation*> body;
  for (mlir::Operation& op : loop.block()) body.push_back(&op);
  if (IsInnermost(loop)) return absl::NotFoundError("no loop inside to sink into");
  for (mlir::Operation* op : body) op->moveBefore(loop);
  Distribution distribution(loop);
  distribution.Place(body);
  distribution.NameCopies();
  loop.erase();
  return absl::OkStatus();
}

std::unique_ptr<Rule> SinkRule() { return std::make_unique<Sinking>(); }

}  // namespace quern::search
