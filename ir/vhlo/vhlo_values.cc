// VHLO's encoding of attributes (openxla/stablehlo, stablehlo/dialect/VhloBytecode.cpp).
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/vhlo/values.h"

namespace quern::vhlo {

// An enumeration: #stablehlo<mnemonic NAME>. A name left empty is no value.
struct Enum {
  const char* mnemonic;
  std::initializer_list<const char*> names;
};

static mlir::Attribute DecodeEnum(Values& values, Cursor& in, const Enum& e) {
  const uint64_t code = in.Varint();
  if (code >= e.names.size() || *e.names.begin()[code] == '\0')
    return values.Unsupported(absl::StrCat("value ", code, " of ", e.mnemonic));
  return values.Spelled(absl::StrCat("#stablehlo<", e.mnemonic, " ", e.names.begin()[code], ">"));
}

static std::string List(llvm::ArrayRef<int64_t> numbers) {
  return absl::StrCat("[", absl::StrJoin(numbers, ", "), "]");
}

// One byte or one bit an element, or one byte for all.
static mlir::Attribute DecodeBools(Values& values, Cursor& in, mlir::RankedTensorType type,
                                   llvm::ArrayRef<uint8_t> bytes) {
  const uint64_t count = static_cast<uint64_t>(type.getNumElements());
  if (bytes.size() == 1 && (bytes[0] == 0 || bytes[0] == 0xff))
    return mlir::DenseElementsAttr::get(type, bytes[0] != 0);
  const bool wide = bytes.size() == count;
  if (!wide && bytes.size() != count / 8 + (count % 8 != 0))
    return values.Malformed(in, "a constant's data does not fit its type");
  llvm::SmallVector<bool> bits(count);
  for (uint64_t i = 0; i < count; ++i) {
    bits[i] = wide ? bytes[i] != 0 : ((bytes[i / 8] >> (i % 8)) & 1) != 0;
  }
  return mlir::DenseElementsAttr::get(type, llvm::ArrayRef<bool>(bits));
}

static mlir::Attribute DecodeTensor(Values& values, Cursor& in) {
  mlir::Type any = values.ReadType(in);
  llvm::ArrayRef<uint8_t> bytes = in.Bytes(in.Varint());
  if (!any || !in.ok()) return nullptr;
  if (!HasCountableElements(any)) return values.Malformed(in, "a constant has no fixed size");
  auto type = llvm::cast<mlir::RankedTensorType>(any);
  mlir::Type element = type.getElementType();
  if (element.isInteger(1)) return DecodeBools(values, in, type, bytes);
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element)) element = complex.getElementType();
  llvm::ArrayRef<char> raw(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  bool splat = false;
  if (!element.isIntOrIndexOrFloat() ||
      !mlir::DenseElementsAttr::isValidRawBuffer(type, raw, splat)) {
    return values.Malformed(in, "a constant's data does not fit its type");
  }
  return mlir::DenseElementsAttr::getFromRawBuffer(type, raw);
}

static mlir::Attribute DecodeDictionary(Values& values, Cursor& in) {
  llvm::SmallVector<mlir::NamedAttribute> named;
  for (size_t i = 0, count = in.Count(); i < count && values.ok(); ++i) {
    auto name = llvm::dyn_cast_if_present<mlir::StringAttr>(values.ReadAttribute(in));
    mlir::Attribute value = values.ReadAttribute(in);
    if (!name || name.empty() || !value) return values.Malformed(in, "a dictionary is malformed");
    named.emplace_back(name, value);
  }
  if (mlir::DictionaryAttr::findDuplicate(named, /*isSorted=*/false))
    return values.Malformed(in, "a dictionary holds a name twice");
  return mlir::DictionaryAttr::get(values.context(), named);
}

