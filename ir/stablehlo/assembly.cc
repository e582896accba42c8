// The pieces of StableHLO's syntax that assembly formats cannot say.
#include "ir/stablehlo/assembly.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

namespace quern::stablehlo {

mlir::ParseResult ParseSameTypes(mlir::OpAsmParser& parser, llvm::ArrayRef<mlir::Type*> operands,
                                 mlir::Type& result) {
  llvm::SMLoc location = parser.getCurrentLocation();
  mlir::Type type;
  if (parser.parseType(type)) return mlir::failure();
  auto function = llvm::dyn_cast<mlir::FunctionType>(type);
  if (!function) {
    for (mlir::Type* operand : operands) *operand = type;
    result = type;
    return mlir::success();
  }
  if (function.getNumInputs() != operands.size() || function.getNumResults() != 1) {
    return parser.emitError(location, "expected ")
           << operands.size() << " operand types and one result type";
  }
  for (auto [operand, input] : llvm::zip(operands, function.getInputs())) *operand = input;
  result = function.getResult(0);
  return mlir::success();
}

void PrintSameTypes(mlir::OpAsmPrinter& printer, llvm::ArrayRef<mlir::Type> operands,
                    mlir::Type result) {
  if (llvm::all_of(operands, [&](mlir::Type type) { return type == result; })) {
    printer << result;
    return;
  }
  printer.printFunctionalType(operands, llvm::ArrayRef(result));
}

mlir::ParseResult parseSelectTypes(mlir::OpAsmParser& parser, mlir::Type& pred, mlir::Type& on_true,
                                   mlir::Type& on_false, mlir::Type& result) {
  llvm::SMLoc location = parser.getCurrentLocation();
  mlir::Type first;
  if (parser.parseType(first)) return mlir::failure();
  if (auto function = llvm::dyn_cast<mlir::FunctionType>(first)) {
    if (function.getNumInputs() != 3 || function.getNumResults() != 1) {
      return parser.emitError(location, "expected 3 operand types and one result type");
    }
    pred = function.getInput(0);
    on_true = function.getInput(1);
    on_false = function.getInput(2);
    result = function.getResult(0);
    return mlir::success();
  }
  pred = first;
  if (parser.parseComma() || parser.parseType(result)) return mlir::failure();
  on_true = on_false = result;
  return mlir::success();
}

void printSelectTypes(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::Type pred, mlir::Type,
                      mlir::Type, mlir::Type result) {
  printer << pred << ", " << result;
}

mlir::ParseResult parseComplexTypes(mlir::OpAsmParser& parser, mlir::Type& lhs, mlir::Type& rhs,
                                    mlir::Type& result) {
  llvm::SMLoc location = parser.getCurrentLocation();
  if (ParseSameTypes(parser, {&lhs, &rhs}, result)) return mlir::failure();
  if (lhs != result) return mlir::success();
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(result);
  auto complex = tensor ? llvm::dyn_cast<mlir::ComplexType>(tensor.getElementType()) : nullptr;
  if (!complex) return parser.emitError(location, "expected a tensor of complex numbers");
  lhs = rhs = tensor.clone(complex.getElementType());
  return mlir::success();
}

void printComplexTypes(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::Type, mlir::Type,
                       mlir::Type result) {
  printer << result;
}

mlir::ParseResult parseExponentMantissa(mlir::OpAsmParser& parser, mlir::IntegerAttr& exponent,
                                        mlir::IntegerAttr& mantissa) {
  llvm::SMLoc location = parser.getCurrentLocation();
  llvm::StringRef keyword;
  if (parser.parseKeyword(&keyword)) return mlir::failure();
  llvm::StringRef rest = keyword;
  int32_t exponent_bits = 0, mantissa_bits = 0;
  if (!rest.consume_front("e") || rest.consumeInteger(10, exponent_bits) ||
      !rest.consume_front("m") || rest.getAsInteger(10, mantissa_bits)) {
    return parser.emitError(location, "expected a format such as e8m10, not ") << keyword;
  }
  exponent = parser.getBuilder().getI32IntegerAttr(exponent_bits);
  mantissa = parser.getBuilder().getI32IntegerAttr(mantissa_bits);
  return mlir::success();
}

void printExponentMantissa(mlir::OpAsmPrinter& printer, mlir::Operation*,
                           mlir::IntegerAttr exponent, mlir::IntegerAttr mantissa) {
  printer << 'e' << exponent.getInt() << 'm' << mantissa.getInt();
}

static mlir::ParseResult ParseDimensions(mlir::AsmParser& parser,
                                         llvm::SmallVector<int64_t>& dimensions) {
  return parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(dimensions.emplace_back());
  });
}

