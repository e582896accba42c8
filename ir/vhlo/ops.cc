#include "ir/vhlo/ops.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "ir/vhlo/structs.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace quern::vhlo {

// ---- The table

static Property ParseProperty(llvm::StringRef text) {
  Property property;
  llvm::StringRef rest, kind;
  std::tie(text, property.value) = [&] {
    auto [front, value] = text.split('?');
    return std::pair(front, value.str());
  }();
  std::tie(text, rest) = text.split('@');
  property.target = rest.str();
  std::tie(text, kind) = text.split(':');
  property.name = text.str();
  property.kind = kind.front();
  return property;
}

static const llvm::StringMap<Op>& Ops() {
  static const llvm::StringMap<Op>& ops = *[] {
    static constexpr int kOpen = std::numeric_limits<int>::max();
    auto* table = new llvm::StringMap<Op>;
    auto add = [&](const char* name, int version, int since, int until, llvm::StringRef text) {
      Op op{.name = name, .since = {since / 100, since % 100}, .until = {until / 100, until % 100}};
      llvm::SmallVector<llvm::StringRef> parts;
      text.split(parts, ' ', -1, /*KeepEmpty=*/false);
      for (llvm::StringRef part : parts) op.properties.push_back(ParseProperty(part));
      table->try_emplace(absl::StrCat(name, "_v", version), std::move(op));
    };
#define VHLO_OP(name, version, since, until, properties) \
  add(name, version, since, until, properties);
#include "ir/vhlo/ops.def"
#undef VHLO_OP
    return table;
  }();
  return ops;
}

const Op* FindOp(llvm::StringRef name) {
  auto found = Ops().find(name);
  return found == Ops().end() ? nullptr : &found->second;
}

size_t CountOps() { return Ops().size(); }

// ---- Values

using mlir::Attribute;

// Lists of dimensions are short; longer ones would let a few bytes stand for many.
static constexpr int64_t kMaxList = 32;

static std::optional<llvm::SmallVector<int64_t>> Integers(Attribute value) {
  auto dense = llvm::dyn_cast_if_present<mlir::DenseIntElementsAttr>(value);
  if (!dense || dense.getNumElements() > kMaxList ||
      llvm::cast<mlir::RankedTensorType>(dense.getType()).getRank() != 1) {
    return std::nullopt;
  }
  llvm::SmallVector<int64_t> numbers;
  const bool is_bool = dense.getElementType().isInteger(1);
  for (const mlir::APInt& number : dense.getValues<mlir::APInt>())
    numbers.push_back(is_bool ? static_cast<int64_t>(number.getZExtValue())
                              : number.getSExtValue());
  return numbers;
}

static bool IsInteger(Attribute value, unsigned width) {
  auto integer = llvm::dyn_cast<mlir::IntegerAttr>(value);
  return integer && integer.getType().isSignlessInteger(width);
}

// Whether all elements are `number`.
static bool AllAre(Attribute value, int64_t number) {
  auto dense = llvm::dyn_cast<mlir::DenseIntElementsAttr>(value);
  if (!dense) return false;
  auto is = [&](const mlir::APInt& element) {
    return element == mlir::APInt(element.getBitWidth(), number, false, /*implicitTrunc=*/true);
  };
  if (dense.isSplat()) return is(dense.getSplatValue<mlir::APInt>());
  return llvm::all_of(dense.getValues<mlir::APInt>(), is);
}

static bool IsDefault(const Property& property, Attribute value, Values& values) {
  if (property.value.empty()) return false;
  if (property.value == "ones") return AllAre(value, 1);
  if (property.value == "zeros") return AllAre(value, 0);
  if (property.value == "DEFAULT") {
    auto list = llvm::dyn_cast<mlir::ArrayAttr>(value);
    return list && llvm::all_of(list, [&](Attribute precision) {
             return precision == values.Spelled("#stablehlo<precision DEFAULT>");
           });
  }
  if (property.value == "NOTYPE")
    return value == values.Spelled("#stablehlo<comparison_type NOTYPE>");
  if (auto list = llvm::dyn_cast<mlir::ArrayAttr>(value)) return list.empty();
  if (auto dictionary = llvm::dyn_cast<mlir::DictionaryAttr>(value)) return dictionary.empty();
  if (auto string = llvm::dyn_cast<mlir::StringAttr>(value)) return string.empty();
  if (auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(value)) return dense.empty();
  if (auto flag = llvm::dyn_cast<mlir::BoolAttr>(value)) return !flag.getValue();
  if (auto integer = llvm::dyn_cast<mlir::IntegerAttr>(value))
    return absl::StrCat(integer.getValue().getSExtValue()) == property.value;
  return false;
}

