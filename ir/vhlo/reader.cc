#include "ir/vhlo/reader.h"

#include <vector>

#include "ir/vhlo/builder.h"
#include "ir/vhlo/values.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Verifier.h"

namespace quern::vhlo {

static constexpr int kMaxNesting = 128;

// Which parts an encoded op has.
enum OpMask : uint8_t {
  kHasAttributes = 1,
  kHasResults = 2,
  kHasOperands = 4,
  kHasSuccessors = 8,
  kHasRegions = 16,
  kHasUseListOrders = 32,
  kHasProperties = 64,
};

class Reader {
 public:
  Reader(const Container& container, mlir::Location place)
      : c_(container), values_(container, place) {}

  mlir::OwningOpRef<mlir::ModuleOp> Run() {
    Cursor in = c_.ir;
    bool has_arguments = false;
    const size_t ops = in.FlaggedCount(has_arguments);
    if (ops != 1 || has_arguments) return Malformed(in, "the file holds no module"), nullptr;
    scopes_.emplace_back();
    std::optional<Record> record = ReadRecord(in);
    if (!record) return nullptr;
    if (record->name.dialect != "builtin" || record->name.name != "module" ||
        record->regions != 1 || !record->operands.empty() || !record->results.empty()) {
      return Malformed(in, "the file holds no module"), nullptr;
    }
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(record->location);
    if (!SetModuleAttributes(*module, *record)) return nullptr;
    module->getBodyRegion().getBlocks().clear();
    if (!ReadRegions(in, *record, module->getOperation(), 0)) return nullptr;
    if (!in.empty()) return Malformed(in, "bytes follow the module"), nullptr;
    if (!module->getBodyRegion().hasOneBlock())
      return Malformed(in, "the module has no body"), nullptr;
    if (failed(mlir::verify(*module))) return nullptr;
    return module;
  }

 private:
  bool Malformed(const Cursor& in, const llvm::Twine& what) {
    values_.Malformed(in, what);
    return false;
  }

  // A module's name may be a property.
  bool SetModuleAttributes(mlir::ModuleOp module, const Record& record) {
    mlir::NamedAttrList list(record.attributes);
    if (record.properties) {
      Cursor in = *record.properties;
      for (llvm::StringRef name : {"sym_name", "sym_visibility"}) {
        bool present = false;
        const uint64_t index = in.Flagged(present);
        if (!present) continue;
        mlir::Attribute value = values_.Attribute(index);
        if (!value) return false;
        list.set(name, value);
      }
      if (!in.ok() || !in.empty()) return Malformed(in, "the module's properties are malformed");
    }
    module->setAttrs(list);
    return true;
  }

  // ---- Structure

  bool ReadRegions(Cursor& in, const Record& record, mlir::Operation* op, int depth) {
    if (depth > kMaxNesting) return Malformed(in, "regions nest too deeply");
    Cursor inner = in;
    const bool apart = record.isolated && c_.format >= kRegionSections;
    if (apart) {
      uint8_t id;
      inner = in.Section(id);
      if (!in.ok() || id != 4) return Malformed(in, "a region is cut short");
    }
    if (record.isolated) scopes_.emplace_back();
    for (mlir::Region& region : op->getRegions()) {
      if (!ReadRegion(inner, region, depth)) return false;
    }
    if (record.isolated) scopes_.pop_back();
    if (!apart) in = inner;
    return apart && !inner.empty() ? Malformed(inner, "bytes follow a region") : true;
  }

  bool ReadRegion(Cursor& in, mlir::Region& region, int depth) {
    const uint64_t blocks = in.Varint();
    if (!in.ok()) return Malformed(in, "a region is cut short");
    if (blocks == 0) return true;
    if (blocks != 1) {
      values_.Unsupported("a region of several blocks");
      return false;
    }
    std::vector<mlir::Value>& scope = scopes_.back();
    const size_t base = scope.size();
    const size_t count = in.Count();
    next_ = base;
    end_ = base + count;
    scope.resize(end_);
    mlir::Block& block = region.emplaceBlock();
    bool has_arguments = false;
    const size_t ops = in.FlaggedCount(has_arguments);
    if (!in.ok() || (has_arguments && !ReadArguments(in, block)))
      return Malformed(in, "a block is cut short");
    for (size_t i = 0; i < ops; ++i) {
      if (!ReadOp(in, block, depth)) return false;
    }
    if (!values_.ok()) return false;
    scopes_.back().resize(base);
    return true;
  }

  bool ReadArguments(Cursor& in, mlir::Block& block) {
    const size_t count = in.Count();
    for (size_t i = 0; i < count; ++i) {
      bool has_location = true;
      const uint64_t type = c_.format >= kElidedLocations ? in.Flagged(has_location) : in.Varint();
      mlir::Type known = values_.Type(type);
      if (!known) return false;
      const mlir::Location location =
          has_location ? values_.Location(in.Varint()) : mlir::UnknownLoc::get(values_.context());
      if (!in.ok() || !values_.ok()) return false;
      block.addArgument(known, location);
    }
    if (c_.format >= kUseListOrders && in.Byte() != 0) SkipUseListOrders(in, count);
    return in.ok() && Define(block.getArguments());
  }

