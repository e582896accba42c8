// Rounding to multiples.
#ifndef QUERN_BUNDLE_ROUND_UP_H_
#define QUERN_BUNDLE_ROUND_UP_H_

namespace quern {

// The smallest multiple of `multiple` that is at least `value`; both are positive or value is 0.
template <typename Integer>
constexpr Integer RoundUp(Integer value, Integer multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace quern

#endif  // QUERN_BUNDLE_ROUND_UP_H_
