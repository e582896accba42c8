#include "ir/sdy/sdy.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

namespace quern::sdy {

using mlir::failed;
using mlir::failure;
using mlir::ParseResult;
using mlir::succeeded;
using mlir::success;

const Op* FindOp(llvm::StringRef name) {
  static const Op kOps[] = {
      {"mesh", {"mesh", "sym_name"}},
      {"sharding_constraint", {"sharding"}},
      {"reshard", {"sharding"}},
      {"manual_computation", {"in_shardings", "manual_axes", "out_shardings"}},
      {"constant", {"value"}},
      {"return", {}},
      {"sharding_group", {"group_id"}},
      {"propagation_barrier", {"allowed_direction"}},
      {"data_flow_edge", {"sharding?"}},
      {"func_data_flow_edge", {}},
      {"named_computation", {"in_shardings?", "name", "out_shardings?"}},
  };
  for (const Op& op : kOps) {
    if (name == op.name) return &op;
  }
  return nullptr;
}

SdyDialect::SdyDialect(mlir::MLIRContext* context)
    : Dialect("sdy", context, mlir::TypeID::get<SdyDialect>()) {
  allowUnknownOperations();
}

// ---- Text

static mlir::Attribute Axis(mlir::MLIRContext* context, llvm::StringRef name,
                            std::optional<int64_t> size) {
  if (!size) return mlir::StringAttr::get(context, name);
  mlir::Builder builder(context);
  return builder.getDictionaryAttr(builder.getNamedAttr(name, builder.getI64IntegerAttr(*size)));
}

// The quoted names in a symbol's text; `"name"=size` defines one.
mlir::Attribute SdyDialect::parseAttribute(mlir::DialectAsmParser& parser, mlir::Type) const {
  llvm::StringRef text = parser.getFullSymbolSpec();
  if (text.starts_with("op_sharding_rule")) return mlir::ArrayAttr::get(getContext(), {});
  llvm::SmallVector<mlir::Attribute> axes;
  while (true) {
    text = text.drop_until([](char c) { return c == '"'; }).drop_front(text.contains('"') ? 1 : 0);
    if (text.empty()) break;
    const llvm::StringRef name = text.take_until([](char c) { return c == '"'; });
    text = text.drop_front(std::min(text.size(), name.size() + 1)).ltrim();
    std::optional<int64_t> size;
    int64_t number = 0;
    if (text.consume_front("=") && !(text = text.ltrim()).consumeInteger(10, number)) size = number;
    if (name.empty()) {
      parser.emitError(parser.getNameLoc(), "a mesh axis has no name");
      return nullptr;
    }
    axes.push_back(Axis(getContext(), name, size));
  }
  return mlir::ArrayAttr::get(getContext(), axes);
}

// A bracketed text up to its closing bracket, of which the axes are kept.
class AxesParser {
 public:
  explicit AxesParser(mlir::OpAsmParser& parser) : parser_(parser) {}

  ParseResult Parse(mlir::Attribute& axes) {
    int depth = 0;
    do {
      if (failed(Token(depth))) return failure();
    } while (depth > 0);
    axes = mlir::ArrayAttr::get(parser_.getContext(), axes_);
    return success();
  }

 private:
  ParseResult Token(int& depth) {
    if (succeeded(parser_.parseOptionalLess()) || succeeded(parser_.parseOptionalLSquare()) ||
        succeeded(parser_.parseOptionalLBrace()) || succeeded(parser_.parseOptionalLParen())) {
      ++depth;
      return success();
    }
    if (depth == 0) return parser_.emitError(parser_.getCurrentLocation(), "expected a sharding");
    if (succeeded(parser_.parseOptionalGreater()) || succeeded(parser_.parseOptionalRSquare()) ||
        succeeded(parser_.parseOptionalRBrace()) || succeeded(parser_.parseOptionalRParen())) {
      --depth;
      return success();
    }
    std::string name;
    if (succeeded(parser_.parseOptionalString(&name))) {
      std::optional<int64_t> size;
      int64_t number = 0;
      if (succeeded(parser_.parseOptionalEqual())) {
        if (failed(parser_.parseInteger(number))) return failure();
        size = number;
      }
      if (name.empty())
        return parser_.emitError(parser_.getCurrentLocation(), "a mesh axis has no name");
      axes_.push_back(Axis(parser_.getContext(), name, size));
      return success();
    }
    int64_t number;
    llvm::StringRef word;
    mlir::StringAttr symbol;
    if (auto integer = parser_.parseOptionalInteger(number); integer.has_value()) return *integer;
    if (succeeded(parser_.parseOptionalComma()) || succeeded(parser_.parseOptionalColon()) ||
        succeeded(parser_.parseOptionalEqual()) || succeeded(parser_.parseOptionalQuestion()) ||
        succeeded(parser_.parseOptionalKeyword(&word)) ||
        succeeded(parser_.parseOptionalSymbolName(symbol))) {
      return success();
    }
    return parser_.emitError(parser_.getCurrentLocation(), "expected a sharding");
  }

