#include "ir/program/program.h"

#include "ir/program/complex_buffer.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

namespace quern::program {

static mlir::ParseResult parseShape(mlir::AsmParser& parser, llvm::SmallVector<int64_t>& shape) {
  int64_t extent;
  mlir::OptionalParseResult first = parser.parseOptionalInteger(extent);
  if (!first.has_value()) return mlir::success();
  if (failed(*first)) return mlir::failure();
  shape.push_back(extent);
  while (succeeded(parser.parseOptionalComma())) {
    if (parser.parseInteger(extent)) return mlir::failure();
    shape.push_back(extent);
  }
  return mlir::success();
}

static void printShape(mlir::AsmPrinter& printer, llvm::ArrayRef<int64_t> shape) {
  llvm::interleaveComma(shape, printer);
}

}  // namespace quern::program

#include "ir/program/program_dialect.cc.inc"
#include "ir/program/program_enums.cc.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/program/program_attributes.cc.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/program/program_types.cc.inc"

#define GET_OP_CLASSES
#include "ir/program/program_ops.cc.inc"

namespace quern::program {

void QuernDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/program/program_attributes.cc.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/program/program_types.cc.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/program/program_ops.cc.inc"
      >();
}

Layout ToLayout(LayoutAttr attribute) {
  Layout layout;
  if (!attribute) return layout;
  llvm::ArrayRef<int64_t> flat = attribute.getDigits();
  for (size_t i = 0; i + 2 < flat.size(); i += 3) {
    layout.digits.push_back(
        {.dimension = static_cast<int>(flat[i]), .divisor = flat[i + 1], .extent = flat[i + 2]});
  }
  return layout;
}

LayoutAttr FromLayout(mlir::MLIRContext* context, const Layout& layout) {
  llvm::SmallVector<int64_t> flat;
  for (const LayoutDigit& digit : layout.digits) {
    flat.append({digit.dimension, digit.divisor, digit.extent});
  }
  return LayoutAttr::get(context, flat);
}

int64_t BufferType::num_elements() const {
  int64_t count = 1;
  for (int64_t extent : getShape()) count *= extent;
  return count;
}

mlir::LogicalResult ProgramOp::verify() {
  llvm::StringSet<> names;
  bool kernel_seen = false;
  for (mlir::Operation& op : getBody().front()) {
    llvm::StringRef name;
    if (auto buffer = llvm::dyn_cast<BufferOp>(op)) {
      if (kernel_seen) return op.emitOpError("comes after a kernel");
      name = buffer.getName();
    } else if (auto kernel = llvm::dyn_cast<KernelOp>(op)) {
      kernel_seen = true;
      name = kernel.getName();
    } else {
      return op.emitOpError("is neither a buffer nor a kernel of a program");
    }
    if (!names.insert(name).second) return op.emitOpError("name '") << name << "' is taken";
  }
  return mlir::success();
}

mlir::LogicalResult BufferOp::verify() {
  if (getBuffer().getType().getSpace() != Space::Global) return emitOpError("must be global");
  if (getRole() != Role::Temporary && (getLayoutAttr() || getHoldsAttr())) {
    return emitOpError("only a temporary has a layout and holds");
  }
  if ((getRole() == Role::Constant) != static_cast<bool>(getContentsAttr())) {
    return emitOpError("has contents if it is a constant");
  }
  if (mlir::ElementsAttr contents = getContentsAttr()) {
    const BufferType type = getBuffer().getType();
    if (contents.getShapedType().getShape() != type.getShape() ||
        contents.getElementType() != type.getElement()) {
      return emitOpError("contents are not of its type");
    }
  }
  if ((*this)->hasAttr(kComplexBuffer)) {
    const BufferType type = getBuffer().getType();
    const bool has_parts = !type.getShape().empty() && type.getShape().back() == 2 &&
                           (type.getElement().isF32() || type.getElement().isF64());
    if (!has_parts || (getRole() != Role::Input && getRole() != Role::Output))
      return emitOpError("of complex numbers is an input or output of pairs of f32 or f64");
  }
  if (LayoutAttr layout = getLayoutAttr()) {
    if (layout.getDigits().size() % 3 != 0 ||
        !IsValid(ToLayout(layout), getBuffer().getType().getShape().vec())) {
      return emitOpError("layout does not number its shape");
    }
  }
  return mlir::success();
}

