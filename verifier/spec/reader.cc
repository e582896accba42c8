#include "verifier/spec/reader.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "ir/stablehlo/constant.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "verifier/spec/scalar.h"

namespace quern::verifier {

namespace hlo = ::quern::stablehlo;

static constexpr size_t kMaxNodes = 1'000'000;
static constexpr int kMaxCalls = 64;
static constexpr int kMaxNesting = 256;

static std::string Place(mlir::Location location) {
  auto place = location->findInstanceOf<mlir::FileLineColLoc>();
  return place ? absl::StrCat(place.getLine(), ":", place.getColumn(), ": ") : "";
}

static std::string Where(mlir::Operation& op) {
  return absl::StrCat(Place(op.getLoc()), op.getName().getStringRef().str());
}

static absl::Status Error(mlir::Operation& op, const std::string& message) {
  return absl::InvalidArgumentError(absl::StrCat(Where(op), ": ", message));
}

// MLIR's parser recurses on brackets.
static absl::Status CheckNesting(const std::string& text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"' || c == '\n') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '/' && i + 1 < text.size() && text[i + 1] == '/') {
      while (i < text.size() && text[i] != '\n') ++i;
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      if (++depth > kMaxNesting) return absl::InvalidArgumentError("brackets nest too deeply");
    } else if (c == ')' || c == ']' || c == '}' || (c == '>' && (i == 0 || text[i - 1] != '-'))) {
      --depth;
    }
  }
  return absl::OkStatus();
}

class SpecReader {
 public:
  explicit SpecReader(mlir::ModuleOp module) : symbols_(module) {}

  absl::StatusOr<SpecGraph> Read(mlir::func::FuncOp main);

 private:
  using Scope = llvm::DenseMap<mlir::Value, int>;

  absl::StatusOr<int> Add(mlir::Operation& op, SpecNode node);
  absl::StatusOr<TensorType> TypeOf(mlir::Operation& op, mlir::Value value);
  // The values that the block returns.
  absl::StatusOr<std::vector<int>> ReadBlock(mlir::Block& block, Scope& scope, int calls);
  absl::Status ReadOp(mlir::Operation& op, Scope& scope, int calls);
  absl::Status ReadCall(mlir::func::CallOp call, Scope& scope, int calls);
  absl::Status ReadReduce(hlo::ReduceOp reduce, Scope& scope, int calls);
  absl::StatusOr<SpecNode> ReadNode(mlir::Operation& op);

  mlir::SymbolTable symbols_;
  SpecGraph graph_;
  bool in_body_ = false;  // of a reduce
};

absl::StatusOr<TensorType> SpecReader::TypeOf(mlir::Operation& op, mlir::Value value) {
  std::optional<TensorType> type = hlo::ToTensorType(value.getType());
  if (type && IsChecked(type->element)) return *std::move(type);
  std::string name;
  llvm::raw_string_ostream(name) << value.getType();
  return Error(op, absl::StrCat("the type ", name, " is not supported"));
}

absl::StatusOr<int> SpecReader::Add(mlir::Operation& op, SpecNode node) {
  if (graph_.nodes.size() >= kMaxNodes)
    return Error(op, "the program has more than a million values");
  node.where = Where(op);
  for (int operand : node.operands) node.bound |= graph_.nodes[operand].bound;
  if (in_body_ && !node.type.shape.empty()) {
    return Error(op, "only scalars are supported in the body of a reduce");
  }
  graph_.nodes.push_back(std::move(node));
  return static_cast<int>(graph_.nodes.size()) - 1;
}

static SpecOp ElementwiseOp(mlir::Operation& op) {
  return llvm::TypeSwitch<mlir::Operation*, SpecOp>(&op)
#define QUERN_SPEC_OP(enumerator, mlir_class, operands) \
  .Case([](hlo::mlir_class) { return SpecOp::enumerator; })
#include "verifier/spec/ops.def"
#undef QUERN_SPEC_OP
      .Default([](mlir::Operation*) { return SpecOp::kArgument; });
}

static Comparison ToComparison(hlo::ComparisonDirection direction) {
  switch (direction) {
    case hlo::ComparisonDirection::EQ:
      return Comparison::kEq;
    case hlo::ComparisonDirection::NE:
      return Comparison::kNe;
    case hlo::ComparisonDirection::GE:
      return Comparison::kGe;
    case hlo::ComparisonDirection::GT:
      return Comparison::kGt;
    case hlo::ComparisonDirection::LE:
      return Comparison::kLe;
    case hlo::ComparisonDirection::LT:
      return Comparison::kLt;
  }
  return Comparison::kEq;
}

