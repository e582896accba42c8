#include "frontend/spec.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "bundle/digest.h"
#include "bundle/status.h"
#include "frontend/inline.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace quern::frontend {

static constexpr int64_t kMaxBytes = 256 << 20;
// MLIR's parser and printer recurse on nested regions and attributes.
static constexpr int kMaxNesting = 256;

mlir::func::FuncOp Spec::main() const {
  return mlir::cast<mlir::func::FuncOp>(module.get().getBody()->front());
}

// "file:line:column: error: message", the form of compilers.
static std::string Describe(const mlir::Diagnostic& diagnostic) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (auto location = llvm::dyn_cast<mlir::FileLineColLoc>(diagnostic.getLocation())) {
    out << location.getFilename().getValue() << ':' << location.getLine() << ':'
        << location.getColumn() << ": ";
  }
  out << "error: " << diagnostic.str();
  return text;
}

// Keeps the first error.
class ErrorCatcher {
 public:
  explicit ErrorCatcher(mlir::MLIRContext& context)
      : handler_(&context, [this](mlir::Diagnostic& diagnostic) {
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error && first_.empty()) {
            first_ = Describe(diagnostic);
          }
          return mlir::success();
        }) {}
  absl::Status Error(const std::string& name) const {
    return absl::InvalidArgumentError(
        first_.empty() ? absl::StrCat(name, ": error: is not a valid program") : first_);
  }

 private:
  std::string first_;
  mlir::ScopedDiagnosticHandler handler_;
};

static absl::Status CheckText(const std::string& text, const std::string& name) {
  auto error = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": error: ", what));
  };
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return error("is empty");
  if (text.compare(0, 4, "ML\xefR") == 0)
    return error("is MLIR bytecode; quern reads StableHLO text");
  if (text.find('\0') != std::string::npos)
    return error("is a binary file; quern reads StableHLO text");
  int depth = 0;
  int64_t line = 1;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      ++line;
      quoted = false;  // strings do not span lines
    } else if (quoted) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[' || c == '(' || c == '<') {
      if (++depth > kMaxNesting) {
        return absl::InvalidArgumentError(
            absl::StrCat(name, ":", line, ": error: nested more than ", kMaxNesting, " deep"));
      }
    } else if (c == '}' || c == ']' || c == ')' || (c == '>' && (i == 0 || text[i - 1] != '-'))) {
      if (depth > 0) --depth;
    }
  }
  return absl::OkStatus();
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

// Every type must be a static tensor of a supported element type that memory can hold.
static mlir::LogicalResult CheckType(mlir::Type type, mlir::Location location) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor)
    return mlir::emitError(location)
           << "type " << type << " is not supported; only ranked tensors are";
  if (!tensor.hasStaticShape()) {
    return mlir::emitError(location)
           << "type " << type << " has a dynamic dimension; export the program with fixed shapes";
  }
  std::optional<TensorType> known = stablehlo::ToTensorType(type);
  if (!known) {
    return mlir::emitError(location) << "element type " << tensor.getElementType()
                                     << " is not supported; f32, bf16, i32 and i1 are";
  }
  static const int64_t memory = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGE_SIZE);
  int64_t bytes = ByteSize(known->element);
  for (int64_t extent : known->shape) {
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(extent, 1), &bytes)) bytes = INT64_MAX;
    if (bytes > memory)
      return mlir::emitError(location)
             << "type " << type << " does not fit in this machine's memory";
  }
  return mlir::success();
}

static mlir::LogicalResult CheckTypes(mlir::func::FuncOp main) {
  for (mlir::BlockArgument argument : main.getArguments()) {
    if (failed(CheckType(argument.getType(), argument.getLoc()))) return mlir::failure();
  }
  mlir::WalkResult walk = main.walk([&](mlir::Operation* op) {
    for (mlir::Value result : op->getResults()) {
      if (failed(CheckType(result.getType(), op->getLoc()))) return mlir::WalkResult::interrupt();
    }
    if (auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(op)) {
      if (!llvm::isa<mlir::DenseElementsAttr>(constant.getValue())) {
        op->emitError("the constant's data is elided or external; pass it as an argument");
        return mlir::WalkResult::interrupt();
      }
    }
    return mlir::WalkResult::advance();
  });
  return mlir::failure(walk.wasInterrupted());
}

// Discardable attributes say nothing about values.
static void StripAttributes(mlir::ModuleOp module, mlir::func::FuncOp main) {
  module->setAttrs(mlir::DictionaryAttr::get(module.getContext()));
  module.setSymName(std::nullopt);
  main.removeArgAttrsAttr();
  main.removeResAttrsAttr();
  main.walk([](mlir::Operation* op) {
    op->setDiscardableAttrs(mlir::DictionaryAttr::get(op->getContext()));
  });
  main.walk([](stablehlo::DotGeneralOp dot) { dot.removePrecisionConfigAttr(); });
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

absl::StatusOr<Spec> ParseSpec(const std::string& text, const std::string& name,
                               mlir::MLIRContext& context) {
  QUERN_RETURN_IF_ERROR(CheckText(text, name));
  ErrorCatcher errors(context);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name), llvm::SMLoc());
  Spec spec;
  spec.source = text;
  spec.module = mlir::parseSourceFile<mlir::ModuleOp>(sources, mlir::ParserConfig(&context));
  if (!spec.module) return errors.Error(name);

  mlir::func::FuncOp main = FindEntry(*spec.module);
  if (!main || main.isExternal()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": error: has no function @main and not one public function"));
  }
  if (failed(InlineCalls(main)) || failed(CheckTypes(main))) return errors.Error(name);
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

absl::StatusOr<std::string> ReadText(const std::string& path) {
  auto error = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": error: ", what));
  };
  std::error_code code;
  const std::filesystem::file_status status = std::filesystem::status(path, code);
  if (!std::filesystem::exists(status))
    return absl::NotFoundError(absl::StrCat(path, ": error: no such file"));
  if (std::filesystem::is_directory(status)) return error("is a directory");
  if (std::filesystem::is_regular_file(status) &&
      std::filesystem::file_size(path, code) > kMaxBytes) {
    return error("is larger than 256 MiB");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return error("cannot be opened");
  std::string text;
  char chunk[1 << 16];
  while (file.read(chunk, sizeof chunk), file.gcount() > 0) {
    text.append(chunk, file.gcount());
    if (text.size() > static_cast<size_t>(kMaxBytes)) return error("is larger than 256 MiB");
  }
  return text;
}

absl::StatusOr<Spec> ReadSpec(const std::string& path, mlir::MLIRContext& context) {
  QUERN_ASSIGN_OR_RETURN(std::string text, ReadText(path));
  return ParseSpec(text, path, context);
}

}  // namespace quern::frontend
