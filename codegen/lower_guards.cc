#include "bundle/status.h"
#include "codegen/kernel_lowering.h"

namespace quern::codegen {

using program::GuardOp;

static LinearForm Side(const LinearForm& form, int sign) {
  LinearForm side = LinearForm::Constant(std::max<int64_t>(sign * form.constant(), 0));
  LinearForm rest = form.Plus(LinearForm::Constant(-form.constant()));
  for (const auto& [term, coefficient] : form.terms()) {
    if (sign * coefficient > 0) side = side.Plus(LinearForm::Of(term, sign * coefficient));
  }
  return side;
}

llvm::Value* KernelLowering::Condition(const std::vector<LinearForm>& forms, mlir::IntegerSet set,
                                       bool& always) {
  llvm::Value* all = nullptr;
  always = true;
  for (size_t i = 0; i < forms.size(); ++i) {
    const bool equal = set.isEq(i);
    if (std::optional<Range> range = forms[i].RangeOf(ranges_)) {
      if (equal ? range->low == 0 && range->high == 0 : range->low >= 0) continue;
      if (range->high < 0 || (equal && range->low > 0)) {
        always = false;
        return nullptr;
      }
    }
    // Positive and negative terms on a side each: no subtraction.
    llvm::Value* left = FormValue(Side(forms[i], 1));
    llvm::Value* right = FormValue(Side(forms[i], -1));
    llvm::Value* holds =
        builder_.CreateICmp(equal ? llvm::CmpInst::ICMP_EQ : llvm::CmpInst::ICMP_SGE, left, right);
    all = all ? builder_.CreateAnd(all, holds) : holds;
  }
  return all;
}

absl::Status KernelLowering::LowerIf(llvm::Value* condition, mlir::Block& block) {
  llvm::BasicBlock* then = CreateBlock("then");
  llvm::BasicBlock* end = CreateBlock("endif");
  builder_.CreateCondBr(condition, then, end);
  StartBlock(then);
  QUERN_RETURN_IF_ERROR(LowerBlock(block));
  builder_.CreateBr(end);
  StartBlock(end);
  return absl::OkStatus();
}

absl::Status KernelLowering::LowerGuard(GuardOp guard) {
  std::vector<LinearForm> forms;
  for (mlir::AffineExpr expression : guard.getCondition().getConstraints()) {
    forms.push_back(ToForm(expression, guard.getCounters()));
  }
  if (in_vector()) {
    for (const LinearForm& form : forms) {
      if (form.DependsOn(lane_)) return LowerLaneByLane(guard, forms);
    }
  }
  bool always;
  llvm::Value* condition = Condition(forms, guard.getCondition(), always);
  if (condition) return LowerIf(condition, guard.getBody().front());
  return always ? LowerBlock(guard.getBody().front()) : absl::OkStatus();
}

// The forms where they are least over all lanes; nothing if that lane is not known.
static std::optional<std::vector<LinearForm>> AtWorstLane(const std::vector<LinearForm>& forms,
                                                          mlir::IntegerSet set, int lane,
                                                          int64_t width, const Ranges& ranges) {
  std::vector<LinearForm> worst;
  for (size_t i = 0; i < forms.size(); ++i) {
    std::optional<int64_t> stride = forms[i].Stride(lane);
    if (!stride || (set.isEq(i) && *stride != 0)) return std::nullopt;
    worst.push_back(forms[i].At(lane, *stride < 0 ? width - 1 : 0, ranges));
  }
  return worst;
}

absl::Status KernelLowering::LowerLaneByLane(GuardOp guard, const std::vector<LinearForm>& forms) {
  mlir::IntegerSet set = guard.getCondition();
  mlir::Block& block = guard.getBody().front();
  bool always;
  llvm::BasicBlock* end = nullptr;
  if (auto worst = AtWorstLane(forms, set, lane_, width_, ranges_)) {
    llvm::Value* whole = Condition(*worst, set, always);
    if (!whole && always) return LowerBlock(block);
    if (whole) {
      llvm::BasicBlock* vector = CreateBlock("vector");
      llvm::BasicBlock* lanes = CreateBlock("lanes");
      end = CreateBlock("endlanes");
      builder_.CreateCondBr(whole, vector, lanes);
      StartBlock(vector);
      QUERN_RETURN_IF_ERROR(LowerBlock(block));
      builder_.CreateBr(end);
      StartBlock(lanes);
    }
  }
  for (int64_t lane = 0; lane < width_; ++lane) {
    std::vector<LinearForm> mine;
    for (const LinearForm& form : forms) mine.push_back(form.At(lane_, lane, ranges_));
    llvm::Value* condition = Condition(mine, set, always);
    if (!condition && !always) continue;
    QUERN_RETURN_IF_ERROR(
        ForLane(lane, [&] { return condition ? LowerIf(condition, block) : LowerBlock(block); }));
  }
  if (end == nullptr) return absl::OkStatus();
  builder_.CreateBr(end);
  StartBlock(end);
  return absl::OkStatus();
}

}  // namespace quern::codegen
