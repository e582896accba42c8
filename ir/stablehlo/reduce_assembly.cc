// The syntax of reduce.
#include "ir/stablehlo/assembly.h"
#include "ir/stablehlo/struct_attribute.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

namespace quern::stablehlo {

// reduce: the short form names one binary op, the long form has a region whose arguments come in
// pairs (element of input i, accumulator i); in memory all elements come first, then all
// accumulators.

static mlir::ParseResult ParseLongReducer(mlir::OpAsmParser& parser, mlir::OperationState& state) {
  llvm::SmallVector<mlir::OpAsmParser::Argument> elements, accumulators;
  while (succeeded(parser.parseOptionalLParen())) {
    if (parser.parseArgument(elements.emplace_back(), /*allowType=*/true) || parser.parseComma() ||
        parser.parseArgument(accumulators.emplace_back(), /*allowType=*/true) ||
        parser.parseRParen()) {
      return mlir::failure();
    }
    std::optional<mlir::Location> ignored;
    if (parser.parseOptionalLocationSpecifier(ignored)) return mlir::failure();
  }
  elements.append(accumulators);
  return parser.parseRegion(*state.regions.front(), elements);
}

mlir::ParseResult ReduceOp::parse(mlir::OpAsmParser& parser, mlir::OperationState& state) {
  state.location = parser.getEncodedSourceLoc(parser.getNameLoc());
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> inputs, inits;
  do {
    if (parser.parseLParen() || parser.parseOperand(inputs.emplace_back()) ||
        parser.parseKeyword("init") || parser.parseColon() ||
        parser.parseOperand(inits.emplace_back()) || parser.parseRParen()) {
      return mlir::failure();
    }
  } while (succeeded(parser.parseOptionalComma()));
  state.addRegion();
  const bool is_short = succeeded(parser.parseOptionalKeyword("applies"));
  // The element type of a short reducer is known only after the type: remember where its name
  // stands.
  std::optional<mlir::OperationName> short_name;
  llvm::SMLoc name_location = parser.getCurrentLocation();
  if (is_short) {
    mlir::FailureOr<mlir::OperationName> name = parser.parseCustomOperationName();
    if (failed(name)) return mlir::failure();
    short_name = *name;
  }
  llvm::SmallVector<int64_t> dimensions;
  mlir::FunctionType type;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") || parser.parseEqual() ||
      ParseIntegers(parser, dimensions) || parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type)) {
    return mlir::failure();
  }
  inputs.append(inits);
  if (parser.resolveOperands(inputs, type.getInputs(), parser.getNameLoc(), state.operands))
    return mlir::failure();
  state.addTypes(type.getResults());
  state.getOrAddProperties<Properties>().dimensions =
      parser.getBuilder().getDenseI64ArrayAttr(dimensions);
  if (!is_short) {
    if (parser.parseKeyword("reducer")) return mlir::failure();
    return ParseLongReducer(parser, state);
  }
  if (short_name->getDialectNamespace() != "stablehlo" || inits.size() != 1) {
    return parser.emitError(name_location, "'applies' takes one input and a stablehlo op");
  }
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type.getInput(0));
  if (!tensor) return parser.emitError(name_location, "input is not a ranked tensor");
  auto scalar = mlir::RankedTensorType::get({}, tensor.getElementType());
  mlir::Block& block = state.regions.front()->emplaceBlock();
  block.addArguments({scalar, scalar}, {state.location, state.location});
  mlir::OpBuilder builder(parser.getContext());  // the block has no op around it yet
  builder.setInsertionPointToEnd(&block);
  mlir::OperationState body(state.location, *short_name);
  body.addOperands(block.getArguments());
  body.addTypes(scalar);
  mlir::Operation* op = builder.create(body);
  ReturnOp::create(builder, state.location, op->getResults());
  return mlir::success();
}

// The op of a reducer that the short form can say.
static mlir::Operation* ShortReducer(ReduceOp reduce) {
  mlir::Block& block = reduce.getBody().front();
  if (reduce.getInputs().size() != 1 || llvm::range_size(block) != 2) return nullptr;
  mlir::Operation& op = block.front();
  const bool plain = op.getNumOperands() == 2 && op.getNumResults() == 1 && op.getAttrs().empty() &&
                     op.getOperand(0) == block.getArgument(0) &&
                     op.getOperand(1) == block.getArgument(1) &&
                     block.back().getOperands() == op.getResults() &&
                     op.getName().getDialectNamespace() == "stablehlo";
  return plain ? &op : nullptr;
}

void ReduceOp::print(mlir::OpAsmPrinter& printer) {
  const char* separator = "";
  for (auto [input, init] : llvm::zip(getInputs(), getInitValues())) {
    printer << separator << '(' << input << " init: " << init << ')';
    separator = ", ";
  }
  mlir::Operation* op = ShortReducer(*this);
  if (op != nullptr) printer << " applies " << op->getName();
  printer << " across dimensions = ";
  PrintIntegers(printer, getDimensions());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dimensions"});
  printer << " : ";
  printer.printFunctionalType(getOperandTypes(), getResultTypes());
  if (op != nullptr) return;
  printer.printNewline();
  printer << " reducer";
  const unsigned count = getInputs().size();
  mlir::Block& block = getBody().front();
  for (unsigned i = 0; i < count; ++i) {
    printer << '(';
    printer.printRegionArgument(block.getArgument(i));
    printer << ", ";
    printer.printRegionArgument(block.getArgument(count + i));
    printer << ") ";
  }
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

}  // namespace quern::stablehlo
