// The conformance cases of StableHLO as naive programs: each function is made a spec whose
// arguments are its constants and whose results are what it checks; the program, compiled for this
// machine and run, against the interpreter.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "bundle/status.h"
#include "bundle/testing/shared_data.h"
#include "codegen/compiler.h"
#include "codegen/testing/loaded.h"
#include "frontend/context.h"
#include "frontend/interpreter.h"
#include "frontend/source.h"
#include "gtest/gtest.h"
#include "ir/stablehlo/check.h"
#include "ir/stablehlo/constant.h"
#include "ir/stablehlo/stablehlo.h"
#include "search/naive.h"

namespace quern {
namespace {

struct Case {
  std::string text;  // a module with @main
  std::vector<Tensor> inputs;
};

bool IsCheck(mlir::Operation& op) {
  auto call = llvm::dyn_cast<stablehlo::CustomCallOp>(op);
  return op.getName().getDialectNamespace() == "check" ||
         (call && call.getCallTargetName().starts_with("check."));
}

// Constants become arguments, as far as no op wants them as constants; the first operands of checks
// become results. Nothing if the function checks nothing or prints to no spec.
std::optional<Case> CaseOf(mlir::func::FuncOp function) {
  Case result;
  mlir::Block& body = function.getBody().front();
  std::vector<mlir::Type> arguments;
  std::vector<mlir::Value> checked;
  std::vector<mlir::Operation*> gone;
  for (mlir::Operation& op : body) {
    if (auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(op)) {
      auto type = llvm::dyn_cast<mlir::RankedTensorType>(constant.getType());
      absl::StatusOr<Tensor> value = stablehlo::ToTensor(constant.getValue());
      if (!type || type.getRank() == 0 || !value.ok()) continue;
      result.inputs.push_back(*std::move(value));
      arguments.push_back(type);
      mlir::Value argument = body.addArgument(type, op.getLoc());
      constant.getOutput().replaceAllUsesWith(argument);
      gone.push_back(&op);
    } else if (IsCheck(op)) {
      checked.push_back(op.getOperand(0));
      gone.push_back(&op);
    }
  }
  if (checked.empty()) return std::nullopt;
  for (mlir::Operation* op : llvm::reverse(gone)) op->erase();
  mlir::Operation* terminator = body.getTerminator();
  terminator->setOperands(checked);
  std::vector<mlir::Type> results;
  for (mlir::Value value : checked) results.push_back(value.getType());
  function.setFunctionType(mlir::FunctionType::get(function.getContext(), arguments, results));
  function.setPublic();
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
  llvm::raw_string_ostream stream(result.text);
  for (auto other : function->getParentOfType<mlir::ModuleOp>().getOps<mlir::func::FuncOp>()) {
    if (other != function) other.setPrivate();
  }
  function->getParentOfType<mlir::ModuleOp>()->print(stream,
                                                     mlir::OpPrintingFlags().assumeVerified());
  return result;
}

bool Near(double a, double b, double unit, double size) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::fabs(a - b) <= unit * std::max(size, 1.0);
}

// Of a float's own format, and of a complex number by its size: functions are within a few places
// of the interpreter's.
bool Near(const Tensor& want, const Tensor& got, int64_t i) {
  const ElementType element = want.type().element;
  const int64_t bytes = ByteSize(element);
  if (std::memcmp(want.data() + i * bytes, got.data() + i * bytes, bytes) == 0) return true;
  if (KindOf(element) == ElementKind::kComplex) {
    const std::complex<double> a = want.ComplexAt(i), b = got.ComplexAt(i);
    const double unit = element == ElementType::kComplexF64 ? 0x1p-48 : 0x1p-19;
    return Near(a.real(), b.real(), unit, std::abs(a)) &&
           Near(a.imag(), b.imag(), unit, std::abs(a));
  }
  if (!IsFloat(element)) return false;
  const double unit = element == ElementType::kF64    ? 0x1p-48
                      : element == ElementType::kF32  ? 0x1p-19
                      : element == ElementType::kF16  ? 0x1p-9
                      : element == ElementType::kBF16 ? 0x1p-6
                                                      : 0x1p-1;
  const double a = want.At(i);
  return Near(a, got.At(i), unit, std::fabs(a));
}

struct Totals {
  int equal = 0, different = 0;
  std::map<std::string, int> without;  // a program, by reason
  int count() const {
    int all = 0;
    for (const auto& [reason, number] : without) all += number;
    return all;
  }
};

std::string Reason(const absl::Status& status) {
  std::string text(status.message());
  text = std::regex_replace(text, std::regex("^[^']*:[0-9]+:[0-9]+: (error: )?"), "");
  text = std::regex_replace(text, std::regex("[0-9]+ elements"), "N elements");
  return text.substr(0, 110);
}

absl::Status RunCase(const Case& test, const std::string& name, mlir::MLIRContext& context,
                     Totals& totals) {
  QUERN_ASSIGN_OR_RETURN(frontend::Spec spec, frontend::ParseSpec(test.text, name, context));
  QUERN_ASSIGN_OR_RETURN(std::vector<Tensor> want, frontend::Interpret(spec, test.inputs));
  QUERN_ASSIGN_OR_RETURN(auto program, search::NaiveProgram(spec, "x86_64"));
  QUERN_ASSIGN_OR_RETURN(Artifact artifact, codegen::Compile(*program));
  std::vector<Tensor> inputs;
  for (const Tensor& input : test.inputs) inputs.push_back(input.Clone());
  const std::vector<Tensor> got =
      codegen::Loaded(std::move(artifact)).Results(inputs, spec.results);
  for (size_t r = 0; r < want.size(); ++r) {
    for (int64_t i = 0; i < want[r].type().num_elements(); ++i) {
      if (Near(want[r], got[r], i)) continue;
      ++totals.different;
      ADD_FAILURE() << name << ": result " << r << ", element " << i << " is " << got[r].At(i)
                    << ", the interpreter has " << want[r].At(i) << "\n"
                    << test.text;
      return absl::OkStatus();
    }
  }
  ++totals.equal;
  return absl::OkStatus();
}

Totals RunFolder(const std::string& folder) {
  Totals totals;
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(SharedData() / "stablehlo" / folder)) {
    if (entry.path().extension() == ".mlir") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  const auto context = frontend::MakeContext();
  for (const std::filesystem::path& file : files) {
    absl::StatusOr<std::string> text = frontend::ReadText(file.string());
    if (!text.ok()) continue;
    for (absl::string_view part : absl::StrSplit(*text, "// -----")) {
      auto whole = frontend::ParseModule(std::string(part), file.string(), *context);
      if (!whole.ok()) continue;  // the front end's own tests count these
      std::vector<std::string> names;
      for (auto function : (*whole)->getOps<mlir::func::FuncOp>()) {
        if (function.getNumArguments() == 0 && !function.isExternal()) {
          names.push_back(function.getName().str());
        }
      }
      for (const std::string& name : names) {
        mlir::OwningOpRef<mlir::ModuleOp> module = (*whole)->clone();
        std::optional<Case> test = CaseOf(module->lookupSymbol<mlir::func::FuncOp>(name));
        if (!test) continue;
        absl::Status status =
            RunCase(*test, absl::StrCat(file.filename().string(), ":", name), *context, totals);
        if (!status.ok()) ++totals.without[Reason(status)];
      }
    }
  }
  std::cout << folder << ": " << totals.equal << " equal, " << totals.different << " different, "
            << totals.count() << " without a naive program\n";
  for (const auto& [reason, number] : totals.without) {
    std::cout << "  " << number << " " << reason << "\n";
  }
  return totals;
}

TEST(NaiveCorpusTest, TestdataIsEqual) {
  if (!std::filesystem::exists(SharedData() / "stablehlo")) GTEST_SKIP() << "no shared data";
  const Totals totals = RunFolder("testdata");
  EXPECT_EQ(totals.different, 0);
  EXPECT_GE(totals.equal, 423);
}

TEST(NaiveCorpusTest, InterpretIsEqual) {
  if (!std::filesystem::exists(SharedData() / "stablehlo")) GTEST_SKIP() << "no shared data";
  const Totals totals = RunFolder("interpret");
  EXPECT_EQ(totals.different, 0);
  EXPECT_GE(totals.equal, 209);
}

}  // namespace
}  // namespace quern
