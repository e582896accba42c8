// Each rule, applied to a naive program and run.
#include <set>

#include "search/dataflow.h"
#include "search/nest.h"
#include "search/rules/rule.h"
#include "search/testing/fixture.h"

namespace quern::search {
namespace {

using RulesTest = ProgramFixture;

TEST_F(RulesTest, TileDivides) {
  Load(AddReluSpec(4, 12));
  auto module = Apply({R"({"rule":"tile","site":["k0","i1"],"parameters":{"factor":4}})"});
  EXPECT_EQ(LoopsOf(*module, "k0"), "i0 4 serial, i1.o 3 serial, i1.i 4 serial");
  ExpectSameAsNaive(*module);
}

TEST_F(RulesTest, TilePeelsTheRest) {
  Load(AddReluSpec(4, 11));
  auto module = Apply({R"({"rule":"tile","site":["k0","i1"],"parameters":{"factor":4}})"});
  EXPECT_EQ(LoopsOf(*module, "k0"), "i0 4 serial, i1.o 2 serial, i1.i 4 serial, i1.t 3 serial");
  ExpectSameAsNaive(*module);
}

TEST_F(RulesTest, TileGuardsTheRest) {
  Load(AddReluSpec(4, 11));
  auto module =
      Apply({R"({"rule":"tile","site":["k0","i1"],"parameters":{"factor":4,"tail":"guard"}})"});
  EXPECT_EQ(LoopsOf(*module, "k0"), "i0 4 serial, i1.o 3 serial, i1.i 4 serial");
  ExpectSameAsNaive(*module);
}

TEST_F(RulesTest, TileOfATileKeepsIndices) {
  Load(RowSumSpec(3, 40));
  auto module = Apply({R"({"rule":"tile","site":["k0","r0"],"parameters":{"factor":12}})",
                       R"({"rule":"tile","site":["k0","r0.i"],"parameters":{"factor":5}})"});
  EXPECT_EQ(LoopsOf(*module, "k0"),
            "i0 3 serial, r0.o 3 serial, r0.i.o 2 serial, r0.i.i 5 serial, r0.i.t 2 serial, "
            "r0.t 4 serial");
  ExpectSameAsNaive(*module);
}

TEST_F(RulesTest, InterchangeSwapsLoops) {
  Load(TransposeAddSpec(6, 10));
  auto module = Apply({R"({"rule":"interchange","site":["k0","i0"],"parameters":{}})"});
  EXPECT_EQ(LoopsOf(*module, "k0"), "i1 10 serial, i0 6 serial");
  ExpectSameAsNaive(*module);
}

TEST_F(RulesTest, InterchangeNeedsANestOfTwo) {
  Load(RowSumSpec(6, 10));
  Derived derived = Replay(spec_, *naive_, {{.rule = "interchange", .site = {"k0", "i0"}}});
  EXPECT_EQ(derived.dropped, 1);
}

TEST_F(RulesTest, SinkMakesRegistersOfScalars) {
  Load(RowSumSpec(6, 10));
  auto module = Apply({R"({"rule":"sink","site":["k0","i0"],"parameters":{}})"});
  EXPECT_EQ(LoopsOf(*module, "k0"), "i0.1 6 serial, r0 10 serial, i0 6 serial, i0.2 6 serial");
  program::AllocOp acc = FindAlloc(FindKernel(ProgramOf(*module), "k0"), "acc");
  ASSERT_TRUE(acc);
  EXPECT_EQ(acc.getBuffer().getType().getShape().vec(), std::vector<int64_t>{6});
  ExpectSameAsNaive(*module);
}

TEST_F(RulesTest, RegisterBlockOfAnExactFit) {
  Load(MatmulSpec(8, 12, 5));
  auto module = Apply(
      {R"({"rule":"register_block","site":["k0","i0","i1"],"parameters":{"rows":4,"columns":6,"outer":"columns"}})"});
  EXPECT_EQ(LoopsOf(*module, "k0"),
            "i1.o 2 serial, i0.o 2 serial, i0.i.1 4 serial, i1.i.1 6 serial, r0 5 serial, "
            "i0.i 4 serial, i1.i 6 serial, i0.i.2 4 serial, i1.i.2 6 serial");
  program::AllocOp acc = FindAlloc(FindKernel(ProgramOf(*module), "k0"), "acc");
  EXPECT_EQ(acc.getBuffer().getType().getShape().vec(), (std::vector<int64_t>{4, 6}));
  ExpectSameAsNaive(*module);
}

TEST_F(RulesTest, RegisterBlockPeelsBothRests) {
  Load(MatmulSpec(9, 13, 5));
  for (const char* outer : {"rows", "columns"}) {
    auto module = Apply(
        {std::string(
             R"({"rule":"register_block","site":["k0","i0","i1"],"parameters":{"rows":4,"columns":6,"outer":")") +
         outer + R"("}})"});
    ExpectSameAsNaive(*module);
    for (program::AllocOp acc : FindKernel(ProgramOf(*module), "k0").getOps<program::AllocOp>()) {
      EXPECT_EQ(acc.getBuffer().getType().getShape().size(), 2u);
    }
  }
}

TEST_F(RulesTest, RegisterBlockOfAFusedEpilogue) {
  Load(MatmulBiasReluSpec(8, 16, 5));
  auto module = Apply(
      {R"({"rule":"fuse","site":["k0","k1"],"parameters":{}})",
       R"({"rule":"fuse","site":["k0","k2"],"parameters":{}})",
       R"({"rule":"register_block","site":["k0","i0","i1"],"parameters":{"rows":6,"columns":16,"outer":"columns"}})"});
  ExpectSameAsNaive(*module);
}

TEST_F(RulesTest, RegisterBlockOfOneRow) {
  Load(MatmulSpec(5, 16, 5));
  auto module = Apply(
      {R"({"rule":"register_block","site":["k0","i0","i1"],"parameters":{"rows":1,"columns":8,"outer":"rows"}})"});
  ExpectSameAsNaive(*module);
}

TEST_F(RulesTest, FuseRunsTheEpilogueInTheProducer) {
  Load(MatmulBiasReluSpec(4, 6, 5));
  auto module = Apply({R"({"rule":"fuse","site":["k0","k1"],"parameters":{}})",
                       R"({"rule":"fuse","site":["k0","k2"],"parameters":{}})"});
  EXPECT_EQ(Kernels(ProgramOf(*module)).size(), 1u);
  EXPECT_EQ(LoopsOf(*module, "k0"), "i0 4 serial, i1 6 serial, r0 5 serial");
  for (program::BufferOp buffer :
       ProgramOf(*module).getBody().front().getOps<program::BufferOp>()) {
    EXPECT_NE(buffer.getRole(), program::Role::Temporary);
  }
  ExpectSameAsNaive(*module);
}

TEST_F(RulesTest, FuseAtTheCommonLoops) {
  Load(R"(func.func public @main(%a: tensor<5x6xf32>) -> tensor<5x6xf32> {
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<5x6xf32>, tensor<f32>) -> tensor<5xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<5xf32>) -> tensor<5x6xf32>
    %2 = stablehlo.subtract %a, %1 : tensor<5x6xf32>
    return %2 : tensor<5x6xf32>
  })");
  auto module = Apply({R"({"rule":"fuse","site":["k0","k1"],"parameters":{}})"});
  EXPECT_EQ(LoopsOf(*module, "k0"), "i0 5 serial, r0 6 serial, i1 6 serial");
  ExpectSameAsNaive(*module);
}

