#include "workers/signature.h"

#include <algorithm>

namespace quern::workers {

Signature SignatureOf(const LaunchPlan& plan) {
  Signature signature;
  for (const BufferPlan& buffer : plan.buffers) {
    if (buffer.position < 0) continue;
    std::vector<TensorType>& types =
        buffer.role == BufferRole::kInput ? signature.arguments : signature.results;
    types.resize(std::max(types.size(), static_cast<size_t>(buffer.position) + 1));
    types[buffer.position] = buffer.type;
  }
  return signature;
}

}  // namespace quern::workers