static void PrintDimensions(mlir::AsmPrinter& printer, llvm::ArrayRef<int64_t> dimensions) {
  printer << '[';
  llvm::interleaveComma(dimensions, printer);
  printer << ']';
}

mlir::ParseResult parseDotDimensions(mlir::OpAsmParser& parser, DotDimensionNumbersAttr& numbers) {
  llvm::SmallVector<int64_t> lhs_batch, rhs_batch, lhs_contract, rhs_contract;
  auto pair = [&](llvm::SmallVector<int64_t>& lhs,
                  llvm::SmallVector<int64_t>& rhs) -> mlir::ParseResult {
    if (parser.parseEqual() || ParseDimensions(parser, lhs) || parser.parseKeyword("x"))
      return mlir::failure();
    return ParseDimensions(parser, rhs);
  };
  if (succeeded(parser.parseOptionalKeyword("batching_dims"))) {
    if (pair(lhs_batch, rhs_batch) || parser.parseComma()) return mlir::failure();
  }
  if (parser.parseKeyword("contracting_dims") || pair(lhs_contract, rhs_contract))
    return mlir::failure();
  numbers = DotDimensionNumbersAttr::get(parser.getContext(), lhs_batch, rhs_batch, lhs_contract,
                                         rhs_contract);
  return mlir::success();
}

void printDotDimensions(mlir::OpAsmPrinter& printer, mlir::Operation*,
                        DotDimensionNumbersAttr numbers) {
  auto pair = [&](llvm::StringRef name, llvm::ArrayRef<int64_t> lhs, llvm::ArrayRef<int64_t> rhs) {
    printer << name << " = ";
    PrintDimensions(printer, lhs);
    printer << " x ";
    PrintDimensions(printer, rhs);
  };
  if (!numbers.getLhsBatchingDimensions().empty()) {
    pair("batching_dims", numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions());
    printer << ", ";
  }
  pair("contracting_dims", numbers.getLhsContractingDimensions(),
       numbers.getRhsContractingDimensions());
}

mlir::ParseResult parsePrecisions(mlir::OpAsmParser& parser, mlir::ArrayAttr& precisions) {
  if (failed(parser.parseOptionalComma())) return mlir::success();
  llvm::SMLoc option = parser.getCurrentLocation();
  // An algorithm pins the precision of every step, so it must not be read past.
  auto refuse_algorithm = [&] {
    return parser.emitError(option, "dot algorithms are not supported; leave `algorithm` out");
  };
  if (succeeded(parser.parseOptionalKeyword("algorithm"))) return refuse_algorithm();
  if (parser.parseKeyword("precision") || parser.parseEqual()) return mlir::failure();
  llvm::SmallVector<mlir::Attribute> values;
  mlir::ParseResult result = parser.parseCommaSeparatedList(
      mlir::AsmParser::Delimiter::Square, [&]() -> mlir::ParseResult {
        llvm::SMLoc location = parser.getCurrentLocation();
        llvm::StringRef keyword;
        if (parser.parseKeyword(&keyword)) return mlir::failure();
        std::optional<Precision> precision = symbolizePrecision(keyword);
        if (!precision) return parser.emitError(location, "no such precision: ") << keyword;
        values.push_back(PrecisionAttr::get(parser.getContext(), *precision));
        return mlir::success();
      });
  if (result) return mlir::failure();
  precisions = parser.getBuilder().getArrayAttr(values);
  option = parser.getCurrentLocation();
  return failed(parser.parseOptionalComma()) ? mlir::ParseResult(mlir::success())
                                             : refuse_algorithm();
}

