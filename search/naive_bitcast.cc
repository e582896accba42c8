#include "bundle/status.h"
#include "ir/program/program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "search/naive_ops.h"
#include "search/naive_scalar.h"
#include "search/nest.h"

namespace quern::search {

namespace arith = mlir::arith;
namespace hlo = stablehlo;

// Between a scalar and the integer of its bits.
static mlir::Value Cast(mlir::OpBuilder& builder, mlir::Value value, mlir::Type to) {
  if (value.getType() == to) return value;
  return arith::BitcastOp::create(builder, builder.getUnknownLoc(), to, value);
}

// The first of several small elements is the lowest bits of a large one.
static absl::Status Bitcast(Emission& emit, hlo::BitcastConvertOp op, const Point& at,
                            mlir::Value to) {
  mlir::OpBuilder& builder = emit.builder();
  mlir::Location location = builder.getUnknownLoc();
  const mlir::Type from_type = program::ScalarType(TensorOf(op.getOperand()).getElementType());
  const mlir::Type to_type = program::ScalarType(TensorOf(op.getResult()).getElementType());
  const unsigned from_bits = from_type.getIntOrFloatBitWidth();
  const unsigned to_bits = to_type.getIntOrFloatBitWidth();
  const mlir::Type from_word = builder.getIntegerType(from_bits);
  const mlir::Type to_word = builder.getIntegerType(to_bits);
  Point source = at;
  if (from_bits > to_bits) {
    const mlir::AffineExpr part = source.index.pop_back_val();
    QUERN_ASSIGN_OR_RETURN(mlir::Value whole, emit.Read(op.getOperand(), source));
    whole = Cast(builder, whole, from_word);
    mlir::Value shift = MaterialiseIndex(builder, location, part * to_bits, at.counters);
    shift = arith::IndexCastOp::create(builder, location, from_word, shift);
    whole = arith::ShRUIOp::create(builder, location, whole, shift);
    whole = arith::TruncIOp::create(builder, location, to_word, whole);
    emit.Store(Cast(builder, whole, to_type), to, at);
    return absl::OkStatus();
  }
  mlir::Value bits;
  const unsigned parts = to_bits / from_bits;
  for (unsigned part = 0; part < parts; ++part) {
    source.index = at.index;
    if (parts > 1) source.index.push_back(emit.Constant(part));
    QUERN_ASSIGN_OR_RETURN(mlir::Value element, emit.Read(op.getOperand(), source));
    element = Cast(builder, element, from_word);
    if (parts > 1) {
      element = arith::ExtUIOp::create(builder, location, to_word, element);
      mlir::Value shift = ScalarConstant(builder, to_word, part * from_bits);
      element = arith::ShLIOp::create(builder, location, element, shift);
    }
    bits = bits ? arith::OrIOp::create(builder, location, bits, element).getResult() : element;
  }
  emit.Store(Cast(builder, bits, to_type), to, at);
  return absl::OkStatus();
}

std::optional<absl::Status> EmitBitcast(Emission& emit, mlir::Operation* op, const Point& at,
                                        llvm::ArrayRef<mlir::Value> to) {
  auto bitcast = llvm::dyn_cast<hlo::BitcastConvertOp>(op);
  if (!bitcast) return std::nullopt;
  return Bitcast(emit, bitcast, at, to[0]);
}

}  // namespace quern::search
