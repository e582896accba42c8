#include "workers/runner/sandbox.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "workers/runner/protocol.h"

namespace quern::workers {

static uint64_t AddressSpaceBytes() {
  FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  char line[128] = {};
  const bool read = std::fgets(line, sizeof(line), file) != nullptr;
  std::fclose(file);
  return (read ? std::strtoull(line, nullptr, 10) : 0) * sysconf(_SC_PAGESIZE);
}

static bool Limit(__rlimit_resource resource, uint64_t value) {
  const rlimit limit = {.rlim_cur = value, .rlim_max = value};
  return setrlimit(resource, &limit) == 0;
}

bool LimitResources(uint64_t memory_bytes) {
  constexpr uint64_t kCpuSeconds = 3600;
  constexpr uint64_t kOpenFiles = 64;
  if (!Limit(RLIMIT_CORE, 0) || !Limit(RLIMIT_FSIZE, 0) || !Limit(RLIMIT_CPU, kCpuSeconds) ||
      !Limit(RLIMIT_NOFILE, kOpenFiles)) {
    return false;
  }
  if (memory_bytes == 0) return true;
  const uint64_t used = AddressSpaceBytes();
  return used != 0 && Limit(RLIMIT_AS, used + memory_bytes);
}

void ConfineFiles() {
  const landlock_ruleset_attr attributes = {
      .handled_access_fs = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                           LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR};
  const int ruleset =
      static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, sizeof(attributes), 0));
  if (ruleset < 0) return;
  for (const char* folder : {"/lib", "/lib64", "/usr/lib", "/usr/local/lib", "/etc/ld.so.cache"}) {
    const int fd = open(folder, O_PATH | O_CLOEXEC);
    if (fd < 0) continue;
    landlock_path_beneath_attr beneath = {
        .allowed_access = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE,
        .parent_fd = fd};
    syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
    close(fd);
  }
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  syscall(SYS_landlock_restrict_self, ruleset, 0);
  close(ruleset);
}

static bool Allow(scmp_filter_ctx filter, std::initializer_list<int> calls) {
  for (int call : calls) {
    if (seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) != 0) return false;
  }
  return true;
}

// Allows `call` when (argument & mask) == value.
static bool AllowIf(scmp_filter_ctx filter, int call, unsigned argument, uint64_t mask,
                    uint64_t value) {
  const scmp_arg_cmp condition = {
      .arg = argument, .op = SCMP_CMP_MASKED_EQ, .datum_a = mask, .datum_b = value};
  return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, 1, &condition) == 0;
}

static bool AddRules(scmp_filter_ctx filter, SandboxStage stage) {
  constexpr uint64_t kAllBits = ~uint64_t{0};
  const bool always =
      Allow(filter, {SCMP_SYS(futex), SCMP_SYS(clock_gettime), SCMP_SYS(munmap), SCMP_SYS(mremap),
                     SCMP_SYS(madvise), SCMP_SYS(brk), SCMP_SYS(getrusage), SCMP_SYS(sched_yield),
                     SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigprocmask), SCMP_SYS(gettid),
                     SCMP_SYS(getpid), SCMP_SYS(restart_syscall), SCMP_SYS(exit_group)}) &&
      AllowIf(filter, SCMP_SYS(write), 0, kAllBits, kControlFd) &&
      // abort() sends a signal to its own process.
      AllowIf(filter, SCMP_SYS(tgkill), 0, kAllBits, static_cast<uint64_t>(getpid()));
  if (!always) return false;
  if (stage == SandboxStage::kRunning) {
    return AllowIf(filter, SCMP_SYS(read), 0, kAllBits, kControlFd) &&
           AllowIf(filter, SCMP_SYS(mmap), 2, PROT_EXEC, 0) &&
           AllowIf(filter, SCMP_SYS(mprotect), 2, PROT_EXEC, 0);
  }
  constexpr uint64_t kWriting = O_ACCMODE | O_CREAT | O_TRUNC;
  return Allow(filter, {SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(mmap), SCMP_SYS(mprotect),
                        SCMP_SYS(close), SCMP_SYS(fstat), SCMP_SYS(newfstatat), SCMP_SYS(access),
                        SCMP_SYS(lseek), SCMP_SYS(getrandom), SCMP_SYS(readlink), SCMP_SYS(getcwd),
                        SCMP_SYS(seccomp), SCMP_SYS(prctl)}) &&
         AllowIf(filter, SCMP_SYS(openat), 2, kWriting, O_RDONLY);
}

bool FilterSystemCalls(SandboxStage stage) {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
  if (filter == nullptr) return false;
  // The mitigation of speculative store bypass would slow down what is measured.
  const bool done = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0 &&
                    seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1) == 0 &&
                    AddRules(filter, stage) && seccomp_load(filter) == 0;
  seccomp_release(filter);
  return done;
}

}  // namespace quern::workers
