#include "server/job_message.h"

#include "google/protobuf/util/time_util.h"
#include "server/job_names.h"

namespace quern::server {

v1::Job ToProto(const JobRecord& record, const WorkerRegistry& workers) {
  using google::protobuf::util::TimeUtil;
  v1::Job job;
  job.set_name(JobName(record.id));
  job.set_state(ToProto(record.state));
  job.set_priority(record.job.priority);
  job.set_spec_name(record.job.spec_name);
  job.set_spec_sha256(record.job.spec_sha256);
  job.set_target(record.job.target);
  *job.mutable_create_time() = TimeUtil::MicrosecondsToTimestamp(record.created_us);
  *job.mutable_update_time() = TimeUtil::MicrosecondsToTimestamp(record.updated_us);
  if (record.state == JobState::kSucceeded) job.mutable_result()->ParseFromString(record.result);
  job.set_error(record.error);
  if (record.state == JobState::kPending && workers.List().empty()) {
    job.set_waiting_for("no worker is connected");
  }
  return job;
}

}  // namespace quern::server
