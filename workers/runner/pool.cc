#include "workers/runner/pool.h"

#include <emmintrin.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace quern::workers {

static constexpr int kSpins = 4000;  // some tens of microseconds

static thread_local bool inside_body = false;

// Returns once `word` is not `old`.
static void WaitWhile(std::atomic<uint32_t>& word, uint32_t old) {
  for (int i = 0; i < kSpins; ++i) {
    if (word.load(std::memory_order_acquire) != old) return;
    _mm_pause();
  }
  while (word.load(std::memory_order_acquire) == old) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, old, nullptr, nullptr, 0);
  }
}

static void WakeAll(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1 << 30, nullptr, nullptr, 0);
}

bool PinTo(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return sched_setaffinity(0, sizeof(set), &set) == 0;
}

bool Pool::Start(const std::vector<int>& cpus, void (*on_start)()) {
  if (!PinTo(cpus[0])) return false;
  for (size_t i = 1; i < cpus.size(); ++i) {
    threads_.emplace_back([this, cpu = cpus[i], on_start] { Work(cpu, on_start); });
  }
  while (started_.load() < static_cast<int>(threads_.size())) std::this_thread::yield();
  return !failed_.load();
}

void Pool::Work(int cpu, void (*on_start)()) {
  on_start();
  if (!PinTo(cpu)) failed_.store(true);
  inside_body = true;
  uint32_t seen = 0;
  started_.fetch_add(1);
  while (true) {
    WaitWhile(generation_, seen);
    seen = generation_.load(std::memory_order_acquire);
    TakeItems();
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) WakeAll(busy_);
  }
}

void Pool::TakeItems() {
  for (int64_t i = next_.fetch_add(1, std::memory_order_relaxed); i < count_;
       i = next_.fetch_add(1, std::memory_order_relaxed)) {
    body_(context_, i);
  }
}

void Pool::ParallelFor(void* pool, int64_t count, void (*body)(void*, int64_t), void* context) {
  Pool& self = *static_cast<Pool*>(pool);
  if (inside_body || count <= 1 || self.threads_.empty()) {
    for (int64_t i = 0; i < count; ++i) body(context, i);
    return;
  }
  inside_body = true;
  self.count_ = count;
  self.body_ = body;
  self.context_ = context;
  self.next_.store(0, std::memory_order_relaxed);
  self.busy_.store(static_cast<uint32_t>(self.threads_.size()), std::memory_order_relaxed);
  self.generation_.fetch_add(1, std::memory_order_release);
  WakeAll(self.generation_);
  self.TakeItems();
  for (uint32_t busy = self.busy_.load(std::memory_order_acquire); busy != 0;
       busy = self.busy_.load(std::memory_order_acquire)) {
    WaitWhile(self.busy_, busy);
  }
  inside_body = false;
}

}  // namespace quern::workers
