#include "codegen/targets/x86/plan_object.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "bundle/round_up.h"
#include "bundle/status.h"
#include "codegen/launcher/plan_table.h"
#include "llvm/IR/IRBuilder.h"

namespace quern::codegen {

// Chunks of a kernel: enough to balance a few dozen threads; fewer where each costs scratch.
static constexpr int64_t kMaxChunks = 256;
static constexpr int64_t kMaxChunksWithScratch = 64;
static constexpr int64_t kScratchAlignment = 64;

namespace {

class PlanModule {
 public:
  PlanModule(const LaunchPlan& plan, llvm::Module& module)
      : plan_(plan), module_(module), builder_(module.getContext()) {}

  void Build() {
    PlaceScratch();
    std::vector<llvm::Constant*> buffers, kernels;
    const std::vector<int64_t> offsets = plan_.workspace_offsets();
    for (size_t i = 0; i < plan_.buffers.size(); ++i) buffers.push_back(Buffer(i, offsets[i]));
    for (const KernelPlan& kernel : plan_.kernels) kernels.push_back(Kernel(kernel));
    const int64_t workspace = plan_.workspace_bytes();
    llvm::Constant* table = Struct(
        {Int(Count(BufferRole::kInput)), Int(Count(BufferRole::kOutput)), Int(plan_.buffers.size()),
         Array(buffers, "buffers"), Int(plan_.kernels.size()), Array(kernels, "kernels"),
         Int(workspace + max_chunks_ * scratch_stride_), Int(workspace), Int(scratch_stride_)});
    auto* global = new llvm::GlobalVariable(
        module_, table->getType(), true, llvm::GlobalValue::ExternalLinkage, table, "quern_plan");
    global->setVisibility(llvm::GlobalValue::HiddenVisibility);
  }

 private:
  llvm::Constant* Int(int64_t value) { return builder_.getInt64(value); }
  llvm::Constant* Struct(const std::vector<llvm::Constant*>& fields) {
    return llvm::ConstantStruct::getAnon(module_.getContext(), fields);
  }
  llvm::Constant* Array(const std::vector<llvm::Constant*>& elements, const char* name) {
    if (elements.empty()) return llvm::ConstantPointerNull::get(builder_.getPtrTy());
    auto* type = llvm::ArrayType::get(elements[0]->getType(), elements.size());
    return new llvm::GlobalVariable(module_, type, true, llvm::GlobalValue::PrivateLinkage,
                                    llvm::ConstantArray::get(type, elements), name);
  }

  // Arguments and results are numbered from 0.
  int64_t Count(BufferRole role) const {
    int count = 0;
    for (const BufferPlan& buffer : plan_.buffers) {
      if (buffer.role == role) count = std::max(count, buffer.position + 1);
    }
    return count;
  }

  void PlaceScratch() {
    scratch_offsets_.assign(plan_.buffers.size(), 0);
    for (const KernelPlan& kernel : plan_.kernels) {
      int64_t end = 0;
      for (int index : kernel.buffers) {
        if (plan_.buffers[index].role != BufferRole::kScratch) continue;
        scratch_offsets_[index] = end;
        end = RoundUp(end + plan_.buffers[index].bytes, kScratchAlignment);
      }
      scratch_stride_ = std::max(scratch_stride_, end);
      if (end > 0) max_chunks_ = std::max(max_chunks_, Chunks(kernel));
    }
  }

  int64_t Chunks(const KernelPlan& kernel) const {
    const bool scratch = std::any_of(kernel.buffers.begin(), kernel.buffers.end(), [&](int index) {
      return plan_.buffers[index].role == BufferRole::kScratch;
    });
    const int64_t blocks = kernel.grid[0] * kernel.grid[1] * kernel.grid[2];
    return std::clamp<int64_t>(blocks, 1, scratch ? kMaxChunksWithScratch : kMaxChunks);
  }

