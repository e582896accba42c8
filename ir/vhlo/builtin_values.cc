// The builtin dialect's encoding, as far as portable artifacts use it.
#include "ir/vhlo/values.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeRange.h"

namespace quern::vhlo {

static constexpr unsigned kMaxIntegerWidth = 64;

static bool IsDataElement(mlir::Type type) {
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(type)) type = complex.getElementType();
  return type.isIntOrIndexOrFloat();
}

mlir::Attribute DecodeBuiltinAttribute(Values& values, Cursor& in) {
  mlir::MLIRContext* context = values.context();
  switch (in.Varint()) {
    case 0:
      return mlir::ArrayAttr::get(context, values.ReadAttributes(in));
    case 1: {
      llvm::SmallVector<mlir::NamedAttribute> named;
      for (size_t i = 0, count = in.Count(); i < count && values.ok(); ++i) {
        auto name = llvm::dyn_cast_if_present<mlir::StringAttr>(values.ReadAttribute(in));
        mlir::Attribute value = values.ReadAttribute(in);
        if (!name || name.empty() || !value)
          return values.Malformed(in, "a dictionary is malformed");
        named.emplace_back(name, value);
      }
      if (mlir::DictionaryAttr::findDuplicate(named, /*isSorted=*/false))
        return values.Malformed(in, "a dictionary holds a name twice");
      return mlir::DictionaryAttr::get(context, named);
    }
    case 2:
      return mlir::StringAttr::get(context, values.ReadString(in));
    case 4: {
      auto name = llvm::dyn_cast_if_present<mlir::StringAttr>(values.ReadAttribute(in));
      if (!name) return values.Malformed(in, "a symbol is malformed");
      return mlir::FlatSymbolRefAttr::get(name);
    }
    case 6: {
      mlir::Type type = values.ReadType(in);
      return type ? mlir::Attribute(mlir::TypeAttr::get(type)) : nullptr;
    }
    case 7:
      return mlir::UnitAttr::get(context);
    case 8: {
      mlir::Type type = values.ReadType(in);
      if (!type || !type.isIntOrIndex()) return values.Malformed(in, "an integer is malformed");
      const unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
      return mlir::IntegerAttr::get(type, values.ReadInt(in, width));
    }
    case 9: {
      auto type = llvm::dyn_cast_if_present<mlir::FloatType>(values.ReadType(in));
      if (!type || type.getWidth() > 64) return values.Malformed(in, "a float is malformed");
      return mlir::FloatAttr::get(type, values.ReadFloat(in, type.getFloatSemantics()));
    }
    case 18: {
      mlir::Type type = values.ReadType(in);
      llvm::ArrayRef<uint8_t> bytes = in.Bytes(in.Varint());
      llvm::ArrayRef<char> raw(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      bool splat = false;
      if (!HasCountableElements(type) ||
          !IsDataElement(llvm::cast<mlir::ShapedType>(type).getElementType()) ||
          !mlir::DenseElementsAttr::isValidRawBuffer(llvm::cast<mlir::ShapedType>(type), raw,
                                                     splat)) {
        return values.Malformed(in, "a constant's data does not fit its type");
      }
      return mlir::DenseElementsAttr::getFromRawBuffer(llvm::cast<mlir::ShapedType>(type), raw);
    }
    default:
      return values.Unsupported("a builtin attribute of this kind");
  }
}

mlir::Type DecodeBuiltinType(Values& values, Cursor& in) {
  mlir::MLIRContext* context = values.context();
  auto checked = [&] { return mlir::emitError(mlir::UnknownLoc::get(context)); };
  switch (in.Varint()) {
    case 0: {
      const uint64_t packed = in.Varint();
      if ((packed >> 2) > kMaxIntegerWidth || (packed >> 2) == 0 || (packed & 3) == 3)
        return values.Malformed(in, "an integer type is malformed");
      return mlir::IntegerType::get(
          context, static_cast<unsigned>(packed >> 2),
          static_cast<mlir::IntegerType::SignednessSemantics>(packed & 3));
    }
    case 1:
      return mlir::IndexType::get(context);
    case 2: {
      llvm::SmallVector<mlir::Type> inputs = values.ReadTypes(in);
      return mlir::FunctionType::get(context, inputs, values.ReadTypes(in));
    }
    case 3:
      return mlir::BFloat16Type::get(context);
    case 4:
      return mlir::Float16Type::get(context);
    case 5:
      return mlir::Float32Type::get(context);
    case 6:
      return mlir::Float64Type::get(context);
    case 9: {
      mlir::Type element = values.ReadType(in);
      if (!element || !element.isIntOrFloat())
        return values.Malformed(in, "a complex type is malformed");
      return mlir::ComplexType::get(element);
    }
    case 12:
      return mlir::NoneType::get(context);
    case 13: {
      llvm::SmallVector<int64_t> shape = values.ReadSigned(in);
      mlir::Type element = values.ReadType(in);
      if (!element) return nullptr;
      return mlir::RankedTensorType::getChecked(checked, shape, element, mlir::Attribute());
    }
    case 15:
      return mlir::TupleType::get(context, values.ReadTypes(in));
    default:
      return values.Unsupported("a builtin type of this kind");
  }
}

}  // namespace quern::vhlo
