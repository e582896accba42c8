#include "codegen/compiler.h"

#include <cmath>
#include <cstring>
#include <thread>

#include "absl/strings/str_cat.h"
#include "codegen/emit.h"
#include "codegen/pipelines.h"
#include "codegen/testing/loaded.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern::codegen {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

double Value(int64_t i) { return static_cast<double>(i * 37 % 101) / 16 - 3; }
Tensor F32(std::vector<int64_t> shape, double scale = 1) {
  return Filled({ElementType::kF32, std::move(shape)}, [=](int64_t i) { return scale * Value(i); });
}
Tensor Poisoned(TensorType type) {
  Tensor tensor = Filled(type, [](int64_t) { return 0; });
  std::memset(tensor.data(), 0xFF, type.num_bytes());
  return tensor;
}
void ExpectElements(const Tensor& tensor, const std::function<double(int64_t)>& expected) {
  for (int64_t i = 0; i < tensor.type().num_elements(); ++i) {
    ASSERT_EQ(tensor.At(i), expected(i)) << "element " << i;
  }
}

constexpr char kNaiveMatmul[] = R"(
!a = !quern.buffer<[7, 5] x f32, global>
!b = !quern.buffer<[5, 9] x f32, global>
!c = !quern.buffer<[7, 9] x f32, global>
!acc = !quern.buffer<[] x f32, register>
quern.program target "host" {
  %a = quern.buffer "arg0" input 0 : !a
  %b = quern.buffer "arg1" input 1 : !b
  %c = quern.buffer "out0" output 0 : !c
  quern.kernel "k0" {
    quern.loop "i" %i to 7 serial { quern.loop "j" %j to 9 serial {
      %acc = quern.alloc "acc" : !acc
      %zero = arith.constant 0.0 : f32
      quern.store %zero, %acc[affine_map<() -> ()>]() : f32, !acc
      quern.loop "k" %k to 5 serial {
        %x = quern.load %a[affine_map<(d0, d1) -> (d0, d1)>](%i, %k) : !a -> f32
        %y = quern.load %b[affine_map<(d0, d1) -> (d0, d1)>](%k, %j) : !b -> f32
        %m = arith.mulf %x, %y : f32
        %s = quern.load %acc[affine_map<() -> ()>]() : !acc -> f32
        %n = arith.addf %s, %m : f32
        quern.store %n, %acc[affine_map<() -> ()>]() : f32, !acc
      }
      %r = quern.load %acc[affine_map<() -> ()>]() : !acc -> f32
      quern.store %r, %c[affine_map<(d0, d1) -> (d0, d1)>](%i, %j) : f32, !c
    } }
  }
})";

TEST(CompilerTest, NaiveMatmul) {
  Loaded kernel(kNaiveMatmul);
  Tensor a = F32({7, 5}), b = F32({5, 9}, 2), c = Poisoned({ElementType::kF32, {7, 9}});
  ASSERT_EQ(kernel.Run({&a, &b}, {&c}), QUERN_OK);
  ExpectElements(c, [&](int64_t at) {
    float sum = 0;
    for (int64_t k = 0; k < 5; ++k)
      sum += a.as<float>()[at / 9 * 5 + k] * b.as<float>()[k * 9 + at % 9];
    return sum;
  });
}

TEST(CompilerTest, IsDeterministicAndReemitsItsOwnText) {
  absl::StatusOr<Artifact> once = CompileText(kNaiveMatmul), twice = CompileText(kNaiveMatmul);
  ASSERT_TRUE(once.ok()) << once.status();
  ASSERT_TRUE(twice.ok()) << twice.status();
  EXPECT_EQ(once->llvm_ir, twice->llvm_ir);
  EXPECT_EQ(once->binary, twice->binary);
  EXPECT_EQ(ToJson(once->plan), ToJson(twice->plan));
  absl::StatusOr<std::string> again = Emit(once->llvm_ir, once->plan);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, once->binary);
  EXPECT_THAT(once->binary, Not(HasSubstr("/proc/")));
  EXPECT_THAT(once->llvm_ir, Not(HasSubstr("alloca")));
  EXPECT_THAT(once->llvm_ir, Not(HasSubstr("fast")));
}

TEST(CompilerTest, SeveralThreadsCompileTheSame) {
  const std::string alone = CompileText(kNaiveMatmul)->binary;
  std::vector<std::string> binaries(8);
  std::vector<std::thread> threads;
  for (std::string& binary : binaries) {
    threads.emplace_back([&] { binary = CompileText(kNaiveMatmul)->binary; });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& binary : binaries) EXPECT_EQ(binary, alone);
}

