#include "workers/runner_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "workers/spawn.h"

namespace quern::workers {

std::string Failure::kind() const {
  static constexpr const char* kKinds[] = {"",
                                           "crashed",
                                           "timed out",
                                           "out of memory",
                                           "forbidden system call",
                                           "out of bounds",
                                           "input written",
                                           "bad call",
                                           "bad object",
                                           "floating-point state changed",
                                           "protocol violated",
                                           "wrong output",
                                           "nondeterministic",
                                           "clock"};
  return kKinds[static_cast<int>(fault)];
}

static absl::Status SystemError(absl::string_view action) {
  return absl::UnavailableError(absl::StrCat("cannot ", action, ": ", std::strerror(errno)));
}

static int64_t NowNs() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

absl::Status RunnerProcess::SendSetup(const Artifact& artifact, const RunnerOptions& options) {
  QUERN_ASSIGN_OR_RETURN(Descriptor object, SealedFile(artifact.binary));
  Setup setup = memory_->setup();
  setup.threads = static_cast<uint32_t>(options.cpus.size());
  setup.evict_bytes = options.evict_bytes;
  setup.memory_bytes = options.memory_bytes;
  std::vector<int32_t> cpus(options.cpus.begin(), options.cpus.end());
  const std::vector<TensorRecord>& records = memory_->records();
  iovec parts[] = {{.iov_base = &setup, .iov_len = sizeof(setup)},
                   {.iov_base = const_cast<TensorRecord*>(records.data()),
                    .iov_len = records.size() * sizeof(TensorRecord)},
                   {.iov_base = cpus.data(), .iov_len = cpus.size() * sizeof(int32_t)}};
  const int fds[] = {object.get(), memory_->input_fd(), memory_->output_fd()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(fds))] = {};
  msghdr header = {};
  header.msg_iov = parts;
  header.msg_iovlen = std::size(parts);
  header.msg_control = control;
  header.msg_controllen = sizeof(control);
  cmsghdr* rights = CMSG_FIRSTHDR(&header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(fds));
  std::memcpy(CMSG_DATA(rights), fds, sizeof(fds));
  if (sendmsg(control_.get(), &header, MSG_NOSIGNAL) < 0) return SystemError("talk to the runner");
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<RunnerProcess>> RunnerProcess::Start(const Artifact& artifact,
                                                                    const RunnerOptions& options) {
  if (artifact.kind != BinaryKind::kSharedObject) {
    return absl::InvalidArgumentError("only a shared object can be run on this machine's CPU");
  }
  QUERN_ASSIGN_OR_RETURN(const std::string runner, FindRunner());
  std::unique_ptr<RunnerProcess> process(new RunnerProcess);
  QUERN_ASSIGN_OR_RETURN(process->memory_,
                         RunnerMemory::Create(SignatureOf(artifact.plan), options.num_sets,
                                              artifact.plan.workspace_bytes(), options.placement));
  QUERN_ASSIGN_OR_RETURN(SpawnedRunner spawned, SpawnRunner(runner));
  process->pid_ = spawned.pid;
  process->control_ = std::move(spawned.control);
  QUERN_RETURN_IF_ERROR(process->SendSetup(artifact, options));
  QUERN_RETURN_IF_ERROR(process->AwaitReady(options.start_timeout_seconds));
  return process;
}

absl::Status RunnerProcess::AwaitReady(double timeout_seconds) {
  const std::optional<Reply> reply = Receive(timeout_seconds);
  if (!reply) return absl::OkStatus();  // the candidate failed while it was loaded
  const std::string text(reply->text, strnlen(reply->text, sizeof(reply->text)));
  if (reply->op != Op::kReady) {
    Fail(Fault::kProtocol, "it answered before it was asked");
    return absl::OkStatus();
  }
  switch (static_cast<LoadError>(reply->status)) {
    case LoadError::kNone:
      return absl::OkStatus();
    case LoadError::kObject:
      Fail(Fault::kBadObject, text);
      return absl::OkStatus();
    case LoadError::kMemory:
      return absl::ResourceExhaustedError(absl::StrCat("the runner cannot map memory: ", text));
    default:
      return absl::UnavailableError(absl::StrCat("the runner cannot start: ", text));
  }
}

RunnerProcess::~RunnerProcess() { Reap(/*timed_out=*/true); }

void RunnerProcess::Fail(Fault fault, std::string message) {
  if (failure_.ok()) failure_ = {.fault = fault, .message = std::move(message)};
  Reap(/*timed_out=*/true);
}

// Ends the process. If nothing has failed before and it ended by itself, says how.
void RunnerProcess::Reap(bool timed_out) {
  if (pid_ < 0) return;
  control_.Close();
  if (timed_out) kill(pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (timed_out || !failure_.ok()) return;
  if (!WIFSIGNALED(status)) {
    failure_ = {
        .fault = Fault::kCrashed,
        .message = absl::StrCat("it ended the process with exit code ", WEXITSTATUS(status))};
    return;
  }
  const int signal = WTERMSIG(status);
  failure_.fault = signal == SIGSYS    ? Fault::kForbiddenCall
                   : signal == SIGKILL ? Fault::kOutOfMemory
                   : signal == SIGXCPU ? Fault::kTimedOut
                                       : Fault::kCrashed;
  failure_.message = absl::StrCat("ended by SIG", sigabbrev_np(signal));
}

static Failure FailureOf(const Reply& fault) {
  const char* name = sigabbrev_np(fault.status);
  const std::string signal = absl::StrCat("SIG", name == nullptr ? "?" : name);
  if (fault.memory_is_full != 0) {
    return {.fault = Fault::kOutOfMemory, .message = absl::StrCat(signal, ", no memory is left")};
  }
  switch (fault.place) {
    case FaultPlace::kInput:
      return {.fault = Fault::kInputWritten, .message = absl::StrCat(signal, " on an input")};
    case FaultPlace::kGuard:
      return {.fault = Fault::kOutOfBounds,
              .message = absl::StrCat(signal, " on a guard page beside a tensor")};
    default:
      return {.fault = Fault::kCrashed, .message = signal};
  }
}

std::optional<Reply> RunnerProcess::Receive(double timeout_seconds) {
  const int64_t deadline = NowNs() + static_cast<int64_t>(std::min(timeout_seconds, 1e8) * 1e9);
  Reply reply = {};
  while (true) {
    const int64_t left = std::max<int64_t>(deadline - NowNs(), 0);
    pollfd waiting = {.fd = control_.get(), .events = POLLIN, .revents = 0};
    const timespec timeout = {.tv_sec = left / 1'000'000'000, .tv_nsec = left % 1'000'000'000};
    const int ready = ppoll(&waiting, 1, &timeout, nullptr);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      Fail(Fault::kTimedOut, absl::StrCat("no answer in ", timeout_seconds, " s"));
      return std::nullopt;
    }
    break;
  }
  const ssize_t bytes = recv(control_.get(), &reply, sizeof(reply), MSG_DONTWAIT | MSG_TRUNC);
  if (bytes <= 0) {
    Reap(/*timed_out=*/false);
    return std::nullopt;
  }
  if (bytes != sizeof(reply)) {
    Fail(Fault::kProtocol, "it wrote to the runner's channel");
    return std::nullopt;
  }
  if (reply.op == Op::kFault) {
    const Failure failure = FailureOf(reply);
    Fail(failure.fault, failure.message);
    return std::nullopt;
  }
  return reply;
}

std::optional<Reply> RunnerProcess::Ask(Command command, double timeout_seconds,
                                        int64_t* elapsed_ns) {
  if (pid_ < 0) return std::nullopt;
  command.nonce = nonces_();
  char unasked = 0;
  if (recv(control_.get(), &unasked, 1, MSG_DONTWAIT | MSG_PEEK) > 0) {
    Fail(Fault::kProtocol, "it answered before it was asked");
    return std::nullopt;
  }
  const int64_t start = NowNs();
  // If the runner is gone, receiving says how it ended.
  send(control_.get(), &command, sizeof(command), MSG_NOSIGNAL);
  std::optional<Reply> reply = Receive(timeout_seconds);
  if (elapsed_ns != nullptr) *elapsed_ns = NowNs() - start;
  if (reply && (reply->op != command.op || reply->nonce != command.nonce)) {
    Fail(Fault::kProtocol, "its answer is not to what was asked");
    return std::nullopt;
  }
  return reply;
}

static std::string Complaint(const char* function, int status) {
  static constexpr const char* kNames[] = {"QUERN_OK",         "QUERN_BAD_CALL",
                                           "QUERN_BAD_TENSOR", "QUERN_BAD_ALIGNMENT",
                                           "QUERN_OVERLAP",    "QUERN_BAD_FP_STATE"};
  const bool known = status >= 0 && status < static_cast<int>(std::size(kNames));
  return absl::StrCat(function, " returned ", known ? kNames[status] : "an unknown status", " (",
                      status, ")");
}

bool RunnerProcess::Prepare(int set, double timeout_seconds) {
  Command command = {};
  command.op = Op::kPrepare;
  command.first_set = static_cast<uint32_t>(set);
  const std::optional<Reply> reply = Ask(command, timeout_seconds, nullptr);
  if (!reply) return false;
  if (reply->status != 0) Fail(Fault::kBadCall, Complaint("quern_prepare", reply->status));
  return reply->status == 0;
}

std::optional<Batch> RunnerProcess::Run(int64_t count, int first_set, double timeout_seconds) {
  Command command = {};
  command.op = Op::kRun;
  command.first_set = static_cast<uint32_t>(first_set);
  command.count = count;
  Batch batch;
  const std::optional<Reply> reply = Ask(command, timeout_seconds, &batch.elapsed_ns);
  if (!reply) return std::nullopt;
  if (reply->status == 5 || reply->fp_changed != 0) {
    Fail(Fault::kFpState, "MXCSR was not what it was before the run");
  } else if (reply->status != 0) {
    Fail(Fault::kBadCall, Complaint("quern_run", reply->status));
  } else if (reply->completed != count) {
    Fail(Fault::kProtocol, "its answer does not fit what was asked");
  } else if (std::optional<std::string> where = memory_->DamagedRedZone()) {
    Fail(Fault::kOutOfBounds, absl::StrCat("it wrote beside ", *where));
  }
  if (!failure_.ok()) return std::nullopt;
  batch.ns = reply->ns;
  batch.tsc = reply->tsc;
  batch.preemptions = reply->preemptions;
  return batch;
}

// Far more than any of these takes.
static constexpr double kRunnerSeconds = 20;

std::optional<Batch> RunnerProcess::Calibrate() {
  Command command = {};
  command.op = Op::kCalibrate;
  Batch batch;
  const std::optional<Reply> reply = Ask(command, kRunnerSeconds, &batch.elapsed_ns);
  if (!reply) return std::nullopt;
  batch.ns = reply->ns;
  batch.tsc = reply->tsc;
  batch.preemptions = reply->preemptions;
  return batch;
}

bool RunnerProcess::Evict() {
  Command command = {};
  command.op = Op::kEvict;
  return Ask(command, kRunnerSeconds, nullptr).has_value();
}

std::optional<int64_t> RunnerProcess::MeasureRoundTrip() {
  constexpr int kTrips = 16;
  int64_t longest = 0;
  for (int i = 0; i < kTrips; ++i) {
    Command command = {};
    command.op = Op::kPing;
    int64_t elapsed = 0;
    if (!Ask(command, kRunnerSeconds, &elapsed)) return std::nullopt;
    longest = std::max(longest, elapsed);
  }
  return longest;
}

}  // namespace quern::workers
