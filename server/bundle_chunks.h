// A bundle's folder as a stream of chunks.
#ifndef QUERN_SERVER_BUNDLE_CHUNKS_H_
#define QUERN_SERVER_BUNDLE_CHUNKS_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "quern/v1/jobs.pb.h"

namespace quern::server {

// The files of the bundle one after another, each in order; nothing else that lies in the folder.
// kDataLoss, before the first chunk, if the bundle is not whole. kCancelled when `send` is false.
absl::Status SendBundle(const std::string& folder,
                        absl::FunctionRef<bool(const v1::BundleChunk&)> send);

}  // namespace quern::server

#endif  // QUERN_SERVER_BUNDLE_CHUNKS_H_
