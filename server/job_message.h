// A job of the store, as the API shows it.
#ifndef QUERN_SERVER_JOB_MESSAGE_H_
#define QUERN_SERVER_JOB_MESSAGE_H_

#include "quern/v1/jobs.pb.h"
#include "server/task_store.h"
#include "server/worker_registry.h"

namespace quern::server {

v1::Job ToProto(const JobRecord& record, const WorkerRegistry& workers);

}  // namespace quern::server

#endif  // QUERN_SERVER_JOB_MESSAGE_H_
