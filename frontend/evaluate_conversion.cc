// convert and compare.
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "frontend/elements.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;

// IEEE totalOrder: -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN.
template <typename Order>
struct TotalOrder {
  static int32_t Key(float x) {
    const auto bits = std::bit_cast<int32_t>(x);
    return bits < 0 ? bits ^ 0x7fffffff : bits;
  }
  bool operator()(float a, float b) const { return Order()(Key(a), Key(b)); }
};

template <typename Order>
static Elementwise Comparison(ElementType type, bool total) {
  return WithElement(type, [total]<typename T>(T) -> Elementwise {
    if constexpr (std::same_as<typename T::Value, float>) {
      if (total) return Loop<Bool, TotalOrder<Order>, T, T>;
    }
    return Loop<Bool, Order, T, T>;
  });
}

Elementwise FindComparison(hlo::CompareOp compare, ElementType type) {
  const bool total = compare.getCompareType() == hlo::ComparisonType::TOTALORDER;
  switch (compare.getComparisonDirection()) {
    case hlo::ComparisonDirection::EQ:
      return Comparison<std::equal_to<>>(type, total);
    case hlo::ComparisonDirection::NE:
      return Comparison<std::not_equal_to<>>(type, total);
    case hlo::ComparisonDirection::GE:
      return Comparison<std::greater_equal<>>(type, total);
    case hlo::ComparisonDirection::GT:
      return Comparison<std::greater<>>(type, total);
    case hlo::ComparisonDirection::LE:
      return Comparison<std::less_equal<>>(type, total);
    case hlo::ComparisonDirection::LT:
      return Comparison<std::less<>>(type, total);
  }
  return nullptr;
}

struct ToF32 {
  template <typename T>
  float operator()(T x) const {
    return static_cast<float>(x);
  }
};
struct I32ToBF16 {
  // Folds the low bits into one that is exact in f32, so that the store rounds once.
  float operator()(int32_t x) const {
    const bool exact = x > -(1 << 24) && x < 1 << 24;
    return static_cast<float>(exact ? x : (x & ~0xff) | ((x & 0xff) != 0 ? 0x80 : 0));
  }
};
struct ToI32 {
  int32_t operator()(float x) const {
    if (std::isnan(x)) return 0;
    if (x >= 0x1p31f) return std::numeric_limits<int32_t>::max();
    if (x < -0x1p31f) return std::numeric_limits<int32_t>::min();
    return static_cast<int32_t>(x);
  }
  int32_t operator()(bool x) const { return x ? 1 : 0; }
};
struct ToBool {
  template <typename T>
  bool operator()(T x) const {
    return x != 0;
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
        return Loop<Bits<typename In::Memory>, Same, Bits<typename In::Memory>>;
      } else if constexpr (std::same_as<Out, I32>) {
        return Loop<Out, ToI32, In>;
      } else if constexpr (std::same_as<Out, Bool>) {
        return Loop<Out, ToBool, In>;
      } else if constexpr (std::same_as<Out, BF16> && std::same_as<In, I32>) {
        return Loop<Out, I32ToBF16, In>;
      } else {
        return Loop<Out, ToF32, In>;
      }
    });
  });
}

}  // namespace quern::frontend
