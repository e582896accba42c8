#include <algorithm>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ModuleSlotTracker.h"
#include "llvm/IR/RuntimeLibcalls.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include "verifier/machine/attributes.h"
#include "verifier/machine/decoder.h"
#include "verifier/machine/function.h"
#include "verifier/machine/library.h"

namespace quern::verifier {

static constexpr size_t kMaxTextBytes = 256 << 20;
static constexpr int kMaxNesting = 200;  // LLVM's parser recurses

// The sizes and offsets that the code generator will use; a module that names none gets them too.
static constexpr char kX86Layout[] =
    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

struct SourceMap {
  llvm::LLVMContext context;  // must outlive the module
  std::unique_ptr<llvm::Module> module;
  std::vector<std::vector<const llvm::Instruction*>> origins;  // by function and instruction
};

static std::string Print(const llvm::Instruction& instruction) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::ModuleSlotTracker slots(instruction.getModule(), /*ShouldInitializeAllMetadata=*/false);
  slots.incorporateFunction(*instruction.getFunction());
  instruction.print(stream, slots);
  text.erase(0, text.find_first_not_of(' '));
  text = text.substr(0, text.find(", !dbg"));
  if (const llvm::DebugLoc& location = instruction.getDebugLoc()) {
    absl::StrAppend(&text, ", line ", location.getLine());
  }
  return text;
}

