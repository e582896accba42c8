#include "server/job_names.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern::server {

TEST(JobNames, RoundTrip) {
  EXPECT_EQ(JobName(17), "jobs/17");
  EXPECT_EQ(ParseJobName("jobs/17", "name").value(), 17);
}

TEST(JobNames, NothingElseIsAName) {
  for (const char* name : {"", "17", "jobs/", "jobs/0", "jobs/-1", "jobs/+1", "jobs/ 1", "jobs/1 ",
                           "jobs/01", "jobs/1x", "jobs/1/2", "jobs/9223372036854775808",
                           "jobs/99999999999999999999", "Jobs/1", "workers/1"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseJobName(name, "name").status())) << name;
  }
}

static absl::StatusOr<JobFilter> Parse(int page_size, const std::string& token,
                                       const std::string& filter) {
  v1::ListJobsRequest request;
  request.set_page_size(page_size);
  request.set_page_token(token);
  request.set_filter(filter);
  return ParseList(request);
}

TEST(JobNames, Lists) {
  EXPECT_EQ(Parse(0, "", "")->limit, 100);
  EXPECT_EQ(Parse(7, PageToken(5), "")->below_id, 5);
  EXPECT_THAT(Parse(0, "", "state=PAUSED|RUNNING")->states,
              testing::ElementsAre(JobState::kPaused, JobState::kRunning));
  for (const auto& [page, token, filter] :
       std::vector<std::tuple<int, std::string, std::string>>{{-1, "", ""},
                                                              {1001, "", ""},
                                                              {0, "below-", ""},
                                                              {0, "below-x", ""},
                                                              {0, "5", ""},
                                                              {0, "", "state="},
                                                              {0, "", "state=running"},
                                                              {0, "", "state=RUNNING|"},
                                                              {0, "", "priority=3"}}) {
    EXPECT_TRUE(absl::IsInvalidArgument(Parse(page, token, filter).status()))
        << page << token << filter;
  }
}

}  // namespace quern::server
