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

mlir::ParseResult ConstantOp::parse(mlir::OpAsmParser& parser, mlir::OperationState& state) {
  const llvm::SMLoc place = parser.getCurrentLocation();
  if (failed(parser.parseOptionalLParen())) {
    if (parser.parseOptionalAttrDict(state.attributes)) return mlir::failure();
    mlir::ElementsAttr value;
    if (parser.parseAttribute(value, "value", state.attributes)) return mlir::failure();
    state.addTypes(value.getType());
    return mlir::success();
  }
  if (parser.parseRParen()) return mlir::failure();
  if (succeeded(parser.parseOptionalLess())) {
    mlir::DictionaryAttr properties;
    if (parser.parseAttribute(properties) || parser.parseGreater()) return mlir::failure();
    state.addAttributes(properties.getValue());
  }
  mlir::FunctionType type;
  if (parser.parseOptionalAttrDict(state.attributes) || parser.parseColonType(type))
    return mlir::failure();
  if (!llvm::isa_and_present<mlir::ElementsAttr>(state.attributes.get("value")))
    return parser.emitError(place, "expected the constant's elements");
  if (type.getNumInputs() != 0 || type.getNumResults() != 1)
    return parser.emitError(place, "a constant takes nothing and gives one tensor");
  state.addTypes(type.getResults());
  return mlir::success();
}

void ConstantOp::print(mlir::OpAsmPrinter& printer) {
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << ' ' << getValue();
}

mlir::Attribute ResultAccuracyAttr::parse(mlir::AsmParser& parser, mlir::Type) {
  const llvm::SMLoc place = parser.getCurrentLocation();
  bool asks = false;
  const auto field = [&]() -> mlir::ParseResult {
    llvm::StringRef name;
    double number = 0;
    if (parser.parseKeyword(&name) || parser.parseEqual()) return mlir::failure();
    if (name == "mode") {
      ResultAccuracyModeAttr mode;
      if (parser.parseAttribute(mode)) return mlir::failure();
      asks |= mode.getValue() != ResultAccuracyMode::DEFAULT;
      return mlir::success();
    }
    if (name == "ulps") {
      int64_t ulps = 0;
      if (parser.parseInteger(ulps)) return mlir::failure();
      asks |= ulps != 0;
      return mlir::success();
    }
    if (name != "atol" && name != "rtol")
      return parser.emitError(place, "unexpected field ") << name;
    if (parser.parseFloat(number)) return mlir::failure();
    asks |= number != 0;
    return mlir::success();
  };
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::LessGreater, field)) return {};
  if (asks) {
    parser.emitError(place,
                     "an accuracy is not supported: functions have one accuracy; leave "
                     "result_accuracy out");
    return {};
  }
  return get(parser.getContext());
}

void ResultAccuracyAttr::print(mlir::AsmPrinter& printer) const {
  printer << "<mode = #stablehlo.result_accuracy_mode<DEFAULT>>";
}

mlir::ParseResult parseTupleTypes(mlir::OpAsmParser& parser,
                                  llvm::SmallVectorImpl<mlir::Type>& operands, mlir::Type& result) {
  const llvm::SMLoc place = parser.getCurrentLocation();
  if (parser.parseType(result)) return mlir::failure();
  auto tuple = llvm::dyn_cast<mlir::TupleType>(result);
  if (!tuple) return parser.emitError(place, "expected a tuple type");
  operands.assign(tuple.begin(), tuple.end());
  return mlir::success();
}

void printTupleTypes(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::TypeRange,
                     mlir::Type result) {
  printer << result;
}

}  // namespace quern::stablehlo
