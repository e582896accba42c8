// The time that is stored.
#ifndef QUERN_SERVER_CLOCK_H_
#define QUERN_SERVER_CLOCK_H_

#include <chrono>
#include <cstdint>

namespace quern::server {

// Microseconds since 1970.
inline int64_t NowUs() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace quern::server

#endif  // QUERN_SERVER_CLOCK_H_
