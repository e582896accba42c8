#include "frontend/wiring.h"

#include <cassert>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "ir/stablehlo/constant.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/DenseMap.h"

namespace quern::frontend {

absl::StatusOr<Wiring> WiringOf(const Spec& model, const Partition& partition) {
  Wiring wiring;
  llvm::DenseMap<mlir::Value, std::string> names;
  for (mlir::BlockArgument argument : model.main().getArguments())
    names[argument] = absl::StrCat("argument ", argument.getArgNumber());
  const auto name_of = [&](mlir::Value value) -> absl::StatusOr<std::string> {
    if (auto found = names.find(value); found != names.end()) return found->second;
    auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
    assert(constant && "a step takes what no earlier one gives");
    QUERN_ASSIGN_OR_RETURN(Tensor tensor, stablehlo::ToTensor(constant.getValue()));
    wiring.constants.push_back(std::move(tensor));
    return names[value] = absl::StrCat("constant ", wiring.constants.size() - 1);
  };
  int64_t values = 0;
  for (const Step& step : partition.steps) {
    Wiring::Step& named = wiring.steps.emplace_back();
    named.part = step.part;
    for (mlir::Value argument : step.arguments) {
      QUERN_ASSIGN_OR_RETURN(std::string name, name_of(argument));
      named.arguments.push_back(std::move(name));
    }
    for (mlir::Value result : step.results) {
      names[result] = absl::StrCat("value ", values++);
      named.results.push_back(names[result]);
    }
  }
  for (mlir::Value result : model.main().getBody().front().getTerminator()->getOperands()) {
    QUERN_ASSIGN_OR_RETURN(std::string name, name_of(result));
    wiring.results.push_back(std::move(name));
  }
  return wiring;
}

}  // namespace quern::frontend
