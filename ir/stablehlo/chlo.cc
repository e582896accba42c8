#include "ir/stablehlo/chlo.h"

#include "ir/stablehlo/struct_attribute.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "ir/stablehlo/chlo_dialect.cc.inc"

#define GET_OP_CLASSES
#include "ir/stablehlo/chlo_ops.cc.inc"

namespace quern::chlo {

void ChloDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ir/stablehlo/chlo_ops.cc.inc"
      >();
}

mlir::Attribute ChloDialect::parseAttribute(mlir::DialectAsmParser& parser, mlir::Type) const {
  static constexpr llvm::StringLiteral kFields[] = {
      "lhs_batching_dimensions",    "rhs_batching_dimensions", "lhs_contracting_dimensions",
      "rhs_contracting_dimensions", "lhs_ragged_dimensions",   "rhs_group_dimensions"};
  const llvm::SMLoc place = parser.getCurrentLocation();
  llvm::StringRef mnemonic, value;
  mlir::Builder builder(getContext());
  if (parser.parseKeyword(&mnemonic)) return nullptr;
  if (mnemonic == "precision") {
    if (parser.parseKeyword(&value)) return nullptr;
    return builder.getStringAttr(value);
  }
  if (mnemonic != "ragged_dot") {
    parser.emitError(place) << "unknown attribute `" << mnemonic << "` in dialect `chlo`";
    return nullptr;
  }
  llvm::SmallVector<int64_t> lists[std::size(kFields)];
  llvm::SmallVector<stablehlo::StructField> fields;
  for (auto [name, list] : llvm::zip(kFields, lists)) fields.push_back({name, &list});
  if (parser.parseLess() || stablehlo::ParseStruct(parser, fields)) return nullptr;
  llvm::SmallVector<mlir::NamedAttribute> entries;
  for (auto [name, list] : llvm::zip(kFields, lists))
    entries.push_back(builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(list)));
  return builder.getDictionaryAttr(entries);
}

// chlo.scan(%inputs) inits(%inits) dimension = 0 attributes {...} { region } : type
mlir::ParseResult ScanOp::parse(mlir::OpAsmParser& parser, mlir::OperationState& state) {
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> operands;
  int64_t dimension = 0;
  mlir::FunctionType type;
  const auto place = parser.getCurrentLocation();
  if (parser.parseOperandList(operands, mlir::OpAsmParser::Delimiter::Paren))
    return mlir::failure();
  const auto inputs = static_cast<int32_t>(operands.size());
  if (parser.parseKeyword("inits") ||
      parser.parseOperandList(operands, mlir::OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("dimension") || parser.parseEqual() || parser.parseInteger(dimension) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.parseRegion(*state.addRegion()) || parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), place, state.operands)) {
    return mlir::failure();
  }
  const auto inits = static_cast<int32_t>(operands.size()) - inputs;
  const auto outputs = static_cast<int32_t>(type.getNumResults()) - inits;
  if (outputs < 0) return parser.emitError(place, "needs a result for each of inits");
  state.addTypes(type.getResults());
  mlir::Builder& builder = parser.getBuilder();
  state.addAttribute("dimension", builder.getI64IntegerAttr(dimension));
  state.addAttribute("operandSegmentSizes", builder.getDenseI32ArrayAttr({inputs, inits}));
  state.addAttribute("resultSegmentSizes", builder.getDenseI32ArrayAttr({outputs, inits}));
  return mlir::success();
}

void ScanOp::print(mlir::OpAsmPrinter& printer) {
  printer.printGenericOp(*this, /*printOpName=*/false);
}

mlir::LogicalResult TopKOp::verify() {
  const auto from = llvm::cast<mlir::RankedTensorType>(getOperand().getType()),
             values = llvm::cast<mlir::RankedTensorType>(getValues().getType()),
             indices = llvm::cast<mlir::RankedTensorType>(getIndices().getType());
  const auto k = static_cast<int64_t>(getK());
  if (from.getRank() == 0 || k > from.getShape().back())
    return emitOpError("k is larger than the last dimension");
  llvm::SmallVector<int64_t> shape(from.getShape());
  shape.back() = k;
  if (values != mlir::RankedTensorType::get(shape, from.getElementType()) ||
      indices.getShape() != llvm::ArrayRef<int64_t>(shape)) {
    return emitOpError("results must have the operand's shape with a last dimension of ") << k;
  }
  return mlir::success();
}

mlir::LogicalResult ConstantLikeOp::verify() {
  if (getValue().getType() == getResult().getType().getElementType()) return mlir::success();
  return emitOpError("value must have the result's element type");
}

}  // namespace quern::chlo
