#include "bundle/certificate.h"

#include <cmath>

#include "bundle/json_mutants.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern {

using testing::HasSubstr;

static Certificate Example() {
  return {.version = 1,
          .checker_version = "1.2",
          .verdict = Verdict::kRefuted,
          .semantics = Semantics::kOrdered,
          .level = "LLVM IR at code-generator input",
          .assumptions = {"|arg0| <= 1024"},
          .trusted = {"assembler", "launcher"},
          .obligations = {{.kind = "in-bounds",
                           .site = "k0",
                           .statement = "(< i 512)",
                           .method = Method::kSolver,
                           .count = 12}},
          .bounds = {{.result = 1, .absolute = INFINITY, .naive = 1e-6}},
          .reason = "why",
          .counterexamples = {{.kind = "value",
                               .message = "element (0, 1) lacks a term",
                               .kernel = "k0",
                               .block = {0, 1, 2},
                               .index = {0, 1},
                               .expected = NAN,
                               .actual = -INFINITY,
                               .input_seed = UINT64_MAX,
                               .replayed = true}},
          .error_ratio = 2.5,
          .digests = {{"module", std::string(64, '0')}}};
}

TEST(CertificateTest, RoundTrips) {
  for (const Certificate& certificate : {Example(), Certificate()}) {
    const std::string text = ToJson(certificate);
    absl::StatusOr<Certificate> read = ParseCertificate(text);
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    EXPECT_EQ(ToJson(*read), text);
  }
  const Certificate read = ParseCertificate(ToJson(Example())).value();
  EXPECT_EQ(read.verdict, Verdict::kRefuted);
  EXPECT_EQ(read.semantics, Semantics::kOrdered);
  EXPECT_EQ(read.obligations[0].method, Method::kSolver);
  EXPECT_EQ(read.bounds[0].absolute, INFINITY);
  EXPECT_TRUE(std::isnan(read.counterexamples[0].expected));
  EXPECT_EQ(read.counterexamples[0].input_seed, UINT64_MAX);
  EXPECT_TRUE(read.counterexamples[0].replayed);
  EXPECT_EQ(read.digests.at("module"), std::string(64, '0'));
}

TEST(CertificateTest, EveryNameIsRead) {
  for (Verdict verdict : {Verdict::kProved, Verdict::kRefuted, Verdict::kUnknown}) {
    for (Semantics semantics : {Semantics::kReal, Semantics::kOrdered, Semantics::kExact}) {
      Certificate certificate{.verdict = verdict, .semantics = semantics};
      const Certificate read = ParseCertificate(ToJson(certificate)).value();
      EXPECT_EQ(read.verdict, verdict);
      EXPECT_EQ(read.semantics, semantics);
    }
  }
}

TEST(CertificateTest, MalformedTextNamesTheKey) {
  for (const JsonMutant& mutant : JsonMutants(ToJson(Example()))) {
    const absl::Status status = ParseCertificate(mutant.text).status();
    // Digests are a map: any name may be there or not.
    const bool is_digest = mutant.key == "module" || mutant.key == "surprise";
    if (status.ok() && (!mutant.wrong || is_digest)) continue;
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << mutant.text;
    EXPECT_THAT(std::string(status.message()), HasSubstr(mutant.key)) << mutant.text;
  }
}

TEST(CertificateTest, ContradictionsAndUnknownValuesAreErrors) {
  Certificate contradiction = Example();
  contradiction.verdict = Verdict::kProved;
  EXPECT_THAT(std::string(ParseCertificate(ToJson(contradiction)).status().message()),
              HasSubstr("verdict is proved"));
  auto with = [](const std::string& from, const std::string& to) {
    std::string text = ToJson(Example());
    text.replace(text.find(from), from.size(), to);
    return std::string(ParseCertificate(text).status().message());
  };
  EXPECT_THAT(with("\"refuted\"", "\"Proved\""),
              HasSubstr("verdict has the unknown value 'Proved'"));
  EXPECT_THAT(with("\"version\": 1", "\"version\": 2"), HasSubstr("certificate: version"));
  EXPECT_THAT(with("\"count\": 12", "\"count\": -1"), HasSubstr("obligations[0].count"));
  EXPECT_THAT(with("\"absolute\": \"inf\"", "\"absolute\": -1"), HasSubstr("bounds[0].absolute"));
  EXPECT_THAT(with("0000", "000G"), HasSubstr("digests.module"));
}

}  // namespace quern
