// What functions, parameters, calls and metadata promise to LLVM, beyond what the machine checks by
// running them.
#ifndef QUERN_VERIFIER_MACHINE_ATTRIBUTES_H_
#define QUERN_VERIFIER_MACHINE_ATTRIBUTES_H_

#include <string>

#include "llvm/IR/Attributes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "verifier/machine/function.h"

namespace quern::verifier {

// Each returns the first promise that is not understood, or "": only attributes on a closed list
// are accepted, since an unknown one may make behaviour undefined that the machine takes as
// defined.

// Of a definition. Fills in `facts` and `noundef` for its parameters. Of a function called by
// another definition (not `entry`) pointer facts are not accepted: nobody would check them.
std::string CheckDefinition(const llvm::Function& function, bool entry, Function* decoded);

// Of a function that is only declared.
std::string CheckDeclaration(const llvm::Function& function);

// Of a call, apart from the promises of the callee itself.
std::string CheckCallSite(const llvm::CallBase& call);

// Metadata and fast-math flags.
std::string CheckAnnotations(const llvm::Instruction& instruction);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_MACHINE_ATTRIBUTES_H_