  mlir::OpAsmParser& parser_;
  llvm::SmallVector<mlir::Attribute> axes_;
};

static ParseResult ParseAxes(mlir::OpAsmParser& parser, mlir::OperationState& state,
                             llvm::StringRef name) {
  mlir::Attribute axes;
  if (failed(AxesParser(parser).Parse(axes))) return failure();
  state.addAttribute(name, axes);
  return success();
}

static ParseResult ParseMesh(mlir::OpAsmParser& parser, mlir::OperationState& state) {
  mlir::StringAttr name;
  return failure(failed(parser.parseSymbolName(name, "sym_name", state.attributes)) ||
                 failed(parser.parseEqual()) || failed(ParseAxes(parser, state, "mesh")) ||
                 failed(parser.parseOptionalAttrDict(state.attributes)));
}

static ParseResult ParseConstant(mlir::OpAsmParser& parser, mlir::OperationState& state) {
  mlir::Attribute value;
  if (failed(parser.parseOptionalAttrDict(state.attributes)) ||
      failed(parser.parseAttribute(value, "value", state.attributes))) {
    return failure();
  }
  auto elements = llvm::dyn_cast<mlir::ElementsAttr>(value);
  if (!elements)
    return parser.emitError(parser.getCurrentLocation(), "expected the constant's elements");
  state.addTypes(elements.getType());
  return success();
}

static ParseResult ParseConstraint(mlir::OpAsmParser& parser, mlir::OperationState& state) {
  mlir::OpAsmParser::UnresolvedOperand operand;
  mlir::Type type;
  if (failed(parser.parseOperand(operand)) || failed(ParseAxes(parser, state, "sharding")) ||
      failed(parser.parseOptionalAttrDict(state.attributes)) ||
      failed(parser.parseColonType(type)) ||
      failed(parser.resolveOperand(operand, type, state.operands))) {
    return failure();
  }
  state.addTypes(type);
  return success();
}

static ParseResult ParseManualComputation(mlir::OpAsmParser& parser, mlir::OperationState& state) {
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> operands;
  llvm::SmallVector<mlir::OpAsmParser::Argument> arguments;
  const llvm::SMLoc place = parser.getCurrentLocation();
  if (failed(parser.parseOperandList(operands, mlir::OpAsmParser::Delimiter::Paren)))
    return failure();
  for (llvm::StringRef name : {"in_shardings", "out_shardings", "manual_axes"}) {
    if (failed(parser.parseKeyword(name)) || failed(parser.parseEqual()) ||
        failed(ParseAxes(parser, state, name))) {
      return failure();
    }
  }
  mlir::FunctionType type;
  if (failed(parser.parseArgumentList(arguments, mlir::OpAsmParser::Delimiter::Paren,
                                      /*allowType=*/true)) ||
      failed(parser.parseRegion(*state.addRegion(), arguments)) ||
      failed(parser.parseOptionalAttrDict(state.attributes)) ||
      failed(parser.parseColonType(type)) ||
      failed(parser.resolveOperands(operands, type.getInputs(), place, state.operands))) {
    return failure();
  }
  state.addTypes(type.getResults());
  return success();
}

static ParseResult ParseReturn(mlir::OpAsmParser& parser, mlir::OperationState& state) {
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> operands;
  llvm::SmallVector<mlir::Type> types;
  const llvm::SMLoc place = parser.getCurrentLocation();
  if (failed(parser.parseOperandList(operands)) ||
      failed(parser.parseOptionalAttrDict(state.attributes)) ||
      (!operands.empty() && failed(parser.parseColonTypeList(types)))) {
    return failure();
  }
  return parser.resolveOperands(operands, types, place, state.operands);
}

std::optional<mlir::Dialect::ParseOpHook> SdyDialect::getParseOperationHook(
    llvm::StringRef name) const {
  name.consume_front("sdy.");
  if (name == "mesh") return ParseMesh;
  if (name == "constant") return ParseConstant;
  if (name == "sharding_constraint") return ParseConstraint;
  if (name == "manual_computation") return ParseManualComputation;
  if (name == "return") return ParseReturn;
  return std::nullopt;
}

}  // namespace quern::sdy
