// triangular_solve, cholesky, fft, rng_bit_generator.
#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>

#include "absl/strings/str_cat.h"
#include "frontend/complex_elements.h"
#include "frontend/random.h"
#include "frontend/testing/programs.h"
#include "frontend/testing/run.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern::frontend {

using ::testing::ElementsAre;
using Vector = std::vector<double>;

static Tensor RandomComplex(const TensorType& type, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  Tensor tensor = Tensor::Create(type).value();
  for (int64_t i = 0; i < type.num_elements(); ++i)
    SetComplex(tensor, i, {uniform(random), uniform(random)});
  return tensor;
}

// op(a) x = b, or x op(a) = b, with only one triangle of a in use.
TEST(EvaluateLinearTest, SolutionsOfTriangularSystemsSolveThem) {
  std::mt19937 random(10);
  for (int round = 0; round < 96; ++round) {
    const bool left = round & 1, lower = round & 2, unit = round & 4;
    const int transpose = round / 8 % 3;
    const bool complex = round / 24 % 2;
    const ElementType element = complex ? ElementType::kComplexF64 : ElementType::kF64;
    const int64_t n = Draw(random, 1, 6), k = Draw(random, 1, 4);
    std::vector<Tensor> inputs;
    inputs.push_back(RandomComplex({element, {2, n, n}}, random));
    for (int64_t i = 0; i < 2 * n; ++i) SetComplex(inputs[0], i / n * n * n + i % n * (n + 1), 3);
    const Index shape = left ? Index{2, n, k} : Index{2, k, n};
    inputs.push_back(RandomComplex({element, shape}, random));
    const std::string a = MlirType(inputs[0].type()), b = MlirType(inputs[1].type());
    static constexpr const char* kNames[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
    const std::string body = absl::StrCat(
        "%r0 = \"stablehlo.triangular_solve\"(%a0, %a1) {left_side = ", left ? "true" : "false",
        ", lower = ", lower ? "true" : "false", ", unit_diagonal = ", unit ? "true" : "false",
        ", transpose_a = #stablehlo<transpose ", kNames[transpose], ">} : (", a, ", ", b, ") -> ",
        b);
    const Tensor x = std::move(RunBody(body, {inputs[1].type().ToString()}, inputs)[0]);
    ASSERT_EQ(x.type(), inputs[1].type());
    for (int64_t batch = 0; batch < 2; ++batch) {
      auto element_of_op = [&](int64_t i, int64_t j) -> Complex {
        if (transpose != 0) std::swap(i, j);
        if (i == j && unit) return 1;
        if (lower ? j > i : j < i) return 0;
        const Complex value = inputs[0].ComplexAt((batch * n + i) * n + j);
        return transpose == 2 ? std::conj(value) : value;
      };
      for (int64_t v = 0; v < k; ++v) {
        for (int64_t i = 0; i < n; ++i) {
          Complex sum = 0;
          for (int64_t j = 0; j < n; ++j) {
            sum += left ? element_of_op(i, j) * x.ComplexAt((batch * n + j) * k + v)
                        : x.ComplexAt((batch * k + v) * n + j) * element_of_op(j, i);
          }
          const Complex right =
              inputs[1].ComplexAt(left ? (batch * n + i) * k + v : (batch * k + v) * n + i);
          EXPECT_LT(std::abs(sum - right), 1e-9) << body;
        }
      }
    }
  }
}

TEST(EvaluateLinearTest, CholeskyFactorsGiveTheMatrixBack) {
  std::mt19937 random(11);
  for (bool lower : {true, false}) {
    for (ElementType element : {ElementType::kF64, ElementType::kComplexF64}) {
      const int64_t n = 5;
      const Tensor root = RandomComplex({element, {n, n}}, random);
      std::vector<Tensor> inputs;
      inputs.push_back(Tensor::Create({element, {n, n}}).value());
      for (int64_t i = 0; i < n * n; ++i) {
        Complex sum = i / n == i % n ? 1 : 0;
        for (int64_t k = 0; k < n; ++k)
          sum += root.ComplexAt(i / n * n + k) * std::conj(root.ComplexAt(i % n * n + k));
        // What lies in the other triangle does not count.
        SetComplex(inputs[0], i, (lower ? i % n > i / n : i % n < i / n) ? Complex(99) : sum);
      }
      const std::string body =
          absl::StrCat("%r0 = stablehlo.cholesky %a0, lower = ", lower ? "true" : "false", " : ",
                       MlirType(inputs[0].type()));
      const Tensor factor = std::move(RunBody(body, {inputs[0].type().ToString()}, inputs)[0]);
      ASSERT_EQ(factor.type(), inputs[0].type());
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          if (lower ? j > i : j < i) {
            EXPECT_EQ(factor.ComplexAt(i * n + j), Complex(0));
            continue;
          }
          Complex sum = 0;
          for (int64_t k = 0; k < n; ++k) {
            sum += lower ? factor.ComplexAt(i * n + k) * std::conj(factor.ComplexAt(j * n + k))
                         : std::conj(factor.ComplexAt(k * n + i)) * factor.ComplexAt(k * n + j);
          }
          EXPECT_LT(std::abs(sum - inputs[0].ComplexAt(i * n + j)), 1e-12);
        }
      }
    }
  }
}

