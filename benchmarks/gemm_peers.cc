// Times a bundle of an f32 matmul N×N×N against OpenBLAS and oneDNN on one thread, interleaved in
// one run.
//
//   gemm_peers KERNEL.so N [--seed S] [--blocks B]
//
// Prints one JSON object with a row for each peer: ratio = peer's time / quern's time (above 1:
// quern is faster), its 95 % interval over the blocks, and both medians. A block times every
// contender once, in random order, each for at least 4 ms; the ratio of a block is of neighbours in
// time. Peers are loaded with dlopen: an absent one is named.
#include <dlfcn.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "bundle/measurement.h"
#include "bundle/quern_abi.h"
#include "bundle/tensor.h"
#include "nlohmann/json.hpp"

namespace {

using quern::Interval;
using quern::Tensor;

struct Contender {
  std::string name;
  std::function<void()> run;
  std::vector<double> ns;  // of one run, a block each
};

[[noreturn]] void Die(const std::string& message) {
  std::fprintf(stderr, "gemm_peers: %s\n", message.c_str());
  std::exit(4);
}

Tensor Random(int64_t n, std::mt19937_64& random) {
  Tensor tensor = *Tensor::Create({quern::ElementType::kF32, {n, n}});
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (int64_t i = 0; i < n * n; ++i) tensor.as<float>()[i] = uniform(random);
  return tensor;
}

double Seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A 95 % interval of the median of the blocks' ratios.
Interval Ratio(const std::vector<double>& peer, const std::vector<double>& ours) {
  std::vector<double> ratios;
  for (size_t i = 0; i < ours.size(); ++i) ratios.push_back(peer[i] / ours[i]);
  return quern::MedianInterval(ratios);
}

std::function<void()> LoadBundle(const char* path, int64_t n, Tensor& a, Tensor& b, Tensor& c) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) Die(dlerror());
  auto run = reinterpret_cast<quern_status (*)(const quern_call*)>(dlsym(library, "quern_run"));
  auto workspace_bytes = reinterpret_cast<uint64_t (*)()>(dlsym(library, "quern_workspace_bytes"));
  if (run == nullptr || workspace_bytes == nullptr) Die("not a quern bundle");
  struct State {
    std::vector<int64_t> shape;
    quern_tensor inputs[2], output;
    quern_call call;
  };
  auto state = std::make_shared<State>();
  state->shape = {n, n};
  auto describe = [&](Tensor& tensor) {
    return quern_tensor{.data = tensor.data(),
                        .device_type = 1,
                        .device_id = 0,
                        .ndim = 2,
                        .dtype_code = 2,
                        .dtype_bits = 32,
                        .dtype_lanes = 1,
                        .shape = state->shape.data(),
                        .strides = nullptr,
                        .byte_offset = 0};
  };
  state->inputs[0] = describe(a);
  state->inputs[1] = describe(b);
  state->output = describe(c);
  const uint64_t bytes = (workspace_bytes() + 63) / 64 * 64;
  state->call = {.struct_size = sizeof(quern_call),
                 .inputs = state->inputs,
                 .num_inputs = 2,
                 .outputs = &state->output,
                 .num_outputs = 1,
                 .workspace = bytes == 0 ? nullptr : std::aligned_alloc(64, bytes),
                 .workspace_bytes = bytes,
                 .parallel_for = nullptr,
                 .pool = nullptr,
                 .stream = nullptr};
  return [state, run] {
    if (quern_status status = run(&state->call)) Die("quern_run failed: " + std::to_string(status));
  };
}

// cblas_sgemm's and dnnl_sgemm's C interfaces; both take row-major operands here.
using CblasSgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*,
                            int, float, float*, int);
