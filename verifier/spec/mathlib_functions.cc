#include "verifier/spec/mathlib_functions.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"

namespace quern::verifier {

const mathlib::Contract* MathlibFunction(SpecOp op) {
  switch (op) {
    case SpecOp::kCosine:
      return mathlib::FindContract("quern_cos_f32");
    case SpecOp::kErf:
      return mathlib::FindContract("quern_erf_f32");
    case SpecOp::kExponential:
    case SpecOp::kLogistic:
      return mathlib::FindContract("quern_exp_f32");
    case SpecOp::kExponentialMinusOne:
      return mathlib::FindContract("quern_expm1_f32");
    case SpecOp::kLog:
      return mathlib::FindContract("quern_log_f32");
    case SpecOp::kLogPlusOne:
      return mathlib::FindContract("quern_log1p_f32");
    case SpecOp::kPower:
      return mathlib::FindContract("quern_pow_f32");
    case SpecOp::kSine:
      return mathlib::FindContract("quern_sin_f32");
    case SpecOp::kTanh:
      return mathlib::FindContract("quern_tanh_f32");
    default:
      return nullptr;
  }
}

std::vector<std::string> DefineByMathlib(const std::vector<std::string>& symbols,
                                         SpecGraph* graph) {
  std::set<std::string> definitions;
  for (SpecNode& node : graph->nodes) {
    const mathlib::Contract* contract = MathlibFunction(node.op);
    if (contract == nullptr ||
        std::find(symbols.begin(), symbols.end(), contract->symbol) == symbols.end()) {
      continue;
    }
    node.mathlib = true;
    definitions.insert(absl::StrCat(std::string(contract->name),
                                    " of f32 is defined as mathlib's, version ",
                                    contract->version));
  }
  return {definitions.begin(), definitions.end()};
}

}  // namespace quern::verifier
