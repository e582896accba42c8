#include "verifier/real/box_join.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "verifier/real/box_dimensions.h"

namespace quern::verifier {

// a - b, or nullopt.
static std::optional<std::vector<int64_t>> Difference(const std::vector<int64_t>& a,
                                                      const std::vector<int64_t>& b) {
  std::vector<int64_t> difference(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    if (__builtin_sub_overflow(a[i], b[i], &difference[i])) return std::nullopt;
  }
  return difference;
}

// Joins boxes of equal keys whose offsets lie at equal distances. False: none do.
static bool JoinProgressions(int counters, std::vector<IndexBox>* boxes) {
  std::map<std::vector<int64_t>, std::vector<IndexBox>> groups;
  for (IndexBox& box : *boxes) groups[Key(box, counters)].push_back(std::move(box));
  boxes->clear();
  bool changed = false;
  for (auto& [key, group] : groups) {
    std::vector<std::pair<std::vector<int64_t>, size_t>> points;
    points.reserve(group.size());
    for (size_t i = 0; i < group.size(); ++i) points.emplace_back(Offsets(group[i], counters), i);
    std::sort(points.begin(), points.end());
    // The most frequent distance of neighbours, the least of those.
    std::map<std::vector<int64_t>, int> frequency;
    std::vector<std::optional<std::vector<int64_t>>> distances;
    for (size_t i = 0; i + 1 < points.size(); ++i) {
      distances.push_back(Difference(points[i + 1].first, points[i].first));
      if (distances.back().has_value()) ++frequency[*distances.back()];
    }
    const std::vector<int64_t>* step = nullptr;
    int best = 0;
    for (const auto& [distance, count] : frequency) {
      if (count > best) {
        best = count;
        step = &distance;
      }
    }
    for (size_t i = 0; i < points.size();) {
      size_t end = i + 1;
      while (step != nullptr && end < points.size() && distances[end - 1] == *step) ++end;
      IndexBox& box = group[points[i].second];
      if (end - i > 1) {
        std::vector<Dimension> dimensions = TakeDimensions(counters, &box);
        dimensions.push_back({static_cast<int64_t>(end - i), *step});
        PutDimensions(dimensions, counters, &box);
        changed = true;
      }
      boxes->push_back(std::move(box));
      i = end;
    }
  }
  return changed;
}

// Whether b, which lies at a's end or just before its start along a's dimension d, has a's other
// dimensions and, if it has this one, its strides; its extent along d.
static std::optional<int64_t> ExtentAlong(const IndexBox& a, size_t d, const IndexBox& b,
                                          int counters) {
  if (a.shape != b.shape || !(a.coefficient == b.coefficient)) return std::nullopt;
  IndexBox x = a, y = b;
  std::vector<Dimension> p = TakeDimensions(counters, &x), q = TakeDimensions(counters, &y);
  for (size_t i = 0; i < x.columns.size(); ++i) {
    if (i % (1 + counters) != 0 && x.columns[i] != y.columns[i]) return std::nullopt;
  }
  const Dimension along = p[d];
  p.erase(p.begin() + d);
  if (p == q) return 1;
  for (size_t i = 0; i < q.size(); ++i) {
    if (q[i].strides != along.strides) continue;
    const int64_t extent = q[i].extent;
    q.erase(q.begin() + i);
    return p == q ? std::optional<int64_t>(extent) : std::nullopt;
  }
  return std::nullopt;
}

// Joins boxes that continue one another along a dimension. False: none do.
static bool JoinNeighbours(int counters, std::vector<IndexBox>* boxes) {
  std::map<std::pair<ShapeId, std::vector<int64_t>>, std::vector<size_t>> at;
  for (size_t i = 0; i < boxes->size(); ++i) {
    at[{(*boxes)[i].shape, Offsets((*boxes)[i], counters)}].push_back(i);
  }
  for (size_t i = 0; i < boxes->size(); ++i) {
    for (size_t d = 0; d < (*boxes)[i].extents.size(); ++d) {
      IndexBox& box = (*boxes)[i];
      const int width = box.width(counters);
      for (const int64_t steps : {box.extents[d], int64_t{-1}}) {
        std::vector<int64_t> there = Offsets(box, counters);
        bool fits = true;
        for (size_t slot = 0; slot < there.size(); ++slot) {
          int64_t shift = 0;
          fits = fits &&
                 !__builtin_mul_overflow(box.columns[slot * width + 1 + counters + d], steps,
                                         &shift) &&
                 !__builtin_add_overflow(there[slot], shift, &there[slot]);
        }
        const auto found = fits ? at.find({box.shape, there}) : at.end();
        if (found == at.end()) continue;
        for (size_t j : found->second) {
          if (j == i) continue;
          const std::optional<int64_t> extent = ExtentAlong(box, d, (*boxes)[j], counters);
          if (!extent.has_value() || (steps < 0 && *extent != 1)) continue;
          int64_t joined = 0;
          if (__builtin_add_overflow(box.extents[d], *extent, &joined)) continue;
          box.extents[d] = joined;
          if (steps < 0) {
            for (size_t slot = 0; slot < there.size(); ++slot) {
              box.columns[slot * width] = there[slot];
            }
          }
          boxes->erase(boxes->begin() + j);
          return true;
        }
      }
    }
  }
  return false;
}

// Where two boxes differ in one extent alone: splits the longer one, and joins a part of it with
// the shorter one if that gives a box of no more dimensions. False: no such pair.
static bool JoinUnequal(Gathering gathering, const ShapeTable& shapes, int counters,
                        std::vector<IndexBox>* boxes) {
  static constexpr size_t kMaxBoxes = 64;  // all pairs are looked at
  if (boxes->size() > kMaxBoxes) return false;
  for (size_t i = 0; i < boxes->size(); ++i) {
    for (size_t j = 0; j < boxes->size(); ++j) {
      const IndexBox& a = (*boxes)[i];
      const IndexBox& b = (*boxes)[j];
      if (i == j || a.shape != b.shape || !(a.coefficient == b.coefficient) ||
          a.extents.size() != b.extents.size()) {
        continue;
      }
      IndexBox part = a, other = b;
      std::vector<Dimension> p = TakeDimensions(counters, &part);
      std::vector<Dimension> q = TakeDimensions(counters, &other);
      const int width = 1 + counters;
      bool same = true;
      for (size_t c = 0; c < part.columns.size(); ++c) {
        same = same && (c % width == 0 || part.columns[c] == other.columns[c]);
      }
      for (size_t d = 0; same && d < p.size(); ++d) {
        // The dimension of the longer one, and the shorter one's counterpart.
        std::vector<Dimension> rest = p;
        rest.erase(rest.begin() + d);
        size_t e = 0;
        while (e < q.size() && q[e].strides != p[d].strides) ++e;
        if (e == q.size() || q[e].extent >= p[d].extent) continue;
        std::vector<Dimension> left = q;
        left.erase(left.begin() + e);
        if (left != rest) continue;
        const int64_t common = q[e].extent, remainder = p[d].extent - common;
        for (const bool suffix : {false, true}) {
          IndexBox joined = part, remaining = part;
          bool fits = true;
          for (size_t slot = 0; slot < p[d].strides.size(); ++slot) {
            int64_t shift = 0;
            IndexBox& moved = suffix ? joined : remaining;
            fits =
                fits &&
                !__builtin_mul_overflow(p[d].strides[slot], suffix ? remainder : common, &shift) &&
                !__builtin_add_overflow(moved.columns[slot * width], shift,
                                        &moved.columns[slot * width]);
          }
          if (!fits) continue;
          const IndexBox& first =
              Offsets(joined, counters) < Offsets(other, counters) ? joined : other;
          const IndexBox& second = &first == &joined ? other : joined;
          const auto step = Difference(Offsets(second, counters), Offsets(first, counters));
          if (!step.has_value()) continue;
          std::vector<Dimension> dimensions = q;
          dimensions.push_back({2, *step});
          IndexBox result = first;
          PutDimensions(dimensions, counters, &result);
          if (!Simplify(gathering, shapes, counters, &result)) continue;
          if (result.extents.size() > q.size() || result.shape != a.shape) continue;
          dimensions = p;
          dimensions[d].extent = remainder;
          PutDimensions(dimensions, counters, &remaining);
          if (!Simplify(gathering, shapes, counters, &remaining)) continue;
          (*boxes)[i] = std::move(result);
          (*boxes)[j] = std::move(remaining);
          return true;
        }
      }
    }
  }
  return false;
}

bool JoinSome(Gathering gathering, const ShapeTable& shapes, int counters, int* splits,
              std::vector<IndexBox>* boxes) {
  return JoinNeighbours(counters, boxes) || JoinProgressions(counters, boxes) ||
         ((*splits)-- > 0 && JoinUnequal(gathering, shapes, counters, boxes));
}

}  // namespace quern::verifier
