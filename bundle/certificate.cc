#include "bundle/certificate.h"

#include <iterator>

#include "bundle/json_view.h"
#include "bundle/status.h"

namespace quern {

static constexpr std::string_view kVerdicts[] = {"proved", "refuted", "unknown"};
static constexpr std::string_view kSemantics[] = {"real", "ordered", "exact"};
static constexpr std::string_view kMethods[] = {"lemma", "enumeration", "solver"};

std::string Name(Verdict verdict) { return std::string(kVerdicts[static_cast<int>(verdict)]); }
std::string Name(Semantics semantics) {
  return std::string(kSemantics[static_cast<int>(semantics)]);
}
std::string Name(Method method) { return std::string(kMethods[static_cast<int>(method)]); }

std::string ToJson(const Certificate& c) {
  nlohmann::json obligations = nlohmann::json::array();
  for (const Obligation& o : c.obligations) {
    obligations.push_back({{"kind", o.kind},
                           {"site", o.site},
                           {"statement", o.statement},
                           {"method", Name(o.method)},
                           {"count", o.count}});
  }
  nlohmann::json bounds = nlohmann::json::array();
  for (const OutputBound& b : c.bounds) {
    bounds.push_back({{"result", b.result},
                      {"absolute", JsonNumber(b.absolute)},
                      {"naive", JsonNumber(b.naive)}});
  }
  nlohmann::json counterexamples = nlohmann::json::array();
  for (const Counterexample& e : c.counterexamples) {
    counterexamples.push_back({{"kind", e.kind},
                               {"message", e.message},
                               {"kernel", e.kernel},
                               {"block", e.block},
                               {"index", e.index},
                               {"expected", JsonNumber(e.expected)},
                               {"actual", JsonNumber(e.actual)},
                               {"input_seed", e.input_seed},
                               {"replayed", e.replayed}});
  }
  return JsonText({{"version", c.version},
                   {"checker_version", c.checker_version},
                   {"verdict", Name(c.verdict)},
                   {"semantics", Name(c.semantics)},
                   {"level", c.level},
                   {"assumptions", c.assumptions},
                   {"trusted", c.trusted},
                   {"obligations", obligations},
                   {"bounds", bounds},
                   {"reason", c.reason},
                   {"counterexamples", counterexamples},
                   {"error_ratio", JsonNumber(c.error_ratio)},
                   {"digests", c.digests}});
}

static Obligation ParseObligation(const JsonView& view) {
  view.ExpectKeys({"kind", "site", "statement", "method", "count"});
  return {.kind = view["kind"].String(),
          .site = view["site"].String(),
          .statement = view["statement"].String(),
          .method = view["method"].Enum<Method>(std::size(kMethods)),
          .count = view["count"].Integer(0)};
}

static OutputBound ParseBound(const JsonView& view) {
  view.ExpectKeys({"result", "absolute", "naive"});
  return {.result = view["result"].Int(),
          .absolute = view["absolute"].NonNegative(),
          .naive = view["naive"].NonNegative()};
}

static Counterexample ParseCounterexample(const JsonView& view) {
  view.ExpectKeys({"kind", "message", "kernel", "block", "index", "expected", "actual",
                   "input_seed", "replayed"});
  return {.kind = view["kind"].String(),
          .message = view["message"].String(),
          .kernel = view["kernel"].String(),
          .block = view["block"].Integers(),
          .index = view["index"].Integers(),
          .expected = view["expected"].Double(),
          .actual = view["actual"].Double(),
          .input_seed = view["input_seed"].Unsigned(),
          .replayed = view["replayed"].Bool()};
}

absl::StatusOr<Certificate> ParseCertificate(std::string_view text) {
  QUERN_ASSIGN_OR_RETURN(nlohmann::json json, ParseJson(text, "certificate"));
  absl::Status status;
  const JsonView view(&json, "certificate:", &status);
  view.ExpectKeys({"version", "checker_version", "verdict", "semantics", "level", "assumptions",
                   "trusted", "obligations", "bounds", "reason", "counterexamples", "error_ratio",
                   "digests"});
  Certificate c{.version = static_cast<int>(view["version"].Integer(1, 1)),
                .checker_version = view["checker_version"].String(),
                .verdict = view["verdict"].Enum<Verdict>(std::size(kVerdicts)),
                .semantics = view["semantics"].Enum<Semantics>(std::size(kSemantics)),
                .level = view["level"].String(),
                .assumptions = view["assumptions"].Strings(),
                .trusted = view["trusted"].Strings(),
                .obligations = {},
                .bounds = {},
                .reason = view["reason"].String(),
                .counterexamples = {},
                .error_ratio = view["error_ratio"].NonNegative(),
                .digests = {}};
  for (const JsonView& item : view["obligations"].Items()) {
    c.obligations.push_back(ParseObligation(item));
  }
  for (const JsonView& item : view["bounds"].Items()) c.bounds.push_back(ParseBound(item));
  for (const JsonView& item : view["counterexamples"].Items()) {
    c.counterexamples.push_back(ParseCounterexample(item));
  }
  for (const auto& [name, digest] : view["digests"].Members()) c.digests[name] = digest.Sha256();
  if (c.verdict == Verdict::kProved && !c.counterexamples.empty()) {
    view["verdict"].Fail("is proved, but there are counterexamples");
  }
  QUERN_RETURN_IF_ERROR(status);
  return c;
}

}  // namespace quern
