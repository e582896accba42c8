#include <bit>
#include <cmath>
#include <concepts>
#include <functional>
#include <limits>
#include <utility>

#include "frontend/evaluate.h"
#include "llvm/ADT/TypeSwitch.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;

// How an element lies in memory, and the type that it is computed in.
struct F32 {
  using Memory = float;
  using Value = float;
  static float Load(float x) { return x; }
  static float Store(float x) { return x; }
};
struct BF16 {
  using Memory = uint16_t;
  using Value = float;
  static float Load(uint16_t x) { return BF16ToF32(x); }
  static uint16_t Store(float x) { return F32ToBF16(x); }
};
struct I32 {
  using Memory = int32_t;
  using Value = int32_t;
  static int32_t Load(int32_t x) { return x; }
  static int32_t Store(int32_t x) { return x; }
};
struct Bool {
  using Memory = uint8_t;
  using Value = bool;
  static bool Load(uint8_t x) { return x != 0; }
  static uint8_t Store(bool x) { return x ? 1 : 0; }
};
template <typename T>
struct Bits {  // for moves, which keep the payload of a NaN
  using Memory = T;
  using Value = T;
  static T Load(T x) { return x; }
  static T Store(T x) { return x; }
};

template <typename Out, typename Function, typename... In>
static void Loop(const std::byte* const* operands, std::byte* result, int64_t count) {
  [&]<size_t... k>(std::index_sequence<k...>) {
    auto* out = reinterpret_cast<typename Out::Memory*>(result);
    for (int64_t i = 0; i < count; ++i) {
      out[i] = Out::Store(
          Function()(In::Load(reinterpret_cast<const typename In::Memory*>(operands[k])[i])...));
    }
  }(std::index_sequence_for<In...>());
}

template <typename Visitor>
static Elementwise WithElement(ElementType type, Visitor visit) {
  switch (type) {
    case ElementType::kF32:
      return visit(F32());
    case ElementType::kBF16:
      return visit(BF16());
    case ElementType::kI32:
      return visit(I32());
    case ElementType::kBool:
      return visit(Bool());
  }
  return nullptr;
}

// A function is defined on the types for which it has an overload of its own.
template <typename Function, typename Result, typename... Arguments>
concept Defined = requires(Function function, Arguments... arguments) {
  { function(arguments...) } -> std::same_as<Result>;
};

template <typename Function>
static Elementwise Unary(ElementType type) {
  return WithElement(type, []<typename T>(T) -> Elementwise {
    using V = typename T::Value;
    if constexpr (Defined<Function, V, V>) return Loop<T, Function, T>;
    return nullptr;
  });
}

template <typename Function>
static Elementwise Binary(ElementType type) {
  return WithElement(type, []<typename T>(T) -> Elementwise {
    using V = typename T::Value;
    if constexpr (Defined<Function, V, V, V>) return Loop<T, Function, T, T>;
    return nullptr;
  });
}

static int32_t Wrap(int64_t x) { return static_cast<int32_t>(static_cast<uint32_t>(x)); }

struct Abs {
  float operator()(float x) const { return std::fabs(x); }
  int32_t operator()(int32_t x) const { return x < 0 ? Wrap(-int64_t{x}) : x; }
};
struct Negate {
  float operator()(float x) const { return -x; }
  int32_t operator()(int32_t x) const { return Wrap(-int64_t{x}); }
};
struct Sign {
  float operator()(float x) const { return x > 0 ? 1.0f : x < 0 ? -1.0f : x; }
  int32_t operator()(int32_t x) const { return x > 0 ? 1 : x < 0 ? -1 : 0; }
};
struct Not {
  int32_t operator()(int32_t x) const { return ~x; }
  bool operator()(bool x) const { return !x; }
};
// A function of floats computed in f64.
template <auto kFunction>
struct InF64 {
  float operator()(float x) const { return static_cast<float>(kFunction(double{x})); }
};

