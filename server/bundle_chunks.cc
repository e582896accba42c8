#include "server/bundle_chunks.h"

#include "bundle/bundle.h"

namespace quern::server {

static constexpr size_t kChunk = size_t{64} << 10;

absl::Status SendBundle(const std::string& folder,
                        absl::FunctionRef<bool(const v1::BundleChunk&)> send) {
  const absl::StatusOr<Bundle> bundle = ReadBundle(folder);
  if (!bundle.ok()) return absl::DataLossError(bundle.status().message());
  for (const auto& [name, bytes] : BundleFiles(*bundle)) {
    v1::BundleChunk chunk;
    chunk.set_file(name);
    size_t done = 0;
    do {
      chunk.set_data(bytes.substr(done, kChunk));
      done += kChunk;
      if (!send(chunk)) return absl::CancelledError("the client is gone");
    } while (done < bytes.size());
  }
  return absl::OkStatus();
}

}  // namespace quern::server
