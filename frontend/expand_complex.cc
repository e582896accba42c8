#include "frontend/expand_complex.h"

#include <complex>
#include <vector>

#include "frontend/complex_parts.h"
#include "frontend/expand_fft.h"
#include "ir/stablehlo/chlo.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/TypeUtilities.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;
using mlir::RankedTensorType;
using mlir::Value;

static bool IsComplex(mlir::Type type) {
  return llvm::isa<mlir::ComplexType>(mlir::getElementTypeOrSelf(type));
}

// Of one part.
static RankedTensorType PartType(mlir::Type type) {
  auto element = llvm::cast<mlir::ComplexType>(mlir::getElementTypeOrSelf(type)).getElementType();
  return llvm::cast<RankedTensorType>(type).clone(element);
}

static bool IsInvolved(mlir::Operation* op) {
  return llvm::isa<hlo::FftOp, hlo::RealOp, hlo::ImagOp, chlo::ConjOp>(op) ||
         llvm::any_of(op->getOperandTypes(), IsComplex) ||
         llvm::any_of(op->getResultTypes(), IsComplex) ||
         llvm::any_of(op->getRegions(), [](mlir::Region& region) {
           return llvm::any_of(region.getArgumentTypes(), IsComplex);
         });
}

// Both parts of a constant; nothing for one without data.
static std::optional<Parts> SplitConstant(Steps& steps, hlo::ConstantOp op) {
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(op.getValue());
  if (!dense) return std::nullopt;
  const RankedTensorType type = PartType(op.getType());
  std::vector<llvm::APFloat> real, imaginary;
  const auto add = [&](const std::complex<llvm::APFloat>& value) {
    real.push_back(value.real());
    imaginary.push_back(value.imag());
  };
  if (dense.isSplat()) {
    add(dense.getSplatValue<std::complex<llvm::APFloat>>());
  } else {
    for (const auto& value : dense.getValues<std::complex<llvm::APFloat>>()) add(value);
  }
  const auto constant = [&](llvm::ArrayRef<llvm::APFloat> values) {
    return steps.Create<hlo::ConstantOp>(type, mlir::DenseElementsAttr::get(type, values));
  };
  return Parts{constant(real), constant(imaginary)};
}

