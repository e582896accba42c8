#include "verifier/real/box.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

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

// One dimension of a box, taken out of its columns.
struct Dimension {
  int64_t extent = 1;
  std::vector<int64_t> strides;  // by slot
  bool operator==(const Dimension&) const = default;
  auto operator<=>(const Dimension&) const = default;
};

static int Slots(const IndexBox& box, int counters) {
  return static_cast<int>(box.columns.size()) / box.width(counters);
}

static std::vector<Dimension> TakeDimensions(int counters, IndexBox* box) {
  const int width = box->width(counters), slots = Slots(*box, counters);
  std::vector<Dimension> dimensions(box->extents.size());
  std::vector<int64_t> columns;
  columns.reserve(static_cast<size_t>(slots) * (1 + counters));
  for (size_t d = 0; d < dimensions.size(); ++d) {
    dimensions[d].extent = box->extents[d];
    for (int slot = 0; slot < slots; ++slot) {
      dimensions[d].strides.push_back(box->columns[slot * width + 1 + counters + d]);
    }
  }
  for (int slot = 0; slot < slots; ++slot) {
    const auto column = box->columns.begin() + slot * width;
    columns.insert(columns.end(), column, column + 1 + counters);
  }
  box->columns = std::move(columns);
  box->extents.clear();
  return dimensions;
}

static void PutDimensions(const std::vector<Dimension>& dimensions, int counters, IndexBox* box) {
  const int width = 1 + counters, slots = static_cast<int>(box->columns.size()) / width;
  std::vector<int64_t> columns;
  columns.reserve(static_cast<size_t>(slots) * (width + dimensions.size()));
  for (int slot = 0; slot < slots; ++slot) {
    const auto column = box->columns.begin() + slot * width;
    columns.insert(columns.end(), column, column + width);
    for (const Dimension& dimension : dimensions) columns.push_back(dimension.strides[slot]);
  }
  box->columns = std::move(columns);
  for (const Dimension& dimension : dimensions) box->extents.push_back(dimension.extent);
}

// Whether next = dimension.strides * dimension.extent.
static bool Continues(const Dimension& dimension, const std::vector<int64_t>& next) {
  for (size_t i = 0; i < next.size(); ++i) {
    int64_t end = 0;
    if (__builtin_mul_overflow(dimension.strides[i], dimension.extent, &end) || end != next[i]) {
      return false;
    }
  }
  return true;
}

// Drops, turns and joins dimensions and sorts them.
static bool SimplifyDimensions(Gathering gathering, int counters, IndexBox* box,
                               std::vector<Dimension>* dimensions) {
  const int width = 1 + counters;
  std::vector<Dimension> kept;
  for (Dimension& dimension : *dimensions) {
    const auto first = std::find_if(dimension.strides.begin(), dimension.strides.end(),
                                    [](int64_t stride) { return stride != 0; });
    if (dimension.extent == 1) continue;
    if (first == dimension.strides.end()) {
      if (gathering == Gathering::kSet) continue;
      const auto product = Coefficient::Multiply(box->coefficient, Coefficient(dimension.extent));
      if (!product.has_value()) return false;
      box->coefficient = *product;
      continue;
    }
    if (*first < 0) {
      for (size_t slot = 0; slot < dimension.strides.size(); ++slot) {
        int64_t shift = 0;
        int64_t& stride = dimension.strides[slot];
        int64_t& offset = box->columns[slot * width];
        if (__builtin_mul_overflow(stride, dimension.extent - 1, &shift) ||
            __builtin_add_overflow(offset, shift, &offset) ||
            __builtin_sub_overflow(int64_t{0}, stride, &stride)) {
          return false;
        }
      }
    }
    kept.push_back(std::move(dimension));
  }
  for (bool changed = kept.size() > 1; changed;) {
    changed = false;
    for (size_t i = 0; i < kept.size() && !changed; ++i) {
      for (size_t j = 0; j < kept.size() && !changed; ++j) {
        int64_t extent = 0;
        if (i == j || !Continues(kept[i], kept[j].strides) ||
            __builtin_mul_overflow(kept[i].extent, kept[j].extent, &extent)) {
          continue;
        }
        kept[i].extent = extent;
        kept.erase(kept.begin() + j);
        changed = true;
      }
    }
  }
  std::sort(kept.begin(), kept.end());
  *dimensions = std::move(kept);
  return true;
}

