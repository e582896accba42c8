#include "frontend/ragged_dot.h"

#include "frontend/steps.h"
#include "ir/stablehlo/stablehlo.h"
#include "mlir/IR/Verifier.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;
using mlir::FailureOr;
using mlir::RankedTensorType;
using mlir::Value;

// A ragged product's attributes, checked, and its groups' products.
class RaggedDot {
 public:
  explicit RaggedDot(chlo::RaggedDotOp op)
      : op_(op),
        steps_(op),
        lhs_(Ranked(op.getLhs())),
        rhs_(Ranked(op.getRhs())),
        result_(Ranked(op.getResult())),
        groups_(0) {}

  FailureOr<Value> Run() {
    const RankedTensorType sizes = Ranked(op_.getGroupSizes());
    const llvm::ArrayRef<int64_t> ragged = List("lhs_ragged_dimensions");
    for (auto [name, rank] : {std::pair("lhs_batching_dimensions", lhs_.getRank()),
                              std::pair("lhs_contracting_dimensions", lhs_.getRank()),
                              std::pair("lhs_ragged_dimensions", lhs_.getRank()),
                              std::pair("rhs_batching_dimensions", rhs_.getRank()),
                              std::pair("rhs_contracting_dimensions", rhs_.getRank()),
                              std::pair("rhs_group_dimensions", rhs_.getRank())}) {
      for (int64_t dimension : List(name)) {
        if (dimension < 0 || dimension >= rank) return Unsupported("dimension numbers fit");
      }
    }
    for (RankedTensorType type : {lhs_, rhs_, result_}) {
      if (!type.getElementType().isIntOrFloat())
        return Unsupported("elements are integers or floating-point numbers");
    }
    if (ragged.size() != 1) return Unsupported("one dimension is ragged");
    if (sizes.getRank() != 1) return Unsupported("group_sizes is a vector");
    groups_ = sizes.getDimSize(0);
    static constexpr int64_t kMostGroups = 1024;
    if (groups_ < 1 || groups_ > kMostGroups) return Unsupported("there are 1 to 1024 groups");
    if (llvm::is_contained(List("lhs_batching_dimensions"), ragged[0]))
      return Unsupported("the ragged dimension is no batch dimension");
    const auto* contracted = llvm::find(List("lhs_contracting_dimensions"), ragged[0]);
    if (contracted == List("lhs_contracting_dimensions").end()) return Rows(ragged[0]);
    const size_t place = contracted - List("lhs_contracting_dimensions").begin();
    if (!List("rhs_group_dimensions").empty() ||
        place >= List("rhs_contracting_dimensions").size()) {
      return Unsupported("dimension numbers fit");
    }
    return Columns(ragged[0], List("rhs_contracting_dimensions")[place]);
  }

 private:
  FailureOr<Value> Unsupported(llvm::StringRef need) {
    return op_->emitError("unsupported form of chlo.ragged_dot: it is read where ") << need;
  }

  llvm::ArrayRef<int64_t> List(llvm::StringRef name) {
    auto list = op_.getRaggedDotDimensionNumbers().getAs<mlir::DenseI64ArrayAttr>(name);
    return list ? list.asArrayRef() : llvm::ArrayRef<int64_t>();
  }

  Value Scalar(Value value, int64_t index) {
    const mlir::Type element = Ranked(value).getElementType();
    Value one = steps_.Create<hlo::SliceOp>(
        RankedTensorType::get({1}, element), value, llvm::ArrayRef<int64_t>{index},
        llvm::ArrayRef<int64_t>{index + 1}, llvm::ArrayRef<int64_t>{1});
    return steps_.Create<hlo::ReshapeOp>(RankedTensorType::get({}, element), one);
  }

  // Where a tensor's places along a dimension are those of a group.
  Value Mask(RankedTensorType type, int64_t dimension, Value start, Value end) {
    auto places = RankedTensorType::get(type.getShape(), Ranked(start).getElementType());
    auto truth = RankedTensorType::get(type.getShape(), steps_.builder().getI1Type());
    Value iota = steps_.Create<hlo::IotaOp>(places, dimension);
    const auto compare = [&](Value bound, hlo::ComparisonDirection direction) -> Value {
      return steps_.Create<hlo::CompareOp>(
          truth, iota, steps_.Broadcast(bound, places, {}),
          hlo::ComparisonDirectionAttr::get(op_.getContext(), direction),
          hlo::ComparisonTypeAttr());
    };
    return steps_.Binary<hlo::AndOp>(compare(start, hlo::ComparisonDirection::GE),
                                     compare(end, hlo::ComparisonDirection::LT));
  }

  // Calls `product` with the bounds of each group.
  FailureOr<Value> ForEachGroup(
      llvm::function_ref<FailureOr<Value>(int64_t, Value, Value)> product) {
    Value start, last;
    for (int64_t group = 0; group < groups_; ++group) {
      Value size = Scalar(op_.getGroupSizes(), group);
      if (!start) start = steps_.Zeros(Ranked(size));
      Value end = steps_.Binary<hlo::AddOp>(start, size);
      FailureOr<Value> value = product(group, start, end);
      if (failed(value)) return mlir::failure();
      last = *value;
      start = end;
    }
    return last;
  }

