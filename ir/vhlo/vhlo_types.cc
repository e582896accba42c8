// VHLO's encoding of types (openxla/stablehlo, stablehlo/dialect/VhloBytecode.cpp).
#include <string>

#include "absl/strings/str_cat.h"
#include "ir/vhlo/values.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"

namespace quern::vhlo {

static mlir::Type DecodeQuantized(Values& values, Cursor& in, bool per_axis) {
  mlir::MLIRContext* context = values.context();
  const uint64_t flags = in.Varint();
  auto storage = llvm::dyn_cast_if_present<mlir::IntegerType>(values.ReadType(in));
  auto expressed = llvm::dyn_cast_if_present<mlir::FloatType>(values.ReadType(in));
  if (!values.ok()) return nullptr;
  if (context->getLoadedDialect<mlir::quant::QuantDialect>() == nullptr)
    return values.Unsupported("a quantized type");
  if (!storage || !expressed || flags > 1)
    return values.Malformed(in, "a quantized type is malformed");
  storage = mlir::IntegerType::get(context, storage.getWidth());
  auto checked = [&] { return mlir::emitError(mlir::UnknownLoc::get(context)); };
  if (!per_axis) {
    const double scale = values.ReadFloat(in, mlir::APFloat::IEEEdouble()).convertToDouble();
    const int64_t zero = in.Signed(), low = in.Signed(), high = in.Signed();
    if (!in.ok()) return nullptr;
    return mlir::quant::UniformQuantizedType::getChecked(
        checked, static_cast<unsigned>(flags), storage, expressed, scale, zero, low, high);
  }
  const uint64_t dimension = in.Varint();
  const int64_t low = in.Signed(), high = in.Signed();
  llvm::SmallVector<double> scales(in.Count());
  for (double& scale : scales)
    scale = values.ReadFloat(in, mlir::APFloat::IEEEdouble()).convertToDouble();
  llvm::SmallVector<int64_t> zeros = values.ReadSigned(in);
  if (!in.ok() || dimension > 64) return nullptr;
  return mlir::quant::UniformQuantizedPerAxisType::getChecked(
      checked, static_cast<unsigned>(flags), storage, expressed, scales, zeros,
      static_cast<int32_t>(dimension), low, high);
}

static mlir::Type DecodeShaped(Values& values, Cursor& in, uint64_t code) {
  auto checked = [&] { return mlir::emitError(mlir::UnknownLoc::get(values.context())); };
  mlir::Attribute encoding = code == 21 ? values.ReadAttribute(in) : mlir::Attribute();
  llvm::SmallVector<int64_t> shape = values.ReadSigned(in);
  mlir::Type element = values.ReadType(in);
  if (!values.ok() || !in.ok()) return nullptr;
  if (llvm::any_of(shape, [](int64_t extent) {
        return extent < 0 && extent != mlir::ShapedType::kDynamic;
      })) {
    return values.Malformed(in, "an extent is negative");
  }
  if (code == 41) {
    return mlir::MemRefType::getChecked(checked, shape, element, mlir::MemRefLayoutAttrInterface(),
                                        mlir::Attribute());
  }
  return mlir::RankedTensorType::getChecked(checked, shape, element, encoding);
}

template <typename... Types>
static mlir::Type Simple(mlir::MLIRContext* context, uint64_t index) {
  mlir::Type types[] = {Types::get(context)...};
  return types[index];
}

mlir::Type DecodeVhloType(Values& values, Cursor& in) {
  using namespace mlir;  // NOLINT: the names of two dozen types
  MLIRContext* context = values.context();
  auto integer = [&](unsigned width, bool is_unsigned) -> mlir::Type {
    return IntegerType::get(context, width,
                            is_unsigned ? IntegerType::Unsigned : IntegerType::Signless);
  };
  const uint64_t code = in.Varint();
  switch (code) {
    case 0:
      return integer(1, false);
    case 1: {
      mlir::Type element = values.ReadType(in);
      if (!element || !element.isIntOrFloat())
        return values.Malformed(in, "a complex type is malformed");
      return ComplexType::get(element);
    }
    case 2 ... 7:
      return Simple<BFloat16Type, Float16Type, Float32Type, Float64Type, Float8E4M3FNType,
                    Float8E5M2Type>(context, code - 2);
    case 8: {
      llvm::SmallVector<mlir::Type> inputs = values.ReadTypes(in);
      return FunctionType::get(context, inputs, values.ReadTypes(in));
    }
    case 9:
      return IndexType::get(context);
    case 10 ... 14:
      return integer(4u << (code - 10), false);
    case 15 ... 19:
      return integer(4u << (code - 15), true);
    case 20:
    case 21:
    case 41:
      return DecodeShaped(values, in, code);
    case 22:
      return values.SpelledType("!stablehlo.token");
    case 23:
      return TupleType::get(context, values.ReadTypes(in));
    case 24:
    case 30:
      return DecodeQuantized(values, in, code == 30);
    case 25: {
      mlir::Type element = values.ReadType(in);
      if (!element || !TensorType::isValidElementType(element))
        return values.Malformed(in, "a tensor type is malformed");
      return UnrankedTensorType::get(element);
    }
    case 27 ... 29:
      return Simple<Float8E4M3FNUZType, Float8E5M2FNUZType, Float8E4M3B11FNUZType>(context,
                                                                                   code - 27);
    case 31:
    case 32:
      return integer(2, code == 32);
    case 33 ... 40:
      return Simple<NoneType, FloatTF32Type, Float8E4M3Type, Float8E3M4Type, Float4E2M1FNType,
                    Float6E2M3FNType, Float6E3M2FNType, Float8E8M0FNUType>(context, code - 33);
    case 42: {
      llvm::SmallVector<mlir::Type> types = values.ReadTypes(in);
      std::string text;
      llvm::raw_string_ostream out(text);
      out << "!stablehlo.future<";
      llvm::interleaveComma(types, out);
      out << '>';
      if (text.size() > 4096) return values.Unsupported("a future of this size");
      return values.SpelledType(text);
    }
    default:
      return values.Unsupported(absl::StrCat("VHLO's type ", code));
  }
}

}  // namespace quern::vhlo
