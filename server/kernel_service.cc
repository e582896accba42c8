#include "server/kernel_service.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "bundle/bundle.h"
#include "bundle/status.h"
#include "google/protobuf/util/time_util.h"
#include "server/bundle_chunks.h"
#include "server/error.h"
#include "server/job_names.h"

namespace quern::server {

static constexpr size_t kMaxReason = 1024;
static constexpr size_t kMaxTarget = 64;
static constexpr int kMaxPage = 1000;
static constexpr int kDefaultPage = 100;

static bool IsDigest(absl::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == absl::string_view::npos;
}

static v1::Semantics ToProto(Semantics semantics) {
  switch (semantics) {
    case Semantics::kReal:
      return v1::SEMANTICS_REAL;
    case Semantics::kOrdered:
      return v1::SEMANTICS_ORDERED;
    case Semantics::kExact:
      return v1::SEMANTICS_EXACT;
  }
  return v1::SEMANTICS_UNSPECIFIED;
}

static v1::Kernel ToProto(const cache::Entry& entry) {
  using google::protobuf::util::TimeUtil;
  v1::Kernel kernel;
  kernel.set_name("kernels/" + entry.digest);
  kernel.set_spec_sha256(entry.key.spec_sha256);
  kernel.set_target(entry.key.target);
  kernel.set_machine(entry.key.machine);
  kernel.set_threads(entry.key.threads);
  kernel.set_semantics(ToProto(entry.key.semantics));
  for (absl::string_view line : absl::StrSplit(entry.key.assumptions, '\n', absl::SkipEmpty())) {
    kernel.add_assumptions(std::string(line));
  }
  kernel.set_error_ratio(entry.key.error_ratio);
  kernel.set_versions(entry.key.versions);
  kernel.set_time_ns(entry.time_ns);
  kernel.set_naive_ns(entry.naive_ns);
  kernel.set_bytes(entry.bytes);
  *kernel.mutable_create_time() = TimeUtil::MicrosecondsToTimestamp(entry.created_us);
  *kernel.mutable_use_time() = TimeUtil::MicrosecondsToTimestamp(entry.last_used_us);
  kernel.set_pinned(entry.marks.pinned);
  kernel.set_revoked(entry.marks.revoked);
  return kernel;
}

static absl::Status Refused(const cache::Entry& entry) {
  return absl::FailedPreconditionError(
      absl::StrCat("the kernel was revoked: ", entry.marks.revoked));
}

absl::StatusOr<cache::Entry> KernelService::Find(const std::string& name) {
  absl::string_view digest = name;
  if (!absl::ConsumePrefix(&digest, "kernels/") || !IsDigest(digest)) {
    return FieldError("name", "must be the name of a kernel: kernels/ and 64 hexadecimal digits");
  }
  return parts_.cache.Show(std::string(digest));
}

absl::Status KernelService::SendJobBundle(const std::string& name, Chunks& writer) {
  QUERN_ASSIGN_OR_RETURN(const int64_t id, ParseJobName(name, "job"));
  QUERN_ASSIGN_OR_RETURN(const JobRecord job, parts_.store.GetJob(id));
  if (!IsFinished(job.state)) {
    return absl::FailedPreconditionError(absl::StrCat(name, " is not finished"));
  }
  v1::JobResult result;
  result.ParseFromString(job.result);
  if (!result.proved()) return absl::NotFoundError(absl::StrCat(name, " proved no kernel"));
  const std::string folder = parts_.runner.BundleFolder(id);
  QUERN_ASSIGN_OR_RETURN(const std::vector<cache::Entry> entries, parts_.cache.List());
  for (const cache::Entry& entry : entries) {
    if (entry.marks.revoked.empty() || entry.key.spec_sha256 != job.job.spec_sha256) continue;
    const absl::StatusOr<Bundle> revoked = ReadBundle(entry.bundle), own = ReadBundle(folder);
    if (revoked.ok() && own.ok() && revoked->artifact.binary == own->artifact.binary) {
      return Refused(entry);
    }
  }
  return SendBundle(folder, [&](const v1::BundleChunk& chunk) { return writer.Write(chunk); });
}

absl::Status KernelService::SendKernelBundle(const std::string& name, Chunks& writer) {
  QUERN_ASSIGN_OR_RETURN(const cache::Entry entry, Find(name));
  if (!entry.marks.revoked.empty()) return Refused(entry);
  return SendBundle(entry.bundle,
                    [&](const v1::BundleChunk& chunk) { return writer.Write(chunk); });
}

absl::StatusOr<v1::ListKernelsResponse> KernelService::List(const v1::ListKernelsRequest& request) {
  if (request.page_size() < 0 || request.page_size() > kMaxPage) {
    return FieldError("page_size", absl::StrCat("must be 0 to ", kMaxPage));
  }
  if (!request.page_token().empty() && !IsDigest(request.page_token())) {
    return FieldError("page_token", "is not one that this service gave");
  }
  if (!request.spec_sha256().empty() && !IsDigest(request.spec_sha256())) {
    return FieldError("spec_sha256", "must be 64 hexadecimal digits");
  }
  if (request.target().size() > kMaxTarget) return FieldError("target", "names no target");
  QUERN_ASSIGN_OR_RETURN(std::vector<cache::Entry> entries, parts_.cache.List());
  std::erase_if(entries, [&](const cache::Entry& entry) {
    return entry.digest <= request.page_token() ||
           (!request.spec_sha256().empty() && entry.key.spec_sha256 != request.spec_sha256()) ||
           (!request.target().empty() && entry.key.target != request.target());
  });
  std::sort(entries.begin(), entries.end(),
            [](const cache::Entry& a, const cache::Entry& b) { return a.digest < b.digest; });
  const size_t page = request.page_size() == 0 ? kDefaultPage : request.page_size();
  v1::ListKernelsResponse response;
  if (entries.size() > page) {
    entries.resize(page);
    response.set_next_page_token(entries.back().digest);
  }
  for (const cache::Entry& entry : entries) *response.add_kernels() = ToProto(entry);
  return response;
}

template <typename Change>
grpc::Status KernelService::Mark(const std::string& name, Change change, v1::Kernel* response) {
  absl::StatusOr<cache::Entry> entry = Find(name);
  if (entry.ok()) entry = parts_.cache.Mark(entry->digest, change);
  if (entry.ok()) *response = ToProto(*entry);
  return ToGrpc(entry.status());
}

grpc::Status KernelService::GetJobBundle(grpc::ServerContext* context,
                                         const v1::GetJobBundleRequest* request, Chunks* writer) {
  return ToGrpc(SendJobBundle(request->job(), *writer));
}

grpc::Status KernelService::GetKernelBundle(grpc::ServerContext* context,
                                            const v1::GetKernelBundleRequest* request,
                                            Chunks* writer) {
  return ToGrpc(SendKernelBundle(request->name(), *writer));
}

grpc::Status KernelService::GetKernel(grpc::ServerContext* context,
                                      const v1::GetKernelRequest* request, v1::Kernel* response) {
  const absl::StatusOr<cache::Entry> entry = Find(request->name());
  if (entry.ok()) *response = ToProto(*entry);
  return ToGrpc(entry.status());
}

grpc::Status KernelService::ListKernels(grpc::ServerContext* context,
                                        const v1::ListKernelsRequest* request,
                                        v1::ListKernelsResponse* response) {
  absl::StatusOr<v1::ListKernelsResponse> kernels = List(*request);
  if (kernels.ok()) *response = *std::move(kernels);
  return ToGrpc(kernels.status());
}

grpc::Status KernelService::PinKernel(grpc::ServerContext* context,
                                      const v1::PinKernelRequest* request, v1::Kernel* response) {
  return Mark(
      request->name(), [&](cache::Marks& marks) { marks.pinned = request->pinned(); }, response);
}

grpc::Status KernelService::RevokeKernel(grpc::ServerContext* context,
                                         const v1::RevokeKernelRequest* request,
                                         v1::Kernel* response) {
  if (request->reason().size() > kMaxReason) {
    return ToGrpc(FieldError("reason", absl::StrCat("is longer than ", kMaxReason, " bytes")));
  }
  return Mark(
      request->name(), [&](cache::Marks& marks) { marks.revoked = request->reason(); }, response);
}

grpc::Status KernelService::DeleteKernel(grpc::ServerContext* context,
                                         const v1::DeleteKernelRequest* request,
                                         v1::DeleteKernelResponse* response) {
  const absl::StatusOr<cache::Entry> entry = Find(request->name());
  return ToGrpc(entry.ok() ? parts_.cache.Remove(entry->digest) : entry.status());
}

}  // namespace quern::server
