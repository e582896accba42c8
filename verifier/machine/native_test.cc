// The concrete machine against the same LLVM IR compiled by clang, bit for bit.
#include <dlfcn.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bundle/file.h"
#include "gtest/gtest.h"
#include "verifier/machine/emulator.h"
#include "verifier/machine/float_bits.h"
#include "verifier/machine/testdata.h"

namespace quern::verifier {
namespace {

bool HaveClang() { return std::system("clang-22 --version > /dev/null 2>&1") == 0; }

// What compiled code calls to narrow to bfloat, and GCC 12's library lacks: to nearest even.
constexpr char kRuntime[] = R"(
__bf16 __truncsfbf2(float x) {
  unsigned bits = __builtin_bit_cast(unsigned, x);
  if (x != x) return __builtin_bit_cast(__bf16, (unsigned short)(bits >> 16 | 64));
  return __builtin_bit_cast(__bf16, (unsigned short)((bits + 32767 + (bits >> 16 & 1)) >> 16));
}
)";

// A shared object made from `llvm_ir`; null if clang fails.
void* Compile(const std::string& llvm_ir) {
  char directory[] = "/tmp/quern_native_XXXXXX";
  if (mkdtemp(directory) == nullptr) return nullptr;
  const std::string stem = std::string(directory) + "/kernel";
  if (!WriteFile(stem + ".ll", llvm_ir).ok()) return nullptr;
  if (!WriteFile(stem + ".c", kRuntime).ok()) return nullptr;
  const std::string command = absl::StrCat(
      "clang-22 -O1 -march=haswell -ffp-contract=off -fPIC -shared -Wno-everything -o ", stem,
      ".so ", stem, ".c -x ir ", stem, ".ll -lm");
  void* library =
      std::system(command.c_str()) == 0 ? dlopen((stem + ".so").c_str(), RTLD_NOW) : nullptr;
  unlink((stem + ".so").c_str());
  unlink((stem + ".ll").c_str());
  unlink((stem + ".c").c_str());
  rmdir(directory);
  return library;
}

void CallNative(void* function, const std::vector<void*>& buffers, BlockIndex b) {
  using P = void*;
  const std::vector<void*>& p = buffers;
  switch (buffers.size()) {
    case 2:
      return reinterpret_cast<void (*)(P, P, int64_t, int64_t, int64_t)>(function)(p[0], p[1], b[0],
                                                                                   b[1], b[2]);
    case 3:
      return reinterpret_cast<void (*)(P, P, P, int64_t, int64_t, int64_t)>(function)(
          p[0], p[1], p[2], b[0], b[1], b[2]);
    default:
      ASSERT_EQ(buffers.size(), 4u);
      return reinterpret_cast<void (*)(P, P, P, P, int64_t, int64_t, int64_t)>(function)(
          p[0], p[1], p[2], p[3], b[0], b[1], b[2]);
  }
}

TEST(NativeTest, TestKernelsAgree) {
  if (!HaveClang()) GTEST_SKIP() << "clang-22 is not installed";
  std::mt19937_64 random(1);
  for (const std::string& name : TestKernelNames()) {
    const TestKernel kernel = LoadTestKernel(name);
    void* library = Compile(kernel.llvm_ir);
    ASSERT_NE(library, nullptr);
    std::vector<Tensor> tensors;
    std::vector<const Tensor*> inputs;
    for (const BufferPlan& buffer : kernel.plan.buffers) {
      Tensor tensor = Tensor::Create(buffer.type).value();
      if (buffer.role == BufferRole::kInput) {
        for (int64_t i = 0; i < buffer.type.num_elements(); ++i) {
          tensor.Set(i, std::uniform_real_distribution<double>(-4, 4)(random));
        }
      }
      tensors.push_back(std::move(tensor));
    }
    for (size_t i = 0; i < tensors.size(); ++i) {
      const BufferPlan& buffer = kernel.plan.buffers[i];
      if (buffer.role == BufferRole::kInput) inputs.push_back(&tensors[i]);
    }
    const EmulationResult result = Emulate(kernel.llvm_ir, kernel.plan, inputs).value();
    ASSERT_EQ(result.fault.fault.kind, FaultKind::kNone)
        << name << ": " << result.fault.fault.message << result.fault.fault.instruction;
    for (const KernelPlan& plan : kernel.plan.kernels) {
      std::vector<void*> buffers;
      for (int index : plan.buffers) buffers.push_back(tensors[index].data());
      for (int64_t y = 0; y < plan.grid[1]; ++y) {
        for (int64_t x = 0; x < plan.grid[0]; ++x) {
          CallNative(dlsym(library, plan.symbol.c_str()), buffers, {x, y, 0});
        }
      }
    }
    for (size_t i = 0; i < tensors.size(); ++i) {
      const BufferPlan& buffer = kernel.plan.buffers[i];
      if (buffer.role != BufferRole::kOutput) continue;
      const Tensor& emulated = result.outputs[buffer.position];
      EXPECT_EQ(std::memcmp(tensors[i].data(), emulated.data(), buffer.type.num_bytes()), 0)
          << name << ", result " << buffer.position;
    }
    dlclose(library);
  }
}

// One operation on eight lanes: %r from %a, %b and %c, which hold random bits.
struct OpCase {
  const char* in;
  const char* out;
  const char* body;
  Type::Kind kind = Type::kInt;  // of the result, if NaNs and zeros need care
  bool zero_sign_open = false;
};

std::string Expand(std::string body, const std::string& in) {
  for (size_t at; (at = body.find('T')) != std::string::npos;) body.replace(at, 1, in);
  return body;
}

std::vector<OpCase> OpCases() {
  std::vector<OpCase> cases;
  for (const char* type : {"<8 x i8>", "<8 x i16>", "<8 x i32>", "<8 x i64>"}) {
    for (const char* body :
         {"%r = add T %a, %b", "%r = sub T %a, %b", "%r = mul T %a, %b", "%r = and T %a, %b",
          "%r = or T %a, %b", "%r = xor T %a, %b",
          "%d = or T %b, splat (iN 1)\n %r = udiv T %a, %d",
          "%d = or T %b, splat (iN 1)\n %r = urem T %a, %d",
          "%d = and T %b, splat (iN 15)\n %e = or T %d, splat (iN 2)\n %r = sdiv T %a, %e",
          "%d = and T %b, splat (iN 15)\n %e = or T %d, splat (iN 2)\n %r = srem T %a, %e",
          "%s = and T %b, splat (iN 7)\n %r = shl T %a, %s",
          "%s = and T %b, splat (iN 7)\n %r = lshr T %a, %s",
          "%s = and T %b, splat (iN 7)\n %r = ashr T %a, %s",
          "%t = icmp slt T %a, %b\n %r = select <8 x i1> %t, T %b, T %c",
          "%t = icmp uge T %a, %b\n %r = select <8 x i1> %t, T %b, T %c",
          "%t = icmp ult T %a, %b\n %r = zext <8 x i1> %t to T",
          "%t = icmp sle T %a, %b\n %r = sext <8 x i1> %t to T",
          "%e = extractelement T %a, i32 3\n %r = insertelement T %b, iN %e, i32 6",
          "%r = shufflevector T %a, T %b, <8 x i32> <i32 15, i32 0, i32 8, i32 7, i32 3, i32 3, "
          "i32 12, i32 1>"}) {
      cases.push_back({type, type, body});
    }
  }
  for (auto [type, kind] :
       {std::pair("<8 x float>", Type::kFloat), std::pair("<8 x double>", Type::kDouble),
        std::pair("<8 x bfloat>", Type::kBFloat)}) {
    for (const char* body :
         {"%r = fadd T %a, %b", "%r = fsub T %a, %b", "%r = fmul T %a, %b", "%r = fdiv T %a, %b",
          "%r = fneg T %a", "%t = fcmp olt T %a, %b\n %r = select <8 x i1> %t, T %b, T %c",
          "%t = fcmp une T %a, %b\n %r = select <8 x i1> %t, T %b, T %c",
          "%t = fcmp ueq T %a, %b\n %r = select <8 x i1> %t, T %b, T %c",
          "%t = fcmp ord T %a, %b\n %r = select <8 x i1> %t, T %b, T %c"}) {
      cases.push_back({type, type, body, kind});
    }
  }
  const auto add = [&](const char* in, const char* out, const char* body, Type::Kind kind) {
    cases.push_back({in, out, body, kind});
  };
  add("<8 x float>", "<8 x float>", "%r = call T @llvm.fma.v8f32(T %a, T %b, T %c)", Type::kFloat);
  add("<8 x double>", "<8 x double>", "%r = call T @llvm.fma.v8f64(T %a, T %b, T %c)",
      Type::kDouble);
  for (const char* unary : {"fabs", "sqrt", "floor", "ceil", "trunc", "rint", "roundeven"}) {
    static std::vector<std::string> bodies;
    bodies.reserve(64);
    bodies.push_back(absl::StrCat("%r = call T @llvm.", unary, ".v8f32(T %a)"));
    add("<8 x float>", "<8 x float>", bodies.back().c_str(), Type::kFloat);
  }
  for (const char* binary : {"minimum", "maximum", "copysign", "minnum", "maxnum"}) {
    static std::vector<std::string> bodies;
    bodies.reserve(64);
    bodies.push_back(absl::StrCat("%r = call T @llvm.", binary, ".v8f32(T %a, T %b)"));
    add("<8 x float>", "<8 x float>", bodies.back().c_str(), Type::kFloat);
    cases.back().zero_sign_open = std::string(binary).ends_with("num");
  }
  for (const char* binary : {"smin", "smax", "umin", "umax"}) {
    static std::vector<std::string> bodies;
    bodies.reserve(64);
    bodies.push_back(absl::StrCat("%r = call T @llvm.", binary, ".v8i32(T %a, T %b)"));
    add("<8 x i32>", "<8 x i32>", bodies.back().c_str(), Type::kInt);
  }
  add("<8 x i32>", "<8 x i32>", "%r = call T @llvm.abs.v8i32(T %a, i1 false)", Type::kInt);
  add("<8 x float>", "<8 x double>", "%r = fpext T %a to <8 x double>", Type::kDouble);
  add("<8 x double>", "<8 x float>", "%r = fptrunc T %a to <8 x float>", Type::kFloat);
  add("<8 x float>", "<8 x bfloat>", "%r = fptrunc T %a to <8 x bfloat>", Type::kBFloat);
  add("<8 x bfloat>", "<8 x float>", "%r = fpext T %a to <8 x float>", Type::kFloat);
  add("<8 x i32>", "<8 x float>", "%r = sitofp T %a to <8 x float>", Type::kFloat);
  add("<8 x i32>", "<8 x float>", "%r = uitofp T %a to <8 x float>", Type::kFloat);
  add("<8 x i64>", "<8 x float>", "%r = sitofp T %a to <8 x float>", Type::kFloat);
  add("<8 x i64>", "<8 x double>", "%r = uitofp T %a to <8 x double>", Type::kDouble);
  add("<8 x i64>", "<8 x i16>", "%r = trunc T %a to <8 x i16>", Type::kInt);
  add("<8 x i16>", "<8 x i64>", "%r = sext T %a to <8 x i64>", Type::kInt);
  add("<8 x i8>", "<8 x i32>", "%r = zext T %a to <8 x i32>", Type::kInt);
  add("<8 x i32>", "<16 x i16>", "%r = bitcast T %a to <16 x i16>", Type::kInt);
  add("<8 x i64>", "<8 x i64>",
      "%s = call i64 @llvm.vector.reduce.add.v8i64(T %a)\n"
      " %r = insertelement T %b, i64 %s, i32 0",
      Type::kInt);
  add("<8 x float>", "<8 x float>",
      "%s = call float @llvm.vector.reduce.fadd.v8f32(float -0.0, T %a)\n"
      " %r = insertelement T %b, float %s, i32 0",
      Type::kFloat);
  return cases;
}

std::string OpFunction(const OpCase& op, int number) {
  std::string body = op.body;
  const std::string in = op.in;
  const size_t at = in.find('i');
  if (at != std::string::npos) {
    const std::string lane = in.substr(at, in.size() - at - 1);
    for (size_t n; (n = body.find("iN")) != std::string::npos;) body.replace(n, 2, lane);
  }
  body = Expand(body, in);
  return absl::StrCat("define void @op", number,
                      "(ptr %x, ptr %y, ptr %z, ptr %out, i64 %bx, i64 %by, i64 %bz) {\n"
                      " %o = shl i64 %bx, 6\n"
                      " %px = getelementptr i8, ptr %x, i64 %o\n"
                      " %py = getelementptr i8, ptr %y, i64 %o\n"
                      " %pz = getelementptr i8, ptr %z, i64 %o\n"
                      " %po = getelementptr i8, ptr %out, i64 %o\n"
                      " %a = load ",
                      in, ", ptr %px, align 1\n %b = load ", in, ", ptr %py, align 1\n %c = load ",
                      in, ", ptr %pz, align 1\n ", body, "\n store ", std::string(op.out),
                      " %r, ptr %po, align 1\n ret void\n}\n");
}

// Bits of any type; one word in four is a special float.
void FillBits(Tensor* tensor, bool doubles, std::mt19937_64& random) {
  static const float kSpecial[] = {0.0f, -0.0f,  1.0f,    -2.5f, INFINITY, -INFINITY,
                                   NAN,  1e-45f, 3.4e38f, 0.5f,  1.5f,     8388609.0f};
  for (int64_t i = 0; i < tensor->type().num_elements(); ++i) {
    uint32_t bits = static_cast<uint32_t>(random());
    if (random() % 4 == 0 && !doubles) {
      std::memcpy(&bits, &kSpecial[random() % std::size(kSpecial)], 4);
    }
    tensor->as<uint32_t>()[i] = bits;
  }
}

bool SameLane(const OpCase& op, const std::byte* a, const std::byte* b, int bytes) {
  if (std::memcmp(a, b, bytes) == 0) return true;
  if (op.kind == Type::kInt) return false;
  uint64_t x = 0;
  uint64_t y = 0;
  std::memcpy(&x, a, bytes);
  std::memcpy(&y, b, bytes);
  const double dx = ToDouble(op.kind, x);
  const double dy = ToDouble(op.kind, y);
  return (std::isnan(dx) && std::isnan(dy)) || (op.zero_sign_open && dx == 0 && dy == 0);
}

TEST(NativeTest, OperationsAgree) {
  if (!HaveClang()) GTEST_SKIP() << "clang-22 is not installed";
  const std::vector<OpCase> cases = OpCases();
  constexpr int64_t kBlocks = 128;
  const TensorType type{.element = ElementType::kI32, .shape = {kBlocks * 16}};
  LaunchPlan plan;
  std::string text;
  for (int i = 0; i < 4; ++i) {
    plan.buffers.push_back({.name = absl::StrCat("b", i),
                            .role = i < 3 ? BufferRole::kInput : BufferRole::kOutput,
                            .position = i < 3 ? i : 0,
                            .type = type,
                            .bytes = type.num_bytes(),
                            .holds = ""});
  }
  for (size_t i = 0; i < cases.size(); ++i) {
    text += OpFunction(cases[i], static_cast<int>(i));
    plan.kernels.push_back(
        {.symbol = absl::StrCat("op", i), .grid = {kBlocks, 1, 1}, .buffers = {0, 1, 2, 3}});
  }
  const absl::StatusOr<Module> module = ReadModule(text);
  ASSERT_TRUE(module.ok()) << module.status();
  ASSERT_TRUE(CheckLaunch(*module, plan).ok());
  void* library = Compile(text);
  ASSERT_NE(library, nullptr);
  std::mt19937_64 random(2);
  for (size_t k = 0; k < cases.size(); ++k) {
    Emulator emulator(*module, plan);
    std::vector<Tensor> tensors;
    std::vector<void*> buffers;
    for (int i = 0; i < 4; ++i) {
      tensors.push_back(Tensor::Create(type).value());
      FillBits(&tensors.back(), std::string(cases[k].in).find("double") != std::string::npos,
               random);
      buffers.push_back(tensors.back().data());
    }
    for (int i = 0; i < 3; ++i) emulator.SetInput(i, &tensors[i]);
    int64_t budget = 1'000'000;
    const EmulatedFault fault = emulator.RunKernel(static_cast<int>(k), &budget);
    ASSERT_EQ(fault.fault.kind, FaultKind::kNone) << cases[k].body << fault.fault.message;
    for (int64_t x = 0; x < kBlocks; ++x) {
      CallNative(dlsym(library, absl::StrCat("op", k).c_str()), buffers, {x, 0, 0});
    }
    const std::string out = cases[k].out;
    const int bytes = out.find("i8") != std::string::npos                              ? 1
                      : out.find("16") < out.size() || out.find("bf") < out.size()     ? 2
                      : out.find("64") < out.size() || out.find("double") < out.size() ? 8
                                                                                       : 4;
    const int64_t lanes = out.starts_with("<16") ? 16 : 8;
    for (int64_t x = 0; x < kBlocks; ++x) {
      for (int64_t lane = 0; lane < lanes; ++lane) {
        const int64_t at = x * 64 + lane * bytes;
        ASSERT_TRUE(SameLane(cases[k], emulator.data(3) + at, tensors[3].data() + at, bytes))
            << cases[k].in << " " << cases[k].body << " block " << x << " lane " << lane;
      }
    }
  }
  dlclose(library);
}

}  // namespace
}  // namespace quern::verifier
