// Object files that the launcher is linked with.
#ifndef QUERN_CODEGEN_TARGETS_X86_PLAN_OBJECT_H_
#define QUERN_CODEGEN_TARGETS_X86_PLAN_OBJECT_H_

#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "bundle/launch_plan.h"
#include "codegen/target.h"

namespace quern::codegen {

// Defines `quern_plan` (launcher/plan_table.h), with a function for each kernel that takes its
// buffers from an array.
absl::StatusOr<std::string> PlanObject(const Target& target, const LaunchPlan& plan);

// Defines functions of these names.
absl::StatusOr<std::string> StubObject(const Target& target, const LaunchPlan& plan,
                                       const std::set<std::string>& names);

}  // namespace quern::codegen

#endif  // QUERN_CODEGEN_TARGETS_X86_PLAN_OBJECT_H_
