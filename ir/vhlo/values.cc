#include "ir/vhlo/values.h"

#include <algorithm>

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Location.h"

namespace quern::vhlo {

static constexpr int kMaxDepth = 64;
static constexpr uint64_t kMaxWeight = uint64_t{1} << 22;
static constexpr size_t kMaxSpelled = 1 << 14;
static constexpr int kMaxLocationHops = 4096;

Values::Values(const Container& container, mlir::Location place)
    : container_(container),
      place_(place),
      op_place_(place),
      attributes_(container.attributes.size()),
      types_(container.types.size()) {}

mlir::InFlightDiagnostic Values::Error(mlir::Location at) {
  ok_ = false;
  return mlir::emitError(at);
}

std::nullptr_t Values::Malformed(const Cursor& in, const llvm::Twine& what) {
  if (ok_) Error(place_) << "malformed bytecode at byte " << in.at() << ": " << what;
  return nullptr;
}

std::nullptr_t Values::Unsupported(const llvm::Twine& what) {
  if (!ok_) return nullptr;
  mlir::InFlightDiagnostic error = Error(op_place_);
  error << op_ << (op_.empty() ? "" : ": ") << what << " is not supported";
  if (container_.version && *container_.version > kNewestVhlo) {
    error << "; the file is of StableHLO " << container_.version->major << '.'
          << container_.version->minor << ", and quern reads up to " << kNewestVhlo.major << '.'
          << kNewestVhlo.minor;
  }
  return nullptr;
}

template <typename Value>
Value Values::Resolve(const std::vector<RawEntry>& raw, std::vector<Entry>& entries, uint64_t index,
                      Value (*decode)(llvm::StringRef dialect, Values&, Cursor&)) {
  if (!ok_) return nullptr;
  if (index >= raw.size()) {
    Unsupported("bytecode that refers to a missing attribute or type");
    return nullptr;
  }
  Entry& entry = entries[index];
  Cursor in(container_.file, raw[index].begin, raw[index].begin + raw[index].size);
  if (entry.resolving || depth_ >= kMaxDepth) {
    return Malformed(in, "attributes or types nest too deeply or hold themselves");
  }
  if (entry.value == nullptr) {
    const uint64_t outer = weight_;
    weight_ = 1;
    entry.resolving = true;
    ++depth_;
    const llvm::StringRef dialect = container_.dialects[raw[index].dialect];
    Value value = nullptr;
    if (raw[index].custom) {
      value = decode(dialect, *this, in);
    } else {
      Unsupported("an attribute or type of dialect '" + dialect + "' that is stored as text");
    }
    --depth_;
    entry.resolving = false;
    if (!ok_) return nullptr;
    if (!value || !in.ok() || !in.empty())
      return Malformed(in, "an attribute or type is malformed");
    if (weight_ > kMaxWeight) return Malformed(in, "an attribute or type is too large");
    entry.weight = static_cast<uint32_t>(weight_);
    entry.value = value.getAsOpaquePointer();
    weight_ = outer;
  }
  weight_ = std::min(weight_ + entry.weight, kMaxWeight + 1);
  return Value::getFromOpaquePointer(entry.value);
}

static mlir::Attribute DecodeAttribute(llvm::StringRef dialect, Values& values, Cursor& in) {
  if (dialect == "vhlo") return DecodeVhloAttribute(values, in);
  if (dialect == "builtin") return DecodeBuiltinAttribute(values, in);
  if (dialect == "sdy") return DecodeSdyAttribute(values, in);
  return values.Unsupported("an attribute of dialect '" + dialect + "'");
}

static mlir::Type DecodeType(llvm::StringRef dialect, Values& values, Cursor& in) {
  if (dialect == "vhlo") return DecodeVhloType(values, in);
  if (dialect == "builtin") return DecodeBuiltinType(values, in);
  return values.Unsupported("a type of dialect '" + dialect + "'");
}

mlir::Attribute Values::Attribute(uint64_t index) {
  return Resolve<mlir::Attribute>(container_.attributes, attributes_, index, DecodeAttribute);
}

mlir::Type Values::Type(uint64_t index) {
  return Resolve<mlir::Type>(container_.types, types_, index, DecodeType);
}

// Codes of the builtin dialect's locations.
enum LocationCode : uint64_t {
  kCallSite = 10,
  kFileLineCol = 11,
  kFused = 12,
  kFusedWithMetadata = 13,
  kName = 14,
  kUnknown = 15,
  kFileLineColRange = 22,
};

mlir::Attribute Values::FindLocation(uint64_t index) {
  const mlir::Attribute unknown = mlir::UnknownLoc::get(context());
  for (int hop = 0; hop < kMaxLocationHops; ++hop) {
    if (index >= container_.attributes.size())
      return Unsupported("bytecode that refers to a missing location");
    const RawEntry& raw = container_.attributes[index];
    Cursor in(container_.file, raw.begin, raw.begin + raw.size);
    if (!raw.custom || container_.dialects[raw.dialect] != "builtin")
      return Malformed(in, "a location is malformed");
    switch (in.Varint()) {
      case kCallSite:
        index = in.Varint();
        break;
      case kFused:
      case kFusedWithMetadata:
        if (in.Count() == 0) return in.ok() ? unknown : Malformed(in, "a location is malformed");
        index = in.Varint();
        break;
      case kName:
        in.Varint();
        index = in.Varint();
        break;
      case kUnknown:
        return unknown;
      case kFileLineCol:
      case kFileLineColRange: {
        in = Cursor(container_.file, raw.begin, raw.begin + raw.size);
        const bool range = in.Varint() == kFileLineColRange;
        auto name = llvm::dyn_cast_if_present<mlir::StringAttr>(ReadAttribute(in));
        uint64_t numbers[2] = {};
        const size_t count = range ? in.Count() : 2;
        for (size_t i = 0; i < std::min<size_t>(count, 2); ++i) numbers[i] = in.Varint();
        if (!name || !in.ok()) return Malformed(in, "a location is malformed");
        return mlir::FileLineColLoc::get(name, static_cast<unsigned>(numbers[0]),
                                         static_cast<unsigned>(numbers[1]));
      }
      default:
        return Malformed(in, "a location is malformed");
    }
    if (!in.ok()) return Malformed(in, "a location is malformed");
  }
  return unknown;
}

mlir::Location Values::Location(uint64_t index) {
  const bool known = index < attributes_.size();
  if (known && attributes_[index].value != nullptr) {
    auto location = llvm::dyn_cast<mlir::LocationAttr>(
        mlir::Attribute::getFromOpaquePointer(attributes_[index].value));
    if (location) return location;
  }
  auto found = llvm::dyn_cast_if_present<mlir::LocationAttr>(FindLocation(index));
  if (!found) return place_;
  attributes_[index].value = found.getAsOpaquePointer();
  attributes_[index].weight = 1;
  return found;
}

llvm::StringRef Values::ReadString(Cursor& in) {
  const uint64_t index = in.Varint();
  if (index < container_.strings.size()) return container_.strings[index];
  Malformed(in, "a string is missing");
  in.Fail();
  return "";
}

llvm::SmallVector<int64_t> Values::ReadSigned(Cursor& in) {
  llvm::SmallVector<int64_t> numbers(in.Count());
  for (int64_t& number : numbers) number = in.Signed();
  return numbers;
}

llvm::SmallVector<mlir::Attribute> Values::ReadAttributes(Cursor& in) {
  llvm::SmallVector<mlir::Attribute> list(in.Count());
  for (mlir::Attribute& attribute : list) attribute = ReadAttribute(in);
  if (!ok_ || !in.ok()) list.clear();
  return list;
}

llvm::SmallVector<mlir::Type> Values::ReadTypes(Cursor& in) {
  llvm::SmallVector<mlir::Type> list(in.Count());
  for (mlir::Type& type : list) type = ReadType(in);
  if (!ok_ || !in.ok()) list.clear();
  return list;
}

mlir::APInt Values::ReadInt(Cursor& in, unsigned width) {
  const uint64_t bits = width <= 8 ? in.Byte() : static_cast<uint64_t>(in.Signed());
  return mlir::APInt(width, bits, /*isSigned=*/false, /*implicitTrunc=*/true);
}

mlir::APFloat Values::ReadFloat(Cursor& in, const llvm::fltSemantics& semantics) {
  return mlir::APFloat(semantics, ReadInt(in, mlir::APFloat::getSizeInBits(semantics)));
}

mlir::Attribute Values::Spelled(const std::string& text) {
  if (!ok_) return nullptr;
  auto [slot, is_new] = spelled_.try_emplace(text);
  if (is_new) {
    mlir::ScopedDiagnosticHandler quiet(context(),
                                        [](mlir::Diagnostic&) { return mlir::success(); });
    slot->second = mlir::parseAttribute(text, context());
  }
  const mlir::Attribute attribute = slot->second;
  if (spelled_.size() > kMaxSpelled) spelled_.clear();
  if (!attribute) return Unsupported(text);
  return attribute;
}

mlir::Type Values::SpelledType(const std::string& text) {
  if (!ok_) return nullptr;
  mlir::Type type;
  {
    mlir::ScopedDiagnosticHandler quiet(context(),
                                        [](mlir::Diagnostic&) { return mlir::success(); });
    type = mlir::parseType(text, context());
  }
  if (!type) return Unsupported("type " + text);
  return type;
}

bool HasCountableElements(mlir::Type type) {
  auto tensor = llvm::dyn_cast_if_present<mlir::RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape()) return false;
  int64_t count = 1;
  for (int64_t extent : tensor.getShape()) {
    // An empty tensor may have huge extents too.
    if (__builtin_mul_overflow(count, std::max<int64_t>(extent, 1), &count)) return false;
  }
  return true;
}

}  // namespace quern::vhlo
