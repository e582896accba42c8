// All of the coordinator in one process.
#ifndef QUERN_SERVER_COORDINATOR_H_
#define QUERN_SERVER_COORDINATOR_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace quern::server {

struct CoordinatorOptions {
  std::string listen = "127.0.0.1:7390";  // port 0: any
  bool insecure_any = false;              // other hosts than this one may connect
  std::string state;                      // a folder, made if it is not there
  int jobs = 1;                           // that run at the same time
  double keep_days = 30;                  // finished jobs, with their bundles
  std::string checker;                    // path of quern-check
  int64_t checker_memory_mb = 8192;
};

class Coordinator {
 public:
  // Takes up what a coordinator before left in `state`, and serves. kInvalidArgument for the
  // address; kUnavailable if it, or the folder, is in use.
  static absl::StatusOr<std::unique_ptr<Coordinator>> Start(const CoordinatorOptions& options);
  // Stops as Drain.
  virtual ~Coordinator() = default;

  // With the port that was chosen.
  virtual std::string address() const = 0;
  // Takes no more requests, ends streams, and leaves jobs for the next start.
  virtual void Drain() = 0;
};

}  // namespace quern::server

#endif  // QUERN_SERVER_COORDINATOR_H_
