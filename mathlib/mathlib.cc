#include "mathlib/mathlib.h"

#include <charconv>
#include <cmath>

#include "mathlib/functions.h"
#include "mathlib/scalar.h"

namespace quern::mathlib {

template <float (Functions<Scalar>::*Function)(float)>
static float Call(const float* x) {
  Scalar scalar;
  return (Functions<Scalar>(scalar).*Function)(x[0]);
}

template <float (Functions<Scalar>::*Function)(float, float)>
static float Call(const float* x) {
  Scalar scalar;
  return (Functions<Scalar>(scalar).*Function)(x[0], x[1]);
}

static constexpr Contract kContracts[] = {
#define QUERN_MATHLIB(name, member, arguments, version, ulp, low, high, order) \
  {#name, "quern_" #name "_f32",           arguments, version, ulp, low, high, \
   order, Call<&Functions<Scalar>::member>},
#include "mathlib/functions.def"
#undef QUERN_MATHLIB
};

std::span<const Contract> Contracts() { return kContracts; }

const Contract* FindContract(std::string_view symbol) {
  for (const Contract& contract : kContracts) {
    if (symbol == contract.symbol) return &contract;
  }
  return nullptr;
}

std::string SymbolOf(const Contract& contract, int lanes) {
  std::string symbol(contract.symbol);
  return lanes == 1 ? symbol : symbol + "x" + std::to_string(lanes);
}

std::optional<Callee> ParseSymbol(std::string_view symbol) {
  if (const Contract* contract = FindContract(symbol)) return Callee{contract, 1};
  const size_t x = symbol.rfind('x');
  if (x == std::string_view::npos) return std::nullopt;
  Callee callee{.contract = FindContract(symbol.substr(0, x))};
  const std::string_view digits = symbol.substr(x + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), callee.lanes);
  if (callee.contract == nullptr || callee.lanes < 2 ||
      SymbolOf(*callee.contract, callee.lanes) != symbol) {
    return std::nullopt;
  }
  return callee;
}

}  // namespace quern::mathlib
