#include "frontend/spec.h"

#include <filesystem>
#include <fstream>
#include <set>

#include "absl/strings/str_cat.h"
#include "frontend/interpreter.h"
#include "frontend/source.h"
#include "frontend/testing/programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern::frontend {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

static constexpr char kJax[] =
    R"(module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf32> {mhlo.layout_mode = "default"}, %arg1: tensor<3xf32>) -> (tensor<2x3xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<2x3xf32>
    %2 = call @relu(%1) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %2 : tensor<2x3xf32>
  }
  func.func private @relu(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x3xf32>
    return %1 : tensor<2x3xf32>
  }
})";

// The same: other names and attributes, no module, another order, locations, dead and repeated
// code, the generic form.
static constexpr char kSame[] = R"(#loc = loc("f.py":1:2)
func.func private @zero() -> tensor<2x3xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %b = "stablehlo.broadcast_in_dim"(%z) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x3xf32>
  return %b : tensor<2x3xf32>
}
func.func private @unused(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}
func.func private @clamp_below(%v: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %low = func.call @zero() : () -> tensor<2x3xf32>
  %m = stablehlo.maximum %v, %low {mhlo.frontend_attributes = {a = "b"}} : tensor<2x3xf32>
  return %m : tensor<2x3xf32>
}
func.func @renamed(%x: tensor<2x3xf32> loc("x"), %bias: tensor<3xf32>) -> tensor<2x3xf32> attributes {jax.note = 1 : i32} {
  %dead = stablehlo.exponential %x : tensor<2x3xf32>
  %b1 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32> loc(#loc)
  %b2 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %s = stablehlo.add %x, %b2 : tensor<2x3xf32>
  %r = func.call @clamp_below(%s) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
})";

TEST(SpecTest, HasTheCanonicalFormOfTheProgram) {
  Spec spec = MustParse(kJax);
  EXPECT_EQ(spec.source, kJax);
  EXPECT_THAT(spec.canonical, Not(HasSubstr("jax")));
  EXPECT_THAT(spec.canonical, Not(HasSubstr("mhlo")));
  EXPECT_THAT(spec.canonical, Not(HasSubstr("call")));
  EXPECT_THAT(spec.canonical, Not(HasSubstr("loc(")));
  EXPECT_THAT(spec.canonical, HasSubstr("func.func @main("));
  EXPECT_EQ(spec.sha256.size(), 64u);
  ASSERT_EQ(spec.arguments.size(), 2u);
  EXPECT_EQ(spec.arguments[0].ToString(), "f32[2,3]");
  EXPECT_EQ(spec.arguments[1].ToString(), "f32[3]");
  ASSERT_EQ(spec.results.size(), 1u);
  EXPECT_EQ(spec.results[0].ToString(), "f32[2,3]");
  EXPECT_EQ(spec.main().getName(), "main");
}

TEST(SpecTest, NamesAttributesOrderAndDeadCodeDoNotMatter) {
  EXPECT_EQ(MustParse(kJax).canonical, MustParse(kSame).canonical);
}

TEST(SpecTest, CanonicalTextIsItsOwnCanonicalForm) {
  Spec spec = MustParse(kJax);
  EXPECT_EQ(MustParse(spec.canonical).sha256, spec.sha256);
}

TEST(SpecTest, WhatIsComputedMatters) {
  const std::string original = MustParse(kJax).sha256;
  for (auto [from, to] : std::initializer_list<std::pair<const char*, const char*>>{
           {"stablehlo.maximum %arg0, %0", "stablehlo.minimum %arg0, %0"},
           {"dense<0.000000e+00>", "dense<-0.000000e+00>"},
           {"stablehlo.add %arg0, %0", "stablehlo.subtract %arg0, %0"}}) {
    std::string changed = kJax;
    const size_t at = changed.find(from);
    ASSERT_NE(at, std::string::npos);
    changed.replace(at, std::string(from).size(), to);
    EXPECT_NE(MustParse(changed).sha256, original) << to;
  }
}

// The order of a comparison is part of its meaning only where it is the total order.
TEST(SpecTest, ComparisonTypesThatTheElementsImplyAreLeftOut) {
  auto compare = [](const std::string& type) {
    return MustParse(absl::StrCat("func.func @main(%a: tensor<f32>) -> tensor<i1> {\n",
                                  "%0 = stablehlo.compare LT, %a, %a", type,
                                  " : (tensor<f32>, tensor<f32>) -> tensor<i1>\n",
                                  "return %0 : tensor<i1>\n}"))
        .sha256;
  };
  EXPECT_EQ(compare(""), compare(", FLOAT"));
  EXPECT_NE(compare(""), compare(", TOTALORDER"));
}

