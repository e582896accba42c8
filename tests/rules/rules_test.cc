// Every rule against the checker: what it makes of a small program is lowered for this machine and
// proved; a use of it that changes the result is not.
#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/compiler.h"
#include "frontend/interpreter.h"
#include "mlir/Parser/Parser.h"
#include "search/rules/rule.h"
#include "search/testing/fixture.h"
#include "verifier/checker.h"
#include "verifier/machine/emulator.h"

namespace quern {
namespace {

using search::Action;

// Rules that no use of makes wrong, so that there is nothing to refute.
const std::map<std::string, std::string>& SoundByConstruction() {
  static const std::map<std::string, std::string> rules = {
      {"tile", "the same iterations in the same order"},
      {"inline", "the same scalar code, at the index that is read"},
      {"pack", "a copy to which every read of the kernel is redirected"},
      {"vectorise", "lanes that share a place take turns in order"},
      {"unroll", "the same iterations in the same order"},
  };
  return rules;
}

struct Case {
  const char* name;
  std::string spec;
  std::vector<std::string> trace;  // its last action is the rule's
  Verdict verdict = Verdict::kProved;
  const char* kind = "";  // of the counterexample; empty: any
  Semantics semantics = Semantics::kReal;
  double error_ratio = 2;
  const char* start = "";  // the program to start from; empty: the naive one
};

std::string SumSpec(const std::string& shape, const std::string& dimensions,
                    const std::string& result) {
  return "func.func public @main(%a: tensor<" + shape + ">) -> tensor<" + result +
         "> {\n"
         "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
         "  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [" +
         dimensions + "] : (tensor<" + shape + ">, tensor<f32>) -> tensor<" + result +
         ">\n"
         "  return %0 : tensor<" +
         result + ">\n}";
}

// The first result is returned and read again, transposed.
constexpr const char* kReadsAResult = R"(
func.func public @main(%a: tensor<6x6xf32>) -> (tensor<6x6xf32>, tensor<6x6xf32>) {
  %0 = stablehlo.add %a, %a : tensor<6x6xf32>
  %1 = stablehlo.multiply %0, %a : tensor<6x6xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<6x6xf32>) -> tensor<6x6xf32>
  %3 = stablehlo.subtract %0, %2 : tensor<6x6xf32>
  return %1, %3 : tensor<6x6xf32>, tensor<6x6xf32>
})";

// The same, its first two ops in one kernel. The second kernel reads another element of the result
// than it reads of the temporary.
constexpr const char* kReadsAResultInMemory = R"(
!m = !quern.buffer<[6, 6] x f32, global>
#same = affine_map<(d0, d1) -> (d0, d1)>
#other = affine_map<(d0, d1) -> (d1, d0)>
quern.program target "host" {
  %a = quern.buffer "arg0" input 0 : !m
  %o = quern.buffer "out0" output 0 : !m
  %p = quern.buffer "out1" output 1 : !m
  %t = quern.buffer "t0" temporary -1 : !m
  quern.kernel "k0" { quern.loop "i0" %i to 6 serial { quern.loop "i1" %j to 6 serial {
    %x = quern.load %a[#same](%i, %j) : !m -> f32
    %s = arith.addf %x, %x : f32
    quern.store %s, %t[#same](%i, %j) : f32, !m
    %y = arith.mulf %s, %x : f32
    quern.store %y, %o[#same](%i, %j) : f32, !m
  } } }
  quern.kernel "k1" { quern.loop "i0" %i to 6 serial { quern.loop "i1" %j to 6 serial {
    %s = quern.load %t[#same](%i, %j) : !m -> f32
    %y = quern.load %o[#other](%i, %j) : !m -> f32
    %z = arith.subf %s, %y : f32
    quern.store %z, %p[#same](%i, %j) : f32, !m
  } } }
})";

constexpr const char* kSumOfNothing = R"(
func.func public @main(%a: tensor<5x11xf32>) -> tensor<5xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<5x11xf32>
  %0 = stablehlo.multiply %a, %zeros : tensor<5x11xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<5x11xf32>, tensor<f32>) -> tensor<5xf32>
  return %1 : tensor<5xf32>
})";

constexpr const char* kTransposedTwice = R"(
func.func public @main(%a: tensor<5x7xf32>) -> tensor<7x5xf32> {
  %0 = stablehlo.multiply %a, %a : tensor<5x7xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<5x7xf32>) -> tensor<7x5xf32>
  %2 = stablehlo.add %1, %1 : tensor<7x5xf32>
  return %2 : tensor<7x5xf32>
})";

