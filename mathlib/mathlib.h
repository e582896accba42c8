// Functions on f32 that kernels call by name, and what may be relied on of each.
#ifndef QUERN_MATHLIB_MATHLIB_H_
#define QUERN_MATHLIB_MATHLIB_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace quern::mathlib {

// functions.def says what the fields mean.
struct Contract {
  std::string_view name;    // "exp"
  std::string_view symbol;  // "quern_exp_f32"
  int arguments = 1;
  int version = 1;
  double ulp = 0;
  double low = 0, high = 0;
  int order = 0;
  float (*evaluate)(const float* arguments) = nullptr;
};

std::span<const Contract> Contracts();
// By its symbol for a scalar; null if there is none.
const Contract* FindContract(std::string_view symbol);

struct Callee {
  const Contract* contract = nullptr;
  int lanes = 1;  // at least 2 of a vector
};
// Of "quern_exp_f32" or "quern_exp_f32x8".
std::optional<Callee> ParseSymbol(std::string_view symbol);
std::string SymbolOf(const Contract& contract, int lanes);

}  // namespace quern::mathlib

#endif  // QUERN_MATHLIB_MATHLIB_H_