// The consumer reads element (j, i) where the producer writes (i, j).
TEST_F(RulesTest, FuseRefusesATranspose) {
  Load(R"(func.func public @main(%a: tensor<5x5xf32>) -> tensor<5x5xf32> {
    %0 = stablehlo.add %a, %a : tensor<5x5xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<5x5xf32>) -> tensor<5x5xf32>
    %2 = stablehlo.subtract %a, %1 : tensor<5x5xf32>
    return %2 : tensor<5x5xf32>
  })");
  Derived derived = Replay(spec_, *naive_, {{.rule = "fuse", .site = {"k0", "k1"}}});
  EXPECT_EQ(derived.dropped, 1);
  auto module = Apply({R"({"rule":"inline","site":["k0","k1"],"parameters":{}})"});
  EXPECT_EQ(Kernels(ProgramOf(*module)).size(), 1u);
  ExpectSameAsNaive(*module);
}

TEST_F(RulesTest, InlineIntoAReduction) {
  Load(R"(func.func public @main(%a: tensor<5x7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.multiply %a, %a : tensor<5x7xf32>
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<5x7xf32>, tensor<f32>) -> tensor<7xf32>
    return %1 : tensor<7xf32>
  })");
  auto module = Apply({R"({"rule":"inline","site":["k0","k1"],"parameters":{}})"});
  EXPECT_EQ(Kernels(ProgramOf(*module)).size(), 1u);
  ExpectSameAsNaive(*module);
}

