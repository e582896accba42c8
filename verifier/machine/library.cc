#include "verifier/machine/library.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace quern::verifier {

template <float (*F)(float)>
static double Float1(const double* x) {
  return F(static_cast<float>(x[0]));
}

template <float (*F)(float, float)>
static double Float2(const double* x) {
  return F(static_cast<float>(x[0]), static_cast<float>(x[1]));
}

template <double (*F)(double)>
static double Double1(const double* x) {
  return F(x[0]);
}

template <double (*F)(double, double)>
static double Double2(const double* x) {
  return F(x[0], x[1]);
}

static double Fmaf(const double* x) {
  return std::fma(static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2]));
}

static double Fma(const double* x) { return std::fma(x[0], x[1], x[2]); }

#define QUERN_UNARY(name)                                  \
  {#name, Type::kDouble, 1, Double1<::name>, nullptr}, {   \
    #name "f", Type::kFloat, 1, Float1<::name##f>, nullptr \
  }
#define QUERN_BINARY(name)                                 \
  {#name, Type::kDouble, 2, Double2<::name>, nullptr}, {   \
    #name "f", Type::kFloat, 2, Float2<::name##f>, nullptr \
  }

static constexpr LibraryFunction kLibrary[] = {
    QUERN_UNARY(acos),
    QUERN_UNARY(acosh),
    QUERN_UNARY(asin),
    QUERN_UNARY(asinh),
    QUERN_UNARY(atan),
    QUERN_UNARY(atanh),
    QUERN_UNARY(cbrt),
    QUERN_UNARY(ceil),
    QUERN_UNARY(cos),
    QUERN_UNARY(cosh),
    QUERN_UNARY(erf),
    QUERN_UNARY(erfc),
    QUERN_UNARY(exp),
    QUERN_UNARY(exp2),
    QUERN_UNARY(expm1),
    QUERN_UNARY(fabs),
    QUERN_UNARY(floor),
    QUERN_UNARY(log),
    QUERN_UNARY(log10),
    QUERN_UNARY(log1p),
    QUERN_UNARY(log2),
    QUERN_UNARY(rint),
    QUERN_UNARY(roundeven),
    QUERN_UNARY(round),
    QUERN_UNARY(sin),
    QUERN_UNARY(sinh),
    QUERN_UNARY(sqrt),
    QUERN_UNARY(tan),
    QUERN_UNARY(tanh),
    QUERN_UNARY(trunc),
    QUERN_BINARY(atan2),
    QUERN_BINARY(copysign),
    QUERN_BINARY(fmax),
    QUERN_BINARY(fmin),
    QUERN_BINARY(fmod),
    QUERN_BINARY(pow),
    {"fmaf", Type::kFloat, 3, Fmaf, nullptr},
    {"fma", Type::kDouble, 3, Fma, nullptr},
};

#undef QUERN_UNARY
#undef QUERN_BINARY

static const std::vector<LibraryFunction>& Functions() {
  static const auto& functions = *[] {
    auto* list = new std::vector<LibraryFunction>(std::begin(kLibrary), std::end(kLibrary));
    for (const mathlib::Contract& contract : mathlib::Contracts()) {
      list->push_back({contract.symbol, Type::kFloat, contract.arguments, nullptr, &contract});
    }
    return list;
  }();
  return functions;
}

double LibraryFunction::Evaluate(const double* arguments) const {
  if (contract == nullptr) return library(arguments);
  float narrow[2] = {};
  std::copy_n(arguments, contract->arguments, narrow);
  return contract->evaluate(narrow);
}

const LibraryFunction* FindLibraryFunction(std::string_view name) {
  for (const LibraryFunction& function : Functions()) {
    if (name == function.name) return &function;
  }
  return nullptr;
}

const LibraryFunction* FindLanes(std::string_view symbol, const Type& type, int arguments) {
  uint32_t lanes = 1;
  if (const auto callee = mathlib::ParseSymbol(symbol)) {
    symbol = callee->contract->symbol;
    lanes = static_cast<uint32_t>(callee->lanes);
  }
  const LibraryFunction* function = FindLibraryFunction(symbol);
  const bool fits = function != nullptr && function->kind == type.kind && lanes == type.lanes &&
                    function->arguments == arguments;
  return fits ? function : nullptr;
}

}  // namespace quern::verifier
