#include "verifier/machine/constants.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "bundle/status.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/Support/raw_ostream.h"

namespace quern::verifier {

// Of a constant global.
static constexpr uint64_t kMaxGlobalBytes = 64 << 20;

static absl::Status Unsupported(const std::string& what) { return absl::UnimplementedError(what); }

static std::string Text(const llvm::Constant& constant) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  constant.printAsOperand(stream);
  return text;
}

static Type::Kind Kind(const llvm::Type* type) {
  if (type->isIntegerTy() && type->getIntegerBitWidth() <= 64) return Type::kInt;
  if (type->isHalfTy()) return Type::kHalf;
  if (type->isBFloatTy()) return Type::kBFloat;
  if (type->isFloatTy()) return Type::kFloat;
  if (type->isDoubleTy()) return Type::kDouble;
  if (type->isPointerTy() && type->getPointerAddressSpace() == 0) return Type::kPointer;
  return Type::kVoid;
}

std::optional<Type> DecodeType(const llvm::Type* type) {
  if (type->isVoidTy()) return Type();
  Type decoded;
  if (const auto* vector = llvm::dyn_cast<llvm::VectorType>(type)) {
    const auto* fixed = llvm::dyn_cast<llvm::FixedVectorType>(vector);
    if (fixed == nullptr || fixed->getNumElements() > Type::kMaxLanes) return std::nullopt;
    decoded.lanes = fixed->getNumElements();
    type = fixed->getElementType();
  }
  decoded.kind = Kind(type);
  if (decoded.kind == Type::kVoid) return std::nullopt;
  decoded.bits = decoded.kind == Type::kPointer ? 64 : type->getScalarSizeInBits();
  return decoded;
}

bool InMemory(const Type& type) {
  return type.kind != Type::kPointer &&
         (type.bits == 8 || type.bits == 16 || type.bits == 32 || type.bits == 64);
}

// Appends the image of `constant`, little-endian, without padding after it.
static absl::Status Image(const llvm::Constant& constant, const llvm::DataLayout& layout,
                          uint64_t offset, Global* global) {
  const llvm::Type* type = constant.getType();
  if (llvm::isa<llvm::UndefValue>(constant)) return absl::OkStatus();  // and poison
  if (llvm::isa<llvm::ConstantAggregateZero>(constant)) {
    const uint64_t bytes = layout.getTypeStoreSize(constant.getType()).getFixedValue();
    std::fill_n(global->defined.begin() + offset, bytes, true);
    return absl::OkStatus();
  }
  const std::optional<Type> decoded = DecodeType(type);
  if (decoded.has_value() && decoded->lanes == 1 && !type->isVectorTy()) {
    if (!InMemory(*decoded)) return Unsupported("a constant of type " + Name(*decoded));
    uint64_t bits = 0;
    if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(&constant)) {
      bits = integer->getZExtValue();
    } else if (const auto* real = llvm::dyn_cast<llvm::ConstantFP>(&constant)) {
      bits = real->getValueAPF().bitcastToAPInt().getZExtValue();
    } else {
      return Unsupported("the constant " + Text(constant));
    }
    for (int i = 0; i < decoded->lane_bytes(); ++i) {
      global->bytes[offset + i] = static_cast<char>(bits >> (8 * i));
      global->defined[offset + i] = true;
    }
    return absl::OkStatus();
  }
  uint64_t count = 0;
  if (const auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    count = array->getNumElements();
  } else if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    if (!decoded.has_value() || !InMemory(*decoded)) return Unsupported("a vector constant");
    count = vector->getNumElements();
  } else if (const auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
    count = structure->getNumElements();
  } else {
    return Unsupported("the constant " + Text(constant));
  }
  for (uint64_t i = 0; i < count; ++i) {
    const llvm::Constant* element = constant.getAggregateElement(i);
    if (element == nullptr) return Unsupported("the constant " + Text(constant));
    uint64_t at = 0;
    if (const auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
      at = layout.getStructLayout(const_cast<llvm::StructType*>(structure))->getElementOffset(i);
    } else {
      at = i * (type->isVectorTy() ? decoded->lane_bytes()
                                   : layout.getTypeAllocSize(element->getType()).getFixedValue());
    }
    QUERN_RETURN_IF_ERROR(Image(*element, layout, offset + at, global));
  }
  return absl::OkStatus();
}