TEST_F(RulesTest, PackWritesPanels) {
  Load(MatmulSpec(4, 12, 5));
  auto module = Apply(
      {R"({"rule":"pack","site":["k0","arg1"],"parameters":{"digits":"1,4,3,0,1,5,1,1,4"}})"});
  EXPECT_EQ(LoopsOf(*module, "pack.arg1"), "p0 3 serial, p1 5 serial, p2 4 serial");
  program::BufferOp packed = FindBuffer(ProgramOf(*module), "arg1.p");
  ASSERT_TRUE(packed);
  EXPECT_EQ(program::ToLayout(packed.getLayoutAttr()).digits.size(), 3u);
  absl::StatusOr<frontend::Spec> holds =
      frontend::ParseSpec(packed.getHolds()->str(), "holds", *context_);
  ASSERT_TRUE(holds.ok()) << holds.status();
  EXPECT_EQ(holds->results.front(), spec_.arguments[1]);
  ExpectSameAsNaive(*module);
}

TEST_F(RulesTest, PackPadsAPartialPanel) {
  Load(MatmulSpec(4, 14, 5));
  auto module = Apply(
      {R"({"rule":"pack","site":["k0","arg1"],"parameters":{"digits":"1,4,4,0,1,5,1,1,4"}})",
       R"({"rule":"pack","site":["k0","arg0"],"parameters":{"digits":"0,3,2,1,1,5,0,1,3"}})"});
  ExpectSameAsNaive(*module);
}

TEST_F(RulesTest, PackRefusesDigitsThatSkip) {
  Load(MatmulSpec(4, 12, 5));
  for (const char* digits : {"1,4,2,0,1,5,1,1,4", "", "1", "x", "0,1,4,1,1,12"}) {
    Derived derived =
        Replay(spec_, *naive_,
               {{.rule = "pack", .site = {"k0", "arg1"}, .parameters = {{"digits", digits}}}});
    EXPECT_EQ(derived.dropped, 1) << digits;
  }
}

TEST_F(RulesTest, MappingRules) {
  Load(MatmulSpec(8, 16, 8));
  auto module = Apply(
      {R"({"rule":"register_block","site":["k0","i0","i1"],"parameters":{"rows":2,"columns":8,"outer":"rows"}})",
       R"({"rule":"vectorise","site":["k0","i1.i"],"parameters":{}})",
       R"({"rule":"unroll","site":["k0","i0.i"],"parameters":{}})",
       R"({"rule":"parallelise","site":["k0","i0.o"],"parameters":{}})",
       R"({"rule":"parallelise","site":["k0","i1.o"],"parameters":{}})"});
  EXPECT_EQ(LoopsOf(*module, "k0"),
            "i0.o 4 grid_x, i1.o 2 grid_y, i0.i.1 2 unrolled, i1.i.1 8 vector, r0 8 serial, "
            "i0.i 2 unrolled, i1.i 8 vector, i0.i.2 2 unrolled, i1.i.2 8 vector");
  ExpectSameAsNaive(*module);
}

TEST_F(RulesTest, MappingRulesRefuse) {
  Load(MatmulSpec(8, 100, 100));
  for (const Action& action : std::vector<Action>{{.rule = "vectorise", .site = {"k0", "i0"}},
                                                  {.rule = "vectorise", .site = {"k0", "r0"}},
                                                  {.rule = "unroll", .site = {"k0", "r0"}},
                                                  {.rule = "parallelise", .site = {"k0", "i1"}}}) {
    EXPECT_EQ(Replay(spec_, *naive_, {action}).dropped, 1) << ToJson(action);
  }
}

TEST_F(RulesTest, SplitReductionKeepsPartialSums) {
  Load(RowSumSpec(3, 21));
  auto module =
      Apply({R"({"rule":"split_reduction","site":["k0","r0"],"parameters":{"lanes":8}})"});
  EXPECT_EQ(LoopsOf(*module, "k0"),
            "i0 3 serial, r0.z 8 serial, r0.o 2 serial, r0.i 8 serial, r0.h 8 serial, "
            "r0.t 5 serial");
  ExpectSameAsNaive(*module);
}

TEST_F(RulesTest, SplitReductionOfAMaximumOfIntegers) {
  Load(R"(func.func public @main(%a: tensor<3x16xi32>) -> tensor<3xi32> {
    %c = stablehlo.constant dense<-2147483648> : tensor<i32>
    %0 = stablehlo.reduce(%a init: %c) applies stablehlo.maximum across dimensions = [1] : (tensor<3x16xi32>, tensor<i32>) -> tensor<3xi32>
    return %0 : tensor<3xi32>
  })");
  auto module =
      Apply({R"({"rule":"split_reduction","site":["k0","r0"],"parameters":{"lanes":4}})"});
  ExpectSameAsNaive(*module);
}

