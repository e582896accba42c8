// Loops over elements of the four types, for the element-wise ops.
#ifndef QUERN_FRONTEND_ELEMENTS_H_
#define QUERN_FRONTEND_ELEMENTS_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "bundle/tensor.h"
#include "frontend/evaluate.h"

namespace quern::frontend {

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
void Loop(const std::byte* const* operands, std::byte* result, int64_t count) {
  [&]<size_t... k>(std::index_sequence<k...>) {
    auto* out = reinterpret_cast<typename Out::Memory*>(result);
    for (int64_t i = 0; i < count; ++i) {
      out[i] = Out::Store(
          Function()(In::Load(reinterpret_cast<const typename In::Memory*>(operands[k])[i])...));
    }
  }(std::index_sequence_for<In...>());
}

template <typename Visitor>
Elementwise WithElement(ElementType type, Visitor visit) {
  switch (type) {
    case ElementType::kF32:
      return visit(F32());
    case ElementType::kBF16:
      return visit(BF16());
    case ElementType::kI32:
      return visit(I32());
    case ElementType::kBool:
      return visit(Bool());
    default:
      return nullptr;
  }
  return nullptr;
}

// A function is defined on the types for which it has an overload of its own.
template <typename Function, typename Result, typename... Arguments>
concept Defined = requires(Function function, Arguments... arguments) {
  { function(arguments...) } -> std::same_as<Result>;
};

template <typename Function>
Elementwise Unary(ElementType type) {
  return WithElement(type, []<typename T>(T) -> Elementwise {
    using V = typename T::Value;
    if constexpr (Defined<Function, V, V>) return Loop<T, Function, T>;
    return nullptr;
  });
}

template <typename Function>
Elementwise Binary(ElementType type) {
  return WithElement(type, []<typename T>(T) -> Elementwise {
    using V = typename T::Value;
    if constexpr (Defined<Function, V, V, V>) return Loop<T, Function, T, T>;
    return nullptr;
  });
}

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_ELEMENTS_H_