int Module::Find(std::string_view name) const {
  for (size_t i = 0; i < functions.size(); ++i) {
    if (functions[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

std::string Module::Text(int function, int instruction) const {
  const llvm::Instruction* origin = source->origins[function][instruction];
  return origin == nullptr ? "" : Print(*origin);
}

// Brackets outside strings and comments nest at most this deep.
static int Nesting(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '"':
        i = std::min(text.find('"', i + 1), text.size());
        break;
      case ';':
        i = std::min(text.find('\n', i), text.size());
        break;
      case '(':
      case '[':
      case '{':
      case '<':
        deepest = std::max(deepest, ++depth);
        break;
      case ')':
      case ']':
      case '}':
      case '>':
        --depth;
        break;
      default:
        break;
    }
  }
  return deepest;
}

// LLVM's parser ends the process on some malformed inputs instead of reporting them.
static void ThrowFatalError(void*, const char* reason, bool) { throw std::runtime_error(reason); }

static absl::StatusOr<std::unique_ptr<llvm::Module>> Parse(std::string_view text,
                                                           llvm::LLVMContext& context) {
  if (text.size() > kMaxTextBytes) return absl::InvalidArgumentError("LLVM IR: above 256 MiB");
  if (Nesting(text) > kMaxNesting) return absl::InvalidArgumentError("LLVM IR: nests too deep");
  // One handler for the process, so one reader at a time.
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  const llvm::ScopedFatalErrorHandler handler(ThrowFatalError);
  // What a warning of the verifier or the upgrader would print to stderr.
  context.setDiagnosticHandlerCallBack([](const llvm::DiagnosticInfo*, void*) {}, nullptr);
  try {
    llvm::SMDiagnostic diagnostic;
    std::unique_ptr<llvm::Module> module =
        llvm::parseAssemblyString(llvm::StringRef(text.data(), text.size()), diagnostic, context);
    if (module == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("LLVM IR, line ", diagnostic.getLineNo(), ": ",
                                                     diagnostic.getMessage().str()));
    }
    if (module->getDataLayoutStr().empty()) module->setDataLayout(kX86Layout);
    std::string problem;
    llvm::raw_string_ostream stream(problem);
    if (llvm::verifyModule(*module, &stream)) {
      return absl::InvalidArgumentError("LLVM IR: " + problem.substr(0, problem.find('\n')));
    }
    return module;
  } catch (const std::runtime_error& error) {
    return absl::InvalidArgumentError(absl::StrCat("LLVM IR: ", error.what()));
  }
}

static std::string ModuleProblem(const llvm::Module& module) {
  if (module.getDataLayoutStr() != kX86Layout) return "the data layout of a target other than x86";
  if (!module.getModuleInlineAsm().empty()) return "module-level assembly";
  if (!module.alias_empty() || !module.ifunc_empty()) return "an alias";
  if (module.getNamedGlobal("llvm.global_ctors") != nullptr) return "a global constructor";
  return "";
}

// Whether the code generator, the C library or the launcher may refer to this symbol: a definition
// of @memcpy would be what llvm.memcpy calls.
static bool IsReserved(llvm::StringRef name, const llvm::TargetLibraryInfoImpl& c_library) {
  llvm::LibFunc unused;
  return name.starts_with("quern_") || name.starts_with("\1") ||
         !llvm::RTLIB::RuntimeLibcallsInfo::lookupLibcallImplName(name).empty() ||
         c_library.getLibFunc(name, unused) ||
         FindLibraryFunction(std::string_view(name.data(), name.size())) != nullptr;
}

static std::string NameProblem(const llvm::Module& module) {
  const llvm::TargetLibraryInfoImpl c_library(llvm::Triple("x86_64-unknown-linux-gnu"));
  for (const llvm::GlobalObject& object : module.global_objects()) {
    if (!object.isDeclaration() && IsReserved(object.getName(), c_library)) {
      return "a definition of the library's @" + object.getName().str();
    }
  }
  return "";
}

static std::string DefinitionProblem(const llvm::Function& function) {
  if (function.isInterposable() || function.hasAvailableExternallyLinkage()) {
    return "a definition that may be replaced is not supported";
  }
  if (function.isVarArg()) return "a variable number of arguments is not supported";
  if (function.hasPersonalityFn() || function.hasGC() || function.hasPrefixData() ||
      function.hasPrologueData()) {
    return "a personality, gc, prefix or prologue is not supported";
  }
  return "";
}

// Whether `function` is called by a definition of this module.
static bool IsCalled(const llvm::Function& function) {
  return std::any_of(function.user_begin(), function.user_end(),
                     [](const llvm::User* user) { return llvm::isa<llvm::CallBase>(user); });
}

static bool Reaches(const Module& module, int from, std::vector<int>* state) {
  enum { kNew, kOpen, kDone };
  if ((*state)[from] == kDone) return false;
  if ((*state)[from] == kOpen) return true;
  (*state)[from] = kOpen;
  for (const Instruction& instruction : module.functions[from].code) {
    if (instruction.opcode == Opcode::kCall && Reaches(module, instruction.index, state)) {
      return true;
    }
  }
  (*state)[from] = kDone;
  return false;
}

static absl::Status DecodeFunction(const llvm::Function& function, ModuleTables* tables,
                                   SourceMap* source, Function* out) {
  std::string problem = DefinitionProblem(function);
  if (problem.empty()) problem = CheckDefinition(function, !IsCalled(function), out);
  if (!problem.empty()) {
    return absl::UnimplementedError(absl::StrCat("@", function.getName().str(), ": ", problem));
  }
  Decoder decoder(function, tables);
  const absl::Status status = decoder.Decode(out);
  if (!status.ok()) {
    const std::string where =
        decoder.at() == nullptr ? "" : absl::StrCat(" '", Print(*decoder.at()), "'");
    return absl::Status(status.code(),
                        absl::StrCat("@", function.getName().str(), where, ": ", status.message()));
  }
  source->origins.push_back(decoder.Origins());
  return absl::OkStatus();
}

absl::StatusOr<Module> ReadModule(std::string_view llvm_ir) {
  auto source = std::make_shared<SourceMap>();
  QUERN_ASSIGN_OR_RETURN(source->module, Parse(llvm_ir, source->context));
  const llvm::Module& parsed = *source->module;
  std::string problem = ModuleProblem(parsed);
  if (problem.empty()) problem = NameProblem(parsed);
  if (!problem.empty()) {
    return absl::UnimplementedError("LLVM IR: " + problem + " is not supported");
  }
  ModuleTables tables{.layout = parsed.getDataLayout(),
                      .globals = GlobalTable(parsed.getDataLayout()),
                      .functions = {},
                      .libraries = {}};
  for (const llvm::Function& function : parsed) {
    if (function.isDeclaration()) continue;
    tables.functions.emplace(&function, static_cast<int>(tables.functions.size()));
  }
  Module module;
  module.functions.resize(tables.functions.size());
  for (const llvm::Function& function : parsed) {
    if (function.isDeclaration()) continue;
    QUERN_RETURN_IF_ERROR(DecodeFunction(function, &tables, source.get(),
                                         &module.functions[tables.functions.at(&function)]));
  }
  std::vector<int> state(module.functions.size());
  for (size_t i = 0; i < module.functions.size(); ++i) {
    if (Reaches(module, static_cast<int>(i), &state)) {
      return absl::UnimplementedError(
          absl::StrCat("@", module.functions[i].name, ": recursion is not supported"));
    }
  }
  module.globals = tables.globals.Take();
  module.libraries = std::move(tables.libraries);
  module.source = std::move(source);
  return module;
}

}  // namespace quern::verifier
