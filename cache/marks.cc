#include "cache/marks.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "bundle/file.h"
#include "bundle/status.h"

namespace quern::cache {

static std::string PinnedPath(const std::string& folder) { return folder + "/pinned"; }
static std::string RevokedPath(const std::string& folder) { return folder + "/revoked"; }

absl::StatusOr<Marks> ReadMarks(const std::string& folder) {
  Marks marks{.pinned = access(PinnedPath(folder).c_str(), F_OK) == 0};
  absl::StatusOr<std::string> revoked = ReadFile(RevokedPath(folder));
  if (absl::IsNotFound(revoked.status())) return marks;
  QUERN_RETURN_IF_ERROR(revoked.status());
  // A mark that was cut short revokes all the same.
  marks.revoked = revoked->empty() ? "no reason given" : *std::move(revoked);
  return marks;
}

static absl::Status Write(const std::string& path, bool there, const std::string& text) {
  if (there) return WriteFile(path, text);
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return FileError(errno, "remove", path);
  return absl::OkStatus();
}

absl::Status WriteMarks(const std::string& folder, const Marks& marks) {
  const int directory = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return FileError(errno, "open", folder);
  absl::Status status = Write(RevokedPath(folder), !marks.revoked.empty(), marks.revoked);
  if (status.ok()) status = Write(PinnedPath(folder), marks.pinned, "");
  if (status.ok() && fsync(directory) != 0) status = FileError(errno, "flush", folder);
  close(directory);
  return status;
}

}  // namespace quern::cache
