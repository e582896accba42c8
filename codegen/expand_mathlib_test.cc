#include "codegen/expand_mathlib.h"

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/emit.h"
#include "codegen/testing/loaded.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "mathlib/mathlib.h"

namespace quern::codegen {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kElements = 1 << 20;

// One call an element, in vectors of 16.
std::string Program(const mathlib::Contract& contract) {
  const bool unary = contract.arguments == 1;
  const std::string op = contract.name == "pow" ? "powf" : std::string(contract.name);
  return absl::StrCat(R"(
!x = !quern.buffer<[1048576] x f32, global>
#m = affine_map<(d0, d1) -> (d0 * 16 + d1)>
quern.program target "host" {
  %x = quern.buffer "arg0" input 0 : !x
  %y = quern.buffer "arg1" input 1 : !x
  %z = quern.buffer "out0" output 0 : !x
  quern.kernel "k0" { quern.loop "i" %i to 65536 serial { quern.loop "j" %j to 16 vector {
    %v = quern.load %x[#m](%i, %j) : !x -> f32
    %w = quern.load %y[#m](%i, %j) : !x -> f32
    %r = math.)",
                      op, unary ? " %v" : " %v, %w", R"( : f32
    quern.store %r, %z[#m](%i, %j) : f32, !x
  } } }
})");
}

TEST(ExpandMathlibTest, EmittedAndComputedBitsAreEqual) {
  Tensor x = *Tensor::Create({ElementType::kF32, {kElements}});
  Tensor y = x.Clone(), z = x.Clone();
  for (int64_t i = 0; i < kElements; ++i) {
    x.as<float>()[i] = std::bit_cast<float>(static_cast<uint32_t>(i) * 4099u);
    // Half of them where powers are finite.
    if (i % 2 == 1) x.as<float>()[i] = static_cast<float>(i) * 0x1p-15f - 4;
    y.as<float>()[i] = static_cast<float>(i % 4001) * 0.03125f - 60;
  }
  for (const mathlib::Contract& contract : mathlib::Contracts()) {
    Loaded kernel(Program(contract));
    EXPECT_THAT(kernel.artifact().llvm_ir, HasSubstr(mathlib::SymbolOf(contract, 16)));
    ASSERT_EQ(kernel.Run({&x, &y}, {&z}), QUERN_OK);
    for (int64_t i = 0; i < kElements; ++i) {
      const float arguments[] = {x.as<float>()[i], y.as<float>()[i]};
      const float computed = contract.evaluate(arguments), emitted = z.as<float>()[i];
      if (std::isnan(computed) && std::isnan(emitted)) continue;
      ASSERT_EQ(std::bit_cast<uint32_t>(computed), std::bit_cast<uint32_t>(emitted))
          << contract.name << "(" << arguments[0] << ", " << arguments[1] << ")";
    }
  }
}

struct Expanded {
  absl::Status status;
  std::string text;
};

Expanded Expand(const std::string& text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, diagnostic, context);
  if (!module) return {absl::InternalError(diagnostic.getMessage().str()), ""};
  Expanded expanded{.status = ExpandMathlib(*module), .text = ""};
  llvm::raw_string_ostream stream(expanded.text);
  stream << *module;
  if (expanded.status.ok()) EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  return expanded;
}

TEST(ExpandMathlibTest, ReplacesCallsOfAllWidthsWithoutFastMath) {
  for (const mathlib::Contract& contract : mathlib::Contracts()) {
    for (int lanes : {1, 4, 8}) {
      const std::string symbol = mathlib::SymbolOf(contract, lanes);
      const std::string type = lanes == 1 ? "float" : absl::StrCat("<", lanes, " x float>");
      const bool unary = contract.arguments == 1;
      const Expanded expanded = Expand(absl::StrCat(
          "declare ", type, " @", symbol, "(", type, unary ? "" : ", " + type, ")\n", "define ",
          type, " @f(", type, " %x, i1 %c) {\n br i1 %c, label %a, label %b\na:\n %r = call ", type,
          " @", symbol, "(", type, " %x", unary ? "" : ", " + type + " %x",
          ")\n br label %b\nb:\n %s = phi ", type, " [ %r, %a ], [ %x, %0 ]\n ret ", type,
          " %s\n}\n"));
      EXPECT_TRUE(expanded.status.ok()) << symbol << ": " << expanded.status;
      EXPECT_THAT(expanded.text, Not(HasSubstr("@quern_")));
      EXPECT_THAT(expanded.text, Not(HasSubstr(" fast ")));
      EXPECT_THAT(expanded.text, Not(HasSubstr("contract")));
    }
  }
}

TEST(ExpandMathlibTest, RefusesWhatMathlibDoesNotDeclare) {
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"define float @quern_exp_f32(float %x) { ret float %x }", "is defined"},
           {"declare double @quern_exp_f32(double)", "not declared as mathlib has it"},
           {"declare float @quern_exp_f32(float, float)", "not declared as mathlib has it"},
           {"declare <4 x float> @quern_exp_f32x8(<4 x float>)", "not declared as mathlib has it"},
           {"declare float @quern_exp_f32(float)\n"
            "define ptr @f() { ret ptr @quern_exp_f32 }",
            "used other than by a call"}}) {
    EXPECT_THAT(std::string(Expand(text).status.message()), HasSubstr(message)) << text;
  }
}

}  // namespace
}  // namespace quern::codegen
