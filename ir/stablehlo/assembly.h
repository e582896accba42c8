// StableHLO's `custom<...>` directives, named as the generated code calls them.
#ifndef QUERN_IR_STABLEHLO_ASSEMBLY_H_
#define QUERN_IR_STABLEHLO_ASSEMBLY_H_

#include "ir/stablehlo/stablehlo.h"

namespace quern::stablehlo {

// One type for all operands and the result, or a function type.
mlir::ParseResult ParseSameTypes(mlir::OpAsmParser& parser, llvm::ArrayRef<mlir::Type*> operands,
                                 mlir::Type& result);
void PrintSameTypes(mlir::OpAsmPrinter& printer, llvm::ArrayRef<mlir::Type> operands,
                    mlir::Type result);

// Called with each operand's type, then the result's.
template <typename... Types>
mlir::ParseResult parseSameOperandsAndResultType(mlir::OpAsmParser& parser, Types&... types) {
  mlir::Type* all[] = {&types...};
  return ParseSameTypes(parser, llvm::ArrayRef(all).drop_back(), *all[sizeof...(types) - 1]);
}
template <typename... Types>
void printSameOperandsAndResultType(mlir::OpAsmPrinter& printer, mlir::Operation*, Types... types) {
  mlir::Type all[] = {types...};
  PrintSameTypes(printer, llvm::ArrayRef(all).drop_back(), all[sizeof...(types) - 1]);
}

mlir::ParseResult parseSelectTypes(mlir::OpAsmParser& parser, mlir::Type& pred, mlir::Type& on_true,
                                   mlir::Type& on_false, mlir::Type& result);
void printSelectTypes(mlir::OpAsmPrinter& printer, mlir::Operation* op, mlir::Type pred,
                      mlir::Type on_true, mlir::Type on_false, mlir::Type result);
// The complex result alone, whose parts the operands are, or a function type.
mlir::ParseResult parseComplexTypes(mlir::OpAsmParser& parser, mlir::Type& lhs, mlir::Type& rhs,
                                    mlir::Type& result);
void printComplexTypes(mlir::OpAsmPrinter& printer, mlir::Operation* op, mlir::Type lhs,
                       mlir::Type rhs, mlir::Type result);
// One keyword such as e8m10.
mlir::ParseResult parseExponentMantissa(mlir::OpAsmParser& parser, mlir::IntegerAttr& exponent,
                                        mlir::IntegerAttr& mantissa);
void printExponentMantissa(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                           mlir::IntegerAttr exponent, mlir::IntegerAttr mantissa);
mlir::ParseResult parseDotDimensions(mlir::OpAsmParser& parser, DotDimensionNumbersAttr& numbers);
void printDotDimensions(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                        DotDimensionNumbersAttr numbers);
mlir::ParseResult parsePrecisions(mlir::OpAsmParser& parser, mlir::ArrayAttr& precisions);
void printPrecisions(mlir::OpAsmPrinter& printer, mlir::Operation* op, mlir::ArrayAttr precisions);
mlir::ParseResult parsePrecisionsAndAlgorithm(mlir::OpAsmParser& parser,
                                              mlir::ArrayAttr& precisions,
                                              DotAlgorithmAttr& algorithm);
void printPrecisionsAndAlgorithm(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                                 mlir::ArrayAttr precisions, DotAlgorithmAttr algorithm);
// A tuple type, whose types the operands have.
mlir::ParseResult parseTupleTypes(mlir::OpAsmParser& parser,
                                  llvm::SmallVectorImpl<mlir::Type>& operands, mlir::Type& result);
void printTupleTypes(mlir::OpAsmPrinter& printer, mlir::Operation* op, mlir::TypeRange operands,
                     mlir::Type result);

// [start:limit:stride, ...]; a stride of 1 is left out.
mlir::ParseResult parseSliceRanges(mlir::OpAsmParser& parser, mlir::DenseI64ArrayAttr& starts,
                                   mlir::DenseI64ArrayAttr& limits,
                                   mlir::DenseI64ArrayAttr& strides);
void printSliceRanges(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                      mlir::DenseI64ArrayAttr starts, mlir::DenseI64ArrayAttr limits,
                      mlir::DenseI64ArrayAttr strides);

// @name or @"any name".
mlir::ParseResult parseCallTarget(mlir::OpAsmParser& parser, mlir::StringAttr& target);
void printCallTarget(mlir::OpAsmPrinter& printer, mlir::Operation* op, mlir::StringAttr target);

}  // namespace quern::stablehlo

#endif  // QUERN_IR_STABLEHLO_ASSEMBLY_H_
