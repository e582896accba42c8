#include "cache/sqlite_store.h"

#include <sys/mount.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <random>

#include "bundle/file.h"
#include "cache/bundle_folder.h"
#include "cache/kernel_store_conformance.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern::cache {

namespace fs = std::filesystem;
using testing::HasSubstr;

INSTANTIATE_TEST_SUITE_P(Sqlite, KernelStoreConformance,
                         testing::Values(KernelStoreFactory{
                             .name = "sqlite",
                             .open = [](const std::string& directory,
                                        std::function<void()> before_index)
                                 -> absl::StatusOr<std::unique_ptr<KernelStore>> {
                               return SqliteStore::Open(directory, std::move(before_index));
                             }}));

class SqliteStoreTest : public testing::Test {
 protected:
  SqliteStoreTest() : directory_(testing::TempDir() + "quern_sqlite_" + std::to_string(getpid())) {
    fs::remove_all(directory_);
  }
  ~SqliteStoreTest() override { fs::remove_all(directory_); }

  std::unique_ptr<SqliteStore> Open() {
    auto store = SqliteStore::Open(directory_);
    EXPECT_TRUE(store.ok()) << store.status().ToString();
    return *std::move(store);
  }
  void Fill(int count) {
    auto store = Open();
    for (int i = 0; i < count; ++i) {
      const std::string spec = std::to_string(i);
      ASSERT_TRUE(store->Insert(KeyOf(spec), BundleOf(spec), {.time_ns = 3}, false).ok());
    }
  }
  std::string index() const { return directory_ + "/index.sqlite"; }

  const std::string directory_;
};

TEST_F(SqliteStoreTest, TheDefaultDirectoryFollowsTheEnvironment) {
  setenv("QUERN_CACHE", "/q", 1);
  setenv("XDG_CACHE_HOME", "/x", 1);
  setenv("HOME", "/h", 1);
  EXPECT_EQ(DefaultDirectory().value(), "/q");
  setenv("QUERN_CACHE", "", 1);
  EXPECT_EQ(DefaultDirectory().value(), "/x/quern");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(DefaultDirectory().value(), "/h/.cache/quern");
  unsetenv("HOME");
  EXPECT_TRUE(absl::IsFailedPrecondition(DefaultDirectory().status()));
}

TEST_F(SqliteStoreTest, ADamagedIndexIsMovedAsideAndMadeAgain) {
  Fill(3);
  int n = 0;
  for (const std::string& bytes : {std::string(5000, 'x'), std::string("SQLite format 3"),
                                   ReadFile(index()).value().substr(0, 4096 + 100)}) {
    ASSERT_TRUE(WriteFile(index(), bytes).ok());
    auto store = Open();
    EXPECT_EQ(store->List()->size(), 3);
    const std::vector<std::string> warnings = store->TakeWarnings();
    ASSERT_FALSE(warnings.empty());
    const std::string aside = index() + ".damaged-" + std::to_string(++n);
    EXPECT_THAT(warnings[0], HasSubstr(aside));
    EXPECT_TRUE(fs::exists(aside));
    const LookupResult found = store->Lookup(KeyOf("1"), "canonical 1").value();
    ASSERT_TRUE(found.entry.has_value());
    EXPECT_EQ(found.entry->time_ns, 3);
    EXPECT_TRUE(store->TakeWarnings().empty());
  }
}

TEST_F(SqliteStoreTest, AMissingOrEmptyIndexIsMadeAgain) {
  Fill(3);
  fs::remove(index());
  EXPECT_EQ(Open()->List()->size(), 3);
  ASSERT_TRUE(WriteFile(index(), "").ok());
  auto store = Open();
  EXPECT_EQ(store->List()->size(), 3);
  EXPECT_THAT(store->TakeWarnings()[0], HasSubstr("made again with 3 entries"));
}

TEST_F(SqliteStoreTest, DamageUnderAnOpenStoreIsRepaired) {
  Fill(3);
  auto store = Open();
  const std::string bytes = ReadFile(index()).value();
  ASSERT_TRUE(WriteFile(index(), std::string(bytes.size(), '\x5a')).ok());
  EXPECT_TRUE(store->Insert(KeyOf("new"), BundleOf("new"), {}, false).ok());
  EXPECT_EQ(Open()->List()->size(), 4);
}

TEST_F(SqliteStoreTest, RandomDamageNeverLosesAKernel) {
  Fill(4);
  const std::string good = ReadFile(index()).value();
  std::mt19937 random(5);
  for (int round = 0; round < 150; ++round) {
    std::string bytes = good;
    if (round % 3 == 0) bytes.resize(random() % bytes.size());
    for (int i = random() % 60; i >= 0 && !bytes.empty(); --i) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    fs::remove(index() + "-wal");
    fs::remove(index() + "-shm");
    ASSERT_TRUE(WriteFile(index(), bytes).ok());
    auto store = SqliteStore::Open(directory_);
    // Damage can make the version number a newer one, which is refused; all else is repaired.
    if (!store.ok()) {
      ASSERT_TRUE(absl::IsFailedPrecondition(store.status())) << store.status().ToString();
      continue;
    }
    (void)(*store)->List();
    const absl::StatusOr<GcReport> report = (*store)->Gc({.orphan_age_seconds = 0});
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    EXPECT_TRUE(report->removed.empty());
    for (int i = 0; i < 4; ++i) {
      const std::string spec = std::to_string(i);
      absl::StatusOr<LookupResult> found = (*store)->Lookup(KeyOf(spec), "canonical " + spec);
      ASSERT_TRUE(found.ok());
      // Another text or no entry is an honest miss; an entry must be the right one.
      if (found->entry) EXPECT_EQ(ReadBundle(found->entry->bundle)->canonical, "canonical " + spec);
    }
  }
  fs::remove(index());
  fs::remove(index() + "-wal");
  fs::remove(index() + "-shm");
  EXPECT_EQ(Open()->List()->size(), 4);
}