// Sums over rows in memory: right as long as one row comes after the other.
constexpr const char* kSumInMemory = R"(
!a = !quern.buffer<[4, 8] x f32, global>
!o = !quern.buffer<[8] x f32, global>
quern.program target "host" {
  %a = quern.buffer "arg0" input 0 : !a
  %o = quern.buffer "out0" output 0 : !o
  quern.kernel "k0" { quern.loop "i0" %i to 8 serial {
    %zero = arith.constant 0.0 : f32
    quern.store %zero, %o[affine_map<(d0) -> (d0)>](%i) : f32, !o
  } }
  quern.kernel "k1" { quern.loop "r0" %r to 4 serial { quern.loop "i0" %i to 8 serial {
    %x = quern.load %a[affine_map<(d0, d1) -> (d0, d1)>](%r, %i) : !a -> f32
    %old = quern.load %o[affine_map<(d0) -> (d0)>](%i) : !o -> f32
    %new = arith.addf %old, %x : f32
    quern.store %new, %o[affine_map<(d0) -> (d0)>](%i) : f32, !o
  } } }
})";

std::vector<Case> Cases() {
  using namespace search;  // NOLINT(google-build-using-namespace): the specs
  return {
      {"TilePeeled",
       AddReluSpec(4, 11),
       {R"({"rule":"tile","site":["k0","i1"],"parameters":{"factor":4}})"}},
      {"TileGuarded",
       AddReluSpec(4, 11),
       {R"({"rule":"tile","site":["k0","i1"],"parameters":{"factor":4,"tail":"guard"}})"}},
      {"Interchange",
       TransposeAddSpec(6, 10),
       {R"({"rule":"interchange","site":["k0","i0"],"parameters":{}})"}},
      {"InterchangeReordersASum",
       SumSpec("7x9xf32", "0, 1", "f32"),
       {R"({"rule":"interchange","site":["k0","r0"],"parameters":{}})"},
       Verdict::kRefuted,
       "value",
       Semantics::kExact},
      {"Sink", RowSumSpec(6, 10), {R"({"rule":"sink","site":["k0","i0"],"parameters":{}})"}},
      {"SinkReordersASum",
       SumSpec("7x9xf32", "0, 1", "f32"),
       {R"({"rule":"sink","site":["k0","r0"],"parameters":{}})"},
       Verdict::kRefuted,
       "value",
       Semantics::kExact},
      {"RegisterBlock",
       MatmulSpec(9, 14, 5),
       {R"({"rule":"register_block","site":["k0","i0","i1"],"parameters":{"rows":4,"columns":6,"outer":"columns"}})"}},
      {"RegisterBlockReordersASum",
       SumSpec("4x6x5xf32", "0, 1, 2", "f32"),
       {R"({"rule":"register_block","site":["k0","r0","r1"],"parameters":{"rows":2,"columns":3,"outer":"rows"}})"},
       Verdict::kRefuted,
       "value",
       Semantics::kExact},
      {"Fuse",
       MatmulBiasReluSpec(4, 6, 5),
       {R"({"rule":"fuse","site":["k0","k1"],"parameters":{}})",
        R"({"rule":"fuse","site":["k0","k2"],"parameters":{}})"}},
      {"FuseAcrossADependence",
       kReadsAResult,
       {R"({"rule":"fuse","site":["k0","k1"],"parameters":{}})"},
       Verdict::kRefuted,
       "",
       Semantics::kReal,
       2,
       kReadsAResultInMemory},
      {"Inline", kTransposedTwice, {R"({"rule":"inline","site":["k0","k1"],"parameters":{}})"}},
      {"Pack",
       MatmulSpec(4, 14, 5),
       {R"({"rule":"pack","site":["k0","arg1"],"parameters":{"digits":"1,4,4,0,1,5,1,1,4"}})"}},
      {"Vectorise",
       AddReluSpec(4, 16),
       {R"({"rule":"vectorise","site":["k0","i1"],"parameters":{}})"}},
      {"VectoriseASum",
       RowSumSpec(4, 8),
       {R"({"rule":"vectorise","site":["k0","r0"],"parameters":{}})"},
       Verdict::kProved,
       "",
       Semantics::kExact},
      {"Parallelise",
       AddReluSpec(4, 16),
       {R"({"rule":"parallelise","site":["k0","i0"],"parameters":{}})"}},
      {"ParalleliseASumInMemory",
       SumSpec("4x8xf32", "0", "8xf32"),
       {R"({"rule":"parallelise","site":["k1","r0"],"parameters":{}})"},
       Verdict::kRefuted,
       "",
       Semantics::kReal,
       2,
       kSumInMemory},
      {"Unroll", RowSumSpec(4, 8), {R"({"rule":"unroll","site":["k0","r0"],"parameters":{}})"}},
      {"SplitReduction",
       RowSumSpec(3, 21),
       {R"({"rule":"split_reduction","site":["k0","r0"],"parameters":{"lanes":8}})"}},
      {"SplitReductionReordersASum",
       RowSumSpec(3, 21),
       {R"({"rule":"split_reduction","site":["k0","r0"],"parameters":{"lanes":8}})"},
       Verdict::kRefuted,
       "value",
       Semantics::kExact},
      {"FuseMultiplyAdd",
       MatmulSpec(3, 4, 5),
       {R"({"rule":"fuse_multiply_add","site":["k0"],"parameters":{}})"}},
      {"FuseMultiplyAddRoundsOnce",
       MatmulSpec(3, 4, 5),
       {R"({"rule":"fuse_multiply_add","site":["k0"],"parameters":{}})"},
       Verdict::kRefuted,
       "value",
       Semantics::kExact},
      {"ReluToSelect",
       AddReluSpec(3, 4),
       {R"({"rule":"relu_to_select","site":["k1"],"parameters":{}})"}},
      {"ReluToSelectOfNaN",
       AddReluSpec(3, 4),
       {R"({"rule":"relu_to_select","site":["k1"],"parameters":{}})"},
       Verdict::kUnknown,
       "",
       Semantics::kExact},
      {"SkipTailOfZeros",
       kSumOfNothing,
       {R"({"rule":"tile","site":["k1","r0"],"parameters":{"factor":4}})",
        R"({"rule":"skip_tail","site":["k1","r0.t"],"parameters":{}})"}},
      {"SkipTail",
       AddReluSpec(4, 11),
       {R"({"rule":"tile","site":["k1","i1"],"parameters":{"factor":4}})",
        R"({"rule":"skip_tail","site":["k1","i1.t"],"parameters":{}})"},
       Verdict::kRefuted,
       "coverage"},
      {"SkipTailOfASum",
       RowSumSpec(4, 11),
       {R"({"rule":"tile","site":["k0","r0"],"parameters":{"factor":4}})",
        R"({"rule":"skip_tail","site":["k0","r0.t"],"parameters":{}})"},
       Verdict::kRefuted,
       "value"},
      {"NarrowAccumulatorWhereErrorsMayBeLarge",
       RowSumSpec(4, 10),
       {R"({"rule":"narrow_accumulator","site":["k0","acc"],"parameters":{}})"},
       Verdict::kProved,
       "",
       Semantics::kReal,
       1e6},
      {"NarrowAccumulator",
       RowSumSpec(4, 10),
       {R"({"rule":"narrow_accumulator","site":["k0","acc"],"parameters":{}})"},
       Verdict::kUnknown},
      {"NarrowAccumulatorLosesBits",
       RowSumSpec(4, 10),
       {R"({"rule":"narrow_accumulator","site":["k0","acc"],"parameters":{}})"},
       Verdict::kRefuted,
       "value",
       Semantics::kExact},
  };
}

