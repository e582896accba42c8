#include "verifier/spec/reader.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "ir/sdy/sdy.h"
#include "ir/stablehlo/chlo.h"
#include "ir/stablehlo/stablehlo.h"
#include "ir/vhlo/container.h"
#include "ir/vhlo/jax_export.h"
#include "ir/vhlo/reader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "verifier/spec/scalar.h"
#include "verifier/spec/spec_reader.h"

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

absl::Status SpecReader::Error(mlir::Operation& op, const std::string& message) {
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
    return Error(op, "only scalars are supported in the body of an op");
  }
  if (node.bound && node.op > kLastElementwise && node.op != SpecOp::kBodyArgument &&
      !(node.op >= SpecOp::kBroadcast && node.op <= SpecOp::kSlice)) {
    return Error(op, "is not supported in the body of an op");
  }
  graph_.nodes.push_back(std::move(node));
  return static_cast<int>(graph_.nodes.size()) - 1;
}

std::vector<int> SpecReader::Operands(mlir::Operation& op, const Scope& scope) {
  std::vector<int> operands;
  for (mlir::Value operand : op.getOperands()) operands.push_back(scope.lookup(operand));
  return operands;
}

// Whether an op says only where its operand lies, of which values do not depend.
static bool IsAnnotation(mlir::Operation& op) {
  if (op.getNumOperands() != 1 || op.getNumResults() != 1 || op.getNumRegions() != 0 ||
      op.getOperand(0).getType() != op.getResult(0).getType()) {
    return false;
  }
  if (op.getName().getStringRef() == "sdy.sharding_constraint") return true;
  auto call = llvm::dyn_cast<hlo::CustomCallOp>(op);
  return call && (call.getCallTargetName() == "Sharding" ||
                  call.getCallTargetName() == "annotate_device_placement");
}

absl::Status SpecReader::ReadOp(mlir::Operation& op, Scope& scope, int calls) {
  if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op)) {
    return ReadCall(op, call.getCallee(), scope, calls);
  }
  if (auto composite = llvm::dyn_cast<hlo::CompositeOp>(op)) {
    return ReadCall(op, composite.getDecomposition(), scope, calls);
  }
  if (llvm::isa<hlo::OptimizationBarrierOp>(op)) {
    for (auto [result, operand] : llvm::zip(op.getResults(), op.getOperands())) {
      scope[result] = scope.lookup(operand);
    }
    return absl::OkStatus();
  }
  if (IsAnnotation(op)) {
    scope[op.getResult(0)] = scope.lookup(op.getOperand(0));
    return absl::OkStatus();
  }
  if (auto norm = llvm::dyn_cast<hlo::BatchNormInferenceOp>(op)) {
    QUERN_ASSIGN_OR_RETURN(scope[op.getResult(0)], ReadBatchNorm(norm, scope));
    return absl::OkStatus();
  }
  QUERN_ASSIGN_OR_RETURN(const bool done, ReadRegions(op, scope, calls));
  if (done) return absl::OkStatus();
  QUERN_ASSIGN_OR_RETURN(SpecNode node, ReadNode(op));
  if (op.getNumResults() != 1) return Error(op, "is not supported");
  QUERN_ASSIGN_OR_RETURN(node.type, TypeOf(op, op.getResult(0)));
  node.operands = Operands(op, scope);
  if (node.op == SpecOp::kConvolution) {
    const ElementType element = graph_.nodes[node.operands[0]].type.element;
    QUERN_ASSIGN_OR_RETURN(const int zero, AddConstant(op, element, 0));
    node.operands.push_back(zero);
  }
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
  if (block.empty() || !block.back().hasTrait<mlir::OpTrait::IsTerminator>()) {
    return Error(*block.getParentOp(), "a block that returns nothing");
  }
  mlir::Operation* terminator = block.getTerminator();
  if (!llvm::isa<mlir::func::ReturnOp, hlo::ReturnOp>(terminator)) {
    return Error(*terminator, "is not supported");
  }
  std::vector<int> results;
  for (mlir::Value value : terminator->getOperands()) results.push_back(scope.lookup(value));
  return results;
}

absl::Status SpecReader::ReadCall(mlir::Operation& call, llvm::StringRef name, Scope& scope,
                                  int calls) {
  auto callee = symbols_.lookup<mlir::func::FuncOp>(name);
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock()) {
    return Error(call, absl::StrCat("@", name.str(), " has no body here"));
  }
  if (callee.getArgumentTypes() != call.getOperandTypes() ||
      callee.getResultTypes() != call.getResultTypes()) {
    return Error(call, absl::StrCat("@", name.str(), " has other types"));
  }
  if (calls >= kMaxCalls) {
    return Error(call, absl::StrCat("calls nest too deeply; @", name.str(), " may be recursive"));
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

// The bytecode that a file is or holds; nullopt if it is text.
static absl::StatusOr<std::optional<llvm::StringRef>> FindBytecode(const std::string& file) {
  if (vhlo::IsBytecode(file)) return std::optional(llvm::StringRef(file));
  const std::optional<vhlo::JaxExport> exported = vhlo::FindJaxExport(file);
  if (!exported) return std::optional<llvm::StringRef>();
  if (exported->devices != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("the program is for several devices (", exported->devices, ")"));
  }
  return std::optional(llvm::StringRef(exported->module.data(), exported->module.size()));
}

absl::StatusOr<SpecGraph> ReadSpec(const std::string& file) {
  QUERN_ASSIGN_OR_RETURN(const std::optional<llvm::StringRef> bytecode, FindBytecode(file));
  if (!bytecode) QUERN_RETURN_IF_ERROR(CheckNesting(file));
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::func::FuncDialect, hlo::StableHloDialect, chlo::ChloDialect,
                      sdy::SdyDialect>();
  context.allowUnregisteredDialects();  // ops of them are refused where they are read
  std::string first;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic& diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error && first.empty()) {
      first = absl::StrCat(Place(diagnostic.getLocation()), diagnostic.str());
    }
    return mlir::success();
  });
  mlir::OwningOpRef<mlir::ModuleOp> module =
      bytecode ? vhlo::ReadPortable(*bytecode, context)
               : mlir::parseSourceString<mlir::ModuleOp>(file, mlir::ParserConfig(&context),
                                                         /*sourceName=*/"module");
  if (!module) {
    return absl::InvalidArgumentError(first.empty() ? "the module cannot be parsed" : first);
  }
  mlir::func::FuncOp main = module->lookupSymbol<mlir::func::FuncOp>("main");
  if (!main) {
    for (auto function : module->getOps<mlir::func::FuncOp>()) {
      if (!function.isPublic()) continue;
      if (main) return SpecReader::Error(*function, "several public functions and no @main");
      main = function;
    }
  }
  if (!main) return absl::InvalidArgumentError("the module has no public function");
  return SpecReader(*module).Read(main);
}

}  // namespace quern::verifier
