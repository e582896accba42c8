// x86-64: one shared object that holds the kernels, the plan as data and the launcher.
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "bundle/status.h"
#include "codegen/expand_rounding.h"
#include "codegen/launcher_object.h"
#include "codegen/link.h"
#include "codegen/targets/targets.h"
#include "codegen/targets/x86/plan_object.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/TargetParser/Host.h"

namespace quern::codegen {

// What a kernel may call: the functions of libm that lower_math.cc names, and what LLVM makes of
// them.
static constexpr std::string_view kLibm[] = {
    "acos", "acosh",  "asin",  "asinh", "atan", "atan2", "atanh", "cbrt",  "ceil",
    "cos",  "cosh",   "erf",   "erfc",  "exp",  "exp2",  "expm1", "floor", "fma",
    "fmod", "log",    "log10", "log1p", "log2", "pow",   "rint",  "round", "roundeven",
    "sin",  "sincos", "sinh",  "tan",   "tanh", "trunc"};

static bool IsLibm(std::string_view symbol) {
  for (std::string_view name : kLibm) {
    if (symbol == name || symbol == absl::StrCat(std::string(name), "f")) return true;
  }
  return false;
}

// The functions that an object file needs from elsewhere, sorted. kInvalidArgument for one outside
// libm.
static absl::StatusOr<std::set<std::string>> LibmOf(const std::string& object) {
  auto file = llvm::object::ObjectFile::createELFObjectFile({object, "kernels"});
  if (!file) return absl::InternalError(llvm::toString(file.takeError()));
  std::set<std::string> needed;
  for (const llvm::object::SymbolRef& symbol : (*file)->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!flags || !name) return absl::InternalError("unreadable symbol table");
    if (!(*flags & llvm::object::SymbolRef::SF_Undefined) || name->empty()) continue;
    if (!IsLibm(std::string_view(name->data(), name->size()))) {
      return absl::InvalidArgumentError(
          absl::StrCat("a kernel calls ", name->str(), ", which is not a function of libm"));
    }
    needed.insert(name->str());
  }
  return needed;
}

namespace {

class X86 : public Target {
 public:
  X86() : cpu_(llvm::sys::getHostCPUName().str()) {
    std::set<std::string> features;
    for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
      features.insert(absl::StrCat(feature.getValue() ? "+" : "-", feature.getKey().str()));
    }
    features_ = absl::StrJoin(features, ",");
  }

  std::string name() const override { return "x86_64"; }
  std::string triple() const override { return "x86_64-unknown-linux-gnu"; }
  std::string cpu() const override { return cpu_; }
  std::string features() const override { return features_; }
  BinaryKind kind() const override { return BinaryKind::kSharedObject; }
  bool has_libm() const override { return true; }
  void Prepare(llvm::Module& module) const override { ExpandRounding(module); }

  absl::StatusOr<std::string> Finish(std::string code, const LaunchPlan& plan) const override {
    QUERN_ASSIGN_OR_RETURN(std::set<std::string> libm, LibmOf(code));
    QUERN_ASSIGN_OR_RETURN(std::string table, PlanObject(*this, plan));
    std::vector<std::string_view> files = {code, table, LauncherObject()};
    std::string library;
    if (!libm.empty()) {
      // A stand-in for libm, so that the result names it without depending on this machine's.
      QUERN_ASSIGN_OR_RETURN(std::string stubs, StubObject(*this, plan, libm));
      QUERN_ASSIGN_OR_RETURN(library, LinkShared({"-soname", "libm.so.6"}, {stubs}));
      files.push_back(library);
    }
    return LinkShared({"--no-undefined", "-Bsymbolic", "--exclude-libs=ALL", "-z", "now", "-z",
                       "relro", "-z", "noexecstack"},
                      files);
  }

 private:
  std::string cpu_, features_;
};

}  // namespace

std::unique_ptr<Target> X86Target() { return std::make_unique<X86>(); }

}  // namespace quern::codegen
