#include "ir/vhlo/builder.h"

#include "absl/strings/str_cat.h"
#include "ir/sdy/sdy.h"
#include "ir/vhlo/ops.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace quern::vhlo {

class Builder {
 public:
  explicit Builder(Values& values) : container_(values.container()), values_(values) {}

  mlir::Operation* Build(const Record& record, mlir::Block& block) {
    if (record.name.dialect == "vhlo") return BuildVhlo(record, block);
    if (record.name.dialect == "sdy") return BuildSdy(record, block);
    auto error = values_.Error(record.location);
    error
        << "unsupported op " << record.name.dialect << '.' << record.name.name
        << " in bytecode; a portable artifact holds vhlo ops, see stablehlo-translate --serialize";
    return nullptr;
  }

 private:
  std::string NameInFile(const Record& record) {
    return absl::StrCat("vhlo.", record.name.name.str());
  }

  // One value for each property of the op, from its properties or, before they were, from its
  // attributes, of which `others` keeps the rest.
  bool RawProperties(const Op& op, const Record& record, llvm::SmallVector<mlir::Attribute>& raw,
                     mlir::NamedAttrList& others) {
    others = mlir::NamedAttrList(record.attributes);
    Cursor in = record.properties.value_or(Cursor());
    for (const Property& property : op.properties) {
      mlir::Attribute value =
          record.properties ? values_.ReadAttribute(in) : others.erase(property.name);
      if (!values_.ok()) return false;
      if (!value || !in.ok()) {
        values_.Error(record.location)
            << NameInFile(record) << " lacks its property " << property.name;
        return false;
      }
      raw.push_back(value);
    }
    if (!in.empty()) {
      values_.Error(record.location)
          << NameInFile(record) << " has more properties than quern knows";
      return false;
    }
    return true;
  }

  mlir::Operation* BuildVhlo(const Record& record, mlir::Block& block) {
    const Op* op = FindOp(record.name.name);
    if (op == nullptr) {
      auto error = values_.Error(record.location);
      error << "unsupported op " << NameInFile(record);
      if (container_.version)
        error << " of StableHLO " << container_.version->major << '.' << container_.version->minor;
      error << "; quern reads versions up to " << kNewestVhlo.major << '.' << kNewestVhlo.minor
            << ", so write the file for one of those";
      return nullptr;
    }
    if (container_.version &&
        (*container_.version < op->since || *container_.version > op->until)) {
      values_.Error(record.location)
          << NameInFile(record) << " is not of StableHLO " << container_.version->major << '.'
          << container_.version->minor;
      return nullptr;
    }
    const bool in_function = llvm::isa<mlir::func::FuncOp>(block.getParentOp());
    std::string name = absl::StrCat("stablehlo.", op->name);
    if (op->name == "func" || op->name == "call") name = absl::StrCat("func.", op->name);
    if (op->name == "return" && in_function) name = "func.return";
    mlir::OperationName target(name, values_.context());
    mlir::Dialect* dialect = target.getDialect();
    if (!target.isRegistered() && (dialect == nullptr || !dialect->allowsUnknownOperations())) {
      values_.Error(record.location) << "unsupported op " << name;
      return nullptr;
    }
    llvm::SmallVector<mlir::Attribute> raw;
    mlir::NamedAttrList others, attributes;
    if (!RawProperties(*op, record, raw, others) ||
        !ConvertProperties(*op, raw, record.location, values_, attributes)) {
      return nullptr;
    }
    if (op->name == "func") DropEmpty(attributes);
    if (op->name == "custom_call") DropLayouts(attributes);
    return Create(record, target, attributes, others, block);
  }

  // What text leaves out of a function's attributes.
  static void DropEmpty(mlir::NamedAttrList& attributes) {
    for (llvm::StringRef name : {"arg_attrs", "res_attrs"}) {
      auto list = llvm::dyn_cast_if_present<mlir::ArrayAttr>(attributes.get(name));
      auto is_empty = [](mlir::Attribute element) {
        auto dictionary = llvm::dyn_cast<mlir::DictionaryAttr>(element);
        return dictionary && dictionary.empty();
      };
      if (list && llvm::all_of(list, is_empty)) attributes.erase(name);
    }
    auto visibility = llvm::dyn_cast_if_present<mlir::StringAttr>(attributes.get("sym_visibility"));
    if (visibility && visibility.empty()) attributes.erase("sym_visibility");
  }

  // A call without layouts has an empty list for operands and for results.
  static void DropLayouts(mlir::NamedAttrList& attributes) {
    auto is_empty = [&](llvm::StringRef name) {
      auto list = llvm::dyn_cast_if_present<mlir::ArrayAttr>(attributes.get(name));
      return list && list.empty();
    };
    if (!is_empty("operand_layouts") || !is_empty("result_layouts")) return;
    attributes.erase("operand_layouts");
    attributes.erase("result_layouts");
  }

  mlir::Operation* Create(const Record& record, mlir::OperationName name,
                          const mlir::NamedAttrList& inherent, const mlir::NamedAttrList& others,
                          mlir::Block& block) {
    mlir::OperationState state(record.location, name);
    state.addTypes(record.results);
    state.addOperands(record.operands);
    state.addAttributes(inherent.getAttrs());
    for (mlir::NamedAttribute other : others) {
      const bool taken =
          name.isRegistered() && llvm::is_contained(name.getAttributeNames(), other.getName());
      if (taken || inherent.get(other.getName())) {
        values_.Error(record.location) << name << " has an attribute twice: " << other.getName();
        return nullptr;
      }
      state.addAttribute(other.getName(), other.getValue());
    }
    for (size_t i = 0; i < record.regions; ++i) state.addRegion();
    mlir::Operation* op = mlir::Operation::create(state);
    block.push_back(op);
    for (mlir::NamedAttribute attribute : inherent) {
      // An op keeps no attribute of another type than its own.
      if (op->getAttr(attribute.getName()) == attribute.getValue()) continue;
      values_.Error(record.location)
          << name << ": attribute " << attribute.getName() << " is not supported in this form";
      return nullptr;
    }
    return op;
  }

  mlir::Operation* BuildSdy(const Record& record, mlir::Block& block) {
    const sdy::Op* op = sdy::FindOp(record.name.name);
    if (op == nullptr) {
      values_.Error(record.location) << "unsupported op sdy." << record.name.name;
      return nullptr;
    }
    mlir::NamedAttrList attributes, others(record.attributes);
    Cursor in = record.properties.value_or(Cursor());
    for (const char* name : op->properties) {
      const bool is_optional = llvm::StringRef(name).ends_with("?");
      const llvm::StringRef plain = llvm::StringRef(name).drop_back(is_optional ? 1 : 0);
      bool present = true;
      const uint64_t index = is_optional ? in.Flagged(present) : in.Varint();
      if (!present) continue;
      mlir::Attribute value = values_.Attribute(index);
      if (value) attributes.append(plain, value);
    }
    if (!values_.ok() || !in.ok() || !in.empty()) {
      return values_.Malformed(in, "the properties of an sdy op are malformed");
    }
    return Create(record, mlir::OperationName(absl::StrCat("sdy.", op->name), values_.context()),
                  attributes, others, block);
  }

  const Container& container_;
  Values& values_;
};

mlir::Operation* BuildOp(const Record& record, mlir::Block& block, Values& values) {
  return Builder(values).Build(record, block);
}

}  // namespace quern::vhlo
