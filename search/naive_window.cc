#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "ir/program/program.h"
#include "ir/stablehlo/window.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "search/naive_convert.h"
#include "search/naive_ops.h"
#include "search/naive_scalar.h"
#include "search/nest.h"

namespace quern::search {

namespace arith = mlir::arith;
namespace hlo = stablehlo;

static llvm::SmallVector<int64_t> Sizes(const hlo::Window& window) {
  llvm::SmallVector<int64_t> sizes;
  for (const hlo::WindowDimension& dimension : window) sizes.push_back(dimension.size);
  return sizes;
}

namespace {

// The operand's coordinate at window element w of position p, and where there is one.
struct Reach {
  mlir::AffineExpr index;
  llvm::SmallVector<mlir::AffineExpr> at_least_0, equal_0;
};

}  // namespace

static void AddReach(Emission& emit, const hlo::WindowDimension& window, int64_t extent,
                     mlir::AffineExpr p, mlir::AffineExpr w, Reach& reach) {
  if (window.reversed) w = emit.Constant(window.size - 1) - w;
  const mlir::AffineExpr place = p * window.stride + w * window.dilation - window.low;
  const int64_t end = (extent - 1) * window.base_dilation;
  const int64_t last = (window.Positions(extent) - 1) * window.stride +
                       (window.size - 1) * window.dilation - window.low;
  if (window.low > 0) reach.at_least_0.push_back(place);
  if (last > end) reach.at_least_0.push_back(emit.Constant(end) - place);
  if (window.base_dilation > 1) reach.equal_0.push_back(place % window.base_dilation);
  reach.index = place.floorDiv(window.base_dilation);
}

// `value` at `source`, as a `type`, or `padding` where the reach does not hold.
static absl::StatusOr<mlir::Value> ReadPadded(Emission& emit, const std::string& name,
                                              mlir::Value value, const Point& source,
                                              const Reach& reach, mlir::Value padding,
                                              mlir::Type type) {
  const auto read = [&]() -> absl::StatusOr<mlir::Value> {
    QUERN_ASSIGN_OR_RETURN(mlir::Value element, emit.Read(value, source));
    return ConvertScalar(emit.builder(), element, TensorOf(value).getElementType(), type);
  };
  if (reach.at_least_0.empty() && reach.equal_0.empty()) return read();
  mlir::Value element = emit.Register(name, padding.getType());
  emit.StoreRegister(padding, element);
  mlir::OpBuilder::InsertPoint after = emit.builder().saveInsertionPoint();
  emit.OpenGuard(source, reach.at_least_0, reach.equal_0);
  QUERN_ASSIGN_OR_RETURN(mlir::Value inside, read());
  emit.StoreRegister(inside, element);
  emit.builder().restoreInsertionPoint(after);
  return emit.LoadRegister(element);
}

static std::string Numbered(std::string_view name, size_t number) {
  return number == 0 ? std::string(name) : absl::StrCat(std::string(name), number);
}

// Padding holds the init values, and takes part.
static absl::Status ReduceWindow(Emission& emit, hlo::ReduceWindowOp op, const Point& at,
                                 llvm::ArrayRef<mlir::Value> to) {
  llvm::SmallVector<mlir::Value> accumulators, inits;
  for (auto [number, init] : llvm::enumerate(op.getInitValues())) {
    accumulators.push_back(emit.Accumulator(number, TensorOf(init).getElementType()));
    QUERN_ASSIGN_OR_RETURN(inits.emplace_back(), emit.Read(init, {}));
    emit.StoreRegister(inits.back(), accumulators.back());
  }
  mlir::OpBuilder::InsertPoint after = emit.builder().saveInsertionPoint();
  const hlo::Window window = hlo::WindowOf(op);
  Point inside = emit.OpenLoops("r", Sizes(window), at);
  Point source{.counters = inside.counters};
  Reach reach;
  for (size_t d = 0; d < window.size(); ++d) {
    AddReach(emit, window[d], TensorOf(op.getInputs()[0]).getShape()[d], at.index[d],
             inside.index[d], reach);
    source.index.push_back(reach.index);
  }
  llvm::SmallVector<mlir::Value> elements;
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    QUERN_ASSIGN_OR_RETURN(
        elements.emplace_back(),
        ReadPadded(emit, Numbered("element", number), input, source, reach, inits[number],
                   TensorOf(op.getInitValues()[number]).getElementType()));
  }
  llvm::SmallVector<mlir::Value> arguments = emit.LoadRegisters(accumulators);
  arguments.append(elements);
  QUERN_RETURN_IF_ERROR(emit.Combine(op.getBody().front(), arguments, accumulators));
  emit.builder().restoreInsertionPoint(after);
  emit.StoreAccumulators(accumulators, to, at);
  return absl::OkStatus();
}

