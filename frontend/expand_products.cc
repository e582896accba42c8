#include "frontend/expand_products.h"

#include <vector>

#include "frontend/ragged_dot.h"
#include "frontend/steps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Verifier.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;
using mlir::FailureOr;
using mlir::RankedTensorType;
using mlir::Value;

static FailureOr<Value> ExpandDot(hlo::DotOp op) {
  auto numbers = hlo::DotDimensionNumbersAttr::get(op.getContext(), {}, {},
                                                   {op.getLhs().getType().getRank() - 1}, {0});
  return Value(Steps(op).Create<hlo::DotGeneralOp>(op.getType(), op.getLhs(), op.getRhs(), numbers,
                                                   op.getPrecisionConfigAttr(),
                                                   hlo::DotAlgorithmAttr()));
}

// ---- Algorithms

// What is left of a value once it is rounded `count` times, and the roundings.
static std::vector<Value> Components(Steps& steps, Value value, mlir::Type precision,
                                     int64_t count) {
  const mlir::Type element = Ranked(value).getElementType();
  std::vector<Value> components;
  for (int64_t i = 0; i < count; ++i) {
    Value component = value;
    if (llvm::isa<mlir::FloatTF32Type>(precision)) {
      component = steps.Create<hlo::ReducePrecisionOp>(value.getType(), value, 8, 10);
    } else {
      component = steps.ConvertTo(value, precision);
    }
    components.push_back(component);
    if (i + 1 < count)
      value = steps.Binary<hlo::SubtractOp>(value, steps.ConvertTo(component, element));
  }
  return components;
}

// Whether the products are all pairs of components up to a sum of their places.
static bool AreWholeDiagonals(const hlo::DotAlgorithmAttr& algorithm, int64_t* last) {
  int64_t pairs = 0;
  for (*last = 0; pairs < algorithm.getNumPrimitiveOperations(); ++*last) {
    const int64_t before = pairs;
    for (int64_t i = 0; i <= *last && i < algorithm.getLhsComponentCount(); ++i)
      pairs += *last - i < algorithm.getRhsComponentCount();
    if (pairs == before) return false;
  }
  return pairs == algorithm.getNumPrimitiveOperations();
}

static FailureOr<Value> ExpandAlgorithm(hlo::DotGeneralOp op) {
  const hlo::DotAlgorithmAttr algorithm = op.getAlgorithmAttr();
  const mlir::Type accumulator = algorithm.getAccumulationType(),
                   result = Ranked(op.getResult()).getElementType();
  const auto known = [&](Value operand, mlir::Type precision, int64_t count) {
    const mlir::Type element = Ranked(operand).getElementType();
    if (precision == element) return count == 1;
    if (!llvm::isa<mlir::FloatType>(element)) return false;
    if (llvm::isa<mlir::FloatTF32Type>(precision)) return element.isF32();
    return llvm::isa<mlir::FloatType>(precision) && hlo::ToElementType(precision).has_value();
  };
  int64_t diagonals = 0;
  static constexpr int64_t kMostComponents = 8;
  if (algorithm.getLhsComponentCount() > kMostComponents ||
      algorithm.getRhsComponentCount() > kMostComponents ||
      !known(op.getLhs(), algorithm.getLhsPrecisionType(), algorithm.getLhsComponentCount()) ||
      !known(op.getRhs(), algorithm.getRhsPrecisionType(), algorithm.getRhsComponentCount()) ||
      !hlo::ToElementType(accumulator) || !AreWholeDiagonals(algorithm, &diagonals)) {
    return op->emitError("unsupported dot algorithm ") << algorithm << "; leave `algorithm` out";
  }
  Steps steps(op);
  const std::vector<Value> lhs = Components(steps, op.getLhs(), algorithm.getLhsPrecisionType(),
                                            algorithm.getLhsComponentCount());
  const std::vector<Value> rhs = Components(steps, op.getRhs(), algorithm.getRhsPrecisionType(),
                                            algorithm.getRhsComponentCount());
  const bool alike = Ranked(lhs[0]).getElementType() == Ranked(rhs[0]).getElementType();
  const auto type = RankedTensorType::get(Ranked(op.getResult()).getShape(), accumulator);
  Value sum;
  for (int64_t diagonal = diagonals; diagonal-- > 0;) {
    for (int64_t i = 0; i < static_cast<int64_t>(lhs.size()); ++i) {
      const int64_t j = diagonal - i;
      if (j < 0 || j >= static_cast<int64_t>(rhs.size())) continue;
      auto product = steps.Create<hlo::DotGeneralOp>(
          type, alike ? lhs[i] : steps.ConvertTo(lhs[i], accumulator),
          alike ? rhs[j] : steps.ConvertTo(rhs[j], accumulator), op.getDotDimensionNumbersAttr(),
          mlir::ArrayAttr(), hlo::DotAlgorithmAttr());
      if (failed(mlir::verify(product))) return mlir::failure();
      sum = sum ? steps.Binary<hlo::AddOp>(sum, product) : Value(product);
    }
  }
  return steps.ConvertTo(sum, result);
}

mlir::LogicalResult ExpandProducts(mlir::func::FuncOp function) {
  std::vector<mlir::Operation*> ops;
  function.walk([&](mlir::Operation* op) {
    auto dot = llvm::dyn_cast<hlo::DotGeneralOp>(op);
    if ((dot && dot.getAlgorithmAttr()) || llvm::isa<hlo::DotOp, chlo::RaggedDotOp>(op))
      ops.push_back(op);
  });
  for (mlir::Operation* op : ops) {
    FailureOr<Value> value = llvm::TypeSwitch<mlir::Operation*, FailureOr<Value>>(op)
                                 .Case([](hlo::DotOp dot) { return ExpandDot(dot); })
                                 .Case([](hlo::DotGeneralOp dot) { return ExpandAlgorithm(dot); })
                                 .Case([](chlo::RaggedDotOp dot) { return ExpandRaggedDot(dot); });
    if (failed(value)) return mlir::failure();
    op->getResult(0).replaceAllUsesWith(*value);
    op->erase();
  }
  return mlir::success();
}

}  // namespace quern::frontend
