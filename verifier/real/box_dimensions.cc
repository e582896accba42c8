#include "verifier/real/box_dimensions.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace quern::verifier {

static int Slots(const IndexBox& box, int counters) {
  return static_cast<int>(box.columns.size()) / box.width(counters);
}

std::vector<Dimension> TakeDimensions(int counters, IndexBox* box) {
  const int64_t width = box->width(counters), slots = Slots(*box, counters);
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

void PutDimensions(const std::vector<Dimension>& dimensions, int counters, IndexBox* box) {
  const int64_t width = 1 + counters, slots = static_cast<int>(box->columns.size()) / width;
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
  const int64_t width = 1 + counters;
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
  const int64_t width = 1 + counters;
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

bool Simplify(Gathering gathering, const ShapeTable& shapes, int counters, IndexBox* box) {
  std::vector<Dimension> dimensions = TakeDimensions(counters, box);
  if (!SimplifyDimensions(gathering, counters, box, &dimensions)) return false;
  SortFactors(shapes, counters, box, &dimensions);
  PutDimensions(dimensions, counters, box);
  return true;
}

std::vector<int64_t> Key(const IndexBox& box, int counters) {
  const int64_t width = box.width(counters);
  std::vector<int64_t> key = {box.shape, static_cast<int64_t>(box.extents.size())};
  key.insert(key.end(), box.extents.begin(), box.extents.end());
  for (size_t i = 0; i < box.columns.size(); ++i) {
    if (i % width != 0) key.push_back(box.columns[i]);
  }
  box.coefficient.AppendTo(&key);
  return key;
}

std::vector<int64_t> Offsets(const IndexBox& box, int counters) {
  std::vector<int64_t> offsets;
  for (size_t i = 0; i < box.columns.size(); i += box.width(counters)) {
    offsets.push_back(box.columns[i]);
  }
  return offsets;
}

}  // namespace quern::verifier
