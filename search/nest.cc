#include "search/nest.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/AffineExpr.h"

namespace quern::search {

using program::AllocOp;
using program::BufferOp;
using program::GuardOp;
using program::KernelOp;
using program::LoadOp;
using program::LoopOp;
using program::ProgramOp;
using program::StoreOp;

ProgramOp FindProgram(mlir::ModuleOp module) {
  auto programs = module.getOps<ProgramOp>();
  return programs.empty() ? ProgramOp() : *programs.begin();
}

template <typename Op>
static Op FindChild(ProgramOp program, llvm::StringRef name) {
  for (Op op : program.getBody().front().getOps<Op>()) {
    if (op.getName() == name) return op;
  }
  return {};
}

template <typename Op>
static Op FindInside(KernelOp kernel, llvm::StringRef name) {
  Op found;
  kernel.getBody().walk([&](Op op) {
    if (op.getName() != name) return mlir::WalkResult::advance();
    found = op;
    return mlir::WalkResult::interrupt();
  });
  return found;
}

KernelOp FindKernel(ProgramOp program, llvm::StringRef name) {
  return FindChild<KernelOp>(program, name);
}
BufferOp FindBuffer(ProgramOp program, llvm::StringRef name) {
  return FindChild<BufferOp>(program, name);
}
LoopOp FindLoop(KernelOp kernel, llvm::StringRef name) { return FindInside<LoopOp>(kernel, name); }
AllocOp FindAlloc(KernelOp kernel, llvm::StringRef name) {
  return FindInside<AllocOp>(kernel, name);
}

std::vector<KernelOp> Kernels(ProgramOp program) {
  auto kernels = program.getBody().front().getOps<KernelOp>();
  return {kernels.begin(), kernels.end()};
}

std::vector<LoopOp> Loops(KernelOp kernel) {
  std::vector<LoopOp> loops;
  kernel.getBody().walk<mlir::WalkOrder::PreOrder>([&](LoopOp loop) { loops.push_back(loop); });
  return loops;
}

LoopOp OnlyLoop(mlir::Block& block) {
  if (!llvm::hasSingleElement(block)) return {};
  return llvm::dyn_cast<LoopOp>(block.front());
}

bool IsInnermost(LoopOp loop) {
  return !loop.getBody()
              .walk([](LoopOp) { return mlir::WalkResult::interrupt(); })
              .wasInterrupted();
}

static bool IsGrid(LoopOp loop) {
  return loop.getMapping() == program::Mapping::GridX ||
         loop.getMapping() == program::Mapping::GridY ||
         loop.getMapping() == program::Mapping::GridZ;
}

bool IsOutermost(LoopOp loop) {
  for (mlir::Operation* op = loop; !llvm::isa<KernelOp>(op); op = op->getParentOp()) {
    auto around = llvm::dyn_cast<LoopOp>(op);
    if (!around || OnlyLoop(*op->getBlock()) != around) return false;
    if (around != loop && !IsGrid(around)) return false;
  }
  return true;
}

std::vector<LoopOp> PerfectNest(KernelOp kernel) {
  std::vector<LoopOp> nest;
  for (LoopOp loop = OnlyLoop(kernel.getBody().front()); loop; loop = OnlyLoop(loop.block())) {
    nest.push_back(loop);
  }
  return nest;
}

std::string KernelName(mlir::Operation* op) {
  auto kernel = llvm::dyn_cast<KernelOp>(op);
  if (!kernel) kernel = op->getParentOfType<KernelOp>();
  return kernel.getName().str();
}

std::string FreshName(ProgramOp program, const std::string& name) {
  std::string fresh = name;
  for (int i = 1; FindBuffer(program, fresh) || FindKernel(program, fresh); ++i) {
    fresh = name + "." + std::to_string(i);
  }
  return fresh;
}

LoopOp CreateLoop(mlir::OpBuilder& builder, llvm::StringRef name, int64_t extent,
                  program::Mapping mapping) {
  mlir::Location location = builder.getUnknownLoc();
  auto loop = LoopOp::create(builder, location, name, extent, mapping);
  loop.getBody().emplaceBlock().addArgument(builder.getIndexType(), location);
  return loop;
}

// Dimensions of `counters` renumbered over their distinct values; `distinct` receives these.
static llvm::SmallVector<mlir::AffineExpr> Renumber(llvm::ArrayRef<mlir::Value> counters,
                                                    llvm::SetVector<mlir::Value>& distinct,
                                                    mlir::MLIRContext* context) {
  llvm::SmallVector<mlir::AffineExpr> dimensions;
  for (mlir::Value counter : counters) {
    distinct.insert(counter);
    auto at = llvm::find(distinct, counter) - distinct.begin();
    dimensions.push_back(mlir::getAffineDimExpr(at, context));
  }
  return dimensions;
}

void SetIndex(mlir::Operation* access, llvm::ArrayRef<mlir::Value> counters, mlir::AffineMap map) {
  mlir::MLIRContext* context = access->getContext();
  llvm::SetVector<mlir::Value> distinct;
  llvm::SmallVector<mlir::AffineExpr> dimensions = Renumber(counters, distinct, context);
  map = map.replaceDimsAndSymbols(dimensions, {}, distinct.size(), 0);
  map = mlir::simplifyAffineMap(map);
  llvm::SmallVector<mlir::Value> used;
  llvm::SmallVector<mlir::AffineExpr> compressed(distinct.size(),
                                                 mlir::getAffineConstantExpr(0, context));
  for (unsigned i = 0; i < distinct.size(); ++i) {
    if (!map.isFunctionOfDim(i)) continue;
    compressed[i] = mlir::getAffineDimExpr(used.size(), context);
    used.push_back(distinct[i]);
  }
  map = map.replaceDimsAndSymbols(compressed, {}, used.size(), 0);
  llvm::TypeSwitch<mlir::Operation*>(access).Case<LoadOp, StoreOp>([&](auto op) {
    op.getCountersMutable().assign(used);
    op.setMap(map);
  });
}

void SetCondition(GuardOp guard, llvm::ArrayRef<mlir::Value> counters, mlir::IntegerSet condition) {
  llvm::SetVector<mlir::Value> distinct;
  llvm::SmallVector<mlir::AffineExpr> dimensions = Renumber(counters, distinct, guard.getContext());
  condition = condition.replaceDimsAndSymbols(dimensions, {}, distinct.size(), 0);
  llvm::SmallVector<mlir::AffineExpr> constraints;
  for (mlir::AffineExpr constraint : condition.getConstraints()) {
    constraints.push_back(mlir::simplifyAffineExpr(constraint, distinct.size(), 0));
  }
  guard.getCountersMutable().assign(distinct.getArrayRef());
  guard.setCondition(
      mlir::IntegerSet::get(distinct.size(), 0, constraints, condition.getEqFlags()));
}

mlir::Value MaterialiseIndex(mlir::OpBuilder& builder, mlir::Location location,
                             mlir::AffineExpr expression, llvm::ArrayRef<mlir::Value> counters) {
  if (auto dimension = llvm::dyn_cast<mlir::AffineDimExpr>(expression)) {
    return counters[dimension.getPosition()];
  }
  if (auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(expression)) {
    return mlir::arith::ConstantIndexOp::create(builder, location, constant.getValue());
  }
  auto binary = llvm::cast<mlir::AffineBinaryOpExpr>(expression);
  mlir::Value left = MaterialiseIndex(builder, location, binary.getLHS(), counters);
  mlir::Value right = MaterialiseIndex(builder, location, binary.getRHS(), counters);
  switch (binary.getKind()) {
    case mlir::AffineExprKind::Add:
      return mlir::arith::AddIOp::create(builder, location, left, right);
    case mlir::AffineExprKind::Mul:
      return mlir::arith::MulIOp::create(builder, location, left, right);
    case mlir::AffineExprKind::Mod:  // counters are never negative
      return mlir::arith::RemUIOp::create(builder, location, left, right);
    default:
      return mlir::arith::DivUIOp::create(builder, location, left, right);
  }
}

void ReplaceCounterIn(mlir::Operation* user, mlir::Value old, llvm::ArrayRef<mlir::Value> fresh,
                      mlir::AffineExpr expression) {
  if (!llvm::is_contained(user->getOperands(), old)) return;
  auto guard = llvm::dyn_cast<GuardOp>(user);
  if (!guard && !BufferOf(user)) {
    mlir::OpBuilder builder(user);
    user->replaceUsesOfWith(old, MaterialiseIndex(builder, user->getLoc(), expression, fresh));
    return;
  }
  mlir::OperandRange operands = guard ? guard.getCounters() : CountersOf(user);
  llvm::SmallVector<mlir::Value> counters;
  llvm::SmallVector<mlir::AffineExpr> dimensions(operands.size());
  for (auto [operand, dimension] : llvm::zip(operands, dimensions)) {
    if (operand == old) continue;
    dimension = mlir::getAffineDimExpr(counters.size(), old.getContext());
    counters.push_back(operand);
  }
  mlir::AffineExpr shifted = expression.shiftDims(fresh.size(), counters.size());
  for (mlir::AffineExpr& dimension : dimensions) {
    if (!dimension) dimension = shifted;
  }
  counters.append(fresh.begin(), fresh.end());
  unsigned count = counters.size();
  if (guard) {
    SetCondition(guard, counters,
                 guard.getCondition().replaceDimsAndSymbols(dimensions, {}, count, 0));
  } else {
    SetIndex(user, counters, MapOf(user).replaceDimsAndSymbols(dimensions, {}, count, 0));
  }
}

void ReplaceCounter(mlir::Value old, llvm::ArrayRef<mlir::Value> fresh,
                    mlir::AffineExpr expression) {
  llvm::SetVector<mlir::Operation*> users(old.user_begin(), old.user_end());
  for (mlir::Operation* user : users) ReplaceCounterIn(user, old, fresh, expression);
}

void PrefixNamesInside(LoopOp loop, llvm::StringRef prefix) {
  loop.getBody().walk([&](mlir::Operation* op) {
    llvm::TypeSwitch<mlir::Operation*>(op).Case<LoopOp, AllocOp>(
        [&](auto named) { named.setName((prefix + named.getName()).str()); });
  });
}

mlir::Value BufferOf(mlir::Operation* access) {
  return llvm::TypeSwitch<mlir::Operation*, mlir::Value>(access)
      .Case<LoadOp, StoreOp>([](auto op) { return op.getBuffer(); })
      .Default(mlir::Value());
}

mlir::AffineMap MapOf(mlir::Operation* access) {
  return llvm::TypeSwitch<mlir::Operation*, mlir::AffineMap>(access).Case<LoadOp, StoreOp>(
      [](auto op) { return op.getMap(); });
}

mlir::OperandRange CountersOf(mlir::Operation* access) {
  if (auto load = llvm::dyn_cast<LoadOp>(access)) return load.getCounters();
  return llvm::cast<StoreOp>(access).getCounters();
}

std::vector<mlir::Operation*> Accesses(mlir::Value buffer) {
  llvm::SetVector<mlir::Operation*> accesses;
  for (mlir::Operation* user : buffer.getUsers()) {
    if (BufferOf(user) == buffer) accesses.insert(user);
  }
  return {accesses.begin(), accesses.end()};
}

std::string PrintText(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

}  // namespace quern::search
