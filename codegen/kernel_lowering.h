// Lowers one kernel of a program to a function of an LLVM module.
//
// A vector loop means the same as a serial one: values that differ between iterations become
// vectors, and ops whose iterations depend on each other (a sum into one place) run for one lane
// after another.
#ifndef QUERN_CODEGEN_KERNEL_LOWERING_H_
#define QUERN_CODEGEN_KERNEL_LOWERING_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bundle/launch_plan.h"
#include "codegen/linear_form.h"
#include "codegen/target.h"
#include "ir/program/program.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace quern::codegen {

inline constexpr int64_t kMaxVectorExtent = 64;
inline constexpr int64_t kMaxRegisterBytes = 64 << 10;  // of one register buffer
inline constexpr int64_t kMaxLoweredOps = 50'000;       // of one kernel, once unrolled

// kInvalidArgument that begins with where `op` is: its kernel and loop, and its name.
absl::Status LoweringError(mlir::Operation* op, const std::string& message);

// The element type of a buffer, an error about `op` if no code is generated for it.
absl::StatusOr<ElementType> ElementOf(mlir::Operation* op, program::BufferType type);

// The type of the values of an element type of a buffer; null if there is none. A float of 8 bits
// is an i8.
llvm::Type* ValueType(mlir::Type type, llvm::LLVMContext& context);
// The type that they are stored as: integers of fewer than 8 bits are extended.
llvm::Type* StoredType(llvm::Type* value);

class KernelLowering {
 public:
  KernelLowering(const Target& target, llvm::Module& module, LaunchPlan& plan);

  // Adds the kernel to the module and to the plan, with its scratch buffers. `buffers` are the
  // program's, as indices of the plan's; `tables` its constants.
  absl::Status Lower(program::KernelOp kernel, const llvm::DenseMap<mlir::Value, int>& buffers,
                     const llvm::DenseMap<mlir::Value, llvm::GlobalVariable*>& tables);

 private:
  struct Buffer {
    llvm::Value* base = nullptr;
    llvm::Type* element = nullptr;  // as stored: a bool is an i8
    bool is_signed = false;         // how elements of fewer than 8 bits are extended
    std::vector<int64_t> shape;
    Layout layout;
    std::vector<int64_t> strides;  // of a register buffer, instead of the layout
    bool per_lane = false;  // allocated in a vector loop: lanes are one more dimension, fastest
    int64_t elements = 0;
    int64_t alignment = 64;
  };

  // kernel_lowering.cc
  absl::Status CreateFunction(program::KernelOp kernel,
                              const llvm::DenseMap<mlir::Value, int>& buffers);
  absl::Status AddScratch(program::AllocOp alloc, KernelPlan& kernel_plan);
  absl::Status LowerBlock(mlir::Block& block);
  absl::Status LowerOp(mlir::Operation& op);
  // Makes an index that the program computes a counter, until the end of the block, if it is
  // min(max(x, constant), constant).
  absl::Status BindClampedIndex(mlir::Value index);
  llvm::BasicBlock* CreateBlock(const llvm::Twine& name);
  void StartBlock(llvm::BasicBlock* block);  // at the end of the function

  // lower_loops.cc
  absl::Status LowerLoop(program::LoopOp loop);
  absl::Status LowerGridLoop(program::LoopOp loop, int axis);
  absl::Status LowerLaneLoop(program::LoopOp loop);
  absl::Status LowerSerialLoop(program::LoopOp loop);
  absl::Status LowerUnrolledLoop(program::LoopOp loop);
  // Binds the loop's counter to a value in [0, extent) while the body is lowered.
  absl::Status LowerBody(program::LoopOp loop, llvm::Value* counter);

  // lower_guards.cc
  absl::Status LowerGuard(program::GuardOp guard);
  // The conjunction; nothing where the counters' ranges decide it, with the answer in `always`.
  llvm::Value* Condition(const std::vector<LinearForm>& forms, mlir::IntegerSet set, bool& always);
  absl::Status LowerIf(llvm::Value* condition, mlir::Block& block);
  absl::Status LowerLaneByLane(program::GuardOp guard, const std::vector<LinearForm>& forms);

