#include "verifier/machine/emulator.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"

namespace quern::verifier {

static constexpr Type kPointerType = {.kind = Type::kPointer, .bits = 64, .lanes = 1};
static constexpr Type kCoordinateType = {.kind = Type::kInt, .bits = 64, .lanes = 1};

static absl::Status CheckParameters(const Function& function, const LaunchPlan& plan,
                                    const KernelPlan& kernel) {
  const int buffers = static_cast<int>(kernel.buffers.size());
  if (function.num_parameters != buffers + 3 || function.result.kind != Type::kVoid) {
    return absl::InvalidArgumentError(
        absl::StrCat("@", function.name, " does not take ", buffers,
                     " buffers and three block coordinates, returning nothing"));
  }
  for (int i = 0; i < function.num_parameters; ++i) {
    const Type& expected = i < buffers ? kPointerType : kCoordinateType;
    if (function.values[i] != expected) {
      return absl::InvalidArgumentError(absl::StrCat("@", function.name, ": parameter ", i, " is ",
                                                     Name(function.values[i]), ", not ",
                                                     Name(expected)));
    }
    if (i >= buffers) continue;
    const BufferPlan& buffer = plan.buffers[kernel.buffers[i]];
    const ParameterFacts& facts = function.facts[i];
    if (facts.alignment > buffer.alignment || facts.dereferenceable > buffer.bytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("@", function.name, ": parameter ", i, " promises alignment ",
                       facts.alignment, " and ", facts.dereferenceable, " bytes; '", buffer.name,
                       "' has ", buffer.alignment, " and ", buffer.bytes));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckLaunch(const Module& module, const LaunchPlan& plan) {
  for (const KernelPlan& kernel : plan.kernels) {
    const int index = module.Find(kernel.symbol);
    if (index < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("the LLVM IR does not define @", kernel.symbol));
    }
    if (kernel.threads != std::array<int64_t, 3>{1, 1, 1}) {
      return absl::UnimplementedError(
          absl::StrCat("@", kernel.symbol, ": blocks of several threads are not supported"));
    }
    QUERN_RETURN_IF_ERROR(CheckParameters(module.functions[index], plan, kernel));
  }
  return absl::OkStatus();
}

Emulator::Emulator(const Module& module, const LaunchPlan& plan)
    : module_(module), plan_(plan), domain_(module, &memory_), machine_(module, domain_) {
  for (const BufferPlan& buffer : plan.buffers) {
    objects_.push_back(memory_.Add({.name = buffer.name,
                                    .bytes = buffer.bytes,
                                    .alignment = buffer.alignment,
                                    .initialised = false,
                                    .writable = buffer.role != BufferRole::kInput,
                                    .shared = buffer.role != BufferRole::kScratch}));
  }
}

void Emulator::SetInput(int position, const Tensor* tensor) {
  for (size_t i = 0; i < plan_.buffers.size(); ++i) {
    const BufferPlan& buffer = plan_.buffers[i];
    if (buffer.role != BufferRole::kInput || buffer.position != position) continue;
    // Inputs are never written: see the constructor.
    memory_.Lend(objects_[i], const_cast<std::byte*>(tensor->data()));
  }
}

void Emulator::Prepare(int kernel) {
  const KernelPlan& plan = plan_.kernels[kernel];
  const int function = module_.Find(plan.symbol);
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const int object = objects_[plan.buffers[i]];
    const BufferRole role = plan_.buffers[plan.buffers[i]].role;
    const ParameterFacts& facts = module_.functions[function].facts[i];
    memory_.SetPermissions(object, facts.readable, facts.writable && role != BufferRole::kInput);
    if (role == BufferRole::kScratch) memory_.Forget(object);
    ConcreteDomain::Register& parameter = machine_.parameter(function, static_cast<int>(i));
    parameter.bits[0] = ConcreteDomain::Pointer(object, 0);
  }
}

EmulatedFault Emulator::Execute(int kernel, BlockIndex block, int64_t* budget) {
  Prepare(kernel);
  const KernelPlan& plan = plan_.kernels[kernel];
  const int function = module_.Find(plan.symbol);
  for (int axis = 0; axis < 3; ++axis) {
    const int parameter = static_cast<int>(plan.buffers.size()) + axis;
    machine_.parameter(function, parameter).bits[0] = static_cast<uint64_t>(block[axis]);
  }
  domain_.ClearFault();
  if (machine_.Run(function, budget)) return {};
  const EmulatedFault fault{.fault = machine_.fault(), .kernel = kernel, .block = block};
  domain_.LeaveAllFrames();
  return fault;
}

EmulatedFault Emulator::RunBlock(int kernel, BlockIndex block, int64_t* budget) {
  memory_.BeginKernel();
  return Execute(kernel, block, budget);
}

EmulatedFault Emulator::RunKernel(int kernel, int64_t* budget) {
  const std::array<int64_t, 3>& grid = plan_.kernels[kernel].grid;
  const int64_t blocks = grid[0] * grid[1] * grid[2];
  memory_.BeginKernel();
  for (int64_t i = 0; i < blocks; ++i) {
    const BlockIndex block = {i % grid[0], i / grid[0] % grid[1], i / grid[0] / grid[1]};
    const int64_t before = *budget;
    EmulatedFault fault = Execute(kernel, block, budget);
    if (fault.fault.kind != FaultKind::kNone) return fault;
    memory_.EndBlock();
    const int64_t cost = before - *budget;
    if (i == 0 && *budget / std::max<int64_t>(cost, 1) < blocks - 1) {
      return {.fault = {.kind = FaultKind::kBudget,
                        .message = absl::StrCat("all blocks of @", plan_.kernels[kernel].symbol,
                                                " would take too many instructions")},
              .kernel = kernel,
              .block = block};
    }
  }
  return {};
}

EmulatedFault Emulator::Coverage() const {
  for (size_t i = 0; i < plan_.buffers.size(); ++i) {
    const BufferPlan& buffer = plan_.buffers[i];
    if (buffer.role != BufferRole::kOutput) continue;
    const std::optional<int64_t> missing = initialised(static_cast<int>(i)).FirstMissing();
    if (!missing.has_value()) continue;
    return {.fault = {.kind = FaultKind::kCoverage,
                      .message = absl::StrCat("no block writes byte ", *missing, " of '",
                                              buffer.name, "'")},
            .output = buffer.position,
            .byte = *missing};
  }
  return {};
}

EmulatedFault Emulator::RunAll(int64_t* budget) {
  for (size_t kernel = 0; kernel < plan_.kernels.size(); ++kernel) {
    const EmulatedFault fault = RunKernel(static_cast<int>(kernel), budget);
    if (fault.fault.kind != FaultKind::kNone) return fault;
  }
  return Coverage();
}

absl::StatusOr<EmulationResult> Emulate(const std::string& llvm_ir, const LaunchPlan& plan,
                                        const std::vector<const Tensor*>& inputs, int64_t budget) {
  QUERN_RETURN_IF_ERROR(Validate(plan));
  QUERN_ASSIGN_OR_RETURN(const Module module, ReadModule(llvm_ir));
  QUERN_RETURN_IF_ERROR(CheckLaunch(module, plan));
  Emulator emulator(module, plan);
  for (const BufferPlan& buffer : plan.buffers) {
    if (buffer.role != BufferRole::kInput) continue;
    if (buffer.position >= static_cast<int>(inputs.size()) ||
        inputs[buffer.position]->type() != buffer.type) {
      return absl::InvalidArgumentError(
          absl::StrCat("no input fits the buffer '", buffer.name, "'"));
    }
    emulator.SetInput(buffer.position, inputs[buffer.position]);
  }
  EmulationResult result;
  int64_t left = budget;
  result.fault = emulator.RunAll(&left);
  result.instructions = budget - left;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferPlan& buffer = plan.buffers[i];
    if (buffer.role != BufferRole::kOutput) continue;
    QUERN_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Create(buffer.type));
    std::memcpy(tensor.data(), emulator.data(static_cast<int>(i)), buffer.bytes);
    if (buffer.position >= static_cast<int>(result.outputs.size())) {
      result.outputs.resize(buffer.position + 1);
    }
    result.outputs[buffer.position] = std::move(tensor);
  }
  return result;
}

}  // namespace quern::verifier
