#include "frontend/sharding.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace quern::frontend {

// GSPMD's text, as {devices=[2,1]<=[2]}: the product of the numbers in brackets.
static bool NamesSeveralDevices(llvm::StringRef sharding) {
  while (true) {
    const size_t at = sharding.find("devices=[");
    if (at == llvm::StringRef::npos) return false;
    sharding = sharding.drop_front(at + strlen("devices=["));
    llvm::SmallVector<llvm::StringRef> parts;
    sharding.take_until([](char c) { return c == ']'; }).split(parts, ',');
    for (llvm::StringRef part : parts) {
      int64_t number = 0;
      if (part.trim().getAsInteger(10, number) || number != 1) return true;
    }
  }
}

class Dropper {
 public:
  explicit Dropper(mlir::ModuleOp module) : module_(module) {}

  mlir::LogicalResult Run() {
    module_.walk([&](mlir::Operation* op) {
      if (IsSdy(op, "mesh")) AddMesh(op->getAttr("mesh"));
    });
    mlir::WalkResult walk = module_.walk([&](mlir::Operation* op) {
      return failed(CheckAttributes(op)) ? mlir::WalkResult::interrupt()
                                         : mlir::WalkResult::advance();
    });
    if (walk.wasInterrupted()) return mlir::failure();
    walk = module_.walk<mlir::WalkOrder::PostOrder>([&](mlir::Operation* op) {
      StripAttributes(op);
      return failed(Drop(op)) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
    });
    return mlir::failure(walk.wasInterrupted());
  }

 private:
  static bool IsSdy(mlir::Operation* op, llvm::StringRef name) {
    return op->getName().getDialectNamespace() == "sdy" && op->getName().stripDialect() == name;
  }

  // The form is that of ir/sdy/sdy.h.
  void AddMesh(mlir::Attribute attribute) {
    auto list = llvm::dyn_cast_if_present<mlir::ArrayAttr>(attribute);
    if (!list) return;
    for (mlir::Attribute element : list) {
      auto axis = llvm::dyn_cast<mlir::DictionaryAttr>(element);
      if (!axis) continue;
      for (mlir::NamedAttribute entry : axis) {
        auto size = llvm::dyn_cast<mlir::IntegerAttr>(entry.getValue());
        if (!size || !size.getValue().isOne()) wide_.try_emplace(entry.getName().getValue());
      }
    }
  }

  // The name of an axis of several devices that an attribute mentions.
  std::optional<llvm::StringRef> WideAxis(mlir::Attribute attribute) {
    if (!seen_.insert(attribute).second) return std::nullopt;
    if (auto name = llvm::dyn_cast<mlir::StringAttr>(attribute)) {
      if (wide_.contains(name.getValue())) return name.getValue();
    } else if (auto list = llvm::dyn_cast<mlir::ArrayAttr>(attribute)) {
      for (mlir::Attribute element : list) {
        if (std::optional<llvm::StringRef> axis = WideAxis(element)) return axis;
      }
    } else if (auto mesh = llvm::dyn_cast<mlir::DictionaryAttr>(attribute)) {
      for (mlir::NamedAttribute entry : mesh) {
        auto size = llvm::dyn_cast<mlir::IntegerAttr>(entry.getValue());
        if (!size || !size.getValue().isOne()) return entry.getName().getValue();
      }
    }
    return std::nullopt;
  }

  mlir::LogicalResult CheckAttribute(mlir::Operation* op, mlir::NamedAttribute attribute,
                                     bool of_sdy) {
    const llvm::StringRef name = attribute.getName().getValue();
    auto text = llvm::dyn_cast<mlir::StringAttr>(attribute.getValue());
    if (name == "mhlo.sharding" && text && NamesSeveralDevices(text.getValue())) {
      return op->emitOpError("is sharded over several devices, as ")
             << text << "; export the program for one device";
    }
    if (!of_sdy && !name.starts_with("sdy.")) return mlir::success();
    if (std::optional<llvm::StringRef> axis = WideAxis(attribute.getValue())) {
      return op->emitOpError("is sharded over axis '")
             << *axis << "' of several devices; export the program for one device";
    }
    return mlir::success();
  }

  mlir::LogicalResult CheckAttributes(mlir::Operation* op) {
    const bool of_sdy = op->getName().getDialectNamespace() == "sdy" && !IsSdy(op, "mesh") &&
                        !IsSdy(op, "constant");
    for (mlir::NamedAttribute attribute : op->getAttrs()) {
      if (failed(CheckAttribute(op, attribute, of_sdy))) return mlir::failure();
    }
    auto function = llvm::dyn_cast<mlir::func::FuncOp>(op);
    if (!function) return mlir::success();
    for (mlir::ArrayAttr list : {function.getArgAttrsAttr(), function.getResAttrsAttr()}) {
      if (!list) continue;
      for (auto dictionary : list.getAsRange<mlir::DictionaryAttr>()) {
        for (mlir::NamedAttribute attribute : dictionary) {
          if (failed(CheckAttribute(op, attribute, /*of_sdy=*/false))) return mlir::failure();
        }
      }
    }
    return mlir::success();
  }

