#include "verifier/trial_inputs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"

namespace quern::verifier {

// Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators".
class SplitMix {
 public:
  explicit SplitMix(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // In [0, n).
  int64_t Below(int64_t n) { return static_cast<int64_t>(Next() % static_cast<uint64_t>(n)); }
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

enum class Style {
  kIntegers,
  kSparse,
  kAnything,
  kClose,
  kPositive,
  kFalling,
  kRising,
  kFirst,
  kLast,
};

static Style StyleOf(uint64_t seed) { return static_cast<Style>(seed % 9); }

// The part of a box in which numbers are small; all of it if there is none.
static Box SmallBox(Style style, const Box& box) {
  const double low = style == Style::kClose ? -1 : 0.5;
  if (box.low > 1 || box.high < low) return box;
  return {.argument = box.argument, .low = std::max(box.low, low), .high = std::min(box.high, 1.0)};
}

// Where an element lies in its tensor.
struct Place {
  double part = 0;                   // of the elements, before it
  bool first = false, last = false;  // of its row
  bool even = false;                 // its row, of several
};

static double Float(Style style, double low, double high, const Place& place, SplitMix& random) {
  low = std::max(low, -1024.0);
  high = std::min(high, 1024.0);
  if (style == Style::kFirst) return place.first ? high : low;
  if (style == Style::kLast) return place.last ? high : low;
  if (style == Style::kFalling || style == Style::kRising) {
    const double top = low < 0 ? std::min(high, 0.0) : high;
    const double down = style == Style::kFalling ? place.part : 1 - place.part;
    return std::clamp(top - (top - low) * (0.25 + 0.5 * down), low, high);
  }
  const double first = std::max(std::ceil(low), -3.0);
  const double last = std::min(std::floor(high), 3.0);
  if (style >= Style::kAnything || first > last) {
    return std::clamp(low + random.Unit() * (high - low), low, high);
  }
  const double integer = first + static_cast<double>(random.Below(int64_t(last - first) + 1));
  const bool zero = style == Style::kSparse && (random.Below(8) != 0 || place.even);
  return zero && low <= 0 && high >= 0 ? 0 : integer;
}

// Any number of `bits` bits, often one up to twice them, where shifts end, or an end of the range.
static double Integer(Style style, int bits, bool is_signed, SplitMix& random) {
  if (style < Style::kAnything) {
    if (style == Style::kSparse && random.Below(8) != 0) return 0;
    return static_cast<double>(is_signed ? random.Below(7) - 3 : random.Below(4));
  }
  const double end = std::ldexp(1.0, is_signed ? bits - 1 : bits);
  const double most = bits < 64 ? end - 1 : std::nextafter(end, 0);
  const double least = is_signed ? -end : 0;
  switch (random.Below(8)) {
    case 0:
    case 1:
      return std::min(most, static_cast<double>(random.Below(2 * bits + 1)));
    case 2:
      return random.Below(2) != 0 ? most : least;
    default: {
      const uint64_t word = random.Next() >> (64 - bits);
      return is_signed
                 ? static_cast<double>(static_cast<int64_t>(word << (64 - bits)) >> (64 - bits))
                 : static_cast<double>(word);
    }
  }
}

static void Fill(uint64_t seed, Box box, SplitMix& random, Tensor* tensor) {
  const Style style = StyleOf(seed);
  if (style == Style::kClose || style == Style::kPositive) box = SmallBox(style, box);
  const ElementType element = tensor->type().element;
  const int64_t count = tensor->type().num_elements();
  const std::vector<int64_t>& shape = tensor->type().shape;
  const int64_t row = shape.empty() ? 1 : shape.back();
  for (int64_t i = 0; i < count; ++i) {
    if (element == ElementType::kBool) {
      tensor->Set(i, static_cast<double>(random.Below(2)));
    } else if (IsInteger(element)) {
      tensor->Set(
          i, Integer(style, BitWidth(element), KindOf(element) == ElementKind::kSigned, random));
    } else {
      const Place place{.part = static_cast<double>(i) / static_cast<double>(count),
                        .first = i % row == 0,
                        .last = i % row == row - 1,
                        .even = row < count && i / row % 2 == 0};
      tensor->Set(i, Float(style, box.low, box.high, place, random));
    }
  }
}

absl::StatusOr<std::vector<Tensor>> TrialInputs(const LaunchPlan& plan,
                                                const std::vector<Box>& boxes, uint64_t seed) {
  int arguments = 0;
  for (const BufferPlan& buffer : plan.buffers) {
    if (buffer.role == BufferRole::kInput) arguments = std::max(arguments, buffer.position + 1);
  }
  std::vector<const BufferPlan*> inputs(arguments);
  for (const BufferPlan& buffer : plan.buffers) {
    if (buffer.role == BufferRole::kInput) inputs[buffer.position] = &buffer;
  }
  SplitMix random(seed);
  std::vector<Tensor> tensors;
  for (int i = 0; i < arguments; ++i) {
    if (inputs[i] == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("the launch plan has no input ", i));
    }
    Box box{.argument = i};
    bool named = false;
    for (const Box& given : boxes) {
      if (given.argument != i) continue;
      if (!named) box = given;
      named = true;
      box.low = std::max(box.low, given.low);
      box.high = std::min(box.high, given.high);
      if (!(box.low <= box.high)) {
        return absl::InvalidArgumentError(absl::StrCat("the box of argument ", i, " is empty"));
      }
    }
    QUERN_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Create(inputs[i]->type));
    Fill(seed, box, random, &tensor);
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace quern::verifier
