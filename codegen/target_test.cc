#include "codegen/target.h"

#include "absl/strings/str_cat.h"
#include "codegen/testing/loaded.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Object/ELFObjectFile.h"

namespace quern::codegen {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

// out = max(a * b + b, 0), a thread an element, with 16 idle threads in the last block.
absl::StatusOr<Artifact> CompileFor(const std::string& target,
                                    const std::string& op = "arith.mulf %x, %y") {
  return CompileText(absl::StrCat(R"(
!t = !quern.buffer<[1008] x f32, global>
#at = affine_map<(d0, d1) -> (d0 * 256 + d1)>
quern.program target ")",
                                  target, R"(" {
  %a = quern.buffer "arg0" input 0 : !t
  %b = quern.buffer "arg1" input 1 : !t
  %out = quern.buffer "out0" output 0 : !t
  quern.kernel "k.0" { quern.loop "i" %i to 4 grid_x { quern.loop "j" %j to 256 lane {
    quern.guard affine_set<(d0, d1) : (1007 - d0 * 256 - d1 >= 0)>(%i, %j) {
      %x = quern.load %a[#at](%i, %j) : !t -> f32
      %y = quern.load %b[#at](%i, %j) : !t -> f32
      %p = )",
                                  op, R"( : f32
      %s = arith.addf %p, %y : f32
      %zero = arith.constant 0.0 : f32
      %r = arith.maximumf %s, %zero : f32
      quern.store %r, %out[#at](%i, %j) : f32, !t
    }
  } } }
})"));
}

TEST(TargetTest, FindsEachByNameAndTheHost) {
  EXPECT_EQ(*FindTarget("host"), *FindTarget("x86_64"));
  for (const char* name :
       {"x86_64", "sm_80", "sm_90a", "sm_100a", "sm_103a", "sm_120a", "gfx942"}) {
    absl::StatusOr<const Target*> target = FindTarget(name);
    ASSERT_TRUE(target.ok()) << target.status();
    EXPECT_EQ((*target)->name(), name);
    absl::StatusOr<Artifact> artifact = CompileFor(name);
    ASSERT_TRUE(artifact.ok()) << artifact.status();
    EXPECT_EQ(artifact->kind, (*target)->kind());
  }
  EXPECT_EQ(FindTarget("z80").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(TargetTest, HostRunsLanesOneAfterAnother) {
  Loaded kernel(R"(
!t = !quern.buffer<[8] x f32, global>
#v = affine_map<(d0) -> (d0)>
quern.program target "host" {
  %a = quern.buffer "arg0" input 0 : !t
  %b = quern.buffer "out0" output 0 : !t
  quern.kernel "k" { quern.loop "j" %j to 8 lane {
    %x = quern.load %a[#v](%j) : !t -> f32
    quern.store %x, %b[#v](%j) : f32, !t
  } }
})");
  Tensor a = Filled({ElementType::kF32, {8}}, [](int64_t i) { return i; });
  Tensor b = Filled(a.type(), [](int64_t i) { return -1; });
  ASSERT_EQ(kernel.Run({&a}, {&b}), QUERN_OK);
  for (int64_t i = 0; i < 8; ++i) EXPECT_EQ(b.At(i), i);
  EXPECT_EQ(kernel.artifact().plan.kernels[0].threads, (std::array<int64_t, 3>{1, 1, 1}));
}

TEST(TargetTest, NvptxMakesPtx) {
  absl::StatusOr<Artifact> artifact = CompileFor("sm_90a");
  ASSERT_TRUE(artifact.ok()) << artifact.status();
  EXPECT_EQ(artifact->kind, BinaryKind::kPtx);
  EXPECT_THAT(artifact->binary, HasSubstr(".target sm_90a"));
  EXPECT_THAT(artifact->binary, HasSubstr(".visible .entry kernel_k_0("));
  EXPECT_THAT(artifact->binary, HasSubstr(".maxntid 256, 1, 1"));
  EXPECT_THAT(artifact->binary, HasSubstr("mul.rn.f32"));
  EXPECT_THAT(artifact->binary, HasSubstr("add.rn.f32"));
  EXPECT_THAT(artifact->binary, HasSubstr("max.NaN.f32"));
  EXPECT_THAT(artifact->binary, Not(HasSubstr("fma.")));
  const KernelPlan& kernel = artifact->plan.kernels[0];
  EXPECT_EQ(kernel.symbol, "kernel_k_0");
  EXPECT_EQ(kernel.grid, (std::array<int64_t, 3>{4, 1, 1}));
  EXPECT_EQ(kernel.threads, (std::array<int64_t, 3>{256, 1, 1}));
}

TEST(TargetTest, AmdgpuMakesACodeObject) {
  absl::StatusOr<Artifact> artifact = CompileFor("gfx942");
  ASSERT_TRUE(artifact.ok()) << artifact.status();
  EXPECT_EQ(artifact->kind, BinaryKind::kHsaco);
  auto file = llvm::object::ObjectFile::createELFObjectFile({artifact->binary, "hsaco"});
  ASSERT_TRUE(static_cast<bool>(file)) << llvm::toString(file.takeError());
  auto* elf = llvm::dyn_cast<llvm::object::ELF64LEObjectFile>(file->get());
  ASSERT_NE(elf, nullptr);
  EXPECT_EQ(elf->getELFFile().getHeader().e_machine, llvm::ELF::EM_AMDGPU);
  EXPECT_EQ(elf->getELFFile().getHeader().e_type, llvm::ELF::ET_DYN);
  EXPECT_EQ(elf->getELFFile().getHeader().e_ident[llvm::ELF::EI_OSABI],
            llvm::ELF::ELFOSABI_AMDGPU_HSA);
  std::vector<std::string> symbols;
  for (const llvm::object::ELFSymbolRef& symbol : elf->getDynamicSymbolIterators()) {
    symbols.push_back(llvm::cantFail(symbol.getName()).str());
    if (symbols.back() == "kernel_k_0.kd") EXPECT_EQ(symbol.getSize(), 64u);
  }
  EXPECT_THAT(symbols, IsSupersetOf({"kernel_k_0", "kernel_k_0.kd"}));
}

TEST(TargetTest, GpusAreDeterministicToo) {
  for (const char* name : {"sm_90a", "gfx942"}) {
    EXPECT_EQ(CompileFor(name)->binary, CompileFor(name)->binary) << name;
  }
}

TEST(TargetTest, GpusRefuseWhatTheyCannotDo) {
  EXPECT_EQ(std::string(CompileFor("sm_90a", "math.exp %x").status().message()),
            "kernel 'k.0', loop 'j': math.exp is not supported on sm_90a");
  auto error = [](const std::string& body) {
    return std::string(
        CompileText(
            absl::StrCat(R"(quern.program target "gfx942" { quern.kernel "k" {)", body, "} }"))
            .status()
            .message());
  };
  EXPECT_EQ(error(R"(quern.loop "j" %j to 2048 lane { })"),
            "kernel 'k', loop 'j': quern.loop a block of gfx942 has at most 1024 threads");
  EXPECT_EQ(error(R"(quern.loop "i" %i to 4294967296 grid_x { })"),
            "kernel 'k', loop 'i': quern.loop has more blocks than an axis of gfx942 takes");
  EXPECT_EQ(error(R"(%s = quern.alloc "s" : !quern.buffer<[4] x f32, scratch>)"),
            "kernel 'k': quern.alloc scratch buffers are not supported on gfx942");
}

}  // namespace
}  // namespace quern::codegen
