// How fast the concrete machine runs a kernel.
//
// usage: measure_machine IR LAUNCH: prints lanes of instructions per second, the best of 5 runs on
// inputs of ones.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "bundle/launch_plan.h"
#include "bundle/tensor.h"
#include "verifier/machine/emulator.h"
#include "verifier/machine/function.h"

using namespace quern;

static std::string Read(const char* path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: measure_machine IR LAUNCH\n");
    return 1;
  }
  const auto module = verifier::ReadModule(Read(argv[1]));
  const auto plan = ParseLaunchPlan(Read(argv[2]));
  if (!module.ok() || !plan.ok() || !verifier::CheckLaunch(*module, *plan).ok()) {
    std::fprintf(stderr, "not a kernel and its launch plan\n");
    return 1;
  }
  std::vector<Tensor> inputs;
  for (const BufferPlan& buffer : plan->buffers) {
    if (buffer.role != BufferRole::kInput) continue;
    inputs.push_back(Tensor::Create(buffer.type).value());
    for (int64_t i = 0; i < buffer.type.num_elements(); ++i) inputs.back().Set(i, 1);
  }
  double best = 0;
  for (int run = 0; run < 5; ++run) {
    verifier::Emulator emulator(*module, *plan);
    for (size_t i = 0; i < inputs.size(); ++i) emulator.SetInput(static_cast<int>(i), &inputs[i]);
    int64_t budget = INT64_MAX;
    const auto start = std::chrono::steady_clock::now();
    const verifier::EmulatedFault fault = emulator.RunAll(&budget);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (fault.fault.kind != verifier::FaultKind::kNone) {
      std::fprintf(stderr, "%s\n", fault.fault.message.c_str());
      return 1;
    }
    best = std::max(best, static_cast<double>(INT64_MAX - budget) / seconds.count());
  }
  std::printf("%.4g\n", best);
  return 0;
}
