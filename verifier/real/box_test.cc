#include "verifier/real/box.h"

#include <map>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace quern::verifier {

// How often each point of two slots occurs, by their offsets and strides of one free counter.
static std::map<std::vector<int64_t>, double> Points(const std::vector<IndexBox>& boxes) {
  std::map<std::vector<int64_t>, double> points;
  for (const IndexBox& box : boxes) {
    const int width = box.width(/*counters=*/1);
    std::vector<int64_t> k(box.extents.size(), 0);
    for (bool more = true; more;) {
      std::vector<int64_t> point;
      for (size_t slot = 0; slot * width < box.columns.size(); ++slot) {
        int64_t offset = box.columns[slot * width];
        for (size_t d = 0; d < k.size(); ++d) offset += k[d] * box.columns[slot * width + 2 + d];
        point.push_back(offset);
        point.push_back(box.columns[slot * width + 1]);
      }
      points[point] += box.coefficient.ToDouble();
      more = false;
      for (size_t d = 0; d < k.size() && !more; ++d) {
        more = ++k[d] < box.extents[d];
        if (!more) k[d] = 0;
      }
    }
  }
  std::erase_if(points, [](const auto& point) { return point.second == 0; });
  return points;
}

static std::vector<IndexBox> RandomBoxes(ShapeId shape, std::mt19937* random) {
  const auto below = [&](int n) { return static_cast<int64_t>((*random)() % n); };
  std::vector<IndexBox> boxes(1 + below(5));
  for (IndexBox& box : boxes) {
    box.shape = shape;
    box.coefficient = Coefficient(below(3) == 0 ? 2 : 1);
    for (int64_t d = below(3); d > 0; --d) box.extents.push_back(1 + below(4));
    for (int slot = 0; slot < 2; ++slot) {
      box.columns.push_back(below(6));
      box.columns.push_back(below(8) == 0 ? 1 : 0);
      for (size_t d = 0; d < box.extents.size(); ++d) box.columns.push_back(below(5) - 1);
    }
  }
  return boxes;
}

TEST(BoxTest, SumsKeepTheirPoints) {
  ShapeTable shapes;
  const ShapeId x = shapes.Intern({ShapeTable::kLeaf, 0, 0}, 1);
  const ShapeId y = shapes.Intern({ShapeTable::kLeaf, 1, 0}, 1);
  const ShapeId product = shapes.Intern({ShapeTable::kProduct, x, 1, y, 1}, 2);
  std::mt19937 random(3);
  for (int trial = 0; trial < 20000; ++trial) {
    const std::vector<IndexBox> before = RandomBoxes(product, &random);
    std::vector<IndexBox> after = before;
    ASSERT_TRUE(Canonicalise(Gathering::kSum, trial % 2 == 0, shapes, 1, &after));
    ASSERT_EQ(Points(before), Points(after)) << "trial " << trial;
    std::vector<IndexBox> points = before;
    ASSERT_TRUE(Explode(1000, 1, &points));
    ASSERT_EQ(Points(before), Points(points));
  }
}

TEST(BoxTest, SetsKeepTheirPoints) {
  ShapeTable shapes;
  const ShapeId form = shapes.Intern({ShapeTable::kForm, 0}, 2);
  std::mt19937 random(4);
  for (int trial = 0; trial < 20000; ++trial) {
    std::vector<IndexBox> before = RandomBoxes(form, &random);
    for (IndexBox& box : before) box.coefficient = Coefficient(1);
    std::vector<IndexBox> after = before;
    ASSERT_TRUE(Canonicalise(Gathering::kSet, true, shapes, 1, &after));
    std::map<std::vector<int64_t>, double> expected = Points(before), actual = Points(after);
    for (auto* points : {&expected, &actual}) {
      for (auto& [point, count] : *points) count = 1;
    }
    ASSERT_EQ(expected, actual) << "trial " << trial;
  }
}

TEST(BoxTest, FactorsOfOneShapeMayChangePlaces) {
  ShapeTable shapes;
  const ShapeId x = shapes.Intern({ShapeTable::kLeaf, 0, 0}, 1);
  const ShapeId product = shapes.Intern({ShapeTable::kProduct, x, 1, x, 1}, 2);
  std::vector<IndexBox> a = {{.shape = product, .extents = {4}, .columns = {0, 1, 7, 3}}};
  std::vector<IndexBox> b = {{.shape = product, .extents = {4}, .columns = {7, 3, 0, 1}}};
  std::vector<IndexBox> c = {{.shape = product, .extents = {4}, .columns = {7, 1, 0, 3}}};
  for (auto* boxes : {&a, &b, &c}) {
    ASSERT_TRUE(Canonicalise(Gathering::kSum, true, shapes, 0, boxes));
  }
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
}

}  // namespace quern::verifier