struct Add {
  float operator()(float a, float b) const { return a + b; }
  int32_t operator()(int32_t a, int32_t b) const { return Wrap(int64_t{a} + b); }
  bool operator()(bool a, bool b) const { return a || b; }
};
struct Subtract {
  float operator()(float a, float b) const { return a - b; }
  int32_t operator()(int32_t a, int32_t b) const { return Wrap(int64_t{a} - b); }
};
struct Multiply {
  float operator()(float a, float b) const { return a * b; }
  int32_t operator()(int32_t a, int32_t b) const { return Wrap(int64_t{a} * b); }
  bool operator()(bool a, bool b) const { return a && b; }
};
struct Divide {
  float operator()(float a, float b) const { return a / b; }
  int32_t operator()(int32_t a, int32_t b) const { return b == 0 ? -1 : Wrap(int64_t{a} / b); }
};
struct Remainder {
  float operator()(float a, float b) const { return std::fmod(a, b); }
  int32_t operator()(int32_t a, int32_t b) const { return b == 0 ? a : Wrap(int64_t{a} % b); }
};
// IEEE 754-2019 maximum and minimum: a NaN propagates, and +0 is above -0.
struct Maximum {
  float operator()(float a, float b) const {
    if (std::isnan(a) || std::isnan(b)) return a + b;
    if (a == b) return std::signbit(a) ? b : a;
    return a > b ? a : b;
  }
  int32_t operator()(int32_t a, int32_t b) const { return a > b ? a : b; }
  bool operator()(bool a, bool b) const { return a || b; }
};
struct Minimum {
  float operator()(float a, float b) const {
    if (std::isnan(a) || std::isnan(b)) return a + b;
    if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
  }
  int32_t operator()(int32_t a, int32_t b) const { return a < b ? a : b; }
  bool operator()(bool a, bool b) const { return a && b; }
};
struct Power {
  float operator()(float a, float b) const {
    return static_cast<float>(std::pow(double{a}, double{b}));
  }
  int32_t operator()(int32_t base, int32_t exponent) const {
    if (exponent < 0) {
      if (base == -1) return exponent % 2 == 0 ? 1 : -1;
      return base == 1 ? 1 : 0;
    }
    uint32_t result = 1, factor = static_cast<uint32_t>(base);
    for (auto bits = static_cast<uint32_t>(exponent); bits != 0; bits >>= 1) {
      if (bits & 1) result *= factor;
      factor *= factor;
    }
    return static_cast<int32_t>(result);
  }
};
struct And {
  int32_t operator()(int32_t a, int32_t b) const { return a & b; }
  bool operator()(bool a, bool b) const { return a && b; }
};
struct Or {
  int32_t operator()(int32_t a, int32_t b) const { return a | b; }
  bool operator()(bool a, bool b) const { return a || b; }
};
struct Xor {
  int32_t operator()(int32_t a, int32_t b) const { return a ^ b; }
  bool operator()(bool a, bool b) const { return a != b; }
};

struct IsFinite {
  bool operator()(float x) const { return std::isfinite(x); }
};
struct Select {
  template <typename T>
  T operator()(bool pred, T on_true, T on_false) const {
    return pred ? on_true : on_false;
  }
};
struct Clamp {
  template <typename T>
  T operator()(T low, T x, T high) const {
    return Minimum()(Maximum()(x, low), high);
  }
};

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

