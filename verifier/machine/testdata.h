// Kernels for tests: those of verifier/testdata, by name.
#ifndef QUERN_VERIFIER_MACHINE_TESTDATA_H_
#define QUERN_VERIFIER_MACHINE_TESTDATA_H_

#include <string>
#include <vector>

#include "bundle/file.h"
#include "bundle/launch_plan.h"
#include "bundle/tensor.h"

namespace quern::verifier {

struct TestKernel {
  std::string module;
  std::string llvm_ir;
  LaunchPlan plan;
};

inline const std::vector<std::string>& TestKernelNames() {
  static const std::vector<std::string> names = {
      "types",       "add_relu",      "row_sum",     "matmul",   "matmul_bias_relu",
      "bf16_matmul", "transpose_add", "strided_add", "pack_add", "blocked_matmul",
      "pad",         "concat",        "conv",        "max_pool", "gather",
      "window",      "not_finite",    "narrow",      "dot_i8"};
  return names;
}

// Tests run in the root of the source tree.
inline TestKernel LoadTestKernel(const std::string& name) {
  const std::string stem = "verifier/testdata/" + name;
  return {.module = ReadFile(stem + ".mlir").value(),
          .llvm_ir = ReadFile(stem + ".ll").value(),
          .plan = ParseLaunchPlan(ReadFile(stem + ".launch.json").value()).value()};
}

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_MACHINE_TESTDATA_H_