static absl::Status Convolve(Emission& emit, hlo::ConvolutionOp op, const Point& at,
                             mlir::Value to) {
  const hlo::ConvDimensionNumbersAttr n = op.getDimensionNumbers();
  mlir::Type type = TensorOf(op.getResult()).getElementType();
  mlir::Type sum = SumType(type);
  mlir::Value accumulator = emit.Accumulator(0, sum);
  mlir::Value zero = ScalarConstant(emit.builder(), program::ScalarType(sum), 0);
  emit.StoreRegister(zero, accumulator);
  mlir::OpBuilder::InsertPoint after = emit.builder().saveInsertionPoint();

  llvm::ArrayRef<int64_t> input = TensorOf(op.getLhs()).getShape();
  llvm::ArrayRef<int64_t> kernel = TensorOf(op.getRhs()).getShape();
  const auto feature_groups = static_cast<int64_t>(op.getFeatureGroupCount());
  const auto batch_groups = static_cast<int64_t>(op.getBatchGroupCount());
  const int64_t features = input[n.getInputFeatureDimension()] / feature_groups;
  const hlo::Window window = hlo::WindowOf(op);
  llvm::SmallVector<int64_t> depth = Sizes(window);
  depth.push_back(features);
  Point inside = emit.OpenLoops("r", depth, at);
  const mlir::AffineExpr output = at.index[n.getOutputFeatureDimension()];
  const mlir::AffineExpr feature = inside.index.back();
  Point left{.counters = inside.counters}, right{.counters = inside.counters};
  left.index.resize(input.size());
  right.index.resize(kernel.size());
  const int64_t groups = feature_groups * batch_groups;
  const int64_t outputs = kernel[n.getKernelOutputFeatureDimension()] / groups;
  const mlir::AffineExpr group = groups == 1 ? emit.Constant(0) : output.floorDiv(outputs);
  mlir::AffineExpr batch = at.index[n.getOutputBatchDimension()];
  if (batch_groups > 1) {
    batch = batch + group * TensorOf(op.getResult()).getShape()[n.getOutputBatchDimension()];
  }
  left.index[n.getInputBatchDimension()] = batch;
  left.index[n.getInputFeatureDimension()] =
      feature_groups > 1 ? feature + group * features : feature;
  right.index[n.getKernelInputFeatureDimension()] = feature;
  right.index[n.getKernelOutputFeatureDimension()] = output;
  Reach reach;
  for (size_t d = 0; d < window.size(); ++d) {
    const int64_t dimension = n.getInputSpatialDimensions()[d];
    AddReach(emit, window[d], input[dimension], at.index[n.getOutputSpatialDimensions()[d]],
             inside.index[d], reach);
    left.index[dimension] = reach.index;
    right.index[n.getKernelSpatialDimensions()[d]] = inside.index[d];
  }
  QUERN_ASSIGN_OR_RETURN(mlir::Value a,
                         ReadPadded(emit, "element", op.getLhs(), left, reach, zero, sum));
  QUERN_ASSIGN_OR_RETURN(mlir::Value b, emit.Read(op.getRhs(), right));
  b = ConvertScalar(emit.builder(), b, TensorOf(op.getRhs()).getElementType(), sum);
  emit.AddProduct(a, b, accumulator);
  emit.builder().restoreInsertionPoint(after);
  emit.Store(ConvertScalar(emit.builder(), emit.LoadRegister(accumulator), sum, type), to, at);
  return absl::OkStatus();
}

static mlir::Value LinearIndex(Emission& emit, const Point& point, llvm::ArrayRef<int64_t> shape) {
  mlir::OpBuilder& builder = emit.builder();
  mlir::AffineExpr linear = mlir::simplifyAffineExpr(
      Linearise(point.index, shape, builder.getContext()), point.counters.size(), 0);
  return arith::IndexCastOp::create(
      builder, builder.getUnknownLoc(), builder.getI32Type(),
      MaterialiseIndex(builder, builder.getUnknownLoc(), linear, point.counters));
}