  FailureOr<Value> Product(RankedTensorType type, Value lhs, Value rhs,
                           llvm::ArrayRef<int64_t> rhs_batch,
                           llvm::ArrayRef<int64_t> rhs_contract) {
    auto numbers = hlo::DotDimensionNumbersAttr::get(
        op_.getContext(), List("lhs_batching_dimensions"), rhs_batch,
        List("lhs_contracting_dimensions"), rhs_contract);
    auto dot = steps_.Create<hlo::DotGeneralOp>(type, lhs, rhs, numbers, mlir::ArrayAttr(),
                                                hlo::DotAlgorithmAttr());
    if (failed(mlir::verify(dot))) return mlir::failure();
    return Value(dot);
  }

  // Each group of rows by its matrix; rows of no group are zeros.
  FailureOr<Value> Rows(int64_t ragged) {
    const llvm::ArrayRef<int64_t> group_dimensions = List("rhs_group_dimensions");
    if (group_dimensions.size() != 1) return Unsupported("rhs has one group dimension");
    const int64_t group_dimension = group_dimensions[0];
    if (rhs_.getDimSize(group_dimension) != groups_)
      return Unsupported("rhs has a matrix for each group");
    // The row's dimension of the result.
    int64_t row = static_cast<int64_t>(List("lhs_batching_dimensions").size());
    for (int64_t i = 0; i < ragged; ++i) {
      row += !llvm::is_contained(List("lhs_batching_dimensions"), i) &&
             !llvm::is_contained(List("lhs_contracting_dimensions"), i);
    }
    if (row >= result_.getRank()) return Unsupported("dimension numbers fit");
    const auto without = [&](llvm::ArrayRef<int64_t> dimensions) {
      llvm::SmallVector<int64_t> moved(dimensions);
      for (int64_t& dimension : moved) dimension -= dimension > group_dimension;
      return moved;
    };
    Value rows = steps_.Zeros(result_);
    return ForEachGroup([&](int64_t group, Value start, Value end) -> FailureOr<Value> {
      llvm::SmallVector<int64_t> from(rhs_.getRank(), 0), to(rhs_.getShape()),
          ones(rhs_.getRank(), 1), shape(rhs_.getShape()), rest;
      from[group_dimension] = group;
      to[group_dimension] = group + 1;
      shape[group_dimension] = 1;
      rest = shape;
      rest.erase(rest.begin() + group_dimension);
      Value slice = steps_.Create<hlo::SliceOp>(RankedTensorType::get(shape, rhs_.getElementType()),
                                                op_.getRhs(), from, to, ones);
      Value matrix =
          steps_.Create<hlo::ReshapeOp>(RankedTensorType::get(rest, rhs_.getElementType()), slice);
      FailureOr<Value> product =
          Product(result_, op_.getLhs(), matrix, without(List("rhs_batching_dimensions")),
                  without(List("rhs_contracting_dimensions")));
      if (failed(product)) return mlir::failure();
      return rows = steps_.Create<hlo::SelectOp>(result_, Mask(result_, row, start, end), *product,
                                                 rows);
    });
  }

  // Each group of what is summed gives a matrix of its own.
  FailureOr<Value> Columns(int64_t lhs_dimension, int64_t rhs_dimension) {
    if (result_.getRank() == 0 || result_.getDimSize(0) != groups_)
      return Unsupported("the result has a matrix for each group");
    auto single = RankedTensorType::get(result_.getShape().drop_front(), result_.getElementType());
    llvm::SmallVector<int64_t> shape(result_.getShape());
    shape[0] = 1;
    auto layer = RankedTensorType::get(shape, result_.getElementType());
    llvm::SmallVector<Value> layers;
    FailureOr<Value> last = ForEachGroup([&](int64_t, Value start, Value end) -> FailureOr<Value> {
      const auto masked = [&](Value operand, RankedTensorType type, int64_t dimension) {
        return steps_.Create<hlo::SelectOp>(type, Mask(type, dimension, start, end), operand,
                                            steps_.Zeros(type));
      };
      FailureOr<Value> product =
          Product(single, masked(op_.getLhs(), lhs_, lhs_dimension),
                  masked(op_.getRhs(), rhs_, rhs_dimension), List("rhs_batching_dimensions"),
                  List("rhs_contracting_dimensions"));
      if (failed(product)) return mlir::failure();
      layers.push_back(steps_.Create<hlo::ReshapeOp>(layer, *product));
      return layers.back();
    });
    if (failed(last)) return mlir::failure();
    return Value(steps_.Create<hlo::ConcatenateOp>(result_, layers, 0));
  }

  chlo::RaggedDotOp op_;
  Steps steps_;
  RankedTensorType lhs_, rhs_, result_;
  int64_t groups_;
};

FailureOr<Value> ExpandRaggedDot(chlo::RaggedDotOp op) { return RaggedDot(op).Run(); }

}  // namespace quern::frontend
