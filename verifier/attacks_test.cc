// What a liar would try: hints, launch plans and certificates that say what is not so.
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "bundle/digest.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "verifier/checker.h"
#include "verifier/machine/testdata.h"
#include "verifier/replay.h"

namespace quern::verifier {
namespace {

using ::nlohmann::json;

Certificate CheckKernel(const TestKernel& kernel, const CheckOptions& options = {}) {
  const absl::StatusOr<Certificate> certificate = Check({.module = kernel.module,
                                                         .llvm_ir = kernel.llvm_ir,
                                                         .plan = kernel.plan,
                                                         .binary_sha256 = ""},
                                                        options);
  EXPECT_TRUE(certificate.ok()) << certificate.status();
  return certificate.ok() ? *certificate : Certificate();
}

Verdict VerdictOf(const TestKernel& kernel) { return CheckKernel(kernel).verdict; }

// pack_add's temporary is buffer 2: @pack writes %b into it, @add reads it.
constexpr int kPacked = 2;

TestKernel WithHint(const std::string& holds) {
  TestKernel kernel = LoadTestKernel("pack_add");
  kernel.plan.buffers[kPacked].holds = holds;
  return kernel;
}

std::string Holding(const std::string& body) {
  return absl::StrCat(
      "func.func @main(%a: tensor<40x32xf32>, %b: tensor<40x32xf32>) -> tensor<40x32xf32> {\n",
      body, "\n}\n");
}

TEST(AttacksTest, AHintThatLiesProvesNothing) {
  ASSERT_EQ(VerdictOf(LoadTestKernel("pack_add")), Verdict::kProved);
  for (const std::string& body :
       {std::string("return %a : tensor<40x32xf32>"),
        std::string("%n = stablehlo.negate %b : tensor<40x32xf32>\n"
                    "return %n : tensor<40x32xf32>"),
        std::string("%n = stablehlo.constant dense<0.0> : tensor<40x32xf32>\n"
                    "return %n : tensor<40x32xf32>"),
        // Shifted by a row and by a column.
        std::string("%0 = stablehlo.slice %b [1:40, 0:32] : (tensor<40x32xf32>) -> "
                    "tensor<39x32xf32>\n"
                    "%1 = stablehlo.slice %b [0:1, 0:32] : (tensor<40x32xf32>) -> "
                    "tensor<1x32xf32>\n"
                    "%2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<39x32xf32>, "
                    "tensor<1x32xf32>) -> tensor<40x32xf32>\n"
                    "return %2 : tensor<40x32xf32>"),
        std::string("%0 = stablehlo.reverse %b, dims = [1] : tensor<40x32xf32>\n"
                    "return %0 : tensor<40x32xf32>")}) {
    EXPECT_NE(VerdictOf(WithHint(Holding(body))), Verdict::kProved) << body;
  }
}

TEST(AttacksTest, AHintThatIsNotReadProvesNothing) {
  for (const std::string& text :
       {std::string("no module at all"), std::string(1 << 16, '('),
        Holding("return %b : tensor<32x40xf32>"), Holding("return %c : tensor<40x32xf32>"),
        absl::StrReplaceAll(Holding("return %b : tensor<40x32xf32>"), {{"40x32", "40x31"}}),
        absl::StrReplaceAll(Holding("return %b : tensor<40x32xf32>"), {{"f32", "i32"}})}) {
    EXPECT_NE(VerdictOf(WithHint(text)), Verdict::kProved) << text.substr(0, 80);
  }
}

// A region that is moved, too large, empty or covered twice.
TEST(AttacksTest, ALayoutThatLiesProvesNothing) {
  const TestKernel kernel = LoadTestKernel("pack_add");
  const std::string plan = ToJson(kernel.plan);
  int plans = 0;
  const json document = json::parse(plan);
  const json& pieces = document["buffers"][kPacked]["layout"];
  ASSERT_EQ(pieces.size(), 3u);
  const auto attempt = [&](const json& layout) {
    json changed = document;
    changed["buffers"][kPacked]["layout"] = layout;
    absl::StatusOr<LaunchPlan> parsed = ParseLaunchPlan(changed.dump());
    if (!parsed.ok()) return;
    ++plans;
    TestKernel lie = kernel;
    lie.plan = *std::move(parsed);
    EXPECT_NE(VerdictOf(lie), Verdict::kProved) << layout.dump();
  };
  attempt(json::array());
  for (size_t i = 0; i < pieces.size(); ++i) {
    json without = pieces;
    without.erase(i);
    attempt(without);
    for (size_t j = i + 1; j < pieces.size(); ++j) {
      json swapped = pieces;
      std::swap(swapped[i], swapped[j]);
      attempt(swapped);
    }
    for (const char* key : {"dimension", "divisor", "extent"}) {
      for (const int64_t value : {0, 1, 2, 8, 16, 32, 40, 64}) {
        json changed = pieces;
        if (changed[i][key] == value) continue;
        changed[i][key] = value;
        attempt(changed);
      }
    }
  }
  EXPECT_GE(plans, 3);
}

// The producer is wrong in the way that the hint says, and the consumer right if the hint were the
// truth: each kernel alone stands, and the whole is wrong.
TEST(AttacksTest, AWrongProducerIsNotCoveredByItsHint) {
  TestKernel kernel = WithHint(Holding("return %a : tensor<40x32xf32>"));
  kernel.plan.kernels[0].buffers[0] = 0;
  EXPECT_NE(VerdictOf(kernel), Verdict::kProved);
}

TEST(AttacksTest, AnotherGridIsNotProved) {
  for (const std::string& name : TestKernelNames()) {
    const TestKernel kernel = LoadTestKernel(name);
    for (size_t k = 0; k < kernel.plan.kernels.size(); ++k) {
      for (const int64_t by : {-1, 1}) {
        TestKernel changed = kernel;
        int64_t& blocks = changed.plan.kernels[k].grid[0];
        blocks += by;
        if (blocks == 0) continue;
        EXPECT_NE(VerdictOf(changed), Verdict::kProved) << name << ": grid " << blocks;
      }
    }
  }
}

TEST(AttacksTest, BuffersThatChangePlacesAreNotProved) {
  for (const char* name : {"strided_add", "pack_add", "matmul", "matmul_bias_relu"}) {
    const TestKernel kernel = LoadTestKernel(name);
    const size_t size = kernel.plan.kernels[0].buffers.size();
    for (size_t i = 0; i < size; ++i) {
      for (size_t j = i + 1; j < size; ++j) {
        TestKernel changed = kernel;
        std::vector<int>& buffers = changed.plan.kernels[0].buffers;
        std::swap(buffers[i], buffers[j]);
        const Certificate certificate = CheckKernel(changed);
        // Equal only where the operation commutes: the values are compared, not the names.
        const bool commutes = std::string(name) == "strided_add" && i == 0 && j == 1;
        EXPECT_EQ(certificate.verdict == Verdict::kProved, commutes) << name << i << j;
      }
    }
  }
}

constexpr char kBinary[] = "the bytes of a shared object";

Bundle ProvedBundle(const std::string& name, const CheckOptions& options) {
  const TestKernel kernel = LoadTestKernel(name);
  Bundle bundle;
  bundle.module = kernel.module;
  bundle.artifact.plan = kernel.plan;
  bundle.artifact.llvm_ir = kernel.llvm_ir;
  bundle.artifact.binary = kBinary;
  bundle.certificate = Check({.module = kernel.module,
                              .llvm_ir = kernel.llvm_ir,
                              .plan = kernel.plan,
                              .binary_sha256 = Sha256(kBinary)},
                             options)
                           .value();
  EXPECT_EQ(bundle.certificate.verdict, Verdict::kProved) << bundle.certificate.reason;
  return bundle;
}

bool Stands(const Bundle& bundle) {
  const absl::StatusOr<ReplayResult> result = Replay(bundle, {.limits = {}, .emitter = ""});
  return result.ok() && result->differences.empty();
}

// The claim with one value changed: each member of each object, each element of each list.
std::vector<json> Forgeries(const json& document) {
  std::vector<json> forgeries;
  const json flat = document.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    const json::json_pointer at(pointer);
    json forged = document;
    if (value.is_string()) {
      forged[at] = value.get<std::string>() + "x";
      forgeries.push_back(forged);
      forged[at] = "";
      if (!value.get<std::string>().empty()) forgeries.push_back(forged);
    } else if (value.is_number_integer()) {
      forged[at] = value.get<int64_t>() + 1;
      forgeries.push_back(forged);
    } else if (value.is_number()) {
      for (const double factor : {0.5, 0.999999, 2.0}) {
        forged[at] = value.get<double>() * factor;
        forgeries.push_back(forged);
      }
    } else if (value.is_boolean()) {
      forged[at] = !value.get<bool>();
      forgeries.push_back(forged);
    }
    // The element of a list that holds it, left out.
    if (json::json_pointer list = at.parent_pointer(); !at.empty()) {
      while (!list.empty() && !document[list].is_array()) list = list.parent_pointer();
      if (list.empty()) continue;
      json shorter = document;
      shorter[list].erase(0);
      forgeries.push_back(shorter);
    }
  }
  return forgeries;
}

// A claim that is changed and still stands has to be true: a greater ratio of errors is allowed to
// be asked for, and is then what the certificate says.
TEST(AttacksTest, AForgedCertificateDoesNotStand) {
  for (const auto& [name, options] :
       {std::pair<std::string, CheckOptions>{"pack_add", {.semantics = Semantics::kExact}},
        {"matmul", {.boxes = {{.argument = 0, .low = 0, .high = 1}}}}}) {
    const Bundle bundle = ProvedBundle(name, options);
    ASSERT_TRUE(Stands(bundle)) << name;
    const json document = json::parse(ToJson(bundle.certificate));
    int read = 0;
    for (const json& forgery : Forgeries(document)) {
      absl::StatusOr<Certificate> forged = ParseCertificate(forgery.dump());
      if (!forged.ok()) continue;
      ++read;
      if (ToJson(*forged) == ToJson(bundle.certificate)) continue;
      Bundle claim = bundle;
      claim.certificate = *std::move(forged);
      if (claim.certificate.error_ratio != bundle.certificate.error_ratio) continue;
      EXPECT_FALSE(Stands(claim)) << json::diff(document, forgery);
    }
    EXPECT_GE(read, 20) << name;
  }
}

TEST(AttacksTest, AFlippedBitIsRefusedOrSaysTheSame) {
  const Bundle bundle = ProvedBundle("add_relu", {});
  const std::string text = ToJson(bundle.certificate);
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    std::string flipped = text;
    flipped[random() % text.size()] ^= static_cast<char>(1 << (random() % 8));
    absl::StatusOr<Certificate> certificate = ParseCertificate(flipped);
    if (!certificate.ok() || ToJson(*certificate) == text) continue;
    Bundle claim = bundle;
    claim.certificate = *std::move(certificate);
    EXPECT_FALSE(Stands(claim)) << flipped;
  }
}