using DnnlSgemm = int (*)(char, char, int64_t, int64_t, int64_t, float, const float*, int64_t,
                          const float*, int64_t, float, float*, int64_t);

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) Die("usage: gemm_peers KERNEL.so N [--seed S] [--blocks B]");
  const int64_t n = std::strtoll(argv[2], nullptr, 10);
  uint64_t seed = 1;
  int blocks = 60;
  for (int i = 3; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--seed") == 0) seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::strcmp(argv[i], "--blocks") == 0)
      blocks = static_cast<int>(std::strtol(argv[i + 1], nullptr, 10));
  }
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  setenv("OMP_NUM_THREADS", "1", 1);
  cpu_set_t core;
  CPU_ZERO(&core);
  CPU_SET(1, &core);
  sched_setaffinity(0, sizeof core, &core);  // a machine with one core keeps its default

  std::mt19937_64 random(seed);
  Tensor a = Random(n, random), b = Random(n, random), ours = Random(n, random),
         theirs = Random(n, random);
  std::vector<Contender> contenders;
  contenders.push_back({"quern", LoadBundle(argv[1], n, a, b, ours), {}});
  nlohmann::json absent = nlohmann::json::array();
  const int size = static_cast<int>(n);
  if (void* blas = dlopen("libopenblas.so.0", RTLD_NOW)) {
    auto gemm = reinterpret_cast<CblasSgemm>(dlsym(blas, "cblas_sgemm"));
    contenders.push_back({"openblas",
                          [&, gemm] {
                            gemm(101, 111, 111, size, size, size, 1.0f, a.as<float>(), size,
                                 b.as<float>(), size, 0.0f, theirs.as<float>(), size);
                          },
                          {}});
  } else {
    absent.push_back("openblas");
  }
  if (void* dnnl = dlopen("libdnnl.so.2", RTLD_NOW)) {
    auto gemm = reinterpret_cast<DnnlSgemm>(dlsym(dnnl, "dnnl_sgemm"));
    contenders.push_back({"onednn",
                          [&, gemm] {
                            gemm('N', 'N', n, n, n, 1.0f, a.as<float>(), n, b.as<float>(), n, 0.0f,
                                 theirs.as<float>(), n);
                          },
                          {}});
  } else {
    absent.push_back("onednn");
  }

  for (Contender& contender : contenders) {
    contender.run();
    if (contender.name == "quern") continue;
    for (int64_t i = 0; i < n * n; ++i) {
      if (std::fabs(ours.as<float>()[i] - theirs.as<float>()[i]) > 1e-4 * std::sqrt(n)) {
        Die("results of quern and " + contender.name + " differ");
      }
    }
  }
  for (int block = 0; block < blocks; ++block) {
    std::shuffle(contenders.begin(), contenders.end(), random);
    for (Contender& contender : contenders) {
      contender.run();  // its own data back in cache
      int64_t runs = 0;
      const double start = Seconds();
      double now;
      do {
        contender.run();
        ++runs;
        now = Seconds();
      } while (now - start < 4e-3);
      contender.ns.push_back((now - start) * 1e9 / runs);
    }
  }

  auto find = [&](const std::string& name) -> Contender& {
    return *std::find_if(contenders.begin(), contenders.end(),
                         [&](auto& c) { return c.name == name; });
  };
  const Contender& quern = find("quern");
  const double flops = 2.0 * n * n * n;
  nlohmann::json rows = nlohmann::json::array();
  for (const char* name : {"openblas", "onednn"}) {
    if (std::find(absent.begin(), absent.end(), name) != absent.end()) continue;
    const Contender& peer = find(name);
    Interval ratio = Ratio(peer.ns, quern.ns);
    rows.push_back({{"name", "matmul_" + std::to_string(n) + "_f32_1t"},
                    {"peer", name},
                    {"value", flops / quern::MedianInterval(quern.ns).median},
                    {"peer_value", flops / quern::MedianInterval(peer.ns).median},
                    {"unit", "GFLOP/s"},
                    {"ratio", ratio.median},
                    {"interval", {ratio.low, ratio.high}}});
  }
  std::printf(
      "%s\n",
      nlohmann::json({{"rows", rows}, {"absent", absent}, {"blocks", blocks}}).dump(1).c_str());
}
