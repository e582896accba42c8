#include "frontend/check.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bundle/status.h"
#include "frontend/evaluate.h"
#include "frontend/expand.h"
#include "frontend/expand_chlo.h"
#include "frontend/inline.h"
#include "frontend/source.h"
#include "frontend/support.h"
#include "ir/stablehlo/check.h"
#include "ir/stablehlo/constant.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Verifier.h"

namespace quern::frontend {

// The place of a float in the order of sign and magnitude; +0 and -0 coincide.
static int64_t Position(ElementType element, const std::byte* data) {
  const int64_t bytes = ByteSize(element);
  uint64_t bits = 0;
  std::memcpy(&bits, data, bytes);
  const uint64_t sign = uint64_t{1} << (8 * bytes - 1);
  const auto magnitude = static_cast<int64_t>(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}

// The number of floats between two.
static uint64_t UlpDistance(ElementType element, const std::byte* a, const std::byte* b) {
  const double x = LoadElement(element, a, 0), y = LoadElement(element, b, 0);
  if (x == y || (std::isnan(x) && std::isnan(y))) return 0;
  if (!IsFloat(element) || !std::isfinite(x) || !std::isfinite(y))
    return std::numeric_limits<uint64_t>::max();
  const int64_t i = Position(element, a), j = Position(element, b);
  return i > j ? static_cast<uint64_t>(i) - static_cast<uint64_t>(j)
               : static_cast<uint64_t>(j) - static_cast<uint64_t>(i);
}

static bool AlmostEqual(double a, double b, double tolerance) {
  return a == b || (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= tolerance;
}

static std::string Text(ElementType element, const std::byte* data) {
  if (KindOf(element) == ElementKind::kUnsigned || KindOf(element) == ElementKind::kSigned) {
    int64_t bits = 0;
    std::memcpy(&bits, data, ByteSize(element));
    if (element == ElementType::kI64) return absl::StrCat(bits);
    if (element == ElementType::kUI64) return absl::StrCat(static_cast<uint64_t>(bits));
  }
  return absl::StrFormat("%.17g", LoadElement(element, data, 0));
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
    // A complex number is checked part by part.
    ElementType element = actual.type().element;
    int64_t count = actual.type().num_elements();
    const bool complex = KindOf(element) == ElementKind::kComplex;
    if (complex) {
      element = element == ElementType::kComplexF32 ? ElementType::kF32 : ElementType::kF64;
      count *= 2;
    }
    uint64_t largest = 0;
    for (int64_t i = 0; i < count; ++i) {
      const std::byte* a = actual.data() + i * ByteSize(element);
      const std::byte* b = expected.data() + i * ByteSize(element);
      const uint64_t distance = rule == Rule::kClose ? UlpDistance(element, a, b) : 0;
      largest = std::max(largest, distance);
      if (Holds(element, a, b, distance)) continue;
      return absl::StrCat("element ", complex ? i / 2 : i, " is ", Text(element, a), ", expected ",
                          Text(element, b));
    }
    if (largest < min_ulp)
      return absl::StrCat("differs by ", largest, " ulp at most, expected ", min_ulp);
    return std::nullopt;
  }

 private:
  bool Holds(ElementType element, const std::byte* a, const std::byte* b, uint64_t distance) const {
    if (rule == Rule::kClose) return distance <= max_ulp;
    if (!IsFloat(element) && (rule == Rule::kEqual || tolerance < 1))
      return std::memcmp(a, b, ByteSize(element)) == 0;
    const double x = LoadElement(element, a, 0), y = LoadElement(element, b, 0);
    return rule == Rule::kEqual ? x == y : AlmostEqual(x, y, tolerance);
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
  if (!check && op.isRegistered()) return UndefinedOp(op);
  if (!check) {
    ErrorCatcher errors(*op.getContext());
    op.emitError("unsupported op ") << op.getName();
    return errors.Error("");
  }
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
  if (failed(InlineCalls(function)) || failed(ExpandOps(function)) ||
      failed(ExpandChlo(function)) || failed(CheckTypes(function)) ||
      failed(mlir::verify(function))) {
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
