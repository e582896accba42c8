#include "verifier/solver/cvc5_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace quern::verifier {

static constexpr size_t kMaxReply = 1 << 20;

Cvc5Process::Cvc5Process(Cvc5Options options) : options_(std::move(options)) {}

Cvc5Process::~Cvc5Process() { Stop(); }

bool Cvc5Process::Start() {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) return false;
  std::vector<std::string> words = {
      options_.executable,
      "--lang=smt2",
      "--incremental",
      "--produce-models",
      absl::StrCat("--tlimit-per=", static_cast<int64_t>(options_.seconds * 1000)),
      absl::StrCat("--rlimit-per=", options_.resources),
      "-q"};
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  child_ = fork();
  if (child_ == 0) {
    const rlimit memory = {.rlim_cur = static_cast<rlim_t>(options_.memory_bytes),
                           .rlim_max = static_cast<rlim_t>(options_.memory_bytes)};
    const rlimit no_core = {.rlim_cur = 0, .rlim_max = 0};
    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(sockets[1], STDIN_FILENO);
    dup2(sockets[1], STDOUT_FILENO);
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0) dup2(null, STDERR_FILENO);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  close(sockets[1]);
  if (child_ < 0) {
    close(sockets[0]);
    return false;
  }
  to_child_ = from_child_ = sockets[0];
  return true;
}

void Cvc5Process::Stop() {
  if (child_ < 0) return;
  close(to_child_);
  kill(child_, SIGKILL);
  while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
  child_ = to_child_ = from_child_ = -1;
}

bool Cvc5Process::Exchange(const std::string& script, const std::string& marker,
                           Clock::time_point deadline, std::string* reply, std::string* why) {
  size_t sent = 0;
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      *why = "no answer in time";
      return false;
    }
    pollfd poller = {.fd = from_child_,
                     .events = static_cast<short>(POLLIN | (sent < script.size() ? POLLOUT : 0)),
                     .revents = 0};
    const int ready = poll(&poller, 1, static_cast<int>(std::min<int64_t>(left, 1000)));
    if (ready < 0 && errno != EINTR) {
      *why = std::strerror(errno);
      return false;
    }
    if (ready <= 0) continue;
    if (poller.revents & POLLOUT) {
      const ssize_t n =
          send(to_child_, script.data() + sent, script.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n > 0) sent += n;
      if (n < 0 && errno != EAGAIN && errno != EINTR) {
        *why = "the process ended";
        return false;
      }
    }
    if (poller.revents & (POLLIN | POLLHUP | POLLERR)) {
      char chunk[4096];
      const ssize_t n = recv(from_child_, chunk, sizeof chunk, MSG_DONTWAIT);
      if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        *why = "the process ended";
        return false;
      }
      if (n > 0) reply->append(chunk, n);
      if (reply->size() > kMaxReply) {
        *why = "the answer is too long";
        return false;
      }
      const size_t at = reply->find(marker);
      if (sent == script.size() && at != std::string::npos) {
        reply->resize(at);
        return true;
      }
    }
  }
}

// "((x 4) (y (- 3)))"; nullopt if it is anything else.
static std::optional<std::map<std::string, int64_t>> ParseModel(std::string text) {
  std::map<std::string, int64_t> model;
  for (char& c : text) {
    if (c == '(' || c == ')' || c == '\n') c = ' ';
  }
  std::vector<absl::string_view> words = absl::StrSplit(text, ' ', absl::SkipEmpty());
  for (size_t i = 0; i + 1 < words.size(); i += 2) {
    const bool negative = words[i + 1] == "-";
    if (negative && i + 2 >= words.size()) return std::nullopt;
    int64_t value;
    if (!absl::SimpleAtoi(negative ? absl::StrCat("-", words[i + 2]) : std::string(words[i + 1]),
                          &value)) {
      return std::nullopt;
    }
    model[std::string(words[i])] = value;
    if (negative) ++i;
  }
  return model;
}

SolverAnswer Cvc5Process::Ask(const IntegerQuery& query) {
  if (child_ < 0 && !Start())
    return {.detail = absl::StrCat(options_.executable, " cannot be started")};
  const std::string marker = absl::StrCat("quern-", ++questions_);
  std::string script = absl::StrCat(
      "(reset)\n(set-option :print-success false)\n(set-option :produce-models true)\n"
      "(set-logic QF_LIA)\n",
      ToSmtLib(query), "(check-sat)\n(echo \"", marker, "\")\n");
  const Clock::time_point deadline =
      Clock::now() + std::chrono::milliseconds(static_cast<int64_t>(options_.seconds * 2000));
  std::string reply, why;
  if (!Exchange(script, marker, deadline, &reply, &why)) {
    Stop();
    const bool late = why == "no answer in time";
    return {.verdict = late ? SolverVerdict::kUnknown : SolverVerdict::kError,
            .detail = absl::StrCat(options_.executable, ": ", why)};
  }
  for (char& c : reply) {
    if (c == '"' || c == '\n') c = ' ';
  }
  const std::string word(absl::StripAsciiWhitespace(reply));
  if (word == "unsat") return {.verdict = SolverVerdict::kUnsat};
  if (word == "unknown")
    return {.verdict = SolverVerdict::kUnknown, .detail = "the solver gave up"};
  if (word != "sat") {
    Stop();
    return {.detail = absl::StrCat(options_.executable, " said '", word.substr(0, 80), "'")};
  }
  SolverAnswer answer{.verdict = SolverVerdict::kSat};
  if (query.variables.empty()) return answer;
  std::string names;
  for (const IntegerQuery::Variable& v : query.variables) absl::StrAppend(&names, " ", v.name);
  const std::string model_marker = absl::StrCat("quern-model-", questions_);
  reply.clear();
  if (!Exchange(absl::StrCat("(get-value (", names, "))\n(echo \"", model_marker, "\")\n"),
                model_marker, deadline, &reply, &why)) {
    Stop();
    return answer;  // still sat, without its model
  }
  std::replace(reply.begin(), reply.end(), '"', ' ');
  if (auto model = ParseModel(reply)) answer.model = *std::move(model);
  return answer;
}

}  // namespace quern::verifier
