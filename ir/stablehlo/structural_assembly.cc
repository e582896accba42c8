#include "ir/stablehlo/structural_assembly.h"

#include "ir/stablehlo/struct_attribute.h"
#include "mlir/IR/Builders.h"

namespace quern::stablehlo {

using mlir::failure;
using mlir::ParseResult;
using mlir::success;

ParseResult parseOperandsAndComma(
    mlir::OpAsmParser& parser,
    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand>& operands) {
  while (true) {
    mlir::OpAsmParser::UnresolvedOperand operand;
    mlir::OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    if (!parsed.has_value()) return success();
    if (failed(*parsed) || parser.parseComma()) return failure();
    operands.push_back(operand);
  }
}

void printOperandsAndComma(mlir::OpAsmPrinter& printer, mlir::Operation*,
                           mlir::OperandRange operands) {
  llvm::interleaveComma(operands, printer);
  if (!operands.empty()) printer << ',';
}

ParseResult parsePairwiseTypes(mlir::OpAsmParser& parser,
                               llvm::SmallVectorImpl<mlir::Type>& operands,
                               llvm::SmallVectorImpl<mlir::Type>& results) {
  if (parser.parseTypeList(operands)) return failure();
  results.assign(operands.begin(), operands.end());
  return success();
}

void printPairwiseTypes(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::TypeRange operands,
                        mlir::TypeRange) {
  llvm::interleaveComma(operands, printer);
}

// ---- Gather and scatter

mlir::Attribute GatherDimensionNumbersAttr::parse(mlir::AsmParser& parser, mlir::Type) {
  llvm::SmallVector<int64_t> lists[5];
  int64_t vector_dim = 0;
  if (parser.parseLess() || ParseStruct(parser, {{"offset_dims", &lists[0]},
                                                 {"collapsed_slice_dims", &lists[1]},
                                                 {"operand_batching_dims", &lists[2]},
                                                 {"start_indices_batching_dims", &lists[3]},
                                                 {"start_index_map", &lists[4]},
                                                 {"index_vector_dim", &vector_dim}})) {
    return {};
  }
  return get(parser.getContext(), lists[0], lists[1], lists[2], lists[3], lists[4], vector_dim);
}

void GatherDimensionNumbersAttr::print(mlir::AsmPrinter& printer) const {
  StructPrinter(printer)
      .Field("offset_dims", getOffsetDims())
      .Field("collapsed_slice_dims", getCollapsedSliceDims())
      .Field("operand_batching_dims", getOperandBatchingDims())
      .Field("start_indices_batching_dims", getStartIndicesBatchingDims())
      .Field("start_index_map", getStartIndexMap())
      .Field("index_vector_dim", getIndexVectorDim())
      .Finish();
}

mlir::Attribute ScatterDimensionNumbersAttr::parse(mlir::AsmParser& parser, mlir::Type) {
  llvm::SmallVector<int64_t> lists[5];
  int64_t vector_dim = 0;
  if (parser.parseLess() || ParseStruct(parser, {{"update_window_dims", &lists[0]},
                                                 {"inserted_window_dims", &lists[1]},
                                                 {"input_batching_dims", &lists[2]},
                                                 {"scatter_indices_batching_dims", &lists[3]},
                                                 {"scatter_dims_to_operand_dims", &lists[4]},
                                                 {"index_vector_dim", &vector_dim}})) {
    return {};
  }
  return get(parser.getContext(), lists[0], lists[1], lists[2], lists[3], lists[4], vector_dim);
}

void ScatterDimensionNumbersAttr::print(mlir::AsmPrinter& printer) const {
  StructPrinter(printer)
      .Field("update_window_dims", getUpdateWindowDims())
      .Field("inserted_window_dims", getInsertedWindowDims())
      .Field("input_batching_dims", getInputBatchingDims())
      .Field("scatter_indices_batching_dims", getScatterIndicesBatchingDims())
      .Field("scatter_dims_to_operand_dims", getScatterDimsToOperandDims())
      .Field("index_vector_dim", getIndexVectorDim())
      .Finish();
}

mlir::Attribute OutputOperandAliasAttr::parse(mlir::AsmParser& parser, mlir::Type) {
  llvm::SmallVector<int64_t> outputs, operands;
  int64_t operand = 0;
  if (parser.parseLess() || ParseStruct(parser, {{"output_tuple_indices", &outputs},
                                                 {"operand_index", &operand},
                                                 {"operand_tuple_indices", &operands}})) {
    return {};
  }
  return get(parser.getContext(), outputs, operand, operands);
}

void OutputOperandAliasAttr::print(mlir::AsmPrinter& printer) const {
  StructPrinter(printer)
      .Field("output_tuple_indices", getOutputTupleIndices())
      .Field("operand_index", getOperandIndex())
      .Field("operand_tuple_indices", getOperandTupleIndices())
      .Finish();
}

// ---- while(%iterArg = %init, ...) : types attributes {...} cond {...} do {...}

ParseResult WhileOp::parse(mlir::OpAsmParser& parser, mlir::OperationState& state) {
  state.location = parser.getEncodedSourceLoc(parser.getNameLoc());
  llvm::SmallVector<mlir::OpAsmParser::Argument> arguments;
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> operands;
  const llvm::SMLoc location = parser.getCurrentLocation();
  auto assignment = [&]() -> ParseResult {
    if (parser.parseArgument(arguments.emplace_back()) || parser.parseEqual()) return failure();
    return parser.parseOperand(operands.emplace_back());
  };
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Paren, assignment))
    return failure();
  if (!operands.empty() && (parser.parseColon() || parser.parseTypeList(state.types)))
    return failure();
  if (parser.resolveOperands(operands, state.types, location, state.operands)) return failure();
  for (auto [argument, type] : llvm::zip(arguments, state.types)) argument.type = type;
  if (parser.parseOptionalAttrDictWithKeyword(state.attributes) || parser.parseKeyword("cond") ||
      parser.parseRegion(*state.addRegion(), arguments) || parser.parseKeyword("do")) {
    return failure();
  }
  return parser.parseRegion(*state.addRegion(), arguments);
}

void WhileOp::print(mlir::OpAsmPrinter& printer) {
  printer << '(';
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getOperands()), printer,
                        [&](auto pair) {
                          printer.printOperand(std::get<0>(pair));
                          printer << " = " << std::get<1>(pair);
                        });
  printer << ')';
  if (getNumOperands() > 0) printer << " : " << getOperandTypes();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printNewline();
  printer << " cond ";
  printer.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

// Both regions' arguments have the same names, as the text form needs.
void WhileOp::getAsmBlockArgumentNames(mlir::Region& region, mlir::OpAsmSetValueNameFn set_name) {
  for (mlir::BlockArgument argument : region.getArguments()) set_name(argument, "iterArg");
}

}  // namespace quern::stablehlo
