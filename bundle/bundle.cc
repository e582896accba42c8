#include "bundle/bundle.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <map>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "bundle/digest.h"
#include "bundle/file.h"
#include "bundle/json_view.h"
#include "bundle/status.h"

namespace quern {

namespace fs = std::filesystem;

static constexpr std::string_view kKinds[] = {"so", "ptx", "hsaco"};
static constexpr char kManifest[] = "manifest.json";

static std::string Name(BinaryKind kind) { return std::string(kKinds[static_cast<int>(kind)]); }
static std::string BinaryFile(BinaryKind kind) { return absl::StrCat("kernel.", Name(kind)); }

// The files besides the manifest, by name.
static std::map<std::string, std::string> Files(const Bundle& bundle) {
  return {{"module.mlir", bundle.module},
          {"canonical.mlir", bundle.canonical},
          {"kernel.ll", bundle.artifact.llvm_ir},
          {"launch.json", ToJson(bundle.artifact.plan)},
          {BinaryFile(bundle.artifact.kind), bundle.artifact.binary},
          {"certificate.json", ToJson(bundle.certificate)},
          {"measurements.json", ToJson(bundle.measurements)},
          {"program.mlir", bundle.program},
          {"trace.jsonl", bundle.trace}};
}

// The manifest names itself too, so that it cannot change unnoticed.
static std::string ManifestText(nlohmann::json manifest) {
  manifest["self_sha256"] = Sha256(JsonText(manifest));
  return JsonText(manifest);
}

// What the certificate says about digests, compared with what is there. Empty if they agree.
static std::string Disagreement(const Bundle& bundle) {
  const std::map<std::string, const std::string> found = {
      {"module", Sha256(bundle.module)},
      {"llvm_ir", Sha256(bundle.artifact.llvm_ir)},
      {"launch_plan", Sha256(ToJson(bundle.artifact.plan))},
      {"binary", Sha256(bundle.artifact.binary)}};
  for (const auto& [what, digest] : bundle.certificate.digests) {
    const auto it = found.find(what);
    if (it != found.end() && it->second != digest) {
      return absl::StrCat("the certificate is about another ", what, " (", digest, ")");
    }
  }
  return "";
}

std::map<std::string, std::string> BundleFiles(const Bundle& bundle) {
  std::map<std::string, std::string> files = Files(bundle);
  nlohmann::json digests = nlohmann::json::object();
  for (const auto& [name, bytes] : files) digests[name] = Sha256(bytes);
  files[kManifest] = ManifestText({{"version", 1},
                                   {"spec_sha256", bundle.spec_sha256},
                                   {"kind", Name(bundle.artifact.kind)},
                                   {"files", digests}});
  return files;
}

static absl::Status WriteFiles(const Bundle& bundle, const fs::path& directory) {
  for (const auto& [name, bytes] : BundleFiles(bundle)) {
    QUERN_RETURN_IF_ERROR(WriteFile(directory / name, bytes));
  }
  return absl::OkStatus();
}

absl::Status WriteBundle(const Bundle& bundle, const std::string& directory) {
  const std::string disagreement = Disagreement(bundle);
  if (!disagreement.empty()) return absl::InvalidArgumentError(disagreement);
  QUERN_RETURN_IF_ERROR(Validate(bundle.artifact.plan));

  std::error_code error;
  fs::path target = fs::absolute(directory, error).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();
  const bool replaces = fs::exists(fs::symlink_status(target, error));
  const bool replaceable = fs::exists(target / kManifest, error) ||
                           (fs::is_directory(target, error) && fs::is_empty(target, error));
  if (replaces && !replaceable) {
    return absl::AlreadyExistsError(
        absl::StrCat(directory, ": exists and is not a bundle; it is left as it is"));
  }
  fs::create_directories(target.parent_path(), error);
  if (error) return FileError(error.value(), "create", target.parent_path());
  static std::atomic<int> counter = 0;
  const fs::path fresh = absl::StrCat(target.string(), ".tmp-", getpid(), "-", counter++);
  if (!fs::create_directory(fresh, error)) return FileError(error.value(), "create", fresh);
  absl::Cleanup remove_fresh = [&] { fs::remove_all(fresh, error); };
  QUERN_RETURN_IF_ERROR(WriteFiles(bundle, fresh));
  // An exchange leaves the old folder under the temporary name, which is removed.
  const int failed =
      replaces ? renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE)
               : rename(fresh.c_str(), target.c_str());
  if (failed != 0) return FileError(errno, replaces ? "replace" : "create", directory);
  if (!replaces) std::move(remove_fresh).Cancel();
  return absl::OkStatus();
}