// The op and its attributes.
absl::StatusOr<SpecNode> SpecReader::ReadNode(mlir::Operation& op) {
  SpecNode node;
  if (auto constant = llvm::dyn_cast<hlo::ConstantOp>(op)) {
    node.op = SpecOp::kConstant;
    mlir::ElementsAttr value = constant.getValue();
    if (auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(value); dense && dense.isSplat()) {
      value = dense.resizeSplat(mlir::RankedTensorType::get({}, dense.getElementType()));
    }
    absl::StatusOr<Tensor> tensor = hlo::ToTensor(value);
    if (absl::IsInvalidArgument(tensor.status()))
      return Error(op, std::string(tensor.status().message()));
    QUERN_RETURN_IF_ERROR(tensor.status());
    node.constant = std::make_shared<const Tensor>(*std::move(tensor));
  } else if (auto iota = llvm::dyn_cast<hlo::IotaOp>(op)) {
    node.op = SpecOp::kIota;
    node.dimensions = {static_cast<int64_t>(iota.getIotaDimension())};
  } else if (auto broadcast = llvm::dyn_cast<hlo::BroadcastInDimOp>(op)) {
    node.op = SpecOp::kBroadcast;
    node.dimensions = broadcast.getBroadcastDimensions().vec();
  } else if (llvm::isa<hlo::ReshapeOp>(op)) {
    node.op = SpecOp::kReshape;
  } else if (auto transpose = llvm::dyn_cast<hlo::TransposeOp>(op)) {
    node.op = SpecOp::kTranspose;
    node.dimensions = transpose.getPermutation().vec();
  } else if (auto slice = llvm::dyn_cast<hlo::SliceOp>(op)) {
    node.op = SpecOp::kSlice;
    node.starts = slice.getStartIndices().vec();
    node.strides = slice.getStrides().vec();
  } else if (auto dot = llvm::dyn_cast<hlo::DotGeneralOp>(op)) {
    hlo::DotDimensionNumbersAttr numbers = dot.getDotDimensionNumbers();
    node.op = SpecOp::kDot;
    node.dot = {numbers.getLhsBatchingDimensions().vec(), numbers.getRhsBatchingDimensions().vec(),
                numbers.getLhsContractingDimensions().vec(),
                numbers.getRhsContractingDimensions().vec()};
  } else {
    node.op = ElementwiseOp(op);
    if (node.op == SpecOp::kArgument) return Error(op, "is not supported");
    if (auto compare = llvm::dyn_cast<hlo::CompareOp>(op)) {
      node.comparison = ToComparison(compare.getComparisonDirection());
      node.total_order = compare.getCompareType() == hlo::ComparisonType::TOTALORDER;
    }
  }
  return node;
}

absl::Status SpecReader::ReadOp(mlir::Operation& op, Scope& scope, int calls) {
  if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op)) return ReadCall(call, scope, calls);
  if (auto reduce = llvm::dyn_cast<hlo::ReduceOp>(op)) return ReadReduce(reduce, scope, calls);
  QUERN_ASSIGN_OR_RETURN(SpecNode node, ReadNode(op));
  if (op.getNumResults() != 1) return Error(op, "is not supported");
  QUERN_ASSIGN_OR_RETURN(node.type, TypeOf(op, op.getResult(0)));
  for (mlir::Value operand : op.getOperands()) node.operands.push_back(scope.lookup(operand));
  if (!node.operands.empty() && node.op <= kLastElementwise) {
    const ElementType element = graph_.nodes[node.operands.back()].type.element;
    if (!IsDefined(node, element)) {
      return Error(op, absl::StrCat("is not supported on ", Name(element)));
    }
  }
  QUERN_ASSIGN_OR_RETURN(scope[op.getResult(0)], Add(op, std::move(node)));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<int>> SpecReader::ReadBlock(mlir::Block& block, Scope& scope,
                                                       int calls) {
  for (mlir::Operation& op : block.without_terminator()) {
    QUERN_RETURN_IF_ERROR(ReadOp(op, scope, calls));
  }
  mlir::Operation* terminator = block.getTerminator();
  if (!llvm::isa<mlir::func::ReturnOp, hlo::ReturnOp>(terminator)) {
    return Error(*terminator, "is not supported");
  }
  std::vector<int> results;
  for (mlir::Value value : terminator->getOperands()) results.push_back(scope.lookup(value));
  return results;
}

