// Ops without regions.
#include <utility>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "ir/stablehlo/chlo.h"
#include "ir/stablehlo/constant.h"
#include "ir/stablehlo/window.h"
#include "llvm/ADT/TypeSwitch.h"
#include "verifier/spec/spec_reader.h"

namespace quern::verifier {

namespace hlo = ::quern::stablehlo;

static SpecOp ElementwiseOp(mlir::Operation& op) {
  return llvm::TypeSwitch<mlir::Operation*, SpecOp>(&op)
#define QUERN_SPEC_OP(enumerator, mlir_class, operands) \
  .Case([](mlir_class) { return SpecOp::enumerator; })
#include "verifier/spec/ops.def"
#undef QUERN_SPEC_OP
      .Default([](mlir::Operation*) { return SpecOp::kArgument; });
}

static Comparison ToComparison(hlo::ComparisonDirection direction) {
  switch (direction) {
    case hlo::ComparisonDirection::EQ:
      return Comparison::kEq;
    case hlo::ComparisonDirection::NE:
      return Comparison::kNe;
    case hlo::ComparisonDirection::GE:
      return Comparison::kGe;
    case hlo::ComparisonDirection::GT:
      return Comparison::kGt;
    case hlo::ComparisonDirection::LE:
      return Comparison::kLe;
    case hlo::ComparisonDirection::LT:
      return Comparison::kLt;
  }
  return Comparison::kEq;
}

std::vector<SpecWindow> SpecReader::ToWindow(const hlo::Window& window) {
  std::vector<SpecWindow> dimensions;
  for (const hlo::WindowDimension& d : window) {
    dimensions.push_back({.size = d.size,
                          .stride = d.stride,
                          .low = d.low,
                          .base_dilation = d.base_dilation,
                          .dilation = d.dilation,
                          .reversed = d.reversed});
  }
  return dimensions;
}

void SpecReader::ReadConvolution(hlo::ConvolutionOp op, SpecNode* node) {
  const hlo::ConvDimensionNumbersAttr n = op.getDimensionNumbers();
  ConvolutionDimensions dimensions = {
      .lhs_batch = n.getInputBatchDimension(),
      .lhs_feature = n.getInputFeatureDimension(),
      .rhs_input = n.getKernelInputFeatureDimension(),
      .rhs_output = n.getKernelOutputFeatureDimension(),
      .batch = n.getOutputBatchDimension(),
      .feature = n.getOutputFeatureDimension(),
      .lhs_spatial = n.getInputSpatialDimensions().vec(),
      .rhs_spatial = n.getKernelSpatialDimensions().vec(),
      .spatial = n.getOutputSpatialDimensions().vec(),
      .feature_groups = static_cast<int64_t>(op.getFeatureGroupCount()),
      .batch_groups = static_cast<int64_t>(op.getBatchGroupCount())};
  node->op = SpecOp::kConvolution;
  node->window = ToWindow(hlo::WindowOf(op));
  node->convolution = std::make_shared<const ConvolutionDimensions>(std::move(dimensions));
}

static void ReadGather(hlo::GatherOp op, SpecNode* node) {
  const hlo::GatherDimensionNumbersAttr n = op.getDimensionNumbers();
  GatherDimensions dimensions = {.window = n.getOffsetDims().vec(),
                                 .collapsed = n.getCollapsedSliceDims().vec(),
                                 .operand_batch = n.getOperandBatchingDims().vec(),
                                 .indices_batch = n.getStartIndicesBatchingDims().vec(),
                                 .index_map = n.getStartIndexMap().vec(),
                                 .vector_dim = n.getIndexVectorDim(),
                                 .sizes = op.getSliceSizes().vec()};
  node->op = SpecOp::kGather;
  node->gather = std::make_shared<const GatherDimensions>(std::move(dimensions));
}

absl::StatusOr<SpecNode> SpecReader::ReadConstant(hlo::ConstantOp op) {
  SpecNode node{.op = SpecOp::kConstant, .type = {}};
  QUERN_RETURN_IF_ERROR(TypeOf(*op, op.getOutput()).status());  // elements may be strings
  mlir::ElementsAttr value = op.getValue();
  if (auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(value); dense && dense.isSplat()) {
    value = dense.resizeSplat(mlir::RankedTensorType::get({}, dense.getElementType()));
  }
  absl::StatusOr<Tensor> tensor = hlo::ToTensor(value);
  if (absl::IsInvalidArgument(tensor.status()))
    return Error(*op, std::string(tensor.status().message()));
  QUERN_RETURN_IF_ERROR(tensor.status());
  node.constant = std::make_shared<const Tensor>(*std::move(tensor));
  return node;
}

// Whether the product's algorithm, if it has one, is what it does without.
static bool IsPlain(hlo::DotGeneralOp dot) {
  const hlo::DotAlgorithmAttr algorithm = dot.getAlgorithmAttr();
  if (!algorithm) return true;
  return algorithm.getLhsPrecisionType() == dot.getLhs().getType().getElementType() &&
         algorithm.getRhsPrecisionType() == dot.getRhs().getType().getElementType() &&
         algorithm.getAccumulationType() == dot.getResult().getType().getElementType() &&
         algorithm.getLhsComponentCount() == 1 && algorithm.getRhsComponentCount() == 1 &&
         algorithm.getNumPrimitiveOperations() == 1;
}

absl::StatusOr<SpecNode> SpecReader::ReadNode(mlir::Operation& op) {
  SpecNode node;
  if (auto constant = llvm::dyn_cast<hlo::ConstantOp>(op)) return ReadConstant(constant);
  if (auto iota = llvm::dyn_cast<hlo::IotaOp>(op)) {
    node.op = SpecOp::kIota;
    node.dimensions = {static_cast<int64_t>(iota.getIotaDimension())};
  } else if (auto broadcast = llvm::dyn_cast<hlo::BroadcastInDimOp>(op)) {
    node.op = SpecOp::kBroadcast;
    node.dimensions = broadcast.getBroadcastDimensions().vec();
  } else if (auto prefix = llvm::dyn_cast<hlo::BroadcastOp>(op)) {
    node.op = SpecOp::kBroadcast;
    const auto added = static_cast<int64_t>(prefix.getBroadcastSizes().size());
    for (int64_t i = 0; i < prefix.getOperand().getType().getRank(); ++i)
      node.dimensions.push_back(added + i);
  } else if (llvm::isa<hlo::ReshapeOp>(op)) {
    node.op = SpecOp::kReshape;
  } else if (auto transpose = llvm::dyn_cast<hlo::TransposeOp>(op)) {
    node.op = SpecOp::kTranspose;
    node.dimensions = transpose.getPermutation().vec();
  } else if (auto slice = llvm::dyn_cast<hlo::SliceOp>(op)) {
    node.op = SpecOp::kSlice;
    node.starts = slice.getStartIndices().vec();
    node.strides = slice.getStrides().vec();
  } else if (auto reverse = llvm::dyn_cast<hlo::ReverseOp>(op)) {
    node.op = SpecOp::kSlice;
    const auto shape = reverse.getOperand().getType().getShape();
    node.starts.assign(shape.size(), 0);
    node.strides.assign(shape.size(), 1);
    for (int64_t dimension : reverse.getDimensions()) {
      node.starts[dimension] = shape[dimension] - 1;
      node.strides[dimension] = -1;
    }
  } else if (auto pad = llvm::dyn_cast<hlo::PadOp>(op)) {
    node.op = SpecOp::kPad;
    node.starts = pad.getEdgePaddingLow().vec();
    node.strides = pad.getInteriorPadding().vec();
    for (int64_t& stride : node.strides) ++stride;
  } else if (auto concatenate = llvm::dyn_cast<hlo::ConcatenateOp>(op)) {
    node.op = SpecOp::kConcatenate;
    node.dimensions = {static_cast<int64_t>(concatenate.getDimension())};
  } else if (llvm::isa<hlo::DynamicSliceOp>(op)) {
    node.op = SpecOp::kDynamicSlice;
  } else if (llvm::isa<hlo::DynamicUpdateSliceOp>(op)) {
    node.op = SpecOp::kDynamicUpdateSlice;
  } else if (auto gather = llvm::dyn_cast<hlo::GatherOp>(op)) {
    ReadGather(gather, &node);
  } else if (auto dot = llvm::dyn_cast<hlo::DotGeneralOp>(op)) {
    hlo::DotDimensionNumbersAttr numbers = dot.getDotDimensionNumbers();
    if (!IsPlain(dot)) return Error(op, "is not supported with this algorithm");
    node.op = SpecOp::kDot;
    node.dot = {numbers.getLhsBatchingDimensions().vec(), numbers.getRhsBatchingDimensions().vec(),
                numbers.getLhsContractingDimensions().vec(),
                numbers.getRhsContractingDimensions().vec()};
  } else if (auto product = llvm::dyn_cast<hlo::DotOp>(op)) {
    node.op = SpecOp::kDot;  // of the last dimension with the first
    node.dot.lhs_contract = {product.getLhs().getType().getRank() - 1};
    node.dot.rhs_contract = {0};
  } else if (auto convolution = llvm::dyn_cast<hlo::ConvolutionOp>(op)) {
    ReadConvolution(convolution, &node);
  } else {
    node.op = ElementwiseOp(op);
    if (node.op == SpecOp::kArgument) return Error(op, "is not supported");
    if (auto compare = llvm::dyn_cast<hlo::CompareOp>(op)) {
      node.comparison = ToComparison(compare.getComparisonDirection());
      node.total_order = compare.getCompareType() == hlo::ComparisonType::TOTALORDER;
    } else if (auto precision = llvm::dyn_cast<hlo::ReducePrecisionOp>(op)) {
      node.exponent_bits = precision.getExponentBits();
      node.mantissa_bits = precision.getMantissaBits();
    } else if (auto cast = llvm::dyn_cast<hlo::BitcastConvertOp>(op)) {
      if (cast.getOperand().getType().getShape() != cast.getResult().getType().getShape()) {
        return Error(op, "is not supported between different widths");
      }
    }
  }
  return node;
}

absl::StatusOr<int> SpecReader::AddNode(mlir::Operation& op, SpecOp kind, TensorType type,
                                        std::vector<int> operands) {
  SpecNode node{.op = kind, .type = std::move(type), .operands = std::move(operands)};
  return Add(op, std::move(node));
}

absl::StatusOr<int> SpecReader::AddConstant(mlir::Operation& op, ElementType type, double value) {
  QUERN_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Create({.element = type, .shape = {}}));
  tensor.Set(0, value);
  SpecNode node{.op = SpecOp::kConstant, .type = tensor.type()};
  node.constant = std::make_shared<const Tensor>(std::move(tensor));
  return Add(op, std::move(node));
}

