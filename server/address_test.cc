#include "server/address.h"

#include "gtest/gtest.h"

namespace quern::server {

TEST(Address, LoopbackIsFine) {
  for (const char* address :
       {"127.0.0.1:0", "127.8.0.1:7777", "localhost:65535", "[::1]:7777", "unix:/run/quern.sock"}) {
    EXPECT_TRUE(CheckAddress(address, false).ok()) << address;
  }
}

TEST(Address, OthersOnlyIfTold) {
  for (const char* address : {"0.0.0.0:7777", "[::]:7777", "10.0.0.1:1", "example.org:443",
                              "127.0.0.1.example.org:1", "localhost.example.org:1"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(CheckAddress(address, false))) << address;
    EXPECT_TRUE(CheckAddress(address, true).ok()) << address;
  }
}

TEST(Address, NonsenseNever) {
  for (const char* address : {"", ":", ":7777", "localhost", "localhost:", "localhost:x",
                              "localhost:65536", "localhost:-1", "::1:7777", "unix:"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(CheckAddress(address, true))) << address;
  }
}

}  // namespace quern::server