// The manifest, checked against its own digest.
static absl::StatusOr<nlohmann::json> ReadManifest(const std::string& path) {
  QUERN_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  absl::StatusOr<nlohmann::json> manifest = ParseJson(text, absl::StrCat(path, ":"));
  if (!manifest.ok()) return absl::DataLossError(manifest.status().message());
  nlohmann::json rest = *manifest;
  if (rest.is_object()) rest.erase("self_sha256");
  if (!rest.is_object() || ManifestText(rest) != text) {
    return absl::DataLossError(absl::StrCat(path, ": does not have its own digest"));
  }
  return manifest;
}

static absl::StatusOr<std::string> ReadListed(const std::string& path, const std::string& digest) {
  absl::StatusOr<std::string> bytes = ReadFile(path);
  if (absl::IsNotFound(bytes.status())) return absl::DataLossError(bytes.status().message());
  if (bytes.ok() && Sha256(*bytes) != digest) {
    return absl::DataLossError(absl::StrCat(path, ": is not the file that the manifest lists"));
  }
  return bytes;
}

absl::StatusOr<Bundle> ReadBundle(const std::string& directory) {
  const std::string manifest_path = fs::path(directory) / kManifest;
  QUERN_ASSIGN_OR_RETURN(nlohmann::json manifest, ReadManifest(manifest_path));
  absl::Status status;
  const JsonView view(&manifest, absl::StrCat(manifest_path, ":"), &status);
  view.ExpectKeys({"version", "spec_sha256", "kind", "files", "self_sha256"});
  view["version"].Integer(1, 1);
  Bundle bundle;
  bundle.spec_sha256 = view["spec_sha256"].String();
  bundle.artifact.kind = view["kind"].Enum<BinaryKind>(std::size(kKinds));
  std::map<std::string, std::string> digests;
  for (const auto& [name, digest] : view["files"].Members()) digests[name] = digest.Sha256();
  QUERN_RETURN_IF_ERROR(status);

  std::map<std::string, std::string> files = Files(bundle);
  if (digests.size() != files.size()) {
    return absl::DataLossError(absl::StrCat(manifest_path, ": does not list a bundle's files"));
  }
  for (auto& [name, bytes] : files) {
    QUERN_ASSIGN_OR_RETURN(bytes, ReadListed(fs::path(directory) / name, digests[name]));
  }
  bundle.module = std::move(files["module.mlir"]);
  bundle.canonical = std::move(files["canonical.mlir"]);
  bundle.artifact.llvm_ir = std::move(files["kernel.ll"]);
  bundle.artifact.binary = std::move(files[BinaryFile(bundle.artifact.kind)]);
  bundle.program = std::move(files["program.mlir"]);
  bundle.trace = std::move(files["trace.jsonl"]);
  QUERN_ASSIGN_OR_RETURN(bundle.artifact.plan, ParseLaunchPlan(files["launch.json"]));
  QUERN_ASSIGN_OR_RETURN(bundle.certificate, ParseCertificate(files["certificate.json"]));
  QUERN_ASSIGN_OR_RETURN(bundle.measurements, ParseMeasurements(files["measurements.json"]));
  const std::string disagreement = Disagreement(bundle);
  if (!disagreement.empty()) {
    return absl::DataLossError(absl::StrCat(directory, ": ", disagreement));
  }
  return bundle;
}

}  // namespace quern
