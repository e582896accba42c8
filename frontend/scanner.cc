#include "frontend/scanner.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace quern::frontend {

static constexpr int kMaxNesting = 256;

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

absl::Status ScanText(const std::string& text, const std::string& name) {
  return Scanner(text, name).Check();
}

// The number of elements of "tensor<4x2xi1>..."; nullopt for another type.
static std::optional<uint64_t> BoolCount(llvm::StringRef type) {
  uint64_t count = 1;
  if (!type.consume_front("tensor<")) return std::nullopt;
  while (!type.consume_front("i1>")) {
    uint64_t extent = 0;
    if (type.consumeInteger(10, extent) || !type.consume_front("x") ||
        __builtin_mul_overflow(count, extent, &count)) {
      return std::nullopt;
    }
  }
  return count;
}

// The digits of a bit for each byte of `hex`, low bits first; empty if a byte is not 0 or 1.
static std::string PackedHex(llvm::StringRef hex) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string packed;
  for (size_t start = 0; start < hex.size(); start += 16) {
    unsigned byte = 0;
    for (size_t i = 0; i < 16 && start + i < hex.size(); i += 2) {
      const char low = hex[start + i + 1];
      if (hex[start + i] != '0' || (low != '0' && low != '1')) return "";
      if (low == '1') byte |= 1u << (i / 2);
    }
    packed += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return packed;
}

std::string RepackBools(const std::string& text) {
  static constexpr llvm::StringLiteral kOpen = "dense<\"0x", kClose = "\"> : ";
  std::string result;
  for (size_t at = text.find(kOpen.data()); at != std::string::npos;
       at = text.find(kOpen.data(), at + 1)) {
    const size_t start = at + kOpen.size();
    const size_t end = text.find('"', start);
    if (end == std::string::npos) break;
    const llvm::StringRef after = llvm::StringRef(text).substr(end, kClose.size() + 200);
    if (!after.starts_with(kClose)) continue;
    const std::optional<uint64_t> count = BoolCount(after.drop_front(kClose.size()));
    const llvm::StringRef hex = llvm::StringRef(text).slice(start, end);
    // A single byte may be a splat, and up to eight elements packed.
    if (!count || hex.size() % 2 != 0 || *count != hex.size() / 2 || *count < 2) continue;
    const std::string packed = PackedHex(hex);
    if (packed.empty()) continue;
    if (result.empty()) result = text;
    // The closing quote moves up, and blanks follow it.
    std::string replacement = packed + '"';
    replacement.resize(hex.size() + 1, ' ');
    result.replace(start, replacement.size(), replacement);
  }
  return result;
}

}  // namespace quern::frontend
