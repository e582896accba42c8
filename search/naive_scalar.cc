#include "search/naive_scalar.h"

#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Location.h"

namespace quern::search {

namespace arith = mlir::arith;
namespace math = mlir::math;
namespace hlo = stablehlo;

absl::Status Unsupported(mlir::Operation* op, std::string_view why) {
  std::string where;
  if (auto file = llvm::dyn_cast<mlir::FileLineColLoc>(op->getLoc())) {
    where =
        absl::StrCat(file.getFilename().str(), ":", file.getLine(), ":", file.getColumn(), ": ");
  }
  return absl::InvalidArgumentError(
      absl::StrCat(where, "'", op->getName().getStringRef().str(), "' ", std::string(why)));
}

bool IsElementwise(mlir::Operation* op) {
  return op->hasTrait<mlir::OpTrait::Elementwise>() || llvm::isa<hlo::SelectOp, hlo::ClampOp>(op);
}

mlir::Value ScalarConstant(mlir::OpBuilder& builder, mlir::Type type, double value) {
  mlir::TypedAttr attribute;
  if (auto floating = llvm::dyn_cast<mlir::FloatType>(type)) {
    attribute = builder.getFloatAttr(floating, value);
  } else {
    attribute = builder.getIntegerAttr(type, static_cast<int64_t>(value));
  }
  return arith::ConstantOp::create(builder, builder.getUnknownLoc(), attribute);
}

mlir::Value ConvertScalar(mlir::OpBuilder& builder, mlir::Value value, mlir::Type to) {
  mlir::Type from = value.getType();
  mlir::Location location = builder.getUnknownLoc();
  if (from == to) return value;
  bool from_float = llvm::isa<mlir::FloatType>(from), to_float = llvm::isa<mlir::FloatType>(to);
  if (to.isInteger(1)) {
    mlir::Value zero = ScalarConstant(builder, from, 0);
    if (from_float) {
      return arith::CmpFOp::create(builder, location, arith::CmpFPredicate::UNE, value, zero);
    }
    return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne, value, zero);
  }
  if (from.isInteger(1)) {
    if (to_float) return arith::UIToFPOp::create(builder, location, to, value);
    return arith::ExtUIOp::create(builder, location, to, value);
  }
  if (from_float && to_float) {
    if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth()) {
      return arith::ExtFOp::create(builder, location, to, value);
    }
    return arith::TruncFOp::create(builder, location, to, value);
  }
  if (from_float) return arith::FPToSIOp::create(builder, location, to, value);
  return arith::SIToFPOp::create(builder, location, to, value);
}

namespace {

// Emits at one place; `type` is that of the first operand.
class Emitter {
 public:
  Emitter(mlir::OpBuilder& builder, mlir::Operation* op, llvm::ArrayRef<mlir::Value> operands)
      : builder_(builder), op_(op), x_(operands), type_(operands.front().getType()) {}

  absl::StatusOr<mlir::Value> Emit() {
    mlir::Value value = op_->getNumOperands() == 1 ? Unary() : Other();
    if (!value) {
      return Unsupported(op_, absl::StrCat("is not supported on ", type_.isInteger(1) ? "bool"
                                                                   : is_float() ? "floats"
                                                                                : "integers"));
    }
    return value;
  }

 private:
  bool is_float() const { return llvm::isa<mlir::FloatType>(type_); }
  bool is_bool() const { return type_.isInteger(1); }
  mlir::Value Constant(double value) { return ScalarConstant(builder_, type_, value); }
  template <typename Op, typename... Args>
  mlir::Value Make(Args&&... args) {
    return Op::create(builder_, builder_.getUnknownLoc(), std::forward<Args>(args)...);
  }
  // The op for floats, integers or bools; a missing one is void.
  template <typename Float, typename Integer, typename Bool>
  mlir::Value Choose() {
    auto make = [&]<typename Op>(std::type_identity<Op>) -> mlir::Value {
      if constexpr (std::is_void_v<Op>) {
        return {};
      } else {
        return Make<Op>(x_[0], x_[1]);
      }
    };
    if (is_float()) return make(std::type_identity<Float>());
    if (is_bool()) return make(std::type_identity<Bool>());
    return make(std::type_identity<Integer>());
  }
  template <typename Op>
  mlir::Value Float() {
    return is_float() ? Make<Op>(x_[0]) : mlir::Value();
  }
  mlir::Value Maximum(mlir::Value a, mlir::Value b) {
    return is_float() ? Make<arith::MaximumFOp>(a, b) : Make<arith::MaxSIOp>(a, b);
  }
  mlir::Value Minimum(mlir::Value a, mlir::Value b) {
    return is_float() ? Make<arith::MinimumFOp>(a, b) : Make<arith::MinSIOp>(a, b);
  }

