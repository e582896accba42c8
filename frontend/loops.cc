#include "frontend/loops.h"

#include <vector>

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;

static constexpr int64_t kMaxTrips = int64_t{1} << 20;

namespace {

// The counter of a loop: operand `number`, from `first` in steps of `step`.
struct Counter {
  unsigned number = 0;
  llvm::APInt first, step;
  int64_t trips = 0;
};

}  // namespace

static std::optional<llvm::APInt> Constant(mlir::Value value) {
  auto constant = value.getDefiningOp<hlo::ConstantOp>();
  if (!constant) return std::nullopt;
  auto elements = llvm::dyn_cast<mlir::DenseIntElementsAttr>(constant.getValue());
  if (!elements || elements.getNumElements() != 1) return std::nullopt;
  return *elements.value_begin<llvm::APInt>();
}

// The constant that a value of the condition or the body is in every iteration.
static std::optional<llvm::APInt> Invariant(hlo::WhileOp loop, mlir::Value value) {
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
  if (!argument || argument.getOwner()->getParentOp() != loop) return Constant(value);
  mlir::Block& body = loop.getBody().front();
  const unsigned number = argument.getArgNumber();
  if (body.getTerminator()->getOperand(number) != body.getArgument(number)) return std::nullopt;
  return Constant(loop.getOperand()[number]);
}

// By how much the body advances an argument.
static std::optional<llvm::APInt> StepOf(hlo::WhileOp loop, unsigned number) {
  mlir::Block& body = loop.getBody().front();
  mlir::Operation* next = body.getTerminator()->getOperand(number).getDefiningOp();
  mlir::Value counter = body.getArgument(number);
  if (auto add = llvm::dyn_cast_if_present<hlo::AddOp>(next)) {
    if (add.getLhs() == counter) return Invariant(loop, add.getRhs());
    if (add.getRhs() == counter) return Invariant(loop, add.getLhs());
  }
  auto subtract = llvm::dyn_cast_if_present<hlo::SubtractOp>(next);
  if (!subtract || subtract.getLhs() != counter) return std::nullopt;
  std::optional<llvm::APInt> step = Invariant(loop, subtract.getRhs());
  return step ? std::optional(-*step) : std::nullopt;
}

static bool Holds(hlo::ComparisonDirection direction, bool is_signed, const llvm::APInt& a,
                  const llvm::APInt& b) {
  switch (direction) {
    case hlo::ComparisonDirection::EQ:
      return a == b;
    case hlo::ComparisonDirection::NE:
      return a != b;
    case hlo::ComparisonDirection::GE:
      return is_signed ? a.sge(b) : a.uge(b);
    case hlo::ComparisonDirection::GT:
      return is_signed ? a.sgt(b) : a.ugt(b);
    case hlo::ComparisonDirection::LE:
      return is_signed ? a.sle(b) : a.ule(b);
    case hlo::ComparisonDirection::LT:
      return is_signed ? a.slt(b) : a.ult(b);
  }
  return false;
}

static std::optional<Counter> CounterOf(hlo::WhileOp loop) {
  mlir::Block& condition = loop.getCond().front();
  auto compare = condition.getTerminator()->getOperand(0).getDefiningOp<hlo::CompareOp>();
  if (!compare) return std::nullopt;
  for (bool left : {true, false}) {
    mlir::Value side = left ? compare.getLhs() : compare.getRhs();
    auto argument = llvm::dyn_cast<mlir::BlockArgument>(side);
    if (!argument || argument.getOwner() != &condition) continue;
    const unsigned number = argument.getArgNumber();
    const std::optional<llvm::APInt> first = Constant(loop.getOperand()[number]);
    const std::optional<llvm::APInt> step = StepOf(loop, number);
    const std::optional<llvm::APInt> end =
        Invariant(loop, left ? compare.getRhs() : compare.getLhs());
    if (!first || !step || !end) continue;
    const bool is_signed = !mlir::getElementTypeOrSelf(side.getType()).isUnsignedInteger();
    Counter counter{.number = number, .first = *first, .step = *step};
    llvm::APInt now = *first;
    while (
        Holds(compare.getComparisonDirection(), is_signed, left ? now : *end, left ? *end : now)) {
      now += *step;
      if (++counter.trips > kMaxTrips) return std::nullopt;
    }
    return counter;
  }
  return std::nullopt;
}

std::optional<int64_t> TripCount(hlo::WhileOp loop) {
  const std::optional<Counter> counter = CounterOf(loop);
  return counter ? std::optional(counter->trips) : std::nullopt;
}

static int64_t CountNested(hlo::WhileOp op) {
  int64_t count = 0;
  op->walk([&](mlir::Operation*) { ++count; });
  return count;
}

static void Unroll(hlo::WhileOp loop, const Counter& counter) {
  mlir::OpBuilder builder(loop);
  mlir::Block& body = loop.getBody().front();
  llvm::SmallVector<mlir::Value> carried(loop.getOperand());
  const auto type = llvm::cast<mlir::RankedTensorType>(carried[counter.number].getType());
  llvm::APInt now = counter.first;
  for (int64_t trip = 0;; ++trip, now += counter.step) {
    carried[counter.number] = hlo::ConstantOp::create(builder, loop.getLoc(), type,
                                                      mlir::DenseElementsAttr::get(type, now));
    if (trip == counter.trips) break;
    mlir::IRMapping values;
    values.map(body.getArguments(), carried);
    for (mlir::Operation& op : body.without_terminator()) builder.clone(op, values);
    for (auto [value, next] : llvm::zip(carried, body.getTerminator()->getOperands())) {
      value = values.lookupOrDefault(next);
    }
  }
  loop->replaceAllUsesWith(carried);
  loop.erase();
}

void UnrollLoops(mlir::func::FuncOp function, int64_t max_ops) {
  std::vector<hlo::WhileOp> loops;
  function.walk([&](hlo::WhileOp loop) { loops.push_back(loop); });  // inner ones first
  for (hlo::WhileOp loop : loops) {
    const std::optional<Counter> counter = CounterOf(loop);
    if (!counter) continue;
    const int64_t unrolled = counter->trips * CountNested(loop);
    if (unrolled > max_ops) continue;
    max_ops -= unrolled;
    Unroll(loop, *counter);
  }
}

}  // namespace quern::frontend