// The unit attribute stands for the default, which StableHLO does not write.
static mlir::Attribute DecodeResultAccuracy(Values& values, Cursor& in) {
  const double atol = values.ReadFloat(in, mlir::APFloat::IEEEdouble()).convertToDouble();
  const double rtol = values.ReadFloat(in, mlir::APFloat::IEEEdouble()).convertToDouble();
  const int64_t ulps = in.Signed();
  auto mode = llvm::dyn_cast_if_present<mlir::StringAttr>(values.ReadAttribute(in));
  if (!mode || !in.ok()) return values.Malformed(in, "a result accuracy is malformed");
  if (atol == 0 && rtol == 0 && ulps == 0 && mode.getValue() == "DEFAULT")
    return mlir::UnitAttr::get(values.context());
  auto number = [&](double value) {
    std::string text;
    llvm::raw_string_ostream out(text);
    mlir::FloatAttr::get(mlir::Float64Type::get(values.context()), value).print(out, true);
    return text;
  };
  return values.Spelled(absl::StrCat(
      "#stablehlo.result_accuracy<atol = ", number(atol), ", rtol = ", number(rtol),
      ", ulps = ", ulps, ", mode = #stablehlo.result_accuracy_mode<", mode.getValue().str(), ">>"));
}

// The modes stand alone nowhere but in a result accuracy.
static mlir::Attribute DecodeResultAccuracyMode(Values& values, Cursor& in) {
  static constexpr const char* kModes[] = {"DEFAULT", "HIGHEST", "TOLERANCE"};
  const uint64_t code = in.Varint();
  if (code >= std::size(kModes)) return values.Unsupported("this mode of result accuracy");
  return mlir::StringAttr::get(values.context(), kModes[code]);
}

static mlir::Attribute DecodeAlias(Values& values, Cursor& in) {
  const llvm::SmallVector<int64_t> outputs = values.ReadSigned(in);
  const int64_t operand = in.Signed();
  const llvm::SmallVector<int64_t> operands = values.ReadSigned(in);
  if (!in.ok() || outputs.size() + operands.size() > 64)
    return values.Malformed(in, "an operand alias is malformed");
  return values.Spelled(absl::StrCat(
      "#stablehlo.output_operand_alias<output_tuple_indices = ", List(outputs),
      ", operand_index = ", operand, ", operand_tuple_indices = ", List(operands), ">"));
}

static mlir::Attribute DecodeBounds(Values& values, Cursor& in) {
  const llvm::SmallVector<int64_t> bounds = values.ReadSigned(in);
  if (!in.ok() || bounds.size() > 64) return values.Malformed(in, "bounds are malformed");
  const std::string list = absl::StrJoin(bounds, ", ", [](std::string* out, int64_t bound) {
    absl::StrAppend(out, bound == mlir::ShapedType::kDynamic ? "?" : absl::StrCat(bound));
  });
  return values.Spelled(absl::StrCat("#stablehlo.type_extensions<bounds = [", list, "]>"));
}

// Axes of a mesh of devices are strings here, spelled as StableHLO spells them.
static mlir::Attribute DecodeSubAxis(Values& values, Cursor& in) {
  const int64_t pre_size = in.Signed(), size = in.Signed();
  return mlir::StringAttr::get(values.context(), absl::StrCat("(", pre_size, ")", size));
}

static mlir::Attribute DecodeAxis(Values& values, Cursor& in) {
  auto name = llvm::dyn_cast_if_present<mlir::StringAttr>(values.ReadAttribute(in));
  mlir::StringAttr part;
  const bool has_part = in.Varint() != 0;
  if (has_part) part = llvm::dyn_cast_if_present<mlir::StringAttr>(values.ReadAttribute(in));
  if (!name || (has_part && !part) || name.getValue().contains('"'))
    return values.Malformed(in, "an axis is malformed");
  return mlir::StringAttr::get(
      values.context(),
      absl::StrCat("#stablehlo.axis_ref<name = \"", name.getValue().str(), "\"",
                   has_part ? absl::StrCat(", sub_axis_info = ", part.getValue().str()) : "", ">"));
}

