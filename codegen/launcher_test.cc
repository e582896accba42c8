// The checks and the scheduling of launcher.c, through the shared object that it ends up in.
#include <pmmintrin.h>
#include <xmmintrin.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <thread>

#include "codegen/testing/loaded.h"
#include "gtest/gtest.h"

namespace quern::codegen {
namespace {

// y[z, y, x] = x[z, y, x] + y_before[z, y, x], a block an element, through a temporary and scratch.
// Not a program that quern would make: it reads what an output held, so that a block that runs
// twice shows.
constexpr char kCounting[] = R"(
!t = !quern.buffer<[3, 5, 7] x f32, global>
!s = !quern.buffer<[1] x f32, scratch>
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#zero = affine_map<() -> (0)>
quern.program target "host" {
  %x = quern.buffer "arg0" input 0 : !t
  %y = quern.buffer "out0" output 0 : !t
  %t = quern.buffer "t0" temporary -1 : !t
  quern.kernel "copy" {
    quern.loop "i" %i to 3 grid_z { quern.loop "j" %j to 5 grid_y { quern.loop "k" %k to 7 grid_x {
      %v = quern.load %x[#id](%i, %j, %k) : !t -> f32
      quern.store %v, %t[#id](%i, %j, %k) : f32, !t
    } } }
  }
  quern.kernel "add" {
    quern.loop "i" %i to 3 grid_z { quern.loop "j" %j to 5 grid_y { quern.loop "k" %k to 7 grid_x {
      %s = quern.alloc "s" : !s
      %v = quern.load %t[#id](%i, %j, %k) : !t -> f32
      quern.store %v, %s[#zero]() : f32, !s
      %old = quern.load %y[#id](%i, %j, %k) : !t -> f32
      %w = quern.load %s[#zero]() : !s -> f32
      %sum = arith.addf %old, %w : f32
      quern.store %sum, %y[#id](%i, %j, %k) : f32, !t
    } } }
  }
})";

class LauncherTest : public ::testing::Test {
 protected:
  LauncherTest()
      : kernel_(kCounting),
        x_(Filled({ElementType::kF32, {3, 5, 7}}, [](int64_t i) { return i + 1; })),
        y_(Filled(x_.type(), [](int64_t) { return 0; })) {}

  quern_status Run(const std::function<void(quern_call&)>& change = {}) {
    return kernel_.Run({&x_}, {&y_}, change);
  }
  // Runs with the tensor of an input or output changed.
  quern_status RunInput(const std::function<void(quern_tensor&)>& change) {
    return Run([&](quern_call& call) { change(const_cast<quern_tensor&>(call.inputs[0])); });
  }
  quern_status RunOutput(const std::function<void(quern_tensor&)>& change) {
    return Run([&](quern_call& call) { change(const_cast<quern_tensor&>(call.outputs[0])); });
  }
  void ExpectEachBlockRan(int times) {
    for (int64_t i = 0; i < 105; ++i) ASSERT_EQ(y_.At(i), times * x_.At(i)) << i;
  }

  Loaded kernel_;
  Tensor x_, y_;
};

TEST_F(LauncherTest, RunsEachBlockOnce) {
  ASSERT_EQ(Run(), QUERN_OK);
  ExpectEachBlockRan(1);
}

TEST_F(LauncherTest, RunsEachBlockOnceInAnyOrder) {
  struct Pool {
    int64_t calls = 0, chunks = 0;
  } pool;
  quern_status status = Run([&](quern_call& call) {
    call.pool = &pool;
    call.parallel_for = [](void* pool, int64_t count, void (*body)(void*, int64_t), void* context) {
      for (int64_t i = count; i-- > 0;) body(context, i);
      ++static_cast<Pool*>(pool)->calls;
      static_cast<Pool*>(pool)->chunks += count;
    };
  });
  ASSERT_EQ(status, QUERN_OK);
  ExpectEachBlockRan(1);
  EXPECT_EQ(pool.calls, 2);
  EXPECT_EQ(pool.chunks, 105 + 64);  // as many as blocks, fewer where they cost scratch
}

TEST_F(LauncherTest, RunsEachBlockOnceOnManyThreads) {
  quern_status status = Run([&](quern_call& call) {
    call.parallel_for = [](void*, int64_t count, void (*body)(void*, int64_t), void* context) {
      std::vector<std::thread> threads;
      for (int64_t first = 0; first < 4; ++first) {
        threads.emplace_back([=] {
          for (int64_t i = first; i < count; i += 4) body(context, i);
        });
      }
      for (std::thread& thread : threads) thread.join();
    };
  });
  ASSERT_EQ(status, QUERN_OK);
  ExpectEachBlockRan(1);
}

TEST_F(LauncherTest, WorkspaceHoldsTemporariesAndScratch) {
  EXPECT_EQ(kernel_.workspace_bytes(), 448u + 64 * 64);
}

TEST_F(LauncherTest, RefusesBadCalls) {
  EXPECT_EQ(Run([](quern_call& call) { call.struct_size = 8; }), QUERN_BAD_CALL);
  EXPECT_EQ(Run([](quern_call& call) { call.inputs = nullptr; }), QUERN_BAD_CALL);
  EXPECT_EQ(Run([](quern_call& call) { call.num_inputs = 2; }), QUERN_BAD_CALL);
  EXPECT_EQ(Run([](quern_call& call) { call.num_outputs = 0; }), QUERN_BAD_CALL);
  EXPECT_EQ(Run([](quern_call& call) { call.workspace = nullptr; }), QUERN_BAD_CALL);
  EXPECT_EQ(Run([](quern_call& call) { --call.workspace_bytes; }), QUERN_BAD_CALL);
  EXPECT_EQ(Run([](quern_call& call) { call.workspace = (char*)call.workspace + 32; }),
            QUERN_BAD_CALL);
  EXPECT_EQ(Run([](quern_call& call) { ++call.workspace_bytes; }), QUERN_OK);
  ExpectEachBlockRan(1);
}

TEST_F(LauncherTest, RefusesOtherTensors) {
  int64_t shape[] = {3, 5, 8}, compact[] = {35, 7, 1}, strided[] = {35, 7, 2};
  EXPECT_EQ(RunInput([&](quern_tensor& t) { t.shape = shape; }), QUERN_BAD_TENSOR);
  EXPECT_EQ(RunInput([](quern_tensor& t) { t.shape = nullptr; }), QUERN_BAD_TENSOR);
  EXPECT_EQ(RunInput([](quern_tensor& t) { t.ndim = 2; }), QUERN_BAD_TENSOR);
  EXPECT_EQ(RunInput([](quern_tensor& t) { t.dtype_code = 0; }), QUERN_BAD_TENSOR);
  EXPECT_EQ(RunInput([](quern_tensor& t) { t.dtype_bits = 16; }), QUERN_BAD_TENSOR);
  EXPECT_EQ(RunInput([](quern_tensor& t) { t.dtype_lanes = 4; }), QUERN_BAD_TENSOR);
  EXPECT_EQ(RunInput([](quern_tensor& t) { t.device_type = 2; }), QUERN_BAD_TENSOR);
  EXPECT_EQ(RunInput([](quern_tensor& t) { t.data = nullptr; }), QUERN_BAD_TENSOR);
  EXPECT_EQ(RunInput([](quern_tensor& t) { t.byte_offset = UINT64_MAX - 63; }), QUERN_BAD_TENSOR);
  EXPECT_EQ(RunOutput([&](quern_tensor& t) { t.strides = strided; }), QUERN_BAD_TENSOR);
  EXPECT_EQ(RunOutput([&](quern_tensor& t) { t.strides = compact; }), QUERN_OK);
  ExpectEachBlockRan(1);
}

TEST_F(LauncherTest, RefusesMisalignedTensors) {
  EXPECT_EQ(RunInput([](quern_tensor& t) { t.byte_offset = 4; }), QUERN_BAD_ALIGNMENT);
  EXPECT_EQ(RunOutput([](quern_tensor& t) { t.data = (char*)t.data + 32; }), QUERN_BAD_ALIGNMENT);
}

TEST_F(LauncherTest, RefusesOverlap) {
  EXPECT_EQ(RunOutput([&](quern_tensor& t) { t.data = x_.data(); }), QUERN_OVERLAP);
  EXPECT_EQ(RunOutput([&](quern_tensor& t) { t.data = x_.data() + 384; }), QUERN_OVERLAP);
  for (bool input : {true, false}) {
    EXPECT_EQ(Run([&](quern_call& call) {
                const quern_tensor& tensor = input ? call.inputs[0] : call.outputs[0];
                const_cast<quern_tensor&>(tensor).data = (char*)call.workspace + 64;
              }),
              QUERN_OVERLAP);
  }
}

TEST_F(LauncherTest, RefusesOtherFloatingPointStates) {
  const unsigned before = _mm_getcsr();
  for (unsigned bits : {_MM_FLUSH_ZERO_ON, _MM_DENORMALS_ZERO_ON, _MM_ROUND_DOWN}) {
    _mm_setcsr(before | bits);
    const quern_status status = Run();
    _mm_setcsr(before);
    EXPECT_EQ(status, QUERN_BAD_FP_STATE);
  }
}

TEST_F(LauncherTest, RefusesAWorkerWithAnotherFloatingPointState) {
  quern_status status = Run([](quern_call& call) {
    call.parallel_for = [](void*, int64_t count, void (*body)(void*, int64_t), void* context) {
      std::thread([=] {
        _mm_setcsr(_mm_getcsr() | _MM_FLUSH_ZERO_ON);
        for (int64_t i = 0; i < count; ++i) body(context, i);
      }).join();
    };
  });
  EXPECT_EQ(status, QUERN_BAD_FP_STATE);
}

}  // namespace
}  // namespace quern::codegen