static absl::Status SelectAndScatter(Emission& emit, hlo::SelectAndScatterOp op, const Point& at,
                                     mlir::Value to) {
  mlir::OpBuilder& builder = emit.builder();
  mlir::Location location = builder.getUnknownLoc();
  llvm::ArrayRef<int64_t> shape = TensorOf(op.getOperand()).getShape();
  llvm::ArrayRef<int64_t> positions = TensorOf(op.getSource()).getShape();
  const hlo::Window window = hlo::WindowOf(op);
  mlir::Type type = TensorOf(op.getResult()).getElementType();
  mlir::Value accumulator = emit.Register("acc", type);
  QUERN_ASSIGN_OR_RETURN(mlir::Value init, emit.Read(op.getInitValue(), {}));
  emit.StoreRegister(init, accumulator);
  mlir::Value none = ScalarConstant(builder, builder.getI32Type(), -1);
  mlir::OpBuilder::InsertPoint after = builder.saveInsertionPoint();

  // At most ceil(size / stride) positions of a dimension reach an element.
  llvm::SmallVector<int64_t> reaching;
  for (const hlo::WindowDimension& d : window) {
    reaching.push_back((d.size + d.stride - 1) / d.stride);
  }
  Point source = emit.OpenLoops("p", reaching, at);
  llvm::SmallVector<mlir::AffineExpr> exists;
  for (size_t d = 0; d < window.size(); ++d) {
    source.index[d] = (at.index[d] + window[d].low).floorDiv(window[d].stride) - (reaching[d] - 1) +
                      source.index[d];
    exists.push_back(source.index[d]);
    exists.push_back(emit.Constant(positions[d] - 1) - source.index[d]);
  }
  emit.OpenGuard(source, exists);
  mlir::Value chosen = emit.Register("chosen", builder.getI32Type());
  mlir::Value best = emit.Register("best", type);
  emit.StoreRegister(none, chosen);
  emit.StoreRegister(init, best);
  mlir::OpBuilder::InsertPoint selected = builder.saveInsertionPoint();

  Point place = emit.OpenLoops("w", Sizes(window), source);
  Reach reach;
  for (size_t d = 0; d < window.size(); ++d) {
    AddReach(emit, window[d], shape[d], source.index[d], place.index[d], reach);
    place.index[d] = reach.index;
  }
  emit.OpenGuard(place, reach.at_least_0, reach.equal_0);
  QUERN_ASSIGN_OR_RETURN(mlir::Value value, emit.Read(op.getOperand(), place));
  mlir::Value old = emit.LoadRegister(best), old_place = emit.LoadRegister(chosen);
  QUERN_ASSIGN_OR_RETURN(auto keeps, emit.Body(op.getSelect().front(), {old, value}));
  mlir::Value first =
      arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, old_place, none);
  mlir::Value here = LinearIndex(emit, place, shape);
  auto choose = [&](mlir::Value condition, mlir::Value yes, mlir::Value no) -> mlir::Value {
    return arith::SelectOp::create(builder, location, condition, yes, no);
  };
  emit.StoreRegister(choose(first, here, choose(keeps[0], old_place, here)), chosen);
  emit.StoreRegister(choose(first, value, choose(keeps[0], old, value)), best);

  builder.restoreInsertionPoint(selected);
  QUERN_ASSIGN_OR_RETURN(mlir::Value update, emit.Read(op.getSource(), source));
  mlir::Value sum = emit.LoadRegister(accumulator);
  QUERN_ASSIGN_OR_RETURN(auto sums, emit.Body(op.getScatter().front(), {sum, update}));
  mlir::Value hit = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq,
                                          emit.LoadRegister(chosen), LinearIndex(emit, at, shape));
  emit.StoreRegister(choose(hit, sums[0], sum), accumulator);
  builder.restoreInsertionPoint(after);
  emit.Store(emit.LoadRegister(accumulator), to, at);
  return absl::OkStatus();
}

std::optional<absl::Status> EmitWindow(Emission& emit, mlir::Operation* op, const Point& at,
                                       llvm::ArrayRef<mlir::Value> to) {
  return llvm::TypeSwitch<mlir::Operation*, std::optional<absl::Status>>(op)
      .Case([&](hlo::ReduceWindowOp reduce) { return ReduceWindow(emit, reduce, at, to); })
      .Case([&](hlo::ConvolutionOp convolution) { return Convolve(emit, convolution, at, to[0]); })
      .Case([&](hlo::SelectAndScatterOp s) { return SelectAndScatter(emit, s, at, to[0]); })
      .Default([](mlir::Operation*) { return std::nullopt; });
}

}  // namespace quern::search
