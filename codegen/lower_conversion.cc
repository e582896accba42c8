#include "codegen/expand_rounding.h"
#include "codegen/float8.h"
#include "codegen/kernel_lowering.h"
#include "llvm/ADT/TypeSwitch.h"

namespace quern::codegen {

namespace arith = mlir::arith;

static bool IsSmallFloat(mlir::Type type) {
  return llvm::isa<mlir::FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
}

llvm::Value* KernelLowering::Widen(llvm::Value* value, mlir::Type type) {
  if (!IsSmallFloat(type)) return value;
  if (std::optional<SmallFloat> format = Float8Format(type)) {
    return DecodeFloat8(builder_, value, *format);
  }
  return builder_.CreateFPExt(value, value->getType()->getWithNewType(builder_.getFloatTy()));
}

llvm::Value* KernelLowering::Narrow(llvm::Value* value, mlir::Type type) {
  llvm::Type* scalar = ValueType(type, module_.getContext());
  if (std::optional<SmallFloat> format = Float8Format(type)) {
    if (value->getType()->getScalarType()->isDoubleTy()) value = RoundToOdd(builder_, value);
    return EncodeFloat8(builder_, value, *format);
  }
  llvm::Type* to = value->getType()->getWithNewType(scalar);
  return value->getType() == to ? value : builder_.CreateFPTrunc(value, to);
}

// An integer of 64 bits that a double holds, and that rounds to at most 22 bits alike: what lies
// below the last bit is folded into it where a double would round.
static llvm::Value* FoldLowBits(llvm::IRBuilder<>& builder, llvm::Value* in, bool is_signed) {
  llvm::Type* type = in->getType();
  auto constant = [&](uint64_t value) { return llvm::ConstantInt::get(type, value); };
  llvm::Value* low = builder.CreateAnd(in, constant(0xfff));
  llvm::Value* lost = builder.CreateZExt(builder.CreateICmpNE(low, constant(0)), type);
  llvm::Value* folded = builder.CreateOr(builder.CreateAnd(in, constant(~uint64_t{0xfff})),
                                         builder.CreateShl(lost, constant(11)));
  // In [-2^53, 2^53) all is exact.
  llvm::Value* small =
      is_signed ? builder.CreateICmpULT(builder.CreateAdd(in, constant(uint64_t{1} << 53)),
                                        constant(uint64_t{1} << 54))
                : builder.CreateICmpULT(in, constant(uint64_t{1} << 53));
  return builder.CreateSelect(small, in, folded);
}

llvm::Value* KernelLowering::LowerConversion(mlir::Operation& op, llvm::Value* in,
                                             llvm::Type* type) {
  const mlir::Type to = op.getResult(0).getType(), from = op.getOperand(0).getType();
  // LLVM converts integers to small floats through float and rounds twice. A double holds 32 bits
  // exactly.
  auto from_integer = [&](bool is_signed) {
    llvm::Type* wide = type;
    if (IsSmallFloat(to)) {
      wide = type->getWithNewType(builder_.getDoubleTy());
      if (in->getType()->getScalarSizeInBits() == 64) in = FoldLowBits(builder_, in, is_signed);
    }
    return Narrow(is_signed ? builder_.CreateSIToFP(in, wide) : builder_.CreateUIToFP(in, wide),
                  to);
  };
  // Toward zero; what does not fit becomes the nearest that does, NaN becomes 0.
  auto saturate = [&](bool is_signed) -> llvm::Value* {
    llvm::Value* wide = Widen(in, from);
    return builder_.CreateIntrinsic(
        is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
        {type, wide->getType()}, {wide});
  };
  return llvm::TypeSwitch<mlir::Operation*, llvm::Value*>(&op)
      .Case([&](arith::ExtFOp) {
        if (!Float8Format(from)) return builder_.CreateFPExt(in, type);
        llvm::Value* wide = Widen(in, from);
        return IsSmallFloat(to) ? Narrow(wide, to) : builder_.CreateFPExt(wide, type);
      })
      .Case([&](arith::TruncFOp) { return Narrow(Float8Format(to) ? Widen(in, from) : in, to); })
      .Case([&](arith::ExtSIOp) { return builder_.CreateSExt(in, type); })
      .Case([&](arith::ExtUIOp) { return builder_.CreateZExt(in, type); })
      .Case([&](arith::TruncIOp) { return builder_.CreateTrunc(in, type); })
      .Case([&](arith::IndexCastOp) { return builder_.CreateSExtOrTrunc(in, type); })
      .Case([&](arith::IndexCastUIOp) { return builder_.CreateZExtOrTrunc(in, type); })
      .Case([&](arith::BitcastOp) { return builder_.CreateBitCast(in, type); })
      .Case([&](arith::SIToFPOp) { return from_integer(true); })
      .Case([&](arith::UIToFPOp) { return from_integer(false); })
      .Case([&](arith::FPToSIOp) { return saturate(true); })
      .Case([&](arith::FPToUIOp) { return saturate(false); })
      .Default([](mlir::Operation*) { return nullptr; });
}

}  // namespace quern::codegen
