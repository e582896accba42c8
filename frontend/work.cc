#include "frontend/work.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "absl/strings/str_cat.h"
#include "frontend/loops.h"
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

static double Flops(hlo::ConvolutionOp convolution) {
  const hlo::ConvDimensionNumbersAttr numbers = convolution.getDimensionNumbers();
  auto kernel = convolution.getRhs().getType();
  double terms =
      2 * static_cast<double>(kernel.getDimSize(numbers.getKernelInputFeatureDimension()));
  for (int64_t dimension : numbers.getKernelSpatialDimensions())
    terms *= static_cast<double>(kernel.getDimSize(dimension));
  return terms * Count(convolution.getType());
}

static bool IsControl(mlir::Operation* op) {
  return llvm::isa<hlo::WhileOp, hlo::IfOp, hlo::CaseOp>(op);
}

static double Product(llvm::ArrayRef<int64_t> extents) {
  double product = 1;
  for (int64_t extent : extents) product *= static_cast<double>(extent);
  return product;
}

// How often the regions of an op are applied; 1 for branches, and loops that do not tell. Of a
// sort, its comparisons.
static double Applications(mlir::Operation* op) {
  if (auto loop = llvm::dyn_cast<hlo::WhileOp>(op)) {
    return static_cast<double>(TripCount(loop).value_or(1));
  }
  if (llvm::isa<hlo::ReduceOp>(op)) return Count(op->getOperand(0).getType());
  if (auto window = llvm::dyn_cast<hlo::ReduceWindowOp>(op))
    return Count(op->getResult(0).getType()) * Product(window.getWindowDimensions());
  if (auto scatter = llvm::dyn_cast<hlo::ScatterOp>(op))
    return Count(scatter.getUpdates().front().getType());
  if (auto scatter = llvm::dyn_cast<hlo::SelectAndScatterOp>(op)) {
    return Count(scatter.getSource().getType()) *
           (scatter.getWindowDimensions() ? Product(*scatter.getWindowDimensions()) : 1);
  }
  if (auto sort = llvm::dyn_cast<hlo::SortOp>(op)) {
    auto type = llvm::cast<mlir::RankedTensorType>(op->getOperand(0).getType());
    const auto dimension = static_cast<int64_t>(sort.getDimension());
    const double length = static_cast<double>(
        type.getDimSize(dimension < 0 ? dimension + type.getRank() : dimension));
    return Count(type) * std::max(1.0, std::ceil(std::log2(std::max(length, 1.0))));
  }
  return 1;
}

static double Flops(mlir::Operation* op) {
  if (auto dot = llvm::dyn_cast<hlo::DotGeneralOp>(op)) return Flops(dot);
  if (auto convolution = llvm::dyn_cast<hlo::ConvolutionOp>(op)) return Flops(convolution);
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

// `times`: how often the block runs.
static void CountBlock(mlir::Block& block, bool in_body, double times,
                       std::map<std::string, OpWork>* kinds, std::map<std::string, double>* most) {
  for (mlir::Operation& op : block.without_terminator()) {
    const std::string name = op.getName().stripDialect().str();
    OpWork& kind = (*kinds)[name];
    kind.op = name;
    ++kind.count;
    kind.in_bodies += in_body;
    if (IsControl(&op)) {
      for (mlir::Region& region : op.getRegions())
        CountBlock(region.front(), /*in_body=*/true, times * Applications(&op), kinds, most);
      continue;
    }
    kind.flops += times * Flops(&op);
    double bytes = 0;
    std::string types;
    const auto add = [&](mlir::Type type) {
      const std::optional<TensorType> tensor = hlo::ToTensorType(type);
      if (!tensor) return;
      bytes += Bytes(*tensor);
      absl::StrAppend(&types, types.empty() || types.ends_with("-> ") ? "" : ", ",
                      tensor->ToString());
    };
    for (mlir::Type type : op.getOperandTypes()) add(type);
    absl::StrAppend(&types, types.empty() ? "-> " : " -> ");
    for (mlir::Type type : op.getResultTypes()) add(type);
    kind.bytes += times * bytes;
    if (kind.largest.empty() || bytes > (*most)[name]) {
      (*most)[name] = bytes;
      kind.largest = types;
    }
  }
}

std::vector<OpWork> CountOps(const Spec& spec) {
  std::map<std::string, OpWork> kinds;
  std::map<std::string, double> most;
  CountBlock(spec.main().getBody().front(), /*in_body=*/false, /*times=*/1, &kinds, &most);
  std::vector<OpWork> list;
  for (auto& [name, kind] : kinds) list.push_back(std::move(kind));
  std::sort(list.begin(), list.end(), [](const OpWork& a, const OpWork& b) {
    if (a.flops != b.flops) return a.flops > b.flops;
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.op < b.op;
  });
  return list;
}

}  // namespace quern::frontend