void printPrecisions(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::ArrayAttr precisions) {
  if (!precisions) return;
  printer << ", precision = [";
  llvm::interleaveComma(precisions.getAsRange<PrecisionAttr>(), printer,
                        [&](PrecisionAttr p) { printer << stringifyPrecision(p.getValue()); });
  printer << ']';
}

mlir::ParseResult parseSliceRanges(mlir::OpAsmParser& parser, mlir::DenseI64ArrayAttr& starts,
                                   mlir::DenseI64ArrayAttr& limits,
                                   mlir::DenseI64ArrayAttr& strides) {
  llvm::SmallVector<int64_t> start, limit, stride;
  mlir::ParseResult result = parser.parseCommaSeparatedList(
      mlir::AsmParser::Delimiter::Square, [&]() -> mlir::ParseResult {
        if (parser.parseInteger(start.emplace_back()) || parser.parseColon() ||
            parser.parseInteger(limit.emplace_back())) {
          return mlir::failure();
        }
        stride.push_back(1);
        if (failed(parser.parseOptionalColon())) return mlir::success();
        return parser.parseInteger(stride.back());
      });
  if (result) return mlir::failure();
  starts = parser.getBuilder().getDenseI64ArrayAttr(start);
  limits = parser.getBuilder().getDenseI64ArrayAttr(limit);
  strides = parser.getBuilder().getDenseI64ArrayAttr(stride);
  return mlir::success();
}

void printSliceRanges(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::DenseI64ArrayAttr starts,
                      mlir::DenseI64ArrayAttr limits, mlir::DenseI64ArrayAttr strides) {
  printer << '[';
  for (auto [i, start] : llvm::enumerate(starts.asArrayRef())) {
    if (i > 0) printer << ", ";
    printer << start << ':' << limits[i];
    if (strides[i] != 1) printer << ':' << strides[i];
  }
  printer << ']';
}

mlir::ParseResult parseCallTarget(mlir::OpAsmParser& parser, mlir::StringAttr& target) {
  return parser.parseSymbolName(target);
}

void printCallTarget(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::StringAttr target) {
  printer.printSymbolName(target.getValue());
}

mlir::Attribute DotDimensionNumbersAttr::parse(mlir::AsmParser& parser, mlir::Type) {
  llvm::SmallVector<int64_t> fields[4];
  static constexpr llvm::StringLiteral names[] = {
      "lhs_batching_dimensions", "rhs_batching_dimensions", "lhs_contracting_dimensions",
      "rhs_contracting_dimensions"};
  bool seen[4] = {};
  mlir::ParseResult result = parser.parseCommaSeparatedList(
      mlir::AsmParser::Delimiter::LessGreater, [&]() -> mlir::ParseResult {
        llvm::SMLoc location = parser.getCurrentLocation();
        llvm::StringRef name;
        if (parser.parseKeyword(&name)) return mlir::failure();
        const auto* found = llvm::find(names, name);
        const ptrdiff_t field = found - std::begin(names);
        if (found == std::end(names) || seen[field]) {
          return parser.emitError(location, "unexpected field ") << name;
        }
        seen[field] = true;
        if (parser.parseEqual()) return mlir::failure();
        return ParseDimensions(parser, fields[field]);
      });
  if (result) return {};
  return get(parser.getContext(), fields[0], fields[1], fields[2], fields[3]);
}

void DotDimensionNumbersAttr::print(mlir::AsmPrinter& printer) const {
  const char* separator = "<";
  auto field = [&](llvm::StringRef name, llvm::ArrayRef<int64_t> dimensions) {
    if (dimensions.empty()) return;
    printer << separator << name << " = ";
    PrintDimensions(printer, dimensions);
    separator = ", ";
  };
  field("lhs_batching_dimensions", getLhsBatchingDimensions());
  field("rhs_batching_dimensions", getRhsBatchingDimensions());
  field("lhs_contracting_dimensions", getLhsContractingDimensions());
  field("rhs_contracting_dimensions", getRhsContractingDimensions());
  if (separator[0] == '<') printer << '<';
  printer << '>';
}

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
      ParseDimensions(parser, dimensions) || parser.parseOptionalAttrDict(state.attributes) ||
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
  PrintDimensions(printer, getDimensions());
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