absl::StatusOr<int> GlobalTable::Number(const llvm::GlobalVariable& variable) {
  auto [it, fresh] = numbers_.emplace(&variable, static_cast<int>(globals_.size()));
  if (!fresh) return it->second;
  const std::string name = variable.getName().str();
  llvm::Type* type = variable.getValueType();
  if (!variable.isConstant() || !variable.hasDefinitiveInitializer() || variable.isThreadLocal()) {
    return Unsupported("the global @" + name + ", which is not a constant defined here,");
  }
  if (!type->isSized() || layout_.getTypeAllocSize(type).isScalable() ||
      layout_.getTypeAllocSize(type).getFixedValue() > kMaxGlobalBytes) {
    return Unsupported("the size of the global @" + name);
  }
  const uint64_t bytes = layout_.getTypeAllocSize(type).getFixedValue();
  Global global{.name = name,
                .bytes = std::string(bytes, '\0'),
                .defined = std::vector<bool>(bytes),
                .alignment = static_cast<int64_t>(
                    layout_.getValueOrABITypeAlignment(variable.getAlign(), type).value())};
  QUERN_RETURN_IF_ERROR(Image(*variable.getInitializer(), layout_, 0, &global));
  globals_.push_back(std::move(global));
  return it->second;
}

absl::StatusOr<ConstantLane> GlobalTable::DecodeLane(const llvm::Constant& lane) {
  if (llvm::isa<llvm::UndefValue>(lane)) {
    return ConstantLane{.kind = ConstantLane::kPoison, .global = -1, .bits = 0};
  }
  if (lane.isNullValue()) return ConstantLane();
  if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(&lane)) {
    return ConstantLane{.global = -1, .bits = integer->getZExtValue()};
  }
  if (const auto* real = llvm::dyn_cast<llvm::ConstantFP>(&lane)) {
    return ConstantLane{.global = -1, .bits = real->getValueAPF().bitcastToAPInt().getZExtValue()};
  }
  if (lane.getType()->isPointerTy()) {
    llvm::APInt offset(64, 0);
    const llvm::Value* base = lane.stripAndAccumulateConstantOffsets(layout_, offset, true);
    const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(base);
    const int64_t bytes = offset.getSExtValue();
    if (variable != nullptr) {
      QUERN_ASSIGN_OR_RETURN(const int number, Number(*variable));
      // Inside, so that no flag of a folded getelementptr can be violated.
      if (bytes >= 0 && bytes <= static_cast<int64_t>(globals_[number].bytes.size())) {
        return ConstantLane{
            .kind = ConstantLane::kGlobal, .global = number, .bits = static_cast<uint64_t>(bytes)};
      }
    }
  }
  return Unsupported("the constant " + Text(lane));
}

absl::StatusOr<Constant> GlobalTable::Decode(const llvm::Constant& constant) {
  const std::optional<Type> type = DecodeType(constant.getType());
  if (!type.has_value() || type->kind == Type::kVoid) {
    return Unsupported("a constant of this type");
  }
  Constant decoded{.type = *type, .lanes = {}};
  if (!constant.getType()->isVectorTy()) {
    QUERN_ASSIGN_OR_RETURN(ConstantLane lane, DecodeLane(constant));
    decoded.lanes.push_back(lane);
    return decoded;
  }
  for (uint32_t i = 0; i < type->lanes; ++i) {
    const llvm::Constant* element = constant.getAggregateElement(i);
    if (element == nullptr) return Unsupported("the constant " + Text(constant));
    QUERN_ASSIGN_OR_RETURN(ConstantLane lane, DecodeLane(*element));
    decoded.lanes.push_back(lane);
  }
  return decoded;
}

}  // namespace quern::verifier