// Sorts the factors of a product: equal atoms by their columns, strides first.
static void SortFactors(const ShapeTable& shapes, int counters, IndexBox* box,
                        std::vector<Dimension>* dimensions) {
  const absl::Span<const int64_t> words = shapes.words(box->shape);
  if (shapes.kind(box->shape) != ShapeTable::kProduct || words.size() <= 3) return;
  const int width = 1 + counters;
  struct Factor {
    int64_t atom = 0, power = 0;
    std::vector<int> slots;
    std::vector<int64_t> key;
  };
  std::vector<Factor> factors;
  int slot = 0;
  for (size_t i = 1; i < words.size(); i += 2) {
    Factor factor{.atom = words[i], .power = words[i + 1], .slots = {}, .key = {}};
    for (int j = 0; j < shapes.slots(static_cast<ShapeId>(words[i])); ++j, ++slot) {
      factor.slots.push_back(slot);
      std::vector<std::pair<int64_t, int64_t>> strides;
      for (const Dimension& dimension : *dimensions) {
        strides.emplace_back(dimension.strides[slot], dimension.extent);
      }
      std::sort(strides.begin(), strides.end());
      for (const auto& [stride, extent] : strides) {
        factor.key.push_back(stride);
        factor.key.push_back(extent);
      }
      const auto column = box->columns.begin() + slot * width;
      factor.key.insert(factor.key.end(), column + 1, column + width);
    }
    for (int s : factor.slots) factor.key.push_back(box->columns[s * width]);
    factors.push_back(std::move(factor));
  }
  // Shapes are sorted by atom and power already.
  const auto less = [](const Factor& a, const Factor& b) {
    return std::tie(a.atom, a.power, a.key, a.slots) < std::tie(b.atom, b.power, b.key, b.slots);
  };
  if (std::is_sorted(factors.begin(), factors.end(), less)) return;
  std::sort(factors.begin(), factors.end(), less);
  std::vector<int64_t> columns;
  std::vector<Dimension> permuted = *dimensions;
  for (Dimension& dimension : permuted) dimension.strides.clear();
  for (const Factor& factor : factors) {
    for (int s : factor.slots) {
      const auto column = box->columns.begin() + s * width;
      columns.insert(columns.end(), column, column + width);
      for (size_t d = 0; d < permuted.size(); ++d) {
        permuted[d].strides.push_back((*dimensions)[d].strides[s]);
      }
    }
  }
  box->columns = std::move(columns);
  std::sort(permuted.begin(), permuted.end());
  *dimensions = std::move(permuted);
}

static bool Simplify(Gathering gathering, const ShapeTable& shapes, int counters, IndexBox* box) {
  std::vector<Dimension> dimensions = TakeDimensions(counters, box);
  if (!SimplifyDimensions(gathering, counters, box, &dimensions)) return false;
  SortFactors(shapes, counters, box, &dimensions);
  PutDimensions(dimensions, counters, box);
  return true;
}

// What two boxes share that differ in offsets alone.
static std::vector<int64_t> Key(const IndexBox& box, int counters) {
  const int width = box.width(counters);
  std::vector<int64_t> key = {box.shape, static_cast<int64_t>(box.extents.size())};
  key.insert(key.end(), box.extents.begin(), box.extents.end());
  for (size_t i = 0; i < box.columns.size(); ++i) {
    if (i % width != 0) key.push_back(box.columns[i]);
  }
  box.coefficient.AppendTo(&key);
  return key;
}

static std::vector<int64_t> Offsets(const IndexBox& box, int counters) {
  std::vector<int64_t> offsets;
  for (size_t i = 0; i < box.columns.size(); i += box.width(counters)) {
    offsets.push_back(box.columns[i]);
  }
  return offsets;
}

bool Before(const IndexBox& a, const IndexBox& b, int counters) {
  const std::vector<int64_t> x = Key(a, counters), y = Key(b, counters);
  return x != y ? x < y : Offsets(a, counters) < Offsets(b, counters);
}

// a - b, or nullopt.
static std::optional<std::vector<int64_t>> Difference(const std::vector<int64_t>& a,
                                                      const std::vector<int64_t>& b) {
  std::vector<int64_t> difference(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    if (__builtin_sub_overflow(a[i], b[i], &difference[i])) return std::nullopt;
  }
  return difference;
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

// Joins boxes of equal keys whose offsets lie at equal distances. False: none do.
static bool JoinProgressions(int counters, std::vector<IndexBox>* boxes) {
  std::map<std::vector<int64_t>, std::vector<IndexBox>> groups;
  for (IndexBox& box : *boxes) groups[Key(box, counters)].push_back(std::move(box));
  boxes->clear();
  bool changed = false;
  for (auto& [key, group] : groups) {
    std::vector<std::pair<std::vector<int64_t>, size_t>> points;
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
    changed = JoinNeighbours(counters, boxes) || JoinProgressions(counters, boxes) ||
              (splits-- > 0 && JoinUnequal(gathering, shapes, counters, boxes));
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
