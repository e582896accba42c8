#include "search/naive_convert.h"

#include <cstdint>

#include "ir/program/program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "search/naive_scalar.h"

namespace quern::search {

namespace arith = mlir::arith;

template <typename Op, typename... Args>
static mlir::Value Make(mlir::OpBuilder& builder, Args&&... args) {
  return Op::create(builder, builder.getUnknownLoc(), std::forward<Args>(args)...);
}

// A type of 16 bits holds none of another, and one of 8 bits not always one of fewer values: by
// f32, which holds all of both.
static mlir::Value ConvertFloat(mlir::OpBuilder& builder, mlir::Value value, mlir::Type to) {
  const unsigned from_bits = value.getType().getIntOrFloatBitWidth();
  const unsigned to_bits = to.getIntOrFloatBitWidth();
  if (from_bits < 32 && to_bits < 32) {
    value = Make<arith::ExtFOp>(builder, builder.getF32Type(), value);
    return Make<arith::TruncFOp>(builder, to, value);
  }
  if (from_bits < to_bits) return Make<arith::ExtFOp>(builder, to, value);
  return Make<arith::TruncFOp>(builder, to, value);
}

mlir::Value ConvertScalar(mlir::OpBuilder& builder, mlir::Value value, mlir::Type from,
                          mlir::Type to) {
  if (from == to) return value;
  const mlir::Type scalar = program::ScalarType(to);
  const bool from_float = llvm::isa<mlir::FloatType>(from),
             to_float = llvm::isa<mlir::FloatType>(to);
  if (to.isInteger(1)) {
    if (from_float && from.getIntOrFloatBitWidth() == 8) {  // f8E8M0FNU has no zero
      value = Make<arith::ExtFOp>(builder, builder.getF32Type(), value);
    }
    mlir::Value zero = ScalarConstant(builder, value.getType(), 0);
    return from_float ? Make<arith::CmpFOp>(builder, arith::CmpFPredicate::UNE, value, zero)
                      : Make<arith::CmpIOp>(builder, arith::CmpIPredicate::ne, value, zero);
  }
  if (from_float && to_float) return ConvertFloat(builder, value, to);
  if (from_float) {
    return to.isUnsignedInteger() ? Make<arith::FPToUIOp>(builder, scalar, value)
                                  : Make<arith::FPToSIOp>(builder, scalar, value);
  }
  const bool is_unsigned = from.isUnsignedInteger() || from.isInteger(1);
  if (to_float) {
    return is_unsigned ? Make<arith::UIToFPOp>(builder, to, value)
                       : Make<arith::SIToFPOp>(builder, to, value);
  }
  const unsigned from_bits = from.getIntOrFloatBitWidth(), to_bits = to.getIntOrFloatBitWidth();
  if (from_bits == to_bits) return value;
  if (from_bits > to_bits) return Make<arith::TruncIOp>(builder, scalar, value);
  return is_unsigned ? Make<arith::ExtUIOp>(builder, scalar, value)
                     : Make<arith::ExtSIOp>(builder, scalar, value);
}

// Its bits as an integer.
static mlir::Value BitsOf(mlir::OpBuilder& builder, mlir::Value number) {
  mlir::Type word = builder.getIntegerType(number.getType().getIntOrFloatBitWidth());
  return Make<arith::BitcastOp>(builder, word, number);
}

mlir::Value TotalOrderKey(mlir::OpBuilder& builder, mlir::Value number) {
  if (number.getType().getIntOrFloatBitWidth() == 8) {
    number = Make<arith::ExtFOp>(builder, builder.getF32Type(), number);
  }
  mlir::Value bits = BitsOf(builder, number);
  const unsigned width = bits.getType().getIntOrFloatBitWidth();
  mlir::Value zero = ScalarConstant(builder, bits.getType(), 0);
  mlir::Value most = Make<arith::ConstantOp>(
      builder, builder.getIntegerAttr(bits.getType(), llvm::APInt::getSignedMaxValue(width)));
  mlir::Value negative = Make<arith::CmpIOp>(builder, arith::CmpIPredicate::slt, bits, zero);
  return Make<arith::SelectOp>(builder, negative, Make<arith::XOrIOp>(builder, bits, most), bits);
}

mlir::Value ReducePrecision(mlir::OpBuilder& builder, mlir::Value number, int exponent_bits,
                            int mantissa_bits) {
  auto type = llvm::cast<mlir::FloatType>(number.getType());
  const unsigned width = type.getWidth();
  const int mantissa = static_cast<int>(type.getFPMantissaWidth()) - 1;
  const int exponent = static_cast<int>(width) - 1 - mantissa;
  mlir::Value bits = BitsOf(builder, number);
  mlir::Type word = bits.getType();
  auto constant = [&](uint64_t value) {
    return Make<arith::ConstantOp>(
        builder, builder.getIntegerAttr(word, llvm::APInt(width, value, false, true)));
  };
  auto compare = [&](arith::CmpIPredicate predicate, mlir::Value a, mlir::Value b) {
    return Make<arith::CmpIOp>(builder, predicate, a, b);
  };
  auto choose = [&](mlir::Value condition, mlir::Value yes, mlir::Value no) {
    return Make<arith::SelectOp>(builder, condition, yes, no);
  };
  const uint64_t infinity = ((uint64_t{1} << exponent) - 1) << mantissa;
  mlir::Value sign = Make<arith::AndIOp>(builder, bits, constant(uint64_t{1} << (width - 1)));
  mlir::Value magnitude = Make<arith::XOrIOp>(builder, bits, sign);
  mlir::Value is_nan = compare(arith::CmpIPredicate::ugt, magnitude, constant(infinity));
  mlir::Value nan = mantissa_bits > 0
                        ? Make<arith::OrIOp>(builder, bits, constant(uint64_t{1} << (mantissa - 1)))
                        : Make<arith::OrIOp>(builder, sign, constant(infinity));
  if (const int cut = mantissa - mantissa_bits; cut > 0) {
    mlir::Value odd = Make<arith::AndIOp>(
        builder, Make<arith::ShRUIOp>(builder, magnitude, constant(static_cast<uint64_t>(cut))),
        constant(1));
    mlir::Value add = Make<arith::AddIOp>(builder, odd, constant((uint64_t{1} << (cut - 1)) - 1));
    magnitude = Make<arith::AndIOp>(builder, Make<arith::AddIOp>(builder, magnitude, add),
                                    constant(~uint64_t{0} << cut));
  }
  if (exponent_bits < exponent) {
    const uint64_t bias = (uint64_t{1} << (exponent - 1)) - 1;
    const uint64_t to_bias = (uint64_t{1} << (exponent_bits - 1)) - 1;
    const uint64_t above = (bias + to_bias + 1) << mantissa;     // the first exponent too large
    const uint64_t smallest = (bias - to_bias + 1) << mantissa;  // the first that is normal
    magnitude = choose(compare(arith::CmpIPredicate::uge, magnitude, constant(above)),
                       constant(infinity), magnitude);
    magnitude = choose(compare(arith::CmpIPredicate::ult, magnitude, constant(smallest)),
                       constant(0), magnitude);
  }
  mlir::Value reduced = choose(is_nan, nan, Make<arith::OrIOp>(builder, sign, magnitude));
  return Make<arith::BitcastOp>(builder, type, reduced);
}

}  // namespace quern::search
