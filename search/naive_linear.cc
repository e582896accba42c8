#include "bundle/status.h"
#include "ir/program/program.h"
#include "llvm/ADT/TypeSwitch.h"
#include "search/naive_convert.h"
#include "search/naive_ops.h"
#include "search/naive_scalar.h"

namespace quern::search {

namespace arith = mlir::arith;
namespace hlo = stablehlo;

namespace {

// A sum in a register from which products are taken away.
class Remainder {
 public:
  Remainder(Emission& emit, mlir::Type element)
      : emit_(emit), element_(element), type_(SumType(element)) {
    register_ = emit.Accumulator(0, type_);
  }

  void Set(mlir::Value value) { emit_.StoreRegister(Wide(value), register_); }
  void Subtract(mlir::Value a, mlir::Value b) {
    mlir::Value product = Make<arith::MulFOp>(Wide(a), Wide(b));
    emit_.StoreRegister(Make<arith::SubFOp>(emit_.LoadRegister(register_), product), register_);
  }
  void DivideBy(mlir::Value divisor) {
    emit_.StoreRegister(Make<arith::DivFOp>(emit_.LoadRegister(register_), Wide(divisor)),
                        register_);
  }
  void TakeRoot() {
    emit_.StoreRegister(Make<mlir::math::SqrtOp>(emit_.LoadRegister(register_)), register_);
  }
  void StoreTo(mlir::Value buffer, const Point& at) {
    emit_.Store(ConvertScalar(emit_.builder(), emit_.LoadRegister(register_), type_, element_),
                buffer, at);
  }

 private:
  template <typename Op, typename... Args>
  mlir::Value Make(Args... args) {
    return Op::create(emit_.builder(), emit_.builder().getUnknownLoc(), args...);
  }
  mlir::Value Wide(mlir::Value value) {
    return ConvertScalar(emit_.builder(), value, element_, type_);
  }

  Emission& emit_;
  mlir::Type element_, type_;
  mlir::Value register_;
};

}  // namespace

static Point With(Point point, size_t dimension, mlir::AffineExpr index) {
  point.index[dimension] = index;
  return point;
}

// By substitution: each element from those before it along its row or column, which lie before it
// in the order of the loops.
static absl::Status Solve(Emission& emit, hlo::TriangularSolveOp op, const Point& at,
                          mlir::Value to) {
  const size_t rank = at.index.size(), along = rank - (op.getLeftSide() ? 2 : 1);
  const int64_t n = TensorOf(op.getA()).getShape().back();
  // x A = b is A' x' = b'.
  const bool transposed = op.getTransposeA() != hlo::Transpose::NO_TRANSPOSE;
  const bool swap = transposed == op.getLeftSide();
  const bool lower = op.getLower() != swap;
  auto place = [&](mlir::AffineExpr step) { return lower ? step : emit.Constant(n - 1) - step; };
  auto element = [&](Point point, mlir::AffineExpr i, mlir::AffineExpr j) {
    point.index[rank - 2] = swap ? j : i;
    point.index[rank - 1] = swap ? i : j;
    return emit.Read(op.getA(), point);
  };
  const mlir::AffineExpr step = at.index[along], i = place(step);
  const Point here = With(at, along, i);
  Remainder rest(emit, TensorOf(op.getResult()).getElementType());
  QUERN_ASSIGN_OR_RETURN(mlir::Value right, emit.Read(op.getB(), here));
  rest.Set(right);
  mlir::OpBuilder::InsertPoint after = emit.builder().saveInsertionPoint();
  Point inside = emit.OpenLoops("r", {n}, at);
  const mlir::AffineExpr before = inside.index[0], j = place(before);
  inside.index = here.index;
  emit.OpenGuard(inside, {step - before - 1});
  QUERN_ASSIGN_OR_RETURN(mlir::Value factor, element(inside, i, j));
  rest.Subtract(factor, emit.Load(to, With(inside, along, j)));
  emit.builder().restoreInsertionPoint(after);
  if (!op.getUnitDiagonal()) {
    QUERN_ASSIGN_OR_RETURN(mlir::Value diagonal, element(here, i, i));
    rest.DivideBy(diagonal);
  }
  rest.StoreTo(to, here);
  return absl::OkStatus();
}

// Element (i, j) of the lower factor from those of columns before j; the other triangle is 0.
static absl::Status Factorise(Emission& emit, hlo::CholeskyOp op, const Point& at, mlir::Value to) {
  const size_t rank = at.index.size();
  const mlir::Type type = TensorOf(op.getResult()).getElementType();
  const mlir::AffineExpr p = at.index[rank - 2], q = at.index[rank - 1];
  const mlir::AffineExpr i = op.getLower() ? p : q, j = op.getLower() ? q : p;
  auto factor = [&](Point point, mlir::AffineExpr row, mlir::AffineExpr column) {
    point.index[rank - 2] = op.getLower() ? row : column;
    point.index[rank - 1] = op.getLower() ? column : row;
    return emit.Load(to, point);
  };
  Remainder rest(emit, type);
  rest.Set(ScalarConstant(emit.builder(), type, 0));
  mlir::OpBuilder::InsertPoint after = emit.builder().saveInsertionPoint();
  emit.OpenGuard(at, {i - j});
  QUERN_ASSIGN_OR_RETURN(mlir::Value value, emit.Read(op.getA(), at));
  rest.Set(value);
  mlir::OpBuilder::InsertPoint guarded = emit.builder().saveInsertionPoint();
  Point inside = emit.OpenLoops("r", {TensorOf(op.getA()).getShape().back()}, at);
  const mlir::AffineExpr k = inside.index[0];
  inside.index = at.index;
  emit.OpenGuard(inside, {j - k - 1});
  rest.Subtract(factor(inside, i, k), factor(inside, j, k));
  emit.builder().restoreInsertionPoint(guarded);
  emit.OpenGuard(at, {}, {i - j});
  rest.TakeRoot();
  emit.builder().restoreInsertionPoint(guarded);
  emit.OpenGuard(at, {i - j - 1});
  rest.DivideBy(factor(at, j, j));
  emit.builder().restoreInsertionPoint(after);
  rest.StoreTo(to, at);
  return absl::OkStatus();
}

std::optional<absl::Status> EmitLinear(Emission& emit, mlir::Operation* op, const Point& at,
                                       llvm::ArrayRef<mlir::Value> to) {
  return llvm::TypeSwitch<mlir::Operation*, std::optional<absl::Status>>(op)
      .Case([&](hlo::TriangularSolveOp solve) { return Solve(emit, solve, at, to[0]); })
      .Case([&](hlo::CholeskyOp cholesky) { return Factorise(emit, cholesky, at, to[0]); })
      .Default([](mlir::Operation*) { return std::nullopt; });
}

}  // namespace quern::search