// scale * ((operand - mean) / sqrt(variance + epsilon)) + offset
absl::StatusOr<int> SpecReader::ReadBatchNorm(hlo::BatchNormInferenceOp op, const Scope& scope) {
  QUERN_ASSIGN_OR_RETURN(const TensorType type, TypeOf(*op, op.getResult()));
  const auto spread = [&](mlir::Value value, bool scalar) -> absl::StatusOr<int> {
    SpecNode node{.op = SpecOp::kBroadcast, .type = type, .operands = {scope.lookup(value)}};
    if (!scalar) node.dimensions = {static_cast<int64_t>(op.getFeatureIndex())};
    return Add(*op, std::move(node));
  };
  QUERN_ASSIGN_OR_RETURN(const int scale, spread(op.getScale(), false));
  QUERN_ASSIGN_OR_RETURN(const int offset, spread(op.getOffset(), false));
  QUERN_ASSIGN_OR_RETURN(const int mean, spread(op.getMean(), false));
  QUERN_ASSIGN_OR_RETURN(const int variance, spread(op.getVariance(), false));
  QUERN_ASSIGN_OR_RETURN(const int scalar,
                         AddConstant(*op, type.element, op.getEpsilon().convertToDouble()));
  QUERN_ASSIGN_OR_RETURN(const int epsilon, AddNode(*op, SpecOp::kBroadcast, type, {scalar}));
  const int operand = scope.lookup(op.getOperand());
  QUERN_ASSIGN_OR_RETURN(const int centred, AddNode(*op, SpecOp::kSubtract, type, {operand, mean}));
  QUERN_ASSIGN_OR_RETURN(const int sum, AddNode(*op, SpecOp::kAdd, type, {variance, epsilon}));
  QUERN_ASSIGN_OR_RETURN(const int deviation, AddNode(*op, SpecOp::kSqrt, type, {sum}));
  QUERN_ASSIGN_OR_RETURN(const int normal,
                         AddNode(*op, SpecOp::kDivide, type, {centred, deviation}));
  QUERN_ASSIGN_OR_RETURN(const int scaled, AddNode(*op, SpecOp::kMultiply, type, {scale, normal}));
  return AddNode(*op, SpecOp::kAdd, type, {scaled, offset});
}

}  // namespace quern::verifier
