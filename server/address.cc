#include "server/address.h"

#include <arpa/inet.h>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace quern::server {

static bool IsLoopback(const std::string& host) {
  in_addr v4;
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  return host == "localhost" || host == "[::1]";
}

absl::Status CheckAddress(const std::string& address, bool any) {
  if (absl::StartsWith(address, "unix:/")) return absl::OkStatus();
  const size_t colon = address.rfind(':');
  const std::string host = address.substr(0, colon);
  int port = -1;
  const bool inner = host.find(':') != std::string::npos;
  if (colon == std::string::npos || host.empty() ||
      (inner && (host.front() != '[' || host.back() != ']')) ||
      !absl::SimpleAtoi(address.substr(colon + 1), &port) || port < 0 || port > 65535) {
    return absl::InvalidArgumentError(
        absl::StrCat("--listen ", address, ": must be HOST:PORT or unix:/PATH"));
  }
  if (any || IsLoopback(host)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--listen ", address, ": whoever reaches it may use it and read along; listen on ",
      "127.0.0.1, or say --insecure-any"));
}

}  // namespace quern::server
