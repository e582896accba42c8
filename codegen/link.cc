#include "codegen/link.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "bundle/file.h"
#include "bundle/status.h"
#include "lld/Common/Driver.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

namespace quern::codegen {

namespace {

// A file without a name in any file system.
class MemoryFile {
 public:
  static absl::StatusOr<std::unique_ptr<MemoryFile>> Create(std::string_view contents) {
    const int descriptor = memfd_create("quern", MFD_CLOEXEC);
    if (descriptor < 0) return absl::ErrnoToStatus(errno, "cannot create a file in memory");
    std::unique_ptr<MemoryFile> file(new MemoryFile(descriptor));
    while (!contents.empty()) {
      const ssize_t count = write(descriptor, contents.data(), contents.size());
      if (count < 0) return absl::ErrnoToStatus(errno, "cannot write a file in memory");
      contents.remove_prefix(count);
    }
    return file;
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return absl::StrCat("/proc/self/fd/", descriptor_); }

 private:
  explicit MemoryFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

// A folder that goes with its contents: lld insists on a real file to write.
class TemporaryFolder {
 public:
  static absl::StatusOr<std::unique_ptr<TemporaryFolder>> Create() {
    std::error_code error;
    std::string path = (std::filesystem::temp_directory_path(error) / "quern-XXXXXX").string();
    if (error || mkdtemp(path.data()) == nullptr) {
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot create the folder ", path));
    }
    return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(path));
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace

absl::StatusOr<std::string> LinkShared(const std::vector<std::string>& arguments,
                                       const std::vector<std::string_view>& files) {
  QUERN_ASSIGN_OR_RETURN(std::unique_ptr<TemporaryFolder> folder, TemporaryFolder::Create());
  const std::string output = folder->path() + "/out";
  std::vector<std::string> words = {"ld.lld",          "-shared", "--threads=1",
                                    "--build-id=none", "-o",      output};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::unique_ptr<MemoryFile>> inputs;
  for (std::string_view file : files) {
    QUERN_ASSIGN_OR_RETURN(inputs.emplace_back(), MemoryFile::Create(file));
    words.push_back(inputs.back()->path());
  }
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());

  // lld keeps its state in globals and cannot run again after a crash.
  static std::mutex mutex;
  static bool usable = true;
  std::lock_guard<std::mutex> lock(mutex);
  if (!usable) return absl::InternalError("the linker crashed before");
  std::string message;
  llvm::raw_string_ostream stream(message);
  const lld::Result result = lld::lldMain(argv, stream, stream, {{lld::Gnu, &lld::elf::link}});
  usable = result.canRunAgain;
  if (result.retCode != 0) return absl::InternalError(absl::StrCat("linking failed: ", message));
  return ReadFile(output);
}

}  // namespace quern::codegen
