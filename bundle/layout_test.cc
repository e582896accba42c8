#include "bundle/layout.h"

#include <algorithm>
#include <random>
#include <set>

#include "gtest/gtest.h"

namespace quern {

static Layout Digits(std::vector<LayoutDigit> digits) { return {.digits = std::move(digits)}; }

TEST(LayoutTest, RowMajorAndPacked) {
  EXPECT_EQ(PhysicalOffset({}, {3, 4}, {2, 1}), 9);
  EXPECT_EQ(PhysicalElements({}, {3, 4}), 12);
  EXPECT_EQ(PhysicalElements({}, {}), 1);
  EXPECT_EQ(PhysicalOffset({}, {}, {}), 0);
  // (n / 16, k, n % 16) of B[k, n] with n padded to 48.
  const Layout packed = Digits({{1, 16, 3}, {0, 1, 5}, {1, 1, 16}});
  ASSERT_TRUE(IsValid(packed, {5, 40}));
  EXPECT_EQ(PhysicalElements(packed, {5, 40}), 240);
  EXPECT_EQ(PhysicalOffset(packed, {5, 40}, {2, 35}), 2 * 80 + 2 * 16 + 3);
}

TEST(LayoutTest, BrokenChainsAreInvalid) {
  const std::vector<int64_t> shape = {4, 6};
  EXPECT_TRUE(IsValid(Digits({{0, 1, 4}, {1, 1, 6}}), shape));
  EXPECT_FALSE(IsValid(Digits({{0, 1, 4}}), shape));                        // lacks a dimension
  EXPECT_FALSE(IsValid(Digits({{0, 1, 4}, {1, 1, 5}}), shape));             // too short
  EXPECT_FALSE(IsValid(Digits({{0, 1, 4}, {1, 2, 3}}), shape));             // does not begin at 1
  EXPECT_FALSE(IsValid(Digits({{0, 1, 4}, {1, 1, 2}, {1, 3, 2}}), shape));  // gap
  EXPECT_FALSE(IsValid(Digits({{0, 1, 4}, {1, 1, 4}, {1, 2, 3}}), shape));  // overlap
  EXPECT_FALSE(IsValid(Digits({{0, 1, 4}, {1, 1, 6}, {1, 1, 6}}), shape));  // twice
  EXPECT_FALSE(IsValid(Digits({{0, 1, 4}, {2, 1, 6}}), shape));             // no such dimension
  EXPECT_FALSE(IsValid(Digits({{-1, 1, 4}, {1, 1, 6}}), shape));
  EXPECT_FALSE(IsValid(Digits({{0, 1, 0}, {1, 1, 6}}), shape));
  EXPECT_FALSE(IsValid(Digits({{0, 1, -4}, {1, 1, 6}}), shape));
  EXPECT_FALSE(IsValid(Digits({{0, 0, 4}, {1, 1, 6}}), shape));
  EXPECT_FALSE(IsValid({}, {-1}));
  EXPECT_FALSE(IsValid({}, {int64_t{1} << 40, int64_t{1} << 40}));
  EXPECT_FALSE(IsValid(Digits({{0, 1, int64_t{1} << 40}, {1, 1, int64_t{1} << 40}}), shape));
  EXPECT_FALSE(IsValid(Digits({{0, 1, INT64_MAX}, {0, INT64_MAX, INT64_MAX}, {1, 1, 6}}), shape));
}

TEST(LayoutTest, ADimensionOfOneNeedsNoDigit) {
  EXPECT_TRUE(IsValid(Digits({{1, 1, 6}}), {1, 6}));
  EXPECT_TRUE(IsValid(Digits({{1, 1, 6}}), {0, 6}));
}

// A random layout that obeys the chain rule, its digits in any order.
static Layout RandomLayout(const std::vector<int64_t>& shape, std::mt19937& random) {
  Layout layout;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t reach = 1;
    do {
      const int64_t extent = std::uniform_int_distribution<int64_t>(1, shape[i] + 1)(random);
      layout.digits.push_back({static_cast<int>(i), reach, extent});
      reach *= extent;
    } while (reach < shape[i]);
  }
  std::shuffle(layout.digits.begin(), layout.digits.end(), random);
  return layout;
}

TEST(LayoutTest, ValidLayoutsAreInjectiveAndInBounds) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> extent(1, 7);
  for (int round = 0; round < 500; ++round) {
    const std::vector<int64_t> shape = {extent(random), extent(random), extent(random)};
    const Layout layout = RandomLayout(shape, random);
    ASSERT_TRUE(IsValid(layout, shape));
    const int64_t elements = PhysicalElements(layout, shape);
    std::set<int64_t> seen;
    for (int64_t i = 0; i < shape[0]; ++i) {
      for (int64_t j = 0; j < shape[1]; ++j) {
        for (int64_t k = 0; k < shape[2]; ++k) {
          const int64_t offset = PhysicalOffset(layout, shape, {i, j, k});
          ASSERT_GE(offset, 0);
          ASSERT_LT(offset, elements);
          ASSERT_TRUE(seen.insert(offset).second) << "round " << round;
        }
      }
    }
  }
}

// Whatever IsValid accepts must be injective: random digits, most of them broken.
TEST(LayoutTest, RandomDigitsAreRejectedOrInjective) {
  std::mt19937 random(2);
  std::uniform_int_distribution<int> small(1, 4), dimension(0, 1), count(1, 4);
  int valid = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::vector<int64_t> shape = {small(random), small(random)};
    Layout layout;
    for (int i = count(random); i > 0; --i) {
      layout.digits.push_back({dimension(random), small(random), small(random)});
    }
    if (!IsValid(layout, shape)) continue;
    ++valid;
    std::set<int64_t> seen;
    for (int64_t i = 0; i < shape[0]; ++i) {
      for (int64_t j = 0; j < shape[1]; ++j) {
        const int64_t offset = PhysicalOffset(layout, shape, {i, j});
        ASSERT_TRUE(0 <= offset && offset < PhysicalElements(layout, shape));
        ASSERT_TRUE(seen.insert(offset).second);
      }
    }
  }
  EXPECT_GT(valid, 100);
}

}  // namespace quern
