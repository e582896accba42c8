#include "verifier/symbolic/oracle.h"

namespace quern::verifier {

SolverVerdict Oracle::Ask(const IntegerQuery& query, const std::string& script) {
  if (const auto found = answers_.find(script); found != answers_.end()) return found->second;
  if (broken_ || silences_ >= limits_.silences) return SolverVerdict::kUnknown;
  if (++asked_ > limits_.questions) {
    silence_ = "too many questions for the solver";
    return SolverVerdict::kUnknown;
  }
  if (std::chrono::steady_clock::now() > limits_.deadline) {
    silence_ = "no time is left for the solver";
    return SolverVerdict::kUnknown;
  }
  const SolverAnswer answer = solver_.Ask(query);
  const bool answered =
      answer.verdict == SolverVerdict::kSat || answer.verdict == SolverVerdict::kUnsat;
  if (!answered) {
    silence_ = answer.detail.empty() ? "the solver does not answer" : answer.detail;
    ++silences_;
  }
  broken_ = answer.verdict == SolverVerdict::kError;
  answers_.emplace(script, answer.verdict);
  return answer.verdict;
}

bool Oracle::Impossible(const Question& question, std::string_view kind) {
  if (!question.complete()) return false;
  std::string script = ToSmtLib(question.query());
  if (Ask(question.query(), script) != SolverVerdict::kUnsat) return false;
  const auto [found, fresh] = taken_.emplace(script, generation_);
  if (fresh || found->second != generation_) used_.emplace_back(kind, std::move(script));
  found->second = generation_;
  return true;
}

std::vector<std::pair<std::string, std::string>> Oracle::Take() {
  ++generation_;
  return std::exchange(used_, {});
}

}  // namespace quern::verifier