TEST(AttacksTest, AStrongerSemanticsIsNotUpgradedTo) {
  Bundle bundle = ProvedBundle("row_sum", {});  // sums in lanes: another order
  for (const Semantics semantics : {Semantics::kExact, Semantics::kOrdered}) {
    bundle.certificate.semantics = semantics;
    EXPECT_FALSE(Stands(bundle));
  }
}

TEST(AttacksTest, AWiderBoxIsNotWhatWasProved) {
  Bundle bundle = ProvedBundle("matmul", {.boxes = {{.argument = 0, .low = 0, .high = 1}}});
  int widened = 0;
  for (std::string& assumption : bundle.certificate.assumptions) {
    if (!ParseAssumption(assumption).ok()) continue;
    if (!assumption.starts_with("arg0")) continue;
    assumption = "arg0 in [0,2]";
    ++widened;
  }
  ASSERT_EQ(widened, 1);
  EXPECT_FALSE(Stands(bundle));
}

TEST(AttacksTest, PartsOfAnotherBundleDoNotFit) {
  const Bundle bundle = ProvedBundle("pack_add", {});
  const Bundle other = ProvedBundle("strided_add", {});
  Bundle mixed = bundle;
  mixed.artifact.llvm_ir = other.artifact.llvm_ir;
  EXPECT_FALSE(Stands(mixed));
  mixed = bundle;
  mixed.artifact.plan = other.artifact.plan;
  EXPECT_FALSE(Stands(mixed));
  mixed = bundle;
  mixed.module = other.module;
  EXPECT_FALSE(Stands(mixed));
  mixed = bundle;
  mixed.certificate = other.certificate;
  EXPECT_FALSE(Stands(mixed));
  // A comment changes no meaning, and yet is not what was proved.
  mixed = bundle;
  mixed.artifact.llvm_ir += "; a remark\n";
  EXPECT_FALSE(Stands(mixed));
}

}  // namespace
}  // namespace quern::verifier
