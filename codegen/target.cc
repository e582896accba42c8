#include "codegen/target.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/targets/targets.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"

namespace quern::codegen {

static const std::vector<std::unique_ptr<Target>>& Targets() {
  static const auto* targets = [] {
    auto* list = new std::vector<std::unique_ptr<Target>>;
#define QUERN_TARGET(make) list->push_back(make);
#include "codegen/targets/targets.def"
#undef QUERN_TARGET
    return list;
  }();
  return *targets;
}

absl::StatusOr<const Target*> FindTarget(std::string_view name) {
  if (name == "host") name = "x86_64";
  std::vector<std::string> known = {"host"};
  for (const std::unique_ptr<Target>& target : Targets()) {
    if (target->name() == name) return target.get();
    known.push_back(target->name());
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown target '", std::string(name),
                                                 "'; known are ", absl::StrJoin(known, ", ")));
}

// Also as the default, which lld's driver resets options to.
static void SetOption(llvm::StringRef name, bool value) {
  llvm::cl::Option* option = llvm::cl::getRegisteredOptions().lookup(name);
  static_cast<llvm::cl::opt<bool>*>(option)->setInitialValue(value);
}

static void InitialiseOnce() {
  static const bool done = [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    llvm::InitializeAllAsmParsers();
    SetOption("disable-lsr", true);
    return true;
  }();
  static_cast<void>(done);
}

absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> CreateMachine(const Target& target,
                                                                   std::string_view cpu,
                                                                   std::string_view features) {
  InitialiseOnce();
  std::string error;
  const llvm::Triple triple(target.triple());
  const llvm::Target* backend = llvm::TargetRegistry::lookupTarget(triple, error);
  if (backend == nullptr) return absl::InternalError(error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(
      backend->createTargetMachine(triple, cpu, features, options, llvm::Reloc::PIC_, std::nullopt,
                                   llvm::CodeGenOptLevel::Aggressive));
  if (!machine) {
    return absl::InternalError(absl::StrCat("LLVM has no machine for ", target.triple()));
  }
  return machine;
}

absl::StatusOr<std::string> GenerateCode(llvm::Module& module, llvm::TargetMachine& machine,
                                         llvm::CodeGenFileType file_type) {
  llvm::SmallVector<char, 0> code;
  llvm::raw_svector_ostream stream(code);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, file_type)) {
    return absl::InternalError("LLVM cannot emit this kind of file");
  }
  passes.run(module);
  return std::string(code.begin(), code.end());
}

}  // namespace quern::codegen