TEST(SpecTest, ConstantsOfReduceBodiesSurviveCommonSubexpressions) {
  Spec spec = MustParse(R"(func.func @main(%a: tensor<4xf32>) -> tensor<f32> {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %one) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
     reducer(%x: tensor<f32>, %y: tensor<f32>) {
      %c = stablehlo.constant dense<1.0> : tensor<f32>
      %s = stablehlo.add %y, %c : tensor<f32>
      %m = stablehlo.multiply %x, %s : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }
    return %0 : tensor<f32>
  })");
  EXPECT_EQ(MustParse(spec.canonical).canonical, spec.canonical);
}

static std::string Signature(const std::string& first, const std::string& second = "",
                             const std::string& module = "") {
  return "module attributes {" + module + "} {\nfunc.func @main(%a: tensor<2x3xf32> {" + first +
         "}, %b: tensor<2x3xf32> {" + second +
         "}) -> tensor<2x3xf32> {\n%0 = stablehlo.add %a, %b : tensor<2x3xf32>\nreturn %0 : "
         "tensor<2x3xf32>\n}\n}";
}

// What callers promise and permit is part of the spec and of its digest.
TEST(SpecTest, DonationAndConstantsCount) {
  const Spec plain = MustParse(Signature(""));
  EXPECT_EQ(plain.uses, (std::vector<ArgumentUse>{{}, {}}));
  const Spec constant = MustParse(Signature("", "jax.const = true"));
  EXPECT_EQ(constant.uses[1], (ArgumentUse{.constant = true}));
  EXPECT_EQ(MustParse(Signature("", "jax.global_constant = \"w\"")).sha256, constant.sha256);
  const Spec donor = MustParse(Signature("jax.buffer_donor = true"));
  EXPECT_EQ(donor.uses[0], (ArgumentUse{.donated = true}));
  const Spec shared = MustParse(Signature("tf.aliasing_output = 0 : i32"));
  EXPECT_EQ(shared.uses[0], (ArgumentUse{.donated = true, .shares = 0}));
  EXPECT_EQ(MustParse(Signature("jax.const = false, jax.buffer_donor = false")).sha256,
            plain.sha256);
  std::set<std::string> digests;
  for (const Spec* spec : {&plain, &constant, &donor, &shared}) {
    digests.insert(spec->sha256);
    const Spec again = MustParse(spec->canonical);
    EXPECT_EQ(again.sha256, spec->sha256);
    EXPECT_EQ(again.uses, spec->uses);
  }
  EXPECT_EQ(digests.size(), 4u);
}

TEST(SpecTest, RowMajorLayoutsAreTheDefault) {
  const std::string digest = MustParse(Signature("")).sha256;
  EXPECT_EQ(MustParse(Signature("mhlo.layout_mode = \"default\"")).sha256, digest);
  EXPECT_EQ(MustParse(Signature("mhlo.layout_mode = \"{1,0}\"")).sha256, digest);
  EXPECT_EQ(MustParse(Signature("", "",
                                "mhlo.xla_entry_computation_parameter_layouts = [dense<[1, 0]> : "
                                "tensor<2xindex>]"))
                .sha256,
            digest);
}

TEST(SpecTest, AttributesOfOthersAreReadOverWithANote) {
  const Spec spec = MustParse(Signature("ttcore.kind = #ttcore.argument_type<input>"));
  EXPECT_EQ(spec.sha256, MustParse(Signature("")).sha256);
  EXPECT_THAT(spec.notes, testing::ElementsAre("attributes of ttcore are read over"));
  EXPECT_TRUE(MustParse(Signature("jax.arg_info = \"a\"")).notes.empty());
}

TEST(SpecTest, AFunctionOfSeveralIsNamed) {
  const std::string text =
      "func.func @f(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }\n"
      "func.func @g(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }\n";
  absl::StatusOr<Spec> none = ParseModel(text, "m", TestContext());
  EXPECT_THAT(std::string(none.status().message()), HasSubstr("several are public, @f, @g"));
  absl::StatusOr<Spec> g = ParseModel(text, "m", TestContext(), "g");
  ASSERT_TRUE(g.ok()) << g.status();
  EXPECT_EQ(g->arguments[0].ToString(), "f32[2]");
  EXPECT_FALSE(ParseModel(text, "m", TestContext(), "h").ok());
}