  mlir::Value Sign() {
    mlir::Value zero = Constant(0), above, below;
    if (is_float()) {
      above = Make<arith::CmpFOp>(arith::CmpFPredicate::OGT, x_[0], zero);
      below = Make<arith::CmpFOp>(arith::CmpFPredicate::OLT, x_[0], zero);
    } else {
      above = Make<arith::CmpIOp>(arith::CmpIPredicate::sgt, x_[0], zero);
      below = Make<arith::CmpIOp>(arith::CmpIPredicate::slt, x_[0], zero);
    }
    // Zeros and NaN are their own sign.
    mlir::Value rest = Make<arith::SelectOp>(below, Constant(-1), x_[0]);
    return Make<arith::SelectOp>(above, Constant(1), rest);
  }

  mlir::Value Unary() {
    using mlir::Value;
    return llvm::TypeSwitch<mlir::Operation*, Value>(op_)
        .Case<hlo::AbsOp>([&](auto) {
          return is_float() ? Make<math::AbsFOp>(x_[0]) : Make<math::AbsIOp>(x_[0]);
        })
        .Case<hlo::CeilOp>([&](auto) { return Float<math::CeilOp>(); })
        .Case<hlo::ConvertOp>([&](hlo::ConvertOp convert) {
          auto to = llvm::cast<mlir::ShapedType>(convert.getResult().getType());
          return ConvertScalar(builder_, x_[0], to.getElementType());
        })
        .Case<hlo::CosineOp>([&](auto) { return Float<math::CosOp>(); })
        .Case<hlo::ExponentialOp>([&](auto) { return Float<math::ExpOp>(); })
        .Case<hlo::ExponentialMinusOneOp>([&](auto) { return Float<math::ExpM1Op>(); })
        .Case<hlo::FloorOp>([&](auto) { return Float<math::FloorOp>(); })
        .Case<hlo::LogOp>([&](auto) { return Float<math::LogOp>(); })
        .Case<hlo::LogPlusOneOp>([&](auto) { return Float<math::Log1pOp>(); })
        .Case<hlo::LogisticOp>([&](auto) {
          Value below =
              Make<arith::AddFOp>(Constant(1), Make<math::ExpOp>(Make<arith::NegFOp>(x_[0])));
          return Make<arith::DivFOp>(Constant(1), below);
        })
        .Case<hlo::NegateOp>([&](auto) {
          return is_float() ? Make<arith::NegFOp>(x_[0]) : Make<arith::SubIOp>(Constant(0), x_[0]);
        })
        .Case<hlo::NotOp>([&](auto) { return Make<arith::XOrIOp>(x_[0], Constant(-1)); })
        .Case<hlo::RsqrtOp>([&](auto) { return Float<math::RsqrtOp>(); })
        .Case<hlo::SignOp>([&](auto) { return Sign(); })
        .Case<hlo::SineOp>([&](auto) { return Float<math::SinOp>(); })
        .Case<hlo::SqrtOp>([&](auto) { return Float<math::SqrtOp>(); })
        .Case<hlo::TanhOp>([&](auto) { return Float<math::TanhOp>(); })
        .Case<hlo::IsFiniteOp>([&](auto) {
          return Make<arith::CmpFOp>(arith::CmpFPredicate::OLT, Make<math::AbsFOp>(x_[0]),
                                     Constant(std::numeric_limits<double>::infinity()));
        })
        .Default(Value());
  }

