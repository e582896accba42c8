#include "frontend/expand_complex.h"

#include <vector>

#include "frontend/complex_op.h"
#include "frontend/expand_selection.h"
#include "ir/stablehlo/chlo.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;
using mlir::RankedTensorType;
using mlir::Value;

static bool IsInvolved(mlir::Operation* op) {
  return llvm::isa<hlo::FftOp, hlo::RealOp, hlo::ImagOp, chlo::ConjOp>(op) ||
         llvm::any_of(op->getOperandTypes(), IsComplex) ||
         llvm::any_of(op->getResultTypes(), IsComplex) ||
         llvm::any_of(op->getRegions(), [](mlir::Region& region) {
           return llvm::any_of(region.getArgumentTypes(), IsComplex);
         });
}

namespace {

class Expander {
 public:
  void Run(mlir::func::FuncOp function) {
    mlir::Block& body = function.getBody().front();
    TakeArguments(body);
    RewriteBlock(body);
    GiveResults(body.getTerminator());
    for (mlir::Operation* op : gone_) op->dropAllReferences();
    for (mlir::Operation* op : gone_) op->erase();
    for (mlir::Block* block : blocks_) {
      block->eraseArguments(
          [&](mlir::BlockArgument argument) { return parts_.contains(argument); });
    }
    function.setType(mlir::FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                             body.getTerminator()->getOperandTypes()));
  }

 private:
  // ---- Arguments and results

  void TakeArguments(mlir::Block& body) {
    Steps steps(&body.front());
    const llvm::SmallVector<mlir::BlockArgument> arguments(body.getArguments());
    for (mlir::BlockArgument argument : arguments) {
      if (!IsComplex(argument.getType())) continue;
      const RankedTensorType type = PartType(argument.getType());
      llvm::SmallVector<int64_t> shape(type.getShape());
      shape.push_back(2);
      Value both =
          body.insertArgument(argument.getArgNumber(), type.clone(shape), argument.getLoc());
      const auto part = [&](int64_t number) {
        return steps.Reshape(steps.Slice(both, type.getRank(), number, number + 1),
                             type.getShape());
      };
      parts_[argument] = {part(0), part(1)};
    }
    blocks_.push_back(&body);
  }

  void GiveResults(mlir::Operation* terminator) {
    Steps steps(terminator);
    for (mlir::OpOperand& operand : terminator->getOpOperands()) {
      auto known = parts_.find(operand.get());
      if (known == parts_.end()) continue;
      const RankedTensorType type = Ranked(known->second.real);
      llvm::SmallVector<int64_t> shape(type.getShape());
      shape.push_back(1);
      operand.set(steps.Concatenate(
          {steps.Reshape(known->second.real, shape), steps.Reshape(known->second.imaginary, shape)},
          type.getRank()));
    }
  }

  // ---- Ops with lists of operands: parts follow one another

  llvm::SmallVector<Value> InPlace(mlir::ValueRange values) {
    llvm::SmallVector<Value> all;
    for (Value value : values) {
      auto known = parts_.find(value);
      if (known == parts_.end()) {
        all.push_back(value);
      } else {
        all.append({known->second.real, known->second.imaginary});
      }
    }
    return all;
  }

  // Arguments of a region; a comparator has two for each operand, one after the other.
  void ExpandArguments(mlir::Block& block, size_t group) {
    const llvm::SmallVector<mlir::BlockArgument> arguments(block.getArguments());
    for (size_t i = 0; i < arguments.size(); i += group) {
      if (!IsComplex(arguments[i].getType())) continue;
      const RankedTensorType type = PartType(arguments[i].getType());
      for (size_t k = 0; k < group; ++k) {
        parts_[arguments[i + k]].real =
            block.insertArgument(arguments[i].getArgNumber(), type, arguments[i].getLoc());
      }
      for (size_t k = 0; k < group; ++k) {
        parts_[arguments[i + k]].imaginary =
            block.insertArgument(arguments[i].getArgNumber(), type, arguments[i].getLoc());
      }
    }
    blocks_.push_back(&block);
  }

