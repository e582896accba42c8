#include "codegen/lower.h"

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "codegen/kernel_lowering.h"

namespace quern::codegen {

static absl::StatusOr<BufferPlan> Plan(program::BufferOp op) {
  constexpr BufferRole kRoles[] = {BufferRole::kInput, BufferRole::kOutput, BufferRole::kTemporary};
  program::BufferType type = op.getBuffer().getType();
  std::string element;
  llvm::raw_string_ostream(element) << type.getElement();
  std::optional<ElementType> element_type = ParseElementType(element);
  if (!element_type || !HasCodeGeneration(*element_type)) {
    return LoweringError(op, absl::StrCat("has element type ", element,
                                          ", which is not supported by code generation"));
  }
  BufferPlan plan{.name = op.getName().str(),
                  .role = kRoles[static_cast<int>(op.getRole())],
                  .position = static_cast<int>(op.getPosition()),
                  .type = {*element_type, type.getShape().vec()},
                  .layout = program::ToLayout(op.getLayoutAttr()),
                  .holds = op.getHolds().value_or("").str()};
  if (__builtin_mul_overflow(PhysicalElements(plan.layout, plan.type.shape),
                             ByteSize(*element_type), &plan.bytes)) {
    return LoweringError(op, "is too large");
  }
  return plan;
}

absl::StatusOr<Lowered> Lower(program::ProgramOp program, const Target& target,
                              llvm::LLVMContext& context) {
  Lowered lowered{.module = std::make_unique<llvm::Module>("quern", context),
                  .plan = {.target = target.name(),
                           .cpu = target.cpu(),
                           .features = target.features(),
                           .buffers = {},
                           .kernels = {}}};
  QUERN_ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine,
                         CreateMachine(target, target.cpu(), target.features()));
  lowered.module->setTargetTriple(machine->getTargetTriple());
  lowered.module->setDataLayout(machine->createDataLayout());
  llvm::DenseMap<mlir::Value, int> buffers;
  for (auto op : program.getBody().front().getOps<program::BufferOp>()) {
    buffers[op.getBuffer()] = static_cast<int>(lowered.plan.buffers.size());
    QUERN_ASSIGN_OR_RETURN(lowered.plan.buffers.emplace_back(), Plan(op));
  }
  for (auto kernel : program.getBody().front().getOps<program::KernelOp>()) {
    KernelLowering lowering(target, *lowered.module, lowered.plan);
    QUERN_RETURN_IF_ERROR(lowering.Lower(kernel, buffers));
  }
  QUERN_RETURN_IF_ERROR(Validate(lowered.plan));
  return lowered;
}

}  // namespace quern::codegen
