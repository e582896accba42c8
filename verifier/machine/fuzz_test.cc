// Mutated LLVM IR never crashes the reader, and what it accepts never crashes the machine.
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "verifier/machine/emulator.h"
#include "verifier/machine/testdata.h"

namespace quern::verifier {
namespace {

// Edits that stay close to a valid module reach further than random bytes.
std::string Mutate(std::string text, std::mt19937_64& random) {
  static const char* const kTokens[] = {
      "i64",    "i1",      "ptr", "<8 x float>",     "0",  "-1",  "undef",
      "poison", "%bx",     "nsw", "zeroinitializer", "br", "phi", "}",
      "!0",     "i8388607"};
  const auto at = [&] { return random() % (text.size() + 1); };
  for (uint64_t edits = 1 + random() % 4; edits > 0; --edits) {
    switch (random() % 10) {
      case 0:
        text.erase(at(), random() % 20);
        break;
      case 1:
        text.insert(at(), 1, static_cast<char>(random() % 256));
        break;
      case 2:
        text.insert(at(), std::string(" ") + kTokens[random() % std::size(kTokens)] + " ");
        break;
      case 3: {
        const size_t from = at();
        text.insert(at(), text.substr(from, random() % 80));
        break;
      }
      case 4:
      case 5:
      case 6:
      case 7:
      case 8: {  // another number: usually still valid
        const size_t digit = text.find_first_of("0123456789", at());
        if (digit < text.size()) text[digit] = static_cast<char>('0' + random() % 10);
        break;
      }
      default:
        if (!text.empty()) text[random() % text.size()] = "0123456789,%()<>x "[random() % 18];
    }
  }
  return text;
}

TEST(FuzzTest, MutatedTextIsReadOrRefused) {
  std::mt19937_64 random(7);
  int accepted = 0;
  int ran = 0;
  for (const std::string& name : TestKernelNames()) {
    const TestKernel kernel = LoadTestKernel(name);
    std::vector<Tensor> inputs;
    for (const BufferPlan& buffer : kernel.plan.buffers) {
      if (buffer.role == BufferRole::kInput) inputs.push_back(Tensor::Create(buffer.type).value());
    }
    for (int i = 0; i < 1000; ++i) {
      const absl::StatusOr<Module> module = ReadModule(Mutate(kernel.llvm_ir, random));
      if (!module.ok()) {
        EXPECT_FALSE(module.status().message().empty());
        continue;
      }
      ++accepted;
      if (!CheckLaunch(*module, kernel.plan).ok()) continue;
      Emulator emulator(*module, kernel.plan);
      for (size_t k = 0; k < inputs.size(); ++k) {
        emulator.SetInput(static_cast<int>(k), &inputs[k]);
      }
      int64_t budget = 50'000;
      const EmulatedFault fault = emulator.RunAll(&budget);
      EXPECT_EQ(fault.fault.kind == FaultKind::kNone, fault.fault.message.empty());
      ++ran;
    }
  }
  EXPECT_GT(accepted, 150);
  EXPECT_GT(ran, 100);
}

}  // namespace
}  // namespace quern::verifier
