#include <cmath>

#include "frontend/elements.h"
#include "llvm/ADT/TypeSwitch.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;

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
      .Case([&](hlo::CompareOp compare) { return FindComparison(compare, type); })
      .Case([&](hlo::ConvertOp convert) {
        std::optional<TensorType> result = hlo::ToTensorType(convert.getType());
        return result ? FindConversion(type, result->element) : nullptr;
      })
      .Case([&](hlo::IsFiniteOp) { return FindIsFinite(type); })
      .Case([&](hlo::SelectOp) { return FindSelect(type); })
      .Default([](mlir::Operation*) { return nullptr; });
}

}  // namespace quern::frontend
