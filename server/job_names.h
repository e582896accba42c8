// Names of jobs and batches and pages of jobs, as requests carry them.
#ifndef QUERN_SERVER_JOB_NAMES_H_
#define QUERN_SERVER_JOB_NAMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "quern/v1/jobs.pb.h"
#include "server/task_store.h"

namespace quern::server {

std::string JobName(int64_t id);  // "jobs/17"
// FieldError about `field`.
absl::StatusOr<int64_t> ParseJobName(const std::string& name, const std::string& field);

std::string BatchName(int64_t id);  // "batches/3"
absl::StatusOr<int64_t> ParseBatchName(const std::string& name, const std::string& field);

v1::JobState ToProto(JobState state);

// FieldErrors about the field that is wrong. Page tokens are opaque to clients.
absl::StatusOr<JobFilter> ParseList(const v1::ListJobsRequest& request);
std::string PageToken(int64_t last_id);

}  // namespace quern::server

#endif  // QUERN_SERVER_JOB_NAMES_H_
