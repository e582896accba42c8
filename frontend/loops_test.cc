#include "frontend/loops.h"

#include "absl/strings/str_replace.h"
#include "frontend/interpreter.h"
#include "frontend/testing/programs.h"
#include "gtest/gtest.h"

namespace quern::frontend {

// x doubled as long as the counter compares with the end.
static Spec Loop(const std::string& first, const std::string& step, const std::string& direction,
                 const std::string& end, const std::string& type = "i32") {
  return MustParse(absl::StrReplaceAll(
      R"(func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<$T>) {
    %first = stablehlo.constant dense<$F> : tensor<$T>
    %end = stablehlo.constant dense<$E> : tensor<$T>
    %step = stablehlo.constant dense<$S> : tensor<$T>
    %0:3 = stablehlo.while(%i = %first, %n = %end, %v = %x) : tensor<$T>, tensor<$T>, tensor<4xf32>
    cond {
      %p = stablehlo.compare $D, %i, %n : (tensor<$T>, tensor<$T>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %w = stablehlo.add %v, %v : tensor<4xf32>
      %j = stablehlo.add %i, %step : tensor<$T>
      stablehlo.return %j, %n, %w : tensor<$T>, tensor<$T>, tensor<4xf32>
    }
    return %0#2, %0#0 : tensor<4xf32>, tensor<$T>
  })",
      {{"$F", first}, {"$S", step}, {"$D", direction}, {"$E", end}, {"$T", type}}));
}

static std::optional<int64_t> Trips(const Spec& spec) {
  std::optional<int64_t> trips;
  spec.main().walk([&](stablehlo::WhileOp loop) { trips = TripCount(loop); });
  return trips;
}

TEST(LoopsTest, CountsTrips) {
  EXPECT_EQ(Trips(Loop("0", "1", "LT", "5")), 5);
  EXPECT_EQ(Trips(Loop("0", "2", "LT", "5")), 3);
  EXPECT_EQ(Trips(Loop("0", "2", "LE", "6")), 4);
  EXPECT_EQ(Trips(Loop("9", "-3", "GT", "0")), 3);
  EXPECT_EQ(Trips(Loop("0", "3", "NE", "9")), 3);
  EXPECT_EQ(Trips(Loop("5", "1", "LT", "5")), 0);
  EXPECT_EQ(Trips(Loop("250", "1", "LT", "255", "ui8")), 5);
  EXPECT_EQ(Trips(Loop("0", "1", "GE", "0", "ui8")), std::nullopt);  // always holds
  EXPECT_EQ(Trips(Loop("0", "0", "LT", "5")), std::nullopt);
}

TEST(LoopsTest, UnrolledLoopsComputeTheSame) {
  for (const char* end : {"0", "1", "7"}) {
    Spec spec = Loop("0", "1", "LT", end);
    const Tensor x = MakeTensor("f32[4]", {1, -2, 0.5, 3});
    std::vector<Tensor> inputs;
    inputs.push_back(x.Clone());
    absl::StatusOr<std::vector<Tensor>> before = Interpret(spec, inputs);
    ASSERT_TRUE(before.ok()) << before.status();
    UnrollLoops(spec.main(), 100);
    EXPECT_EQ(Trips(spec), std::nullopt);
    absl::StatusOr<std::vector<Tensor>> after = Interpret(spec, inputs);
    ASSERT_TRUE(after.ok()) << after.status();
    for (int r : {0, 1}) EXPECT_EQ(Elements((*after)[r]), Elements((*before)[r])) << end;
  }
}

// Of six ops each time; those around the loop do not count.
TEST(LoopsTest, IterationsCount) {
  for (int64_t max_ops : {41, 42}) {
    Spec spec = Loop("0", "1", "LT", "7");
    UnrollLoops(spec.main(), max_ops);
    EXPECT_EQ(Trips(spec).has_value(), max_ops < 42);
  }
}

TEST(LoopsTest, LongLoopsStay) {
  Spec spec = Loop("0", "1", "LT", "1000");
  UnrollLoops(spec.main(), 100);
  EXPECT_EQ(Trips(spec), 1000);
}

}  // namespace quern::frontend
