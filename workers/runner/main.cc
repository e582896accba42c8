// quern-runner: loads one candidate and runs it when told to, in a process that may be killed. It
// is started by workers/runner_process.h with a socket as descriptor 3, and trusts nothing it
// loads.
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <x86intrin.h>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "workers/runner/candidate.h"
#include "workers/runner/pool.h"
#include "workers/runner/protocol.h"
#include "workers/runner/sandbox.h"

namespace quern::workers {

static constexpr uint64_t kProbeBytes = 64 << 20;  // less than this left: memory is full
static constexpr uint64_t kCacheLine = 64;

static Arenas arenas;  // read by the signal handler

static void Send(const Reply& reply) {
  if (write(kControlFd, &reply, sizeof(reply)) != sizeof(reply)) _exit(1);
}

static void OnFault(int signal, siginfo_t* info, void*) {
  Reply reply = {};
  reply.op = Op::kFault;
  reply.status = signal;
  if (signal == SIGSEGV || signal == SIGBUS) reply.place = arenas.PlaceOf(info->si_addr);
  void* probe =
      mmap(nullptr, kProbeBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  reply.memory_is_full = probe == MAP_FAILED;
  Send(reply);
  _exit(1);
}

static void UseFaultStack() {
  constexpr size_t kBytes = 64 << 10;
  void* stack = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED) return;
  const stack_t alternate = {.ss_sp = stack, .ss_flags = 0, .ss_size = kBytes};
  sigaltstack(&alternate, nullptr);
}

static void CatchFaults() {
  UseFaultStack();
  struct sigaction action = {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
}

// Floating-point instructions of a fixed number, independent of what memory does: some 5 ms.
static void Arithmetic() {
  constexpr int64_t kSteps = 4'000'000;
  constexpr int kChains = 8;
  __m128 sums[kChains];
  for (int i = 0; i < kChains; ++i) sums[i] = _mm_set1_ps(static_cast<float>(i));
  const __m128 factor = _mm_set1_ps(0.999F);
  for (int64_t step = 0; step < kSteps; ++step) {
    for (__m128& sum : sums) {
      sum = _mm_mul_ps(sum, factor);
      asm volatile("" : "+x"(sum));
    }
  }
}

class Stopwatch {
 public:
  Stopwatch() {
    getrusage(RUSAGE_SELF, &usage_);
    clock_gettime(CLOCK_MONOTONIC, &time_);
    tsc_ = Ticks();
  }
  void Stop(Reply* reply) const {
    reply->tsc += Ticks() - tsc_;
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    reply->ns += (now.tv_sec - time_.tv_sec) * 1'000'000'000 + now.tv_nsec - time_.tv_nsec;
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    reply->preemptions += static_cast<int32_t>(usage.ru_nivcsw - usage_.ru_nivcsw);
  }

 private:
  static uint64_t Ticks() {
    unsigned processor = 0;
    const uint64_t ticks = __rdtscp(&processor);
    _mm_lfence();
    return ticks;
  }
  rusage usage_;
  timespec time_;
  uint64_t tsc_;
};

static void Run(const Candidate& candidate, const std::vector<quern_call>& calls,
                const Command& command, Reply* reply) {
  const unsigned fp_state = _mm_getcsr();
  size_t set = command.first_set % calls.size();
  quern_status status = QUERN_OK;
  int64_t done = 0;
  const Stopwatch stopwatch;
  while (done < command.count && status == QUERN_OK) {
    status = candidate.run(&calls[set]);
    if (++set == calls.size()) set = 0;
    ++done;
  }
  stopwatch.Stop(reply);
  constexpr unsigned kFlags = 0x3f;  // sticky exception flags may rise
  reply->fp_changed = ((_mm_getcsr() ^ fp_state) & ~kFlags) != 0;
  _mm_setcsr(fp_state);
  reply->status = status;
  reply->completed = done;
}

[[noreturn]] static void Serve(const Candidate& candidate, const std::vector<quern_call>& calls,
                               std::byte* evict, uint64_t evict_bytes) {
  while (true) {
    Command command = {};
    const ssize_t bytes = read(kControlFd, &command, sizeof(command));
    if (bytes != sizeof(command)) _exit(0);
    Reply reply = {};
    reply.op = command.op;
    reply.nonce = command.nonce;
    switch (command.op) {
      case Op::kPrepare:
        reply.status = candidate.prepare(&calls[command.first_set % calls.size()]);
        break;
      case Op::kRun:
        Run(candidate, calls, command, &reply);
        break;
      case Op::kEvict:
        for (uint64_t i = 0; i < evict_bytes; i += kCacheLine) evict[i] ^= std::byte{1};
        break;
      case Op::kCalibrate: {
        const Stopwatch stopwatch;
        Arithmetic();
        stopwatch.Stop(&reply);
        break;
      }
      default:
        break;
    }
    Send(reply);
  }
}

static void Refuse(LoadError error, const std::string& why) {
  Reply reply = {};
  reply.op = Op::kReady;
  reply.status = static_cast<int32_t>(error);
  std::snprintf(reply.text, sizeof(reply.text), "%s", why.c_str());
  Send(reply);
  _exit(1);
}

struct FirstMessage {
  std::vector<char> bytes;
  int fds[3] = {-1, -1, -1};  // shared object, inputs, outputs
};

static FirstMessage Receive() {
  constexpr size_t kMaxBytes = 1 << 20;
  FirstMessage message;
  message.bytes.resize(kMaxBytes);
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(message.fds))] = {};
  iovec data = {.iov_base = message.bytes.data(), .iov_len = message.bytes.size()};
  msghdr header = {};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof(control);
  const ssize_t bytes = recvmsg(kControlFd, &header, MSG_CMSG_CLOEXEC);
  const cmsghdr* rights = CMSG_FIRSTHDR(&header);
  if (bytes < static_cast<ssize_t>(sizeof(Setup)) || rights == nullptr ||
      rights->cmsg_len != CMSG_LEN(sizeof(message.fds))) {
    std::fprintf(stderr, "quern-runner is started by quern, not by hand\n");
    _exit(2);
  }
  std::memcpy(message.fds, CMSG_DATA(rights), sizeof(message.fds));
  message.bytes.resize(bytes);
  return message;
}

