// Runs a launch plan on the concrete machine: an emulated device, and the way to replay a
// counterexample.
#ifndef QUERN_VERIFIER_MACHINE_EMULATOR_H_
#define QUERN_VERIFIER_MACHINE_EMULATOR_H_

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bundle/launch_plan.h"
#include "bundle/tensor.h"
#include "verifier/machine/concrete.h"
#include "verifier/machine/function.h"
#include "verifier/machine/machine.h"
#include "verifier/machine/memory.h"

namespace quern::verifier {

using BlockIndex = std::array<int64_t, 3>;

// Whether each kernel of `plan` is a function of `module` with the ABI of design section 3 whose
// attributes promise no more than its buffers keep. kUnimplemented: several threads a block.
absl::Status CheckLaunch(const Module& module, const LaunchPlan& plan);

struct EmulatedFault {
  Fault fault;  // kNone: there was none
  int kernel = -1;
  BlockIndex block = {0, 0, 0};
  // kCoverage: the output and the first byte that nothing wrote.
  int output = -1;
  int64_t byte = 0;
};

// Buffers have exactly the bytes of the plan; all but inputs start uninitialised.
class Emulator {
 public:
  // Both must outlive the emulator and have passed CheckLaunch.
  Emulator(const Module& module, const LaunchPlan& plan);

  // `tensor` is borrowed, and of the buffer's type. Inputs never set are uninitialised.
  void SetInput(int position, const Tensor* tensor);

  // Of all that runs from now on: kBudget when it has passed.
  void SetDeadline(std::chrono::steady_clock::time_point deadline) {
    machine_.set_deadline(deadline);
  }

  // One block, alone. `budget` counts down by the lanes of each instruction.
  EmulatedFault RunBlock(int kernel, BlockIndex block, int64_t* budget);
  // All blocks of one kernel; finds races between them. kBudget, early, if it would take more.
  EmulatedFault RunKernel(int kernel, int64_t* budget);
  // All kernels, in order, and whether every byte of every output was written.
  EmulatedFault RunAll(int64_t* budget);

  // Of LaunchPlan::buffers[index]; inputs too.
  const std::byte* data(int index) const { return memory_.data(objects_[index]); }
  const ByteSet& initialised(int index) const { return memory_.initialised(objects_[index]); }

 private:
  EmulatedFault Execute(int kernel, BlockIndex block, int64_t* budget);
  EmulatedFault Coverage() const;
  void Prepare(int kernel);

  const Module& module_;
  const LaunchPlan& plan_;
  Memory memory_;
  ConcreteDomain domain_;
  Machine<ConcreteDomain> machine_;
  std::vector<int> objects_;  // of each buffer
};

struct EmulationResult {
  EmulatedFault fault;
  std::vector<Tensor> outputs;  // by position; complete if there is no fault
  int64_t instructions = 0;     // lanes counted
};

// Reads `llvm_ir` and runs all of `plan` on `inputs` (by position).
absl::StatusOr<EmulationResult> Emulate(const std::string& llvm_ir, const LaunchPlan& plan,
                                        const std::vector<const Tensor*>& inputs,
                                        int64_t budget = 4'000'000'000);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_MACHINE_EMULATOR_H_
