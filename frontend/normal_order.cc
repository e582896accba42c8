#include "frontend/normal_order.h"

#include <string>
#include <utility>
#include <vector>

#include "bundle/digest.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;

static bool Commutes(mlir::Operation* op) {
  return llvm::isa<hlo::AddOp, hlo::MulOp, hlo::MaxOp, hlo::MinOp, hlo::AndOp, hlo::OrOp,
                   hlo::XorOp>(op);
}

class Orderer {
 public:
  // `depth` names the block: values of two blocks of one depth never meet.
  void Order(mlir::Block& block, int depth) {
    for (mlir::BlockArgument argument : block.getArguments()) {
      keys_[argument] = "^" + std::to_string(depth) + "." + std::to_string(argument.getArgNumber());
    }
    for (mlir::Operation& op : block) Visit(&op, depth);
    if (llvm::all_of(block.without_terminator(),
                     [](mlir::Operation& op) { return mlir::isMemoryEffectFree(&op); })) {
      Sort(block);
    }
  }

 private:
  // The op's regions and operands in order, and its results' keys.
  void Visit(mlir::Operation* op, int depth) {
    if (Commutes(op) && keys_.lookup(op->getOperand(1)) < keys_.lookup(op->getOperand(0))) {
      const mlir::Value first = op->getOperand(0);
      op->setOperand(0, op->getOperand(1));
      op->setOperand(1, first);
    }
    std::string text = op->getName().getStringRef().str();
    for (mlir::Value operand : op->getOperands()) text += " " + keys_.lookup(operand);
    llvm::raw_string_ostream out(text);
    for (mlir::Type type : op->getResultTypes()) out << ' ' << type;
    if (auto constant = llvm::dyn_cast<hlo::ConstantOp>(op)) {
      AddConstant(constant, out);
    } else {
      out << ' ' << op->getAttrDictionary();
    }
    for (mlir::Region& region : op->getRegions()) {
      for (mlir::Block& block : region) {
        Order(block, depth + 1);
        out << " {";
        for (mlir::Value value : block.back().getOperands()) out << ' ' << keys_.lookup(value);
        out << '}';
      }
    }
    if (op->getNumResults() == 0) return;
    const std::string key = Sha256(text);
    for (mlir::OpResult result : op->getResults())
      keys_[result] = key + "#" + std::to_string(result.getResultNumber());
  }

  // Text of large constants would take as long as all the rest.
  static void AddConstant(hlo::ConstantOp constant, llvm::raw_ostream& out) {
    auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
    if (!dense) return;
    const llvm::ArrayRef<char> raw = dense.getRawData();
    out << (dense.isSplat() ? " splat " : " ") << Sha256(std::string(raw.data(), raw.size()));
  }

  // Each op goes before the first one that needs it, from the terminator's operands on; what
  // nothing needs comes last.
  static void Sort(mlir::Block& block) {
    llvm::SmallPtrSet<mlir::Operation*, 32> done;
    std::vector<mlir::Operation*> order;
    Collect(block, block.getTerminator(), done, order);
    for (mlir::Operation& op : block) Collect(block, &op, done, order);
    for (mlir::Operation* op : order) {
      if (op != block.getTerminator()) op->moveBefore(block.getTerminator());
    }
  }

  // Appends an op after those that it needs.
  static void Collect(mlir::Block& block, mlir::Operation* last,
                      llvm::SmallPtrSetImpl<mlir::Operation*>& done,
                      std::vector<mlir::Operation*>& order) {
    std::vector<std::pair<mlir::Operation*, bool>> pending = {{last, false}};
    while (!pending.empty()) {
      auto [op, ready] = pending.back();
      pending.pop_back();
      if (ready) {
        order.push_back(op);
        continue;
      }
      if (!done.insert(op).second) continue;
      pending.emplace_back(op, true);
      std::vector<mlir::Operation*> producers;
      op->walk([&](mlir::Operation* nested) {
        for (mlir::Value operand : nested->getOperands()) {
          mlir::Operation* producer = operand.getDefiningOp();
          if (producer != nullptr && producer->getBlock() == &block) producers.push_back(producer);
        }
      });
      for (mlir::Operation* producer : llvm::reverse(producers)) {
        if (!done.contains(producer)) pending.emplace_back(producer, false);
      }
    }
  }

  llvm::DenseMap<mlir::Value, std::string> keys_;  // digests of what values are
};

void PutInNormalOrder(mlir::func::FuncOp function) {
  Orderer().Order(function.getBody().front(), /*depth=*/0);
}

}  // namespace quern::frontend
