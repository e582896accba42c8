// Ops with regions: scalar functions, and branches, which become selects.
#include <utility>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "ir/stablehlo/window.h"
#include "verifier/spec/scalar.h"
#include "verifier/spec/spec_reader.h"

namespace quern::verifier {

namespace hlo = ::quern::stablehlo;

absl::StatusOr<std::shared_ptr<const SpecBody>> SpecReader::ReadBody(mlir::Region& region,
                                                                     Scope& scope, int calls) {
  mlir::Operation& op = *region.getParentOp();
  if (in_body_) return Error(op, "is not supported in the body of an op");
  auto body = std::make_shared<SpecBody>();
  body->first = static_cast<int>(graph_.nodes.size());
  in_body_ = true;
  mlir::Block& block = region.front();
  for (mlir::BlockArgument argument : block.getArguments()) {
    SpecNode parameter{.op = SpecOp::kBodyArgument, .type = {}};
    parameter.number = static_cast<int>(argument.getArgNumber());
    parameter.bound = true;
    QUERN_ASSIGN_OR_RETURN(parameter.type, TypeOf(op, argument));
    QUERN_ASSIGN_OR_RETURN(scope[argument], Add(op, std::move(parameter)));
  }
  QUERN_ASSIGN_OR_RETURN(body->results, ReadBlock(block, scope, calls));
  in_body_ = false;
  body->count = static_cast<int>(graph_.nodes.size()) - body->first;
  return body;
}

static GatherDimensions ToGather(hlo::ScatterDimensionNumbersAttr n) {
  return {.window = n.getUpdateWindowDims().vec(),
          .collapsed = n.getInsertedWindowDims().vec(),
          .operand_batch = n.getInputBatchingDims().vec(),
          .indices_batch = n.getScatterIndicesBatchingDims().vec(),
          .index_map = n.getScatterDimsToOperandDims().vec(),
          .vector_dim = n.getIndexVectorDim(),
          .sizes = {}};
}

// A body may work on a wider type than an operand's, which is converted to it.
absl::Status SpecReader::Promote(mlir::Operation& op, mlir::Block& body,
                                 std::vector<int>* operands) {
  if (!llvm::isa<hlo::ReduceOp, hlo::ReduceWindowOp, hlo::ScatterOp>(op)) return absl::OkStatus();
  const size_t count = op.getNumResults();
  for (size_t argument = 0; argument < 2 * count; ++argument) {
    const bool indices = llvm::isa<hlo::ScatterOp>(op) && argument >= count;
    int& operand = (*operands)[argument + (indices ? 1 : 0)];
    QUERN_ASSIGN_OR_RETURN(const TensorType inner, TypeOf(op, body.getArgument(argument)));
    TensorType type = graph_.nodes[operand].type;
    if (type.element == inner.element) continue;
    type.element = inner.element;
    SpecNode convert{.op = SpecOp::kConvert, .type = type, .operands = {operand}};
    if (!IsDefined(convert, graph_.nodes[operand].type.element))
      return Error(op, "is not supported on the types of its body");
    QUERN_ASSIGN_OR_RETURN(operand, Add(op, std::move(convert)));
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> SpecReader::ReadRegions(mlir::Operation& op, Scope& scope, int calls) {
  if (llvm::isa<hlo::IfOp, hlo::CaseOp>(op)) {
    QUERN_RETURN_IF_ERROR(ReadBranches(op, scope, calls));
    return true;
  }
  SpecNode node;
  if (auto reduce = llvm::dyn_cast<hlo::ReduceOp>(op)) {
    node.op = SpecOp::kReduce;
    node.dimensions = reduce.getDimensions().vec();
  } else if (auto window = llvm::dyn_cast<hlo::ReduceWindowOp>(op)) {
    node.op = SpecOp::kReduceWindow;
    node.window = ToWindow(hlo::WindowOf(window));
  } else if (auto scatter = llvm::dyn_cast<hlo::ScatterOp>(op)) {
    node.op = SpecOp::kScatter;
    node.gather =
        std::make_shared<const GatherDimensions>(ToGather(scatter.getScatterDimensionNumbers()));
  } else if (auto select = llvm::dyn_cast<hlo::SelectAndScatterOp>(op)) {
    node.op = SpecOp::kSelectAndScatter;
    node.window = ToWindow(hlo::WindowOf(select));
    QUERN_ASSIGN_OR_RETURN(node.select, ReadBody(select.getSelect(), scope, calls));
  } else if (auto sort = llvm::dyn_cast<hlo::SortOp>(op)) {
    node.op = SpecOp::kSort;
    const auto type = llvm::cast<mlir::RankedTensorType>(op.getOperand(0).getType());
    const auto dimension = static_cast<int64_t>(sort.getDimension());
    node.dimensions = {dimension < 0 ? dimension + type.getRank() : dimension};
  } else {
    return false;
  }
  node.operands = Operands(op, scope);
  mlir::Region& body = op.getRegion(op.getNumRegions() - 1);
  QUERN_ASSIGN_OR_RETURN(node.body, ReadBody(body, scope, calls));
  QUERN_RETURN_IF_ERROR(Promote(op, body.front(), &node.operands));
  for (mlir::OpResult value : op.getResults()) {
    SpecNode result = node;
    result.number = static_cast<int>(value.getResultNumber());
    QUERN_ASSIGN_OR_RETURN(result.type, TypeOf(op, value));
    QUERN_ASSIGN_OR_RETURN(scope[value], Add(op, std::move(result)));
  }
  return true;
}

absl::Status SpecReader::ReadBranches(mlir::Operation& op, Scope& scope, int calls) {
  std::vector<std::vector<int>> branches;
  for (mlir::Region& region : op.getRegions()) {
    QUERN_ASSIGN_OR_RETURN(std::vector<int> results, ReadBlock(region.front(), scope, calls));
    branches.push_back(std::move(results));
  }
  const int operand = scope.lookup(op.getOperand(0));
  if (branches.empty()) return Error(op, "has no branch");
  std::vector<int> values = branches.back();
  const TensorType truth = {.element = ElementType::kBool, .shape = {}};
  for (size_t i = branches.size() - 1; i-- > 0;) {
    int condition = operand;
    if (llvm::isa<hlo::CaseOp>(op)) {
      const ElementType type = graph_.nodes[operand].type.element;
      QUERN_ASSIGN_OR_RETURN(const int number, AddConstant(op, type, static_cast<double>(i)));
      QUERN_ASSIGN_OR_RETURN(condition, AddNode(op, SpecOp::kCompare, truth, {operand, number}));
    }
    for (size_t j = 0; j < values.size(); ++j) {
      QUERN_ASSIGN_OR_RETURN(const TensorType type, TypeOf(op, op.getResult(j)));
      QUERN_ASSIGN_OR_RETURN(
          values[j], AddNode(op, SpecOp::kSelect, type, {condition, branches[i][j], values[j]}));
    }
  }
  for (auto [result, value] : llvm::zip(op.getResults(), values)) scope[result] = value;
  return absl::OkStatus();
}

}  // namespace quern::verifier
