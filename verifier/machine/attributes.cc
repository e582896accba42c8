#include "verifier/machine/attributes.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/ModRef.h"

namespace quern::verifier {

using llvm::Attribute;

// Promises about control flow, which the machine follows to its end, and choices that do not change
// a result.
static bool IsHarmlessFunctionAttribute(Attribute::AttrKind kind) {
  switch (kind) {
    case Attribute::AlwaysInline:
    case Attribute::Cold:
    case Attribute::Convergent:
    case Attribute::Hot:
    case Attribute::InlineHint:
    case Attribute::Memory:  // see MemoryPromise
    case Attribute::MinSize:
    case Attribute::MustProgress:
    case Attribute::NoBuiltin:
    case Attribute::NoCallback:
    case Attribute::NoCfCheck:
    case Attribute::NoDuplicate:
    case Attribute::NoFree:
    case Attribute::NoImplicitFloat:
    case Attribute::NoInline:
    case Attribute::NoMerge:
    case Attribute::NoProfile:
    case Attribute::NoRecurse:
    case Attribute::NoRedZone:
    case Attribute::NoSync:
    case Attribute::NoUnwind:
    case Attribute::NonLazyBind:
    case Attribute::NullPointerIsValid:
    case Attribute::OptimizeForSize:
    case Attribute::OptimizeNone:
    case Attribute::SkipProfile:
    case Attribute::StackProtect:
    case Attribute::StackProtectReq:
    case Attribute::StackProtectStrong:
    case Attribute::UWTable:
    case Attribute::WillReturn:
      return true;
    default:
      return false;
  }
}

static bool IsHarmlessStringAttribute(Attribute attribute) {
  const llvm::StringRef key = attribute.getKindAsString();
  const llvm::StringRef value = attribute.getValueAsString();
  if (key.starts_with("denormal-fp-math")) return value == "ieee,ieee" || value == "ieee";
  if (key.starts_with("no-builtin") || key.starts_with("amdgpu-") || key.starts_with("nvvm.")) {
    return true;
  }
  return llvm::StringSwitch<bool>(key)
      .Cases({"frame-pointer", "min-legal-vector-width", "no-jump-tables", "no-realign-stack"},
             true)
      .Cases({"no-trapping-math", "prefer-vector-width", "probe-stack", "stackrealign"}, true)
      .Cases({"stack-protector-buffer-size", "target-cpu", "target-features", "tune-cpu"}, true)
      .Case("uniform-work-group-size", true)
      .Cases({"unsafe-fp-math", "no-nans-fp-math", "no-infs-fp-math", "no-signed-zeros-fp-math"},
             value == "false")
      .Cases({"approx-func-fp-math", "less-precise-fpmad", "use-soft-float"}, value == "false")
      .Default(false);
}

static std::string Refuse(const std::string& what, Attribute attribute) {
  return "the attribute '" + attribute.getAsString() + "' of " + what + " is not supported";
}

// The first attribute of `set` that is not in `allowed`.
static std::string CheckSet(llvm::AttributeSet set,
                            std::initializer_list<Attribute::AttrKind> allowed,
                            const std::string& what) {
  for (Attribute attribute : set) {
    const bool known =
        !attribute.isStringAttribute() &&
        std::find(allowed.begin(), allowed.end(), attribute.getKindAsEnum()) != allowed.end();
    if (!known) return Refuse(what, attribute);
  }
  return "";
}

static std::string CheckFunctionSet(llvm::AttributeSet set, const std::string& what) {
  for (Attribute attribute : set) {
    const bool known = attribute.isStringAttribute()
                           ? IsHarmlessStringAttribute(attribute)
                           : IsHarmlessFunctionAttribute(attribute.getKindAsEnum());
    if (!known) return Refuse(what, attribute);
  }
  return "";
}

// The memory a kernel says it touches becomes permissions of its buffers; its other accesses, to
// its own allocas and to constants, are not part of the promise.
static void LimitToMemoryPromise(const llvm::Function& function, Function* decoded) {
  const llvm::ModRefInfo effects =
      function.getMemoryEffects().getModRef(llvm::IRMemLocation::ArgMem);
  for (ParameterFacts& facts : decoded->facts) {
    facts.readable = facts.readable && llvm::isRefSet(effects);
    facts.writable = facts.writable && llvm::isModSet(effects);
  }
}

static ParameterFacts EntryFacts(const llvm::Argument& argument) {
  const bool nonnull = argument.hasAttribute(Attribute::NonNull);
  const int64_t dereferenceable = static_cast<int64_t>(
      std::max(argument.getDereferenceableBytes(), argument.getDereferenceableOrNullBytes()));
  return {.alignment = static_cast<int64_t>(argument.getParamAlign().valueOrOne().value()),
          .dereferenceable = std::max<int64_t>(dereferenceable, nonnull ? 1 : 0),
          .noalias = argument.hasAttribute(Attribute::NoAlias),
          .readable = !argument.hasAttribute(Attribute::WriteOnly) &&
                      !argument.hasAttribute(Attribute::ReadNone),
          .writable = !argument.hasAttribute(Attribute::ReadOnly) &&
                      !argument.hasAttribute(Attribute::ReadNone)};
}

std::string CheckDefinition(const llvm::Function& function, bool entry, Function* decoded) {
  const llvm::AttributeList attributes = function.getAttributes();
  std::string problem = CheckFunctionSet(attributes.getFnAttrs(), "the function");
  if (!problem.empty()) return problem;
  problem = CheckSet(attributes.getRetAttrs(), {Attribute::ZExt, Attribute::SExt}, "the result");
  if (!problem.empty()) return problem;
  for (const llvm::Argument& argument : function.args()) {
    const std::string what = "parameter " + std::to_string(argument.getArgNo());
    const llvm::AttributeSet set = attributes.getParamAttrs(argument.getArgNo());
    problem = entry ? CheckSet(set,
                               {Attribute::NoUndef, Attribute::NoAlias, Attribute::Alignment,
                                Attribute::NonNull, Attribute::Dereferenceable,
                                Attribute::DereferenceableOrNull, Attribute::Captures,
                                Attribute::ReadOnly, Attribute::WriteOnly, Attribute::ReadNone,
                                Attribute::NoFree, Attribute::ZExt, Attribute::SExt},
                               what)
                    : CheckSet(set,
                               {Attribute::NoUndef, Attribute::Captures, Attribute::NoFree,
                                Attribute::ZExt, Attribute::SExt},
                               what);
    if (!problem.empty()) return problem;
    decoded->facts.push_back(entry ? EntryFacts(argument) : ParameterFacts());
    decoded->noundef.push_back(argument.hasAttribute(Attribute::NoUndef));
  }
  if (entry) {
    LimitToMemoryPromise(function, decoded);
  } else if (function.getMemoryEffects().getModRef(llvm::IRMemLocation::ArgMem) !=
             llvm::ModRefInfo::ModRef) {
    return "a 'memory' attribute that limits a called function is not supported";
  }
  return "";
}

std::string CheckDeclaration(const llvm::Function& function) {
  const llvm::AttributeList attributes = function.getAttributes();
  std::string problem = CheckFunctionSet(attributes.getFnAttrs(), "the function");
  if (problem.empty()) {
    problem = CheckSet(attributes.getRetAttrs(), {Attribute::NoUndef}, "the result");
  }
  for (const llvm::Argument& argument : function.args()) {
    if (!problem.empty()) return problem;
    problem = CheckSet(attributes.getParamAttrs(argument.getArgNo()), {Attribute::NoUndef},
                       "parameter " + std::to_string(argument.getArgNo()));
  }
  return problem;
}

std::string CheckCallSite(const llvm::CallBase& call) {
  if (call.hasOperandBundles()) return "operand bundles are not supported";
  if (const auto* direct = llvm::dyn_cast<llvm::CallInst>(&call)) {
    if (direct->isMustTailCall()) return "musttail is not supported";
  }
  const llvm::AttributeList attributes = call.getAttributes();
  const bool transfer = llvm::isa<llvm::MemIntrinsic>(call);
  std::string problem;
  for (Attribute attribute : attributes.getFnAttrs()) {
    // A call's memory effects say nothing new about an external function's contract.
    const bool external = call.getCalledFunction()->isDeclaration();
    if (attribute.isStringAttribute() ? !IsHarmlessStringAttribute(attribute)
                                      : !IsHarmlessFunctionAttribute(attribute.getKindAsEnum())) {
      return Refuse("the call", attribute);
    }
    if (!external && attribute.hasAttribute(Attribute::Memory))
      return Refuse("the call", attribute);
  }
  problem = CheckSet(attributes.getRetAttrs(),
                     {Attribute::ZExt, Attribute::SExt, Attribute::NoUndef}, "the call's result");
  if (!problem.empty()) return problem;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const std::string what = "argument " + std::to_string(i);
    llvm::AttributeSet set = attributes.getParamAttrs(i);
    // Copying is checked to be inside both objects, so these add nothing if the length is at least
    // as much.
    if (transfer && set.hasAttribute(Attribute::Dereferenceable)) {
      const auto* length = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(2));
      if (length == nullptr || length->getZExtValue() < set.getDereferenceableBytes()) {
        return Refuse(what, set.getAttribute(Attribute::Dereferenceable));
      }
    }
    problem =
        transfer || llvm::isa<llvm::IntrinsicInst>(call)
            ? CheckSet(set,
                       {Attribute::NoUndef, Attribute::NonNull, Attribute::Alignment,
                        Attribute::Dereferenceable, Attribute::Captures, Attribute::NoAlias,
                        Attribute::ReadOnly, Attribute::WriteOnly, Attribute::ImmArg},
                       what)
            : CheckSet(set,
                       {Attribute::NoUndef, Attribute::Captures, Attribute::ZExt, Attribute::SExt},
                       what);
    if (!problem.empty()) return problem;
    if (llvm::isa<llvm::LifetimeIntrinsic>(call)) continue;  // of an alloca, which is not null
    const bool pointer_facts =
        set.hasAttribute(Attribute::NonNull) || set.hasAttribute(Attribute::Dereferenceable) ||
        set.hasAttribute(Attribute::NoAlias) || set.hasAttribute(Attribute::NoUndef);
    if (!transfer && llvm::isa<llvm::IntrinsicInst>(call) && pointer_facts) {
      return "promises about the arguments of this intrinsic are not supported";
    }
  }
  return "";
}

static bool IsHarmlessMetadata(llvm::StringRef name, const llvm::Instruction& instruction) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"annotation", "dbg", "llvm.loop", "nosanitize", "prof", "srcloc"}, true)
      .Case("unpredictable", true)
      // What is in memory is never poison: storing it is a fault.
      .Case("noundef", llvm::isa<llvm::LoadInst>(instruction))
      .Default(false);
}

std::string CheckAnnotations(const llvm::Instruction& instruction) {
  if (const auto* op = llvm::dyn_cast<llvm::FPMathOperator>(&instruction)) {
    if (op->getFastMathFlags().any()) return "fast-math flags are not supported";
  }
  llvm::SmallVector<std::pair<unsigned, llvm::MDNode*>, 4> metadata;
  instruction.getAllMetadataOtherThanDebugLoc(metadata);
  llvm::SmallVector<llvm::StringRef, 64> names;
  if (!metadata.empty()) instruction.getContext().getMDKindNames(names);
  for (const auto& [kind, node] : metadata) {
    if (!IsHarmlessMetadata(names[kind], instruction)) {
      return "the metadata '!" + names[kind].str() + "' is not supported";
    }
  }
  return "";
}

}  // namespace quern::verifier
