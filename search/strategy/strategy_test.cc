#include <set>

#include "search/nest.h"
#include "search/strategy/seeded.h"
#include "search/strategy/sketches.h"
#include "search/testing/fixture.h"

namespace quern::search {
namespace {

using StrategyTest = ProgramFixture;

static std::vector<std::string> Specs() {
  return {MatmulBiasReluSpec(14, 40, 9), MatmulSpec(12, 32, 8), RowSumSpec(5, 70),
          TransposeAddSpec(20, 24), AddReluSpec(6, 50)};
}

TEST_F(StrategyTest, SketchesKeepTheResult) {
  for (const std::string& text : Specs()) {
    Load(text);
    for (const Sketch& sketch : FirstSketches()) {
      Trace trace = Expand(spec_, *naive_, sketch);
      Derived derived = Replay(spec_, *naive_, trace);
      EXPECT_EQ(derived.dropped, 0);
      EXPECT_TRUE(SameAsNaive(*derived.module, 0)) << ToText(trace);
    }
  }
}

TEST_F(StrategyTest, TheFirstSketchOfAMatmulIsAPackedRegisterBlock) {
  Load(MatmulBiasReluSpec(14, 32, 9));
  auto module = Replay(spec_, *naive_, Expand(spec_, *naive_, FirstSketches()[0])).module;
  EXPECT_EQ(LoopsOf(*module, "pack.arg1"), "p0 2 grid_x, p1 9 serial, p2 16 vector");
  EXPECT_EQ(LoopsOf(*module, "k0"),
            "i1.o 2 grid_x, i0.o 2 serial, i0.i.1 6 unrolled, i1.i.1 16 vector, r0 9 serial, "
            "i0.i 6 unrolled, i1.i 16 vector, i0.i.2 6 unrolled, i1.i.2 16 vector, "
            "i0.t.1 2 unrolled, i1.i.3 16 vector, i0.t/r0 9 serial, i0.t 2 unrolled, "
            "i1.i.4 16 vector, i0.t.2 2 unrolled, i1.i.5 16 vector");
  EXPECT_EQ(Kernels(ProgramOf(*module)).size(), 2u);
}

TEST_F(StrategyTest, VectorsArePowersOfTwo) {
  Load(MatmulSpec(4, 48, 5));
  Sketch sketch{.rows = 4, .columns = 24};
  auto module = Replay(spec_, *naive_, Expand(spec_, *naive_, sketch)).module;
  EXPECT_EQ(LoopsOf(*module, "k0"),
            "i1.o 2 grid_x, i0.1 4 unrolled, i1.i.1.o 3 unrolled, i1.i.1.i 8 vector, r0 5 serial, "
            "i0 4 unrolled, i1.i.o 3 unrolled, i1.i.i 8 vector, i0.2 4 unrolled, "
            "i1.i.2.o 3 unrolled, i1.i.2.i 8 vector");
  ExpectSameAsNaive(*module);
}

TEST_F(StrategyTest, TheFirstSketchOfOthers) {
  auto loops = [&](const std::string& text) {
    Load(text);
    auto module = Replay(spec_, *naive_, Expand(spec_, *naive_, FirstSketches()[0])).module;
    return LoopsOf(*module, "k0");
  };
  EXPECT_EQ(loops(AddReluSpec(6, 48)), "i0 6 grid_x, i1.o 3 serial, i1.i 16 vector");
  EXPECT_EQ(loops(RowSumSpec(5, 96)),
            "i0 5 grid_x, r0.z 32 vector, r0.o 3 serial, r0.i 32 vector, r0.h 32 unrolled");
  EXPECT_EQ(loops(TransposeAddSpec(32, 48)),
            "i0.o 2 grid_x, i1.o 3 serial, i0.i 16 serial, i1.i 16 vector");
}

TEST_F(StrategyTest, ColumnSumsRunAcrossColumns) {
  Load(R"(func.func public @main(%a: tensor<9x64xf32>) -> tensor<64xf32> {
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<9x64xf32>, tensor<f32>) -> tensor<64xf32>
    return %0 : tensor<64xf32>
  })");
  auto module = Replay(spec_, *naive_, Expand(spec_, *naive_, FirstSketches()[0])).module;
  EXPECT_EQ(LoopsOf(*module, "k0"),
            "i0.o 4 grid_x, i0.i.1 16 vector, r0 9 serial, i0.i 16 vector, i0.i.2 16 vector");
  ExpectSameAsNaive(*module);
}

