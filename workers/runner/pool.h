// The threads behind quern_call::parallel_for.
#ifndef QUERN_WORKERS_RUNNER_POOL_H_
#define QUERN_WORKERS_RUNNER_POOL_H_

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace quern::workers {

// `cpus.size()` threads, the caller's included, each pinned to its CPU. A waiting thread spins for
// some microseconds and then sleeps on a futex. One caller at a time.
class Pool {
 public:
  // `on_start` runs on each new thread before anything else. False if a thread cannot be started
  // or pinned. The threads live until the process ends.
  bool Start(const std::vector<int>& cpus, void (*on_start)());

  // bundle/quern_abi.h's quern_parallel_for; `pool` is a Pool*. A call from inside a body runs on
  // the calling thread alone.
  static void ParallelFor(void* pool, int64_t count, void (*body)(void* context, int64_t i),
                          void* context);

 private:
  void Work(int cpu, void (*on_start)());
  void TakeItems();

  std::vector<std::thread> threads_;
  std::atomic<int> started_{0};
  std::atomic<bool> failed_{false};
  std::atomic<uint32_t> generation_{0};  // of the job; workers wait for it to move
  std::atomic<uint32_t> busy_{0};        // workers not yet done with the job
  std::atomic<int64_t> next_{0};
  int64_t count_ = 0;
  void (*body_)(void*, int64_t) = nullptr;
  void* context_ = nullptr;
};

bool PinTo(int cpu);

}  // namespace quern::workers

#endif  // QUERN_WORKERS_RUNNER_POOL_H_
