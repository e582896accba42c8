#include "server/sqlite_task_store.h"

#include "bundle/file.h"
#include "server/task_store_conformance.h"

namespace quern::server {

INSTANTIATE_TEST_SUITE_P(Sqlite, TaskStoreConformance,
                         testing::Values(TaskStoreFactory{.name = "sqlite",
                                                          .open =
                                                              [](const std::string& directory) {
                                                                return SqliteTaskStore::Open(
                                                                    directory + "/tasks.sqlite");
                                                              }}),
                         [](const auto& info) { return info.param.name; });

class SqliteTaskStoreTest : public testing::Test {
 protected:
  SqliteTaskStoreTest()
      : path_(testing::TempDir() + "quern_tasks_" + std::to_string(getpid()) + ".sqlite") {
    std::filesystem::remove(path_);
  }
  ~SqliteTaskStoreTest() override { std::filesystem::remove(path_); }
  const std::string path_;
};

TEST_F(SqliteTaskStoreTest, RefusesTheSchemaOfANewerQuern) {
  ASSERT_TRUE(SqliteTaskStore::Open(path_).ok());
  {
    auto database = cache::Database::Open(path_, 1000);
    ASSERT_TRUE(database.ok());
    ASSERT_TRUE(database->Execute("PRAGMA user_version = 1000").ok());
  }
  const absl::Status status = SqliteTaskStore::Open(path_).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("has schema 1000"));
}

TEST_F(SqliteTaskStoreTest, NamesTheFileThatIsNoDatabase) {
  ASSERT_TRUE(WriteFile(path_, std::string(5000, 'x')).ok());
  const absl::Status status = SqliteTaskStore::Open(path_).status();
  EXPECT_TRUE(absl::IsDataLoss(status));
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr(path_));
}

}  // namespace quern::server
