// Complex numbers, Fourier transforms and random bits as naive programs, compiled for this machine
// and run, against the interpreter.
#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "codegen/compiler.h"
#include "codegen/testing/loaded.h"
#include "frontend/context.h"
#include "frontend/interpreter.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "search/naive.h"

namespace quern {
namespace {

using Complex = std::complex<double>;

Tensor Filled(const TensorType& type, std::mt19937_64& random) {
  Tensor tensor = *Tensor::Create(type);
  std::uniform_real_distribution<double> number(-2, 2);
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    const Complex value(number(random), number(random));
    if (type.element == ElementType::kComplexF32) {
      tensor.as<std::complex<float>>()[i] = std::complex<float>(value);
    } else if (type.element == ElementType::kComplexF64) {
      tensor.as<Complex>()[i] = value;
    } else if (IsFloat(type.element)) {
      tensor.Set(i, value.real());
    } else {
      const uint64_t bits = random();
      std::memcpy(tensor.data() + i * ByteSize(type.element), &bits, ByteSize(type.element));
    }
  }
  return tensor;
}

struct Results {
  std::vector<Tensor> want, got;
};

// Of a function of that text on random arguments.
Results RunBoth(const std::string& text, uint64_t seed) {
  const auto context = frontend::MakeContext();
  absl::StatusOr<frontend::Spec> spec = frontend::ParseSpec(text, "complex.mlir", *context);
  EXPECT_TRUE(spec.ok()) << spec.status() << "\n" << text;
  if (!spec.ok()) return {};
  auto naive = search::NaiveProgram(*spec, "x86_64");
  EXPECT_TRUE(naive.ok()) << naive.status();
  if (!naive.ok()) return {};
  absl::StatusOr<Artifact> artifact = codegen::Compile(**naive);
  EXPECT_TRUE(artifact.ok()) << artifact.status();
  if (!artifact.ok()) return {};
  for (const BufferPlan& buffer : artifact->plan.buffers) {
    if (buffer.role == BufferRole::kInput) EXPECT_EQ(buffer.type, spec->arguments[buffer.position]);
    if (buffer.role == BufferRole::kOutput) EXPECT_EQ(buffer.type, spec->results[buffer.position]);
  }
  std::mt19937_64 random(seed);
  std::vector<Tensor> inputs;
  for (const TensorType& type : spec->arguments) inputs.push_back(Filled(type, random));
  absl::StatusOr<std::vector<Tensor>> want = frontend::Interpret(*spec, inputs);
  EXPECT_TRUE(want.ok()) << want.status();
  if (!want.ok()) return {};
  return {*std::move(want), codegen::Loaded(*std::move(artifact)).Results(inputs, spec->results)};
}

// Within `units` of the element type's precision, of the largest element or 1.
void ExpectNear(const Results& results, double units, const std::string& what) {
  ASSERT_EQ(results.want.size(), results.got.size());
  for (size_t r = 0; r < results.want.size(); ++r) {
    const Tensor &want = results.want[r], &got = results.got[r];
    const ElementType element = want.type().element;
    const bool wide = element == ElementType::kF64 || element == ElementType::kComplexF64;
    double size = 1, distance = 0;
    for (int64_t i = 0; i < want.type().num_elements(); ++i) {
      size = std::max(size, std::abs(want.ComplexAt(i)));
      distance = std::max(distance, std::abs(want.ComplexAt(i) - got.ComplexAt(i)));
      ASSERT_TRUE(std::isfinite(std::abs(got.ComplexAt(i)))) << what << ", element " << i;
    }
    EXPECT_LE(distance, units * size * (wide ? 0x1p-52 : 0x1p-23)) << what << ", result " << r;
  }
}

void ExpectEqual(const Results& results, const std::string& what) {
  ASSERT_EQ(results.want.size(), results.got.size());
  for (size_t r = 0; r < results.want.size(); ++r) {
    EXPECT_EQ(std::memcmp(results.want[r].data(), results.got[r].data(),
                          results.want[r].type().num_bytes()),
              0)
        << what << ", result " << r;
  }
}

struct Row {
  const char* text;  // %r from %a and %b, vectors of 60 elements $C, whose parts are $T
  double units;      // 0: equal bits
  const char* result = "tensor<60x$C>";
};

constexpr Row kRows[] = {
    {"stablehlo.add %a, %b : $V", 0},
    {"stablehlo.subtract %a, %b : $V", 0},
    {"stablehlo.multiply %a, %b : $V", 0},
    {"stablehlo.negate %a : $V", 0},
    {"stablehlo.maximum %a, %b : $V", 0},
    {"stablehlo.minimum %a, %b : $V", 0},
    {"stablehlo.clamp %a, %b, %a : $V", 0},
    {"chlo.conj %a : $V -> $V", 0},
    {"chlo.square %a : $V -> $V", 0},
    {"stablehlo.real %a : ($V) -> tensor<60x$T>", 0, "tensor<60x$T>"},
    {"stablehlo.imag %a : ($V) -> tensor<60x$T>", 0, "tensor<60x$T>"},
    {"stablehlo.abs %a : ($V) -> tensor<60x$T>", 2, "tensor<60x$T>"},
    {"stablehlo.compare LE, %a, %b : ($V, $V) -> tensor<60xi1>", 0, "tensor<60xi1>"},
    {"stablehlo.compare EQ, %a, %a : ($V, $V) -> tensor<60xi1>", 0, "tensor<60xi1>"},
    {"stablehlo.compare GT, %a, %b : ($V, $V) -> tensor<60xi1>", 0, "tensor<60xi1>"},
    {"stablehlo.convert %a : ($V) -> tensor<60xi1>", 0, "tensor<60xi1>"},
    {"stablehlo.convert %a : ($V) -> tensor<60xi32>", 0, "tensor<60xi32>"},
    {"stablehlo.convert %a : ($V) -> tensor<60xcomplex<f32>>", 0, "tensor<60xcomplex<f32>>"},
    {"stablehlo.divide %a, %b : $V", 8},
    {"stablehlo.exponential %a : $V", 4},
    {"stablehlo.exponential_minus_one %a : $V", 4},
    {"stablehlo.log %a : $V", 4},
    {"stablehlo.log_plus_one %a : $V", 4},
    {"stablehlo.logistic %a : $V", 8},
    {"stablehlo.sqrt %a : $V", 4},
    {"stablehlo.rsqrt %a : $V", 8},
    {"stablehlo.cbrt %a : $V", 4},
    {"stablehlo.sign %a : $V", 4},
    {"stablehlo.sine %a : $V", 4},
    {"stablehlo.cosine %a : $V", 4},
    {"stablehlo.tan %a : $V", 16},
    {"stablehlo.tanh %a : $V", 16},
    {"stablehlo.power %a, %b : $V", 32},
    {"stablehlo.atan2 %a, %b : $V", 32},
    {"chlo.sinh %a : $V -> $V", 4},
    {"chlo.cosh %a : $V -> $V", 4},
    {"chlo.asin %a : $V -> $V", 16},
    {"chlo.acos %a : $V -> $V", 16},
    {"chlo.atan %a : $V -> $V", 16},
    {"chlo.asinh %a : $V -> $V", 16},
    {"chlo.acosh %a : $V -> $V", 16},
    {"chlo.atanh %a : $V -> $V", 16},
    {"stablehlo.reverse %a, dims = [0] : $V", 0},
    {"stablehlo.slice %a [3:50:7] : ($V) -> tensor<7x$C>", 0, "tensor<7x$C>"},
    {"stablehlo.concatenate %a, %b, dim = 0 : ($V, $V) -> tensor<120x$C>", 0, "tensor<120x$C>"},
    {"stablehlo.iota dim = 0 : $V", 0},
    {"stablehlo.constant dense<(1.5, -2.5)> : $V", 0},
    {"stablehlo.constant dense<(1.0, 2.0)> : tensor<$C>\n"
     "%r = stablehlo.pad %a, %r_, low = [1], high = [2], interior = [1] : ($V, tensor<$C>) -> "
     "tensor<122x$C>",
     0, "tensor<122x$C>"},
    {"stablehlo.compare LT, %a, %b : ($V, $V) -> tensor<60xi1>\n"
     "%r = stablehlo.select %r_, %a, %b : tensor<60xi1>, $V",
     0},
    {"stablehlo.constant dense<(1.0, 0.0)> : tensor<$C>\n"
     "%r_0 = stablehlo.reshape %a : ($V) -> tensor<4x15x$C>\n"
     "%r = stablehlo.reduce(%r_0 init: %r_) applies stablehlo.multiply across dimensions = [1] : "
     "(tensor<4x15x$C>, tensor<$C>) -> tensor<4x$C>",
     4, "tensor<4x$C>"},
    {"stablehlo.reshape %a : ($V) -> tensor<6x10x$C>\n"
     "%r_0 = stablehlo.reshape %b : ($V) -> tensor<10x6x$C>\n"
     "%r = stablehlo.dot_general %r_, %r_0, contracting_dims = [1] x [0] : (tensor<6x10x$C>, "
     "tensor<10x6x$C>) -> tensor<6x6x$C>",
     8, "tensor<6x6x$C>"},
    {"stablehlo.reshape %a : ($V) -> tensor<2x10x3x$C>\n"
     "%r_0 = stablehlo.slice %b [0:18] : ($V) -> tensor<18x$C>\n"
     "%r_1 = stablehlo.reshape %r_0 : (tensor<18x$C>) -> tensor<3x3x2x$C>\n"
     "%r = stablehlo.convolution(%r_, %r_1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = "
     "{pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
     "(tensor<2x10x3x$C>, tensor<3x3x2x$C>) -> tensor<2x10x2x$C>",
     8, "tensor<2x10x2x$C>"},
    {"stablehlo.constant dense<[[3], [50], [7]]> : tensor<3x1xi32>\n"
     "%r_0 = stablehlo.slice %b [0:3] : ($V) -> tensor<3x$C>\n"
     "%r = \"stablehlo.scatter\"(%a, %r_, %r_0) <{scatter_dimension_numbers = "
     "#stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
     "index_vector_dim = 1>}> ({\n^bb0(%x: tensor<$C>, %y: tensor<$C>):\n"
     "%m = stablehlo.multiply %x, %y : tensor<$C>\nstablehlo.return %m : tensor<$C> }) : "
     "($V, tensor<3x1xi32>, tensor<3x$C>) -> $V",
     0},
    {"stablehlo.constant dense<[[3], [50], [7]]> : tensor<3x1xi32>\n"
     "%r = \"stablehlo.gather\"(%a, %r_) <{dimension_numbers = "
     "#stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
     "slice_sizes = array<i64: 1>}> : ($V, tensor<3x1xi32>) -> tensor<3x$C>",
     0, "tensor<3x$C>"},
    {"stablehlo.constant dense<(0.0, 0.0)> : tensor<$C>\n"
     "%r = \"stablehlo.reduce_window\"(%a, %r_) <{window_dimensions = array<i64: 4>}> ({\n"
     "^bb0(%x: tensor<$C>, %y: tensor<$C>):\n%m = stablehlo.add %x, %y : tensor<$C>\n"
     "stablehlo.return %m : tensor<$C> }) : ($V, tensor<$C>) -> tensor<57x$C>",
     0, "tensor<57x$C>"},
    {"\"stablehlo.sort\"(%a) <{dimension = 0 : i64, is_stable = true}> ({\n"
     "^bb0(%x: tensor<$C>, %y: tensor<$C>):\n"
     "%l = stablehlo.compare LT, %x, %y : (tensor<$C>, tensor<$C>) -> tensor<i1>\n"
     "stablehlo.return %l : tensor<i1> }) : ($V) -> $V",
     0},
    {"stablehlo.constant dense<true> : tensor<i1>\n"
     "%r = \"stablehlo.if\"(%r_) ({\n%p = stablehlo.add %a, %b : $V\nstablehlo.return %p : $V\n}, "
     "{\nstablehlo.return %a : $V\n}) : (tensor<i1>) -> $V",
     0},
};

TEST(NaiveComplexTest, OpsAgreeWithTheInterpreter) {
  for (const std::string part : {"f32", "f64"}) {
    for (const Row& row : kRows) {
      const bool several = std::strstr(row.text, "\n%r") != nullptr;
      std::string text = absl::StrCat("func.func @main(%a: $V, %b: $V) -> ", row.result, " {\n",
                                      several ? "%r_ = " : "%r = ", row.text,
                                      "\nreturn %r : ", row.result, "\n}\n");
      text = absl::StrReplaceAll(text, {{"$V", "tensor<60x$C>"}});
      text = absl::StrReplaceAll(text, {{"$C", absl::StrCat("complex<", part, ">")}, {"$T", part}});
      const Results results = RunBoth(text, 5);
      if (row.units == 0) {
        ExpectEqual(results, text);
      } else {
        ExpectNear(results, row.units, text);
      }
    }
  }
}

// ---- Fourier transforms

// One of each kind along the last dimension, of two lines.
void CheckTransforms(int64_t n, const std::string& part, double units) {
  const std::string complex = absl::StrCat("tensor<2x", n, "xcomplex<", part, ">>");
  const std::string real = absl::StrCat("tensor<2x", n, "x", part, ">");
  const std::string half = absl::StrCat("tensor<2x", n / 2 + 1, "xcomplex<", part, ">>");
  const auto fft = [&](const char* result, const char* operand, const char* kind,
                       const std::string& from, const std::string& to) {
    return absl::StrCat(result, " = stablehlo.fft ", operand, ", type = ", kind, ", length = [", n,
                        "] : (", from, ") -> ", to, "\n");
  };
  const std::string text = absl::StrCat(
      "func.func @main(%a: ", complex, ", %b: ", real, ", %c: ", half, ") -> (", complex, ", ",
      complex, ", ", half, ", ", real, ") {\n", fft("%0", "%a", "FFT", complex, complex),
      fft("%1", "%a", "IFFT", complex, complex), fft("%2", "%b", "RFFT", real, half),
      fft("%3", "%c", "IRFFT", half, real), "return %0, %1, %2, %3 : ", complex, ", ", complex,
      ", ", half, ", ", real, "\n}\n");
  ExpectNear(RunBoth(text, n), units, absl::StrCat("length ", n, " of ", part));
}

TEST(NaiveComplexTest, TransformsOfAllSmallLengths) {
  for (int64_t n = 1; n <= 64; ++n) CheckTransforms(n, n % 2 == 0 ? "f32" : "f64", 32);
}

TEST(NaiveComplexTest, TransformsOfLargeLengths) {
  for (const int64_t n : {100, 521, 1024, 4096}) CheckTransforms(n, "f64", 64);
  CheckTransforms(521, "f32", 2);
}

TEST(NaiveComplexTest, TransformsOfSeveralDimensions) {
  ExpectNear(RunBoth(R"(
func.func @main(%a: tensor<2x3x4x6xcomplex<f32>>, %b: tensor<2x4x5x8xf32>) -> (tensor<2x3x4x6xcomplex<f32>>, tensor<2x4x5x8xf32>) {
  %0 = stablehlo.fft %a, type = IFFT, length = [3, 4, 6] : (tensor<2x3x4x6xcomplex<f32>>) -> tensor<2x3x4x6xcomplex<f32>>
  %1 = stablehlo.fft %b, type = RFFT, length = [4, 5, 8] : (tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xcomplex<f32>>
  %2 = stablehlo.fft %1, type = IRFFT, length = [4, 5, 8] : (tensor<2x4x5x5xcomplex<f32>>) -> tensor<2x4x5x8xf32>
  return %0, %2 : tensor<2x3x4x6xcomplex<f32>>, tensor<2x4x5x8xf32>
})",
                     3),
             4, "several dimensions");
}

// ---- Random bits

TEST(NaiveComplexTest, RandomBitsAreEqual) {
  uint64_t seed = 0;
  for (const std::string algorithm : {"THREE_FRY", "PHILOX", "DEFAULT"}) {
    for (const std::string type : {"ui8", "i16", "ui32", "i64", "ui64", "f32"}) {
      for (const int64_t count : {3, 64}) {
        const int64_t words = algorithm != "THREE_FRY" && count % 2 == 1 ? 3 : 2;
        const std::string state = absl::StrCat("tensor<", words, "xui64>");
        const std::string output = absl::StrCat("tensor<", count, "x1x", type, ">");
        const std::string text = absl::StrCat(
            "func.func @main(%s: ", state, ") -> (", state, ", ", output,
            ") {\n%0, %1 = stablehlo.rng_bit_generator %s, algorithm = ", algorithm, " : (", state,
            ") -> (", state, ", ", output, ")\nreturn %0, %1 : ", state, ", ", output, "\n}\n");
        ExpectEqual(RunBoth(text, ++seed), text);
      }
    }
  }
}

TEST(NaiveComplexTest, CountersCarry) {
  const Results results = RunBoth(R"(
func.func @main() -> (tensor<3xui64>, tensor<32xui32>, tensor<2xi64>, tensor<32xui32>) {
  %s = stablehlo.constant dense<[5, 18446744073709551613, 7]> : tensor<3xui64>
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<32xui32>)
  %t = stablehlo.constant dense<[5, -3]> : tensor<2xi64>
  %2, %3 = stablehlo.rng_bit_generator %t, algorithm = THREE_FRY : (tensor<2xi64>) -> (tensor<2xi64>, tensor<32xui32>)
  return %0, %1, %2, %3 : tensor<3xui64>, tensor<32xui32>, tensor<2xi64>, tensor<32xui32>
})",
                                  0);
  ExpectEqual(results, "carry");
  EXPECT_EQ(results.got[0].as<uint64_t>()[1], 5u);
  EXPECT_EQ(results.got[0].as<uint64_t>()[2], 8u);
}

TEST(NaiveComplexTest, OpsWithoutRealFormAreNamed) {
  const auto context = frontend::MakeContext();
  absl::StatusOr<frontend::Spec> spec = frontend::ParseSpec(
      "func.func @main(%a: tensor<1000003xcomplex<f32>>) -> tensor<1000003xcomplex<f32>> {\n"
      "  %0 = stablehlo.fft %a, type = FFT, length = [1000003] : (tensor<1000003xcomplex<f32>>) -> "
      "tensor<1000003xcomplex<f32>>\n"
      "  return %0 : tensor<1000003xcomplex<f32>>\n}",
      "complex.mlir", *context);
  ASSERT_TRUE(spec.ok()) << spec.status();
  const absl::Status status = search::NaiveProgram(*spec, "x86_64").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              ::testing::HasSubstr("complex.mlir:2:8: error: stablehlo.fft: element type "
                                   "complex<f32> is not supported by code generation"));
}

}  // namespace
}  // namespace quern
