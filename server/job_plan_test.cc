#include "server/job_plan.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern::server {

static v1::JobSpec Good() {
  v1::JobSpec job;
  job.set_spec(R"(func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  })");
  return job;
}

static std::string Refusal(const std::function<void(v1::JobSpec&)>& spoil) {
  v1::JobSpec job = Good();
  spoil(job);
  const absl::Status status = PlanJob(job).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status.ToString();
  return std::string(status.message());
}

TEST(JobPlan, HasDefaults) {
  const JobPlan plan = PlanJob(Good()).value();
  EXPECT_EQ(plan.target->name(), "x86_64");
  EXPECT_TRUE(plan.needs_worker());
  EXPECT_EQ(plan.semantics, Semantics::kReal);
  EXPECT_EQ(plan.error_ratio, 2);
  EXPECT_EQ(plan.threads, 1);
  EXPECT_EQ(plan.budget_seconds, 60);
  EXPECT_EQ(plan.max_candidates, -1);
  EXPECT_TRUE(plan.use_cache);
}

TEST(JobPlan, TakesWhatIsGiven) {
  v1::JobSpec job = Good();
  job.set_semantics(v1::SEMANTICS_EXACT);
  job.add_assumptions("arg0>=0");
  job.set_threads(2);
  job.set_max_candidates(9);
  job.set_no_cache(true);
  const JobPlan plan = PlanJob(job).value();
  EXPECT_EQ(plan.semantics, Semantics::kExact);
  ASSERT_EQ(plan.boxes.size(), 1);
  EXPECT_EQ(plan.boxes[0].low, 0);
  EXPECT_EQ(plan.threads, 2);
  EXPECT_EQ(plan.max_candidates, 9);
  EXPECT_FALSE(plan.use_cache);
}

TEST(JobPlan, NamesTheFieldThatIsWrong) {
  using testing::StartsWith;
  EXPECT_EQ(Refusal([](auto& job) { job.clear_spec(); }), "job.spec: is empty");
  EXPECT_THAT(Refusal([](auto& job) { job.set_spec("func.func @main( {"); }),
              StartsWith("job.spec: spec:1:"));
  EXPECT_THAT(Refusal([](auto& job) { job.set_spec(std::string(17 << 20, ' ')); }),
              StartsWith("job.spec: has 17825792 bytes"));
  EXPECT_THAT(Refusal([](auto& job) { job.set_spec(std::string("\0\1\2", 3)); }),
              StartsWith("job.spec: "));
  EXPECT_THAT(Refusal([](auto& job) { job.set_spec_name(std::string(257, 'x')); }),
              StartsWith("job.spec_name: "));
  EXPECT_THAT(Refusal([](auto& job) { job.set_target("z80"); }), StartsWith("job.target: "));
  EXPECT_THAT(Refusal([](auto& job) { job.set_semantics(static_cast<v1::Semantics>(9)); }),
              StartsWith("job.semantics: "));
  for (const char* text : {"", "arg0", "arg1>=0", "arg-1>=0", "arg0>=x"}) {
    EXPECT_THAT(Refusal([&](auto& job) {
                  job.add_assumptions("arg0<=9");
                  job.add_assumptions(text);
                }),
                StartsWith("job.assumptions[1]: "))
        << text;
  }
  EXPECT_THAT(Refusal([](auto& job) {
                for (int i = 0; i < 257; ++i) job.add_assumptions("arg0>=0");
              }),
              StartsWith("job.assumptions: "));
  for (const double ratio : {-1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_THAT(Refusal([&](auto& job) { job.set_error_ratio(ratio); }),
                StartsWith("job.error_ratio: "));
  }
  for (const int threads : {-1, 1025}) {
    EXPECT_THAT(Refusal([&](auto& job) { job.set_threads(threads); }), StartsWith("job.threads: "));
  }
  for (const double budget : {-1.0, std::nan(""), 1.1e7}) {
    EXPECT_THAT(Refusal([&](auto& job) { job.set_budget_seconds(budget); }),
                StartsWith("job.budget_seconds: "));
  }
  EXPECT_THAT(Refusal([](auto& job) { job.set_max_candidates(-1); }),
              StartsWith("job.max_candidates: "));
}

TEST(JobPlan, EqualQuestionsJoin) {
  v1::JobSpec job = Good(), same = Good(), other = Good();
  job.add_assumptions("arg0>=0");
  job.add_assumptions("arg0<=1");
  same.add_assumptions("arg0<=1");
  same.add_assumptions("arg0>=0");
  same.set_target("host");
  same.set_semantics(v1::SEMANTICS_REAL);
  same.set_error_ratio(2);
  same.set_threads(1);
  same.set_seed(7);
  same.set_budget_seconds(3);
  EXPECT_EQ(JoinKey(job, "d"), JoinKey(same, "d"));
  EXPECT_NE(JoinKey(job, "d"), JoinKey(job, "e"));
  EXPECT_NE(JoinKey(job, "d"), JoinKey(other, "d"));
  same.set_threads(2);
  EXPECT_NE(JoinKey(job, "d"), JoinKey(same, "d"));
  same.set_no_cache(true);
  EXPECT_EQ(JoinKey(same, "d"), "");
}

}  // namespace quern::server
