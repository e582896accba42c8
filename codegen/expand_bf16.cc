#include "codegen/expand_bf16.h"

#include <vector>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace quern::codegen {

// To a float that rounds to the bf16 that `wide` rounds to: toward zero, with the last bit set if
// inexact.
static llvm::Value* RoundToOdd(llvm::IRBuilder<>& builder, llvm::Value* wide, llvm::Type* floats,
                               llvm::Type* bits) {
  llvm::Value* near = builder.CreateFPTrunc(wide, floats);
  llvm::Value* back = builder.CreateFPExt(near, wide->getType());
  llvm::Value* beyond =
      builder.CreateFCmpOGT(builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                            builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, wide));
  llvm::Value* inexact = builder.CreateFCmpONE(back, wide);
  llvm::Value* down =
      builder.CreateSub(builder.CreateBitCast(near, bits), builder.CreateZExt(beyond, bits));
  return builder.CreateBitCast(builder.CreateOr(down, builder.CreateZExt(inexact, bits)), floats);
}

static llvm::Value* Expand(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::Type* type) {
  llvm::Type* floats = type->getWithNewType(builder.getFloatTy());
  llvm::Type* bits = type->getWithNewType(builder.getInt32Ty());
  if (value->getType() != floats) value = RoundToOdd(builder, value, floats, bits);
  auto constant = [&](uint32_t number) { return llvm::ConstantInt::get(bits, number); };
  llvm::Value* word = builder.CreateBitCast(value, bits);
  llvm::Value* odd = builder.CreateAnd(builder.CreateLShr(word, constant(16)), constant(1));
  llvm::Value* rounded = builder.CreateAdd(word, builder.CreateAdd(odd, constant(0x7FFF)));
  llvm::Value* quiet = builder.CreateOr(word, constant(0x400000));
  llvm::Value* chosen = builder.CreateSelect(builder.CreateFCmpUNO(value, value), quiet, rounded);
  llvm::Value* half = builder.CreateTrunc(builder.CreateLShr(chosen, constant(16)),
                                          type->getWithNewType(builder.getInt16Ty()));
  return builder.CreateBitCast(half, type);
}

void ExpandBf16(llvm::Module& module) {
  std::vector<llvm::FPTruncInst*> conversions;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* conversion = llvm::dyn_cast<llvm::FPTruncInst>(&instruction);
      if (conversion && conversion->getType()->getScalarType()->isBFloatTy()) {
        conversions.push_back(conversion);
      }
    }
  }
  for (llvm::FPTruncInst* conversion : conversions) {
    llvm::IRBuilder<> builder(conversion);
    conversion->replaceAllUsesWith(
        Expand(builder, conversion->getOperand(0), conversion->getType()));
    conversion->eraseFromParent();
  }
}

}  // namespace quern::codegen