static mlir::Operation* Again(Steps& steps, mlir::Operation* op, mlir::ValueRange operands,
                              mlir::TypeRange results) {
  mlir::OperationState state(op->getLoc(), op->getName().getIdentifier(), operands, results,
                             op->getAttrs());
  for (mlir::Region& region : op->getRegions()) state.addRegion()->takeBody(region);
  return steps.builder().create(state);
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
    mlir::Operation* now = Again(steps, op, InPlace(op->getOperands()), types);
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
      if (IsComplex(op->getResult(0).getType())) {
        if (std::optional<Parts> parts = Expand(steps, op)) {
          parts_[op->getResult(0)] = *parts;
          gone_.push_back(op);
          return;
        }
      } else if (Value real = ExpandToReal(steps, op)) {
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

  Parts PartsOf(Value value) const {
    auto known = parts_.find(value);
    return known == parts_.end() ? Parts{value, {}} : known->second;
  }

  // The op on the real parts, and on the imaginary ones.
  Parts Twice(Steps& steps, mlir::Operation* op) {
    llvm::SmallVector<Value> real, imaginary;
    for (Value operand : op->getOperands()) {
      const Parts parts = PartsOf(operand);
      real.push_back(parts.real);
      imaginary.push_back(parts.imaginary ? parts.imaginary : operand);
    }
    const RankedTensorType type = PartType(op->getResult(0).getType());
    return {Again(steps, op, real, type)->getResult(0),
            Again(steps, op, imaginary, type)->getResult(0)};
  }

  std::optional<Parts> Products(Steps& steps, mlir::Operation* op) {
    const Parts a = PartsOf(op->getOperand(0)), b = PartsOf(op->getOperand(1));
    if (!a.imaginary || !b.imaginary) return std::nullopt;
    const RankedTensorType type = PartType(op->getResult(0).getType());
    const auto product = [&](Value left, Value right) {
      return Again(steps, op, {left, right}, type)->getResult(0);
    };
    return Parts{
        steps.Binary<hlo::SubtractOp>(product(a.real, b.real), product(a.imaginary, b.imaginary)),
        steps.Binary<hlo::AddOp>(product(a.real, b.imaginary), product(a.imaginary, b.real))};
  }

  Parts Convert(Steps& steps, hlo::ConvertOp op) {
    const RankedTensorType type = PartType(op.getType());
    const Parts from = PartsOf(op.getOperand());
    return {steps.ConvertTo(from.real, type.getElementType()),
            from.imaginary ? steps.ConvertTo(from.imaginary, type.getElementType())
                           : steps.Zeros(type)};
  }

  std::optional<Parts> Expand(Steps& steps, mlir::Operation* op) {
    return llvm::TypeSwitch<mlir::Operation*, std::optional<Parts>>(op)
        .Case<hlo::ReshapeOp, hlo::TransposeOp, hlo::SliceOp, hlo::BroadcastInDimOp, hlo::ReverseOp,
              hlo::ConcatenateOp, hlo::PadOp, hlo::DynamicSliceOp, hlo::DynamicUpdateSliceOp,
              hlo::GatherOp, hlo::SelectOp>([&](auto move) { return Twice(steps, move); })
        .Case<hlo::DotGeneralOp, hlo::ConvolutionOp>(
            [&](auto product) { return Products(steps, product); })
        .Case([&](hlo::ConstantOp constant) { return SplitConstant(steps, constant); })
        .Case([&](hlo::IotaOp iota) {
          const RankedTensorType type = PartType(iota.getType());
          return Parts{Again(steps, op, {}, type)->getResult(0), steps.Zeros(type)};
        })
        .Case([&](hlo::ComplexOp complex) { return Parts{complex.getLhs(), complex.getRhs()}; })
        .Case([&](hlo::ConvertOp convert) { return Convert(steps, convert); })
        .Case([&](hlo::FftOp fft) { return ExpandFft(steps, fft, PartsOf(fft.getOperand())); })
        .Default([&](mlir::Operation*) { return ExpandElementwise(steps, op); });
  }

  std::optional<Parts> ExpandElementwise(Steps& steps, mlir::Operation* op) {
    llvm::SmallVector<Parts, 3> operands;
    const RankedTensorType type = PartType(op->getResult(0).getType());
    for (Value operand : op->getOperands()) {
      Parts parts = PartsOf(operand);
      if (!parts.imaginary) return std::nullopt;
      if (Ranked(parts.real) != type) {  // a scalar bound of clamp
        parts = {steps.Broadcast(parts.real, type, {}), steps.Broadcast(parts.imaginary, type, {})};
      }
      operands.push_back(parts);
    }
    return operands.empty() ? std::nullopt : ComplexSteps(steps).Function(op, operands);
  }

  Value ExpandToReal(Steps& steps, mlir::Operation* op) {
    const Parts from = PartsOf(op->getOperand(0));
    const RankedTensorType type = Ranked(op->getResult(0));
    ComplexSteps complex(steps);
    return llvm::TypeSwitch<mlir::Operation*, Value>(op)
        .Case<hlo::RealOp, chlo::ConjOp>([&](auto) { return from.real; })
        .Case<hlo::ImagOp>(
            [&](auto) { return from.imaginary ? from.imaginary : steps.Zeros(type); })
        .Case<hlo::AbsOp>([&](auto) { return complex.Magnitude(from); })
        .Case([&](hlo::CompareOp compare) {
          return complex.Compare(compare.getComparisonDirection(), from, PartsOf(compare.getRhs()));
        })
        .Case([&](hlo::ConvertOp) {
          if (!type.getElementType().isInteger(1))
            return steps.ConvertTo(from.real, type.getElementType());
          const Value zeros = steps.Zeros(Ranked(from.real));
          return complex.Compare(hlo::ComparisonDirection::NE, from, {zeros, zeros});
        })
        .Case([&](hlo::FftOp fft) {
          std::optional<Parts> parts = ExpandFft(steps, fft, from);
          return parts ? parts->real : Value();
        })
        .Default(Value());
  }

  llvm::DenseMap<Value, Parts> parts_;  // of complex values
  std::vector<mlir::Operation*> gone_;  // rewritten, but still there
  std::vector<mlir::Block*> blocks_;    // whose complex arguments go at the end
};

}  // namespace

void ExpandComplex(mlir::func::FuncOp function) {
  bool involved = llvm::any_of(function.getArgumentTypes(), IsComplex);
  function.walk([&](mlir::Operation* op) { involved = involved || IsInvolved(op); });
  if (involved) Expander().Run(function);
}

}  // namespace quern::frontend
