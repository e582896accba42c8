#include "frontend/interpreter.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
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

static absl::StatusOr<Tensor> EvaluateElementwise(mlir::Operation& op, Elementwise run,
                                                  Lookup value) {
  QUERN_ASSIGN_OR_RETURN(Tensor result,
                         Tensor::Create(*hlo::ToTensorType(op.getResult(0).getType())));
  const std::byte* operands[3];
  Tensor spread[3];  // select and clamp take scalars with a tensor
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    const Tensor& tensor = value(operand);
    operands[i] = tensor.data();
    if (tensor.type().shape == result.type().shape) continue;
    QUERN_ASSIGN_OR_RETURN(spread[i], Spread(tensor, result.type().shape));
    operands[i] = spread[i].data();
  }
  run(operands, result.data(), result.type().num_elements());
  return result;
}

static absl::StatusOr<std::vector<Tensor>> Evaluate(mlir::Operation& op, Lookup value) {
  if (auto reduce = llvm::dyn_cast<hlo::ReduceOp>(op)) return EvaluateReduce(reduce, value);
  absl::StatusOr<Tensor> result = UndefinedOp(op);
  if (auto dot = llvm::dyn_cast<hlo::DotGeneralOp>(op)) {
    result = EvaluateDot(dot, value);
  } else if (IsMovement(op)) {
    result = EvaluateMovement(op, value);
  } else if (Elementwise run = FindElementwise(op)) {
    result = EvaluateElementwise(op, run, value);
  }
  if (!result.ok()) return std::move(result).status();
  std::vector<Tensor> results;
  results.push_back(*std::move(result));
  return results;
}

// The values that no op after the key uses.
static llvm::DenseMap<mlir::Operation*, llvm::SmallVector<mlir::Value>> LastUses(
    mlir::Block& block) {
  llvm::DenseMap<mlir::Operation*, llvm::SmallVector<mlir::Value>> dead;
  for (mlir::Operation& op : block) {
    for (mlir::Value value : op.getResults()) {
      mlir::Operation* last = &op;
      for (mlir::Operation* user : value.getUsers()) {
        mlir::Operation* above = block.findAncestorOpInBlock(*user);
        if (last->isBeforeInBlock(above)) last = above;
      }
      dead[last].push_back(value);
    }
  }
  return dead;
}

absl::StatusOr<std::vector<Tensor>> EvaluateBlock(
    mlir::Block& block, absl::Span<const Tensor> arguments,
    llvm::function_ref<absl::Status(mlir::Operation&, Lookup)> other) {
  llvm::DenseMap<mlir::Value, std::unique_ptr<Tensor>> computed;
  auto lookup = [&](mlir::Value value) -> const Tensor& {
    auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
    return argument ? arguments[argument.getArgNumber()] : *computed.find(value)->second;
  };
  const auto dead = LastUses(block);
  for (mlir::Operation& op : block.without_terminator()) {
    if (op.getName().getDialectNamespace() != "stablehlo" || llvm::isa<hlo::CustomCallOp>(op)) {
      QUERN_RETURN_IF_ERROR(other(op, lookup));
    } else {
      QUERN_ASSIGN_OR_RETURN(std::vector<Tensor> results, Evaluate(op, lookup));
      for (auto [value, tensor] : llvm::zip(op.getResults(), results)) {
        computed[value] = std::make_unique<Tensor>(std::move(tensor));
      }
    }
    auto found = dead.find(&op);
    if (found == dead.end()) continue;
    for (mlir::Value value : found->second) computed.erase(value);
  }
  std::vector<Tensor> results;
  for (mlir::Value value : block.getTerminator()->getOperands())
    results.push_back(lookup(value).Clone());
  return results;
}

absl::StatusOr<std::vector<Tensor>> Interpret(const Spec& spec, absl::Span<const Tensor> inputs) {
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
  return EvaluateBlock(spec.main().getBody().front(), inputs,
                       [](mlir::Operation& op, Lookup) { return UndefinedOp(op); });
}

}  // namespace quern::frontend
