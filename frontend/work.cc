#include "frontend/work.h"

#include "ir/stablehlo/stablehlo.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;

static double Count(mlir::Type type) {
  auto shaped = llvm::dyn_cast<mlir::ShapedType>(type);
  return shaped && shaped.hasStaticShape() ? static_cast<double>(shaped.getNumElements()) : 0;
}

static double Bytes(const TensorType& type) {
  return static_cast<double>(type.num_elements()) * static_cast<double>(ByteSize(type.element));
}

// Products, and as many sums.
static double Flops(hlo::DotGeneralOp dot) {
  double terms = 2;
  for (int64_t dimension : dot.getDotDimensionNumbers().getLhsContractingDimensions()) {
    terms *= static_cast<double>(dot.getLhs().getType().getDimSize(dimension));
  }
  return terms * Count(dot.getType());
}

// How often the region of an op is applied; 1 for loops and branches.
static double Applications(mlir::Operation* op) {
  if (llvm::isa<hlo::ReduceOp>(op)) return Count(op->getOperand(0).getType());
  return 1;
}

static double Flops(mlir::Operation* op) {
  if (auto dot = llvm::dyn_cast<hlo::DotGeneralOp>(op)) return Flops(dot);
  double flops = 0;
  if (op->hasTrait<mlir::OpTrait::Elementwise>() && !llvm::isa<hlo::ConvertOp>(op)) {
    flops = Count(op->getResult(0).getType());
  }
  for (mlir::Region& region : op->getRegions()) {
    for (mlir::Operation& inner : region.getOps()) flops += Applications(op) * Flops(&inner);
  }
  return flops;
}

Work CountWork(const Spec& spec) {
  Work work;
  for (mlir::Operation& op : spec.main().getBody().getOps()) work.flops += Flops(&op);
  for (const TensorType& type : spec.arguments) work.bytes += Bytes(type);
  for (const TensorType& type : spec.results) work.bytes += Bytes(type);
  return work;
}

}  // namespace quern::frontend