static Elementwise Compare(hlo::CompareOp compare, ElementType type) {
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

static Elementwise FindSelect(ElementType type) {
  return WithElement(type, []<typename T>(T) -> Elementwise {
    using B = Bits<typename T::Memory>;
    return Loop<B, Select, Bool, B, B>;
  });
}

static Elementwise FindClamp(ElementType type) {
  return WithElement(type, []<typename T>(T) -> Elementwise { return Loop<T, Clamp, T, T, T>; });
}

static Elementwise FindIsFinite(ElementType type) {
  return WithElement(type, []<typename T>(T) -> Elementwise {
    if constexpr (std::same_as<typename T::Value, float>) return Loop<Bool, IsFinite, T>;
    return nullptr;
  });
}

Elementwise FindElementwise(mlir::Operation& op) {
  if (op.getNumOperands() == 0) return nullptr;
  // select's first operand is the predicate
  std::optional<TensorType> operand =
      hlo::ToTensorType(op.getOperand(op.getNumOperands() - 1).getType());
  if (!operand) return nullptr;
  const ElementType type = operand->element;
  return llvm::TypeSwitch<mlir::Operation*, Elementwise>(&op)
      .Case([&](hlo::AbsOp) { return Unary<Abs>(type); })
      .Case([&](hlo::CeilOp) { return Unary<InF64<[](double x) { return std::ceil(x); }>>(type); })
      .Case([&](hlo::CosineOp) { return Unary<InF64<[](double x) { return std::cos(x); }>>(type); })
      .Case([&](hlo::ExponentialOp) {
        return Unary<InF64<[](double x) { return std::exp(x); }>>(type);
      })
      .Case([&](hlo::ExponentialMinusOneOp) {
        return Unary<InF64<[](double x) { return std::expm1(x); }>>(type);
      })
      .Case(
          [&](hlo::FloorOp) { return Unary<InF64<[](double x) { return std::floor(x); }>>(type); })
      .Case([&](hlo::LogOp) { return Unary<InF64<[](double x) { return std::log(x); }>>(type); })
      .Case([&](hlo::LogPlusOneOp) {
        return Unary<InF64<[](double x) { return std::log1p(x); }>>(type);
      })
      .Case([&](hlo::LogisticOp) {
        return Unary<InF64<[](double x) { return 1 / (1 + std::exp(-x)); }>>(type);
      })
      .Case([&](hlo::NegateOp) { return Unary<Negate>(type); })
      .Case([&](hlo::NotOp) { return Unary<Not>(type); })
      .Case([&](hlo::RsqrtOp) {
        return Unary<InF64<[](double x) { return 1 / std::sqrt(x); }>>(type);
      })
      .Case([&](hlo::SignOp) { return Unary<Sign>(type); })
      .Case([&](hlo::SineOp) { return Unary<InF64<[](double x) { return std::sin(x); }>>(type); })
      .Case([&](hlo::SqrtOp) { return Unary<InF64<[](double x) { return std::sqrt(x); }>>(type); })
      .Case([&](hlo::TanhOp) { return Unary<InF64<[](double x) { return std::tanh(x); }>>(type); })
      .Case([&](hlo::AddOp) { return Binary<Add>(type); })
      .Case([&](hlo::AndOp) { return Binary<And>(type); })
      .Case([&](hlo::DivOp) { return Binary<Divide>(type); })
      .Case([&](hlo::MaxOp) { return Binary<Maximum>(type); })
      .Case([&](hlo::MinOp) { return Binary<Minimum>(type); })
      .Case([&](hlo::MulOp) { return Binary<Multiply>(type); })
      .Case([&](hlo::OrOp) { return Binary<Or>(type); })
      .Case([&](hlo::PowOp) { return Binary<Power>(type); })
      .Case([&](hlo::RemOp) { return Binary<Remainder>(type); })
      .Case([&](hlo::SubtractOp) { return Binary<Subtract>(type); })
      .Case([&](hlo::XorOp) { return Binary<Xor>(type); })
      .Case([&](hlo::ClampOp) { return FindClamp(type); })
      .Case([&](hlo::CompareOp compare) { return Compare(compare, type); })
      .Case([&](hlo::ConvertOp convert) {
        std::optional<TensorType> result = hlo::ToTensorType(convert.getType());
        return result ? FindConversion(type, result->element) : nullptr;
      })
      .Case([&](hlo::IsFiniteOp) { return FindIsFinite(type); })
      .Case([&](hlo::SelectOp) { return FindSelect(type); })
      .Default([](mlir::Operation*) { return nullptr; });
}

}  // namespace quern::frontend