  // Orders of uses have no meaning here.
  void SkipUseListOrders(Cursor& in, size_t values) {
    const size_t count = values > 1 ? in.Count() : 1;
    for (size_t i = 0; i < count; ++i) {
      if (values > 1) in.Varint();
      bool pairs;
      const size_t indices = in.FlaggedCount(pairs);
      for (size_t j = 0; j < indices; ++j) in.Varint();
    }
  }

  bool Define(mlir::ValueRange values) {
    if (values.size() > end_ - next_) return false;
    for (mlir::Value value : values) scopes_.back()[next_++] = value;
    return true;
  }

  std::optional<Record> ReadRecord(Cursor& in) {
    const uint64_t name = in.Varint();
    const uint8_t mask = in.Byte();
    if (!in.ok() || name >= c_.ops.size() || (mask & 0x80)) {
      Malformed(in, "an op has no name");
      return std::nullopt;
    }
    Record record{.name = c_.ops[name], .location = values_.Location(in.Varint())};
    values_.Enter(record.location, (record.name.dialect + "." + record.name.name).str());
    if (mask & kHasAttributes) {
      record.attributes =
          llvm::dyn_cast_if_present<mlir::DictionaryAttr>(values_.ReadAttribute(in));
      if (!record.attributes) Malformed(in, "an op's attributes are malformed");
    } else {
      record.attributes = mlir::DictionaryAttr::get(values_.context());
    }
    if (mask & kHasProperties) {
      const uint64_t index = in.Varint();
      if (index < c_.properties.size()) {
        record.properties = c_.properties[index];
      } else {
        Malformed(in, "an op's properties are missing");
      }
    }
    if (mask & kHasResults) record.results = values_.ReadTypes(in);
    if (mask & kHasOperands) ReadOperands(in, record);
    if (mask & kHasSuccessors) values_.Unsupported("an op with successors");
    if ((mask & kHasUseListOrders) && c_.format >= kUseListOrders)
      SkipUseListOrders(in, record.results.size());
    if (mask & kHasRegions) record.regions = in.FlaggedCount(record.isolated);
    if (!in.ok()) Malformed(in, "an op is cut short");
    if (!values_.ok()) return std::nullopt;
    return record;
  }

  void ReadOperands(Cursor& in, Record& record) {
    const std::vector<mlir::Value>& scope = scopes_.back();
    record.operands.resize(in.Count());
    for (mlir::Value& operand : record.operands) {
      const uint64_t index = in.Varint();
      if (index < scope.size()) operand = scope[index];
      if (operand) continue;
      Malformed(in, "a value is used before it is defined");
      return;
    }
  }

  // Producers that mix dialects cast between types of theirs that are one here.
  static bool IsIdentity(const Record& record) {
    return record.name.dialect == "builtin" && record.name.name == "unrealized_conversion_cast" &&
           record.regions == 0 && !record.properties && record.attributes.empty() &&
           record.operands.size() == record.results.size() &&
           llvm::all_of(llvm::zip(record.operands, record.results),
                        [](auto pair) { return std::get<0>(pair).getType() == std::get<1>(pair); });
  }

  bool ReadOp(Cursor& in, mlir::Block& block, int depth) {
    std::optional<Record> record = ReadRecord(in);
    if (!record) return false;
    if (IsIdentity(*record)) {
      return Define(record->operands) || Malformed(in, "a region holds more values than it says");
    }
    mlir::Operation* op = BuildOp(*record, block, values_);
    if (op == nullptr) return false;
    if (!Define(op->getResults())) return Malformed(in, "a region holds more values than it says");
    if (record->regions == 0) return true;
    const size_t next = next_, end = end_;
    if (!ReadRegions(in, *record, op, depth + 1)) return false;
    next_ = next;
    end_ = end;
    return true;
  }

  const Container& c_;
  Values values_;
  std::vector<std::vector<mlir::Value>> scopes_;  // values by number; one scope an isolated op
  size_t next_ = 0, end_ = 0;                     // the numbers that the region has left to define
};

mlir::OwningOpRef<mlir::ModuleOp> ReadPortable(llvm::StringRef bytes, mlir::MLIRContext& context) {
  const mlir::Location place = mlir::UnknownLoc::get(&context);
  ContainerError error{0, ""};
  std::optional<Container> container = ParseContainer(bytes, error);
  if (!container) {
    mlir::emitError(place) << "malformed bytecode at byte " << error.at << ": " << error.what;
    return nullptr;
  }
  if (container->version && container->version->major > kNewestVhlo.major) {
    mlir::emitError(place) << "the file is of StableHLO " << container->version->major << '.'
                           << container->version->minor << ", and quern reads versions up to "
                           << kNewestVhlo.major << '.' << kNewestVhlo.minor
                           << "; write it for one of those";
    return nullptr;
  }
  return Reader(*container, place).Run();
}

}  // namespace quern::vhlo
