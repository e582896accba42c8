#include "verifier/refuter.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "verifier/testdata/mutants.h"
#include "verifier/trial_inputs.h"

namespace quern::verifier {
namespace {

using ::testing::HasSubstr;

// The kernels that move data or slide windows.
double ExpectedMoved(const std::string& kernel, const std::vector<int64_t>& i,
                     const std::vector<const Tensor*>& in) {
  if (kernel == "pad") {
    const int64_t row = i[0] - 1, column = i[1] - 2;
    const bool inside = row >= 0 && row < 11 && row % 2 == 0 && column >= 0;
    return inside ? in[0]->At(row / 2 * 10 + column) : in[1]->At(0);
  }
  if (kernel == "concat") {
    return i[1] < 5 ? in[0]->At(i[0] * 5 + i[1]) : in[1]->At(i[0] * 11 + 15 - i[1]);
  }
  if (kernel == "gather") {
    const auto row = static_cast<int64_t>(std::clamp(in[1]->At(i[0]), 0.0, 19.0));
    return in[0]->At(row * 12 + i[1]);
  }
  if (kernel == "window") {
    const auto first = static_cast<int64_t>(std::clamp(in[1]->At(0), 0.0, 22.0));
    return in[0]->At(i[0] * 30 + first + i[1]);
  }
  const bool pool = kernel == "max_pool";
  float result = pool ? -std::numeric_limits<float>::infinity() : 0;
  for (int64_t y = 0; y < 3; ++y) {
    for (int64_t x = 0; x < 3; ++x) {
      const int64_t row = i[1] * 2 + y - 1, column = i[2] * 2 + x - 1;
      if (row < 0 || row >= 9 || column < 0 || column >= 9) continue;
      for (int64_t f = pool ? i[3] : 0; f < (pool ? i[3] + 1 : 4); ++f) {
        const auto element = static_cast<float>(in[0]->At((row * 9 + column) * 4 + f));
        if (pool) {
          result = std::max(result, element);
        } else {
          result += element * static_cast<float>(in[1]->At(((y * 3 + x) * 4 + f) * 6 + i[3]));
        }
      }
    }
  }
  return result;
}

double ExpectedNarrow(int result, const std::vector<int64_t>& i,
                      const std::vector<const Tensor*>& in) {
  if (result == 0) {
    const auto byte = static_cast<uint8_t>(in[0]->At(i[0]));
    const auto product = static_cast<uint8_t>(byte * 3);
    return product < byte / 7 ? product : byte;
  }
  const auto half = static_cast<_Float16>(in[1]->At(i[0]));
  const auto scaled = static_cast<_Float16>(half * static_cast<_Float16>(0.3f));
  return static_cast<_Float16>(scaled + half);
}

// What each test kernel should compute, in the order that its module declares.
double Expected(const std::string& kernel, const std::vector<int64_t>& i,
                const std::vector<const Tensor*>& in) {
  for (const char* moved : {"pad", "concat", "conv", "max_pool", "gather", "window"}) {
    if (kernel == moved) return ExpectedMoved(kernel, i, in);
  }
  const auto at = [&in](int argument, int64_t row, int64_t column) {
    const std::vector<int64_t>& shape = in[argument]->type().shape;
    return static_cast<float>(in[argument]->At(row * shape.back() + column));
  };
  if (kernel == "pack_add") return at(0, i[0], i[1]) + at(1, i[0], i[1]);
  if (kernel == "add_relu") return std::max(at(0, i[0], i[1]) + at(1, i[0], i[1]), 0.0f);
  if (kernel == "transpose_add") return at(0, i[1], i[0]) + at(1, i[0], i[1]);
  if (kernel == "strided_add") return at(0, 0, i[0]) + at(1, 0, i[0]);
  if (kernel == "not_finite") {
    const float x = at(0, i[0], i[1]);
    if (i[1] == 7) return -std::numeric_limits<float>::infinity();
    return x > 0 ? x : std::numeric_limits<float>::quiet_NaN();
  }
  float sum = 0;
  const int64_t count = in[0]->type().shape[1];
  for (int64_t k = 0; k < count; ++k) {
    sum += kernel == "row_sum" ? at(0, i[0], k) : at(0, i[0], k) * at(1, k, i[1]);
  }
  return kernel == "matmul_bias_relu" ? std::max(sum + at(2, 0, i[1]), 0.0f) : sum;
}

double ExpectedTypes(int result, const std::vector<int64_t>& i,
                     const std::vector<const Tensor*>& inputs) {
  const auto at = [&](int argument) { return inputs[argument]->At(i[0]); };
  switch (result) {
    case 0: {
      const float far = static_cast<float>(at(0)) * 100.0f;
      return std::clamp(std::trunc(far), -32768.0f, 32767.0f);
    }
    case 1: {
      const int sum = static_cast<int>(2 * at(1)) & 15;
      return sum < 8 ? sum : sum - 16;
    }
    case 2:
      return at(3) == 0 ? 4294967295.0 : std::floor(at(2) / at(3));
    case 3:
      return at(3) > 31 ? 0
                        : static_cast<uint32_t>(static_cast<uint64_t>(at(2))
                                                << static_cast<uint64_t>(at(3)));
    default:
      return std::fabs(at(4));
  }
}

std::optional<Counterexample> Search(const TestKernel& kernel, const std::string& name,
                                     const Suspect& suspect = {},
                                     const RefuterOptions& options = {}) {
  const absl::StatusOr<Module> module = ReadModule(kernel.llvm_ir);
  if (!module.ok() || !CheckLaunch(*module, kernel.plan).ok()) return std::nullopt;
  const Reference reference = [&name](const std::vector<const Tensor*>& inputs) -> Evaluation {
    return [&name, inputs](int result, const std::vector<int64_t>& index) {
      if (name == "narrow") return absl::StatusOr<double>(ExpectedNarrow(result, index, inputs));
      if (name == "types") return absl::StatusOr<double>(ExpectedTypes(result, index, inputs));
      return absl::StatusOr<double>(Expected(name, index, inputs));
    };
  };
  return Refute(*module, kernel.plan, reference, suspect, options);
}

TEST(RefuterTest, CorrectKernelsStand) {
  for (const std::string& name : TestKernelNames()) {
    const std::optional<Counterexample> example = Search(LoadTestKernel(name), name);
    EXPECT_FALSE(example.has_value()) << name << ": " << example->message;
  }
}

TEST(RefuterTest, MutantsFall) {
  for (const Mutant& mutant : Mutants()) {
    const std::optional<Counterexample> example = Search(Apply(mutant), mutant.kernel);
    EXPECT_EQ(example.has_value(), mutant.refutable)
        << mutant.name << ": " << (example.has_value() ? example->message : "nothing found");
    if (example.has_value()) {
      EXPECT_TRUE(example->replayed);
      EXPECT_FALSE(example->message.empty());
    }
  }
}

TEST(RefuterTest, RunsOnlyTheSuspectBlock) {
  const Mutant late = {
      "", "add_relu", "%mul1 = mul nsw i64 %add, 60",
      "%odd = and i64 %bx, 4\n  %far = shl i64 %odd, 3\n  %more = add i64 %add, %far\n"
      "  %mul1 = mul nsw i64 %more, 60"};
  const TestKernel kernel = Apply(late);
  EXPECT_FALSE(Search(kernel, "add_relu", {.kernel = 0, .block = BlockIndex{1, 0, 0}}).has_value());
  const std::optional<Counterexample> example =
      Search(kernel, "add_relu", {.kernel = 0, .block = BlockIndex{4, 0, 0}});
  ASSERT_TRUE(example.has_value());
  EXPECT_THAT(example->message, HasSubstr("block (4, 0, 0) of @add_relu"));
  EXPECT_EQ(example->kind, "no-poison");  // of an `inbounds` address
}

TEST(RefuterTest, NamesTheElement) {
  const std::optional<Counterexample> example =
      Search(Apply(Mutants()[2]), "add_relu");  // the tail starts late
  ASSERT_TRUE(example.has_value());
  EXPECT_EQ(example->kind, "coverage");
  EXPECT_EQ(example->index, (std::vector<int64_t>{0, 56}));
}

TEST(RefuterTest, RoundingAloneIsNoCounterexample) {
  // Only inputs that round: a reassociated sum differs, and is not wrong over the reals.
  RefuterOptions options;
  options.boxes = {{.argument = 0, .low = 0.1, .high = 0.9}};
  const TestKernel kernel = LoadTestKernel("row_sum");
  EXPECT_FALSE(Search(kernel, "row_sum", {}, options).has_value());
  Suspect suspect = {.output = 0};
  const auto search_within = [&](std::optional<double> distance) {
    suspect.margins = [=](const std::vector<int64_t>&, const std::vector<const Tensor*>&) {
      return Margin{.finite = true, .distance = distance};
    };
    return Search(kernel, "row_sum", suspect, options).has_value();
  };
  EXPECT_TRUE(search_within(1e-30));
  EXPECT_FALSE(search_within(1e-3));
  EXPECT_FALSE(search_within(std::nullopt));
  options.semantics = Semantics::kExact;
  const std::optional<Counterexample> example = Search(kernel, "row_sum", {}, options);
  ASSERT_TRUE(example.has_value());
  EXPECT_EQ(example->kind, "value");
}

TEST(RefuterTest, StaysInItsBudget) {
  RefuterOptions options;
  options.budget = 100;
  EXPECT_FALSE(Search(Apply(Mutants()[0]), "add_relu", {}, options).has_value());
}

TEST(TrialInputsTest, LieInTheirBoxesAndRepeat) {
  const LaunchPlan plan = LoadTestKernel("matmul_bias_relu").plan;
  const std::vector<Box> boxes = {{.argument = 1, .low = 0.25, .high = 0.5},
                                  {.argument = 2, .low = -2, .high = 1}};
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const std::vector<Tensor> a = TrialInputs(plan, boxes, seed).value();
    const std::vector<Tensor> b = TrialInputs(plan, boxes, seed).value();
    ASSERT_EQ(a.size(), 3u);
    for (int64_t i = 0; i < a[1].type().num_elements(); ++i) {
      EXPECT_GE(a[1].At(i), 0.25);
      EXPECT_LE(a[1].At(i), 0.5);
      EXPECT_EQ(a[1].At(i), b[1].At(i));
    }
    for (int64_t i = 0; i < a[2].type().num_elements(); ++i) {
      EXPECT_GE(a[2].At(i), -2);
      EXPECT_LE(a[2].At(i), 1);
    }
  }
  EXPECT_FALSE(TrialInputs(plan, {{.argument = 0, .low = 1, .high = 0}}, 0).ok());
  // Two conditions on one argument hold together.
  const std::vector<Box> both = {{.argument = 0, .low = 2}, {.argument = 0, .high = 3}};
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const std::vector<Tensor> tensors = TrialInputs(plan, both, seed).value();
    for (int64_t i = 0; i < tensors[0].type().num_elements(); ++i) {
      EXPECT_GE(tensors[0].At(i), 2) << seed;
      EXPECT_LE(tensors[0].At(i), 3) << seed;
    }
  }
  EXPECT_FALSE(TrialInputs(plan, {{.argument = 0, .low = 2}, {.argument = 0, .high = 1}}, 0).ok());
}

}  // namespace
}  // namespace quern::verifier
