#include "bundle/bundle.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "bundle/digest.h"
#include "bundle/json_reader.h"
#include "bundle/status.h"

namespace quern {

namespace fs = std::filesystem;

static constexpr const char* kKinds[] = {"so", "ptx", "hsaco"};

// The files of a bundle besides the manifest, by name.
static std::map<std::string, std::string> Files(const Bundle& bundle) {
  nlohmann::json measurements = nlohmann::json::array();
  for (const Measurement& measurement : bundle.measurements)
    measurements.push_back(ToJson(measurement));
  return {{"module.mlir", bundle.module},
          {"canonical.mlir", bundle.canonical},
          {"kernel.ll", bundle.artifact.llvm_ir},
          {"launch.json", ToJson(bundle.artifact.plan)},
          {absl::StrCat("kernel.", kKinds[static_cast<int>(bundle.artifact.kind)]),
           bundle.artifact.binary},
          {"certificate.json", ToJson(bundle.certificate)},
          {"measurements.json", measurements.dump()},
          {"program.mlir", bundle.program},
          {"trace.jsonl", bundle.trace}};
}

static absl::Status WriteFile(const fs::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.close();
  if (!file)
    return absl::UnavailableError(
        absl::StrCat(path.string(), ": cannot be written; is the disk full?"));
  return absl::OkStatus();
}

static absl::StatusOr<std::string> ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  if (!file) return absl::NotFoundError(absl::StrCat(path.string(), ": cannot be read"));
  return std::move(bytes).str();
}

static absl::Status WriteInto(const Bundle& bundle, const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) {
    return absl::UnavailableError(
        absl::StrCat(directory.string(), ": cannot be made: ", error.message()));
  }
  nlohmann::json digests = nlohmann::json::object();
  for (const auto& [name, bytes] : Files(bundle)) {
    digests[name] = Sha256(bytes);
    QUERN_RETURN_IF_ERROR(WriteFile(directory / name, bytes));
  }
  nlohmann::json manifest = {{"version", 1},
                             {"spec_sha256", bundle.spec_sha256},
                             {"kind", kKinds[static_cast<int>(bundle.artifact.kind)]},
                             {"files", digests}};
  return WriteFile(directory / "manifest.json", manifest.dump(1));
}

absl::Status WriteBundle(const Bundle& bundle, const std::string& directory) {
  fs::path target = fs::path(directory).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();
  const fs::path fresh = absl::StrCat(target.string(), ".new-", getpid());
  const fs::path old = absl::StrCat(target.string(), ".old-", getpid());
  std::error_code error;
  fs::remove_all(fresh, error);
  absl::Status status = WriteInto(bundle, fresh);
  if (!status.ok()) {
    fs::remove_all(fresh, error);
    return status;
  }
  const bool replaces = fs::exists(target, error);
  if (replaces) fs::rename(target, old, error);
  if (!error) fs::rename(fresh, target, error);
  if (error) {
    const std::string message = error.message();
    if (replaces) fs::rename(old, target, error);
    fs::remove_all(fresh, error);
    return absl::UnavailableError(absl::StrCat(directory, ": cannot be replaced: ", message));
  }
  fs::remove_all(old, error);
  return absl::OkStatus();
}

absl::StatusOr<Bundle> ReadBundle(const std::string& directory) {
  const fs::path root = directory;
  QUERN_ASSIGN_OR_RETURN(std::string manifest_text, ReadFile(root / "manifest.json"));
  QUERN_ASSIGN_OR_RETURN(nlohmann::json json,
                         ParseJson(manifest_text, absl::StrCat(directory, "/manifest.json")));
  JsonReader reader(json, absl::StrCat(directory, "/manifest.json"));
  Bundle bundle;
  reader.Integer("version", 1, 1);
  bundle.spec_sha256 = reader.String("spec_sha256");
  const std::string kind = reader.String("kind");
  const auto* found = std::find(std::begin(kKinds), std::end(kKinds), kind);
  if (found == std::end(kKinds)) reader.Fail("kind", "must be so, ptx or hsaco");
  std::map<std::string, std::string> digests = reader.StringMap("files");
  QUERN_RETURN_IF_ERROR(reader.Finish());
  bundle.artifact.kind = static_cast<BinaryKind>(found - std::begin(kKinds));

  std::map<std::string, std::string> files;
  for (const auto& [name, unused] : Files(bundle)) {
    QUERN_ASSIGN_OR_RETURN(files[name], ReadFile(root / name));
    if (!digests.contains(name) || Sha256(files[name]) != digests[name]) {
      return absl::DataLossError(
          absl::StrCat((root / name).string(), ": is not the file of the manifest"));
    }
  }
  bundle.module = files["module.mlir"];
  bundle.canonical = files["canonical.mlir"];
  bundle.artifact.llvm_ir = files["kernel.ll"];
  bundle.artifact.binary = files["kernel." + kind];
  bundle.program = files["program.mlir"];
  bundle.trace = files["trace.jsonl"];
  QUERN_ASSIGN_OR_RETURN(bundle.artifact.plan, ParseLaunchPlan(files["launch.json"]));
  QUERN_ASSIGN_OR_RETURN(bundle.certificate, ParseCertificate(files["certificate.json"]));
  QUERN_ASSIGN_OR_RETURN(nlohmann::json measurements,
                         ParseJson(files["measurements.json"], "measurements.json"));
  if (!measurements.is_array())
    return absl::InvalidArgumentError("measurements.json: must be an array");
  for (const nlohmann::json& item : measurements) {
    if (!item.is_string())
      return absl::InvalidArgumentError("measurements.json: must hold strings");
    QUERN_ASSIGN_OR_RETURN(Measurement measurement, ParseMeasurement(item.get<std::string>()));
    bundle.measurements.push_back(std::move(measurement));
  }
  return bundle;
}

}  // namespace quern
