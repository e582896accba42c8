#include "frontend/partition_groups.h"

#include <algorithm>

#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;

static constexpr size_t kMaxOps = 64;
static constexpr int64_t kMaxCopied = 64;  // elements of a constant

bool IsCopied(mlir::Operation* op) {
  if (auto constant = llvm::dyn_cast<hlo::ConstantOp>(op)) {
    auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
    return dense && (dense.isSplat() || dense.getNumElements() <= kMaxCopied);
  }
  if (llvm::isa<hlo::IotaOp>(op)) return true;
  if (!llvm::isa<hlo::BroadcastInDimOp, hlo::ReshapeOp, hlo::TransposeOp, hlo::ConvertOp>(op)) {
    return false;
  }
  mlir::Operation* source = op->getOperand(0).getDefiningOp();
  return source && IsCopied(source);
}

llvm::SmallVector<mlir::Value> OutsideOperands(mlir::Operation* op) {
  llvm::SmallVector<mlir::Value> values;
  op->walk([&](mlir::Operation* nested) {
    for (mlir::Value operand : nested->getOperands()) {
      mlir::Operation* parent = operand.getParentBlock()->getParentOp();
      if (nested == op || !op->isAncestor(parent)) values.push_back(operand);
    }
  });
  return values;
}

namespace {

// What an op does to the group that it could join.
enum class Kind { kLight, kReduction, kContraction, kStart, kAlone };

Kind KindOf(mlir::Operation* op) {
  if (llvm::isa<hlo::DotGeneralOp, hlo::ConvolutionOp>(op)) return Kind::kContraction;
  if (llvm::isa<hlo::ReduceOp, hlo::ReduceWindowOp>(op)) return Kind::kReduction;
  if (llvm::isa<hlo::ScatterOp, hlo::SelectAndScatterOp, hlo::GatherOp>(op)) return Kind::kStart;
  if (op->hasTrait<mlir::OpTrait::Elementwise>() ||
      llvm::isa<hlo::SelectOp, hlo::ClampOp, hlo::BroadcastInDimOp, hlo::ReshapeOp,
                hlo::TransposeOp, hlo::SliceOp, hlo::PadOp, hlo::ConcatenateOp, hlo::ReverseOp,
                hlo::DynamicSliceOp, hlo::DynamicUpdateSliceOp>(op)) {
    return Kind::kLight;
  }
  return Kind::kAlone;
}

struct Group {
  std::vector<mlir::Operation*> ops;
  int contractions = 0;
  bool reduces = false, alone = false, light = true;
};

class Grouping {
 public:
  explicit Grouping(mlir::Block& block) : block_(block) {}

  std::vector<std::vector<mlir::Operation*>> Run() {
    for (mlir::Operation& op : block_.without_terminator()) Visit(&op);
    for (mlir::Operation& op : block_.without_terminator()) {
      if (waiting_.erase(&op)) Place(&op);
    }
    for (size_t i = groups_.size(); i-- > 0;) MoveIntoConsumer(static_cast<int>(i));
    std::vector<std::vector<mlir::Operation*>> result;
    for (Group& group : groups_) {
      if (group.ops.empty()) continue;
      std::sort(group.ops.begin(), group.ops.end(),
                [](mlir::Operation* a, mlir::Operation* b) { return a->isBeforeInBlock(b); });
      result.push_back(std::move(group.ops));
    }
    return result;
  }

 private:
  int GroupOf(mlir::Value value) const {
    mlir::Operation* op = value.getDefiningOp();
    if (!op || op->getBlock() != &block_) return -1;
    auto found = group_of_.find(op);
    return found == group_of_.end() ? -1 : found->second;
  }

  bool Returned(mlir::Operation* op) const {
    return llvm::is_contained(op->getUsers(), block_.getTerminator());
  }

  int LastProducer(mlir::Operation* op) const {
    int last = -1;
    for (mlir::Value value : OutsideOperands(op)) last = std::max(last, GroupOf(value));
    return last;
  }

  // What is light and made of arguments alone waits for its first consumer, whose group it joins.
  void Visit(mlir::Operation* op) {
    const bool copied = IsCopied(op);
    if ((copied || llvm::isa<hlo::ConstantOp>(op)) && !Returned(op)) return;
    if (copied || (KindOf(op) == Kind::kLight && LastProducer(op) < 0)) {
      waiting_.insert(op);
    } else {
      Place(op);
    }
  }

  void Place(mlir::Operation* op) {
    const Kind kind = IsCopied(op) ? Kind::kLight : KindOf(op);
    if (kind == Kind::kAlone) {
      for (mlir::Value value : OutsideOperands(op)) Release(value, -1);
    }
    int last = LastProducer(op);
    if (last < 0 || !Joins(kind, groups_[last])) {
      last = static_cast<int>(groups_.size());
      groups_.emplace_back();
    }
    Put(op, kind, last);
    for (mlir::Value value : OutsideOperands(op)) Release(value, last);
  }

  // Puts a waiting op, and those that it waits for, into a group; -1: one of their own.
  void Release(mlir::Value value, int group) {
    mlir::Operation* op = value.getDefiningOp();
    if (!op || !waiting_.erase(op)) return;
    if (group < 0) return Place(op);
    Put(op, Kind::kLight, group);
    for (mlir::Value operand : OutsideOperands(op)) Release(operand, group);
  }

  void Put(mlir::Operation* op, Kind kind, int index) {
    Group& group = groups_[index];
    group.ops.push_back(op);
    group_of_[op] = index;
    group.contractions += kind == Kind::kContraction;
    group.reduces |= kind == Kind::kReduction;
    group.alone |= kind == Kind::kAlone;
    group.light &= kind == Kind::kLight;
  }

  static bool Joins(Kind kind, const Group& group) {
    if (group.alone || group.ops.size() >= kMaxOps) return false;
    switch (kind) {
      case Kind::kLight:
      case Kind::kReduction:
        return true;
      case Kind::kContraction:  // attention
        return group.contractions == 1 && group.reduces;
      case Kind::kStart:
      case Kind::kAlone:
        return false;
    }
    return false;
  }

  // A group of element-wise ops that one other group alone uses.
  void MoveIntoConsumer(int index) {
    Group& group = groups_[index];
    if (!group.light) return;
    int consumer = -1;
    for (mlir::Operation* op : group.ops) {
      for (mlir::Operation* user : op->getUsers()) {
        mlir::Operation* outer = block_.findAncestorOpInBlock(*user);
        auto found = group_of_.find(outer);
        if (found == group_of_.end()) return;  // returned, or used by what is copied
        if (found->second == index) continue;
        if (consumer >= 0 && consumer != found->second) return;
        consumer = found->second;
      }
    }
    if (consumer < 0) return;
    Group& into = groups_[consumer];
    if (into.alone || into.ops.size() + group.ops.size() > kMaxOps) return;
    for (mlir::Operation* op : group.ops) group_of_[op] = consumer;
    into.ops.insert(into.ops.end(), group.ops.begin(), group.ops.end());
    group.ops.clear();
  }

  mlir::Block& block_;
  std::vector<Group> groups_;
  llvm::DenseMap<mlir::Operation*, int> group_of_;
  llvm::SmallPtrSet<mlir::Operation*, 16> waiting_;
};

}  // namespace

std::vector<std::vector<mlir::Operation*>> GroupOps(mlir::Block& block) {
  return Grouping(block).Run();
}

}  // namespace quern::frontend
