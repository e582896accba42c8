#include "codegen/float8.h"

#include <bit>
#include <cmath>

#include "ir/stablehlo/stablehlo.h"

namespace quern::codegen {

using Special = SmallFloat::Special;

std::optional<SmallFloat> Float8Format(mlir::Type type) {
  auto floating = llvm::dyn_cast<mlir::FloatType>(type);
  if (!floating || floating.getWidth() != 8) return std::nullopt;
  const std::optional<ElementType> element = stablehlo::ToElementType(type);
  return element ? SmallFormatOf(*element) : std::nullopt;
}

namespace {

// Code on 32-bit words and the floats that they are.
class Words {
 public:
  Words(llvm::IRBuilder<>& builder, llvm::Type* shape)
      : builder_(builder),
        word_(shape->getWithNewType(builder.getInt32Ty())),
        float_(shape->getWithNewType(builder.getFloatTy())) {}

  llvm::Constant* Word(uint32_t value) { return llvm::ConstantInt::get(word_, value); }
  llvm::Value* ToWord(llvm::Value* number) { return builder_.CreateBitCast(number, word_); }
  llvm::Value* ToFloat(llvm::Value* word) { return builder_.CreateBitCast(word, float_); }
  llvm::Value* And(llvm::Value* word, uint32_t mask) {
    return builder_.CreateAnd(word, Word(mask));
  }
  llvm::Value* Choose(llvm::Value* condition, llvm::Value* yes, llvm::Value* no) {
    return builder_.CreateSelect(condition, yes, no);
  }
  llvm::Constant* Power(int exponent) {
    return llvm::ConstantFP::get(float_, std::ldexp(1.0, exponent));
  }
  llvm::Type* word() { return word_; }

 private:
  llvm::IRBuilder<>& builder_;
  llvm::Type *word_, *float_;
};

}  // namespace

llvm::Value* DecodeFloat8(llvm::IRBuilder<>& builder, llvm::Value* bits, SmallFloat format) {
  Words words(builder, bits->getType());
  llvm::Value* code = builder.CreateZExt(bits, words.word());
  if (format.special == Special::kPowersOfTwo) {
    llvm::Value* power = builder.CreateShl(code, words.Word(23));
    power = words.Choose(builder.CreateICmpEQ(code, words.Word(0)), words.Word(0x00400000), power);
    power =
        words.Choose(builder.CreateICmpEQ(code, words.Word(0xff)), words.Word(0x7fc00000), power);
    return words.ToFloat(power);
  }
  llvm::Value* magnitude = words.And(code, format.sign_bit() - 1);
  llvm::Value* placed = builder.CreateShl(magnitude, words.Word(23 - format.mantissa_bits));
  // A power of two moves the exponents apart, and makes normal numbers of what is not.
  llvm::Value* value =
      words.ToWord(builder.CreateFMul(words.ToFloat(placed), words.Power(127 - format.bias)));
  llvm::Value* sign = builder.CreateShl(words.And(code, format.sign_bit()), words.Word(24));
  if (format.special == Special::kMinusZeroIsNan) {
    value = builder.CreateOr(value, sign);
    return words.ToFloat(words.Choose(builder.CreateICmpEQ(code, words.Word(format.sign_bit())),
                                      words.Word(0x7fc00000), value));
  }
  llvm::Value* special = words.Word(0x7f800000);
  const uint32_t mantissa = (1u << format.mantissa_bits) - 1;
  special = builder.CreateOr(special, builder.CreateShl(words.And(magnitude, mantissa),
                                                        words.Word(23 - format.mantissa_bits)));
  llvm::Value* beyond = builder.CreateICmpUGT(magnitude, words.Word(format.largest()));
  return words.ToFloat(builder.CreateOr(words.Choose(beyond, special, value), sign));
}

llvm::Value* EncodeFloat8(llvm::IRBuilder<>& builder, llvm::Value* number, SmallFloat format) {
  Words words(builder, number->getType());
  llvm::Type* byte = number->getType()->getWithNewType(builder.getInt8Ty());
  llvm::Value* word = words.ToWord(number);
  llvm::Value* magnitude = words.And(word, 0x7fffffff);
  llvm::Value* is_nan = builder.CreateICmpUGT(magnitude, words.Word(0x7f800000));
  llvm::Value* code = nullptr;
  if (format.special == Special::kPowersOfTwo) {
    // The one bit of significand is odd: halfway cases go up. Below 2^-126 floats have fewer bits.
    code = builder.CreateLShr(builder.CreateAdd(magnitude, words.Word(0x00400000)), words.Word(23));
    llvm::Value* tiny = builder.CreateICmpULT(magnitude, words.Word(0x00800000));
    llvm::Value* up = builder.CreateICmpUGE(magnitude, words.Word(0x00600000));
    code = words.Choose(tiny, builder.CreateZExt(up, words.word()), code);
    llvm::Value* none = builder.CreateOr(is_nan, builder.CreateICmpUGT(code, words.Word(0xfe)));
    none = builder.CreateOr(none, builder.CreateICmpUGT(word, words.Word(0x80000000)));
    return builder.CreateTrunc(words.Choose(none, words.Word(format.nan()), code), byte);
  }
  const uint32_t cut = 23 - static_cast<uint32_t>(format.mantissa_bits);
  // To nearest even: half of the last place less one, and one more if that place is odd.
  llvm::Value* odd = words.And(builder.CreateLShr(magnitude, words.Word(cut)), 1);
  llvm::Value* rounded = builder.CreateAdd(
      magnitude, builder.CreateAdd(odd, words.Word((uint32_t{1} << (cut - 1)) - 1)));
  code = builder.CreateLShr(rounded, words.Word(cut));
  code = builder.CreateSub(
      code, words.Word(static_cast<uint32_t>(127 - format.bias) << format.mantissa_bits));
  // Below the normal numbers, adding what has their last place as its own rounds to it.
  const int lowest = 1 - format.bias;
  llvm::Constant* magic = words.Power(lowest + static_cast<int>(cut));
  llvm::Value* sum = words.ToWord(builder.CreateFAdd(words.ToFloat(magnitude), magic));
  llvm::Value* below =
      builder.CreateICmpULT(magnitude, words.Word(static_cast<uint32_t>(lowest + 127) << 23));
  code = words.Choose(
      below,
      builder.CreateSub(
          sum, words.Word(static_cast<uint32_t>(lowest + static_cast<int>(cut) + 127) << 23)),
      code);
  llvm::Value* sign = words.And(builder.CreateLShr(word, words.Word(24)), format.sign_bit());
  const bool ieee = format.special == Special::kIeee;
  llvm::Value* over = builder.CreateICmpUGT(code, words.Word(format.largest()));
  code = words.Choose(over, words.Word(ieee ? format.infinity() : format.nan()), code);
  code = words.Choose(is_nan, words.Word(format.nan()), code);
  if (format.special == Special::kMinusZeroIsNan) {
    llvm::Value* unsigned_code =
        builder.CreateOr(builder.CreateICmpEQ(code, words.Word(0)),
                         builder.CreateICmpEQ(code, words.Word(format.nan())));
    sign = words.Choose(unsigned_code, words.Word(0), sign);
  }
  return builder.CreateTrunc(builder.CreateOr(code, sign), byte);
}

}  // namespace quern::codegen
