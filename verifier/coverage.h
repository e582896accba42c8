// Which elements of a buffer have been written, over all blocks, each once.
#ifndef QUERN_VERIFIER_COVERAGE_H_
#define QUERN_VERIFIER_COVERAGE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "bundle/launch_plan.h"
#include "verifier/machine/domain.h"
#include "verifier/symbolic/affine.h"
#include "verifier/symbolic/memory.h"
#include "verifier/symbolic/oracle.h"
#include "verifier/symbolic/places.h"

namespace quern::verifier {

// By enumeration, which is a proof: one bit for each element of the buffer. Of buffers that are too
// large for that, by counting: if the solver shows that no two places written meet, then as many of
// them as there are elements are all of them.
class Coverage {
 public:
  static constexpr int64_t kMaxElements = int64_t{1} << 28;

  // `max_elements`: to enumerate.
  explicit Coverage(const BufferPlan& buffer, int64_t max_elements = kMaxElements);

  // Adds what one class of blocks wrote, in whole elements, for all values of the symbols; `blocks`
  // are those that tell its blocks apart. kRace: an element is written a second time; kUnsupported:
  // there are too many points, or the solver does not tell.
  Fault Add(const AffineTable& affine, const std::vector<Written>& written,
            const std::vector<SymbolId>& blocks, Oracle* oracle);
  // The row-major number of the first element of the tensor that nothing wrote.
  std::optional<int64_t> FirstMissing() const;
  int64_t elements() const { return count_; }  // written
  bool enumerated() const { return buffer_elements_ <= max_elements_; }

 private:
  Fault Enumerate(const AffineTable& affine, absl::Span<const Written> written);
  Fault Count(const AffineTable& affine, const std::vector<Written>& written, Oracle* oracle);

  const BufferPlan& buffer_;
  const int64_t buffer_elements_;  // with padding
  const int64_t max_elements_;
  std::vector<bool> taken_;
  std::vector<Places> places_;  // of what is counted
  int64_t count_ = 0;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_COVERAGE_H_
