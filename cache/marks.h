// What a person has ordered about a kernel: files in its bundle's folder, which no manifest lists.
#ifndef QUERN_CACHE_MARKS_H_
#define QUERN_CACHE_MARKS_H_

#include <string>

#include "absl/status/statusor.h"

namespace quern::cache {

struct Marks {
  bool pinned = false;  // neither collected nor removed
  std::string revoked;  // why the kernel is refused; empty: it is not
};

// None if the folder has none, or is gone. A mark that cannot be read is an error: a revoked kernel
// never passes for one that is not.
absl::StatusOr<Marks> ReadMarks(const std::string& folder);

// On the disk when it returns. kNotFound if the folder is gone.
absl::Status WriteMarks(const std::string& folder, const Marks& marks);

}  // namespace quern::cache

#endif  // QUERN_CACHE_MARKS_H_