static void Main() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const FirstMessage message = Receive();
  const Setup& setup = *reinterpret_cast<const Setup*>(message.bytes.data());
  const auto* records = reinterpret_cast<const TensorRecord*>(&setup + 1);
  const auto* cpus =
      reinterpret_cast<const int32_t*>(records + setup.num_inputs + setup.num_outputs + 1);
  if (setup.magic != kProtocolMagic || reinterpret_cast<const char*>(cpus + setup.threads) !=
                                           message.bytes.data() + message.bytes.size()) {
    Refuse(LoadError::kSandbox, "quern-runner is of another version than its parent");
  }
  if (!arenas.Map(setup, records, message.fds[1], message.fds[2])) {
    Refuse(LoadError::kMemory, std::strerror(errno));
  }
  close(message.fds[1]);
  close(message.fds[2]);
  std::vector<std::byte> evict(setup.evict_bytes, std::byte{1});
  CatchFaults();
  Pool pool;
  if (!pool.Start({cpus, cpus + setup.threads}, UseFaultStack)) {
    Refuse(LoadError::kThreads, "cannot start a thread pinned to a CPU");
  }
  const std::vector<quern_call> calls =
      arenas.Calls(setup, setup.threads > 1 ? Pool::ParallelFor : nullptr, &pool);
  if (!LimitResources(setup.memory_bytes)) Refuse(LoadError::kSandbox, std::strerror(errno));
  ConfineFiles();
  if (!FilterSystemCalls(SandboxStage::kLoading)) {
    Refuse(LoadError::kSandbox, "cannot install a filter of system calls");
  }
  Candidate candidate;
  std::string error;
  if (!Load(message.fds[0], setup.workspace_bytes, &candidate, &error)) {
    Refuse(LoadError::kObject, error);
  }
  close(message.fds[0]);
  if (!FilterSystemCalls(SandboxStage::kRunning)) {
    Refuse(LoadError::kSandbox, "cannot install a filter of system calls");
  }
  Reply ready = {};
  ready.op = Op::kReady;
  Send(ready);
  Serve(candidate, calls, evict.data(), evict.size());
}

}  // namespace quern::workers

int main() { quern::workers::Main(); }
