// Compiled code, with the LLVM IR it was made from.
#ifndef QUERN_BUNDLE_ARTIFACT_H_
#define QUERN_BUNDLE_ARTIFACT_H_

#include <string>

#include "bundle/launch_plan.h"

namespace quern {

enum class BinaryKind {
  kSharedObject,  // exports the entry points of bundle/quern_abi.h
  kPtx,
  kHsaco,
};

struct Artifact {
  LaunchPlan plan;
  std::string llvm_ir;  // text, exactly as the code generator read it; what is proved
  BinaryKind kind = BinaryKind::kSharedObject;
  std::string binary;
};

}  // namespace quern

#endif  // QUERN_BUNDLE_ARTIFACT_H_
