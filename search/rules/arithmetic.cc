// The rules that replace scalar ops.
#include "bundle/status.h"
#include "search/nest.h"
#include "search/rules/rule.h"

namespace quern::search {

using program::KernelOp;

namespace {

// A rule that rewrites every op of one kind in a kernel.
template <typename Op>
class KernelRewrite : public Rule {
 public:
  std::vector<Action> Actions(program::ProgramOp program) const override {
    std::vector<Action> actions;
    for (KernelOp kernel : Kernels(program)) {
      if (Sites(kernel).empty()) continue;
      actions.push_back({.rule = std::string(name()), .site = {kernel.getName().str()}});
    }
    return actions;
  }

  absl::Status Apply(const frontend::Spec& spec, program::ProgramOp program,
                     const Action& action) const override {
    QUERN_ASSIGN_OR_RETURN(KernelOp kernel, KernelAt(program, action));
    std::vector<Op> sites = Sites(kernel);
    if (sites.empty()) return DoesNotApply(action, "the kernel has no such op");
    for (Op op : sites) Rewrite(op);
    return absl::OkStatus();
  }

 protected:
  virtual bool Fits(Op op) const = 0;
  virtual void Rewrite(Op op) const = 0;  // replaces and erases it

 private:
  std::vector<Op> Sites(KernelOp kernel) const {
    std::vector<Op> sites;
    kernel.getBody().walk([&](Op op) {
      if (Fits(op)) sites.push_back(op);
    });
    return sites;
  }
};

class FusingMultiplyAdd : public KernelRewrite<mlir::arith::AddFOp> {
 public:
  std::string_view name() const override { return "fuse_multiply_add"; }
  Soundness soundness() const override { return Soundness::kNeedsProof; }
  std::string_view help() const override {
    return "turns each product that is only added to something into one fused multiply-add";
  }

 protected:
  bool Fits(mlir::arith::AddFOp add) const override { return static_cast<bool>(Product(add)); }
  void Rewrite(mlir::arith::AddFOp add) const override {
    mlir::arith::MulFOp product = Product(add);
    mlir::Value other = add.getLhs() == product.getResult() ? add.getRhs() : add.getLhs();
    mlir::OpBuilder builder(add);
    mlir::Value fused =
        mlir::math::FmaOp::create(builder, add.getLoc(), product.getLhs(), product.getRhs(), other);
    add.getResult().replaceAllUsesWith(fused);
    add.erase();
    product.erase();
  }

 private:
  static mlir::arith::MulFOp Product(mlir::arith::AddFOp add) {
    for (mlir::Value operand : {add.getRhs(), add.getLhs()}) {
      auto product = operand.getDefiningOp<mlir::arith::MulFOp>();
      if (product && product->hasOneUse() && product->getBlock() == add->getBlock()) return product;
    }
    return {};
  }
};

class ReluToSelect : public KernelRewrite<mlir::arith::MaximumFOp> {
 public:
  std::string_view name() const override { return "relu_to_select"; }
  Soundness soundness() const override { return Soundness::kNeedsProof; }
  std::string_view help() const override {
    return "turns a maximum into a comparison and a select, which differ from it on NaN and signed "
           "zeros";
  }

 protected:
  bool Fits(mlir::arith::MaximumFOp) const override { return true; }
  void Rewrite(mlir::arith::MaximumFOp maximum) const override {
    mlir::OpBuilder builder(maximum);
    mlir::Value greater =
        mlir::arith::CmpFOp::create(builder, maximum.getLoc(), mlir::arith::CmpFPredicate::OGT,
                                    maximum.getLhs(), maximum.getRhs());
    mlir::Value chosen = mlir::arith::SelectOp::create(builder, maximum.getLoc(), greater,
                                                       maximum.getLhs(), maximum.getRhs());
    maximum.getResult().replaceAllUsesWith(chosen);
    maximum.erase();
  }
};

}  // namespace

std::unique_ptr<Rule> FuseMultiplyAddRule() { return std::make_unique<FusingMultiplyAdd>(); }
std::unique_ptr<Rule> ReluToSelectRule() { return std::make_unique<ReluToSelect>(); }

}  // namespace quern::search