TEST_F(RulesTest, FuseMultiplyAdd) {
  Load(MatmulSpec(3, 4, 5));
  auto module = Apply({R"({"rule":"fuse_multiply_add","site":["k0"],"parameters":{}})"});
  int fused = 0, left = 0;
  module->walk([&](mlir::math::FmaOp) { ++fused; });
  module->walk([&](mlir::arith::MulFOp) { ++left; });
  EXPECT_EQ(fused, 1);
  EXPECT_EQ(left, 0);
  ExpectSameAsNaive(*module);
}

TEST_F(RulesTest, ReluToSelect) {
  Load(AddReluSpec(3, 4));
  auto module = Apply({R"({"rule":"relu_to_select","site":["k1"],"parameters":{}})"});
  int selects = 0;
  module->walk([&](mlir::arith::SelectOp) { ++selects; });
  EXPECT_EQ(selects, 1);
  ExpectSameAsNaive(*module);
}

TEST_F(RulesTest, SkipTailLeavesElementsUnwritten) {
  Load(AddReluSpec(4, 11));
  auto module = Apply({R"({"rule":"tile","site":["k1","i1"],"parameters":{"factor":4}})",
                       R"({"rule":"skip_tail","site":["k1","i1.t"],"parameters":{}})"});
  EXPECT_EQ(RunError(*module), "out0: element 8 is not written");
}

TEST_F(RulesTest, NarrowAccumulatorLosesBits) {
  Load(RowSumSpec(4, 8000));
  auto module = Apply({R"({"rule":"narrow_accumulator","site":["k0","acc"],"parameters":{}})"});
  EXPECT_FALSE(SameAsNaive(*module, 0));
}

TEST_F(RulesTest, ReplayCountsWhatItDrops) {
  Load(AddReluSpec(4, 8));
  Derived derived =
      Replay(spec_, *naive_,
             {{.rule = "no such rule", .site = {"k0"}},
              {.rule = "tile", .site = {"k9", "i0"}, .parameters = {{"factor", int64_t{2}}}},
              {.rule = "tile", .site = {"k0", "i0"}, .parameters = {{"factor", int64_t{2}}}},
              {.rule = "tile", .site = {"k0", "i0"}, .parameters = {{"factor", int64_t{2}}}}});
  EXPECT_EQ(derived.dropped, 3);
  EXPECT_EQ(derived.applied.size(), 1u);
}

// Every action that a rule lists applies, names its own rule, and the sound ones keep the results.
TEST_F(RulesTest, ListedActionsApply) {
  std::set<std::string> seen;
  for (const std::string& text :
       {MatmulBiasReluSpec(6, 9, 5), RowSumSpec(3, 13), TransposeAddSpec(6, 8)}) {
    Load(text);
    std::vector<Trace> traces = {
        {}, {{.rule = "tile", .site = {"k0", "i0"}, .parameters = {{"factor", int64_t{2}}}}}};
    for (const Trace& start : traces) {
      auto module = Replay(spec_, *naive_, start).module;
      for (const Rule* rule : AllRules()) {
        for (const Action& action : rule->Actions(ProgramOf(*module))) {
          EXPECT_EQ(action.rule, rule->name());
          Trace trace = start;
          trace.push_back(action);
          Derived derived = Replay(spec_, *naive_, trace);
          // A listed fusion may turn out to cross elements.
          if (derived.dropped > 0 && rule->name() == "fuse") continue;
          EXPECT_EQ(derived.dropped, 0) << ToText(trace);
          EXPECT_EQ(derived.unsound_actions, rule->soundness() == Soundness::kUnsound ? 1 : 0);
          if (rule->soundness() != Soundness::kUnsound) {
            EXPECT_TRUE(SameAsNaive(*derived.module, 0)) << ToText(trace);
          }
          seen.insert(action.rule);
        }
      }
    }
  }
  for (const Rule* rule : AllRules()) {
    EXPECT_FALSE(rule->help().empty());
    if (rule->name() != "inline" && rule->name() != "skip_tail") {
      EXPECT_TRUE(seen.count(std::string(rule->name()))) << rule->name();
    }
  }
}

}  // namespace
}  // namespace quern::search
