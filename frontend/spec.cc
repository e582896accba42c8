#include "frontend/spec.h"

#include "absl/strings/str_cat.h"
#include "bundle/digest.h"
#include "bundle/status.h"
#include "frontend/expand.h"
#include "frontend/expand_chlo.h"
#include "frontend/inline.h"
#include "frontend/source.h"
#include "frontend/support.h"
#include "ir/stablehlo/stablehlo.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace quern::frontend {

mlir::func::FuncOp Spec::main() const {
  return mlir::cast<mlir::func::FuncOp>(module.get().getBody()->front());
}

static mlir::func::FuncOp FindEntry(mlir::ModuleOp module) {
  if (auto main = module.lookupSymbol<mlir::func::FuncOp>("main")) return main;
  mlir::func::FuncOp only;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (!function.isPublic()) continue;
    if (only) return {};
    only = function;
  }
  return only;
}

// Removes what says nothing about values.
static void StripAttributes(mlir::ModuleOp module, mlir::func::FuncOp main) {
  module->setAttrs(mlir::DictionaryAttr::get(module.getContext()));
  module.setSymName(std::nullopt);
  main.removeArgAttrsAttr();
  main.removeResAttrsAttr();
  main.walk([](mlir::Operation* op) {
    op->setDiscardableAttrs(mlir::DictionaryAttr::get(op->getContext()));
  });
  main.walk([](stablehlo::DotGeneralOp dot) { dot.removePrecisionConfigAttr(); });
  main.walk([](stablehlo::ConvolutionOp convolution) { convolution.removePrecisionConfigAttr(); });
  main.walk([](stablehlo::CompareOp compare) {
    if (compare.getCompareType() != stablehlo::ComparisonType::TOTALORDER)
      compare.removeCompareTypeAttr();  // the element type implies it
  });
}

static void EraseDeadOps(mlir::func::FuncOp main) {
  for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(main.getBody().front()))) {
    if (mlir::isOpTriviallyDead(&op)) op.erase();
  }
}

static std::string Print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out,
               mlir::OpPrintingFlags().enableDebugInfo(false).elideLargeElementsAttrs(INT64_MAX));
  return text;
}

static absl::StatusOr<Spec> Parse(const std::string& text, const std::string& name,
                                  bool whole_model, mlir::MLIRContext& context) {
  Spec spec;
  spec.source = text;
  QUERN_ASSIGN_OR_RETURN(spec.module, ParseModule(text, name, context));
  ErrorCatcher errors(context);
  mlir::func::FuncOp main = FindEntry(*spec.module);
  if (!main || main.isExternal()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": error: has no function @main and not one public function"));
  }
  if (failed(CheckDevices(*spec.module)) || failed(InlineCalls(main)) || failed(ExpandOps(main)))
    return errors.Error(name);
  if (whole_model) PassElidedConstants(main);
  if (failed(ExpandChlo(main)) || failed(CheckOps(main, /*allow_calls=*/whole_model)) ||
      failed(CheckTypes(main)))
    return errors.Error(name);
  for (mlir::Operation& op : llvm::make_early_inc_range(*spec.module->getBody())) {
    if (&op != main.getOperation()) op.erase();
  }
  main.setSymName("main");
  main.setPublic();
  StripAttributes(*spec.module, main);
  mlir::PassManager passes(&context);
  passes.addPass(mlir::createCSEPass());
  if (failed(passes.run(*spec.module)) || failed(mlir::verify(*spec.module)))
    return errors.Error(name);
  EraseDeadOps(spec.main());

  main = spec.main();
  for (mlir::Type type : main.getArgumentTypes())
    spec.arguments.push_back(*stablehlo::ToTensorType(type));
  for (mlir::Type type : main.getResultTypes())
    spec.results.push_back(*stablehlo::ToTensorType(type));
  if (spec.results.empty())
    return absl::InvalidArgumentError(absl::StrCat(name, ": error: @main returns nothing"));
  spec.canonical = Print(*spec.module);
  spec.sha256 = Sha256(spec.canonical);
  return spec;
}

absl::StatusOr<Spec> ParseSpec(const std::string& text, const std::string& name,
                               mlir::MLIRContext& context) {
  return Parse(text, name, /*whole_model=*/false, context);
}

absl::StatusOr<Spec> ParseModel(const std::string& text, const std::string& name,
                                mlir::MLIRContext& context) {
  return Parse(text, name, /*whole_model=*/true, context);
}

absl::StatusOr<Spec> ReadSpec(const std::string& path, mlir::MLIRContext& context) {
  QUERN_ASSIGN_OR_RETURN(std::string text, ReadText(path));
  return ParseSpec(text, path, context);
}

absl::StatusOr<Spec> ReadModel(const std::string& path, mlir::MLIRContext& context) {
  QUERN_ASSIGN_OR_RETURN(std::string text, ReadText(path));
  return ParseModel(text, path, context);
}

}  // namespace quern::frontend