TEST(EvaluateLinearTest, CholeskyOfAnIndefiniteMatrixIsNaN) {
  std::vector<Tensor> inputs;
  inputs.push_back(MakeTensor("f32[2,2]", {1, 2, 2, 1}));
  const auto results =
      RunBody("%r0 = stablehlo.cholesky %a0, lower = true : tensor<2x2xf32>", {"f32[2,2]"}, inputs);
  EXPECT_TRUE(std::isnan(results[0].At(3)));
}

// ---- fft

static std::string Fft(const std::string& kind, const Index& length, const std::string& from,
                       const std::string& to) {
  return absl::StrCat("%r0 = stablehlo.fft %a0, type = ", kind, ", length = [", List(length),
                      "] : (", MlirType(from), ") -> ", MlirType(to));
}

// The sum of its definition, over two dimensions of a batch, of lengths with all sorts of factors.
TEST(EvaluateLinearTest, FftIsTheSumOfItsDefinition) {
  std::mt19937 random(12);
  for (auto [m, n] :
       {std::pair<int64_t, int64_t>{1, 1}, {2, 8}, {3, 5}, {4, 7}, {6, 12}, {1, 13}}) {
    const std::string type = absl::StrCat("complex<f64>[2,", m, ",", n, "]");
    std::vector<Tensor> inputs;
    inputs.push_back(RandomComplex(ParseTensorType(type).value(), random));
    const Tensor spectrum = std::move(RunBody(Fft("FFT", {m, n}, type, type), {type}, inputs)[0]);
    ASSERT_EQ(spectrum.type(), inputs[0].type());
    ForEach({2, m, n}, [&, m = m, n = n](const Index& k) {
      Complex sum = 0;
      ForEach({m, n}, [&](const Index& x) {
        const double turns = double(k[1] * x[0]) / m + double(k[2] * x[1]) / n;
        sum += inputs[0].ComplexAt((k[0] * m + x[0]) * n + x[1]) *
               std::polar(1.0, -2 * std::numbers::pi * turns);
      });
      EXPECT_LT(std::abs(spectrum.ComplexAt((k[0] * m + k[1]) * n + k[2]) - sum), 1e-12);
    });
    std::vector<Tensor> back;
    back.push_back(spectrum.Clone());
    const Tensor again = std::move(RunBody(Fft("IFFT", {m, n}, type, type), {type}, back)[0]);
    for (int64_t i = 0; i < 2 * m * n; ++i)
      EXPECT_LT(std::abs(again.ComplexAt(i) - inputs[0].ComplexAt(i)), 1e-13);
  }
}

TEST(EvaluateLinearTest, RealTransformsKeepHalfTheSpectrumAndInvert) {
  std::mt19937 random(13);
  for (int64_t n : {1, 2, 5, 8, 9}) {
    const int64_t half = n / 2 + 1;
    const std::string real = absl::StrCat("f64[3,", n, "]"),
                      whole = absl::StrCat("complex<f64>[3,", n, "]"),
                      kept = absl::StrCat("complex<f64>[3,", half, "]");
    std::vector<Tensor> inputs, as_complex, spectrum;
    inputs.push_back(RandomComplex(ParseTensorType(real).value(), random));
    as_complex.push_back(Tensor::Create(ParseTensorType(whole).value()).value());
    for (int64_t i = 0; i < 3 * n; ++i) SetComplex(as_complex[0], i, inputs[0].At(i));
    spectrum.push_back(std::move(RunBody(Fft("RFFT", {3, n}, real, kept), {kept}, inputs)[0]));
    const Tensor full =
        std::move(RunBody(Fft("FFT", {3, n}, whole, whole), {whole}, as_complex)[0]);
    ForEach({3, half}, [&](const Index& k) {
      EXPECT_LT(
          std::abs(spectrum[0].ComplexAt(k[0] * half + k[1]) - full.ComplexAt(k[0] * n + k[1])),
          1e-13);
    });
    const Tensor again = std::move(RunBody(Fft("IRFFT", {3, n}, kept, real), {real}, spectrum)[0]);
    for (int64_t i = 0; i < 3 * n; ++i) EXPECT_NEAR(again.At(i), inputs[0].At(i), 1e-13);
  }
}