static mlir::Attribute DecodeMeshAxes(Values& values, Cursor& in) {
  auto mesh = llvm::dyn_cast_if_present<mlir::StringAttr>(values.ReadAttribute(in));
  auto axes = llvm::dyn_cast_if_present<mlir::ArrayAttr>(values.ReadAttribute(in));
  if (!mesh || !axes || axes.size() > 64) return values.Unsupported("this mesh of devices");
  std::vector<std::string> names;
  for (mlir::Attribute axis : axes) {
    auto name = llvm::dyn_cast<mlir::StringAttr>(axis);
    if (!name) return values.Malformed(in, "an axis is malformed");
    names.push_back(name.getValue().str());
  }
  return values.Spelled(absl::StrCat("#stablehlo.replica_group_mesh_axes<mesh = @",
                                     mesh.getValue().str(), ", axes = [",
                                     absl::StrJoin(names, ", "), "]>"));
}

mlir::Attribute DecodeVhloAttribute(Values& values, Cursor& in) {
  static const Enum kDirection{"comparison_direction", {"EQ", "NE", "GE", "GT", "LE", "LT"}};
  static const Enum kComparison{"comparison_type",
                                {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"}};
  static const Enum kFft{"fft_type", {"FFT", "IFFT", "RFFT", "IRFFT"}};
  static const Enum kPrecision{"precision", {"DEFAULT", "HIGH", "HIGHEST"}};
  static const Enum kAlgorithm{"rng_algorithm", {"DEFAULT", "THREE_FRY", "PHILOX"}};
  static const Enum kDistribution{"rng_distribution", {"", "UNIFORM", "NORMAL"}};
  static const Enum kTranspose{"transpose",
                               {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}};
  mlir::MLIRContext* context = values.context();
  const uint64_t code = in.Varint();
  switch (code) {
    case 1:
      return mlir::ArrayAttr::get(context, values.ReadAttributes(in));
    case 2:
      return mlir::BoolAttr::get(context, in.Varint() != 0);
    case 3:
      return DecodeEnum(values, in, kDirection);
    case 4:
      return DecodeEnum(values, in, kComparison);
    case 5:
      return mlir::IntegerAttr::get(mlir::IntegerType::get(context, 32),
                                    static_cast<int32_t>(in.Varint() & 0xff));
    case 6:
      return DecodeDictionary(values, in);
    case 7:
      return DecodeEnum(values, in, kFft);
    case 8: {
      auto type = llvm::dyn_cast_if_present<mlir::FloatType>(values.ReadType(in));
      if (!type) return values.Malformed(in, "a float is malformed");
      return mlir::FloatAttr::get(type, values.ReadFloat(in, type.getFloatSemantics()));
    }
    case 9: {
      mlir::Type type = values.ReadType(in);
      if (!type || !type.isIntOrIndex()) return values.Malformed(in, "an integer is malformed");
      const unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
      return mlir::IntegerAttr::get(type, values.ReadInt(in, width));
    }
    case 10:
      return DecodeAlias(values, in);
    case 11:
      return DecodeEnum(values, in, kPrecision);
    case 12:
      return DecodeEnum(values, in, kAlgorithm);
    case 13:
      return DecodeEnum(values, in, kDistribution);
    case 14:
      return mlir::StringAttr::get(context, values.ReadString(in));
    case 15:
      return DecodeTensor(values, in);
    case 16:
      return DecodeEnum(values, in, kTranspose);
    case 17: {
      mlir::Type type = values.ReadType(in);
      return type ? mlir::Attribute(mlir::TypeAttr::get(type)) : nullptr;
    }
    case 18:
      return DecodeBounds(values, in);
    case 19:
      return DecodeResultAccuracyMode(values, in);
    case 20:
      return DecodeResultAccuracy(values, in);
    case 21:
      return DecodeSubAxis(values, in);
    case 22:
      return DecodeAxis(values, in);
    case 23:
      return DecodeMeshAxes(values, in);
    default:
      return values.Unsupported(absl::StrCat("VHLO's attribute ", code));
  }
}

}  // namespace quern::vhlo
