#include "bundle/certificate.h"

#include <algorithm>
#include <iterator>

#include "bundle/json_reader.h"
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
    bounds.push_back(
        {{"result", b.result}, {"absolute", JsonOf(b.absolute)}, {"naive", JsonOf(b.naive)}});
  }
  nlohmann::json counterexamples = nlohmann::json::array();
  for (const Counterexample& e : c.counterexamples) {
    counterexamples.push_back({{"kind", e.kind},
                               {"message", e.message},
                               {"kernel", e.kernel},
                               {"block", e.block},
                               {"index", e.index},
                               {"expected", JsonOf(e.expected)},
                               {"actual", JsonOf(e.actual)},
                               {"input_seed", e.input_seed},
                               {"replayed", e.replayed}});
  }
  return nlohmann::json({{"version", c.version},
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
                         {"error_ratio", JsonOf(c.error_ratio)},
                         {"digests", c.digests}})
      .dump(1);
}

template <typename Enum, size_t n>
static Enum ReadEnum(JsonReader& reader, const char* key, const std::string_view (&names)[n]) {
  const std::string name = reader.String(key);
  const auto* found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names)) {
    reader.Fail(key, "has an unknown value");
    return static_cast<Enum>(0);
  }
  return static_cast<Enum>(found - std::begin(names));
}

absl::StatusOr<Certificate> ParseCertificate(std::string_view text) {
  QUERN_ASSIGN_OR_RETURN(nlohmann::json json, ParseJson(text, "certificate"));
  JsonReader reader(json, "certificate");
  Certificate c;
  c.version = static_cast<int>(reader.Integer("version", 1, 1));
  c.checker_version = reader.String("checker_version");
  c.verdict = ReadEnum<Verdict>(reader, "verdict", kVerdicts);
  c.semantics = ReadEnum<Semantics>(reader, "semantics", kSemantics);
  c.level = reader.String("level");
  c.assumptions = reader.Strings("assumptions");
  c.trusted = reader.Strings("trusted");
  for (const nlohmann::json& item : reader.Array("obligations")) {
    JsonReader line(item, reader.Path("obligations", c.obligations.size()));
    c.obligations.push_back({.kind = line.String("kind"),
                             .site = line.String("site"),
                             .statement = line.String("statement"),
                             .method = ReadEnum<Method>(line, "method", kMethods),
                             .count = line.Integer("count", 0)});
    reader.Merge(line.Finish());
  }
  for (const nlohmann::json& item : reader.Array("bounds")) {
    JsonReader line(item, reader.Path("bounds", c.bounds.size()));
    c.bounds.push_back({.result = static_cast<int>(line.Integer("result", 0, 1 << 20)),
                        .absolute = line.Double("absolute"),
                        .naive = line.Double("naive")});
    reader.Merge(line.Finish());
  }
  c.reason = reader.String("reason");
  for (const nlohmann::json& item : reader.Array("counterexamples")) {
    JsonReader line(item, reader.Path("counterexamples", c.counterexamples.size()));
    c.counterexamples.push_back({.kind = line.String("kind"),
                                 .message = line.String("message"),
                                 .kernel = line.String("kernel"),
                                 .block = line.Integers("block"),
                                 .index = line.Integers("index"),
                                 .expected = line.Double("expected"),
                                 .actual = line.Double("actual"),
                                 .input_seed = line.Unsigned("input_seed"),
                                 .replayed = line.Bool("replayed")});
    reader.Merge(line.Finish());
  }
  c.error_ratio = reader.Double("error_ratio");
  c.digests = reader.StringMap("digests");
  QUERN_RETURN_IF_ERROR(reader.Finish());
  return c;
}

}  // namespace quern
