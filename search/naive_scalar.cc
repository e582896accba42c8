#include "search/naive_scalar.h"

#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "ir/stablehlo/chlo.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/TypeUtilities.h"
#include "search/naive_convert.h"

namespace quern::search {

namespace arith = mlir::arith;
namespace math = mlir::math;
namespace hlo = stablehlo;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

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

namespace {

// Emits at one place; `element` is StableHLO's type of the first operand, `type` that of its
// scalar.
class Emitter {
 public:
  Emitter(mlir::OpBuilder& builder, mlir::Operation* op, llvm::ArrayRef<mlir::Value> operands)
      : builder_(builder),
        op_(op),
        x_(operands),
        element_(mlir::getElementTypeOrSelf(op->getOperand(0).getType())),
        type_(operands.front().getType()) {}

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
  bool is_unsigned() const { return element_.isUnsignedInteger() || is_bool(); }
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
  template <typename Op, typename... Args>
  mlir::Value Float(Args... args) {
    return is_float() ? Make<Op>(x_[0], args...) : mlir::Value();
  }
  template <typename Op>
  mlir::Value Integer() {
    return is_float() || is_bool() ? mlir::Value() : Make<Op>(x_[0]);
  }
  mlir::Value Maximum(mlir::Value a, mlir::Value b) {
    if (is_float()) return Make<arith::MaximumFOp>(a, b);
    return is_unsigned() ? Make<arith::MaxUIOp>(a, b) : Make<arith::MaxSIOp>(a, b);
  }
  mlir::Value Minimum(mlir::Value a, mlir::Value b) {
    if (is_float()) return Make<arith::MinimumFOp>(a, b);
    return is_unsigned() ? Make<arith::MinUIOp>(a, b) : Make<arith::MinSIOp>(a, b);
  }
  mlir::Value Select(mlir::Value condition, mlir::Value yes, mlir::Value no) {
    return Make<arith::SelectOp>(condition, yes, no);
  }
  mlir::Value Compare(arith::CmpIPredicate predicate, mlir::Value a, mlir::Value b) {
    return Make<arith::CmpIOp>(predicate, a, b);
  }

  // x / 0 is all ones and x % 0 is x; arith.divsi has that from code generation, arith.divui not.
  mlir::Value Divide(bool remainder) {
    if (is_float()) {
      return remainder ? Make<arith::RemFOp>(x_[0], x_[1]) : Make<arith::DivFOp>(x_[0], x_[1]);
    }
    if (is_bool()) return {};
    if (!is_unsigned()) {
      return remainder ? Make<arith::RemSIOp>(x_[0], x_[1]) : Make<arith::DivSIOp>(x_[0], x_[1]);
    }
    mlir::Value by_zero = Compare(arith::CmpIPredicate::eq, x_[1], Constant(0));
    mlir::Value safe = Select(by_zero, Constant(1), x_[1]);
    return remainder ? Select(by_zero, x_[0], Make<arith::RemUIOp>(x_[0], safe))
                     : Select(by_zero, Constant(-1), Make<arith::DivUIOp>(x_[0], safe));
  }

  // A shift by the width or more leaves zeros, or copies of the sign.
  template <typename Op>
  mlir::Value Shift() {
    if (is_float() || is_bool()) return {};
    const unsigned width = type_.getIntOrFloatBitWidth();
    mlir::Value last = Constant(width - 1);
    mlir::Value safe = Make<arith::MinUIOp>(x_[1], last);
    mlir::Value shifted = Make<Op>(x_[0], safe);
    if (std::is_same_v<Op, arith::ShRSIOp>) return shifted;
    return Select(Compare(arith::CmpIPredicate::ule, x_[1], last), shifted, Constant(0));
  }

  // math.ipowi takes exponents as signed numbers; this is by squaring too.
  mlir::Value Power() {
    if (is_float()) return Make<math::PowFOp>(x_[0], x_[1]);
    if (is_bool()) return {};
    if (!is_unsigned()) return Make<math::IPowIOp>(x_[0], x_[1]);
    mlir::Value result = Constant(1), factor = x_[0];
    const unsigned width = type_.getIntOrFloatBitWidth();
    for (unsigned bit = 0; bit < width; ++bit) {
      mlir::Value shifted = Make<arith::ShRUIOp>(x_[1], Constant(bit));
      mlir::Value odd = Make<arith::TruncIOp>(builder_.getI1Type(), shifted);
      result = Select(odd, Make<arith::MulIOp>(result, factor), result);
      factor = Make<arith::MulIOp>(factor, factor);
    }
    return result;
  }