// Programs that say the same in another order, or with moves that move nothing.
TEST(SpecTest, OrderAndIdleMovesDoNotCount) {
  const auto digest = [](const std::string& body) {
    return MustParse(
               "func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %p: tensor<i1>) -> "
               "tensor<3x2xf32> {\n" +
               body + "\nreturn %r : tensor<3x2xf32>\n}")
        .sha256;
  };
  const std::string transpose =
      "%r = stablehlo.transpose %s, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>";
  const std::string plain = digest(
      "%x = stablehlo.exponential %a : tensor<2x3xf32>\n"
      "%y = stablehlo.negate %b : tensor<2x3xf32>\n"
      "%s = stablehlo.add %x, %y : tensor<2x3xf32>\n" +
      transpose);
  EXPECT_EQ(digest("%y = stablehlo.negate %b : tensor<2x3xf32>\n"
                   "%x = stablehlo.exponential %a : tensor<2x3xf32>\n"
                   "%s = stablehlo.add %y, %x : tensor<2x3xf32>\n" +
                   transpose),
            plain);
  EXPECT_EQ(
      digest("%c = stablehlo.convert %a : tensor<2x3xf32>\n"
             "%f = stablehlo.reshape %c : (tensor<2x3xf32>) -> tensor<6xf32>\n"
             "%g = stablehlo.reshape %f : (tensor<6xf32>) -> tensor<2x3xf32>\n"
             "%h = stablehlo.transpose %g, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
             "%x = stablehlo.exponential %h : tensor<2x3xf32>\n"
             "%t = stablehlo.constant dense<true> : tensor<i1>\n"
             "%u = stablehlo.select %t, %b, %x : tensor<i1>, tensor<2x3xf32>\n"
             "%v = stablehlo.slice %u [0:2, 0:3] : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
             "%y = stablehlo.negate %v : tensor<2x3xf32>\n"
             "%o = stablehlo.add %x, %y : tensor<2x3xf32>\n"
             "%q = stablehlo.transpose %o, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>\n"
             "%w = stablehlo.transpose %q, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>\n"
             "%s = stablehlo.broadcast_in_dim %w, dims = [0, 1] : (tensor<2x3xf32>) -> "
             "tensor<2x3xf32>\n" +
             transpose),
      plain);
  // An order that means something stays.
  EXPECT_NE(digest("%x = stablehlo.exponential %a : tensor<2x3xf32>\n"
                   "%y = stablehlo.negate %b : tensor<2x3xf32>\n"
                   "%s = stablehlo.subtract %x, %y : tensor<2x3xf32>\n" +
                   transpose),
            digest("%x = stablehlo.exponential %a : tensor<2x3xf32>\n"
                   "%y = stablehlo.negate %b : tensor<2x3xf32>\n"
                   "%s = stablehlo.subtract %y, %x : tensor<2x3xf32>\n" +
                   transpose));
}

// Moves in a row are one move, and values stay where they were.
TEST(SpecTest, JoinedMovesGiveTheSame) {
  const Spec spec = MustParse(R"(
func.func @main(%a: tensor<2x3x1xf32>) -> (tensor<4x3x2x5xf32>, tensor<1x2x3xf32>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [1, 0, 2] : (tensor<2x3x1xf32>) -> tensor<3x2x5xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1, 2, 3] : (tensor<3x2x5xf32>) -> tensor<4x3x2x5xf32>
  %2 = stablehlo.transpose %a, dims = [1, 2, 0] : (tensor<2x3x1xf32>) -> tensor<3x1x2xf32>
  %3 = stablehlo.transpose %2, dims = [1, 2, 0] : (tensor<3x1x2xf32>) -> tensor<1x2x3xf32>
  return %1, %3 : tensor<4x3x2x5xf32>, tensor<1x2x3xf32>
})");
  EXPECT_EQ(spec.main().getBody().front().getOperations().size(), 3u);
  std::vector<Tensor> inputs;
  inputs.push_back(MakeTensor("f32[2,3,1]", {0, 1, 2, 10, 11, 12}));
  const std::vector<Tensor> results = Interpret(spec, inputs).value();
  for (int64_t i = 0; i < 4 * 3 * 2 * 5; ++i) {
    const int64_t row = i / 5 % 2, column = i / 10 % 3;
    ASSERT_EQ(results[0].At(i), 10 * row + column) << i;
  }
  EXPECT_EQ(Elements(results[1]), (std::vector<double>{0, 1, 2, 10, 11, 12}));
}

struct Refused {
  std::string name, text, message;
};

class RefusedSpecTest : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedSpecTest, NamesTheFileAndTheCause) {
  absl::StatusOr<Spec> spec = ParseSpec(GetParam().text, "dir/test.mlir", TestContext());
  ASSERT_FALSE(spec.ok());
  EXPECT_EQ(spec.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(spec.status().message()), StartsWith("dir/test.mlir:"));
  EXPECT_THAT(std::string(spec.status().message()), HasSubstr(GetParam().message));
}

