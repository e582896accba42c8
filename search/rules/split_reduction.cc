#include "bundle/status.h"
#include "search/nest.h"
#include "search/rules/loops.h"
#include "search/rules/reduction.h"
#include "search/rules/rule.h"

namespace quern::search {

using program::LoadOp;
using program::LoopOp;
using program::StoreOp;

static constexpr int64_t kLanes[] = {4, 8, 16, 32, 64};

namespace {

class SplittingReductions : public Rule {
 public:
  std::string_view name() const override { return "split_reduction"; }
  Soundness soundness() const override { return Soundness::kNeedsProof; }
  std::string_view help() const override {
    return "accumulates into `lanes` partial results: loops .z (clear), .o and .i (accumulate), .h "
           "(combine), .t (rest)";
  }

  std::vector<Action> Actions(program::ProgramOp program) const override {
    std::vector<Action> actions;
    for (program::KernelOp kernel : Kernels(program)) {
      for (LoopOp loop : Loops(kernel)) {
        if (!Fits(loop)) continue;
        for (int64_t lanes : kLanes) {
          if (lanes >= static_cast<int64_t>(loop.getExtent())) break;
          actions.push_back({.rule = "split_reduction",
                             .site = {kernel.getName().str(), loop.getName().str()},
                             .parameters = {{"lanes", lanes}}});
        }
      }
    }
    return actions;
  }

  absl::Status Apply(const frontend::Spec& spec, program::ProgramOp program,
                     const Action& action) const override {
    QUERN_ASSIGN_OR_RETURN(LoopOp loop, LoopAt(program, action));
    if (!Fits(loop)) return DoesNotApply(action, "not a serial loop around one accumulation");
    int64_t lanes = action.Integer("lanes", 0);
    if (lanes < 2) return DoesNotApply(action, "needs at least two lanes");
    absl::StatusOr<Tiled> tiled = Tile(loop, lanes, /*guarded=*/false);
    if (!tiled.ok()) return DoesNotApply(action, std::string(tiled.status().message()));

    Accumulation accumulation = *FindAccumulation(tiled->inner);
    program::BufferType scalar =
        llvm::cast<program::BufferType>(accumulation.accumulator.getType());
    mlir::MLIRContext* context = program.getContext();
    mlir::OpBuilder builder(tiled->outer);
    mlir::Location location = builder.getUnknownLoc();
    mlir::AffineMap by_lane = mlir::AffineMap::getMultiDimIdentityMap(1, context);
    std::string name = action.site[1];
    std::string accumulator =
        accumulation.accumulator.getDefiningOp<program::AllocOp>().getName().str();
    auto partial = program::AllocOp::create(
        builder, location,
        program::BufferType::get(context, {lanes}, scalar.getElement(), program::Space::Register),
        accumulator + ".l");

    LoopOp clear = CreateLoop(builder, name + ".z", lanes);
    {
      mlir::OpBuilder body = mlir::OpBuilder::atBlockBegin(&clear.block());
      mlir::Value neutral = Neutral(body, accumulation.combine);
      StoreOp::create(body, location, neutral, partial.getBuffer(),
                      mlir::ValueRange(clear.counter()), by_lane);
    }
    for (mlir::Operation* access :
         {accumulation.load.getOperation(), accumulation.store.getOperation()}) {
      access->replaceUsesOfWith(accumulation.accumulator, partial.getBuffer());
      SetIndex(access, {tiled->inner.counter()}, by_lane);
    }
    builder.setInsertionPointAfter(tiled->outer);
    LoopOp gather = CreateLoop(builder, name + ".h", lanes);
    {
      mlir::OpBuilder body = mlir::OpBuilder::atBlockBegin(&gather.block());
      mlir::AffineMap whole = mlir::AffineMap::get(context);
      auto total = LoadOp::create(body, location, scalar.getElement(), accumulation.accumulator,
                                  mlir::ValueRange(), whole);
      auto part = LoadOp::create(body, location, scalar.getElement(), partial.getBuffer(),
                                 mlir::ValueRange(gather.counter()), by_lane);
      mlir::Value sum = Combine(body, accumulation.combine, total.getValue(), part.getValue());
      StoreOp::create(body, location, sum, accumulation.accumulator, mlir::ValueRange(), whole);
    }
    return absl::OkStatus();
  }

 private:
  static bool Fits(LoopOp loop) {
    if (loop.getMapping() != program::Mapping::Serial) return false;
    std::optional<Accumulation> accumulation = FindAccumulation(loop);
    if (!accumulation) return false;
    mlir::OpBuilder scratch(loop.getContext());
    mlir::Value neutral = Neutral(scratch, accumulation->combine);
    if (!neutral) return false;
    neutral.getDefiningOp()->destroy();
    return true;
  }
};

}  // namespace

std::unique_ptr<Rule> SplitReductionRule() { return std::make_unique<SplittingReductions>(); }

}  // namespace quern::search
