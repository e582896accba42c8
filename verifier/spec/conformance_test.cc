// The public StableHLO conformance files, read by the checker's reader and computed by its
// evaluator.
#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "bundle/file.h"
#include "bundle/testing/shared_data.h"
#include "gtest/gtest.h"
#include "ir/stablehlo/check.h"
#include "ir/stablehlo/chlo.h"
#include "ir/stablehlo/stablehlo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "verifier/machine/float_bits.h"
#include "verifier/spec/evaluate.h"
#include "verifier/spec/reader.h"

namespace quern::verifier {

namespace hlo = ::quern::stablehlo;

struct Expectation {
  enum Kind { kEqual, kAlmost, kClose } kind = kEqual;
  double tolerance = 0;  // absolute, or in units in the last place
};

// A module whose @main returns pairs of values that must agree.
struct Case {
  std::string text;
  std::vector<Expectation> expectations;
};

static std::optional<Expectation> ExpectationOf(mlir::Operation& op) {
  using Kind = Expectation::Kind;
  if (llvm::isa<check::ExpectEqOp, check::ExpectEqConstOp>(op)) return Expectation{};
  if (auto almost = llvm::dyn_cast<check::ExpectAlmostEqOp>(op))
    return Expectation{Kind::kAlmost, almost.getTolerance().convertToDouble()};
  if (auto almost = llvm::dyn_cast<check::ExpectAlmostEqConstOp>(op))
    return Expectation{Kind::kAlmost, almost.getTolerance().convertToDouble()};
  if (auto close = llvm::dyn_cast<check::ExpectCloseOp>(op))
    return Expectation{Kind::kClose, static_cast<double>(close.getMaxUlpDifference())};
  if (auto call = llvm::dyn_cast<hlo::CustomCallOp>(op)) {
    const llvm::StringRef name = call.getCallTargetName();
    if (name == "check.expect_eq") return Expectation{};
    if (name == "check.expect_almost_eq") return Expectation{Kind::kAlmost, 1e-3};
    if (name == "check.expect_close") return Expectation{Kind::kClose, 3};
  }
  return std::nullopt;
}

// Makes the function return what its checks compare. False if it checks nothing.
static bool ReturnChecks(mlir::func::FuncOp function, std::vector<Expectation>* expectations) {
  mlir::Block& block = function.getBody().front();
  std::vector<mlir::Operation*> checks;
  llvm::SmallVector<mlir::Value> pairs;
  mlir::OpBuilder builder(function.getContext());
  for (mlir::Operation& op : block) {
    const std::optional<Expectation> expectation = ExpectationOf(op);
    if (!expectation.has_value()) continue;
    checks.push_back(&op);
    expectations->push_back(*expectation);
    pairs.push_back(op.getOperand(0));
    if (op.getNumOperands() == 2) {
      pairs.push_back(op.getOperand(1));
    } else {
      builder.setInsertionPoint(&op);
      const auto value = llvm::cast<mlir::ElementsAttr>(op.getAttr("value"));
      pairs.push_back(hlo::ConstantOp::create(builder, op.getLoc(), value.getType(), value));
    }
  }
  if (checks.empty()) return false;
  for (mlir::Operation* op : checks) op->erase();
  mlir::Operation* terminator = block.getTerminator();
  builder.setInsertionPoint(terminator);
  mlir::func::ReturnOp::create(builder, terminator->getLoc(), pairs);
  terminator->erase();
  function.setFunctionType(
      builder.getFunctionType(function.getArgumentTypes(), mlir::ValueRange(pairs).getTypes()));
  function->removeAttr("res_attrs");
  return true;
}

// The cases of a file; those that do not parse are counted.
static std::vector<Case> CasesOf(const std::string& file, int* unparsed) {
  std::vector<Case> cases;
  std::istringstream lines(ReadFile(file).value());
  std::vector<std::string> chunks(1);
  for (std::string line; std::getline(lines, line);) {
    if (absl::StartsWith(line, "// -----")) {
      chunks.emplace_back();
    } else {
      absl::StrAppend(&chunks.back(), line, "\n");
    }
  }
  for (const std::string& chunk : chunks) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    context.loadDialect<mlir::func::FuncDialect, hlo::StableHloDialect, check::CheckDialect,
                        chlo::ChloDialect>();
    mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic&) {});
    const auto parse = [&] {
      return mlir::parseSourceString<mlir::ModuleOp>(chunk, mlir::ParserConfig(&context));
    };
    mlir::OwningOpRef<mlir::ModuleOp> module = parse();
    if (!module) {
      ++*unparsed;
      continue;
    }
    int count = 0;
    for (auto function : module->getOps<mlir::func::FuncOp>()) {
      ++count;
      (void)function;
    }
    for (int i = 0; i < count; ++i) {
      module = parse();
      Case test;
      int at = 0;
      bool checks = false;
      for (auto function : llvm::make_early_inc_range(module->getOps<mlir::func::FuncOp>())) {
        if (at++ == i) {
          checks = !function.isExternal() && function.getNumArguments() == 0 &&
                   ReturnChecks(function, &test.expectations);
          function.setName("main");
        } else if (function.getName() == "main") {
          function.setName("another");
        }
      }
      if (!checks) continue;
      llvm::raw_string_ostream out(test.text);
      module->print(out, mlir::OpPrintingFlags().printGenericOpForm().enableDebugInfo(false));
      cases.push_back(std::move(test));
    }
  }
  return cases;
}

