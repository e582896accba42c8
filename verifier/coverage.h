// Which elements of a buffer have been written, over all blocks, each once.
#ifndef QUERN_VERIFIER_COVERAGE_H_
#define QUERN_VERIFIER_COVERAGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bundle/launch_plan.h"
#include "verifier/symbolic/affine.h"
#include "verifier/symbolic/memory.h"

namespace quern::verifier {

// By enumeration, which is a proof: one bit for each element of the buffer.
class Coverage {
 public:
  static constexpr int64_t kMaxElements = int64_t{1} << 28;

  explicit Coverage(const BufferPlan& buffer);

  // Adds what one class of blocks wrote, in whole elements, for all values of the symbols; `blocks`
  // are those that tell its blocks apart. Returns a message if an element is written a second time,
  // or there are too many points.
  std::optional<std::string> Add(const AffineTable& affine, const std::vector<Written>& written,
                                 const std::vector<SymbolId>& blocks);
  // The row-major number of the first element of the tensor that nothing wrote.
  std::optional<int64_t> FirstMissing() const;
  int64_t elements() const { return count_; }  // written

 private:
  const BufferPlan& buffer_;
  std::vector<bool> taken_;
  int64_t count_ = 0;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_COVERAGE_H_