  // Small floats in f32, rounded once.
  mlir::Value Logistic() {
    if (!is_float()) return {};
    mlir::Type wide = type_.getIntOrFloatBitWidth() < 32 ? builder_.getF32Type() : type_;
    mlir::Value one = ScalarConstant(builder_, wide, 1);
    mlir::Value x = ConvertScalar(builder_, x_[0], type_, wide);
    x = Make<arith::AddFOp>(one, Make<math::ExpOp>(Make<arith::NegFOp>(x)));
    return ConvertScalar(builder_, Make<arith::DivFOp>(one, x), wide, type_);
  }

  mlir::Value Sign() {
    if (is_bool()) return {};
    mlir::Value x = is_float() ? Wide() : x_[0], above, below;
    mlir::Value zero = ScalarConstant(builder_, x.getType(), 0);
    if (is_unsigned())
      return Select(Compare(arith::CmpIPredicate::ne, x_[0], zero), Constant(1), zero);
    if (is_float()) {
      above = Make<arith::CmpFOp>(arith::CmpFPredicate::OGT, x, zero);
      below = Make<arith::CmpFOp>(arith::CmpFPredicate::OLT, x, zero);
    } else {
      above = Make<arith::CmpIOp>(arith::CmpIPredicate::sgt, x, zero);
      below = Make<arith::CmpIOp>(arith::CmpIPredicate::slt, x, zero);
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
          return ConvertScalar(builder_, x_[0], element_, to.getElementType());
        })
        .Case<hlo::CbrtOp>([&](auto) { return Float<math::CbrtOp>(); })
        .Case<hlo::ClzOp>([&](auto) { return Integer<math::CountLeadingZerosOp>(); })
        .Case<hlo::PopulationCountOp>([&](auto) { return Integer<math::CtPopOp>(); })
        .Case<hlo::RoundNearestAfzOp>([&](auto) { return Float<math::RoundOp>(); })
        .Case<hlo::RoundNearestEvenOp>([&](auto) { return Float<math::RoundEvenOp>(); })
        .Case<hlo::TanOp>([&](auto) { return Float<math::TanOp>(); })
        .Case<hlo::ReducePrecisionOp>([&](hlo::ReducePrecisionOp reduce) {
          return HasIeeeFormat() ? ReducePrecision(builder_, x_[0], reduce.getExponentBits(),
                                                   reduce.getMantissaBits())
                                 : Value();
        })
        .Case<chlo::AcosOp>([&](auto) { return Float<math::AcosOp>(); })
        .Case<chlo::AcoshOp>([&](auto) { return Float<math::AcoshOp>(); })
        .Case<chlo::AsinOp>([&](auto) { return Float<math::AsinOp>(); })
        .Case<chlo::AsinhOp>([&](auto) { return Float<math::AsinhOp>(); })
        .Case<chlo::AtanOp>([&](auto) { return Float<math::AtanOp>(); })
        .Case<chlo::AtanhOp>([&](auto) { return Float<math::AtanhOp>(); })
        .Case<chlo::CoshOp>([&](auto) { return Float<math::CoshOp>(); })
        .Case<chlo::SinhOp>([&](auto) { return Float<math::SinhOp>(); })
        .Case<chlo::ErfOp>([&](auto) { return Float<math::ErfOp>(); })
        .Case<chlo::ErfcOp>([&](auto) { return Float<math::ErfcOp>(); })
        .Case<chlo::IsInfOp>([&](auto) { return IsInfinite(true, true); })
        .Case<chlo::IsPosInfOp>([&](auto) { return IsInfinite(true, false); })
        .Case<chlo::IsNegInfOp>([&](auto) { return IsInfinite(false, true); })
        .Case<hlo::CosineOp>([&](auto) { return Float<math::CosOp>(); })
        .Case<hlo::ExponentialOp>([&](auto) { return Float<math::ExpOp>(); })
        .Case<hlo::ExponentialMinusOneOp>([&](auto) { return Float<math::ExpM1Op>(); })
        .Case<hlo::FloorOp>([&](auto) { return Float<math::FloorOp>(); })
        .Case<hlo::LogOp>([&](auto) { return Float<math::LogOp>(); })
        .Case<hlo::LogPlusOneOp>([&](auto) { return Float<math::Log1pOp>(); })
        .Case<hlo::LogisticOp>([&](auto) { return Logistic(); })
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
          Value wide = Wide(), infinity = ScalarConstant(builder_, wide.getType(), kInfinity);
          return Make<arith::CmpFOp>(arith::CmpFPredicate::OLT, Make<math::AbsFOp>(wide), infinity);
        })
        .Default(Value());
  }

  bool HasIeeeFormat() const {
    return type_.isF64() || type_.isF32() || type_.isF16() || type_.isBF16() ||
           llvm::isa<mlir::Float8E5M2Type, mlir::Float8E4M3Type, mlir::Float8E3M4Type>(type_);
  }

  // Not every format of 8 bits has an infinity or a zero.
  mlir::Value Wide() {
    if (type_.getIntOrFloatBitWidth() > 8) return x_[0];
    return ConvertScalar(builder_, x_[0], type_, builder_.getF32Type());
  }

  mlir::Value IsInfinite(bool above, bool below) {
    if (!is_float()) return {};
    mlir::Value wide = Wide();
    if (above && below) wide = Make<math::AbsFOp>(wide);
    return Make<arith::CmpFOp>(
        arith::CmpFPredicate::OEQ, wide,
        ScalarConstant(builder_, wide.getType(), above ? kInfinity : -kInfinity));
  }

  mlir::Value Compare(hlo::CompareOp compare) {
    using Direction = hlo::ComparisonDirection;
    Direction direction = compare.getComparisonDirection();
    const bool total = compare.getCompareType() == hlo::ComparisonType::TOTALORDER;
    if (is_float() && !total) {
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
    const bool zero_up = is_unsigned();
    P predicate = direction == Direction::EQ   ? P::eq
                  : direction == Direction::NE ? P::ne
                  : direction == Direction::GE ? (zero_up ? P::uge : P::sge)
                  : direction == Direction::GT ? (zero_up ? P::ugt : P::sgt)
                  : direction == Direction::LE ? (zero_up ? P::ule : P::sle)
                                               : (zero_up ? P::ult : P::slt);
    if (!is_float()) return Compare(predicate, x_[0], x_[1]);
    return Compare(predicate, TotalOrderKey(builder_, x_[0]), TotalOrderKey(builder_, x_[1]));
  }

  mlir::Value Other() {
    return llvm::TypeSwitch<mlir::Operation*, mlir::Value>(op_)
        .Case<hlo::AddOp>(
            [&](auto) { return Choose<arith::AddFOp, arith::AddIOp, arith::OrIOp>(); })
        .Case<hlo::SubtractOp>([&](auto) { return Choose<arith::SubFOp, arith::SubIOp, void>(); })
        .Case<hlo::MulOp>(
            [&](auto) { return Choose<arith::MulFOp, arith::MulIOp, arith::AndIOp>(); })
        .Case<hlo::DivOp>([&](auto) { return Divide(/*remainder=*/false); })
        .Case<hlo::RemOp>([&](auto) { return Divide(/*remainder=*/true); })
        .Case<hlo::MaxOp>([&](auto) {
          return is_bool() ? Make<arith::OrIOp>(x_[0], x_[1]) : Maximum(x_[0], x_[1]);
        })
        .Case<hlo::MinOp>([&](auto) {
          return is_bool() ? Make<arith::AndIOp>(x_[0], x_[1]) : Minimum(x_[0], x_[1]);
        })
        .Case<hlo::PowOp>([&](auto) { return Power(); })
        .Case<hlo::Atan2Op>([&](auto) { return Float<math::Atan2Op>(x_[1]); })
        .Case<hlo::ShiftLeftOp>([&](auto) { return Shift<arith::ShLIOp>(); })
        .Case<hlo::ShiftRightArithmeticOp>([&](auto) { return Shift<arith::ShRSIOp>(); })
        .Case<hlo::ShiftRightLogicalOp>([&](auto) { return Shift<arith::ShRUIOp>(); })
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
  mlir::Type element_, type_;
};

}  // namespace

absl::StatusOr<mlir::Value> EmitScalar(mlir::OpBuilder& builder, mlir::Operation* op,
                                       llvm::ArrayRef<mlir::Value> operands) {
  return Emitter(builder, op, operands).Emit();
}

}  // namespace quern::search
