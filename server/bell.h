// Wakes threads that wait for something in the store to change.
#ifndef QUERN_SERVER_BELL_H_
#define QUERN_SERVER_BELL_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace quern::server {

// Read strokes(), look whether there is work, and if not wait: a stroke in between is not missed.
class Bell {
 public:
  int64_t strokes() const {
    std::lock_guard lock(mutex_);
    return strokes_;
  }
  void Ring() {
    {
      std::lock_guard lock(mutex_);
      ++strokes_;
    }
    changed_.notify_all();
  }
  // Until there were more strokes than `seen`, or for `longest`.
  void Wait(int64_t seen, std::chrono::milliseconds longest) const {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, longest, [&] { return strokes_ > seen; });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  int64_t strokes_ = 0;
};

}  // namespace quern::server

#endif  // QUERN_SERVER_BELL_H_
