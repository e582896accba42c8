#include "frontend/source.h"

#include <filesystem>
#include <fstream>
#include <optional>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "ir/stablehlo/unsupported.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "mlir/Parser/Parser.h"

namespace quern::frontend {

static constexpr int64_t kMaxBytes = int64_t{256} << 20;
static constexpr int kMaxNesting = 256;

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

static std::string Describe(const mlir::Diagnostic& diagnostic) {
  std::string text = Where(diagnostic.getLocation());
  llvm::raw_string_ostream out(text);
  out << "error: ";
  const std::string message = diagnostic.str();
  if (std::optional<llvm::StringRef> op = UnknownOp(message)) {
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

// Walks over the text as MLIR's lexer would, as far as nesting and aliases need it.
class Scanner {
 public:
  Scanner(llvm::StringRef text, const std::string& name) : text_(text), name_(name) {}

  absl::Status Check() {
    while (at_ < text_.size()) {
      const size_t start = at_;
      SkipBlanks();
      if (at_ == text_.size()) break;
      if (at_ == start) QUERN_RETURN_IF_ERROR(Token());
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Error(absl::string_view what) const {
    const size_t line = 1 + text_.take_front(at_).count('\n');
    return absl::InvalidArgumentError(absl::StrCat(name_, ":", line, ": error: ", what));
  }

  // White space and comments.
  void SkipBlanks() {
    while (at_ < text_.size()) {
      if (text_.substr(at_).starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (llvm::isSpace(text_[at_])) {
        ++at_;
      } else {
        return;
      }
    }
  }

  void SkipString() {
    for (++at_; at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, text_.size());
  }

  llvm::StringRef Word() {
    const llvm::StringRef word = text_.substr(at_).take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.'; });
    at_ += word.size();
    return word;
  }

  absl::Status Token() {
    const char c = text_[at_];
    if (c == '"') {
      SkipString();
    } else if (llvm::isAlpha(c) || c == '_') {
      const llvm::StringRef word = Word();
      if (word == "affine_map" || word == "affine_set")
        return Error("affine maps are not supported");
    } else if (c == '#' || c == '!') {
      ++at_;
      const llvm::StringRef word = Word();
      SkipBlanks();
      if (text_.substr(at_).starts_with("=") && (c == '!' || !word.starts_with("loc")))
        return Error("aliases are not supported; print the module without them");
    } else if (text_.substr(at_).starts_with("->")) {
      at_ += 2;
    } else {
      if (llvm::StringRef("{[(<").contains(c) && ++depth_ > kMaxNesting)
        return Error(absl::StrCat("nested more than ", kMaxNesting, " deep"));
      if (llvm::StringRef("}])>").contains(c) && depth_ > 0) --depth_;
      ++at_;
    }
    return absl::OkStatus();
  }

  llvm::StringRef text_;
  const std::string& name_;
  size_t at_ = 0;
  int depth_ = 0;
};

absl::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> ParseModule(const std::string& text,
                                                              const std::string& name,
                                                              mlir::MLIRContext& context) {
  auto error = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": error: ", what));
  };
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return error("is empty");
  if (llvm::StringRef(text).starts_with("ML\xefR"))
    return error("is MLIR bytecode; quern reads StableHLO text");
  if (text.find('\0') != std::string::npos)
    return error("is a binary file; quern reads StableHLO text");
  QUERN_RETURN_IF_ERROR(Scanner(text, name).Check());
  ErrorCatcher errors(context);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name), llvm::SMLoc());
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(sources, mlir::ParserConfig(&context));
  if (!module) return errors.Error(name);
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