mlir::LogicalResult KernelOp::verify() {
  llvm::StringSet<> names;
  mlir::WalkResult result = getBody().walk([&](LoopOp loop) {
    if (names.insert(loop.getName()).second) return mlir::WalkResult::advance();
    loop.emitOpError("name '") << loop.getName() << "' is taken";
    return mlir::WalkResult::interrupt();
  });
  return mlir::failure(result.wasInterrupted());
}

mlir::ParseResult LoopOp::parse(mlir::OpAsmParser& parser, mlir::OperationState& result) {
  mlir::OpAsmParser::Argument counter;
  std::string name;
  int64_t extent;
  llvm::StringRef mapping;
  llvm::SMLoc mapping_location;
  if (parser.parseString(&name) || parser.parseArgument(counter) || parser.parseKeyword("to") ||
      parser.parseInteger(extent) || parser.getCurrentLocation(&mapping_location) ||
      parser.parseKeyword(&mapping)) {
    return mlir::failure();
  }
  std::optional<Mapping> kind = symbolizeMapping(mapping);
  if (!kind) return parser.emitError(mapping_location, "no such mapping: ") << mapping;
  counter.type = parser.getBuilder().getIndexType();
  result.getOrAddProperties<Properties>().name = parser.getBuilder().getStringAttr(name);
  result.getOrAddProperties<Properties>().extent = parser.getBuilder().getI64IntegerAttr(extent);
  result.getOrAddProperties<Properties>().mapping = MappingAttr::get(parser.getContext(), *kind);
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes)) return mlir::failure();
  return parser.parseRegion(*result.addRegion(), counter);
}

void LoopOp::print(mlir::OpAsmPrinter& printer) {
  printer << ' ' << getNameAttr() << ' ' << counter() << " to " << getExtent() << ' '
          << stringifyMapping(getMapping());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {"name", "extent", "mapping"});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

mlir::LogicalResult LoopOp::verify() {
  if (static_cast<int64_t>(getExtent()) < 0) return emitOpError("extent is negative");
  if (getBody().getNumArguments() != 1 || !counter().getType().isIndex()) {
    return emitOpError("body takes one argument, the counter, of type index");
  }
  return mlir::success();
}

mlir::LogicalResult GuardOp::verify() {
  mlir::IntegerSet set = getCondition();
  if (set.getNumSymbols() != 0 || set.getNumDims() != getCounters().size()) {
    return emitOpError("condition must have one dimension for each counter and no symbols");
  }
  return mlir::success();
}

mlir::LogicalResult AllocOp::verify() {
  if (getBuffer().getType().getSpace() == Space::Global) return emitOpError("cannot be global");
  return mlir::success();
}

mlir::Type ScalarType(mlir::Type element) {
  if (!element.isUnsignedInteger()) return element;
  return mlir::IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
}

template <typename Op>
static mlir::LogicalResult VerifyAccess(Op op) {
  mlir::AffineMap map = op.getMap();
  BufferType type = op.getBuffer().getType();
  if (map.getNumSymbols() != 0 || map.getNumDims() != op.getCounters().size()) {
    return op.emitOpError("map must have one dimension for each counter and no symbols");
  }
  if (map.getNumResults() != type.getShape().size()) {
    return op.emitOpError("map must have one result for each dimension of the buffer");
  }
  if (op.getValue().getType() != ScalarType(type.getElement())) {
    return op.emitOpError("value is not of the buffer's element type");
  }
  return mlir::success();
}

mlir::LogicalResult LoadOp::verify() { return VerifyAccess(*this); }
mlir::LogicalResult StoreOp::verify() { return VerifyAccess(*this); }

}  // namespace quern::program
