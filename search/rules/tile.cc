#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "search/nest.h"
#include "search/rules/loops.h"
#include "search/rules/rule.h"

namespace quern::search {

using program::LoopOp;

static constexpr int64_t kFactors[] = {2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128};

// Gives `loop` a copy that runs iterations `begin` and up after it.
static void PeelTail(LoopOp loop, int64_t begin) {
  mlir::OpBuilder builder(loop);
  builder.setInsertionPointAfter(loop);
  auto tail = llvm::cast<LoopOp>(builder.clone(*loop));
  tail.setName((loop.getName() + ".t").str());
  PrefixNamesInside(tail, (tail.getName() + "/").str());
  tail.setExtent(loop.getExtent() - begin);
  mlir::Value counter = tail.counter();
  ReplaceCounter(counter, counter, mlir::getAffineDimExpr(0, loop.getContext()) + begin);
  loop.setExtent(begin);
}

absl::StatusOr<Tiled> Tile(LoopOp loop, int64_t factor, bool guarded) {
  int64_t extent = loop.getExtent();
  if (factor < 1 || factor >= extent) return absl::NotFoundError("factor is not below the extent");
  int64_t rest = extent % factor;
  if (rest != 0 && !guarded) PeelTail(loop, extent - rest);

  mlir::MLIRContext* context = loop.getContext();
  mlir::OpBuilder builder(loop);
  std::string name = loop.getName().str();
  LoopOp outer =
      CreateLoop(builder, name + ".o", (loop.getExtent() + factor - 1) / factor, loop.getMapping());
  loop->moveBefore(&outer.block(), outer.block().end());
  loop.setName(name + ".i");
  loop.setExtent(factor);
  mlir::AffineExpr sum =
      mlir::getAffineDimExpr(0, context) * factor + mlir::getAffineDimExpr(1, context);
  ReplaceCounter(loop.counter(), {outer.counter(), loop.counter()}, sum);

  if (rest != 0 && guarded) {
    builder.setInsertionPointToStart(&loop.block());
    mlir::Value counters[] = {outer.counter(), loop.counter()};
    auto guard = program::GuardOp::create(builder, builder.getUnknownLoc(), counters,
                                          mlir::IntegerSet::get(2, 0, {extent - 1 - sum}, {false}));
    mlir::Block& body = guard.getBody().emplaceBlock();
    body.getOperations().splice(body.end(), loop.block().getOperations(),
                                std::next(guard->getIterator()), loop.block().end());
  }
  return Tiled{.outer = outer, .inner = loop};
}

namespace {

class Tiling : public Rule {
 public:
  std::string_view name() const override { return "tile"; }
  Soundness soundness() const override { return Soundness::kByConstruction; }
  std::string_view help() const override {
    return "splits a loop into outer (.o) and inner (.i) of `factor` iterations; a rest is peeled "
           "into "
           "a copy (.t, with the loops \"i.t/...\" inside) or guarded, by `tail`";
  }

  std::vector<Action> Actions(program::ProgramOp program) const override {
    std::vector<Action> actions;
    for (program::KernelOp kernel : Kernels(program)) {
      for (LoopOp loop : Loops(kernel)) {
        if (loop.getMapping() != program::Mapping::Serial) continue;
        for (int64_t factor : kFactors) {
          if (factor >= static_cast<int64_t>(loop.getExtent())) break;
          Action action{.rule = "tile",
                        .site = {kernel.getName().str(), loop.getName().str()},
                        .parameters = {{"factor", factor}}};
          actions.push_back(action);
          if (loop.getExtent() % factor != 0) {
            action.parameters["tail"] = "guard";
            actions.push_back(action);
          }
        }
      }
    }
    return actions;
  }

  absl::Status Apply(const frontend::Spec& spec, program::ProgramOp program,
                     const Action& action) const override {
    QUERN_ASSIGN_OR_RETURN(LoopOp loop, LoopAt(program, action));
    if (loop.getMapping() != program::Mapping::Serial) {
      return DoesNotApply(action, "the loop is mapped");
    }
    bool guarded = action.Text("tail", "peel") == "guard";
    absl::StatusOr<Tiled> tiled = Tile(loop, action.Integer("factor", 0), guarded);
    if (!tiled.ok()) return DoesNotApply(action, std::string(tiled.status().message()));
    return absl::OkStatus();
  }
};

}  // namespace

std::unique_ptr<Rule> TileRule() { return std::make_unique<Tiling>(); }

}  // namespace quern::search
