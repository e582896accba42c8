#include "verifier/real/function_names.h"

#include <algorithm>
#include <array>

#include "verifier/machine/library.h"

namespace quern::verifier {

std::string RealFunctionOf(Intrinsic intrinsic) {
  switch (intrinsic) {
    case Intrinsic::kFma:
      return "fma";
    case Intrinsic::kFAbs:
      return "abs";
    case Intrinsic::kCopySign:
      return "copysign";
    case Intrinsic::kSqrt:
      return "sqrt";
    case Intrinsic::kMinNum:
    case Intrinsic::kMinimum:
    case Intrinsic::kMinimumNum:
      return "min";
    case Intrinsic::kMaxNum:
    case Intrinsic::kMaximum:
    case Intrinsic::kMaximumNum:
      return "max";
    case Intrinsic::kFloor:
      return "floor";
    case Intrinsic::kCeil:
      return "ceil";
    case Intrinsic::kTruncate:
      return "trunc";
    case Intrinsic::kRint:
    case Intrinsic::kNearbyInt:
    case Intrinsic::kRoundEven:
      return "roundeven";  // in the default rounding mode
    case Intrinsic::kRound:
      return "round";
    case Intrinsic::kSMin:
    case Intrinsic::kSMax:
    case Intrinsic::kUMin:
    case Intrinsic::kUMax:
    case Intrinsic::kAbs:
      return "";
    case Intrinsic::kExp:
      return "exp";
    case Intrinsic::kExp2:
      return "exp2";
    case Intrinsic::kLog:
      return "log";
    case Intrinsic::kLog2:
      return "log2";
    case Intrinsic::kLog10:
      return "log10";
    case Intrinsic::kSin:
      return "sin";
    case Intrinsic::kCos:
      return "cos";
    case Intrinsic::kTan:
      return "tan";
    case Intrinsic::kTanh:
      return "tanh";
    case Intrinsic::kPow:
      return "pow";
  }
  return "";
}

std::string RealFunctionOf(std::string_view name) {
  const LibraryFunction* function = FindLibraryFunction(name);
  if (function == nullptr) return "";
  if (function->contract != nullptr) return std::string(function->contract->name);
  std::string real(name);
  if (function->kind == Type::kFloat) real.pop_back();
  if (real == "fabs") return "abs";
  if (real == "fmax") return "max";
  if (real == "fmin") return "min";
  if (real == "rint") return "roundeven";  // in the default rounding mode
  return real;
}

double UnitsOf(std::string_view name) {
  const LibraryFunction* function = FindLibraryFunction(name);
  const bool known = function != nullptr && function->contract != nullptr;
  return known ? 2 * function->contract->ulp : kLibraryUnits;
}

bool IsContinuous(std::string_view function) {
  // Where they are defined.
  static constexpr std::array<std::string_view, 23> kContinuous = {
      "acos",  "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos",
      "cosh",  "erf",   "erfc", "exp",   "exp2", "expm1", "log",  "log10",
      "log1p", "log2",  "pow",  "sin",   "sinh", "sqrt",  "tanh"};
  return std::find(kContinuous.begin(), kContinuous.end(), function) != kContinuous.end();
}

}  // namespace quern::verifier
