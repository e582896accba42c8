// Damaged programs: parsing never crashes, and what it accepts is a spec like any other.
#include <optional>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "frontend/interpreter.h"
#include "frontend/testing/programs.h"
#include "gtest/gtest.h"

namespace quern::frontend {

static constexpr const char* kPrograms[] = {
    R"(module @jit_f attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%arg0: tensor<8x4xf32>, %arg1: tensor<4xbf16>) -> (tensor<8xf32> {jax.result_info = "r"}, tensor<8xi32>) {
    %0 = stablehlo.convert %arg1 : (tensor<4xbf16>) -> tensor<4xf32>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8xf32>
    %2:2 = call @top(%arg0) : (tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8xi32>)
    %3 = stablehlo.add %1, %2#0 : tensor<8xf32>
    return %3, %2#1 : tensor<8xf32>, tensor<8xi32>
  }
  func.func private @top(%arg0: tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8xi32>) {
    %0 = stablehlo.iota dim = 1 : tensor<8x4xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<8x4xf32>, tensor<8x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare  GT, %arg1, %arg3,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.select %2, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %4 = stablehlo.select %2, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %3, %4 : tensor<f32>, tensor<i32>
    }
    return %1#0, %1#1 : tensor<8xf32>, tensor<8xi32>
  }
})",
    R"(func.func @main(%a: tensor<2x3xf32>, %p: tensor<i1>) -> tensor<3x2xf32> {
  %c = stablehlo.constant dense<"0x0000803F000000400000404000008040"> : tensor<4xf32>
  %s = stablehlo.slice %c [0:4:2] : (tensor<4xf32>) -> tensor<2xf32>
  %b = "stablehlo.broadcast_in_dim"(%s) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xf32>) -> tensor<2x3xf32>
  %m = stablehlo.select %p, %a, %b : (tensor<i1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %z = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %k = stablehlo.clamp %z, %m, %z : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %t = stablehlo.transpose %k, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %r = stablehlo.reshape %t : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
})"};

class Mutator {
 public:
  explicit Mutator(uint32_t seed) : random_(seed) {}

  std::string Mutate(std::string text) {
    for (int i = 0, edits = 1 + Below(4) / 2; i < edits; ++i) text = Edit(std::move(text));
    return text;
  }

 private:
  size_t Below(size_t n) { return random_() % n; }

  std::string Edit(std::string text) {
    if (text.empty()) return text;
    const size_t at = Below(text.size());
    switch (Below(7)) {
      case 0:
        text[at] = static_cast<char>(text[at] ^ (1 << Below(8)));
        return text;
      case 1:
        return text.substr(0, at);
      case 2:
        return text.erase(at, 1 + Below(20));
      case 3: {  // swap, drop or repeat a line
        std::vector<std::string> lines = absl::StrSplit(text, '\n');
        const size_t a = Below(lines.size()), b = Below(lines.size());
        if (Below(2) == 0) {
          std::swap(lines[a], lines[b]);
        } else {
          lines.insert(lines.begin() + a, lines[b]);
        }
        return absl::StrJoin(lines, "\n");
      }
      case 4: {  // another number
        const size_t digit = text.find_first_of("0123456789", at);
        if (digit == std::string::npos) return text;
        static constexpr const char* kNumbers[] = {
            "0", "1", "-1", "9223372036854775807", "?", "65", "-9223372036854775808", "1e9", "2x2"};
        return text.replace(digit, 1, kNumbers[Below(std::size(kNumbers))]);
      }
      case 5: {  // a piece of the text elsewhere
        const std::string piece = text.substr(Below(text.size()), 1 + Below(40));
        return text.insert(at, piece);
      }
      default: {  // another word
        static constexpr const char* kWords[] = {"f32",  "i1",     "bf16", "tensor<",
                                                 ">",    "dense<", "]",    "[",
                                                 "{",    "}",      "#",    "!",
                                                 "loc(", "\"",     "->",   "stablehlo.return",
                                                 "%0",   "i64",    "x",    "vector<2xf32>"};
        return text.insert(at, kWords[Below(std::size(kWords))]);
      }
    }
  }

  std::mt19937 random_;
};

// Zeros for every argument; nullopt if there would be many.
static std::optional<std::vector<Tensor>> Inputs(const Spec& spec) {
  std::vector<Tensor> inputs;
  for (const TensorType& type : spec.arguments) {
    if (type.num_elements() > 10000) return std::nullopt;
    inputs.push_back(Tensor::Create(type).value());
  }
  return inputs;
}

TEST(MutationTest, ParsingAndInterpretingNeverCrash) {
  int accepted = 0;
  for (uint32_t seed = 0; seed < 4000; ++seed) {
    const std::string text = Mutator(seed).Mutate(kPrograms[seed % 2]);
    absl::StatusOr<Spec> spec = ParseSpec(text, "m.mlir", TestContext());
    if (!spec.ok()) {
      EXPECT_EQ(spec.status().message().substr(0, 7), "m.mlir:") << seed << spec.status();
      continue;
    }
    ++accepted;
    EXPECT_EQ(MustParse(spec->canonical).sha256, spec->sha256) << text;
    std::optional<std::vector<Tensor>> inputs = Inputs(*spec);
    if (!inputs) continue;
    absl::StatusOr<std::vector<Tensor>> results = Interpret(*spec, *inputs);
    if (!results.ok()) continue;
    ASSERT_EQ(results->size(), spec->results.size());
    for (size_t i = 0; i < results->size(); ++i) {
      EXPECT_EQ((*results)[i].type(), spec->results[i]) << text;
    }
  }
  EXPECT_GT(accepted, 50);
}

}  // namespace quern::frontend
