// Loops over elements of any type, for the element-wise ops.
#ifndef QUERN_FRONTEND_ELEMENTS_H_
#define QUERN_FRONTEND_ELEMENTS_H_

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "bundle/small_float.h"
#include "bundle/tensor.h"
#include "frontend/evaluate.h"

namespace quern::frontend {

template <typename T>
concept Real = std::same_as<T, float> || std::same_as<T, double>;
template <typename T>
concept ComplexNumber =
    std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;
template <typename T>
concept Signed = std::signed_integral<T>;
template <typename T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;
template <typename T>
concept Boolean = std::same_as<T, bool>;

// How an element lies in memory, the type that it is computed in, and its width in bits. Store
// rounds once, also a double that is to become a narrower float.
template <ElementType kElement>
struct Element;

template <typename T, int bits = 8 * sizeof(T)>
struct PlainElement {
  using Memory = T;
  using Value = T;
  static constexpr int kBits = bits;
  static T Load(T x) { return x; }
  static T Store(T x) { return x; }
};
template <>
struct Element<ElementType::kF64> : PlainElement<double> {};
template <>
struct Element<ElementType::kF32> : PlainElement<float> {
  static float Store(float x) { return x; }
  static float Store(double x) { return static_cast<float>(x); }
};
template <ElementType kElement>
  requires(kSmallFloat<kElement>.exponent_bits > 0)
struct Element<kElement> {
  static constexpr SmallFloat kFormat = kSmallFloat<kElement>;
  static constexpr int kBits = kFormat.exponent_bits + kFormat.mantissa_bits > 8 ? 16 : 8;
  using Memory = std::conditional_t<kBits == 16, uint16_t, uint8_t>;
  using Value = float;
  static float Load(Memory x) {
    if constexpr (kElement == ElementType::kBF16) return BF16ToF32(x);
    return DecodeSmall(kFormat, x);
  }
  static Memory Store(float x) {
    if constexpr (kElement == ElementType::kBF16) return F32ToBF16(x);
    return Store(double{x});
  }
  static Memory Store(double x) { return static_cast<Memory>(EncodeSmall(kFormat, x)); }
};
template <>
struct Element<ElementType::kI4> : PlainElement<int8_t, 4> {
  static int8_t Store(int8_t x) { return static_cast<int8_t>(static_cast<int8_t>(x << 4) >> 4); }
};
template <>
struct Element<ElementType::kUI4> : PlainElement<uint8_t, 4> {
  static uint8_t Store(uint8_t x) { return x & 15; }
};
template <>
struct Element<ElementType::kI8> : PlainElement<int8_t> {};
template <>
struct Element<ElementType::kI16> : PlainElement<int16_t> {};
template <>
struct Element<ElementType::kI32> : PlainElement<int32_t> {};
template <>
struct Element<ElementType::kI64> : PlainElement<int64_t> {};
template <>
struct Element<ElementType::kUI8> : PlainElement<uint8_t> {};
template <>
struct Element<ElementType::kUI16> : PlainElement<uint16_t> {};
template <>
struct Element<ElementType::kUI32> : PlainElement<uint32_t> {};
template <>
struct Element<ElementType::kUI64> : PlainElement<uint64_t> {};
template <>
struct Element<ElementType::kBool> {
  using Memory = uint8_t;
  using Value = bool;
  static constexpr int kBits = 1;
  static bool Load(uint8_t x) { return x != 0; }
  static uint8_t Store(bool x) { return x ? 1 : 0; }
};
template <>
struct Element<ElementType::kComplexF32> : PlainElement<std::complex<float>> {
  static std::complex<float> Store(std::complex<double> x) { return std::complex<float>(x); }
};
template <>
struct Element<ElementType::kComplexF64> : PlainElement<std::complex<double>> {};
using Bool = Element<ElementType::kBool>;

// For moves, which keep the payload of a NaN.
template <typename T>
using Bits = PlainElement<T>;

// A function takes values, or first the element (for the width) and then values.
template <typename Function, typename E, typename... Values>
decltype(auto) Call(E element, Values... values) {
  if constexpr (requires(Function f) { f(element, values...); }) {
    return Function()(element, values...);
  } else {
    return Function()(values...);
  }
}

// out[i] = function(operands[0][i], ...); `function` is called with the first operand's element.
template <typename Out, typename Function, typename First, typename... Rest>
struct Loop {
  static void Run(const std::byte* const* operands, std::byte* result, int64_t count) {
    RunOver(operands, result, count, std::index_sequence_for<Rest...>());
  }

 private:
  template <size_t... k>
  static void RunOver(const std::byte* const* operands, std::byte* result, int64_t count,
                      std::index_sequence<k...>) {
    auto* out = reinterpret_cast<typename Out::Memory*>(result);
    const auto* first = reinterpret_cast<const typename First::Memory*>(operands[0]);
    for (int64_t i = 0; i < count; ++i) {
      out[i] = Out::Store(Call<Function>(
          First(), First::Load(first[i]),
          Rest::Load(reinterpret_cast<const typename Rest::Memory*>(operands[k + 1])[i])...));
    }
  }
};

template <typename Visitor>
Elementwise WithElement(ElementType type, Visitor visit) {
  switch (type) {
#define QUERN_ELEMENT_TYPE(enumerator, name, bytes, kind, dlpack, numpy) \
  case ElementType::enumerator:                                          \
    return visit(Element<ElementType::enumerator>());
#include "bundle/element_types.def"
#undef QUERN_ELEMENT_TYPE
  }
  return nullptr;
}

// The element of what a function gives: what it takes, a bool, or a part of a complex number or the
// whole of two parts. A double that a function of floats gives is rounded to its element.
template <typename E, typename Result>
struct ResultOf {
  using Type = E;
};
template <typename E>
struct ResultOf<E, bool> {
  using Type = Bool;
};
template <typename E, Real R>
  requires ComplexNumber<typename E::Value>
struct ResultOf<E, R> {
  using Type = std::conditional_t<std::same_as<typename E::Value, std::complex<float>>,
                                  Element<ElementType::kF32>, Element<ElementType::kF64>>;
};
template <typename E, typename T>
  requires Real<typename E::Value>
struct ResultOf<E, std::complex<T>> {
  using Type = PlainElement<std::complex<T>>;
};

template <typename Function, typename E, size_t... k>
Elementwise LoopOver(std::index_sequence<k...>) {
  using V = typename E::Value;
  auto loop = []<typename... Values>(Values... values) -> Elementwise {
    if constexpr (
        requires(Function f) { f(E(), values...); } || requires(Function f) { f(values...); }) {
      using Result = std::remove_cvref_t<decltype(Call<Function>(E(), values...))>;
      return Loop<typename ResultOf<E, Result>::Type, Function, E,
                  std::conditional_t<true, E, std::integral_constant<size_t, k>>...>::Run;
    }
    return nullptr;
  };
  return loop(V(), (static_cast<void>(k), V())...);
}

// `Function` of kOperands operands of one type; null where it has no overload for it. Overloads are
// constrained templates, so that nothing is converted on the way in.
template <typename Function, size_t kOperands>
Elementwise FindLoop(ElementType type) {
  return WithElement(type, []<typename E>(E) -> Elementwise {
    return LoopOver<Function, E>(std::make_index_sequence<kOperands - 1>());
  });
}

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_ELEMENTS_H_