  static bool IsSharding(mlir::StringAttr name) { return name.getValue().starts_with("sdy."); }

  static mlir::ArrayAttr Stripped(mlir::ArrayAttr list) {
    if (!list) return list;
    llvm::SmallVector<mlir::Attribute> kept;
    for (auto dictionary : list.getAsRange<mlir::DictionaryAttr>()) {
      llvm::SmallVector<mlir::NamedAttribute> entries;
      for (mlir::NamedAttribute entry : dictionary) {
        if (!IsSharding(entry.getName())) entries.push_back(entry);
      }
      kept.push_back(mlir::DictionaryAttr::get(list.getContext(), entries));
    }
    return mlir::ArrayAttr::get(list.getContext(), kept);
  }

  static void StripAttributes(mlir::Operation* op) {
    for (mlir::NamedAttribute attribute : op->getDiscardableAttrs()) {
      if (IsSharding(attribute.getName())) op->removeDiscardableAttr(attribute.getName());
    }
    auto function = llvm::dyn_cast<mlir::func::FuncOp>(op);
    if (!function) return;
    if (auto list = Stripped(function.getArgAttrsAttr())) function.setArgAttrsAttr(list);
    if (auto list = Stripped(function.getResAttrsAttr())) function.setResAttrsAttr(list);
  }

  static bool IsAnnotation(mlir::Operation* op) {
    if (op->getName().getStringRef() != "stablehlo.custom_call") return false;
    auto target = op->getAttrOfType<mlir::StringAttr>("call_target_name");
    return target && llvm::is_contained({"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape",
                                         "xla.sdy.FuncResultSharding", "annotate_device_placement"},
                                        target.getValue());
  }

  static mlir::LogicalResult DropIdentity(mlir::Operation* op) {
    if (op->getNumOperands() != 1 || op->getNumResults() != 1 || op->getNumRegions() != 0 ||
        op->getOperand(0).getType() != op->getResult(0).getType() ||
        op->getOperand(0) == op->getResult(0)) {
      return op->emitError("unsupported op ")
             << op->getName() << " that changes its operand's type";
    }
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
    return mlir::success();
  }

  static mlir::LogicalResult Inline(mlir::Operation* op) {
    auto unsupported = [&] {
      return op->emitError("unsupported op ") << op->getName() << " of this form";
    };
    if (op->getNumRegions() != 1 || !op->getRegion(0).hasOneBlock()) return unsupported();
    mlir::Block& body = op->getRegion(0).front();
    if (body.empty() || !IsSdy(&body.back(), "return") ||
        body.getArgumentTypes() != op->getOperandTypes() ||
        body.back().getOperandTypes() != op->getResultTypes()) {
      return unsupported();
    }
    mlir::Operation* terminator = &body.back();
    for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), op->getOperands()))
      argument.replaceAllUsesWith(operand);
    for (auto [result, value] : llvm::zip_equal(op->getResults(), terminator->getOperands()))
      result.replaceAllUsesWith(value);
    terminator->erase();
    op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations());
    op->erase();
    return mlir::success();
  }

  static mlir::LogicalResult MakeConstant(mlir::Operation* op) {
    mlir::OpBuilder builder(op);
    mlir::OperationState state(op->getLoc(), "stablehlo.constant");
    auto value = op->getAttrOfType<mlir::ElementsAttr>("value");
    if (!value || op->getNumResults() != 1 || op->getNumOperands() != 0)
      return op->emitError("unsupported op sdy.constant of this form");
    state.addAttribute("value", value);
    state.addTypes(op->getResultTypes());
    op->replaceAllUsesWith(builder.create(state));
    op->erase();
    return mlir::success();
  }

  mlir::LogicalResult Drop(mlir::Operation* op) {
    if (IsAnnotation(op)) return DropIdentity(op);
    if (op->getName().getDialectNamespace() != "sdy" || IsSdy(op, "return")) return mlir::success();
    if (IsSdy(op, "mesh") || IsSdy(op, "sharding_group")) {
      if (op->getNumResults() != 0) return op->emitOpError("has results");
      op->erase();
      return mlir::success();
    }
    if (IsSdy(op, "constant")) return MakeConstant(op);
    if (IsSdy(op, "manual_computation") || IsSdy(op, "named_computation")) return Inline(op);
    for (llvm::StringRef identity : {"sharding_constraint", "reshard", "propagation_barrier",
                                     "data_flow_edge", "func_data_flow_edge"}) {
      if (IsSdy(op, identity)) return DropIdentity(op);
    }
    return op->emitError("unsupported op ") << op->getName();
  }

  mlir::ModuleOp module_;
  llvm::StringMap<char> wide_;  // axes of more or fewer than one device, by name
  llvm::DenseSet<mlir::Attribute> seen_;
};

mlir::LogicalResult DropShardings(mlir::ModuleOp module) { return Dropper(module).Run(); }

}  // namespace quern::frontend
