// Where a coordinator listens.
#ifndef QUERN_SERVER_ADDRESS_H_
#define QUERN_SERVER_ADDRESS_H_

#include <string>

#include "absl/status/status.h"

namespace quern::server {

// kInvalidArgument unless `address` is HOST:PORT ([::1]:PORT for IPv6) or unix:PATH, and reaches
// only this machine: without encryption nothing else is safe. `any` allows all hosts.
absl::Status CheckAddress(const std::string& address, bool any);

}  // namespace quern::server

#endif  // QUERN_SERVER_ADDRESS_H_
