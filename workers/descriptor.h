// A file descriptor that closes itself.
#ifndef QUERN_WORKERS_DESCRIPTOR_H_
#define QUERN_WORKERS_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace quern::workers {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { Close(); }

  int get() const { return fd_; }
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

}  // namespace quern::workers

#endif  // QUERN_WORKERS_DESCRIPTOR_H_