TEST_F(SqliteStoreTest, ADamagedRowNeverNamesAFolderOutside) {
  Fill(1);
  ASSERT_TRUE(WriteFile(directory_ + "/precious", "x").ok());
  auto database = Database::Open(index(), 1000);
  ASSERT_TRUE(database->Execute("UPDATE entry SET folder = '../precious'").ok());
  auto store = Open();
  EXPECT_TRUE(store->Lookup(KeyOf("0"), "canonical 0")->entry.has_value());
  EXPECT_THAT(store->TakeWarnings()[0], HasSubstr("damaged"));
  EXPECT_TRUE(fs::exists(directory_ + "/precious"));
}

TEST_F(SqliteStoreTest, UnprovedOrTamperedFoldersAreNotAdopted) {
  Fill(2);
  const std::vector<Entry> entries = Open()->List().value();
  ASSERT_TRUE(WriteFile(entries[0].bundle + "/kernel.so", "evil").ok());
  Bundle unproved = BundleOf("u");
  unproved.certificate.verdict = Verdict::kUnknown;
  ASSERT_TRUE(WriteFolder(directory_ + "/bundles", KeyOf("u"), unproved, {}).ok());
  fs::remove(index());
  auto store = Open();
  ASSERT_EQ(store->List()->size(), 1);
  EXPECT_EQ(store->List()->at(0).digest, entries[1].digest);
  EXPECT_EQ(store->Gc({.orphan_age_seconds = 0})->orphans_removed, 2);
  EXPECT_EQ(store->List()->size(), 1);
}

TEST_F(SqliteStoreTest, AnIndexOfANewerVersionIsLeftAlone) {
  Fill(1);
  ASSERT_TRUE(Database::Open(index(), 1000)->Execute("PRAGMA user_version = 99").ok());
  const absl::Status status = SqliteStore::Open(directory_).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("schema 99"));
  EXPECT_FALSE(fs::exists(index() + ".damaged-1"));
}

TEST_F(SqliteStoreTest, AnOlderSchemaIsMigrated) {
  Fill(1);
  ASSERT_TRUE(Database::Open(index(), 1000)->Execute("DROP INDEX entry_family").ok());
  ASSERT_TRUE(Database::Open(index(), 1000)->Execute("PRAGMA user_version = 1").ok());
  EXPECT_EQ(Open()->List()->size(), 1);
  Statement version = Database::Open(index(), 1000)->Prepare("PRAGMA user_version");
  ASSERT_TRUE(version.Step().value());
  EXPECT_EQ(version.Integer(0), 2);
}

TEST_F(SqliteStoreTest, UnusableDirectoriesAreNamed) {
  ASSERT_TRUE(fs::create_directories(directory_));
  ASSERT_TRUE(WriteFile(directory_ + "/file", "").ok());
  for (const std::string& path :
       {directory_ + "/file", directory_ + "/file/below", std::string("/proc/quern")}) {
    const absl::Status status = SqliteStore::Open(path).status();
    EXPECT_FALSE(status.ok());
    EXPECT_THAT(std::string(status.message()), HasSubstr(path.substr(0, 5)));
  }
  fs::permissions(directory_, fs::perms::owner_read | fs::perms::owner_exec |
                                  fs::perms::others_read | fs::perms::others_exec);
  const bool root = geteuid() == 0;
  if (root) ASSERT_EQ(seteuid(65534), 0);
  const absl::Status status = SqliteStore::Open(directory_).status();
  if (root) ASSERT_EQ(seteuid(0), 0);
  fs::permissions(directory_, fs::perms::owner_all);
  EXPECT_TRUE(absl::IsPermissionDenied(status)) << status.ToString();
  EXPECT_THAT(std::string(status.message()), HasSubstr(directory_));
}

TEST_F(SqliteStoreTest, AFullDiskIsAnErrorAndLeavesTheCacheIntact) {
  ASSERT_TRUE(fs::create_directories(directory_));
  if (mount("tmpfs", directory_.c_str(), "tmpfs", 0, "size=1m") != 0) {
    GTEST_SKIP() << "no file system can be mounted here";
  }
  {
    auto store = Open();
    EXPECT_TRUE(store->Insert(KeyOf("a"), BundleOf("a"), {}, false).ok());
    const absl::Status big =
        store->Insert(KeyOf("b"), BundleOf("b", std::string(2 << 20, 'x')), {}, false).status();
    EXPECT_TRUE(absl::IsUnavailable(big)) << big.ToString();
    EXPECT_THAT(std::string(big.message()), HasSubstr(directory_));
    absl::Status status;
    for (int i = 0; i < 1000 && status.ok(); ++i) {
      const std::string spec = std::to_string(i);
      status = store->Insert(KeyOf(spec), BundleOf(spec), {}, false).status();
    }
    EXPECT_TRUE(absl::IsUnavailable(status)) << status.ToString();
    EXPECT_TRUE(store->Lookup(KeyOf("a"), "canonical a")->entry.has_value());
    EXPECT_TRUE(store->TakeWarnings().empty());
  }
  EXPECT_TRUE(Open()->Lookup(KeyOf("a"), "canonical a")->entry.has_value());
  ASSERT_EQ(umount(directory_.c_str()), 0);
}

}  // namespace quern::cache
