#include "search/action.h"

#include "gtest/gtest.h"
#include "search/trace.h"

namespace quern::search {
namespace {

TEST(ActionTest, TextAndBack) {
  Action action{.rule = "tile",
                .site = {"k0", "i0"},
                .parameters = {{"tail", "guard"}, {"factor", int64_t{6}}}};
  EXPECT_EQ(ToJson(action),
            R"({"parameters":{"factor":6,"tail":"guard"},"rule":"tile","site":["k0","i0"]})");
  absl::StatusOr<Action> parsed = ParseAction(ToJson(action));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*parsed, action);
  EXPECT_EQ(parsed->Integer("factor", 0), 6);
  EXPECT_EQ(parsed->Integer("tail", 3), 3);
  EXPECT_EQ(parsed->Text("tail", ""), "guard");
}

TEST(ActionTest, RejectsOtherText) {
  for (const char* text :
       {"", "{", "[]", "{}", R"({"rule":1,"site":[],"parameters":{}})",
        R"({"rule":"r","site":"k","parameters":{}})", R"({"rule":"r","site":[1],"parameters":{}})",
        R"({"rule":"r","site":[],"parameters":{"a":1.5}})",
        R"({"rule":"r","site":[],"parameters":{},"more":1})"}) {
    EXPECT_EQ(ParseAction(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(TraceTest, TextAndBack) {
  Trace trace = {{.rule = "a", .site = {"k"}}, {.rule = "b", .parameters = {{"x", "y"}}}};
  absl::StatusOr<Trace> parsed = ParseTrace(ToText(trace));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*parsed, trace);
  EXPECT_FALSE(ParseTrace("{}\n").ok());
}

}  // namespace
}  // namespace quern::search
