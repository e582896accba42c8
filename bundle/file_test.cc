#include "bundle/file.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern {

TEST(FileTest, RoundTripsAnyBytes) {
  const std::string path = testing::TempDir() + "/file_test";
  for (const std::string& bytes :
       {std::string(), std::string("\0\n\xff", 3), std::string(100000, 'x')}) {
    ASSERT_TRUE(WriteFile(path, bytes).ok());
    EXPECT_EQ(ReadFile(path).value(), bytes);
  }
}

TEST(FileTest, ErrorsNameThePath) {
  const absl::Status absent = ReadFile("/no/such/file").status();
  EXPECT_TRUE(absl::IsNotFound(absent));
  EXPECT_EQ(absent.message(), "/no/such/file: cannot open: No such file or directory");
  EXPECT_TRUE(absl::IsInvalidArgument(ReadFile("/").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ReadFile("/dev/zero").status()));
  EXPECT_TRUE(absl::IsNotFound(WriteFile("/no/such/file", "")));
  EXPECT_FALSE(WriteFile("/", "").ok());
  EXPECT_TRUE(absl::IsUnavailable(WriteFile("/dev/full", "x")));
}

TEST(FileTest, MoreThanTheLimitIsAnError) {
  const std::string path = testing::TempDir() + "/file_limit_test";
  ASSERT_TRUE(WriteFile(path, "12345").ok());
  EXPECT_TRUE(ReadFile(path, 5).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(ReadFile(path, 4).status()));
}

}  // namespace quern
