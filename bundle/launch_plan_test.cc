#include "bundle/launch_plan.h"

#include <functional>

#include "bundle/json_mutants.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern {

using testing::ElementsAre;
using testing::HasSubstr;

static LaunchPlan Example() {
  const TensorType type{.element = ElementType::kF32, .shape = {5, 40}};
  return {
      .target = "x86_64",
      .cpu = "haswell",
      .features = "+avx2",
      .buffers =
          {{.name = "b", .position = 0, .type = type, .bytes = 800},
           {.name = "packed",
            .role = BufferRole::kTemporary,
            .type = type,
            .layout = {.digits = {{1, 16, 3}, {0, 1, 5}, {1, 1, 16}}},
            .bytes = 960,
            .holds = "module {}"},
           {.name = "out", .role = BufferRole::kOutput, .position = 0, .type = type, .bytes = 800},
           {.name = "tile", .role = BufferRole::kScratch, .type = {.shape = {16}}, .bytes = 64}},
      .kernels = {
          {.symbol = "pack", .grid = {3, 1, 1}, .buffers = {0, 1}},
          {.symbol = "mul", .grid = {0, 2, 1}, .threads = {32, 4, 1}, .buffers = {1, 2, 3}}}};
}

TEST(LaunchPlanTest, RoundTrips) {
  for (const LaunchPlan& plan : {Example(), LaunchPlan()}) {
    const std::string text = ToJson(plan);
    absl::StatusOr<LaunchPlan> read = ParseLaunchPlan(text);
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    EXPECT_EQ(ToJson(*read), text);
  }
  const LaunchPlan read = ParseLaunchPlan(ToJson(Example())).value();
  EXPECT_EQ(read.buffers[1].layout, Example().buffers[1].layout);
  EXPECT_EQ(read.buffers[1].role, BufferRole::kTemporary);
  EXPECT_EQ(read.buffers[2].type.ToString(), "f32[5,40]");
  EXPECT_THAT(read.kernels[1].threads, ElementsAre(32, 4, 1));
  EXPECT_THAT(read.kernels[1].buffers, ElementsAre(1, 2, 3));
}

TEST(LaunchPlanTest, MalformedTextNamesTheKey) {
  for (const JsonMutant& mutant : JsonMutants(ToJson(Example()))) {
    const absl::Status status = ParseLaunchPlan(mutant.text).status();
    if (!mutant.wrong && status.ok()) continue;
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << mutant.text;
    // Digits are checked together, as a layout, and sizes against each other.
    if (mutant.wrong)
      EXPECT_THAT(std::string(status.message()), HasSubstr(mutant.key)) << mutant.text;
  }
}

TEST(LaunchPlanTest, InvalidPlansNameTheKey) {
  const std::pair<const char*, std::function<void(LaunchPlan&)>> cases[] = {
      {"buffers[1].name", [](LaunchPlan& p) { p.buffers[1].name = "b"; }},
      {"buffers[0].position", [](LaunchPlan& p) { p.buffers[0].position = -1; }},
      {"buffers[1].position", [](LaunchPlan& p) { p.buffers[1].position = 0; }},
      {"buffers[2].position", [](LaunchPlan& p) { p.buffers[2].role = BufferRole::kInput; }},
      {"buffers[0].layout", [](LaunchPlan& p) { p.buffers[0].layout = p.buffers[1].layout; }},
      {"buffers[1].layout", [](LaunchPlan& p) { p.buffers[1].layout.digits.pop_back(); }},
      {"buffers[1].bytes", [](LaunchPlan& p) { p.buffers[1].bytes = 959; }},
      {"buffers[0].bytes", [](LaunchPlan& p) { p.buffers[0].bytes = 801; }},
      {"buffers[3].bytes", [](LaunchPlan& p) { p.buffers[3].bytes = -1; }},
      {"buffers[1].bytes", [](LaunchPlan& p) { p.buffers[1].bytes = INT64_MAX; }},
      {"buffers[3].type", [](LaunchPlan& p) { p.buffers[3].type.shape = {INT64_MAX}; }},
      {"buffers[3].layout", [](LaunchPlan& p) { p.buffers[3].type.shape = {INT64_MAX, 2}; }},
      {"buffers[3].layout", [](LaunchPlan& p) { p.buffers[3].type.shape = {-1}; }},
      {"buffers[0].alignment", [](LaunchPlan& p) { p.buffers[0].alignment = 48; }},
      {"buffers[0].alignment", [](LaunchPlan& p) { p.buffers[0].alignment = 0; }},
      {"buffers[1].alignment", [](LaunchPlan& p) { p.buffers[1].alignment = 128; }},
      {"buffers[0].holds", [](LaunchPlan& p) { p.buffers[0].holds = "module {}"; }},
      {"kernels[0].symbol", [](LaunchPlan& p) { p.kernels[0].symbol = ""; }},
      {"kernels[1].buffers", [](LaunchPlan& p) { p.kernels[1].buffers = {4}; }},
      {"kernels[1].buffers", [](LaunchPlan& p) { p.kernels[1].buffers = {-1}; }},
      {"kernels[1].buffers", [](LaunchPlan& p) { p.kernels[1].buffers = {1, 1}; }},
      {"kernels[0].grid", [](LaunchPlan& p) { p.kernels[0].grid = {-1, 1, 1}; }},
      {"kernels[0].grid", [](LaunchPlan& p) { p.kernels[0].grid = {INT64_MAX, 2, 0}; }},
      {"kernels[0].threads", [](LaunchPlan& p) { p.kernels[0].threads = {0, 1, 1}; }},
      {"kernels[0].threads", [](LaunchPlan& p) { p.kernels[0].threads = {64, 64, 1}; }},
  };
  ASSERT_TRUE(Validate(Example()).ok());
  for (const auto& [key, change] : cases) {
    LaunchPlan plan = Example();
    change(plan);
    const absl::Status status = Validate(plan);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << key;
    EXPECT_THAT(std::string(status.message()), HasSubstr(key));
    EXPECT_FALSE(ParseLaunchPlan(ToJson(plan)).ok()) << key;
  }
}

TEST(LaunchPlanTest, TemporariesShareTheWorkspace) {
  LaunchPlan plan;
  EXPECT_EQ(plan.workspace_bytes(), 0);
  auto add = [&](BufferRole role, int64_t bytes, int64_t alignment) {
    plan.buffers.push_back({.name = std::to_string(plan.buffers.size()),
                            .role = role,
                            .type = {.shape = {0}},
                            .bytes = bytes,
                            .alignment = alignment});
  };
  add(BufferRole::kTemporary, 10, 16);
  add(BufferRole::kScratch, 1000, 64);
  add(BufferRole::kTemporary, 100, 64);
  add(BufferRole::kTemporary, 4, 4);
  ASSERT_TRUE(Validate(plan).ok());
  EXPECT_THAT(plan.workspace_offsets(), ElementsAre(0, -1, 64, 164));
  EXPECT_EQ(plan.workspace_bytes(), 192);
}

}  // namespace quern
