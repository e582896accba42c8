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

enum class Style { kIntegers, kSparse, kAnything, kClose, kPositive, kFalling, kRising };

static Style StyleOf(uint64_t seed) { return static_cast<Style>(seed % 7); }

std::optional<int> SmallKind(uint64_t seed) {
  switch (StyleOf(seed)) {
    case Style::kClose:
      return 0;
    case Style::kPositive:
      return 1;
    default:
      return std::nullopt;
  }
}

Box SmallBox(int kind, const Box& box) {
  const double low = kind == 0 ? -1 : 0.5;
  if (box.low > 1 || box.high < low) return box;
  return {.argument = box.argument, .low = std::max(box.low, low), .high = std::min(box.high, 1.0)};
}

// `place` goes from 0 to 1 through the tensor.
static double Float(Style style, double low, double high, double place, SplitMix& random) {
  low = std::max(low, -1024.0);
  high = std::min(high, 1024.0);
  if (style == Style::kFalling || style == Style::kRising) {
    const double top = low < 0 ? std::min(high, 0.0) : high;
    const double down = style == Style::kFalling ? place : 1 - place;
    return std::clamp(top - (top - low) * (0.25 + 0.5 * down), low, high);
  }
  const double first = std::max(std::ceil(low), -3.0);
  const double last = std::min(std::floor(high), 3.0);
  if (style >= Style::kAnything || first > last) {
    return std::clamp(low + random.Unit() * (high - low), low, high);
  }
  const double integer = first + static_cast<double>(random.Below(int64_t(last - first) + 1));
  const bool zero = style == Style::kSparse && random.Below(8) != 0;
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
  if (const std::optional<int> small = SmallKind(seed)) box = SmallBox(*small, box);
  const ElementType element = tensor->type().element;
  const int64_t count = tensor->type().num_elements();
  for (int64_t i = 0; i < count; ++i) {
    if (element == ElementType::kBool) {
      tensor->Set(i, static_cast<double>(random.Below(2)));
    } else if (IsInteger(element)) {
      tensor->Set(
          i, Integer(style, BitWidth(element), KindOf(element) == ElementKind::kSigned, random));
    } else {
      tensor->Set(i, Float(style, box.low, box.high,
                           static_cast<double>(i) / static_cast<double>(count), random));
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