// A softmax: several kernels, of several kinds, in one.
TEST_F(StrategyTest, SoftmaxFuses) {
  Load(R"(func.func public @main(%a: tensor<4x40xf32>) -> tensor<4x40xf32> {
    %m = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %m) applies stablehlo.maximum across dimensions = [1] : (tensor<4x40xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4xf32>) -> tensor<4x40xf32>
    %2 = stablehlo.subtract %a, %1 : tensor<4x40xf32>
    %3 = stablehlo.abs %2 : tensor<4x40xf32>
    %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x40xf32>, tensor<f32>) -> tensor<4xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<4xf32>) -> tensor<4x40xf32>
    %6 = stablehlo.divide %3, %5 : tensor<4x40xf32>
    return %6 : tensor<4x40xf32>
  })");
  for (const Sketch& sketch : FirstSketches()) {
    Derived derived = Replay(spec_, *naive_, Expand(spec_, *naive_, sketch));
    EXPECT_TRUE(SameAsNaive(*derived.module, 0)) << PrintText(*derived.module);
  }
}

TEST_F(StrategyTest, GpuProgramsStayAsTheyAre) {
  Load(MatmulSpec(16, 16, 16), "sm_90a");
  for (const Sketch& sketch : FirstSketches()) EXPECT_TRUE(Expand(spec_, *naive_, sketch).empty());
}

// Times that depend on the trace alone.
static double FakeTime(const Trace& trace) {
  return 1000 + static_cast<double>(ToText(trace).size() % 97);
}

TEST_F(StrategyTest, ProposalsAreAFunctionOfTheSeed) {
  Load(MatmulBiasReluSpec(14, 40, 9));
  auto run = [&](uint64_t seed) {
    SeededStrategy strategy(spec_, *naive_, seed);
    std::vector<Trace> proposals;
    for (int i = 0; i < 40; ++i) {
      std::optional<Trace> trace = strategy.Propose();
      EXPECT_TRUE(trace.has_value());
      Derived derived = Replay(spec_, *naive_, *trace);
      strategy.Observe(derived.applied, Outcome::kSlower, FakeTime(derived.applied));
      proposals.push_back(*std::move(trace));
    }
    return proposals;
  };
  std::vector<Trace> first = run(7);
  EXPECT_EQ(first, run(7));
  EXPECT_NE(first, run(8));
  std::set<std::string> texts;
  for (const Trace& trace : first) texts.insert(ToText(trace));
  EXPECT_GT(texts.size(), 20u);
}

// Mutants run to the end and, without unsound rules, compute the same.
// executor sees it.
TEST_F(StrategyTest, MutantsAreValidPrograms) {
  Load(MatmulSpec(10, 20, 6));
  SeededStrategy strategy(spec_, *naive_, 3);
  int right = 0;
  for (int i = 0; i < 60; ++i) {
    Derived derived = Replay(spec_, *naive_, *strategy.Propose());
    strategy.Observe(derived.applied, Outcome::kSlower, FakeTime(derived.applied));
    if (derived.unsound_actions > 0) continue;
    EXPECT_TRUE(SameAsNaive(*derived.module, 0)) << ToText(derived.applied);
    ++right;
  }
  EXPECT_GT(right, 40);
}

}  // namespace
}  // namespace quern::search
