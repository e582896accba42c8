#include "codegen/lower.h"

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "codegen/kernel_lowering.h"
#include "ir/program/complex_buffer.h"
#include "ir/stablehlo/constant.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"

namespace quern::codegen {

static absl::StatusOr<BufferPlan> Plan(program::BufferOp op) {
  constexpr BufferRole kRoles[] = {BufferRole::kInput, BufferRole::kOutput, BufferRole::kTemporary};
  program::BufferType type = op.getBuffer().getType();
  QUERN_ASSIGN_OR_RETURN(const ElementType element, ElementOf(op, type));
  BufferPlan plan{.name = op.getName().str(),
                  .role = kRoles[static_cast<int>(op.getRole())],
                  .position = static_cast<int>(op.getPosition()),
                  .type = {element, type.getShape().vec()},
                  .layout = program::ToLayout(op.getLayoutAttr()),
                  .holds = op.getHolds().value_or("").str()};
  if (__builtin_mul_overflow(PhysicalElements(plan.layout, plan.type.shape), ByteSize(element),
                             &plan.bytes)) {
    return LoweringError(op, "is too large");
  }
  return plan;
}

// What callers pass: kernels see the parts of complex numbers.
static TensorType OfComplexNumbers(const TensorType& parts) {
  const bool narrow = parts.element == ElementType::kF32;
  return {.element = narrow ? ElementType::kComplexF32 : ElementType::kComplexF64,
          .shape = {parts.shape.begin(), parts.shape.end() - 1}};
}

// An array of the module that holds a constant, row-major.
static absl::StatusOr<llvm::GlobalVariable*> Table(program::BufferOp op, const Target& target,
                                                   llvm::Module& module) {
  QUERN_RETURN_IF_ERROR(ElementOf(op, op.getBuffer().getType()).status());
  QUERN_ASSIGN_OR_RETURN(Tensor tensor, stablehlo::ToTensor(op.getContentsAttr()));
  llvm::Type* element =
      StoredType(ValueType(op.getBuffer().getType().getElement(), module.getContext()));
  const llvm::StringRef bytes(reinterpret_cast<const char*>(tensor.data()),
                              tensor.type().num_bytes());
  llvm::Constant* contents =
      llvm::ConstantDataArray::getRaw(bytes, tensor.type().num_elements(), element);
  auto* table = new llvm::GlobalVariable(
      module, contents->getType(), /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage, contents,
      op.getName(), nullptr, llvm::GlobalValue::NotThreadLocal, target.global_address_space());
  table->setAlignment(llvm::Align(64));
  return table;
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
  llvm::DenseMap<mlir::Value, llvm::GlobalVariable*> tables;
  for (auto op : program.getBody().front().getOps<program::BufferOp>()) {
    if (op.getRole() == program::Role::Constant) {
      QUERN_ASSIGN_OR_RETURN(tables[op.getBuffer()], Table(op, target, *lowered.module));
      continue;
    }
    buffers[op.getBuffer()] = static_cast<int>(lowered.plan.buffers.size());
    QUERN_ASSIGN_OR_RETURN(lowered.plan.buffers.emplace_back(), Plan(op));
  }
  for (auto kernel : program.getBody().front().getOps<program::KernelOp>()) {
    KernelLowering lowering(target, *lowered.module, lowered.plan);
    QUERN_RETURN_IF_ERROR(lowering.Lower(kernel, buffers, tables));
  }
  for (const auto& [buffer, index] : buffers) {
    TensorType& type = lowered.plan.buffers[index].type;
    if (buffer.getDefiningOp()->hasAttr(program::kComplexBuffer)) type = OfComplexNumbers(type);
  }
  QUERN_RETURN_IF_ERROR(Validate(lowered.plan));
  return lowered;
}

}  // namespace quern::codegen