  mlir::Value Compare(hlo::CompareOp compare) {
    using Direction = hlo::ComparisonDirection;
    Direction direction = compare.getComparisonDirection();
    if (compare.getCompareType() == hlo::ComparisonType::TOTALORDER) return {};
    if (is_float()) {
      arith::CmpFPredicate predicate = direction == Direction::EQ   ? arith::CmpFPredicate::OEQ
                                       : direction == Direction::NE ? arith::CmpFPredicate::UNE
                                       : direction == Direction::GE ? arith::CmpFPredicate::OGE
                                       : direction == Direction::GT ? arith::CmpFPredicate::OGT
                                       : direction == Direction::LE ? arith::CmpFPredicate::OLE
                                                                    : arith::CmpFPredicate::OLT;
      return Make<arith::CmpFOp>(predicate, x_[0], x_[1]);
    }
    // A bool is 0 or 1, unsigned.
    using P = arith::CmpIPredicate;
    P predicate = direction == Direction::EQ   ? P::eq
                  : direction == Direction::NE ? P::ne
                  : direction == Direction::GE ? (is_bool() ? P::uge : P::sge)
                  : direction == Direction::GT ? (is_bool() ? P::ugt : P::sgt)
                  : direction == Direction::LE ? (is_bool() ? P::ule : P::sle)
                                               : (is_bool() ? P::ult : P::slt);
    return Make<arith::CmpIOp>(predicate, x_[0], x_[1]);
  }

  mlir::Value Other() {
    return llvm::TypeSwitch<mlir::Operation*, mlir::Value>(op_)
        .Case<hlo::AddOp>(
            [&](auto) { return Choose<arith::AddFOp, arith::AddIOp, arith::OrIOp>(); })
        .Case<hlo::SubtractOp>([&](auto) { return Choose<arith::SubFOp, arith::SubIOp, void>(); })
        .Case<hlo::MulOp>(
            [&](auto) { return Choose<arith::MulFOp, arith::MulIOp, arith::AndIOp>(); })
        .Case<hlo::DivOp>([&](auto) { return Choose<arith::DivFOp, arith::DivSIOp, void>(); })
        .Case<hlo::RemOp>([&](auto) { return Choose<arith::RemFOp, arith::RemSIOp, void>(); })
        .Case<hlo::MaxOp>(
            [&](auto) { return Choose<arith::MaximumFOp, arith::MaxSIOp, arith::OrIOp>(); })
        .Case<hlo::MinOp>(
            [&](auto) { return Choose<arith::MinimumFOp, arith::MinSIOp, arith::AndIOp>(); })
        .Case<hlo::PowOp>([&](auto) { return Choose<math::PowFOp, math::IPowIOp, void>(); })
        .Case<hlo::AndOp>([&](auto) { return Choose<void, arith::AndIOp, arith::AndIOp>(); })
        .Case<hlo::OrOp>([&](auto) { return Choose<void, arith::OrIOp, arith::OrIOp>(); })
        .Case<hlo::XorOp>([&](auto) { return Choose<void, arith::XOrIOp, arith::XOrIOp>(); })
        .Case<hlo::CompareOp>([&](hlo::CompareOp compare) { return Compare(compare); })
        .Case<hlo::SelectOp>([&](auto) { return Make<arith::SelectOp>(x_[0], x_[1], x_[2]); })
        .Case<hlo::ClampOp>([&](auto) { return Minimum(Maximum(x_[1], x_[0]), x_[2]); })
        .Default(mlir::Value());
  }

  mlir::OpBuilder& builder_;
  mlir::Operation* op_;
  llvm::ArrayRef<mlir::Value> x_;
  mlir::Type type_;
};

}  // namespace

absl::StatusOr<mlir::Value> EmitScalar(mlir::OpBuilder& builder, mlir::Operation* op,
                                       llvm::ArrayRef<mlir::Value> operands) {
  return Emitter(builder, op, operands).Emit();
}

}  // namespace quern::search