  void ExpandList(mlir::Operation* op) {
    Steps steps(op);
    llvm::SmallVector<mlir::Type> types;
    for (mlir::Type type : op->getResultTypes()) {
      if (IsComplex(type)) {
        types.append(2, PartType(type));
      } else {
        types.push_back(type);
      }
    }
    mlir::Operation* now = steps.Again(op, InPlace(op->getOperands()), types);
    unsigned at = 0;
    for (mlir::OpResult result : op->getResults()) {
      if (IsComplex(result.getType())) {
        parts_[result] = {now->getResult(at), now->getResult(at + 1)};
        at += 2;
      } else {
        result.replaceAllUsesWith(now->getResult(at++));
      }
    }
    gone_.push_back(op);
    for (mlir::Region& region : now->getRegions()) {
      if (region.empty()) continue;
      ExpandArguments(region.front(), llvm::isa<hlo::SortOp>(op) ? 2 : 1);
      RewriteBlock(region.front());
    }
  }

  void RewriteBlock(mlir::Block& block) {
    for (mlir::Operation& op : llvm::make_early_inc_range(block.without_terminator())) {
      Rewrite(&op);
    }
    if (auto end = llvm::dyn_cast<hlo::ReturnOp>(block.getTerminator())) {
      end->setOperands(InPlace(end->getOperands()));
    }
  }

  // ---- One op

  void Rewrite(mlir::Operation* op) {
    if (!IsInvolved(op)) {
      for (mlir::Region& region : op->getRegions()) {
        if (!region.empty()) RewriteBlock(region.front());
      }
      return;
    }
    if (llvm::isa<hlo::ReduceOp, hlo::ReduceWindowOp, hlo::ScatterOp, hlo::SortOp, hlo::WhileOp,
                  hlo::IfOp, hlo::CaseOp, hlo::OptimizationBarrierOp>(op)) {
      return ExpandList(op);
    }
    Steps steps(op);
    if (op->getNumResults() == 1 && op->getNumRegions() == 0) {
      const auto parts_of = [&](Value value) { return PartsOf(value); };
      ComplexOp parts(steps, parts_of);
      const Value result = op->getResult(0);
      if (IsComplex(result.getType())) {
        if (std::optional<Parts> complex = parts.Complex(op)) {
          parts_[result] = *complex;
          gone_.push_back(op);
          return;
        }
      } else if (Value real = parts.Real(op)) {
        op->getResult(0).replaceAllUsesWith(real);
        gone_.push_back(op);
        return;
      }
    }
    Keep(steps, op);
  }

  // The op works on complex numbers still.
  void Keep(Steps& steps, mlir::Operation* op) {
    op->walk([&](mlir::Operation* inner) {
      for (mlir::OpOperand& operand : inner->getOpOperands()) {
        auto known = parts_.find(operand.get());
        if (known == parts_.end()) continue;
        operand.set(steps.Create<hlo::ComplexOp>(operand.get().getType(), known->second.real,
                                                 known->second.imaginary));
      }
    });
    steps.builder().setInsertionPointAfter(op);
    for (mlir::OpResult result : op->getResults()) {
      if (!IsComplex(result.getType())) continue;
      const RankedTensorType type = PartType(result.getType());
      parts_[result] = {steps.Create<hlo::RealOp>(type, result),
                        steps.Create<hlo::ImagOp>(type, result)};
    }
  }

  // The parts of a complex value; a real one and nothing.
  Parts PartsOf(Value value) const {
    auto known = parts_.find(value);
    return known == parts_.end() ? Parts{value, {}} : known->second;
  }

  llvm::DenseMap<Value, Parts> parts_;  // of complex values
  std::vector<mlir::Operation*> gone_;  // rewritten, but still there
  std::vector<mlir::Block*> blocks_;    // whose complex arguments go at the end
};

}  // namespace

void ExpandComplex(mlir::func::FuncOp function) {
  bool involved = llvm::any_of(function.getArgumentTypes(), IsComplex);
  function.walk([&](mlir::Operation* op) { involved = involved || IsInvolved(op); });
  if (!involved) return;
  ExpandSelections(function);
  Expander().Run(function);
}

}  // namespace quern::frontend
