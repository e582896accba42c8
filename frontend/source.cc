#include "frontend/source.h"

#include <filesystem>
#include <fstream>
#include <optional>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "frontend/scanner.h"
#include "frontend/sharding.h"
#include "ir/stablehlo/unsupported.h"
#include "ir/vhlo/container.h"
#include "ir/vhlo/jax_export.h"
#include "ir/vhlo/reader.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "mlir/Parser/Parser.h"

namespace quern::frontend {

static constexpr int64_t kMaxBytes = int64_t{256} << 20;

// The op that MLIR's parser says it does not know.
static std::optional<llvm::StringRef> UnknownOp(llvm::StringRef message) {
  for (llvm::StringRef before : {"custom op '", "unregistered operation '"}) {
    const size_t at = message.find(before);
    const bool known = before.starts_with("custom") && !message.contains("is unknown") &&
                       !message.contains("not found for");
    if (at == llvm::StringRef::npos || known) continue;
    return message.substr(at + before.size()).take_until([](char c) { return c == '\''; });
  }
  return std::nullopt;
}

std::string Where(mlir::Location location) {
  auto place = location->findInstanceOf<mlir::FileLineColLoc>();
  if (!place) return "";
  std::string text;
  llvm::raw_string_ostream(text) << place.getFilename().getValue() << ':' << place.getLine() << ':'
                                 << place.getColumn() << ": ";
  return text;
}

// The op that a message of our own names.
static std::optional<llvm::StringRef> UnsupportedOp(llvm::StringRef message) {
  if (!message.consume_front("unsupported op ")) return std::nullopt;
  const llvm::StringRef name = message.take_until([](char c) { return c == ' '; });
  return name == message ? std::optional(name) : std::nullopt;
}

static std::string Describe(const mlir::Diagnostic& diagnostic) {
  std::string text = Where(diagnostic.getLocation());
  llvm::raw_string_ostream out(text);
  out << "error: ";
  const std::string message = diagnostic.str();
  std::optional<llvm::StringRef> op = UnknownOp(message);
  if (!op) op = UnsupportedOp(message);
  if (op) {
    out << "unsupported op " << *op;
    const llvm::StringRef hint = stablehlo::UnsupportedHint(*op);
    if (!hint.empty()) out << ": " << hint;
  } else if (std::optional<std::string> why = stablehlo::ExplainUnsupported(message)) {
    out << *why;
  } else {
    // What follows is advice about MLIR's own tools.
    out << llvm::StringRef(message).split(". If this is intended").first;
  }
  return text;
}

ErrorCatcher::ErrorCatcher(mlir::MLIRContext& context)
    : handler_(&context, [this](mlir::Diagnostic& diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error && first_.empty()) {
          first_ = Describe(diagnostic);
        }
        return mlir::success();
      }) {}

absl::Status ErrorCatcher::Error(const std::string& name) const {
  if (first_.empty())
    return absl::InvalidArgumentError(absl::StrCat(name, ": error: is not a valid program"));
  // Locations in the text may name the Python file that it was traced from.
  const bool names_file = llvm::StringRef(first_).starts_with(name + ":");
  return absl::InvalidArgumentError(names_file ? first_ : absl::StrCat(name, ": ", first_));
}

static absl::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> ParseText(const std::string& text,
                                                                   const std::string& name,
                                                                   mlir::MLIRContext& context) {
  QUERN_RETURN_IF_ERROR(ScanText(text, name));
  ErrorCatcher errors(context);
  llvm::SourceMgr sources;
  std::string repacked = RepackBools(text);
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(repacked.empty() ? text : repacked, name),
      llvm::SMLoc());
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(sources, mlir::ParserConfig(&context));
  if (!module) return errors.Error(name);
  return module;
}

static absl::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> ParseBytecode(absl::string_view bytes,
                                                                       const std::string& name,
                                                                       mlir::MLIRContext& context) {
  ErrorCatcher errors(context);
  auto module = vhlo::ReadPortable(llvm::StringRef(bytes.data(), bytes.size()), context);
  if (!module) return errors.Error(name);
  return module;
}

absl::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> ParseModule(const std::string& text,
                                                              const std::string& name,
                                                              mlir::MLIRContext& context) {
  auto error = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": error: ", what));
  };
  mlir::OwningOpRef<mlir::ModuleOp> module;
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return error("is empty");
  if (vhlo::IsBytecode(text)) {
    QUERN_ASSIGN_OR_RETURN(module, ParseBytecode(text, name, context));
  } else if (std::optional<vhlo::JaxExport> exported = vhlo::FindJaxExport(text)) {
    if (exported->devices != 1) {
      return error(absl::StrCat("the program is for several devices (", exported->devices,
                                "); export it for one"));
    }
    QUERN_ASSIGN_OR_RETURN(module, ParseBytecode(exported->module, name, context));
  } else if (text.find('\0') != std::string::npos) {
    return error(
        "is a binary file of an unknown kind; quern reads StableHLO text, portable "
        "bytecode and artifacts of jax.export");
  } else {
    QUERN_ASSIGN_OR_RETURN(module, ParseText(text, name, context));
  }
  ErrorCatcher errors(context);
  if (failed(DropShardings(*module))) return errors.Error(name);
  return module;
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
      std::filesystem::file_size(path, code) > static_cast<uintmax_t>(kMaxBytes)) {
    return error("is larger than 256 MiB");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return error("cannot be opened");
  std::string text;
  char chunk[1 << 16];
  while (file.read(chunk, sizeof chunk), file.gcount() > 0) {  // a pipe has no size
    text.append(chunk, file.gcount());
    if (text.size() > static_cast<size_t>(kMaxBytes)) return error("is larger than 256 MiB");
  }
  return text;
}

}  // namespace quern::frontend
