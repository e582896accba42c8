// The syntax of dot and dot_general.
#include "ir/stablehlo/assembly.h"
#include "ir/stablehlo/struct_attribute.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

namespace quern::stablehlo {

mlir::ParseResult parseDotDimensions(mlir::OpAsmParser& parser, DotDimensionNumbersAttr& numbers) {
  llvm::SmallVector<int64_t> lhs_batch, rhs_batch, lhs_contract, rhs_contract;
  auto pair = [&](llvm::SmallVector<int64_t>& lhs,
                  llvm::SmallVector<int64_t>& rhs) -> mlir::ParseResult {
    if (parser.parseEqual() || ParseIntegers(parser, lhs) || parser.parseKeyword("x"))
      return mlir::failure();
    return ParseIntegers(parser, rhs);
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
    PrintIntegers(printer, lhs);
    printer << " x ";
    PrintIntegers(printer, rhs);
  };
  if (!numbers.getLhsBatchingDimensions().empty()) {
    pair("batching_dims", numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions());
    printer << ", ";
  }
  pair("contracting_dims", numbers.getLhsContractingDimensions(),
       numbers.getRhsContractingDimensions());
}

static mlir::ParseResult ParsePrecisionList(mlir::OpAsmParser& parser,
                                            mlir::ArrayAttr& precisions) {
  if (parser.parseEqual()) return mlir::failure();
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
  return mlir::success();
}

mlir::ParseResult parsePrecisions(mlir::OpAsmParser& parser, mlir::ArrayAttr& precisions) {
  if (failed(parser.parseOptionalComma())) return mlir::success();
  if (parser.parseKeyword("precision")) return mlir::failure();
  return ParsePrecisionList(parser, precisions);
}

mlir::ParseResult parsePrecisionsAndAlgorithm(mlir::OpAsmParser& parser,
                                              mlir::ArrayAttr& precisions,
                                              DotAlgorithmAttr& algorithm) {
  while (succeeded(parser.parseOptionalComma())) {
    if (!precisions && !algorithm && succeeded(parser.parseOptionalKeyword("precision"))) {
      if (ParsePrecisionList(parser, precisions)) return mlir::failure();
      continue;
    }
    if (parser.parseKeyword("algorithm") || parser.parseEqual()) return mlir::failure();
    algorithm = llvm::cast_if_present<DotAlgorithmAttr>(DotAlgorithmAttr::parse(parser, {}));
    return mlir::success(algorithm != nullptr);
  }
  return mlir::success();
}

void printPrecisions(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::ArrayAttr precisions) {
  if (!precisions) return;
  printer << ", precision = [";
  llvm::interleaveComma(precisions.getAsRange<PrecisionAttr>(), printer,
                        [&](PrecisionAttr p) { printer << stringifyPrecision(p.getValue()); });
  printer << ']';
}

void printPrecisionsAndAlgorithm(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                                 mlir::ArrayAttr precisions, DotAlgorithmAttr algorithm) {
  printPrecisions(printer, op, precisions);
  if (!algorithm) return;
  printer << ", algorithm = ";
  algorithm.print(printer);
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
        return ParseIntegers(parser, fields[field]);
      });
  if (result) return {};
  return get(parser.getContext(), fields[0], fields[1], fields[2], fields[3]);
}

void DotDimensionNumbersAttr::print(mlir::AsmPrinter& printer) const {
  const char* separator = "<";
  auto field = [&](llvm::StringRef name, llvm::ArrayRef<int64_t> dimensions) {
    if (dimensions.empty()) return;
    printer << separator << name << " = ";
    PrintIntegers(printer, dimensions);
    separator = ", ";
  };
  field("lhs_batching_dimensions", getLhsBatchingDimensions());
  field("rhs_batching_dimensions", getRhsBatchingDimensions());
  field("lhs_contracting_dimensions", getLhsContractingDimensions());
  field("rhs_contracting_dimensions", getRhsContractingDimensions());
  if (separator[0] == '<') printer << '<';
  printer << '>';
}

// All fields, each once, in any order.
mlir::Attribute DotAlgorithmAttr::parse(mlir::AsmParser& parser, mlir::Type) {
  static constexpr llvm::StringLiteral kTypes[] = {"lhs_precision_type", "rhs_precision_type",
                                                   "accumulation_type"};
  static constexpr llvm::StringLiteral kCounts[] = {"lhs_component_count", "rhs_component_count",
                                                    "num_primitive_operations"};
  static constexpr llvm::StringLiteral kImprecise = "allow_imprecise_accumulation";
  mlir::Type types[3];
  std::optional<int64_t> counts[3];
  std::optional<bool> imprecise;
  const llvm::SMLoc place = parser.getCurrentLocation();
  const auto field = [&]() -> mlir::ParseResult {
    const llvm::SMLoc location = parser.getCurrentLocation();
    llvm::StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual()) return mlir::failure();
    if (const auto* type = llvm::find(kTypes, name); type != std::end(kTypes)) {
      mlir::Type& slot = types[type - std::begin(kTypes)];
      if (!slot) return parser.parseType(slot);
    } else if (const auto* count = llvm::find(kCounts, name); count != std::end(kCounts)) {
      std::optional<int64_t>& slot = counts[count - std::begin(kCounts)];
      if (!slot) return parser.parseInteger(slot.emplace());
    } else if (name == kImprecise && !imprecise) {
      llvm::StringRef value;
      if (parser.parseKeyword(&value)) return mlir::failure();
      if (value != "true" && value != "false")
        return parser.emitError(location, "expected true or false");
      imprecise = value == "true";
      return mlir::success();
    }
    return parser.emitError(location, "unexpected field ") << name;
  };
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::LessGreater, field)) return {};
  if (!types[0] || !types[1] || !types[2] || !counts[0] || !counts[1] || !counts[2] || !imprecise) {
    parser.emitError(place, "a dot algorithm needs all of its seven fields");
    return {};
  }
  return get(parser.getContext(), types[0], types[1], types[2], *counts[0], *counts[1], *counts[2],
             *imprecise);
}

void DotAlgorithmAttr::print(mlir::AsmPrinter& printer) const {
  printer << "<lhs_precision_type = " << getLhsPrecisionType()
          << ", rhs_precision_type = " << getRhsPrecisionType()
          << ", accumulation_type = " << getAccumulationType()
          << ", lhs_component_count = " << getLhsComponentCount()
          << ", rhs_component_count = " << getRhsComponentCount()
          << ", num_primitive_operations = " << getNumPrimitiveOperations()
          << ", allow_imprecise_accumulation = "
          << (getAllowImpreciseAccumulation() ? "true" : "false") << '>';
}

}  // namespace quern::stablehlo
