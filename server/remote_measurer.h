// Measures on a worker, through the task board.
#ifndef QUERN_SERVER_REMOTE_MEASURER_H_
#define QUERN_SERVER_REMOTE_MEASURER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "quern/v1/workers.pb.h"
#include "search/session.h"
#include "server/job_plan.h"
#include "server/task_board.h"

namespace quern::server {

// For one session. A task is named by what it asks and how often the session has asked it: a
// session that is run again gets the answers of the first time.
class RemoteMeasurer : public search::Measurer {
 public:
  // All outlive it. `waiting` is called about twice a second while it waits.
  RemoteMeasurer(TaskBoard& board, int64_t job, std::string fingerprint, const JobPlan& plan,
                 const std::atomic<bool>& abandoned, std::function<void()> waiting);

  // The first candidate is the naive program: its outputs are what the others' are compared with.
  absl::StatusOr<search::Race> Screen(const Artifact& candidate, double give_up_above_ns) override;
  absl::StatusOr<search::Race> Compare(const Artifact& incumbent,
                                       const Artifact& candidate) override;
  absl::StatusOr<std::vector<search::Race>> Rank(
      const std::vector<const Artifact*>& finalists) override;

 private:
  absl::StatusOr<std::vector<search::Race>> Ask(v1::MeasureTask task,
                                                const std::vector<const Artifact*>& candidates);

  TaskBoard& board_;
  const int64_t job_;
  const std::string fingerprint_;
  const std::atomic<bool>& abandoned_;
  const std::function<void()> waiting_;
  v1::MeasureTask common_;  // what all tasks of the session say
  std::map<std::string, int> asked_;
};

}  // namespace quern::server

#endif  // QUERN_SERVER_REMOTE_MEASURER_H_
