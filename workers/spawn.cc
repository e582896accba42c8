#include "workers/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "workers/runner/protocol.h"

namespace quern::workers {

static absl::Status SystemError(absl::string_view action) {
  return absl::UnavailableError(absl::StrCat("cannot ", action, ": ", std::strerror(errno)));
}

absl::StatusOr<std::string> FindRunner() {
  const char* named = std::getenv("QUERN_RUNNER");
  if (named != nullptr && named[0] != '\0') return std::string(named);
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  std::string tried;
  for (const char* folder : {".", "../bin", "../libexec/quern"}) {
    std::string path = (self.parent_path() / folder / "quern-runner").lexically_normal();
    if (access(path.c_str(), X_OK) == 0) return path;
    absl::StrAppend(&tried, tried.empty() ? "" : ", ", path);
  }
  return absl::NotFoundError(absl::StrCat("quern-runner is not at ", tried,
                                          "; name it with the environment's QUERN_RUNNER"));
}

absl::StatusOr<SpawnedRunner> SpawnRunner(const std::string& path) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return SystemError("create a socket");
  }
  SpawnedRunner runner;
  runner.control = Descriptor(ends[0]);
  Descriptor theirs(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, theirs.get(), kControlFd);
  for (int fd = 0; fd < kControlFd; ++fd) {
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  }
  posix_spawn_file_actions_addclosefrom_np(&actions, kControlFd + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t all;
  sigset_t none;
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);  // Ctrl-C is the parent's to handle
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  char name[] = "quern-runner";
  char* arguments[] = {name, nullptr};
  char* environment[] = {nullptr};
  const int error =
      posix_spawn(&runner.pid, path.c_str(), &actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return runner;
  errno = error;
  return SystemError(absl::StrCat("start ", path));
}

absl::StatusOr<Descriptor> SealedFile(const std::string& bytes) {
  Descriptor fd(memfd_create("candidate", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  for (size_t done = 0; fd.get() >= 0 && done < bytes.size();) {
    const ssize_t written = write(fd.get(), bytes.data() + done, bytes.size() - done);
    if (written <= 0) return SystemError("write a memory file");
    done += written;
  }
  if (fd.get() < 0 || fcntl(fd.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK)) {
    return SystemError("create a memory file");
  }
  return fd;
}

}  // namespace quern::workers
