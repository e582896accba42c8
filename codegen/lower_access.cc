#include <numeric>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "codegen/kernel_lowering.h"

namespace quern::codegen {

using program::AllocOp;
using program::LoadOp;
using program::LoopOp;
using program::StoreOp;

static llvm::FixedVectorType* Vector(llvm::Type* element, int64_t width) {
  return llvm::FixedVectorType::get(element, width);
}

// The dimension along which most vector loops run, the last one if none does.
static size_t FastestDimension(AllocOp alloc) {
  const size_t rank = alloc.getBuffer().getType().getShape().size();
  std::vector<int> votes(rank, 0);
  for (mlir::Operation* user : alloc.getBuffer().getUsers()) {
    auto vote = [&](auto access) {
      for (size_t i = 0; i < rank; ++i) {
        for (auto [number, counter] : llvm::enumerate(access.getCounters())) {
          auto loop = llvm::dyn_cast<LoopOp>(counter.getParentBlock()->getParentOp());
          votes[i] += loop && loop.getMapping() == program::Mapping::Vector &&
                      access.getMap().getResult(i).isFunctionOfDim(number);
        }
      }
    };
    if (auto load = llvm::dyn_cast<LoadOp>(user)) vote(load);
    if (auto store = llvm::dyn_cast<StoreOp>(user)) vote(store);
  }
  size_t fastest = rank - 1;
  for (size_t i = rank; i-- > 0;) {
    if (votes[i] > votes[fastest]) fastest = i;
  }
  return fastest;
}

// Row-major, but for the fastest dimension.
static std::vector<int64_t> RegisterStrides(AllocOp alloc) {
  llvm::ArrayRef<int64_t> shape = alloc.getBuffer().getType().getShape();
  std::vector<int64_t> strides(shape.size(), 1);
  if (shape.empty()) return strides;
  const size_t fastest = FastestDimension(alloc);
  int64_t stride = shape[fastest];
  for (size_t i = shape.size(); i-- > 0;) {
    if (i == fastest) continue;
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

absl::Status KernelLowering::LowerAlloc(AllocOp alloc) {
  program::BufferType type = alloc.getBuffer().getType();
  if (type.getSpace() == program::Space::Scratch) return absl::OkStatus();  // a parameter
  llvm::Type* element = ValueType(type.getElement(), module_.getContext());
  if (!element) return LoweringError(alloc, "has an element type without registers");
  element = StoredType(element);
  int64_t elements = type.num_elements() * (in_vector() ? width_ : 1);
  const int64_t bytes = elements * module_.getDataLayout().getTypeAllocSize(element);
  if (bytes > kMaxRegisterBytes) {
    return LoweringError(alloc, absl::StrCat("register buffer '", alloc.getName().str(), "' of ",
                                             bytes, " bytes; at most ", kMaxRegisterBytes));
  }
  llvm::IRBuilder<>::InsertPointGuard guard(builder_);
  builder_.SetInsertPoint(&function_->getEntryBlock(), function_->getEntryBlock().begin());
  llvm::AllocaInst* base =
      builder_.CreateAlloca(llvm::ArrayType::get(element, elements), nullptr, alloc.getName());
  base->setAlignment(llvm::Align(64));
  buffers_[alloc.getBuffer()] = {.base = base,
                                 .element = element,
                                 .is_signed = false,
                                 .shape = type.getShape().vec(),
                                 .layout = {},
                                 .strides = RegisterStrides(alloc),
                                 .per_lane = in_vector(),
                                 .elements = elements,
                                 .alignment = 64};
  return absl::OkStatus();
}

LinearForm KernelLowering::ToForm(mlir::AffineExpr expression, mlir::ValueRange counters) const {
  if (auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(expression)) {
    return LinearForm::Constant(constant.getValue());
  }
  if (auto dimension = llvm::dyn_cast<mlir::AffineDimExpr>(expression)) {
    return counters_.lookup(counters[dimension.getPosition()]);
  }
  auto binary = llvm::cast<mlir::AffineBinaryOpExpr>(expression);
  LinearForm left = ToForm(binary.getLHS(), counters);
  if (binary.getKind() == mlir::AffineExprKind::Add) {
    return left.Plus(ToForm(binary.getRHS(), counters));
  }
  const int64_t right = ToForm(binary.getRHS(), counters).constant();
  switch (binary.getKind()) {
    case mlir::AffineExprKind::Mul:
      return left.Times(right);
    case mlir::AffineExprKind::FloorDiv:
      return left.FloorDiv(right, ranges_);
    case mlir::AffineExprKind::CeilDiv:
      return left.Plus(LinearForm::Constant(right - 1)).FloorDiv(right, ranges_);
    default:
      return left.Mod(right, ranges_);
  }
}

LinearForm KernelLowering::Offset(const Buffer& buffer, mlir::AffineMap map,
                                  mlir::ValueRange counters) const {
  std::vector<LinearForm> index;
  for (mlir::AffineExpr result : map.getResults()) index.push_back(ToForm(result, counters));
  LinearForm offset;
  if (!buffer.strides.empty() || buffer.shape.empty()) {
    for (size_t i = 0; i < index.size(); ++i)
      offset = offset.Plus(index[i].Times(buffer.strides[i]));
  } else if (buffer.layout.row_major()) {
    for (size_t i = 0; i < index.size(); ++i) offset = offset.Times(buffer.shape[i]).Plus(index[i]);
  } else {
    for (const LayoutDigit& digit : buffer.layout.digits) {
      LinearForm part = index[digit.dimension].FloorDiv(digit.divisor, ranges_);
      offset = offset.Times(digit.extent).Plus(part.Mod(digit.extent, ranges_));
    }
  }
  if (!buffer.per_lane) return offset;
  return offset.Times(width_).Plus(fixed_lane_ ? LinearForm::Constant(*fixed_lane_)
                                               : LinearForm::Counter(lane_));
}

llvm::Value* KernelLowering::TermValue(const Term& term) {
  if (!term.quotient) return counter_values_[term.counter];
  LinearForm dividend = term.quotient->dividend;
  const int64_t divisor = term.quotient->divisor;
  // Shifted so that it is never negative: unsigned division rounds down.
  int64_t shift = 0;
  if (std::optional<Range> range = dividend.RangeOf(ranges_); range && range->low < 0) {
    shift = (-range->low + divisor - 1) / divisor;
    dividend = dividend.Plus(LinearForm::Constant(shift * divisor));
  }
  llvm::Value* quotient =
      builder_.CreateUDiv(FormValue(dividend), builder_.getInt64(divisor), "quotient");
  return shift == 0 ? quotient : builder_.CreateNSWSub(quotient, builder_.getInt64(shift));
}

llvm::Value* KernelLowering::FormValue(const LinearForm& form) {
  llvm::Value* sum = nullptr;
  LinearForm so_far;
  auto add = [&](llvm::Value* value, const LinearForm& next) {
    so_far = so_far.Plus(next);
    std::optional<Range> a = next.RangeOf(ranges_), b = so_far.RangeOf(ranges_);
    const bool bounded = a && b;
    const bool positive = bounded && a->low >= 0 && b->low >= 0;
    sum = sum ? builder_.CreateAdd(sum, value, "", positive, bounded) : value;
  };
  for (const auto& [term, coefficient] : form.terms()) {
    LinearForm part = LinearForm::Of(term, coefficient);
    std::optional<Range> range = part.RangeOf(ranges_);
    llvm::Value* value = TermValue(term);
    if (coefficient != 1) {
      value = builder_.CreateMul(value, builder_.getInt64(coefficient), "",
                                 range && range->low >= 0 && coefficient > 0, range.has_value());
    }
    add(value, part);
  }
  if (form.constant() != 0 || !sum) {
    add(builder_.getInt64(form.constant()), LinearForm::Constant(form.constant()));
  }
  return sum;
}

// One getelementptr a term, outer counters first, so that what an inner loop does not change leaves
// it, and the constant last, where it becomes a displacement.
llvm::Value* KernelLowering::Pointer(const Buffer& buffer, const LinearForm& offset) {
  llvm::Value* pointer = buffer.base;
  LinearForm so_far;
  auto advance = [&](llvm::Value* by, const LinearForm& part) {
    so_far = so_far.Plus(part);
    std::optional<Range> range = so_far.RangeOf(ranges_);
    const bool inside = range && range->low >= 0 && range->high <= buffer.elements;
    pointer = builder_.CreateGEP(
        buffer.element, pointer, by, "",
        inside ? llvm::GEPNoWrapFlags::inBounds() : llvm::GEPNoWrapFlags::none());
  };
  for (const auto& [term, coefficient] : offset.terms()) {
    LinearForm part = LinearForm::Of(term, coefficient);
    advance(FormValue(part), part);
  }
  if (offset.constant() != 0) {
    advance(builder_.getInt64(offset.constant()), LinearForm::Constant(offset.constant()));
  }
  return pointer;
}

llvm::Align KernelLowering::Alignment(const Buffer& buffer, const LinearForm& offset) const {
  const int64_t size = module_.getDataLayout().getTypeAllocSize(buffer.element);
  return llvm::Align(std::gcd(buffer.alignment, size * offset.PowerOfTwo(buffer.alignment)));
}

llvm::Value* KernelLowering::LoadOne(const Buffer& buffer, const LinearForm& offset,
                                     llvm::Type* type) {
  llvm::Value* value = builder_.CreateAlignedLoad(buffer.element, Pointer(buffer, offset),
                                                  Alignment(buffer, offset));
  return FromStored(value, type);
}

llvm::Value* KernelLowering::FromStored(llvm::Value* value, llvm::Type* type) {
  if (value->getType()->getScalarType() == type) return value;
  if (type->isIntegerTy(1)) {
    return builder_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
  }
  return builder_.CreateTrunc(value, value->getType()->getWithNewType(type));
}

absl::Status KernelLowering::LowerLoad(LoadOp load) {
  const Buffer buffer = buffers_.lookup(load.getBuffer());
  llvm::Type* type = ValueType(load.getValue().getType(), module_.getContext());
  const LinearForm offset = Offset(buffer, load.getMap(), load.getCounters());
  llvm::Value*& value = values_[load.getValue()];
  if (!in_vector() || !offset.DependsOn(lane_)) {
    value = LoadOne(buffer, offset, type);
    return absl::OkStatus();
  }
  if (offset.Stride(lane_) == 1) {
    const LinearForm start = offset.Without(lane_);
    value = builder_.CreateAlignedLoad(Vector(buffer.element, width_), Pointer(buffer, start),
                                       Alignment(buffer, start));
    value = FromStored(value, type);
    return absl::OkStatus();
  }
  value = llvm::PoisonValue::get(Vector(type, width_));
  for (int64_t lane = 0; lane < width_; ++lane) {
    llvm::Value* one = LoadOne(buffer, offset.At(lane_, lane, ranges_), type);
    value = builder_.CreateInsertElement(value, one, builder_.getInt64(lane));
  }
  return absl::OkStatus();
}

absl::Status KernelLowering::LowerStore(StoreOp store) {
  const Buffer buffer = buffers_.lookup(store.getBuffer());
  const LinearForm offset = Offset(buffer, store.getMap(), store.getCounters());
  llvm::Value* value = Operand(store.getValue());
  if (value->getType()->getScalarType() != buffer.element) {
    llvm::Type* stored = value->getType()->getWithNewType(buffer.element);
    value =
        buffer.is_signed ? builder_.CreateSExt(value, stored) : builder_.CreateZExt(value, stored);
  }
  if (!in_vector()) {
    builder_.CreateAlignedStore(value, Pointer(buffer, offset), Alignment(buffer, offset));
    return absl::OkStatus();
  }
  if (!value->getType()->isVectorTy()) value = builder_.CreateVectorSplat(width_, value);
  if (offset.Stride(lane_) == 1) {
    const LinearForm start = offset.Without(lane_);
    builder_.CreateAlignedStore(value, Pointer(buffer, start), Alignment(buffer, start));
    return absl::OkStatus();
  }
  for (int64_t lane = 0; lane < width_; ++lane) {
    const LinearForm at = offset.At(lane_, lane, ranges_);
    builder_.CreateAlignedStore(builder_.CreateExtractElement(value, builder_.getInt64(lane)),
                                Pointer(buffer, at), Alignment(buffer, at));
  }
  return absl::OkStatus();
}

}  // namespace quern::codegen
