#include "verifier/preconditions.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "verifier/proof.h"
#include "verifier/real/bounds.h"
#include "verifier/real/normal_form.h"
#include "verifier/spec/symbolic.h"

namespace quern::verifier {

namespace {

constexpr double kTiny = 0x1p-20;
// From the widest on.
constexpr std::array<RealInterval, 9> kTried = {{{-1024, 1024},
                                                 {0, 1024},
                                                 {kTiny, 1024},
                                                 {-64, 64},
                                                 {0, 64},
                                                 {kTiny, 64},
                                                 {-1, 1},
                                                 {0, 1},
                                                 {kTiny, 1}}};

// The first, the middle and the last element of each result, as terms.
class Elements {
 public:
  explicit Elements(const SpecGraph& graph) : terms_(&affine_, TypesOf(graph)) {
    SymbolicAlgebra algebra(graph, &terms_);
    Denotation<SymbolicAlgebra> denotation(graph, algebra);
    for (size_t result = 0; result < graph.results.size(); ++result) {
      const TensorType& type = graph.results[result];
      if (!IsFloat(type.element) || type.num_elements() == 0) continue;
      for (const int part : {0, 1, 2}) {
        std::vector<Affine> index;
        for (const int64_t size : type.shape) {
          index.push_back(AffineTable::Number((size - 1) * part / 2));
        }
        absl::StatusOr<Value> value =
            ResultAt(denotation, terms_, graph, static_cast<int>(result), index);
        if (value.ok()) values_.emplace_back(*value, TermTable::TypeOf(type.element));
      }
    }
  }

  bool HaveBounds(std::vector<RealInterval> boxes) {
    Normaliser normaliser(&terms_);
    Bounds bounds(&terms_, std::move(boxes));
    bounds.UseNormaliser(&normaliser);
    return std::all_of(values_.begin(), values_.end(), [&](const auto& value) {
      return bounds.Of(value.first, value.second).ok();
    });
  }

 private:
  static std::vector<ElementType> TypesOf(const SpecGraph& graph) {
    std::vector<ElementType> types;
    types.reserve(graph.arguments.size());
    for (const TensorType& type : graph.arguments) types.push_back(type.element);
    return types;
  }

  AffineTable affine_;
  TermTable terms_;
  std::vector<std::pair<Value, Type>> values_;
};

}  // namespace

static RealInterval Common(const RealInterval& a, const RealInterval& b) {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

std::vector<Box> DerivePreconditions(const SpecGraph& graph, const CheckOptions& options) {
  const std::vector<RealInterval> given = ArgumentBoxes(graph.arguments.size(), options);
  Elements elements(graph);
  if (elements.HaveBounds(given)) return {};
  // Which of kTried each argument has.
  std::vector<size_t> chosen(given.size(), 0);
  const auto enough = [&] {
    std::vector<RealInterval> boxes = given;
    for (size_t i = 0; i < boxes.size(); ++i) {
      if (chosen[i] == 0 || !IsFloat(graph.arguments[i].element)) continue;
      boxes[i] = Common(given[i], kTried[chosen[i]]);
      if (boxes[i].low > boxes[i].high) return false;
    }
    return elements.HaveBounds(std::move(boxes));
  };
  size_t all = 1;
  for (; all < kTried.size(); ++all) {
    std::fill(chosen.begin(), chosen.end(), all);
    if (enough()) break;
  }
  if (all == kTried.size()) return {};
  std::vector<Box> derived;
  for (size_t i = 0; i < given.size(); ++i) {
    for (chosen[i] = 0; chosen[i] < all && !enough();) ++chosen[i];
    if (chosen[i] == 0 || !IsFloat(graph.arguments[i].element)) continue;
    const RealInterval box = Common(given[i], kTried[chosen[i]]);
    derived.push_back({.argument = static_cast<int>(i), .low = box.low, .high = box.high});
  }
  return derived;
}

}  // namespace quern::verifier
