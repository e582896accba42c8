#include "frontend/signature.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "mlir/IR/Builders.h"

namespace quern::frontend {

static constexpr llvm::StringLiteral kConstant = "jax.const", kGlobal = "jax.global_constant",
                                     kDonor = "jax.buffer_donor", kAliasing = "tf.aliasing_output";

static bool IsSet(mlir::func::FuncOp function, unsigned argument, llvm::StringRef name) {
  mlir::Attribute value = function.getArgAttr(argument, name);
  auto truth = llvm::dyn_cast_if_present<mlir::BoolAttr>(value);
  return value && (!truth || truth.getValue());
}

mlir::FailureOr<std::vector<ArgumentUse>> ReadUses(mlir::func::FuncOp function) {
  std::vector<ArgumentUse> uses(function.getNumArguments());
  std::set<int> shared;
  for (unsigned i = 0; i < uses.size(); ++i) {
    uses[i].constant = IsSet(function, i, kConstant) || IsSet(function, i, kGlobal);
    uses[i].donated = IsSet(function, i, kDonor);
    mlir::Attribute value = function.getArgAttr(i, kAliasing);
    if (!value) continue;
    auto result = llvm::dyn_cast<mlir::IntegerAttr>(value);
    const bool exists = result && result.getValue().isNonNegative() &&
                        result.getValue().ult(function.getNumResults());
    const int number = exists ? static_cast<int>(result.getValue().getZExtValue()) : -1;
    if (!exists || function.getResultTypes()[number] != function.getArgumentTypes()[i] ||
        !shared.insert(number).second) {
      return function.emitError("argument ")
             << i << " cannot share its memory with a result as " << kAliasing << " = " << value
             << " says: one result of its type, shared once, is needed";
    }
    uses[i].donated = true;
    uses[i].shares = number;
  }
  return uses;
}

void WriteUses(mlir::func::FuncOp function, const std::vector<ArgumentUse>& uses) {
  mlir::Builder builder(function.getContext());
  for (unsigned i = 0; i < uses.size(); ++i) {
    if (uses[i].constant) function.setArgAttr(i, kConstant, builder.getBoolAttr(true));
    if (uses[i].shares >= 0) {
      function.setArgAttr(i, kAliasing, builder.getI32IntegerAttr(uses[i].shares));
    } else if (uses[i].donated) {
      function.setArgAttr(i, kDonor, builder.getBoolAttr(true));
    }
  }
}

// ---- Layouts

// The dimensions of "{1,0}", fastest first; nullopt for another text.
static std::optional<llvm::SmallVector<int64_t>> ParseLayout(llvm::StringRef text) {
  if (!text.consume_front("{") || !text.consume_back("}")) return std::nullopt;
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::SmallVector<int64_t> dimensions;
  if (!text.empty()) text.split(parts, ',');
  for (llvm::StringRef part : parts) {
    if (part.trim().getAsInteger(10, dimensions.emplace_back())) return std::nullopt;
  }
  return dimensions;
}

static bool IsRowMajor(llvm::ArrayRef<int64_t> fastest_first) {
  for (auto [i, dimension] : llvm::enumerate(llvm::reverse(fastest_first))) {
    if (dimension != static_cast<int64_t>(i)) return false;
  }
  return true;
}

static mlir::LogicalResult Refuse(mlir::Operation* op, llvm::StringRef what, size_t index,
                                  const llvm::Twine& layout) {
  return op->emitError(what) << ' ' << index << " has the layout " << layout
                             << "; only row-major ones are supported, so export the program with "
                                "default layouts";
}

static mlir::LogicalResult CheckMode(mlir::func::FuncOp function, llvm::StringRef what,
                                     size_t index, mlir::Attribute value) {
  auto mode = llvm::dyn_cast_if_present<mlir::StringAttr>(value);
  if (!mode || mode == "default" || mode == "auto") return mlir::success();
  const auto layout = ParseLayout(mode.getValue());
  if (layout && IsRowMajor(*layout)) return mlir::success();
  return Refuse(function, what, index, mode.getValue());
}

static mlir::LogicalResult CheckList(mlir::ModuleOp module, llvm::StringRef what,
                                     llvm::StringRef name) {
  auto list = module->getAttrOfType<mlir::ArrayAttr>(name);
  if (!list) return mlir::success();
  for (auto [i, entry] : llvm::enumerate(list)) {
    auto layout = llvm::dyn_cast<mlir::DenseIntElementsAttr>(entry);
    if (!layout) continue;
    llvm::SmallVector<int64_t> dimensions;
    for (const llvm::APInt& dimension : layout.getValues<llvm::APInt>())
      dimensions.push_back(dimension.getSExtValue());
    if (IsRowMajor(dimensions)) continue;
    std::string text;
    llvm::raw_string_ostream(text) << entry;
    return Refuse(module, what, i, text);
  }
  return mlir::success();
}

mlir::LogicalResult CheckLayouts(mlir::ModuleOp module, mlir::func::FuncOp function) {
  static constexpr llvm::StringLiteral kMode = "mhlo.layout_mode";
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (failed(CheckMode(function, "argument", i, function.getArgAttr(i, kMode))))
      return mlir::failure();
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    if (failed(CheckMode(function, "result", i, function.getResultAttr(i, kMode))))
      return mlir::failure();
  }
  if (failed(CheckList(module, "argument", "mhlo.xla_entry_computation_parameter_layouts")))
    return mlir::failure();
  return CheckList(module, "result", "mhlo.xla_entry_computation_result_layout");
}

// ---- Attributes of others

static bool IsForeign(llvm::StringRef name, mlir::Attribute value) {
  if (llvm::isa<mlir::OpaqueAttr>(value)) return true;
  if (!name.contains('.')) return false;
  const llvm::StringRef dialect = name.split('.').first;
  return !llvm::is_contained(
      {"mhlo", "jax", "tf", "xla", "sdy", "func", "stablehlo", "chlo", "check", "quern"}, dialect);
}

std::vector<std::string> ForeignAttributes(mlir::ModuleOp module, mlir::func::FuncOp function) {
  std::set<std::string> dialects;
  const auto add = [&](mlir::DictionaryAttr attributes) {
    if (!attributes) return;
    for (mlir::NamedAttribute attribute : attributes) {
      if (IsForeign(attribute.getName(), attribute.getValue()))
        dialects.insert(attribute.getName().getValue().split('.').first.str());
    }
  };
  add(module->getDiscardableAttrDictionary());
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    add(mlir::DictionaryAttr::get(function.getContext(),
                                  mlir::function_interface_impl::getArgAttrs(function, i)));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    add(mlir::DictionaryAttr::get(function.getContext(),
                                  mlir::function_interface_impl::getResultAttrs(function, i)));
  function.walk([&](mlir::Operation* op) { add(op->getDiscardableAttrDictionary()); });
  std::vector<std::string> notes;
  for (const std::string& dialect : dialects)
    notes.push_back(absl::StrCat("attributes of ", dialect, " are read over"));
  return notes;
}

}  // namespace quern::frontend
