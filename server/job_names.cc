#include "server/job_names.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "bundle/status.h"
#include "server/error.h"

namespace quern::server {

static constexpr int kMaxPage = 1000;
static constexpr int kDefaultPage = 100;
static constexpr char kTokenPrefix[] = "below-";

// Decimal digits alone: no sign, no space, no leading zero.
static bool ParseId(absl::string_view text, int64_t* id) {
  return !text.empty() && text.size() < 19 && text[0] != '0' &&
         text.find_first_not_of("0123456789") == absl::string_view::npos &&
         absl::SimpleAtoi(text, id);
}

std::string JobName(int64_t id) { return absl::StrCat("jobs/", id); }

absl::StatusOr<int64_t> ParseJobName(const std::string& name, const std::string& field) {
  absl::string_view rest = name;
  int64_t id;
  if (absl::ConsumePrefix(&rest, "jobs/") && ParseId(rest, &id)) return id;
  return FieldError(field, "must be the name of a job: jobs/17");
}

std::string BatchName(int64_t id) { return absl::StrCat("batches/", id); }

absl::StatusOr<int64_t> ParseBatchName(const std::string& name, const std::string& field) {
  absl::string_view rest = name;
  int64_t id;
  if (absl::ConsumePrefix(&rest, "batches/") && ParseId(rest, &id)) return id;
  return FieldError(field, "must be the name of a batch: batches/3");
}

v1::JobState ToProto(JobState state) {
  switch (state) {
    case JobState::kPending:
      return v1::JOB_STATE_PENDING;
    case JobState::kRunning:
      return v1::JOB_STATE_RUNNING;
    case JobState::kPaused:
      return v1::JOB_STATE_PAUSED;
    case JobState::kSucceeded:
      return v1::JOB_STATE_SUCCEEDED;
    case JobState::kFailed:
      return v1::JOB_STATE_FAILED;
    case JobState::kCancelled:
      return v1::JOB_STATE_CANCELLED;
  }
  return v1::JOB_STATE_UNSPECIFIED;
}

static absl::StatusOr<std::vector<JobState>> ParseStates(const std::string& filter) {
  std::vector<JobState> states;
  absl::string_view rest = filter;
  if (rest.empty()) return states;
  if (!absl::ConsumePrefix(&rest, "state=")) {
    return FieldError("filter", "must be empty or such as state=PENDING|RUNNING");
  }
  for (absl::string_view name : absl::StrSplit(rest, '|')) {
    const size_t before = states.size();
    for (int i = 0; i <= static_cast<int>(JobState::kCancelled); ++i) {
      const auto state = static_cast<JobState>(i);
      if (Name(state) == std::string(name)) states.push_back(state);
    }
    if (states.size() == before) {
      return FieldError("filter", absl::StrCat("there is no state '", name.substr(0, 32), "'"));
    }
  }
  return states;
}

absl::StatusOr<JobFilter> ParseList(const v1::ListJobsRequest& request) {
  JobFilter filter{.limit = kDefaultPage};
  if (request.page_size() < 0 || request.page_size() > kMaxPage) {
    return FieldError("page_size", absl::StrCat("must be 0 to ", kMaxPage));
  }
  if (request.page_size() > 0) filter.limit = request.page_size();
  if (!request.page_token().empty()) {
    absl::string_view token = request.page_token();
    if (!absl::ConsumePrefix(&token, kTokenPrefix) || !ParseId(token, &filter.below_id)) {
      return FieldError("page_token", "is not one that this service gave");
    }
  }
  QUERN_ASSIGN_OR_RETURN(filter.states, ParseStates(request.filter()));
  return filter;
}

std::string PageToken(int64_t last_id) { return absl::StrCat(kTokenPrefix, last_id); }

}  // namespace quern::server
