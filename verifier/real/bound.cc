#include "verifier/real/bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"

namespace quern::verifier {

double Up(double x) { return x + std::fabs(x) * 0x1p-50 + 0x1p-1060; }
double Down(double x) { return -Up(-x); }

double Floor(const Bound& a) { return a.floor < 0 ? a.error : a.floor; }
double Relative(const Bound& a) { return a.floor < 0 ? 0 : a.relative; }

double Magnitude(const RealInterval& a) { return std::max(std::fabs(a.low), std::fabs(a.high)); }

RealInterval Plus(const RealInterval& a, const RealInterval& b) {
  return {Down(a.low + b.low), Up(a.high + b.high)};
}

static RealInterval Negated(const RealInterval& a) { return {-a.high, -a.low}; }

static RealInterval Times(const RealInterval& a, const RealInterval& b) {
  const double corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  const double low = *std::min_element(corners, corners + 4);
  const double high = *std::max_element(corners, corners + 4);
  return {low >= 0 ? std::max(0.0, Down(low)) : Down(low),
          high <= 0 ? std::min(0.0, Up(high)) : Up(high)};
}

static RealInterval Square(const RealInterval& a) {
  const double most = Magnitude(a);
  const bool crosses = a.low <= 0 && a.high >= 0;
  const double least = crosses ? 0 : std::min(std::fabs(a.low), std::fabs(a.high));
  return {std::max(0.0, Down(least * least)), Up(most * most)};
}

RealInterval Hull(const RealInterval& a, const RealInterval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

std::optional<Format> FormatOf(const Type& type) {
  switch (type.kind) {
    case Type::kFloat:
      return Format{0x1p-24, 0x1p-150, 0x1.fffffep127};
    case Type::kBFloat:
      return Format{0x1p-8, 0x1p-134, 0x1.fep127};
    case Type::kHalf:
      return Format{0x1p-11, 0x1p-25, 65504};
    case Type::kDouble:
      return Format{0x1p-53, 0x1p-1060, std::numeric_limits<double>::max() / 4};
    default:
      return std::nullopt;
  }
}

absl::Status OutOfRange(const std::string& what) {
  return absl::OutOfRangeError(absl::StrCat(what, " for inputs in the boxes"));
}

absl::Status NoRule(const std::string& what) {
  return absl::UnimplementedError(absl::StrCat("there is no error bound for ", what));
}

absl::StatusOr<Bound> Rounded(const Type& type, Bound b, double errors, bool tiny) {
  const std::optional<Format> format = FormatOf(type);
  if (!format.has_value()) return NoRule(Name(type));
  const double most = Magnitude(b.computed);
  const double slack = Up(errors * format->unit * most + (tiny ? errors * format->subnormal : 0));
  if (!(Up(most + slack) <= format->greatest)) return OutOfRange("a value may overflow");
  // Rounding keeps signs; x - errors * u * |x| grows with x, so that each end moves by its own
  // slack.
  const auto slack_of = [&](double x) {
    return Up(errors * format->unit * std::fabs(x) + (tiny ? errors * format->subnormal : 0));
  };
  const double low = Down(b.computed.low - slack_of(b.computed.low));
  const double high = Up(b.computed.high + slack_of(b.computed.high));
  b.computed.low = b.computed.low >= 0 ? std::max(0.0, low) : low;
  b.computed.high = b.computed.high <= 0 ? std::min(0.0, high) : high;
  b.error = Up(b.error + slack);
  b.floor = -1;
  b.computed.low = std::max(b.computed.low, Down(b.real.low - b.error));
  b.computed.high = std::min(b.computed.high, Up(b.real.high + b.error));
  if (!std::isfinite(b.error)) return OutOfRange("an error may be infinite");
  return b;
}

absl::StatusOr<Bound> Add(const Type& type, const Bound& a, const Bound& b) {
  absl::StatusOr<Bound> sum =
      Rounded(type, {Plus(a.real, b.real), Plus(a.computed, b.computed), Up(a.error + b.error)}, 1,
              /*tiny=*/false);
  if (!sum.ok()) return sum;
  // (x + e) (1 + d) - x = e (1 + d) + d x.
  const double unit = FormatOf(type)->unit;
  const bool exact = a.error == 0 && b.error == 0;
  sum->floor = exact ? 0 : Up(Up(a.error + b.error) * (1 + 2 * unit));
  sum->relative = Up(unit);
  return sum;
}

Bound Exp(const Bound& a) {
  const double high = std::max(a.real.high, a.computed.high);
  const double steepest = Up(std::exp(high));
  Bound power = Increasing(std::exp, steepest, a);
  power.real.low = std::max(power.real.low, 0.0);
  // For e = floor + r |x|, exp(x + e) - exp(x) is at most e exp(high); and the part r |x| adds no
  // more than r |x| exp(x (1 - r)) exp(floor) for negative x, where |x| exp(x (1 - r)) is at most
  // 1 / e / (1 - r).
  const double floor = Floor(a), relative = Relative(a);
  if (relative <= 0x1p-8 && floor <= 1) {
    const double positive = high > 0 ? Up(high * steepest) : 0;
    const double most = std::max(Up(0.37 * std::exp(floor)), positive);
    power.error =
        std::min(power.error, Up(Up(floor * std::max(steepest, 1.0)) + Up(relative * most)));
  }
  return power;
}

Bound Product(const Bound& a, const Bound& b, bool same) {
  const double error =
      Up(Magnitude(a.real) * b.error + Magnitude(b.real) * a.error + a.error * b.error);
  if (same) return {Square(a.real), Square(a.computed), error};
  return {Times(a.real, b.real), Times(a.computed, b.computed), error};
}

Bound Negate(const Bound& a) {
  return {Negated(a.real), Negated(a.computed), a.error, a.floor, a.relative};
}

absl::StatusOr<Bound> Divide(const Type& type, const Bound& a, const Bound& b) {
  const auto excludes_zero = [](const RealInterval& x) { return x.low > 0 || x.high < 0; };
  if (!excludes_zero(b.real) || !excludes_zero(b.computed)) {
    return OutOfRange("a denominator may be zero");
  }
  const auto inverse = [](const RealInterval& x) -> RealInterval {
    return {Down(1 / x.high), Up(1 / x.low)};
  };
  const auto least = [](const RealInterval& x) {
    return std::min(std::fabs(x.low), std::fabs(x.high));
  };
  Bound result{Times(a.real, inverse(b.real)), Times(a.computed, inverse(b.computed)), 0};
  // |a/b - a'/b'| <= (|a - a'| + |a/b| |b - b'|) / |b'|
  result.error = Up((a.error + Up(Magnitude(result.real) * b.error)) / least(b.computed));
  return Rounded(type, result);
}

Bound Max(const Bound& a, const Bound& b) {
  const auto max = [](const RealInterval& x, const RealInterval& y) -> RealInterval {
    return {std::max(x.low, y.low), std::max(x.high, y.high)};
  };
  // A lesser number does not come closer than floor + relative * |greater number|.
  return {max(a.real, b.real), max(a.computed, b.computed), std::max(a.error, b.error),
          std::max(Floor(a), Floor(b)), std::max(Relative(a), Relative(b))};
}

Bound Min(const Bound& a, const Bound& b) { return Negate(Max(Negate(a), Negate(b))); }

Bound Abs(const Bound& a) { return Max(a, Negate(a)); }

absl::StatusOr<Bound> SquareRoot(const Type& type, const Bound& a) {
  if (!(a.real.low >= 0) || !(a.computed.low >= 0)) {
    return OutOfRange("the argument of a square root may be negative");
  }
  const auto root = [](const RealInterval& x) -> RealInterval {
    return {std::max(0.0, Down(std::sqrt(x.low))), Up(std::sqrt(x.high))};
  };
  Bound result{root(a.real), root(a.computed), 0};
  // |sqrt x - sqrt y| = |x - y| / (sqrt x + sqrt y), and at most sqrt |x - y|.
  const double sum = Down(result.real.low + result.computed.low);
  result.error = Up(std::sqrt(a.error));
  if (sum > 0) result.error = std::min(result.error, Up(a.error / sum));
  return Rounded(type, result);
}

Bound Increasing(double (*f)(double), double slope, const Bound& a) {
  // glibc's double functions are within an ulp or two; Up leaves 2^-50.
  const auto image = [f](const RealInterval& x) -> RealInterval {
    return {Down(f(x.low)), Up(f(x.high))};
  };
  return {image(a.real), image(a.computed), Up(Up(slope) * a.error)};
}

}  // namespace quern::verifier
