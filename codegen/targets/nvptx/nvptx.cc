// NVIDIA: PTX text, which a driver assembles.
#include "absl/strings/str_cat.h"
#include "codegen/targets/targets.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace quern::codegen {

namespace {

class Nvptx : public Target {
 public:
  explicit Nvptx(std::string chip) : chip_(std::move(chip)) {}

  std::string name() const override { return chip_; }
  std::string triple() const override { return "nvptx64-nvidia-cuda"; }
  std::string cpu() const override { return chip_; }
  std::string features() const override { return chip_ == "sm_103a" ? "+ptx88" : ""; }
  BinaryKind kind() const override { return BinaryKind::kPtx; }
  llvm::CodeGenFileType file_type() const override { return llvm::CodeGenFileType::AssemblyFile; }

  unsigned global_address_space() const override { return 1; }
  int64_t max_grid(int axis) const override { return axis == 0 ? (int64_t{1} << 31) - 1 : 65535; }
  int64_t max_threads() const override { return 1024; }
  bool has_scratch() const override { return false; }
  bool has_entries() const override { return true; }

  void AddEntry(llvm::Function& body, const std::string& symbol,
                const KernelPlan& plan) const override {
    llvm::IRBuilder<> builder(body.getContext());
    llvm::Function* entry = DeclareEntry(body, symbol, builder);
    entry->setCallingConv(llvm::CallingConv::PTX_Kernel);
    entry->addFnAttr("nvvm.maxntid",
                     absl::StrCat(plan.threads[0], ",", plan.threads[1], ",", plan.threads[2]));
    constexpr llvm::Intrinsic::ID kBlock[] = {llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
                                              llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                                              llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z};
    CallBody(body, *entry, builder,
             [&](int axis) { return builder.CreateIntrinsic(kBlock[axis], {}); });
  }

  llvm::Value* ThreadIndex(llvm::IRBuilder<>& builder, int axis) const override {
    constexpr llvm::Intrinsic::ID kThread[] = {llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x,
                                               llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y,
                                               llvm::Intrinsic::nvvm_read_ptx_sreg_tid_z};
    return builder.CreateIntrinsic(kThread[axis], {});
  }

  absl::StatusOr<std::string> Finish(std::string code, const LaunchPlan& plan) const override {
    return code;
  }

 private:
  std::string chip_;
};

}  // namespace

std::unique_ptr<Target> NvptxTarget(std::string chip) {
  return std::make_unique<Nvptx>(std::move(chip));
}

}  // namespace quern::codegen
