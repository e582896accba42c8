#include <algorithm>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "bundle/bundle.h"
#include "bundle/file.h"
#include "bundle/status.h"
#include "server/error.h"
#include "server/job_names.h"
#include "server/job_service.h"

namespace quern::server {

static constexpr size_t kChunk = size_t{64} << 10;

absl::StatusOr<std::string> KernelService::Folder(const std::string& name) {
  QUERN_ASSIGN_OR_RETURN(const int64_t id, ParseJobName(name, "job"));
  QUERN_ASSIGN_OR_RETURN(const JobRecord job, parts_.store.GetJob(id));
  if (!IsFinished(job.state)) {
    return absl::FailedPreconditionError(absl::StrCat(name, " is not finished"));
  }
  v1::JobResult result;
  result.ParseFromString(job.result);
  if (!result.proved()) return absl::NotFoundError(absl::StrCat(name, " proved no kernel"));
  const std::string folder = parts_.runner.BundleFolder(id);
  const absl::Status whole = ReadBundle(folder).status();
  if (!whole.ok()) return absl::DataLossError(whole.message());
  return folder;
}

grpc::Status KernelService::GetJobBundle(grpc::ServerContext* context,
                                         const v1::GetJobBundleRequest* request,
                                         grpc::ServerWriter<v1::BundleChunk>* writer) {
  const absl::StatusOr<std::string> folder = Folder(request->job());
  if (!folder.ok()) return ToGrpc(folder.status());
  std::error_code error;
  for (std::filesystem::directory_iterator it(*folder, error), end; !error && it != end;
       it.increment(error)) {
    const absl::StatusOr<std::string> bytes = ReadFile(it->path());
    if (!bytes.ok()) return ToGrpc(bytes.status());
    v1::BundleChunk chunk;
    chunk.set_file(it->path().filename());
    size_t done = 0;
    do {
      chunk.set_data(bytes->substr(done, kChunk));
      done += kChunk;
      if (!writer->Write(chunk)) return grpc::Status(grpc::StatusCode::CANCELLED, "");
    } while (done < bytes->size());
  }
  return error ? ToGrpc(FileError(error.value(), "list", *folder)) : grpc::Status::OK;
}

}  // namespace quern::server