std::string RuleOf(const Case& which) { return search::ParseAction(which.trace.back())->rule; }

// Integers so small that sums of them are exact in any order, and in bf16.
std::vector<Tensor> SmallIntegers(const frontend::Spec& spec) {
  std::vector<Tensor> inputs;
  for (const TensorType& type : spec.arguments) {
    inputs.push_back(Tensor::Create(type).value());
    for (int64_t i = 0; i < type.num_elements(); ++i) {
      inputs.back().Set(i,
                        static_cast<double>((i * 7 + static_cast<int64_t>(inputs.size())) % 9) - 4);
    }
  }
  return inputs;
}

class RuleProofs : public search::ProgramFixture, public testing::WithParamInterface<Case> {
 protected:
  void SetUp() override {
    Load(GetParam().spec);
    const std::string start = GetParam().start;
    if (start.empty()) return;
    naive_ = mlir::parseSourceString<mlir::ModuleOp>(start, context_.get());
    ASSERT_TRUE(naive_);
  }

  static Artifact Lower(mlir::ModuleOp program) {
    absl::StatusOr<Artifact> artifact = codegen::Compile(program);
    EXPECT_TRUE(artifact.ok()) << artifact.status();
    return artifact.ok() ? *std::move(artifact) : Artifact();
  }

