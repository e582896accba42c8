#include "frontend/interpreter.h"

#include "absl/strings/str_cat.h"
#include "frontend/evaluate.h"
#include "frontend/source.h"
#include "llvm/ADT/DenseMap.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;

absl::Status UndefinedOp(mlir::Operation& op) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << Where(op.getLoc()) << "error: " << op.getName() << " is not defined on ";
  llvm::interleaveComma(op.getOperandTypes(), out);
  return absl::InvalidArgumentError(text);
}

static absl::StatusOr<Tensor> EvaluateElementwise(mlir::Operation* op, const Scope& scope) {
  QUERN_ASSIGN_OR_RETURN(Tensor result,
                         Tensor::Create(*hlo::ToTensorType(op->getResult(0).getType())));
  const std::byte* operands[3];
  Tensor spread[3];  // select and clamp take scalars with a tensor
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    const Tensor& tensor = scope(operand);
    operands[i] = tensor.data();
    if (tensor.type().shape == result.type().shape) continue;
    QUERN_ASSIGN_OR_RETURN(spread[i], Spread(tensor, result.type().shape));
    operands[i] = spread[i].data();
  }
  FindElementwise (*op)(operands, result.data(), result.type().num_elements());
  return result;
}

static absl::StatusOr<std::vector<SharedTensor>> RunElementwise(mlir::Operation& op,
                                                                const Scope& scope) {
  QUERN_ASSIGN_OR_RETURN(Tensor result, EvaluateElementwise(&op, scope));
  return std::vector<SharedTensor>{std::make_shared<const Tensor>(std::move(result))};
}

static Evaluator FindAnyElementwise(mlir::Operation& op) {
  return FindElementwise(op) != nullptr ? RunElementwise : nullptr;
}

static constexpr Evaluator (*kFamilies[])(mlir::Operation&) = {
    FindAnyElementwise, FindMovement, FindBitcast, FindControl,     FindReduce, FindDot,
    FindIndexing,       FindSort,     FindWindow,  FindConvolution, FindLinear, FindFft,
    FindRandom,
};

Evaluator FindEvaluator(mlir::Operation& op) {
  for (auto find : kFamilies) {
    if (Evaluator evaluator = find(op)) return evaluator;
  }
  return nullptr;
}

BlockEvaluator::BlockEvaluator(mlir::Block& block) : block_(block) {
  llvm::DenseMap<mlir::Operation*, llvm::SmallVector<mlir::Value>> unused;
  auto add = [&](mlir::Value value, mlir::Operation* last) {
    for (mlir::Operation* user : value.getUsers()) {
      mlir::Operation* above = block.findAncestorOpInBlock(*user);
      if (last->isBeforeInBlock(above)) last = above;
    }
    unused[last].push_back(value);
  };
  for (mlir::Operation& op : block) {
    for (mlir::Value value : op.getResults()) add(value, &op);
  }
  for (mlir::BlockArgument argument : block.getArguments()) add(argument, &block.front());
  for (mlir::Operation& op : block.without_terminator())
    steps_.push_back({&op, FindEvaluator(op), unused[&op]});
}

absl::StatusOr<std::vector<SharedTensor>> BlockEvaluator::Run(
    llvm::ArrayRef<SharedTensor> arguments, const Scope* outer, OtherOps other,
    int64_t* iterations) const {
  llvm::DenseMap<mlir::Value, SharedTensor> held;
  for (auto [value, tensor] : llvm::zip(block_.getArguments(), arguments)) held[value] = tensor;
  auto find = [&](mlir::Value value) -> const SharedTensor& {
    auto found = held.find(value);
    return found != held.end() ? found->second : outer->Share(value);
  };
  const Scope scope(find, other, outer != nullptr ? outer->iterations() : iterations);
  for (const Step& step : steps_) {
    if (step.evaluate == nullptr) {
      QUERN_RETURN_IF_ERROR(other(*step.op, scope));
    } else {
      QUERN_ASSIGN_OR_RETURN(std::vector<SharedTensor> results, step.evaluate(*step.op, scope));
      for (auto [value, tensor] : llvm::zip(step.op->getResults(), results))
        held[value] = std::move(tensor);
    }
    for (mlir::Value value : step.unused) held.erase(value);
  }
  std::vector<SharedTensor> results;
  for (mlir::Value value : block_.getTerminator()->getOperands()) results.push_back(find(value));
  return results;
}

absl::StatusOr<std::vector<Tensor>> EvaluateBlock(mlir::Block& block,
                                                  absl::Span<const Tensor> arguments,
                                                  OtherOps other, int64_t* iterations) {
  std::vector<SharedTensor> shared;  // without owning
  for (const Tensor& argument : arguments)
    shared.push_back(SharedTensor(SharedTensor(), &argument));
  QUERN_ASSIGN_OR_RETURN(std::vector<SharedTensor> values,
                         BlockEvaluator(block).Run(shared, nullptr, other, iterations));
  std::vector<Tensor> results;
  for (const SharedTensor& value : values) results.push_back(value->Clone());
  return results;
}

absl::StatusOr<std::vector<Tensor>> Interpret(const Spec& spec, absl::Span<const Tensor> inputs,
                                              int64_t max_iterations) {
  if (inputs.size() != spec.arguments.size()) {
    return absl::InvalidArgumentError(absl::StrCat("the program takes ", spec.arguments.size(),
                                                   " arguments, not ", inputs.size()));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].type() != spec.arguments[i]) {
      return absl::InvalidArgumentError(absl::StrCat("argument ", i, " is a ",
                                                     inputs[i].type().ToString(), ", not a ",
                                                     spec.arguments[i].ToString()));
    }
  }
  absl::Status calls;
  spec.main().walk([&](hlo::CustomCallOp call) {
    if (!calls.ok()) return;
    calls = absl::UnimplementedError(absl::StrCat(
        Where(call.getLoc()), "error: calls @", call.getCallTargetName().str(),
        ", a function of a library that quern cannot run; partition the model and run its parts"));
  });
  QUERN_RETURN_IF_ERROR(calls);
  return EvaluateBlock(
      spec.main().getBody().front(), inputs,
      [](mlir::Operation& op, Lookup) { return UndefinedOp(op); }, &max_iterations);
}

}  // namespace quern::frontend
