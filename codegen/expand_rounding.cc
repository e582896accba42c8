#include "codegen/expand_rounding.h"

#include <vector>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace quern::codegen {

llvm::Value* RoundToOdd(llvm::IRBuilderBase& builder, llvm::Value* wide) {
  llvm::Type* floats = wide->getType()->getWithNewType(builder.getFloatTy());
  llvm::Type* words = wide->getType()->getWithNewType(builder.getInt32Ty());
  llvm::Value* near = builder.CreateFPTrunc(wide, floats);
  llvm::Value* back = builder.CreateFPExt(near, wide->getType());
  llvm::Value* beyond =
      builder.CreateFCmpOGT(builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                            builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, wide));
  llvm::Value* inexact = builder.CreateFCmpONE(back, wide);
  llvm::Value* down =
      builder.CreateSub(builder.CreateBitCast(near, words), builder.CreateZExt(beyond, words));
  return builder.CreateBitCast(builder.CreateOr(down, builder.CreateZExt(inexact, words)), floats);
}

static llvm::Value* ExpandBf16(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::Type* type) {
  llvm::Type* floats = type->getWithNewType(builder.getFloatTy());
  llvm::Type* bits = type->getWithNewType(builder.getInt32Ty());
  if (value->getType() != floats) value = RoundToOdd(builder, value);
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

static llvm::Type* BitsOf(llvm::Type* type) {
  return type->getWithNewType(llvm::Type::getInt16Ty(type->getContext()));
}

// A phi of the bits.
static void CarryBits(llvm::PHINode& phi) {
  llvm::IRBuilder<> builder(&phi);
  llvm::PHINode* bits =
      builder.CreatePHI(BitsOf(phi.getType()), phi.getNumIncomingValues(), phi.getName());
  builder.SetInsertPoint(phi.getParent(), phi.getParent()->getFirstInsertionPt());
  phi.replaceAllUsesWith(builder.CreateBitCast(bits, phi.getType()));
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    llvm::BasicBlock* from = phi.getIncomingBlock(i);
    builder.SetInsertPoint(from->getTerminator());
    bits->addIncoming(builder.CreateBitCast(phi.getIncomingValue(i), bits->getType()), from);
  }
  phi.eraseFromParent();
}

// Uses in other blocks are of the bits.
static void CarryBits(llvm::Instruction& instruction) {
  llvm::Value* bits = nullptr;
  for (llvm::Use& use : llvm::make_early_inc_range(instruction.uses())) {
    auto* user = llvm::cast<llvm::Instruction>(use.getUser());
    if (user->getParent() == instruction.getParent()) continue;
    llvm::IRBuilder<> builder(instruction.getNextNode());
    if (!bits) bits = builder.CreateBitCast(&instruction, BitsOf(instruction.getType()));
    builder.SetInsertPoint(user);
    use.set(builder.CreateBitCast(bits, instruction.getType()));
  }
}

// LLVM carries a bfloat from block to block as a float, and calls a library to round it back.
static void CarryBfloatsAsBits(llvm::Function& function) {
  std::vector<llvm::PHINode*> phis;
  std::vector<llvm::Instruction*> others;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!instruction.getType()->getScalarType()->isBFloatTy()) continue;
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
      phis.push_back(phi);
    } else {
      others.push_back(&instruction);
    }
  }
  for (llvm::PHINode* phi : phis) CarryBits(*phi);
  for (llvm::Instruction* instruction : others) CarryBits(*instruction);
}

void ExpandRounding(llvm::Module& module) {
  std::vector<llvm::FPTruncInst*> conversions;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (auto* conversion = llvm::dyn_cast<llvm::FPTruncInst>(&instruction)) {
        conversions.push_back(conversion);
      }
    }
  }
  for (llvm::FPTruncInst* conversion : conversions) {
    llvm::Type* type = conversion->getType();
    llvm::Value* from = conversion->getOperand(0);
    const bool half_of_double =
        type->getScalarType()->isHalfTy() && from->getType()->getScalarType()->isDoubleTy();
    if (!half_of_double && !type->getScalarType()->isBFloatTy()) continue;
    llvm::IRBuilder<> builder(conversion);
    conversion->replaceAllUsesWith(half_of_double
                                       ? builder.CreateFPTrunc(RoundToOdd(builder, from), type)
                                       : ExpandBf16(builder, from, type));
    conversion->eraseFromParent();
  }
  for (llvm::Function& function : module) CarryBfloatsAsBits(function);
}

}  // namespace quern::codegen
