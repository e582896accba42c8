#include "cache/marks.h"

#include <unistd.h>

#include <filesystem>

#include "bundle/file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern::cache {

class MarksTest : public testing::Test {
 protected:
  MarksTest() : folder_(testing::TempDir() + "quern_marks_" + std::to_string(getpid())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~MarksTest() override { std::filesystem::remove_all(folder_); }
  const std::string folder_;
};

TEST_F(MarksTest, AreReadAsTheyWereWritten) {
  for (const Marks& marks : {Marks{}, Marks{.pinned = true, .revoked = "wrong for NaN"},
                             Marks{.revoked = "again"}, Marks{.pinned = true}, Marks{}}) {
    ASSERT_TRUE(WriteMarks(folder_, marks).ok());
    const Marks read = ReadMarks(folder_).value();
    EXPECT_EQ(read.pinned, marks.pinned);
    EXPECT_EQ(read.revoked, marks.revoked);
  }
}

TEST_F(MarksTest, AMarkThatWasCutShortRevokes) {
  ASSERT_TRUE(WriteFile(folder_ + "/revoked", "").ok());
  EXPECT_FALSE(ReadMarks(folder_)->revoked.empty());
}

TEST_F(MarksTest, AMarkThatCannotBeReadIsAnError) {
  std::filesystem::create_directories(folder_ + "/revoked");
  EXPECT_FALSE(ReadMarks(folder_).ok());
}

TEST_F(MarksTest, AFolderThatIsGoneHasNone) {
  EXPECT_TRUE(ReadMarks(folder_ + "/gone")->revoked.empty());
  EXPECT_TRUE(absl::IsNotFound(WriteMarks(folder_ + "/gone", {.pinned = true})));
}

}  // namespace quern::cache