  llvm::Constant* Buffer(size_t index, int64_t workspace_offset) {
    const BufferPlan& buffer = plan_.buffers[index];
    constexpr int64_t kRoles[] = {QUERN_INPUT, QUERN_OUTPUT, QUERN_TEMPORARY, QUERN_SCRATCH};
    std::vector<llvm::Constant*> shape;
    for (int64_t extent : buffer.type.shape) shape.push_back(Int(extent));
    const DlpackType element = ToDlpack(buffer.type.element);
    return Struct({Int(kRoles[static_cast<int>(buffer.role)]), Int(buffer.position),
                   Int(element.code), Int(element.bits), Int(shape.size()), Array(shape, "shape"),
                   Int(buffer.bytes), Int(buffer.alignment),
                   Int(std::max<int64_t>(workspace_offset, 0))});
  }

  llvm::Constant* Kernel(const KernelPlan& kernel) {
    return Struct({Block(kernel), Int(kernel.grid[0]), Int(kernel.grid[1]), Int(kernel.grid[2]),
                   Int(Chunks(kernel))});
  }

  // void block(ptr buffers, ptr scratch, i64 bx, i64 by, i64 bz)
  llvm::Function* Block(const KernelPlan& kernel) {
    llvm::Type* pointer = builder_.getPtrTy();
    llvm::Type* integer = builder_.getInt64Ty();
    auto* type = llvm::FunctionType::get(builder_.getVoidTy(),
                                         {pointer, pointer, integer, integer, integer}, false);
    auto* block = llvm::Function::Create(type, llvm::Function::InternalLinkage,
                                         "block_" + kernel.symbol, module_);
    std::vector<llvm::Type*> types(kernel.buffers.size(), pointer);
    types.insert(types.end(), 3, integer);
    llvm::FunctionCallee callee = module_.getOrInsertFunction(
        kernel.symbol, llvm::FunctionType::get(builder_.getVoidTy(), types, false));
    llvm::cast<llvm::Function>(callee.getCallee())
        ->setVisibility(llvm::GlobalValue::HiddenVisibility);
    builder_.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "entry", block));
    std::vector<llvm::Value*> arguments;
    for (int index : kernel.buffers) {
      if (plan_.buffers[index].role == BufferRole::kScratch) {
        arguments.push_back(builder_.CreateConstGEP1_64(builder_.getInt8Ty(), block->getArg(1),
                                                        scratch_offsets_[index]));
      } else {
        llvm::Value* entry = builder_.CreateConstGEP1_64(pointer, block->getArg(0), index);
        arguments.push_back(builder_.CreateLoad(pointer, entry));
      }
    }
    for (int axis = 0; axis < 3; ++axis) arguments.push_back(block->getArg(2 + axis));
    builder_.CreateCall(callee, arguments);
    builder_.CreateRetVoid();
    return block;
  }

  const LaunchPlan& plan_;
  llvm::Module& module_;
  llvm::IRBuilder<> builder_;
  std::vector<int64_t> scratch_offsets_;
  int64_t scratch_stride_ = 0, max_chunks_ = 1;  // of the kernels with scratch
};

}  // namespace

absl::StatusOr<std::string> PlanObject(const Target& target, const LaunchPlan& plan) {
  if (plan.buffers.size() > QUERN_MAX_BUFFERS) {
    return absl::InvalidArgumentError(
        absl::StrCat("the program has more than ", QUERN_MAX_BUFFERS, " buffers"));
  }
  llvm::LLVMContext context;
  llvm::Module module("quern_plan", context);
  QUERN_ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine,
                         CreateMachine(target, plan.cpu, plan.features));
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  PlanModule(plan, module).Build();
  return GenerateCode(module, *machine, llvm::CodeGenFileType::ObjectFile);
}

absl::StatusOr<std::string> StubObject(const Target& target, const LaunchPlan& plan,
                                       const std::set<std::string>& names) {
  llvm::LLVMContext context;
  llvm::Module module("libm", context);
  QUERN_ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine,
                         CreateMachine(target, plan.cpu, plan.features));
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  llvm::IRBuilder<> builder(context);
  for (const std::string& name : names) {
    auto* stub = llvm::Function::Create(llvm::FunctionType::get(builder.getVoidTy(), false),
                                        llvm::Function::ExternalLinkage, name, module);
    builder.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", stub));
    builder.CreateRetVoid();
  }
  return GenerateCode(module, *machine, llvm::CodeGenFileType::ObjectFile);
}

}  // namespace quern::codegen
