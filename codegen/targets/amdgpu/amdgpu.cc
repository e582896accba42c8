// AMD: a code object (hsaco), linked in process.
#include "absl/strings/str_cat.h"
#include "codegen/link.h"
#include "codegen/targets/targets.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

namespace quern::codegen {

// Inputs that the kernels do not use; without these attributes a driver has to pass all of them.
static constexpr const char* kUnused[] = {
    "amdgpu-no-completion-action",  "amdgpu-no-default-queue",     "amdgpu-no-dispatch-id",
    "amdgpu-no-dispatch-ptr",       "amdgpu-no-flat-scratch-init", "amdgpu-no-heap-ptr",
    "amdgpu-no-hostcall-ptr",       "amdgpu-no-implicitarg-ptr",   "amdgpu-no-lds-kernel-id",
    "amdgpu-no-multigrid-sync-arg", "amdgpu-no-queue-ptr"};

namespace {

class Amdgpu : public Target {
 public:
  explicit Amdgpu(std::string chip) : chip_(std::move(chip)) {}

  std::string name() const override { return chip_; }
  std::string triple() const override { return "amdgcn-amd-amdhsa"; }
  std::string cpu() const override { return chip_; }
  std::string features() const override { return ""; }
  BinaryKind kind() const override { return BinaryKind::kHsaco; }

  unsigned global_address_space() const override { return 1; }
  // A driver counts threads, not blocks, in 32 bits.
  int64_t max_grid(int axis) const override { return (int64_t{1} << 32) / max_threads() - 1; }
  int64_t max_threads() const override { return 1024; }
  bool has_scratch() const override { return false; }
  bool has_entries() const override { return true; }

  void AddEntry(llvm::Function& body, const std::string& symbol,
                const KernelPlan& plan) const override {
    llvm::IRBuilder<> builder(body.getContext());
    llvm::Function* entry = DeclareEntry(body, symbol, builder);
    entry->setCallingConv(llvm::CallingConv::AMDGPU_KERNEL);
    entry->setVisibility(llvm::GlobalValue::ProtectedVisibility);
    const int64_t threads = plan.threads[0] * plan.threads[1] * plan.threads[2];
    entry->addFnAttr("amdgpu-flat-work-group-size", absl::StrCat(threads, ",", threads));
    for (llvm::Function* function : {entry, &body}) {
      for (const char* attribute : kUnused) function->addFnAttr(attribute);
    }
    constexpr llvm::Intrinsic::ID kBlock[] = {llvm::Intrinsic::amdgcn_workgroup_id_x,
                                              llvm::Intrinsic::amdgcn_workgroup_id_y,
                                              llvm::Intrinsic::amdgcn_workgroup_id_z};
    CallBody(body, *entry, builder,
             [&](int axis) { return builder.CreateIntrinsic(kBlock[axis], {}); });
  }

  llvm::Value* ThreadIndex(llvm::IRBuilder<>& builder, int axis) const override {
    constexpr llvm::Intrinsic::ID kThread[] = {llvm::Intrinsic::amdgcn_workitem_id_x,
                                               llvm::Intrinsic::amdgcn_workitem_id_y,
                                               llvm::Intrinsic::amdgcn_workitem_id_z};
    return builder.CreateIntrinsic(kThread[axis], {});
  }

  absl::StatusOr<std::string> Finish(std::string code, const LaunchPlan& plan) const override {
    return LinkShared({"--no-undefined"}, {code});
  }

 private:
  std::string chip_;
};

}  // namespace

std::unique_ptr<Target> AmdgpuTarget(std::string chip) {
  return std::make_unique<Amdgpu>(std::move(chip));
}

}  // namespace quern::codegen
