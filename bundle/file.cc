#include "bundle/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

namespace quern {

absl::Status FileError(int error_number, const std::string& action, const std::string& path) {
  absl::StatusCode code = absl::StatusCode::kUnavailable;
  if (error_number == ENOENT || error_number == ENOTDIR) code = absl::StatusCode::kNotFound;
  if (error_number == EISDIR) code = absl::StatusCode::kInvalidArgument;
  if (error_number == EACCES || error_number == EPERM || error_number == EROFS) {
    code = absl::StatusCode::kPermissionDenied;
  }
  return absl::Status(code, absl::StrCat(path, ": cannot ", action, ": ",
                                         std::generic_category().message(error_number)));
}

absl::StatusOr<std::string> ReadFile(const std::string& path, int64_t limit) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return FileError(errno, "open", path);
  absl::Cleanup close_file = [file] { close(file); };
  struct stat facts;
  if (fstat(file, &facts) != 0) return FileError(errno, "read", path);
  if (!S_ISREG(facts.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": not a regular file"));
  }
  if (facts.st_size > limit) {
    return absl::ResourceExhaustedError(
        absl::StrCat(path, ": ", facts.st_size, " bytes, more than the limit of ", limit));
  }
  std::string bytes(facts.st_size, '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = read(file, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FileError(errno, "read", path);
    if (count == 0) break;
    done += count;
  }
  bytes.resize(done);
  return bytes;
}

absl::Status WriteFile(const std::string& path, std::string_view bytes) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return FileError(errno, "create", path);
  while (!bytes.empty()) {
    const ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error_number = errno;
      close(file);
      return FileError(error_number, "write", path);
    }
    bytes.remove_prefix(count);
  }
  const bool synced = fsync(file) == 0;
  const int error_number = errno;
  if (close(file) != 0) return FileError(errno, "write", path);
  return synced ? absl::OkStatus() : FileError(error_number, "write", path);
}

}  // namespace quern