// 20x24x32 with 6x8 tiles: packed operand, register blocks, fma, a tail of two rows, columns a
// tail of 8.
constexpr char kBlockedMatmul[] = R"(
!a = !quern.buffer<[20, 32] x f32, global>
!b = !quern.buffer<[32, 24] x f32, global>
!c = !quern.buffer<[20, 24] x f32, global>
!full = !quern.buffer<[6, 8] x f32, register>
!tail = !quern.buffer<[2, 8] x f32, register>
#id = affine_map<(d0, d1) -> (d0, d1)>
#kj = affine_map<(d0, d1, d2) -> (d0, d1 * 8 + d2)>
#kk = affine_map<(d0, d1, d2, d3) -> (d0 * 4 + d1, d2 * 8 + d3)>
#ik = affine_map<(d0, d1, d2, d3) -> (d0 * 6 + d1, d2 * 4 + d3)>
#tk = affine_map<(d0, d1, d2) -> (d0 + 18, d1 * 4 + d2)>
quern.program target "host" {
  %a = quern.buffer "arg0" input 0 : !a
  %b = quern.buffer "arg1" input 1 : !b
  %c = quern.buffer "out0" output 0 : !c
  %p = quern.buffer "packed" temporary -1 layout <[1, 8, 3, 0, 1, 32, 1, 1, 8]> : !b
  quern.kernel "pack" {
    quern.loop "jo" %jo to 3 grid_x { quern.loop "k" %k to 32 serial { quern.loop "ji" %ji to 8 vector {
      %x = quern.load %b[#kj](%k, %jo, %ji) : !b -> f32
      quern.store %x, %p[#kj](%k, %jo, %ji) : f32, !b
    } } }
  }
  quern.kernel "matmul" {
    quern.loop "jo" %jo to 3 grid_x {
      quern.loop "io" %io to 3 serial {
        %acc = quern.alloc "acc" : !full
        quern.loop "i0" %i0 to 6 unrolled { quern.loop "j0" %j0 to 8 vector {
          %zero = arith.constant 0.0 : f32
          quern.store %zero, %acc[#id](%i0, %j0) : f32, !full
        } }
        quern.loop "ko" %ko to 8 serial { quern.loop "ki" %ki to 4 unrolled {
          quern.loop "ii" %ii to 6 unrolled { quern.loop "ji" %ji to 8 vector {
            %x = quern.load %a[#ik](%io, %ii, %ko, %ki) : !a -> f32
            %y = quern.load %p[#kk](%ko, %ki, %jo, %ji) : !b -> f32
            %s = quern.load %acc[#id](%ii, %ji) : !full -> f32
            %f = math.fma %x, %y, %s : f32
            quern.store %f, %acc[#id](%ii, %ji) : f32, !full
          } }
        } }
        quern.loop "i1" %i1 to 6 unrolled { quern.loop "j1" %j1 to 8 vector {
          %s = quern.load %acc[#id](%i1, %j1) : !full -> f32
          quern.store %s, %c[affine_map<(d0, d1, d2, d3) -> (d0 * 6 + d1, d2 * 8 + d3)>](%io, %i1, %jo, %j1) : f32, !c
        } }
      }
      %acc = quern.alloc "t.acc" : !tail
      quern.loop "t.i0" %i0 to 2 unrolled { quern.loop "t.j0" %j0 to 8 vector {
        %zero = arith.constant 0.0 : f32
        quern.store %zero, %acc[#id](%i0, %j0) : f32, !tail
      } }
      quern.loop "t.ko" %ko to 8 serial { quern.loop "t.ki" %ki to 4 unrolled {
        quern.loop "t.ii" %ii to 2 unrolled { quern.loop "t.ji" %ji to 8 vector {
          %x = quern.load %a[#tk](%ii, %ko, %ki) : !a -> f32
          %y = quern.load %p[#kk](%ko, %ki, %jo, %ji) : !b -> f32
          %s = quern.load %acc[#id](%ii, %ji) : !tail -> f32
          %f = math.fma %x, %y, %s : f32
          quern.store %f, %acc[#id](%ii, %ji) : f32, !tail
        } }
      } }
      quern.loop "t.i1" %i1 to 2 unrolled { quern.loop "t.j1" %j1 to 8 vector {
        %s = quern.load %acc[#id](%i1, %j1) : !tail -> f32
        quern.store %s, %c[affine_map<(d0, d1, d2) -> (d0 + 18, d1 * 8 + d2)>](%i1, %jo, %j1) : f32, !c
      } }
    }
  }
})";

TEST(CompilerTest, BlockedPackedMatmulWithATail) {
  Loaded kernel(kBlockedMatmul);
  Tensor a = F32({20, 32}), b = F32({32, 24}, 0.37), c = Poisoned({ElementType::kF32, {20, 24}});
  ASSERT_EQ(kernel.Run({&a, &b}, {&c}), QUERN_OK);
  ExpectElements(c, [&](int64_t at) {
    float sum = 0;
    for (int64_t k = 0; k < 32; ++k) {
      sum = std::fma(a.as<float>()[at / 24 * 32 + k], b.as<float>()[k * 24 + at % 24], sum);
    }
    return sum;
  });
  EXPECT_THAT(kernel.artifact().llvm_ir, Not(HasSubstr("alloca")));
  EXPECT_THAT(kernel.artifact().llvm_ir, HasSubstr("@llvm.fma.v8f32"));
  EXPECT_EQ(kernel.workspace_bytes(), 32 * 24 * 4);
}

TEST(CompilerTest, EveryPipelineComputesTheSame) {
  for (const std::string& pipeline : PipelineNames()) {
    std::string text = kBlockedMatmul;
    const std::string head = "target \"host\"";
    text.replace(text.find(head), head.size(),
                 absl::StrCat(head, " attributes {pipeline = \"", pipeline, "\"}"));
    Loaded kernel(text), reference(kBlockedMatmul);
    Tensor a = F32({20, 32}), b = F32({32, 24}), c = Poisoned({ElementType::kF32, {20, 24}});
    Tensor d = Poisoned(c.type());
    ASSERT_EQ(kernel.Run({&a, &b}, {&c}), QUERN_OK);
    ASSERT_EQ(reference.Run({&a, &b}, {&d}), QUERN_OK);
    EXPECT_EQ(std::memcmp(c.data(), d.data(), c.type().num_bytes()), 0) << pipeline;
  }
}

// Sums each row: partial sums in the lanes of a vector, then these in order. The same sum into a
// scalar inside a vector loop takes the lanes one after another.
std::string RowSum(const std::string& partial) {
  return absl::StrCat(R"(
!x = !quern.buffer<[6, 64] x f32, global>
!y = !quern.buffer<[6] x f32, global>
!acc = !quern.buffer<[16] x f32, register>
!one = !quern.buffer<[] x f32, register>
#v = affine_map<(d0) -> (d0)>
#s = affine_map<() -> ()>
#x = affine_map<(d0, d1, d2) -> (d0, d1 * 16 + d2)>
quern.program target "host" {
  %x = quern.buffer "arg0" input 0 : !x
  %y = quern.buffer "out0" output 0 : !y
  quern.kernel "k0" {
    quern.loop "i" %i to 6 grid_x {
      %zero = arith.constant 0.0 : f32
      %sum = quern.alloc "sum" : !one
      quern.store %zero, %sum[#s]() : f32, !one)",
                      partial, R"(
      %r = quern.load %sum[#s]() : !one -> f32
      quern.store %r, %y[#v](%i) : f32, !y
    }
  }
})");
}

TEST(CompilerTest, RowSumWithPartialSums) {
  Loaded kernel(RowSum(R"(
      %acc = quern.alloc "acc" : !acc
      quern.loop "j0" %j0 to 16 vector { quern.store %zero, %acc[#v](%j0) : f32, !acc }
      quern.loop "jo" %jo to 4 serial { quern.loop "ji" %ji to 16 vector {
        %a = quern.load %x[#x](%i, %jo, %ji) : !x -> f32
        %b = quern.load %acc[#v](%ji) : !acc -> f32
        %c = arith.addf %b, %a : f32
        quern.store %c, %acc[#v](%ji) : f32, !acc
      } }
      quern.loop "j1" %j1 to 16 vector {
        %a = quern.load %acc[#v](%j1) : !acc -> f32
        %b = quern.load %sum[#s]() : !one -> f32
        %c = arith.addf %b, %a : f32
        quern.store %c, %sum[#s]() : f32, !one
      })"));
  Tensor x = F32({6, 64}, 0.1), y = Poisoned({ElementType::kF32, {6}});
  ASSERT_EQ(kernel.Run({&x}, {&y}), QUERN_OK);
  ExpectElements(y, [&](int64_t i) {
    float lanes[16] = {}, sum = 0;
    for (int64_t j = 0; j < 64; ++j) lanes[j % 16] += x.as<float>()[i * 64 + j];
    for (float lane : lanes) sum += lane;
    return sum;
  });
}

TEST(CompilerTest, ASumInsideAVectorLoopKeepsItsOrder) {
  Loaded kernel(RowSum(R"(
      quern.loop "jo" %jo to 4 serial { quern.loop "ji" %ji to 16 vector {
        %a = quern.load %x[#x](%i, %jo, %ji) : !x -> f32
        %d = arith.mulf %a, %a : f32
        %b = quern.load %sum[#s]() : !one -> f32
        %c = arith.addf %b, %d : f32
        quern.store %c, %sum[#s]() : f32, !one
      } })"));
  Tensor x = F32({6, 64}, 0.1), y = Poisoned({ElementType::kF32, {6}});
  ASSERT_EQ(kernel.Run({&x}, {&y}), QUERN_OK);
  ExpectElements(y, [&](int64_t i) {
    float sum = 0;
    for (int64_t j = 0; j < 64; ++j) sum += x.as<float>()[i * 64 + j] * x.as<float>()[i * 64 + j];
    return sum;
  });
  EXPECT_THAT(kernel.artifact().llvm_ir, HasSubstr("fmul <16 x float>"));
}

// One kernel over x (16 elements) to y (16 elements of `element`).
std::string Map(const std::string& in, const std::string& out, const std::string& body) {
  return absl::StrCat("!x = !quern.buffer<[16] x ", in, ", global>\n!y = !quern.buffer<[16] x ",
                      out, ", global>\n", R"(
#v = affine_map<(d0) -> (d0)>
quern.program target "host" {
  %x = quern.buffer "arg0" input 0 : !x
  %y = quern.buffer "out0" output 0 : !y
  quern.kernel "k0" { )",
                      body, "} }");
}

TEST(CompilerTest, ALoopCarriedDependenceInAVectorLoopIsKept) {
  Loaded kernel(Map("f32", "f32", R"(
    quern.loop "a" %a to 16 vector {
      %v = quern.load %x[#v](%a) : !x -> f32
      quern.store %v, %y[#v](%a) : f32, !y
    }
    quern.loop "b" %b to 15 vector {
      %v = quern.load %y[#v](%b) : !y -> f32
      %w = quern.load %x[affine_map<(d0) -> (d0 + 1)>](%b) : !x -> f32
      %s = arith.addf %v, %w : f32
      quern.store %s, %y[affine_map<(d0) -> (d0 + 1)>](%b) : f32, !y
    })"));
  Tensor x = F32({16}), y = Poisoned(x.type());
  ASSERT_EQ(kernel.Run({&x}, {&y}), QUERN_OK);
  float sum = 0;
  ExpectElements(y, [&](int64_t i) { return sum += x.as<float>()[i]; });
}

TEST(CompilerTest, OtherWidthsArePowersOfTwoInARow) {
  Loaded kernel(Map("f32", "f32", R"(
    quern.loop "i" %i to 13 vector {
      %v = quern.load %x[affine_map<(d0) -> (d0 + 3)>](%i) : !x -> f32
      %n = arith.index_cast %i : index to i32
      %f = arith.sitofp %n : i32 to f32
      %s = arith.addf %v, %f : f32
      quern.store %s, %y[#v](%i) : f32, !y
    })"));
  Tensor x = F32({16}), y = Filled(x.type(), [](int64_t) { return -1; });
  ASSERT_EQ(kernel.Run({&x}, {&y}), QUERN_OK);
  ExpectElements(y, [&](int64_t i) { return i < 13 ? x.At(i + 3) + i : -1; });
  EXPECT_THAT(kernel.artifact().llvm_ir, HasSubstr("load <8 x float>"));
  EXPECT_THAT(kernel.artifact().llvm_ir, HasSubstr("load <4 x float>"));
  EXPECT_THAT(kernel.artifact().llvm_ir, Not(HasSubstr("<13 x")));
}

TEST(CompilerTest, GuardsCutOffATail) {
  for (const char* mapping : {"serial", "unrolled", "vector"}) {
    Loaded kernel(Map("f32", "f32",
                      absl::StrCat(R"(
      quern.loop "o" %o to 3 serial { quern.loop "i" %i to 7 )",
                                   mapping, R"( {
        quern.guard affine_set<(d0, d1) : (15 - d0 * 7 - d1 >= 0)>(%o, %i) {
          %v = quern.load %x[affine_map<(d0, d1) -> (d0 * 7 + d1)>](%o, %i) : !x -> f32
          %w = arith.negf %v : f32
          quern.store %w, %y[affine_map<(d0, d1) -> (d0 * 7 + d1)>](%o, %i) : f32, !y
        }
      } })")));
    Tensor x = F32({16}), y = Poisoned(x.type());
    ASSERT_EQ(kernel.Run({&x}, {&y}), QUERN_OK) << mapping;
    ExpectElements(y, [&](int64_t i) { return -x.At(i); });
  }
}

TEST(CompilerTest, GuardsWithEqualitiesAndValuesFromOutside) {
  Loaded kernel(Map("f32", "f32", R"(
    quern.loop "i" %i to 16 vector {
      %v = quern.load %x[#v](%i) : !x -> f32
      %w = arith.negf %v : f32
      quern.store %v, %y[#v](%i) : f32, !y
      quern.guard affine_set<(d0) : (d0 mod 4 - 1 == 0)>(%i) { quern.store %w, %y[#v](%i) : f32, !y }
    })"));
  Tensor x = F32({16}), y = Poisoned(x.type());
  ASSERT_EQ(kernel.Run({&x}, {&y}), QUERN_OK);
  ExpectElements(y, [&](int64_t i) { return i % 4 == 1 ? -x.At(i) : x.At(i); });
}

TEST(CompilerTest, TransposeWithStridedLanes) {
  Loaded kernel(R"(
!x = !quern.buffer<[8, 16] x f32, global>
!y = !quern.buffer<[16, 8] x f32, global>
quern.program target "host" {
  %x = quern.buffer "arg0" input 0 : !x
  %y = quern.buffer "out0" output 0 : !y
  quern.kernel "k0" { quern.loop "i" %i to 16 grid_y { quern.loop "j" %j to 8 vector {
    %v = quern.load %x[affine_map<(d0, d1) -> (d1, d0)>](%i, %j) : !x -> f32
    quern.store %v, %y[affine_map<(d0, d1) -> (d0, d1)>](%i, %j) : f32, !y
  } } }
})");
  Tensor x = F32({8, 16}), y = Poisoned({ElementType::kF32, {16, 8}});
  ASSERT_EQ(kernel.Run({&x}, {&y}), QUERN_OK);
  ExpectElements(y, [&](int64_t at) { return x.At(at % 8 * 16 + at / 8); });
  EXPECT_EQ(kernel.artifact().plan.kernels[0].grid, (std::array<int64_t, 3>{1, 16, 1}));
}

TEST(CompilerTest, ReshapeThroughQuotientsAndRemainders) {
  for (const char* mapping : {"serial", "vector"}) {
    Loaded kernel(absl::StrCat(R"(
!x = !quern.buffer<[6, 8] x f32, global>
!y = !quern.buffer<[4, 12] x f32, global>
#from = affine_map<(d0, d1) -> ((d0 * 12 + d1) floordiv 8, (d0 * 12 + d1) mod 8)>
quern.program target "host" {
  %x = quern.buffer "arg0" input 0 : !x
  %y = quern.buffer "out0" output 0 : !y
  quern.kernel "k0" { quern.loop "i" %i to 4 serial { quern.loop "j" %j to 12 )",
                               mapping, R"( {
    %v = quern.load %x[#from](%i, %j) : !x -> f32
    quern.store %v, %y[affine_map<(d0, d1) -> (d0, d1)>](%i, %j) : f32, !y
  } } }
})"));
    Tensor x = F32({6, 8}), y = Poisoned({ElementType::kF32, {4, 12}});
    ASSERT_EQ(kernel.Run({&x}, {&y}), QUERN_OK);
    ExpectElements(y, [&](int64_t at) { return x.At(at); });
    EXPECT_THAT(kernel.artifact().llvm_ir, Not(HasSubstr("udiv")));
  }
}

TEST(CompilerTest, AReversedIndexNeedsNoUnsignedWrap) {
  Loaded kernel(Map("f32", "f32", R"(
    quern.loop "i" %i to 16 serial {
      %v = quern.load %x[affine_map<(d0) -> ((-d0 + 30) floordiv 2)>](%i) : !x -> f32
      quern.store %v, %y[affine_map<(d0) -> (15 - d0)>](%i) : f32, !y
    })"));
  Tensor x = F32({16}), y = Poisoned(x.type());
  ASSERT_EQ(kernel.Run({&x}, {&y}), QUERN_OK);
  ExpectElements(y, [&](int64_t at) { return x.At((15 + at) / 2); });
}

TEST(CompilerTest, BoolsAreBytes) {
  Loaded compare(Map("f32", "i1", R"(
    quern.loop "i" %i to 16 vector {
      %v = quern.load %x[#v](%i) : !x -> f32
      %zero = arith.constant 0.0 : f32
      %p = arith.cmpf ogt, %v, %zero : f32
      quern.store %p, %y[#v](%i) : i1, !y
    })"));
  Tensor x = F32({16}), y = Poisoned({ElementType::kBool, {16}});
  ASSERT_EQ(compare.Run({&x}, {&y}), QUERN_OK);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(y.as<uint8_t>()[i], x.At(i) > 0);

  Loaded choose(Map("i1", "i32", R"(
    quern.loop "i" %i to 16 vector {
      %p = quern.load %x[#v](%i) : !x -> i1
      %one = arith.constant true
      %q = arith.xori %p, %one : i1
      %a = arith.constant -5 : i32
      %n = arith.index_cast %i : index to i32
      %s = arith.select %q, %a, %n : i32
      quern.store %s, %y[#v](%i) : i32, !y
    })"));
  Tensor z = Poisoned({ElementType::kI32, {16}});
  ASSERT_EQ(choose.Run({&y}, {&z}), QUERN_OK);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(z.as<int32_t>()[i], x.At(i) > 0 ? i : -5);
}

TEST(CompilerTest, BF16ComputesInF32AndRounds) {
  Loaded kernel(Map("bf16", "bf16", R"(
    quern.loop "i" %i to 16 vector {
      %v = quern.load %x[#v](%i) : !x -> bf16
      %c = arith.constant 1.109375 : bf16
      %s = arith.mulf %v, %c : bf16
      %t = arith.maximumf %s, %v : bf16
      quern.store %t, %y[#v](%i) : bf16, !y
    })"));
  Tensor x = Filled({ElementType::kBF16, {16}}, Value), y = Poisoned(x.type());
  ASSERT_EQ(kernel.Run({&x}, {&y}), QUERN_OK);
  ExpectElements(y, [&](int64_t i) {
    const float product = BF16ToF32(x.as<uint16_t>()[i]) * 1.109375f;
    return std::max(x.At(i), static_cast<double>(BF16ToF32(F32ToBF16(product))));
  });
}

TEST(CompilerTest, MathCallsLibmOnceALane) {
  Loaded kernel(Map("f32", "f32", R"(
    quern.loop "i" %i to 16 vector {
      %v = quern.load %x[#v](%i) : !x -> f32
      %l = math.atan %v : f32
      %r = math.absf %l : f32
      quern.store %r, %y[#v](%i) : f32, !y
    })"));
  Tensor x = F32({16}), y = Poisoned(x.type());
  ASSERT_EQ(kernel.Run({&x}, {&y}), QUERN_OK);
  ExpectElements(y, [&](int64_t i) { return std::fabs(atanf(x.as<float>()[i])); });
  EXPECT_THAT(kernel.artifact().binary, HasSubstr("libm.so.6"));
}

TEST(CompilerTest, MathCallsMathlibOnceAVector) {
  Loaded kernel(Map("f32", "f32", R"(
    quern.loop "i" %i to 16 vector {
      %v = quern.load %x[#v](%i) : !x -> f32
      %e = math.exp %v : f32
      %l = math.log1p %e : f32
      quern.store %l, %y[#v](%i) : f32, !y
    })"));
  EXPECT_THAT(kernel.artifact().llvm_ir, HasSubstr("call <16 x float> @quern_exp_f32x16("));
  EXPECT_THAT(kernel.artifact().llvm_ir, Not(HasSubstr("define <16 x float>")));
  EXPECT_THAT(kernel.artifact().binary, Not(HasSubstr("libm.so.6")));
  Tensor x = F32({16}), y = Poisoned(x.type());
  ASSERT_EQ(kernel.Run({&x}, {&y}), QUERN_OK);
  for (int i = 0; i < 16; ++i) {
    const double exact = std::log1p(std::exp(static_cast<double>(x.as<float>()[i])));
    EXPECT_NEAR(y.At(i), exact, 4 * std::ldexp(exact, -23)) << i;
  }
}

TEST(CompilerTest, ConversionsToIntegersSaturate) {
  Loaded kernel(Map("f32", "i32", R"(
    quern.loop "i" %i to 16 vector {
      %v = quern.load %x[#v](%i) : !x -> f32
      %n = arith.fptosi %v : f32 to i32
      quern.store %n, %y[#v](%i) : i32, !y
    })"));
  Tensor x = F32({16}, 1e9), y = Poisoned({ElementType::kI32, {16}});
  x.as<float>()[3] = NAN;
  ASSERT_EQ(kernel.Run({&x}, {&y}), QUERN_OK);
  for (int i = 0; i < 16; ++i) {
    const double v = x.At(i);
    EXPECT_EQ(y.as<int32_t>()[i],
              std::isnan(v) ? 0 : std::clamp(std::trunc(v), -2147483648.0, 2147483647.0));
  }
}

TEST(CompilerTest, IntegerDivisionIsTotal) {
  Loaded kernel(R"(
!t = !quern.buffer<[16] x i32, global>
#v = affine_map<(d0) -> (d0)>
quern.program target "host" {
  %a = quern.buffer "arg0" input 0 : !t
  %b = quern.buffer "arg1" input 1 : !t
  %q = quern.buffer "out0" output 0 : !t
  %r = quern.buffer "out1" output 1 : !t
  quern.kernel "k0" { quern.loop "i" %i to 16 vector {
    %x = quern.load %a[#v](%i) : !t -> i32
    %y = quern.load %b[#v](%i) : !t -> i32
    %d = arith.divsi %x, %y : i32
    %m = arith.remsi %x, %y : i32
    quern.store %d, %q[#v](%i) : i32, !t
    quern.store %m, %r[#v](%i) : i32, !t
  } }
})");
  const int32_t divisors[] = {0, -1, 3, -7};
  Tensor a =
      Filled({ElementType::kI32, {16}}, [](int64_t i) { return i < 4 ? -2147483648.0 : 9 - i; });
  Tensor b = Filled(a.type(), [&](int64_t i) { return divisors[i % 4]; });
  Tensor q = Poisoned(a.type()), r = Poisoned(a.type());
  ASSERT_EQ(kernel.Run({&a, &b}, {&q, &r}), QUERN_OK);
  for (int i = 0; i < 16; ++i) {
    const int64_t x = a.as<int32_t>()[i], y = b.as<int32_t>()[i];
    EXPECT_EQ(q.as<int32_t>()[i], y == 0 ? -1 : static_cast<int32_t>(x / y));
    EXPECT_EQ(r.as<int32_t>()[i], y == 0 ? x : x % y);
  }
}

TEST(CompilerTest, IntegerPowersWrap) {
  Loaded kernel(Map("i32", "i32", R"(
    quern.loop "i" %i to 16 vector {
      %v = quern.load %x[#v](%i) : !x -> i32
      %c = arith.constant 7 : i32
      %n = arith.index_cast %i : index to i32
      %e = arith.subi %n, %c : i32
      %p = math.ipowi %v, %e : i32
      quern.store %p, %y[#v](%i) : i32, !y
    })"));
  Tensor x = Filled({ElementType::kI32, {16}}, [](int64_t i) { return i % 5 - 2; });
  Tensor y = Poisoned(x.type());
  ASSERT_EQ(kernel.Run({&x}, {&y}), QUERN_OK);
  for (int i = 0; i < 16; ++i) {
    const int base = i % 5 - 2, exponent = i - 7;
    const bool none = exponent < 0 && base == 0;
    EXPECT_EQ(y.as<int32_t>()[i], none ? 0 : std::trunc(std::pow(base, exponent))) << i;
  }
}

TEST(CompilerTest, RegistersOfALaneAndScratchOfABlock) {
  Loaded kernel(Map("f32", "f32", R"(
    quern.loop "b" %b to 4 grid_x {
      %t = quern.alloc "t" : !quern.buffer<[4] x f32, scratch>
      quern.loop "i" %i to 4 vector {
        %r = quern.alloc "r" : !quern.buffer<[2] x f32, register>
        %v = quern.load %x[affine_map<(d0, d1) -> (d0 * 4 + d1)>](%b, %i) : !x -> f32
        quern.store %v, %r[affine_map<() -> (1)>]() : f32, !quern.buffer<[2] x f32, register>
        %w = quern.load %r[affine_map<() -> (1)>]() : !quern.buffer<[2] x f32, register> -> f32
        quern.store %w, %t[#v](%i) : f32, !quern.buffer<[4] x f32, scratch>
      }
      quern.loop "j" %j to 4 serial {
        %v = quern.load %t[affine_map<(d0) -> (3 - d0)>](%j) : !quern.buffer<[4] x f32, scratch> -> f32
        quern.store %v, %y[affine_map<(d0, d1) -> (d0 * 4 + d1)>](%b, %j) : f32, !y
      }
    })"));
  Tensor x = F32({16}), y = Poisoned(x.type());
  ASSERT_EQ(kernel.Run({&x}, {&y}), QUERN_OK);
  ExpectElements(y, [&](int64_t i) { return x.At(i / 4 * 4 + 3 - i % 4); });
  EXPECT_EQ(kernel.artifact().plan.buffers.back().role, BufferRole::kScratch);
  EXPECT_EQ(kernel.workspace_bytes(), 4 * 64);
}

TEST(CompilerTest, EmptyLoopsAndTensorsDoNothing) {
  Loaded kernel(R"(
!x = !quern.buffer<[0, 4] x f32, global>
quern.program target "host" {
  %x = quern.buffer "arg0" input 0 : !x
  %y = quern.buffer "out0" output 0 : !x
  quern.kernel "k0" { quern.loop "i" %i to 0 grid_x { quern.loop "j" %j to 4 vector {
    %v = quern.load %x[affine_map<(d0, d1) -> (d0, d1)>](%i, %j) : !x -> f32
    quern.store %v, %y[affine_map<(d0, d1) -> (d0, d1)>](%i, %j) : f32, !x
  } } }
})");
  Tensor x = F32({0, 4}), y = F32({0, 4});
  EXPECT_EQ(kernel.Run({&x}, {&y}), QUERN_OK);
}

std::string Error(const std::string& body) {
  absl::StatusOr<Artifact> artifact = CompileText(Map("f32", "f32", body));
  return artifact.ok() ? "compiled" : std::string(artifact.status().message());
}

TEST(CompilerTest, RefusalsNameThePlace) {
  EXPECT_EQ(Error(R"(quern.loop "i" %i to 100 vector { })"),
            "kernel 'k0', loop 'i': quern.loop a vector has at most 64 lanes");
  EXPECT_EQ(Error(R"(quern.loop "i" %i to 4 vector { quern.loop "j" %j to 4 unrolled { } })"),
            "kernel 'k0', loop 'j': quern.loop is inside a vector loop");
  EXPECT_EQ(
      Error(R"(quern.loop "i" %i to 4 serial { quern.loop "j" %j to 4 grid_x { } })"),
      "kernel 'k0', loop 'j': quern.loop must be alone in its block, in a kernel or a grid loop");
  EXPECT_EQ(Error(R"(quern.loop "i" %i to 16 serial {
                       %v = quern.load %y[#v](%i) : !y -> f32
                       quern.store %v, %x[#v](%i) : f32, !x })"),
            "kernel 'k0': quern.kernel stores to input 'arg0'");
  EXPECT_EQ(Error(R"(%r = quern.alloc "r" : !quern.buffer<[100000] x f32, register>)"),
            "kernel 'k0': quern.alloc register buffer 'r' of 400000 bytes; at most 65536");
  EXPECT_THAT(Error(R"(quern.loop "i" %i to 64 unrolled { quern.loop "j" %j to 64 unrolled {
                       quern.loop "k" %k to 64 unrolled {
                       %c = arith.constant 1 : i32 } } })"),
              HasSubstr("is too long once its loops are unrolled"));
}

TEST(CompilerTest, RefusesUnknownTargetsAndPipelines) {
  EXPECT_THAT(std::string(CompileText(R"(quern.program target "vax" { })").status().message()),
              HasSubstr("unknown target 'vax'; known are host, x86_64, sm_80, sm_90a"));
  EXPECT_EQ(
      std::string(CompileText(R"(quern.program target "host" attributes {pipeline = "fast"} { })")
                      .status()
                      .message()),
      "unknown pass pipeline 'fast'; known are o0, default, combine");
}

TEST(EmitTest, RefusesTextThatDoesNotFitThePlan) {
  absl::StatusOr<Artifact> artifact = CompileText(kNaiveMatmul);
  ASSERT_TRUE(artifact.ok()) << artifact.status();
  EXPECT_THAT(std::string(Emit("define void", artifact->plan).status().message()),
              HasSubstr("LLVM IR, line 1"));
  EXPECT_EQ(std::string(Emit("", artifact->plan).status().message()),
            "LLVM IR has no kernel kernel_k0");
  EXPECT_THAT(
      std::string(
          Emit("define void @kernel_k0(ptr %a) { ret void }", artifact->plan).status().message()),
      HasSubstr("does not take"));
}

}  // namespace
}  // namespace quern::codegen
