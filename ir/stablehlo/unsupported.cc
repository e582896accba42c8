#include "ir/stablehlo/unsupported.h"

#include "llvm/ADT/StringSwitch.h"

namespace quern::stablehlo {

llvm::StringRef UnsupportedHint(llvm::StringRef op) {
  return llvm::StringSwitch<llvm::StringRef>(op)
#define QUERN_UNSUPPORTED(name, hint) .Case(name, hint)
#include "ir/stablehlo/unsupported.def"
#undef QUERN_UNSUPPORTED
      .Default("");
}

static llvm::StringRef AttributeHint(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Cases({"bounds", "type_extensions"}, ": export the program with fixed shapes")
      .Cases({"channel_handle", "replica_group_mesh_axes", "axis_ref"},
             ": it joins several devices; export the program for one")
      .Default("");
}

// What stands between two marks of a text.
static std::optional<llvm::StringRef> Between(llvm::StringRef text, llvm::StringRef before,
                                              llvm::StringRef after) {
  const size_t at = text.find(before);
  if (at == llvm::StringRef::npos) return std::nullopt;
  text = text.substr(at + before.size());
  const size_t end = text.find(after);
  return end == llvm::StringRef::npos ? std::nullopt : std::optional(text.take_front(end));
}

std::optional<std::string> ExplainUnsupported(llvm::StringRef message) {
  if (auto name = Between(message, "unknown attribute `", "`")) {
    const llvm::StringRef dialect = Between(message, "in dialect `", "`").value_or("");
    return ("unsupported attribute #" + dialect + "." + *name + AttributeHint(*name)).str();
  }
  if (auto dialect = Between(message, "dialect '", "' provides no type parsing hook")) {
    return ("unsupported type of dialect " + *dialect +
            ": tokens and futures order side effects, of which a pure function has none; leave "
            "them "
            "out")
        .str();
  }
  if (message.contains("\"quant\"") || message.contains("!quant.")) {
    return "quantized types are not supported; export the program with floating-point or plain "
           "integer types";
  }
  return std::nullopt;
}

}  // namespace quern::stablehlo