  Certificate Check(const Artifact& artifact) {
    absl::StatusOr<Certificate> certificate =
        verifier::Check({.module = spec_.source,
                         .llvm_ir = artifact.llvm_ir,
                         .plan = artifact.plan,
                         .binary_sha256 = ""},
                        {.semantics = GetParam().semantics, .error_ratio = GetParam().error_ratio});
    EXPECT_TRUE(certificate.ok()) << certificate.status();
    return certificate.ok() ? *std::move(certificate) : Certificate();
  }

  // What the concrete machine computes is what the interpreter computes.
  void ExpectComputed(const Artifact& artifact) {
    const std::vector<Tensor> inputs = SmallIntegers(spec_);
    std::vector<const Tensor*> borrowed;
    for (const Tensor& input : inputs) borrowed.push_back(&input);
    absl::StatusOr<verifier::EmulationResult> got =
        verifier::Emulate(artifact.llvm_ir, artifact.plan, borrowed);
    ASSERT_TRUE(got.ok()) << got.status();
    ASSERT_EQ(got->fault.fault.kind, verifier::FaultKind::kNone) << got->fault.fault.message;
    const std::vector<Tensor> want = frontend::Interpret(spec_, inputs).value();
    ASSERT_EQ(got->outputs.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) {
      for (int64_t k = 0; k < want[i].type().num_elements(); ++k) {
        ASSERT_EQ(got->outputs[i].At(k), want[i].At(k)) << "result " << i << ", element " << k;
      }
    }
  }
};

TEST_P(RuleProofs, HasItsVerdict) {
  const Case& expected = GetParam();
  const Artifact artifact = Lower(*Apply(expected.trace));
  const Certificate certificate = Check(artifact);
  const bool refuted = !certificate.counterexamples.empty();
  const std::string why = refuted ? certificate.counterexamples[0].message : certificate.reason;
  if (expected.verdict == Verdict::kUnknown) {
    EXPECT_NE(certificate.verdict, Verdict::kProved);
    return;
  }
  ASSERT_EQ(Name(certificate.verdict), Name(expected.verdict)) << why;
  if (expected.verdict == Verdict::kProved) {
    ExpectComputed(artifact);
  } else {
    ASSERT_TRUE(refuted);
    if (!std::string(expected.kind).empty()) {
      EXPECT_EQ(certificate.counterexamples[0].kind, expected.kind) << why;
    }
    EXPECT_TRUE(certificate.counterexamples[0].replayed);
  }
}

// It is the rule that a verdict is about: without it the program is right.
TEST_P(RuleProofs, StartsFromARightProgram) {
  const Case& expected = GetParam();
  const Artifact artifact = Lower(*naive_);
  ExpectComputed(artifact);
  if (!std::string(expected.start).empty()) return;  // right, but not of a form that is proved
  const Certificate certificate = Check(artifact);
  if (expected.semantics == Semantics::kReal) {
    EXPECT_EQ(Name(certificate.verdict), "proved") << certificate.reason;
  } else {  // exact proofs of sums are not complete
    EXPECT_NE(Name(certificate.verdict), "refuted");
  }
}

INSTANTIATE_TEST_SUITE_P(All, RuleProofs, testing::ValuesIn(Cases()),
                         [](const testing::TestParamInfo<Case>& info) { return info.param.name; });

TEST(RuleCoverage, EveryRuleIsProvedSomewhereAndRefutedUnlessSound) {
  std::set<std::string> proved, not_proved;
  for (const Case& which : Cases()) {
    (which.verdict == Verdict::kProved ? proved : not_proved).insert(RuleOf(which));
  }
  std::set<std::string> rules;
  for (const search::Rule* rule : search::AllRules()) {
    const std::string name(rule->name());
    rules.insert(name);
    EXPECT_TRUE(proved.contains(name)) << name << " has no case that is proved";
    const bool sound = SoundByConstruction().contains(name);
    EXPECT_NE(not_proved.contains(name), sound) << name;
    if (sound) EXPECT_NE(rule->soundness(), search::Soundness::kUnsound) << name;
    if (rule->soundness() == search::Soundness::kByConstruction) EXPECT_TRUE(sound) << name;
  }
  for (const auto& [name, reason] : SoundByConstruction()) {
    EXPECT_TRUE(rules.contains(name)) << name;
    EXPECT_FALSE(reason.empty());
  }
  for (const std::string& name : proved) EXPECT_TRUE(rules.contains(name)) << name;
}

}  // namespace
}  // namespace quern
