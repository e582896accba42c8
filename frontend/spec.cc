#include "frontend/spec.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "bundle/digest.h"
#include "bundle/status.h"
#include "frontend/expand.h"
#include "frontend/expand_chlo.h"
#include "frontend/inline.h"
#include "frontend/normal_order.h"
#include "frontend/simplify.h"
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

// The public functions with bodies of a module and, as module::name, of modules in it.
static void AddPublic(mlir::ModuleOp module, const std::string& prefix,
                      std::vector<std::pair<std::string, mlir::func::FuncOp>>* functions) {
  for (mlir::Operation& op : *module.getBody()) {
    if (auto function = llvm::dyn_cast<mlir::func::FuncOp>(op)) {
      if (function.isPublic() && !function.isExternal())
        functions->emplace_back(absl::StrCat(prefix, function.getSymName().str()), function);
    } else if (auto inner = llvm::dyn_cast<mlir::ModuleOp>(op)) {
      if (inner.getSymName())
        AddPublic(inner, absl::StrCat(prefix, inner.getSymName()->str(), "::"), functions);
    }
  }
}

// The function that is meant; nothing, with `why`, if none is.
static mlir::func::FuncOp FindEntry(mlir::ModuleOp module, const std::string& name,
                                    std::string* why) {
  static constexpr size_t kShown = 8;
  if (auto found = module.lookupSymbol<mlir::func::FuncOp>(name.empty() ? "main" : name);
      found && !found.isExternal()) {
    return found;
  }
  std::vector<std::pair<std::string, mlir::func::FuncOp>> functions;
  AddPublic(module, "", &functions);
  if (name.empty() && functions.size() == 1) return functions[0].second;
  std::vector<std::string> names;
  for (const auto& [full, function] : functions) {
    if (full == name) return function;
    names.push_back(absl::StrCat("@", full));
  }
  *why = absl::StrCat("has no function @", name.empty() ? "main" : name);
  if (names.empty()) absl::StrAppend(why, " and not one public function");
  if (names.size() == 1) absl::StrAppend(why, "; the public one is ", names[0]);
  if (names.size() > 1) {
    const bool more = names.size() > kShown;
    if (more) names.resize(kShown);
    absl::StrAppend(why, "; several are public, ", absl::StrJoin(names, ", "), more ? ", ..." : "",
                    ": name one @main, or name it with --entry where the command has it");
  }
  return {};
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
                                  const std::string& entry, bool whole_model,
                                  mlir::MLIRContext& context) {
  Spec spec;
  spec.source = text;
  QUERN_ASSIGN_OR_RETURN(spec.module, ParseModule(text, name, context));
  ErrorCatcher errors(context);
  std::string why;
  mlir::func::FuncOp main = FindEntry(*spec.module, entry, &why);
  if (!main) return absl::InvalidArgumentError(absl::StrCat(name, ": error: ", why));
  if (failed(CheckDevices(main->getParentOfType<mlir::ModuleOp>())) || failed(InlineCalls(main)) ||
      failed(ExpandOps(main)) || failed(CheckLayouts(*spec.module, main))) {
    return errors.Error(name);
  }
  mlir::FailureOr<std::vector<ArgumentUse>> uses = ReadUses(main);
  if (failed(uses)) return errors.Error(name);
  spec.uses = *std::move(uses);
  spec.notes = ForeignAttributes(*spec.module, main);
  if (whole_model) {
    PassElidedConstants(main);
    spec.uses.resize(main.getNumArguments(), {.constant = true});
  }
  if (failed(ExpandChlo(main)) || failed(CheckOps(main, /*allow_calls=*/whole_model)) ||
      failed(CheckTypes(main)))
    return errors.Error(name);
  main->moveBefore(spec.module->getBody(), spec.module->getBody()->begin());  // out of an inner one
  for (mlir::Operation& op : llvm::make_early_inc_range(*spec.module->getBody())) {
    if (&op != main.getOperation()) op.erase();
  }
  main.setSymName("main");
  main.setPublic();
  StripAttributes(*spec.module, main);
  WriteUses(main, spec.uses);
  mlir::PassManager passes(&context);
  passes.addNestedPass<mlir::func::FuncOp>(CreateSimplifyPass());
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
  mlir::OwningOpRef<mlir::ModuleOp> normal = spec.module->clone();
  PutInNormalOrder(mlir::cast<mlir::func::FuncOp>(normal->getBody()->front()));
  spec.canonical = Print(*normal);
  spec.sha256 = Sha256(spec.canonical);
  return spec;
}

absl::StatusOr<Spec> ParseSpec(const std::string& text, const std::string& name,
                               mlir::MLIRContext& context) {
  return Parse(text, name, /*entry=*/"", /*whole_model=*/false, context);
}

absl::StatusOr<Spec> ParseModel(const std::string& text, const std::string& name,
                                mlir::MLIRContext& context, const std::string& entry) {
  return Parse(text, name, entry, /*whole_model=*/true, context);
}

absl::StatusOr<Spec> ReadSpec(const std::string& path, mlir::MLIRContext& context) {
  QUERN_ASSIGN_OR_RETURN(std::string text, ReadText(path));
  return ParseSpec(text, path, context);
}

absl::StatusOr<Spec> ReadModel(const std::string& path, mlir::MLIRContext& context,
                               const std::string& entry) {
  QUERN_ASSIGN_OR_RETURN(std::string text, ReadText(path));
  return ParseModel(text, path, context, entry);
}

}  // namespace quern::frontend