// Null where the value is of another kind; `dropped` where nothing is to be written.
static Attribute Convert(const Property& property, Attribute value, bool& dropped) {
  mlir::MLIRContext* context = value.getContext();
  switch (property.kind) {
    case 'I':
      return IsInteger(value, 64) ? value : nullptr;
    case 'J':
      return IsInteger(value, 32) ? value : nullptr;
    case 'V':
      if (!IsInteger(value, 32) && !IsInteger(value, 64)) return nullptr;
      return mlir::IntegerAttr::get(
          mlir::IntegerType::get(context, 32),
          llvm::cast<mlir::IntegerAttr>(value).getValue().sextOrTrunc(32));
    case 'F': {
      auto number = llvm::dyn_cast<mlir::FloatAttr>(value);
      return number && number.getType().isF32() ? value : nullptr;
    }
    case 'B':
      return llvm::isa<mlir::BoolAttr>(value) ? value : nullptr;
    case 'U': {
      auto flag = llvm::dyn_cast<mlir::BoolAttr>(value);
      dropped = flag && !flag.getValue();
      return flag ? mlir::UnitAttr::get(context) : nullptr;
    }
    case 'S':
      return llvm::isa<mlir::StringAttr>(value) ? value : nullptr;
    case 'R': {
      auto name = llvm::dyn_cast<mlir::StringAttr>(value);
      return name && !name.empty() ? mlir::FlatSymbolRefAttr::get(name) : nullptr;
    }
    case 'Q': {
      auto list = llvm::dyn_cast<mlir::ArrayAttr>(value);
      llvm::SmallVector<Attribute> symbols;
      if (!list) return nullptr;
      for (Attribute element : list) {
        auto name = llvm::dyn_cast<mlir::StringAttr>(element);
        if (!name || name.empty()) return nullptr;
        symbols.push_back(mlir::FlatSymbolRefAttr::get(name));
      }
      return mlir::ArrayAttr::get(context, symbols);
    }
    case 'T':
      return llvm::isa<mlir::DenseElementsAttr>(value) ? value : nullptr;
    case 'A': {
      std::optional<llvm::SmallVector<int64_t>> numbers = Integers(value);
      return numbers ? mlir::DenseI64ArrayAttr::get(context, *numbers) : nullptr;
    }
    case 'K': {
      std::optional<llvm::SmallVector<int64_t>> numbers = Integers(value);
      if (!numbers) return nullptr;
      llvm::SmallVector<bool> flags(numbers->begin(), numbers->end());
      return mlir::DenseBoolArrayAttr::get(context, flags);
    }
    case 'P':
    case 'L':
      return llvm::isa<mlir::ArrayAttr>(value) ? value : nullptr;
    case 'D':
      return llvm::isa<mlir::DictionaryAttr, mlir::StringAttr>(value) ? value : nullptr;
    case 'Y':
      return llvm::isa<mlir::TypeAttr>(value) ? value : nullptr;
    case 'X':
      dropped = llvm::isa<mlir::UnitAttr>(value);
      return value;
    case '-':
      dropped = true;
      return value;
    default:  // E, G, O: of StableHLO's own
      return value;
  }
}

bool ConvertProperties(const Op& op, llvm::ArrayRef<Attribute> raw, mlir::Location at,
                       Values& values, mlir::NamedAttrList& attributes) {
  auto malformed = [&](llvm::StringRef name) {
    if (values.ok())
      values.Error(at) << "vhlo." << op.name << ": property " << name << " is malformed";
    return false;
  };
  std::vector<Fields> structs;
  for (auto [property, value] : llvm::zip_equal(op.properties, raw)) {
    bool dropped = false;
    Attribute converted = Convert(property, value, dropped);
    if (!converted) return malformed(property.name);
    if (dropped || IsDefault(property, value, values)) continue;
    if (property.target.empty()) {
      attributes.append(property.name, converted);
      continue;
    }
    auto target =
        llvm::find_if(structs, [&](const Fields& f) { return f.target == property.target; });
    if (target == structs.end()) target = structs.insert(target, Fields{property.target, {}});
    target->values.emplace_back(property.name, converted);
  }
  for (const Fields& fields : structs) {
    bool absent = false;
    const std::string text = Spell(fields, absent);
    if (absent) continue;
    if (text.empty()) return malformed(NameOf(fields.target));
    Attribute attribute = values.Spelled(text);
    if (!attribute) return false;
    attributes.append(NameOf(fields.target), attribute);
  }
  return values.ok();
}

}  // namespace quern::vhlo