// The numbers of a float type in order, -0 and 0 apart.
static double Rank(ElementType type, double value) {
  const auto ranked = [&](Type::Kind kind, int bits) {
    const uint64_t pattern = FromDouble(kind, value);
    const uint64_t sign = uint64_t{1} << (bits - 1);
    const auto magnitude = static_cast<double>(pattern & (sign - 1));
    return (pattern & sign) != 0 ? -magnitude : magnitude;
  };
  switch (type) {
    case ElementType::kF64:
      return ranked(Type::kDouble, 64);
    case ElementType::kF16:
      return ranked(Type::kHalf, 16);
    case ElementType::kBF16:
      return ranked(Type::kBFloat, 16);
    default:
      return ranked(Type::kFloat, 32);
  }
}

static bool Agrees(const Expectation& expectation, ElementType type, double a, double b) {
  if (expectation.kind == Expectation::kEqual) return a == b;
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  if (expectation.kind == Expectation::kAlmost) return std::fabs(a - b) <= expectation.tolerance;
  if (!IsFloat(type)) return a == b;
  return std::fabs(Rank(type, a) - Rank(type, b)) <= expectation.tolerance;
}

// Empty if all hold.
static std::string Failure(const SpecGraph& graph, const Case& test) {
  Evaluator evaluator(graph, {});
  for (size_t i = 0; i < test.expectations.size(); ++i) {
    const absl::StatusOr<Tensor> actual = evaluator.Result(static_cast<int>(2 * i));
    const absl::StatusOr<Tensor> expected = evaluator.Result(static_cast<int>(2 * i + 1));
    if (!actual.ok()) return std::string(actual.status().message());
    if (!expected.ok()) return std::string(expected.status().message());
    const ElementType type = actual->type().element;
    for (int64_t at = 0; at < actual->type().num_elements(); ++at) {
      if (Agrees(test.expectations[i], type, actual->At(at), expected->At(at))) continue;
      return absl::StrCat("check ", i, ", element ", at, " of ", actual->type().ToString(), ": ",
                          actual->At(at), " instead of ", expected->At(at));
    }
  }
  return "";
}

static std::filesystem::path Folder(const std::string& name) {
  return SharedData() / "stablehlo" / name;
}

// What the reader refuses, without places and shapes.
static std::string Reason(const std::string& message) {
  const size_t op = message.find("hlo.");
  std::string reason = op == std::string::npos ? message : message.substr(op + 4);
  return reason.substr(0, reason.find('\n')).substr(0, 80);
}

static int Passed(const std::string& name) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(Folder(name))) {
    if (entry.path().extension() == ".mlir") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  int passed = 0, failed = 0, unsupported = 0, unparsed = 0;
  std::map<std::string, int> reasons;
  for (const std::string& file : files) {
    for (const Case& test : CasesOf(file, &unparsed)) {
      const absl::StatusOr<SpecGraph> graph = ReadSpec(test.text);
      if (!graph.ok()) {
        ++unsupported;
        ++reasons[Reason(std::string(graph.status().message()))];
        continue;
      }
      const std::string failure = Failure(*graph, test);
      ++(failure.empty() ? passed : failed);
      if (!failure.empty()) ADD_FAILURE() << file << ": " << failure;
    }
  }
  std::cout << name << ": " << passed << " passed, " << failed << " failed, " << unsupported
            << " unsupported, " << unparsed << " do not parse\n";
  for (const auto& [reason, count] : reasons) std::cout << "  " << count << " " << reason << "\n";
  return passed;
}

TEST(ConformanceTest, TestdataPasses) {
  if (!std::filesystem::exists(Folder("testdata"))) GTEST_SKIP() << "no " << Folder("testdata");
  EXPECT_GE(Passed("testdata"), 416);
}

TEST(ConformanceTest, InterpretPasses) {
  if (!std::filesystem::exists(Folder("interpret"))) GTEST_SKIP() << "no " << Folder("interpret");
  EXPECT_GE(Passed("interpret"), 143);
}

}  // namespace quern::verifier
