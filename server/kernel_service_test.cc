#include "server/kernel_service.h"

#include "bundle/digest.h"
#include "cache/sqlite_store.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "quern/v1/jobs.grpc.pb.h"
#include "server/sqlite_task_store.h"
#include "server/testing/test_coordinator.h"

namespace quern::server {

using testing::ElementsAre;

class KernelServiceTest : public testing::Test {
 protected:
  KernelServiceTest() {
    coordinator_.Start();
    kernels_ = v1::Kernels::NewStub(coordinator_.Connect());
    cache_ = cache::SqliteStore::Open(coordinator_.state() + "/cache").value();
  }
  static Bundle BundleOf(const std::string& spec) {
    const std::string binary = "code of " + spec + std::string(100000, 'x');
    Bundle bundle{.module = "module @user {}\n",
                  .canonical = "canonical " + spec,
                  .spec_sha256 = Sha256(spec),
                  .artifact = {.plan = {.target = "x86_64"}, .llvm_ir = "; ir\n", .binary = binary},
                  .certificate = {.verdict = Verdict::kProved},
                  .program = "module {}\n"};
    bundle.certificate.digests = {{"binary", Sha256(binary)}};
    return bundle;
  }
  std::string Insert(const std::string& spec, const std::string& target = "x86_64") {
    const cache::CacheKey key{.spec_sha256 = Sha256(spec),
                              .target = target,
                              .machine = "m",
                              .threads = 3,
                              .semantics = Semantics::kExact,
                              .assumptions = "arg0>=0\narg1>=2",
                              .versions = "1"};
    return "kernels/" +
           cache_->Insert(key, BundleOf(spec), {.time_ns = 5, .naive_ns = 7}, false)->digest;
  }
  template <typename Request, typename Response>
  grpc::Status Call(grpc::Status (v1::Kernels::Stub::*method)(grpc::ClientContext*, const Request&,
                                                              Response*),
                    const Request& request, Response* response) {
    grpc::ClientContext context;
    return (kernels_.get()->*method)(&context, request, response);
  }
  v1::Kernel Get(const std::string& name) {
    v1::GetKernelRequest request;
    request.set_name(name);
    v1::Kernel kernel;
    const grpc::Status status = Call(&v1::Kernels::Stub::GetKernel, request, &kernel);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return kernel;
  }
  std::vector<std::string> Names(const v1::ListKernelsRequest& request) {
    v1::ListKernelsResponse response;
    const grpc::Status status = Call(&v1::Kernels::Stub::ListKernels, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    std::vector<std::string> names;
    for (const v1::Kernel& kernel : response.kernels()) names.push_back(kernel.name());
    token_ = response.next_page_token();
    return names;
  }
  grpc::Status Revoke(const std::string& name, const std::string& reason) {
    v1::RevokeKernelRequest request;
    request.set_name(name);
    request.set_reason(reason);
    v1::Kernel kernel;
    return Call(&v1::Kernels::Stub::RevokeKernel, request, &kernel);
  }
  grpc::Status Delete(const std::string& name) {
    v1::DeleteKernelRequest request;
    request.set_name(name);
    v1::DeleteKernelResponse response;
    return Call(&v1::Kernels::Stub::DeleteKernel, request, &response);
  }
  // The files, or why there are none.
  template <typename Stream>
  static grpc::Status Receive(Stream stream, std::map<std::string, std::string>* files) {
    v1::BundleChunk chunk;
    while (stream->Read(&chunk)) {
      EXPECT_LE(chunk.data().size(), 64 << 10);
      (*files)[chunk.file()] += chunk.data();
    }
    return stream->Finish();
  }
  grpc::Status BundleOfKernel(const std::string& name, std::map<std::string, std::string>* files) {
    grpc::ClientContext context;
    v1::GetKernelBundleRequest request;
    request.set_name(name);
    return Receive(kernels_->GetKernelBundle(&context, request), files);
  }

  TestCoordinator coordinator_;
  std::unique_ptr<v1::Kernels::Stub> kernels_;
  std::unique_ptr<cache::KernelStore> cache_;
  std::string token_;
};

TEST_F(KernelServiceTest, ShowsWhatAKernelIsFor) {
  const v1::Kernel kernel = Get(Insert("a"));
  EXPECT_EQ(kernel.spec_sha256(), Sha256("a"));
  EXPECT_EQ(kernel.target(), "x86_64");
  EXPECT_EQ(kernel.threads(), 3);
  EXPECT_EQ(kernel.semantics(), v1::SEMANTICS_EXACT);
  EXPECT_THAT(kernel.assumptions(), ElementsAre("arg0>=0", "arg1>=2"));
  EXPECT_EQ(kernel.time_ns(), 5);
  EXPECT_EQ(kernel.naive_ns(), 7);
  EXPECT_GT(kernel.bytes(), 100000);
  EXPECT_FALSE(kernel.pinned());
  EXPECT_EQ(kernel.revoked(), "");
}

TEST_F(KernelServiceTest, ListsInPagesAndByWhatIsAskedFor) {
  std::vector<std::string> all;
  for (const char* spec : {"a", "b", "c", "d", "e"}) all.push_back(Insert(spec));
  const std::string other = Insert("a", "sm_90a");
  all.push_back(other);
  std::sort(all.begin(), all.end());
  std::vector<std::string> seen;
  v1::ListKernelsRequest request;
  request.set_page_size(4);
  for (int page = 0; page < 2; ++page) {
    for (const std::string& name : Names(request)) seen.push_back(name);
    request.set_page_token(token_);
  }
  EXPECT_EQ(token_, "");
  EXPECT_EQ(seen, all);
  v1::ListKernelsRequest of_spec;
  of_spec.set_spec_sha256(Sha256("a"));
  EXPECT_EQ(Names(of_spec).size(), 2);
  of_spec.set_target("sm_90a");
  EXPECT_THAT(Names(of_spec), ElementsAre(other));
}

TEST_F(KernelServiceTest, SendsTheFilesOfTheBundle) {
  std::map<std::string, std::string> files;
  ASSERT_TRUE(BundleOfKernel(Insert("a"), &files).ok());
  EXPECT_EQ(files, BundleFiles(BundleOf("a")));
}

TEST_F(KernelServiceTest, ARevokedKernelIsRefusedEverywhere) {
  const std::string name = Insert("a");
  // A job that made the same kernel.
  int64_t job = 0;
  {
    auto store = SqliteTaskStore::Open(coordinator_.state() + "/tasks.sqlite").value();
    job = store->CreateJob({.spec = "spec", .spec_sha256 = Sha256("a")}, 1)->id;
    v1::JobResult result;
    result.set_proved(true);
    ASSERT_TRUE(store
                    ->MoveJob(job, {JobState::kPending, JobState::kFailed}, JobState::kSucceeded,
                              result.SerializeAsString(), "", 2)
                    .ok());
  }
  ASSERT_TRUE(
      WriteBundle(BundleOf("a"), coordinator_.state() + "/bundles/job-" + std::to_string(job))
          .ok());
  v1::GetJobBundleRequest request;
  request.set_job("jobs/" + std::to_string(job));
  std::map<std::string, std::string> files;
  auto of_job = [&] {
    grpc::ClientContext context;
    return Receive(kernels_->GetJobBundle(&context, request), &files);
  };
  EXPECT_TRUE(of_job().ok());
  ASSERT_TRUE(Revoke(name, "wrong for NaN").ok());
  EXPECT_EQ(Get(name).revoked(), "wrong for NaN");
  files.clear();
  for (const grpc::Status& status : {of_job(), BundleOfKernel(name, &files)}) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
    EXPECT_THAT(status.error_message(), testing::HasSubstr("wrong for NaN"));
  }
  EXPECT_THAT(files, testing::IsEmpty());
  ASSERT_TRUE(Revoke(name, "").ok());
  EXPECT_TRUE(of_job().ok());
  EXPECT_TRUE(BundleOfKernel(name, &files).ok());
}

TEST_F(KernelServiceTest, APinnedKernelIsNotDeleted) {
  const std::string name = Insert("a");
  v1::PinKernelRequest request;
  request.set_name(name);
  request.set_pinned(true);
  v1::Kernel kernel;
  ASSERT_TRUE(Call(&v1::Kernels::Stub::PinKernel, request, &kernel).ok());
  EXPECT_TRUE(kernel.pinned());
  EXPECT_EQ(Delete(name).error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  request.set_pinned(false);
  ASSERT_TRUE(Call(&v1::Kernels::Stub::PinKernel, request, &kernel).ok());
  ASSERT_TRUE(Delete(name).ok());
  EXPECT_EQ(Delete(name).error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(Names({}), testing::IsEmpty());
}

TEST_F(KernelServiceTest, RefusesBadFields) {
  const std::string name = Insert("a");
  for (const std::string& bad : {std::string(), std::string("kernels/"), name.substr(0, 20),
                                 name + "0", "jobs/" + name.substr(8)}) {
    EXPECT_EQ(FieldOf(Delete(bad)), "name") << bad;
    EXPECT_EQ(FieldOf(Revoke(bad, "x")), "name") << bad;
    std::map<std::string, std::string> files;
    EXPECT_EQ(FieldOf(BundleOfKernel(bad, &files)), "name") << bad;
  }
  EXPECT_EQ(FieldOf(Revoke(name, std::string(1025, 'x'))), "reason");
  auto field = [&](const std::function<void(v1::ListKernelsRequest&)>& spoil) {
    v1::ListKernelsRequest request;
    spoil(request);
    v1::ListKernelsResponse response;
    return FieldOf(Call(&v1::Kernels::Stub::ListKernels, request, &response));
  };
  EXPECT_EQ(field([](auto& r) { r.set_page_size(-1); }), "page_size");
  EXPECT_EQ(field([](auto& r) { r.set_page_token("x"); }), "page_token");
  EXPECT_EQ(field([](auto& r) { r.set_spec_sha256("ab"); }), "spec_sha256");
  EXPECT_EQ(field([](auto& r) { r.set_target(std::string(65, 'x')); }), "target");
  EXPECT_EQ(Get(name).revoked(), "");
}

}  // namespace quern::server
