#include "bundle/json_view.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern {

using testing::HasSubstr;

TEST(JsonViewTest, NamesThePathOfTheFirstError) {
  nlohmann::json json = ParseJson(R"({"a": [{"b": 1}, {"b": "x"}], "c": -1})", "plan").value();
  absl::Status status;
  const JsonView view(&json, "plan:", &status);
  EXPECT_EQ(view["a"].Items()[0]["b"].Integer(), 1);
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(view["a"].Items()[1]["b"].Integer(), 0);
  EXPECT_EQ(view["c"].Integer(), 0);
  EXPECT_THAT(std::string(status.message()), HasSubstr("plan: a[1].b is not an integer"));
}

TEST(JsonViewTest, NumbersThatJsonLacksAreStrings) {
  const double numbers[] = {0.1, -0.0, 5e-324, 1.7976931348623157e308, INFINITY, -INFINITY, NAN};
  for (double number : numbers) {
    nlohmann::json json = ParseJson(JsonText(JsonNumber(number)), "number").value();
    absl::Status status;
    const double read = JsonView(&json, "", &status).Double();
    EXPECT_TRUE(status.ok()) << number;
    EXPECT_TRUE(read == number || (std::isnan(read) && std::isnan(number))) << number;
    EXPECT_EQ(std::signbit(read), std::signbit(number)) << number;
  }
}

TEST(JsonViewTest, IntegersStayInRange) {
  nlohmann::json json =
      ParseJson("[9223372036854775807, 9223372036854775808, 18446744073709551615, 1e3]", "")
          .value();
  auto ok = [&](auto read) {
    absl::Status status;
    read(JsonView(&json, "", &status).Items());
    return status.ok();
  };
  EXPECT_TRUE(ok([](const auto& items) { EXPECT_EQ(items[0].Integer(), INT64_MAX); }));
  EXPECT_FALSE(ok([](const auto& items) { items[1].Integer(); }));
  EXPECT_TRUE(ok([](const auto& items) { EXPECT_EQ(items[2].Unsigned(), UINT64_MAX); }));
  EXPECT_FALSE(ok([](const auto& items) { items[3].Integer(); }));
  EXPECT_FALSE(ok([](const auto& items) { items[0].Int(); }));
}

TEST(JsonViewTest, RejectsRepeatedKeysDepthAndGarbage) {
  EXPECT_THAT(std::string(ParseJson(R"({"a": {"x": 1, "x": 2}})", "doc").status().message()),
              HasSubstr("repeats the key 'x'"));
  EXPECT_TRUE(ParseJson(R"([{"x": 1}, {"x": 2}])", "doc").ok());
  EXPECT_THAT(
      std::string(ParseJson(std::string(65, '[') + std::string(65, ']'), "doc").status().message()),
      HasSubstr("nested deeper than 64"));
  EXPECT_TRUE(ParseJson(std::string(60, '[') + std::string(60, ']'), "doc").ok());
  for (const char* bad : {"", "{", "nul", "[1,]", "NaN", "1e999", "\"\xff\"", "1 2"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseJson(bad, "doc").status())) << bad;
  }
}

TEST(JsonViewTest, TextIsUtf8WhateverTheBytes) {
  EXPECT_EQ(JsonText("\xff"), "\"\xef\xbf\xbd\"\n");
}

}  // namespace quern
