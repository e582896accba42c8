// convert, compare, reduce_precision and bitcast_convert.
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "bundle/status.h"
#include "frontend/arithmetic.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;

// ---- compare

// IEEE totalOrder: -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN.
static int32_t TotalKey(float x) {
  const auto bits = std::bit_cast<int32_t>(x);
  return bits < 0 ? bits ^ std::numeric_limits<int32_t>::max() : bits;
}
static int64_t TotalKey(double x) {
  const auto bits = std::bit_cast<int64_t>(x);
  return bits < 0 ? bits ^ std::numeric_limits<int64_t>::max() : bits;
}

template <hlo::ComparisonDirection kDirection>
struct Compare {
  template <typename T>
  bool operator()(T a, T b) const {
    switch (kDirection) {
      case hlo::ComparisonDirection::EQ:
        return a == b;
      case hlo::ComparisonDirection::NE:
        return a != b;
      case hlo::ComparisonDirection::GE:
        return Less()(b, a) || a == b;
      case hlo::ComparisonDirection::GT:
        return Less()(b, a);
      case hlo::ComparisonDirection::LE:
        return Less()(a, b) || a == b;
      case hlo::ComparisonDirection::LT:
        return Less()(a, b);
    }
  }
};

template <typename Order>
struct InTotalOrder {
  bool operator()(Real auto a, Real auto b) const { return Order()(TotalKey(a), TotalKey(b)); }
};

template <hlo::ComparisonDirection kDirection>
static Elementwise Comparison(ElementType type, bool total) {
  using Order = Compare<kDirection>;
  return total ? FindLoop<InTotalOrder<Order>, 2>(type) : FindLoop<Order, 2>(type);
}

Elementwise FindComparison(hlo::CompareOp compare, ElementType type) {
  using enum hlo::ComparisonDirection;
  const bool total = compare.getCompareType() == hlo::ComparisonType::TOTALORDER;
  switch (compare.getComparisonDirection()) {
    case EQ:
      return Comparison<EQ>(type, total);
    case NE:
      return Comparison<NE>(type, total);
    case GE:
      return Comparison<GE>(type, total);
    case GT:
      return Comparison<GT>(type, total);
    case LE:
      return Comparison<LE>(type, total);
    case LT:
      return Comparison<LT>(type, total);
  }
  return nullptr;
}

// ---- convert

// Toward zero; what does not fit becomes the nearest integer that does, NaN becomes 0.
template <Integer T>
static T Truncate(double x, int bits) {
  if (std::isnan(x)) return 0;
  const double high = std::ldexp(1.0, Signed<T> ? bits - 1 : bits);
  const double low = Signed<T> ? -high : 0;
  if (x >= high) return static_cast<T>(~uint64_t{0} >> (64 - bits + (Signed<T> ? 1 : 0)));
  if (x <= low) return Signed<T> ? static_cast<T>(~uint64_t{0} << (bits - 1)) : T(0);
  return static_cast<T>(x);
}

// A double that rounds to any format of at most 16 bits as x does: what lies below its last bit is
// folded into that bit.
template <Integer T>
static double RoundToOdd(T x) {
  const bool negative = x < 0;
  uint64_t size = negative ? -static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
  if (size >> 53 != 0) size = (size | ((size & 0x7ff) != 0 ? 0x800 : 0)) & ~uint64_t{0x7ff};
  return negative ? -static_cast<double>(size) : static_cast<double>(size);
}

template <typename Out>
struct ConvertTo {
  using To = typename Out::Value;
  template <typename T>
  auto operator()(T x) const {
    if constexpr (ComplexNumber<To> && ComplexNumber<T>) {
      return To(x);
    } else if constexpr (ComplexNumber<T> && !Boolean<To>) {
      return (*this)(x.real());
    } else if constexpr (ComplexNumber<To>) {
      return To(static_cast<typename To::value_type>(x));
    } else if constexpr (Boolean<To>) {
      return x != T(0);
    } else if constexpr (Real<To>) {
      // Out::Store rounds once: from a double, which is exact but for large integers.
      if constexpr (Integer<T> && sizeof(typename Out::Memory) < sizeof(float)) {
        return RoundToOdd(x);
      } else if constexpr (Real<T>) {
        return x;
      } else {
        return static_cast<To>(x);
      }
    } else if constexpr (Real<T>) {
      return Truncate<To>(x, Out::kBits);
    } else {
      return static_cast<To>(x);
    }
  }
};
struct Same {
  template <typename T>
  T operator()(T x) const {
    return x;
  }
};

Elementwise FindConversion(ElementType from, ElementType to) {
  return WithElement(from, [to]<typename In>(In) -> Elementwise {
    return WithElement(to, []<typename Out>(Out) -> Elementwise {
      if constexpr (std::same_as<In, Out>) {
        return Loop<Bits<typename In::Memory>, Same, Bits<typename In::Memory>>::Run;
      } else {
        return Loop<Out, ConvertTo<Out>, In>::Run;
      }
    });
  });
}