// ---- Random bits

// The known answers that come with the generators' reference implementation.
TEST(EvaluateLinearTest, GeneratorsGiveTheirKnownAnswers) {
  EXPECT_THAT(Threefry({0, 0}, {0, 0}), ElementsAre(0x6b200159u, 0x99ba4efeu));
  EXPECT_THAT(Threefry({0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
              ElementsAre(0x1cb996fcu, 0xbb002be7u));
  EXPECT_THAT(Threefry({0x243f6a88, 0x85a308d3}, {0x13198a2e, 0x03707344}),
              ElementsAre(0xc4923a9cu, 0x483df7a0u));
  EXPECT_THAT(Philox({0, 0, 0, 0}, {0, 0}),
              ElementsAre(0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u));
  EXPECT_THAT(Philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
              ElementsAre(0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu));
  EXPECT_THAT(Philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              ElementsAre(0xd16cfe09u, 0x94fdcceb, 0x5001e420u, 0x24126ea1u));
}

static std::vector<Tensor> Bits(const std::string& algorithm, const std::string& output,
                                const Tensor& state) {
  std::vector<Tensor> inputs;
  inputs.push_back(state.Clone());
  const std::string type = MlirType(state.type());
  return RunBody(absl::StrCat("%r0, %r1 = stablehlo.rng_bit_generator %a0, algorithm = ", algorithm,
                              " : (", type, ") -> (", type, ", ", MlirType(output), ")"),
                 {state.type().ToString(), output}, inputs);
}

TEST(EvaluateLinearTest, RandomBitsComeFromTheStateAndMoveIt) {
  Tensor state = Tensor::Create({ElementType::kUI64, {2}}).value();
  state.as<uint64_t>()[0] = 0x0370734413198a2e;
  state.as<uint64_t>()[1] = 0x85a308d3243f6a88;
  auto results = Bits("THREE_FRY", "ui32[3]", state);
  EXPECT_EQ(results[1].as<uint32_t>()[0], 0xc4923a9cu);
  EXPECT_EQ(results[1].as<uint32_t>()[2], 0x483df7a0u);
  EXPECT_EQ(results[0].as<uint64_t>()[0], 0x0370734413198a2eu);
  EXPECT_EQ(results[0].as<uint64_t>()[1], 0x85a308d3243f6a8au);
  // What follows continues where it stopped.
  const auto more = Bits("THREE_FRY", "ui64[2]", state);
  EXPECT_EQ(more[1].as<uint64_t>()[0], 0x483df7a0c4923a9cu);
  EXPECT_EQ(static_cast<uint32_t>(more[1].as<uint64_t>()[1]), results[1].as<uint32_t>()[1]);
  EXPECT_NE(Elements(Bits("THREE_FRY", "ui32[3]", results[0])[1]), Elements(results[1]));
  // Small elements are the lower bits.
  EXPECT_EQ(Bits("THREE_FRY", "ui8[3]", state)[1].as<uint8_t>()[0], 0x9c);
}

TEST(EvaluateLinearTest, PhiloxCarriesIntoTheUpperCounter) {
  Tensor state = Tensor::Create({ElementType::kUI64, {3}}).value();
  state.as<uint64_t>()[1] = ~uint64_t{0};
  const auto results = Bits("PHILOX", "ui32[2,4]", state);
  EXPECT_EQ(results[0].as<uint64_t>()[1], 1u);
  EXPECT_EQ(results[0].as<uint64_t>()[2], 1u);
  const auto second = Philox({0, 0, 1, 0}, {0, 0});
  EXPECT_EQ(std::memcmp(results[1].as<uint32_t>() + 4, second.data(), sizeof second), 0);
  EXPECT_EQ(Elements(Bits("DEFAULT", "ui32[2,4]", state)[1]), Elements(results[1]));
}

}  // namespace quern::frontend