absl::Status SpecReader::ReadCall(mlir::func::CallOp call, Scope& scope, int calls) {
  auto callee = symbols_.lookup<mlir::func::FuncOp>(call.getCallee());
  const std::string name = call.getCallee().str();
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock()) {
    return Error(*call, absl::StrCat("@", name, " has no body here"));
  }
  if (calls >= kMaxCalls) {
    return Error(*call, absl::StrCat("calls nest too deeply; @", name, " may be recursive"));
  }
  mlir::Block& body = callee.getBody().front();
  Scope inner;
  for (auto [parameter, value] : llvm::zip(body.getArguments(), call.getOperands())) {
    inner[parameter] = scope.lookup(value);
  }
  QUERN_ASSIGN_OR_RETURN(std::vector<int> results, ReadBlock(body, inner, calls + 1));
  for (auto [result, node] : llvm::zip(call.getResults(), results)) scope[result] = node;
  return absl::OkStatus();
}

absl::Status SpecReader::ReadReduce(hlo::ReduceOp reduce, Scope& scope, int calls) {
  if (in_body_) return Error(*reduce, "is not supported in the body of a reduce");
  const size_t count = reduce.getInputs().size();
  SpecNode node{.op = SpecOp::kReduce, .type = {}};
  node.dimensions = reduce.getDimensions().vec();
  for (mlir::Value operand : reduce->getOperands()) node.operands.push_back(scope.lookup(operand));

  auto body = std::make_shared<ReduceBody>();
  body->first = static_cast<int>(graph_.nodes.size());
  in_body_ = true;
  mlir::Block& block = reduce.getBody().front();
  for (mlir::BlockArgument argument : block.getArguments()) {
    SpecNode parameter{.op = SpecOp::kBodyArgument, .type = {}};
    parameter.number = static_cast<int>(argument.getArgNumber());
    parameter.bound = true;
    QUERN_ASSIGN_OR_RETURN(parameter.type, TypeOf(*reduce, argument));
    QUERN_ASSIGN_OR_RETURN(scope[argument], Add(*reduce, std::move(parameter)));
  }
  QUERN_ASSIGN_OR_RETURN(body->results, ReadBlock(block, scope, calls));
  in_body_ = false;
  body->count = static_cast<int>(graph_.nodes.size()) - body->first;
  node.body = std::move(body);

  for (size_t i = 0; i < count; ++i) {
    SpecNode result = node;
    result.number = static_cast<int>(i);
    QUERN_ASSIGN_OR_RETURN(result.type, TypeOf(*reduce, reduce.getResult(i)));
    QUERN_ASSIGN_OR_RETURN(scope[reduce.getResult(i)], Add(*reduce, std::move(result)));
  }
  return absl::OkStatus();
}

absl::StatusOr<SpecGraph> SpecReader::Read(mlir::func::FuncOp main) {
  if (main.isExternal() || !main.getBody().hasOneBlock()) {
    return Error(*main, "has no body of one block");
  }
  Scope scope;
  mlir::Block& block = main.getBody().front();
  for (mlir::BlockArgument argument : block.getArguments()) {
    SpecNode node{.op = SpecOp::kArgument, .type = {}};
    node.number = static_cast<int>(argument.getArgNumber());
    QUERN_ASSIGN_OR_RETURN(node.type, TypeOf(*main, argument));
    graph_.arguments.push_back(node.type);
    QUERN_ASSIGN_OR_RETURN(scope[argument], Add(*main, std::move(node)));
  }
  QUERN_ASSIGN_OR_RETURN(graph_.result_nodes, ReadBlock(block, scope, /*calls=*/0));
  for (int node : graph_.result_nodes) graph_.results.push_back(graph_.nodes[node].type);
  return std::move(graph_);
}

absl::StatusOr<SpecGraph> ReadSpec(const std::string& text) {
  QUERN_RETURN_IF_ERROR(CheckNesting(text));
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::func::FuncDialect, hlo::StableHloDialect>();
  std::string first;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic& diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error && first.empty()) {
      first = absl::StrCat(Place(diagnostic.getLocation()), diagnostic.str());
    }
    return mlir::success();
  });
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(
      text, mlir::ParserConfig(&context), /*sourceName=*/"module");
  if (!module) {
    return absl::InvalidArgumentError(first.empty() ? "the module cannot be parsed" : first);
  }
  mlir::func::FuncOp main = module->lookupSymbol<mlir::func::FuncOp>("main");
  if (!main) {
    for (auto function : module->getOps<mlir::func::FuncOp>()) {
      if (!function.isPublic()) continue;
      if (main) return Error(*function, "several public functions and no @main");
      main = function;
    }
  }
  if (!main) return absl::InvalidArgumentError("the module has no public function");
  return SpecReader(*module).Read(main);
}

}  // namespace quern::verifier
