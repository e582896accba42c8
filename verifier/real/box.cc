#include "verifier/real/box.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "verifier/real/box_dimensions.h"
#include "verifier/real/box_join.h"

namespace quern::verifier {

ShapeId ShapeTable::Intern(std::vector<int64_t> words, int slots) {
  const auto [found, fresh] = ids_.emplace(words, static_cast<ShapeId>(shapes_.size()));
  if (fresh) {
    bytes_ += static_cast<int64_t>(words.size()) * 16 + 96;
    shapes_.push_back({std::move(words), slots});
  }
  return found->second;
}

void Close(absl::Span<const int64_t> extents, IndexBox* box) {
  // In each column the last counters lie just before the dimensions already.
  box->extents.insert(box->extents.begin(), extents.begin(), extents.end());
}

bool Before(const IndexBox& a, const IndexBox& b, int counters) {
  const std::vector<int64_t> x = Key(a, counters), y = Key(b, counters);
  return x != y ? x < y : Offsets(a, counters) < Offsets(b, counters);
}

// Adds up (kSum) or drops (kSet) equal boxes, which follow one another.
static bool AddEqual(Gathering gathering, std::vector<IndexBox>* boxes) {
  // Boxes are equal but for the coefficient.
  const auto less = [](const IndexBox& a, const IndexBox& b) {
    return std::tie(a.shape, a.extents, a.columns) < std::tie(b.shape, b.extents, b.columns);
  };
  std::sort(boxes->begin(), boxes->end(), less);
  std::vector<IndexBox> sums;
  for (IndexBox& box : *boxes) {
    if (sums.empty() || less(sums.back(), box)) {
      sums.push_back(std::move(box));
    } else if (gathering == Gathering::kSum) {
      const auto sum = Coefficient::Add(sums.back().coefficient, box.coefficient);
      if (!sum.has_value()) return false;
      sums.back().coefficient = *sum;
    }
  }
  std::erase_if(sums, [](const IndexBox& box) { return box.coefficient.is_zero(); });
  *boxes = std::move(sums);
  return true;
}

bool Explode(int64_t limit, int counters, std::vector<IndexBox>* boxes) {
  int64_t points = 0;
  for (const IndexBox& box : *boxes) {
    int64_t own = 1;
    for (int64_t extent : box.extents) {
      if (extent > limit || __builtin_mul_overflow(own, extent, &own)) return false;
    }
    if (own > limit - points) return false;
    points += own;
  }
  std::vector<IndexBox> result;
  for (const IndexBox& box : *boxes) {
    IndexBox start = box;
    const std::vector<Dimension> dimensions = TakeDimensions(counters, &start);
    std::vector<IndexBox> all = {std::move(start)};
    for (const Dimension& dimension : dimensions) {
      std::vector<IndexBox> next;
      for (const IndexBox& point : all) {
        for (int64_t k = 0; k < dimension.extent; ++k) {
          next.push_back(point);
          for (size_t slot = 0; slot < dimension.strides.size(); ++slot) {
            int64_t shift = 0;
            int64_t& offset = next.back().columns[slot * (1 + counters)];
            if (__builtin_mul_overflow(dimension.strides[slot], k, &shift) ||
                __builtin_add_overflow(offset, shift, &offset)) {
              return false;
            }
          }
        }
      }
      all = std::move(next);
    }
    result.insert(result.end(), all.begin(), all.end());
  }
  *boxes = std::move(result);
  return true;
}

bool Canonicalise(Gathering gathering, bool join, const ShapeTable& shapes, int counters,
                  std::vector<IndexBox>* boxes) {
  for (IndexBox& box : *boxes) {
    if (!Simplify(gathering, shapes, counters, &box)) return false;
  }
  if (boxes->size() < 2) {
    std::erase_if(*boxes, [](const IndexBox& box) { return box.coefficient.is_zero(); });
    return true;
  }
  if (!AddEqual(gathering, boxes)) return false;
  int splits = 64;
  for (bool changed = join; changed && boxes->size() > 1;) {
    changed = JoinSome(gathering, shapes, counters, &splits, boxes);
    if (!changed) break;
    for (IndexBox& box : *boxes) {
      if (!Simplify(gathering, shapes, counters, &box)) return false;
    }
    if (!AddEqual(gathering, boxes)) return false;
  }
  std::sort(boxes->begin(), boxes->end(),
            [counters](const IndexBox& a, const IndexBox& b) { return Before(a, b, counters); });
  return true;
}

}  // namespace quern::verifier
