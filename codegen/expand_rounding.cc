#include "codegen/expand_rounding.h"

#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
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

static bool IsBfloat(const llvm::Value* value) {
  return value->getType()->getScalarType()->isBFloatTy();
}

namespace {

// Replaces the bfloats of a function by the integers of their bits.
class BfloatBits {
 public:
  explicit BfloatBits(llvm::Function& function)
      : function_(function), builder_(function.getContext()) {}

  void Replace() {
    std::vector<llvm::Instruction*> before;
    for (llvm::Instruction& instruction : llvm::instructions(function_)) {
      bool concerned = IsBfloat(&instruction);
      for (const llvm::Value* operand : instruction.operands()) concerned |= IsBfloat(operand);
      if (!concerned) continue;
      if (!IsKnown(instruction)) return;
      before.push_back(&instruction);
    }
    for (llvm::Instruction* instruction : before) {
      if (IsBfloat(instruction)) {
        Bits(instruction);
      } else {
        Use(*instruction);
      }
    }
    for (const auto& [phi, bits] : phis_) {
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
        bits->addIncoming(Bits(phi->getIncomingValue(i)), phi->getIncomingBlock(i));
      }
    }
    for (llvm::Instruction* instruction : before) {
      if (!instruction->getType()->isVoidTy()) {
        instruction->replaceAllUsesWith(llvm::PoisonValue::get(instruction->getType()));
      }
      instruction->eraseFromParent();
    }
  }

 private:
  static bool IsKnown(const llvm::Instruction& instruction) {
    return llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::FPTruncInst, llvm::FPExtInst,
                     llvm::BitCastInst, llvm::InsertElementInst, llvm::ExtractElementInst,
                     llvm::ShuffleVectorInst, llvm::FreezeInst>(instruction) ||
           (llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction) && !instruction.isVolatile() &&
            !instruction.isAtomic());
  }

  static llvm::Type* BitsOf(llvm::Type* type) {
    return type->getWithNewType(llvm::Type::getInt16Ty(type->getContext()));
  }

  llvm::Value* Bits(llvm::Value* value) {
    if (llvm::isa<llvm::Constant>(value)) {
      return builder_.CreateBitCast(value, BitsOf(value->getType()));  // folds
    }
    if (llvm::Value* known = bits_.lookup(value)) return known;
    auto& instruction = llvm::cast<llvm::Instruction>(*value);
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
      builder_.SetInsertPoint(phi);
      llvm::PHINode* made =
          builder_.CreatePHI(BitsOf(phi->getType()), phi->getNumIncomingValues(), phi->getName());
      phis_.push_back({phi, made});
      return bits_[value] = made;
    }
    llvm::Value* made = Make(instruction);
    return bits_[value] = made;
  }

  llvm::Value* Make(llvm::Instruction& instruction) {
    llvm::SmallVector<llvm::Value*> in;
    for (llvm::Value* operand : instruction.operands()) {
      in.push_back(IsBfloat(operand) ? Bits(operand) : operand);
    }
    builder_.SetInsertPoint(&instruction);
    return llvm::TypeSwitch<llvm::Instruction*, llvm::Value*>(&instruction)
        .Case([&](llvm::FPTruncInst*) { return Rounded(in[0]); })
        .Case([&](llvm::LoadInst* load) {
          return builder_.CreateAlignedLoad(BitsOf(load->getType()), load->getPointerOperand(),
                                            load->getAlign());
        })
        .Case([&](llvm::SelectInst*) { return builder_.CreateSelect(in[0], in[1], in[2]); })
        .Case([&](llvm::BitCastInst* cast) {
          return builder_.CreateBitCast(in[0], BitsOf(cast->getType()));
        })
        .Case([&](llvm::InsertElementInst*) {
          return builder_.CreateInsertElement(in[0], in[1], in[2]);
        })
        .Case(
            [&](llvm::ExtractElementInst*) { return builder_.CreateExtractElement(in[0], in[1]); })
        .Case([&](llvm::ShuffleVectorInst* shuffle) {
          return builder_.CreateShuffleVector(in[0], in[1], shuffle->getShuffleMask());
        })
        .Case([&](llvm::FreezeInst*) { return builder_.CreateFreeze(in[0]); });
  }

  // To nearest, ties to even.
  llvm::Value* Rounded(llvm::Value* value) {
    if (value->getType()->getScalarType()->isDoubleTy()) value = RoundToOdd(builder_, value);
    llvm::Type* words = value->getType()->getWithNewType(builder_.getInt32Ty());
    auto constant = [&](uint32_t number) { return llvm::ConstantInt::get(words, number); };
    llvm::Value* word = builder_.CreateBitCast(value, words);
    llvm::Value* odd = builder_.CreateAnd(builder_.CreateLShr(word, constant(16)), constant(1));
    llvm::Value* rounded = builder_.CreateAdd(word, builder_.CreateAdd(odd, constant(0x7FFF)));
    llvm::Value* quiet = builder_.CreateOr(word, constant(0x400000));
    llvm::Value* chosen =
        builder_.CreateSelect(builder_.CreateFCmpUNO(value, value), quiet, rounded);
    return builder_.CreateTrunc(builder_.CreateLShr(chosen, constant(16)),
                                BitsOf(value->getType()));
  }

  // What takes bfloats and is none.
  void Use(llvm::Instruction& instruction) {
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      llvm::Value* bits = Bits(store->getValueOperand());
      builder_.SetInsertPoint(store);
      builder_.CreateAlignedStore(bits, store->getPointerOperand(), store->getAlign());
      return;
    }
    llvm::Value* bits = Bits(instruction.getOperand(0));
    builder_.SetInsertPoint(&instruction);
    llvm::Type* type = instruction.getType();
    llvm::Value* result = nullptr;
    if (llvm::isa<llvm::FPExtInst>(instruction)) {
      llvm::Type* words = type->getWithNewType(builder_.getInt32Ty());
      llvm::Value* word =
          builder_.CreateShl(builder_.CreateZExt(bits, words), llvm::ConstantInt::get(words, 16));
      result = builder_.CreateBitCast(word, type->getWithNewType(builder_.getFloatTy()));
      if (result->getType() != type) result = builder_.CreateFPExt(result, type);
    } else {
      result = builder_.CreateBitCast(bits, type);
    }
    instruction.replaceAllUsesWith(result);
  }

  llvm::Function& function_;
  llvm::IRBuilder<> builder_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> bits_;
  std::vector<std::pair<llvm::PHINode*, llvm::PHINode*>> phis_;
};

}  // namespace

static void RoundHalvesOnce(llvm::Function& function) {
  std::vector<llvm::FPTruncInst*> conversions;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* conversion = llvm::dyn_cast<llvm::FPTruncInst>(&instruction);
    if (conversion && conversion->getType()->getScalarType()->isHalfTy() &&
        conversion->getOperand(0)->getType()->getScalarType()->isDoubleTy()) {
      conversions.push_back(conversion);
    }
  }
  for (llvm::FPTruncInst* conversion : conversions) {
    llvm::IRBuilder<> builder(conversion);
    llvm::Value* odd = RoundToOdd(builder, conversion->getOperand(0));
    conversion->replaceAllUsesWith(builder.CreateFPTrunc(odd, conversion->getType()));
    conversion->eraseFromParent();
  }
}

void ExpandRounding(llvm::Module& module) {
  for (llvm::Function& function : module) {
    RoundHalvesOnce(function);
    BfloatBits(function).Replace();
  }
}

}  // namespace quern::codegen
