// Does the coordinator's measuring tasks on this machine's CPU.
#ifndef QUERN_WORKERS_MEASURING_DEVICE_H_
#define QUERN_WORKERS_MEASURING_DEVICE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "quern/v1/workers.pb.h"
#include "workers/measurer.h"

namespace quern::workers {

// For use by one thread.
class MeasuringDevice {
 public:
  // kInvalidArgument unless `name` is "cpu".
  static absl::StatusOr<std::unique_ptr<MeasuringDevice>> Open(const std::string& name);

  const v1::Device& device() const { return device_; }

  // A task that cannot be done has a `device_error`.
  v1::MeasureResult Do(const v1::MeasureTask& task);

 private:
  explicit MeasuringDevice(v1::Device device) : device_(std::move(device)) {}
  absl::StatusOr<v1::MeasureResult> Measure(const v1::MeasureTask& task);
  // The measurer of the task's session, kept for the next one.
  absl::Status Prepare(const v1::MeasureTask& task);

  const v1::Device device_;
  std::unique_ptr<Measurer> measurer_;
  std::string session_;  // what the measurer was made from
};

}  // namespace quern::workers

#endif  // QUERN_WORKERS_MEASURING_DEVICE_H_
