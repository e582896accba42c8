#include "frontend/support.h"

#include <unistd.h>

#include <algorithm>

#include "ir/stablehlo/stablehlo.h"

namespace quern::frontend {

static mlir::LogicalResult CheckType(mlir::Type type, mlir::Location location) {
  if (llvm::isa<mlir::TupleType>(type)) {
    return mlir::emitError(location)
           << "tuples are read only where their elements are taken out again; export the program "
              "with several arguments and results";
  }
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor) {
    return mlir::emitError(location)
           << "type " << type << " is not supported; only ranked tensors are";
  }
  if (tensor.getEncoding())
    return mlir::emitError(location) << "tensor encodings are not supported";
  if (!tensor.hasStaticShape()) {
    return mlir::emitError(location)
           << "type " << type << " has a dynamic dimension; export the program with fixed shapes";
  }
  std::optional<TensorType> known = stablehlo::ToTensorType(type);
  if (!known) {
    return mlir::emitError(location)
           << "element type " << tensor.getElementType() << " is not supported";
  }
  static const int64_t memory = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGE_SIZE);
  // Loops run over the other extents even where one is 0.
  int64_t bytes = ByteSize(known->element);
  for (int64_t extent : known->shape) {
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(extent, 1), &bytes) || bytes > memory) {
      return mlir::emitError(location)
             << "type " << type << " does not fit in this machine's memory";
    }
  }
  return mlir::success();
}

mlir::LogicalResult CheckTypes(mlir::func::FuncOp function) {
  for (mlir::BlockArgument argument : function.getArguments()) {
    if (failed(CheckType(argument.getType(), argument.getLoc()))) return mlir::failure();
  }
  mlir::WalkResult walk = function.walk([&](mlir::Operation* op) {
    for (mlir::Value result : op->getResults()) {
      if (failed(CheckType(result.getType(), op->getLoc()))) return mlir::WalkResult::interrupt();
    }
    if (auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(op)) {
      if (!llvm::isa<mlir::DenseElementsAttr>(constant.getValue())) {
        op->emitError("the constant's data is elided or external; pass it as an argument");
        return mlir::WalkResult::interrupt();
      }
    }
    return mlir::WalkResult::advance();
  });
  return mlir::failure(walk.wasInterrupted());
}

void PassElidedConstants(mlir::func::FuncOp function) {
  llvm::SmallVector<stablehlo::ConstantOp> elided;
  function.walk([&](stablehlo::ConstantOp constant) {
    if (!llvm::isa<mlir::DenseElementsAttr>(constant.getValue())) elided.push_back(constant);
  });
  if (elided.empty()) return;
  function.removeArgAttrsAttr();  // a list as long as the arguments
  mlir::Block& body = function.getBody().front();
  for (stablehlo::ConstantOp constant : elided) {
    mlir::Value argument = body.addArgument(constant.getType(), constant.getLoc());
    constant.getOutput().replaceAllUsesWith(argument);
    constant.erase();
  }
  function.setType(mlir::FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                           function.getResultTypes()));
}

mlir::LogicalResult CheckOps(mlir::func::FuncOp function, bool allow_calls) {
  mlir::WalkResult walk = function.getBody().walk([&](mlir::Operation* op) {
    auto call = llvm::dyn_cast<stablehlo::CustomCallOp>(op);
    if (call && allow_calls) return mlir::WalkResult::advance();
    if (call) {
      op->emitError("unsupported op stablehlo.custom_call @") << call.getCallTargetName();
      return mlir::WalkResult::interrupt();
    }
    const llvm::StringRef dialect = op->getName().getDialectNamespace();
    if (dialect == "stablehlo" || dialect == "chlo" || llvm::isa<mlir::func::ReturnOp>(op))
      return mlir::WalkResult::advance();
    op->emitError("unsupported op ") << op->getName();
    return mlir::WalkResult::interrupt();
  });
  return mlir::failure(walk.wasInterrupted());
}

mlir::LogicalResult CheckDevices(mlir::ModuleOp module) {
  for (llvm::StringRef name : {"mhlo.num_partitions", "mhlo.num_replicas"}) {
    auto count = module->getAttrOfType<mlir::IntegerAttr>(name);
    if (count && !count.getValue().isOne()) {
      return module.emitError("the program is for several devices (")
             << name << " = " << mlir::Attribute(count) << "); export it for one";
    }
  }
  return mlir::success();
}

}  // namespace quern::frontend
