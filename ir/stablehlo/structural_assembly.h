// The `custom<...>` directives of structural.td, named as the generated code calls them.
#ifndef QUERN_IR_STABLEHLO_STRUCTURAL_ASSEMBLY_H_
#define QUERN_IR_STABLEHLO_STRUCTURAL_ASSEMBLY_H_

#include "ir/stablehlo/stablehlo.h"

namespace quern::stablehlo {

// %a, %b, with a comma after every operand.
mlir::ParseResult parseOperandsAndComma(
    mlir::OpAsmParser& parser,
    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand>& operands);
void printOperandsAndComma(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                           mlir::OperandRange operands);

// One list of types for the operands and for the results.
mlir::ParseResult parsePairwiseTypes(mlir::OpAsmParser& parser,
                                     llvm::SmallVectorImpl<mlir::Type>& operands,
                                     llvm::SmallVectorImpl<mlir::Type>& results);
void printPairwiseTypes(mlir::OpAsmPrinter& printer, mlir::Operation* op, mlir::TypeRange operands,
                        mlir::TypeRange results);

// [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
mlir::ParseResult parseConvolutionDimensions(mlir::AsmParser& parser,
                                             ConvDimensionNumbersAttr& numbers);
void printConvolutionDimensions(mlir::AsmPrinter& printer, mlir::Operation* op,
                                ConvDimensionNumbersAttr numbers);

// stride = [..], pad = [[l, h], ..], lhs_dilate = [..], rhs_dilate = [..], reverse = [..]; each
// may be left out.
mlir::ParseResult parseWindowAttributes(mlir::OpAsmParser& parser, mlir::DenseI64ArrayAttr& strides,
                                        mlir::DenseIntElementsAttr& padding,
                                        mlir::DenseI64ArrayAttr& lhs_dilation,
                                        mlir::DenseI64ArrayAttr& rhs_dilation,
                                        mlir::DenseBoolArrayAttr& reversal);
void printWindowAttributes(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                           mlir::DenseI64ArrayAttr strides, mlir::DenseIntElementsAttr padding,
                           mlir::DenseI64ArrayAttr lhs_dilation,
                           mlir::DenseI64ArrayAttr rhs_dilation, mlir::DenseBoolArrayAttr reversal);

}  // namespace quern::stablehlo

#endif  // QUERN_IR_STABLEHLO_STRUCTURAL_ASSEMBLY_H_