absl::StatusOr<Tensor> Convert(Tensor tensor, ElementType element) {
  if (tensor.type().element == element) return tensor;
  QUERN_ASSIGN_OR_RETURN(Tensor result,
                         Tensor::Create({.element = element, .shape = tensor.type().shape}));
  const std::byte* operand = tensor.data();
  FindConversion(tensor.type().element, element)(&operand, result.data(),
                                                 tensor.type().num_elements());
  return result;
}

// ---- reduce_precision

// The bits of a float of `exponent` and `mantissa` bits, rounded to fewer of both: to nearest even,
// to infinity above the new range, to zero below its normal numbers. A NaN stays one where a bit of
// mantissa is left for it.
struct Precision {
  int exponent, mantissa;

  uint64_t Reduce(uint64_t bits, Precision to) const {
    const uint64_t sign = bits & uint64_t{1} << (exponent + mantissa);
    const uint64_t infinity = ((uint64_t{1} << exponent) - 1) << mantissa;
    uint64_t magnitude = bits ^ sign;
    if (magnitude > infinity)
      return to.mantissa > 0 ? bits | uint64_t{1} << (mantissa - 1) : sign | infinity;
    if (const int cut = mantissa - to.mantissa; cut > 0) {
      const uint64_t last = magnitude >> cut & 1;
      magnitude += (uint64_t{1} << (cut - 1)) - 1 + last;
      magnitude &= ~uint64_t{0} << cut;
    }
    if (to.exponent >= exponent) return sign | magnitude;
    const int bias = (1 << (exponent - 1)) - 1, to_bias = (1 << (to.exponent - 1)) - 1;
    const int biased = static_cast<int>(magnitude >> mantissa);
    if (biased > bias + to_bias) magnitude = infinity;
    if (biased <= bias - to_bias) magnitude = 0;
    return sign | magnitude;
  }
};

template <typename E>
static constexpr Precision PrecisionOf() {
  if constexpr (std::same_as<E, Element<ElementType::kF64>>) return {11, 52};
  if constexpr (std::same_as<E, Element<ElementType::kF32>>) return {8, 23};
  if constexpr (requires { E::kFormat; }) {
    if (E::kFormat.special == SmallFloat::Special::kIeee)
      return {E::kFormat.exponent_bits, E::kFormat.mantissa_bits};
  }
  return {0, 0};
}

Elementwise FindReducePrecision(ElementType type, int exponent_bits, int mantissa_bits) {
  const Precision to = {exponent_bits, mantissa_bits};
  return WithElement(type, [to]<typename E>(E) -> Elementwise {
    if constexpr (PrecisionOf<E>().exponent > 0) {
      using Word =
          std::conditional_t<E::kBits == 64, uint64_t,
                             std::conditional_t<E::kBits == 32, uint32_t, typename E::Memory>>;
      return [to](const std::byte* const* operands, std::byte* result, int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
          reinterpret_cast<Word*>(result)[i] = static_cast<Word>(
              PrecisionOf<E>().Reduce(reinterpret_cast<const Word*>(operands[0])[i], to));
        }
      };
    }
    return nullptr;
  });
}

// ---- bitcast_convert

// As bits one after the other, the lowest of an element first.
static absl::StatusOr<Tensor> Bitcast(hlo::BitcastConvertOp op, Lookup value) {
  const Tensor& operand = value(op.getOperand());
  QUERN_ASSIGN_OR_RETURN(Tensor result, Tensor::Create(*hlo::ToTensorType(op.getType())));
  const int from = BitWidth(operand.type().element), to = BitWidth(result.type().element);
  const auto* in = operand.as<uint8_t>();
  auto* out = result.as<uint8_t>();
  if (from >= 8 && to >= 8) {
    std::copy_n(in, operand.type().num_bytes(), out);
    return result;
  }
  const int64_t in_stride = from < 8 ? 8 : from, out_stride = to < 8 ? 8 : to;
  for (int64_t i = 0, bits = operand.type().num_elements() * from; i < bits; ++i) {
    const int64_t a = i / from * in_stride + i % from, b = i / to * out_stride + i % to;
    out[b / 8] |= static_cast<uint8_t>((in[a / 8] >> a % 8 & 1) << b % 8);
  }
  if (result.type().element == ElementType::kI4) {
    for (int64_t i = 0; i < result.type().num_elements(); ++i)
      out[i] = static_cast<uint8_t>(Element<ElementType::kI4>::Store(static_cast<int8_t>(out[i])));
  }
  return result;
}

Evaluator FindBitcast(mlir::Operation& op) {
  if (!llvm::isa<hlo::BitcastConvertOp>(op)) return nullptr;
  return Single<hlo::BitcastConvertOp, Bitcast>;
}

}  // namespace quern::frontend
