// Times mathlib as kernels get it, eight lanes at a time in the first cache, against the C library
// called once an element and SLEEF's vectors, interleaved; and a row softmax 1024x1024 against the
// same program with the C library's function called for each lane.
//
//   measure_mathlib_speed [--seed S]
//
// Prints one JSON object. A ratio is the peer's time over mathlib's, above 1: mathlib is faster,
// the median over blocks and where its middle 95 % lie. SLEEF is loaded with dlopen: if absent, it
// is named.
#include <dlfcn.h>
#include <immintrin.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "bundle/tensor.h"
#include "codegen/emit.h"
#include "codegen/testing/loaded.h"
#include "codegen/testing/softmax.h"
#include "nlohmann/json.hpp"

namespace quern {

constexpr int64_t kElements = 2048;  // 8 KiB in, 8 KiB out
constexpr int64_t kRepeats = 32;     // in one run
constexpr int kBlocks = 60;

struct Function {
  const char* name;
  const char* op;  // of the dialect
  double low, high;
  float (*library)(float);
};

constexpr Function kFunctions[] = {
    {"exp", "math.exp", -20, 20, std::exp},        {"exp2", "math.exp2", -20, 20, std::exp2},
    {"expm1", "math.expm1", -8, 8, std::expm1},    {"log", "math.log", 0.01, 100, std::log},
    {"log1p", "math.log1p", -0.5, 20, std::log1p}, {"tanh", "math.tanh", -4, 4, std::tanh},
    {"erf", "math.erf", -4, 4, std::erf},          {"sin", "math.sin", -20, 20, std::sin},
    {"cos", "math.cos", -20, 20, std::cos}};

struct Contender {
  std::string name;
  std::function<void()> run;
  std::vector<double> ns;  // of one run, a block each
};

// Every contender once a block, in random order, for at least a millisecond.
static void Interleave(std::vector<Contender>& contenders, int blocks, std::mt19937& random) {
  using Clock = std::chrono::steady_clock;
  std::vector<size_t> order;
  for (size_t i = 0; i < contenders.size(); ++i) order.push_back(i);
  for (int block = -1; block < blocks; ++block) {  // the first warms up
    std::shuffle(order.begin(), order.end(), random);
    for (size_t i : order) {
      int64_t runs = 0;
      const Clock::time_point start = Clock::now();
      double ns = 0;
      while (ns < 1e6) {
        contenders[i].run();
        ++runs;
        ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
      }
      if (block >= 0) contenders[i].ns.push_back(ns / static_cast<double>(runs));
    }
  }
}

static double Quantile(std::vector<double> samples, double share) {
  std::sort(samples.begin(), samples.end());
  return samples[static_cast<size_t>(share * static_cast<double>(samples.size() - 1))];
}

// Rows of all peers of the first contender, whose time is `value`; of one of `elements`.
static void AddRows(const std::string& name, const std::vector<Contender>& contenders,
                    double elements, nlohmann::json& rows) {
  for (size_t i = 1; i < contenders.size(); ++i) {
    std::vector<double> ratios;
    for (size_t block = 0; block < contenders[i].ns.size(); ++block) {
      ratios.push_back(contenders[i].ns[block] / contenders[0].ns[block]);
    }
    rows.push_back({{"name", name},
                    {"peer", contenders[i].name},
                    {"value", Quantile(contenders[0].ns, 0.5) / elements},
                    {"peer_value", Quantile(contenders[i].ns, 0.5) / elements},
                    {"unit", "ns/element"},
                    {"ratio", Quantile(ratios, 0.5)},
                    {"interval", {Quantile(ratios, 0.025), Quantile(ratios, 0.975)}}});
  }
}

static std::string MapProgram(const Function& function) {
  return absl::StrReplaceAll(R"(
!x = !quern.buffer<[2048] x f32, global>
#m = affine_map<(j, l) -> (j * 8 + l)>
quern.program target "host" {
  %x = quern.buffer "arg0" input 0 : !x
  %y = quern.buffer "out0" output 0 : !x
  quern.kernel "k0" { quern.loop "n" %n to $N serial {
    quern.loop "j" %j to 256 serial { quern.loop "l" %l to 8 vector {
      %a = quern.load %x[#m](%j, %l) : !x -> f32
      %b = $OP %a : f32
      quern.store %b, %y[#m](%j, %l) : f32, !x
    } }
  } }
})",
                             {{"$OP", function.op}, {"$N", absl::StrCat(kRepeats)}});
}

__attribute__((target("avx"))) static void MapVectors(void* vector, const float* x, float* y) {
  const auto function = reinterpret_cast<__m256 (*)(__m256)>(vector);
  for (int64_t i = 0; i < kElements; i += 8) {
    _mm256_store_ps(y + i, function(_mm256_load_ps(x + i)));
  }
}

static void MapScalars(float (*function)(float), const float* x, float* y) {
#pragma clang loop vectorize(disable)
  for (int64_t i = 0; i < kElements; ++i) y[i] = function(x[i]);
}

static void MeasureFunction(const Function& function, void* sleef, std::mt19937& random,
                            nlohmann::json& rows) {
  codegen::Loaded kernel(MapProgram(function));
  std::uniform_real_distribution<double> numbers(function.low, function.high);
  const TensorType type{ElementType::kF32, {kElements}};
  Tensor x = codegen::Filled(type, [&](int64_t) { return numbers(random); });
  Tensor y = *Tensor::Create(type);
  std::vector<Contender> contenders;
  contenders.push_back({"mathlib", [&] { kernel.Run({&x}, {&y}); }, {}});
  contenders.push_back({"glibc, one at a time",
                        [&] {
                          for (int64_t i = 0; i < kRepeats; ++i) {
                            MapScalars(function.library, x.as<float>(), y.as<float>());
                          }
                        },
                        {}});
  for (const char* error : {"u10", "u35"}) {
    const std::string symbol = absl::StrCat("Sleef_", function.name, "f8_", error, "avx2");
    void* vector = sleef == nullptr ? nullptr : dlsym(sleef, symbol.c_str());
    if (vector == nullptr) continue;
    contenders.push_back({absl::StrCat("SLEEF ", error),
                          [&x, &y, vector] {
                            for (int64_t i = 0; i < kRepeats; ++i) {
                              MapVectors(vector, x.as<float>(), y.as<float>());
                            }
                          },
                          {}});
  }
  Interleave(contenders, kBlocks, random);
  AddRows(function.name, contenders, static_cast<double>(kElements * kRepeats), rows);
}

// The same kernel with a call of expf for each lane.
static Artifact WithLibm(const Artifact& artifact) {
  std::string text;
  int calls = 0;
  size_t at = 0;
  const std::string call = " = call <8 x float> @quern_exp_f32x8(<8 x float> ";
  for (size_t found; (found = artifact.llvm_ir.find(call, at)) != std::string::npos;) {
    const size_t line = artifact.llvm_ir.rfind('\n', found) + 1;
    const size_t end = artifact.llvm_ir.find('\n', found);
    const std::string result = artifact.llvm_ir.substr(line, found - line);
    const size_t begin = found + call.size();
    const std::string operand =
        artifact.llvm_ir.substr(begin, artifact.llvm_ir.find(')', begin) - begin);
    absl::StrAppend(&text, artifact.llvm_ir.substr(at, line - at));
    std::string vector = "poison";
    for (int lane = 0; lane < 8; ++lane) {
      const std::string id = absl::StrCat("%libm", calls, ".", lane);
      const std::string next = lane == 7 ? result : absl::StrCat(id, ".v");
      absl::StrAppend(&text, id, ".a = extractelement <8 x float> ", operand, ", i64 ", lane, "\n",
                      id, ".b = call float @expf(float ", id, ".a)\n", next,
                      " = insertelement <8 x float> ", vector, ", float ", id, ".b, i64 ", lane,
                      "\n");
      vector = next;
    }
    ++calls;
    at = end + 1;
  }
  absl::StrAppend(&text, artifact.llvm_ir.substr(at), "\ndeclare float @expf(float)\n");
  if (calls == 0) std::abort();
  absl::StatusOr<std::string> binary = codegen::Emit(text, artifact.plan);
  if (!binary.ok()) {
    std::fprintf(stderr, "%s\n", std::string(binary.status().message()).c_str());
    std::exit(1);
  }
  return {.plan = artifact.plan, .llvm_ir = text, .kind = artifact.kind, .binary = *binary};
}

static void MeasureSoftmax(std::mt19937& random, nlohmann::json& rows) {
  constexpr int64_t kSide = 1024;
  codegen::Loaded kernel(codegen::SoftmaxProgram(kSide, kSide, /*apart=*/true));
  codegen::Loaded before(WithLibm(kernel.artifact()));
  const TensorType type{ElementType::kF32, {kSide, kSide}};
  std::uniform_real_distribution<double> numbers(-8, 8);
  Tensor x = codegen::Filled(type, [&](int64_t) { return numbers(random); });
  Tensor y = *Tensor::Create(type);
  std::vector<Contender> contenders = {
      {"mathlib", [&] { kernel.Run({&x}, {&y}); }, {}},
      {"the same with libm's expf for each lane", [&] { before.Run({&x}, {&y}); }, {}}};
  Interleave(contenders, kBlocks, random);
  AddRows("softmax 1024x1024", contenders, static_cast<double>(kSide * kSide), rows);
}

static int Measure(uint64_t seed) {
  std::mt19937 random(seed);
  void* sleef = dlopen("libsleef.so.3", RTLD_NOW | RTLD_LOCAL);
  nlohmann::json rows = nlohmann::json::array();
  for (const Function& function : kFunctions) MeasureFunction(function, sleef, random, rows);
  MeasureSoftmax(random, rows);
  nlohmann::json absent = nlohmann::json::array();
  if (sleef == nullptr) absent.push_back("SLEEF");
  std::printf("%s\n", nlohmann::json{{"rows", rows}, {"absent", absent}}.dump().c_str());
  return 0;
}

}  // namespace quern

int main(int argc, char** argv) {
  const bool seeded = argc == 3 && std::strcmp(argv[1], "--seed") == 0;
  if (argc != 1 && !seeded) {
    std::fprintf(stderr, "usage: measure_mathlib_speed [--seed S]\n");
    return 1;
  }
  return quern::Measure(seeded ? std::strtoull(argv[2], nullptr, 10) : 0);
}
