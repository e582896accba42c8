// Whole files, with errors that name the path and the cause.
#ifndef QUERN_BUNDLE_FILE_H_
#define QUERN_BUNDLE_FILE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace quern {

// The bytes of a regular file. kNotFound, kPermissionDenied, kInvalidArgument (a folder, a pipe),
// kResourceExhausted (more than `limit` bytes), kUnavailable.
absl::StatusOr<std::string> ReadFile(const std::string& path, int64_t limit = int64_t{1} << 30);

// Creates or overwrites `path` and flushes it to the disk. kNotFound, kPermissionDenied,
// kUnavailable (full disk and the rest).
absl::Status WriteFile(const std::string& path, std::string_view bytes);

// "PATH: ACTION: No such file or directory", with the code that fits `error_number`.
absl::Status FileError(int error_number, const std::string& action, const std::string& path);

}  // namespace quern

#endif  // QUERN_BUNDLE_FILE_H_