  // lower_vectors.cc
  absl::Status LowerVectorLoop(program::LoopOp loop);
  // Iterations [first, first + width), a power of two, as a vector.
  absl::Status LowerLanes(program::LoopOp loop, int64_t first, int64_t width);
  llvm::DenseSet<mlir::Operation*> OpsInSequence(program::LoopOp loop);
  bool LanesAreApart(const LinearForm& a, const LinearForm& b) const;
  // Runs `lower` with one lane of the vector loop fixed.
  absl::Status ForLane(int64_t lane, llvm::function_ref<absl::Status()> lower);

  // lower_access.cc
  absl::Status LowerAlloc(program::AllocOp alloc);
  absl::Status LowerLoad(program::LoadOp load);
  absl::Status LowerStore(program::StoreOp store);
  LinearForm ToForm(mlir::AffineExpr expression, mlir::ValueRange counters) const;
  // Elements from the base.
  LinearForm Offset(const Buffer& buffer, mlir::AffineMap map, mlir::ValueRange counters) const;
  llvm::Value* Pointer(const Buffer& buffer, const LinearForm& offset);
  llvm::Value* FormValue(const LinearForm& form);
  llvm::Value* TermValue(const Term& term);
  llvm::Value* FromStored(llvm::Value* value, llvm::Type* type);
  llvm::Value* LoadOne(const Buffer& buffer, const LinearForm& offset, llvm::Type* type);
  llvm::Align Alignment(const Buffer& buffer, const LinearForm& offset) const;

  // lower_scalar.cc
  absl::Status LowerScalar(mlir::Operation& op);
  absl::StatusOr<llvm::Value*> LowerArith(mlir::Operation& op, llvm::ArrayRef<llvm::Value*> in);
  // lower_conversion.cc
  llvm::Value* LowerConversion(mlir::Operation& op, llvm::Value* in, llvm::Type* type);
  // A value of a float type of fewer than 32 bits as a float; others as they are.
  llvm::Value* Widen(llvm::Value* value, mlir::Type type);
  // A float or double, rounded once to `type` of fewer bits.
  llvm::Value* Narrow(llvm::Value* value, mlir::Type type);
  // lower_math.cc
  absl::StatusOr<llvm::Value*> LowerMath(mlir::Operation& op, llvm::ArrayRef<llvm::Value*> in);
  llvm::Value* CallFunction(const std::string& name, llvm::ArrayRef<llvm::Value*> in);

  // The value of an operand: a scalar where all lanes agree or one lane is being lowered, else a
  // vector.
  llvm::Value* Operand(mlir::Value value);
  bool in_vector() const { return lane_ >= 0 && !fixed_lane_; }

  const Target& target_;
  llvm::Module& module_;
  LaunchPlan& plan_;
  llvm::IRBuilder<> builder_;
  llvm::Function* function_ = nullptr;
  KernelPlan kernel_plan_;
  int64_t lowered_ops_ = 0;

  llvm::DenseMap<mlir::Value, Buffer> buffers_;
  llvm::DenseMap<mlir::Value, llvm::Value*> values_;
  // Counters around the op being lowered, outermost first: their ranges and, except a vector
  // loop's, values.
  Ranges ranges_;
  std::vector<llvm::Value*> counter_values_;
  llvm::DenseMap<mlir::Value, LinearForm> counters_;  // a counter of these, or a constant

  int lane_ = -1;  // the counter of the vector loop around
  mlir::Value vector_counter_;
  int64_t width_ = 0;
  int64_t first_lane_ = 0;             // the counter in lane 0
  std::optional<int64_t> fixed_lane_;  // the one lane being lowered
};

}  // namespace quern::codegen

#endif  // QUERN_CODEGEN_KERNEL_LOWERING_H_