// A @main of one argument `a`, its body, and what it returns.
static std::string Main(const std::string& type, const std::string& body) {
  return absl::StrCat("func.func @main(%a: ", type, ") -> ", type, " {\n", body,
                      "\n  return %a : ", type, "\n}\n");
}

static std::string Repeat(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// Functions of which each calls the next twice: 2^n calls.
static std::string CallTree(int depth) {
  std::string text = Main("tensor<f32>", "  %0 = call @f0(%a) : (tensor<f32>) -> tensor<f32>");
  for (int i = 0; i < depth; ++i) {
    const std::string callee = absl::StrCat("@f", i + 1);
    absl::StrAppend(&text, "func.func private @f", i, "(%a: tensor<f32>) -> tensor<f32> {\n",
                    "  %0 = call ", callee, "(%a) : (tensor<f32>) -> tensor<f32>\n", "  %1 = call ",
                    callee, "(%0) : (tensor<f32>) -> tensor<f32>\n",
                    "  return %1 : tensor<f32>\n}\n");
  }
  return absl::StrCat(text, "func.func private @f", depth,
                      "(%a: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.negate %a : "
                      "tensor<f32>\n  return %0 : tensor<f32>\n}\n");
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedSpecTest,
    ::testing::Values(
        Refused{"Empty", " \n\t", "is empty"},
        Refused{"Binary", std::string("a\0b", 3), "is a binary file"},
        Refused{"Bytecode", "ML\xefR\x06StableHLO", "malformed bytecode at byte"},
        Refused{"Words", "hello", "dir/test.mlir:1:1: error: "},
        Refused{"NoFunction", "module {}", "no function @main"},
        Refused{"TwoPublicFunctions", "func.func @f() {\n return\n}\nfunc.func @g() {\n return\n}",
                "no function @main; several are public, @f, @g: name one @main"},
        Refused{"Declaration", "func.func private @main(tensor<f32>) -> tensor<f32>",
                "no function @main"},
        Refused{"NoResult", "func.func @main() {\n  return\n}", "returns nothing"},
        Refused{"UnknownOp", Main("tensor<f32>", "  %0 = stablehlo.frobnicate %a : tensor<f32>"),
                "dir/test.mlir:2:8: error: unsupported op stablehlo.frobnicate"},
        Refused{"UnknownGenericOp",
                Main("tensor<f32>",
                     "  %0 = \"stablehlo.frobnicate\"(%a) : (tensor<f32>) -> tensor<f32>"),
                "dir/test.mlir:2:8: error: unsupported op stablehlo.frobnicate"},
        Refused{"UnknownDialect", Main("tensor<f32>", "  %0 = chlo.frobnicate %a : tensor<f32>"),
                "dir/test.mlir:2:8: error: unsupported op chlo.frobnicate"},
        Refused{"CustomCall",
                Main("tensor<f32>",
                     "  %0 = stablehlo.custom_call @frobnicate(%a) : (tensor<f32>) -> tensor<f32>"),
                "dir/test.mlir:2:8: error: unsupported op stablehlo.custom_call @frobnicate"},
        Refused{"Check", Main("tensor<f32>", "  check.expect_eq %a, %a : tensor<f32>"),
                "unsupported op check.expect_eq"},
        Refused{"ForeignLocation",
                Main("tensor<f32>",
                     "  %0 = stablehlo.custom_call @f(%a) : (tensor<f32>) -> tensor<f32> "
                     "loc(\"f.py\":3:4)"),
                "dir/test.mlir: f.py:3:4: error: unsupported op stablehlo.custom_call @f"},
        Refused{"Cast",
                Main("tensor<f32>",
                     "  %0 = builtin.unrealized_conversion_cast %a : tensor<f32> to tensor<i32>"),
                "unsupported op builtin.unrealized_conversion_cast"},
        Refused{"Dynamic", Main("tensor<?xf32>", ""), "has a dynamic dimension"},
        Refused{"DynamicOp", Main("tensor<?xf32>", "  %0 = stablehlo.negate %a : tensor<?xf32>"),
                "fixed dimensions"},
        Refused{"Unranked", Main("tensor<*xf32>", ""), "only ranked tensors are"},
        Refused{"Scalar", Main("f32", ""), "only ranked tensors are"},
        Refused{"ElementType", Main("tensor<2xf80>", ""), "element type 'f80' is not supported"},
        Refused{"SignedElementType", Main("tensor<2xsi8>", ""), "'si8' is not supported"},
        Refused{"Encoding", Main("tensor<2xf32, \"sparse\">", ""), "encodings are not supported"},
        Refused{"TooLarge", Main("tensor<1000000x1000000x1000xf32>", ""), "does not fit in"},
        Refused{"TooLargeThoughEmpty", Main("tensor<0x4611686018427387904x8xf32>", ""),
                "does not fit in"},
        Refused{"Recursion",
                "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n  %0 = call @main(%a) : "
                "(tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}",
                "may be recursive"},
        Refused{"ManyCalls", CallTree(40), "more than a million ops"},
        Refused{"UnknownCallee",
                Main("tensor<f32>", "  %0 = call @g(%a) : (tensor<f32>) -> tensor<f32>"), "'g'"},
        Refused{"Devices",
                absl::StrCat("module attributes {mhlo.num_partitions = 2 : i32} {\n",
                             Main("tensor<f32>", ""), "}"),
                "for several devices"},
        Refused{"ColumnMajor", Signature("mhlo.layout_mode = \"{0,1}\""),
                "argument 0 has the layout {0,1}; only row-major ones"},
        Refused{"ColumnMajorOfTheModule",
                Signature("", "",
                          "mhlo.xla_entry_computation_result_layout = [dense<[0, 1]> : "
                          "tensor<2xindex>]"),
                "result 0 has the layout"},
        Refused{"SharesNothing", Signature("tf.aliasing_output = 1 : i32"),
                "argument 0 cannot share its memory"},
        Refused{"SharedTwice",
                Signature("tf.aliasing_output = 0 : i32", "tf.aliasing_output = 0 : i32"),
                "argument 1 cannot share its memory"},
        Refused{
            "ForeignTerminator",
            "func.func private @f(%a: tensor<f32>) -> tensor<f32> {\n  \"x.y\"() : () -> ()\n}\n"
            "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n  %0 = call @f(%a) : "
            "(tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}",
            "does not end in func.return"},
        Refused{
            "ForeignElements",
            "func.func @main() -> tensor<2x!x.text> {\n  %0 = stablehlo.constant dense<\"a\"> : "
            "tensor<2x!x.text>\n  return %0 : tensor<2x!x.text>\n}",
            "element type '!x.text' is not supported"},
        Refused{"ForeignType", "func.func @main(%a: !x.y) -> !x.y {\n  return %a : !x.y\n}",
                "only ranked tensors are"},
        Refused{"Elided",
                Main("tensor<f32>",
                     "  %0 = stablehlo.constant dense_resource<__elided__> : "
                     "tensor<4xf32>"),
                "elided or external"},
        Refused{"DeepBrackets", Repeat("{", 100000), "nested more than 256 deep"},
        Refused{
            "DeepAttribute",
            Main("tensor<f32>", absl::StrCat("  %0 = stablehlo.negate %a {x = ", Repeat("[", 5000),
                                             Repeat("]", 5000), "} : tensor<f32>")),
            "nested more than 256 deep"},
        Refused{"AffineMap", "func.func private @f() attributes {m = affine_map<(d0) -> (- - d0)>}",
                "affine maps are not supported"},
        Refused{"TypeAlias", "!a = tuple<i32> \nfunc.func @main(%a: !a) -> !a {\n}",
                "aliases are not supported"},
        Refused{"AttributeAlias", "#a // why not\n = [1]\n", "aliases are not supported"}),
    [](const auto& info) { return info.param.name; });

TEST(ReadSpecTest, RefusesWhatIsNoTextFile) {
  auto message = [](const std::string& path) {
    absl::StatusOr<Spec> spec = ReadSpec(path, TestContext());
    EXPECT_FALSE(spec.ok());
    return std::string(spec.status().message());
  };
  const std::string folder = ::testing::TempDir();
  EXPECT_THAT(message("no/such.mlir"), HasSubstr("no/such.mlir: error: no such file"));
  EXPECT_THAT(message(folder), HasSubstr("is a directory"));
  const std::string large = absl::StrCat(folder, "/large.mlir");
  std::ofstream(large).seekp((int64_t{1} << 30) - 1).put('x');  // sparse
  EXPECT_THAT(message(large), HasSubstr("is larger than 256 MiB"));
  std::filesystem::remove(large);
}

TEST(ReadSpecTest, ReadsTheExamples) {
  for (const auto& entry : std::filesystem::directory_iterator("examples")) {
    if (entry.path().extension() != ".mlir") continue;
    absl::StatusOr<Spec> spec = ReadSpec(entry.path().string(), TestContext());
    EXPECT_TRUE(spec.ok()) << spec.status();
  }
}

}  // namespace quern::frontend
