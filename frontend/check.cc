#include "frontend/check.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "frontend/evaluate.h"
#include "frontend/inline.h"
#include "frontend/source.h"
#include "frontend/support.h"
#include "ir/stablehlo/check.h"
#include "ir/stablehlo/constant.h"
#include "llvm/ADT/TypeSwitch.h"

namespace quern::frontend {

// The number of floats between two, over the line of sign and magnitude; +0 and -0 coincide.
static uint64_t UlpDistance(const Tensor& a, const Tensor& b, int64_t index) {
  const double x = a.At(index), y = b.At(index);
  if (std::isnan(x) && std::isnan(y)) return 0;
  if (x == y) return 0;
  if (!IsFloat(a.type().element) || !std::isfinite(x) || !std::isfinite(y))
    return std::numeric_limits<uint64_t>::max();
  auto position = [&](const Tensor& tensor) -> int64_t {
    const uint32_t bits = tensor.type().element == ElementType::kF32
                              ? tensor.as<uint32_t>()[index]
                              : uint32_t{tensor.as<uint16_t>()[index]} << 16;
    const int64_t magnitude = bits & 0x7fffffff;
    return bits >> 31 ? -magnitude : magnitude;
  };
  const int64_t unit = a.type().element == ElementType::kF32 ? 1 : 1 << 16;
  return std::abs(position(a) - position(b)) / unit;
}

static bool AlmostEqual(double a, double b, double tolerance) {
  return a == b || (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= tolerance;
}

// One check, ready to run.
struct Check {
  enum class Rule { kEqual, kAlmostEqual, kClose } rule = Rule::kEqual;
  double tolerance = 0;
  uint64_t min_ulp = 0, max_ulp = 0;

  // What is wrong; nothing if the check holds.
  std::optional<std::string> Run(const Tensor& actual, const Tensor& expected) const {
    if (actual.type() != expected.type())
      return absl::StrCat(actual.type().ToString(), " against ", expected.type().ToString());
    uint64_t largest = 0;
    for (int64_t i = 0, count = actual.type().num_elements(); i < count; ++i) {
      const double a = actual.At(i), b = expected.At(i);
      const uint64_t distance = rule == Rule::kClose ? UlpDistance(actual, expected, i) : 0;
      largest = std::max(largest, distance);
      const bool holds = rule == Rule::kEqual         ? a == b
                         : rule == Rule::kAlmostEqual ? AlmostEqual(a, b, tolerance)
                                                      : distance <= max_ulp;
      if (!holds) return absl::StrCat("element ", i, " is ", a, ", expected ", b);
    }
    if (largest < min_ulp)
      return absl::StrCat("differs by ", largest, " ulp at most, expected ", min_ulp);
    return std::nullopt;
  }
};

static std::optional<Check> CheckOfCall(stablehlo::CustomCallOp call) {
  if (call.getInputs().size() != 2 || call->getNumResults() != 0) return std::nullopt;
  const llvm::StringRef target = call.getCallTargetName();
  if (target == "check.expect_eq") return Check{};
  if (target == "check.expect_almost_eq")
    return Check{.rule = Check::Rule::kAlmostEqual, .tolerance = 1e-3};
  if (target == "check.expect_close") return Check{.rule = Check::Rule::kClose, .max_ulp = 3};
  return std::nullopt;
}

static std::optional<Check> CheckOf(mlir::Operation& op) {
  return llvm::TypeSwitch<mlir::Operation*, std::optional<Check>>(&op)
      .Case<check::ExpectEqOp, check::ExpectEqConstOp>([](auto) { return Check{}; })
      .Case<check::ExpectAlmostEqOp, check::ExpectAlmostEqConstOp>([](auto almost) {
        return Check{.rule = Check::Rule::kAlmostEqual,
                     .tolerance = almost.getTolerance().convertToDouble()};
      })
      .Case([](check::ExpectCloseOp close) {
        return Check{.rule = Check::Rule::kClose,
                     .min_ulp = close.getMinUlpDifference(),
                     .max_ulp = close.getMaxUlpDifference()};
      })
      .Case([](stablehlo::CustomCallOp call) { return CheckOfCall(call); })
      .Default([](mlir::Operation*) { return std::nullopt; });
}

// Runs the check that `op` is, if it is one; appends what fails.
static absl::Status RunCheck(mlir::Operation& op, Lookup value,
                             std::vector<std::string>& failures) {
  std::optional<Check> check = CheckOf(op);
  if (!check) return UndefinedOp(op);
  std::optional<std::string> failure;
  if (op.getNumOperands() == 2) {
    failure = check->Run(value(op.getOperand(0)), value(op.getOperand(1)));
  } else {
    QUERN_ASSIGN_OR_RETURN(Tensor expected,
                           stablehlo::ToTensor(op.getAttrOfType<mlir::ElementsAttr>("value")));
    failure = check->Run(value(op.getOperand(0)), expected);
  }
  if (failure)
    failures.push_back(absl::StrCat(Where(op.getLoc()), "error: check failed: ", *failure));
  return absl::OkStatus();
}

static void RunCase(mlir::func::FuncOp function, const std::string& name, CheckReport& report) {
  ErrorCatcher errors(*function.getContext());
  std::vector<std::string> failures;
  bool checks = false;
  absl::Status status;
  if (failed(InlineCalls(function)) || failed(CheckTypes(function))) {
    status = errors.Error(name);
  } else {
    status = EvaluateBlock(function.getBody().front(), {}, [&](mlir::Operation& op, Lookup value) {
               checks = true;
               return RunCheck(op, value, failures);
             }).status();
  }
  if (!status.ok()) {
    ++report.unsupported;
    report.messages.emplace_back(status.message());
  } else if (!failures.empty()) {
    ++report.failed;
    report.messages.push_back(failures.front());
  } else if (checks) {
    ++report.passed;
  }
}

static void RunModule(const std::string& text, const std::string& name, mlir::MLIRContext& context,
                      CheckReport& report) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return;
  absl::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> module = ParseModule(text, name, context);
  if (!module.ok()) {
    ++report.unsupported;
    report.messages.emplace_back(module.status().message());
    return;
  }
  if (auto main = (*module)->lookupSymbol<mlir::func::FuncOp>("main");
      main && main.getNumArguments() == 0 && !main.isExternal()) {
    return RunCase(main, name, report);
  }
  for (auto function : (*module)->getOps<mlir::func::FuncOp>()) {
    if (function.getNumArguments() == 0 && !function.isExternal()) RunCase(function, name, report);
  }
}

absl::StatusOr<CheckReport> RunChecksOfText(const std::string& text, const std::string& name,
                                            mlir::MLIRContext& context) {
  static constexpr absl::string_view kSeparator = "// -----";
  CheckReport report;
  std::string module;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    if (text.compare(at, kSeparator.size(), kSeparator.data()) == 0) {
      RunModule(module, name, context, report);
      // Blank lines instead of what came before keep the line numbers of messages right.
      std::string blank(std::count(module.begin(), module.end(), '\n'), '\n');
      module = std::move(blank) + "\n";
    } else {
      module.append(text, at, end - at);
    }
    at = end;
  }
  RunModule(module, name, context, report);
  if (report.passed + report.failed + report.unsupported == 0)
    return absl::InvalidArgumentError(absl::StrCat(name, ": error: checks nothing"));
  return report;
}

absl::StatusOr<CheckReport> RunChecks(const std::string& path, mlir::MLIRContext& context) {
  QUERN_ASSIGN_OR_RETURN(std::string text, ReadText(path));
  return RunChecksOfText(text, path, context);
}

}  // namespace quern::frontend
