// What every KernelStore has to do, as tests: a store's own test includes this once and
// instantiates KernelStoreConformance with its factory.
#ifndef QUERN_CACHE_KERNEL_STORE_CONFORMANCE_H_
#define QUERN_CACHE_KERNEL_STORE_CONFORMANCE_H_

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bundle/digest.h"
#include "cache/kernel_store.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern::cache {

struct KernelStoreFactory {
  std::string name;
  // Opens or makes the store of a directory. `before_index` is called by Insert when the bundle is
  // in place and not yet found by Lookup.
  std::function<absl::StatusOr<std::unique_ptr<KernelStore>>(const std::string& directory,
                                                             std::function<void()> before_index)>
      open;
};

inline CacheKey KeyOf(const std::string& spec) {
  return {.spec_sha256 = Sha256(spec), .target = "x86_64", .machine = "m", .versions = "1"};
}

// A proved bundle of `spec`, whose binary is `binary`.
inline Bundle BundleOf(const std::string& spec, const std::string& binary =
                                                    "\x7f"
                                                    "ELF") {
  Bundle bundle{.module = "module @user {}\n",
                .canonical = "canonical " + spec,
                .spec_sha256 = Sha256(spec),
                .artifact = {.plan = {.target = "x86_64"}, .llvm_ir = "; ir\n", .binary = binary},
                .certificate = {.verdict = Verdict::kProved},
                .program = "module {}\n"};
  bundle.certificate.digests = {{"binary", Sha256(binary)}};
  return bundle;
}

class KernelStoreConformance : public testing::TestWithParam<KernelStoreFactory> {
 protected:
  KernelStoreConformance()
      : directory_(testing::TempDir() + "quern_store_" + std::to_string(getpid())) {
    std::filesystem::remove_all(directory_);
  }
  ~KernelStoreConformance() override { std::filesystem::remove_all(directory_); }

  std::unique_ptr<KernelStore> Open(std::function<void()> before_index = nullptr) {
    auto store = GetParam().open(directory_, std::move(before_index));
    EXPECT_TRUE(store.ok()) << store.status().ToString();
    return std::move(store).value();
  }

  // Runs `work` in a process of its own, which ends without any clean-up, and returns its exit
  // code.
  int InProcess(const std::function<int()>& work) {
    const pid_t child = fork();
    if (child == 0) _exit(work());
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  // Every entry can be looked up and read, and is what was inserted.
  void ExpectConsistent(KernelStore& store) {
    const absl::StatusOr<std::vector<Entry>> entries = store.List();
    ASSERT_TRUE(entries.ok()) << entries.status().ToString();
    for (const Entry& entry : *entries) {
      const absl::StatusOr<Bundle> bundle = ReadBundle(entry.bundle);
      ASSERT_TRUE(bundle.ok()) << bundle.status().ToString();
      const absl::StatusOr<LookupResult> found = store.Lookup(entry.key, bundle->canonical);
      ASSERT_TRUE(found.ok());
      ASSERT_TRUE(found->entry.has_value());
      EXPECT_EQ(found->entry->bundle, entry.bundle);
    }
  }

  const std::string directory_;
};

TEST_P(KernelStoreConformance, InsertThenLookup) {
  std::unique_ptr<KernelStore> store = Open();
  EXPECT_EQ(store->Lookup(KeyOf("a"), "canonical a")->miss, Miss::kAbsent);
  const absl::StatusOr<Entry> inserted =
      store->Insert(KeyOf("a"), BundleOf("a"), {.time_ns = 5.5, .naive_ns = 70}, false);
  ASSERT_TRUE(inserted.ok()) << inserted.status().ToString();
  for (bool again : {false, true}) {
    if (again) store = Open();
    const LookupResult found = store->Lookup(KeyOf("a"), "canonical a").value();
    ASSERT_TRUE(found.entry.has_value());
    EXPECT_EQ(found.entry->key, KeyOf("a"));
    EXPECT_EQ(found.entry->digest, KeyOf("a").Digest());
    EXPECT_EQ(found.entry->verdict, Verdict::kProved);
    EXPECT_EQ(found.entry->time_ns, 5.5);
    EXPECT_EQ(found.entry->naive_ns, 70);
    EXPECT_GT(found.entry->bytes, 100);
    EXPECT_GE(found.entry->last_used_us, found.entry->created_us);
    EXPECT_EQ(ReadBundle(found.entry->bundle)->canonical, "canonical a");
  }
  EXPECT_TRUE(store->TakeWarnings().empty());
}

TEST_P(KernelStoreConformance, MissesSayWhy) {
  std::unique_ptr<KernelStore> store = Open();
  ASSERT_TRUE(store->Insert(KeyOf("a"), BundleOf("a"), {}, false).ok());
  EXPECT_EQ(store->Lookup(KeyOf("b"), "canonical a")->miss, Miss::kAbsent);
  CacheKey other = KeyOf("a");
  other.versions = "2";
  const LookupResult version = store->Lookup(other, "canonical a").value();
  EXPECT_FALSE(version.entry.has_value());
  EXPECT_EQ(version.miss, Miss::kOtherVersion);
  other = KeyOf("a");
  other.machine = "n";
  EXPECT_EQ(store->Lookup(other, "canonical a")->miss, Miss::kAbsent);
  const LookupResult text = store->Lookup(KeyOf("a"), "canonical a ").value();
  EXPECT_FALSE(text.entry.has_value());
  EXPECT_EQ(text.miss, Miss::kOtherText);
}

TEST_P(KernelStoreConformance, DamagedFoldersAreMissesAndCanBeReplaced) {
  std::unique_ptr<KernelStore> store = Open();
  for (const char* file : {"manifest.json", ""}) {
    const Entry entry = store->Insert(KeyOf("a"), BundleOf("a"), {}, false).value();
    std::filesystem::remove_all(std::filesystem::path(entry.bundle) / file);
    const LookupResult found = store->Lookup(KeyOf("a"), "canonical a").value();
    EXPECT_FALSE(found.entry.has_value());
    EXPECT_EQ(found.miss, Miss::kDamaged);
  }
  ASSERT_TRUE(store->Insert(KeyOf("a"), BundleOf("a"), {}, false).ok());
  ExpectConsistent(*store);
}

TEST_P(KernelStoreConformance, OnlyProvedKernelsOfTheSpecAreAccepted) {
  std::unique_ptr<KernelStore> store = Open();
  for (Verdict verdict : {Verdict::kUnknown, Verdict::kRefuted}) {
    Bundle bundle = BundleOf("a");
    bundle.certificate.verdict = verdict;
    EXPECT_TRUE(absl::IsInvalidArgument(store->Insert(KeyOf("a"), bundle, {}, true).status()));
  }
  EXPECT_TRUE(absl::IsInvalidArgument(store->Insert(KeyOf("b"), BundleOf("a"), {}, true).status()));
  EXPECT_TRUE(store->List()->empty());
}

TEST_P(KernelStoreConformance, ReplacesOnlyIfTold) {
  std::unique_ptr<KernelStore> store = Open();
  const Entry first = store->Insert(KeyOf("a"), BundleOf("a", "one"), {}, false).value();
  EXPECT_TRUE(
      absl::IsAlreadyExists(store->Insert(KeyOf("a"), BundleOf("a", "two"), {}, false).status()));
  auto binary = [&] {
    return ReadBundle(store->Lookup(KeyOf("a"), "canonical a")->entry->bundle)->artifact.binary;
  };
  EXPECT_EQ(binary(), "one");
  ASSERT_TRUE(store->Insert(KeyOf("a"), BundleOf("a", "two"), {}, true).ok());
  EXPECT_EQ(binary(), "two");
  EXPECT_EQ(store->List()->size(), 1);
  EXPECT_FALSE(std::filesystem::exists(first.bundle));
}

TEST_P(KernelStoreConformance, ShowsByPrefixAndRemoves) {
  std::unique_ptr<KernelStore> store = Open();
  // 17 digests share a first digit somewhere.
  for (int i = 0; i < 17; ++i) {
    const std::string spec = std::to_string(i);
    ASSERT_TRUE(store->Insert(KeyOf(spec), BundleOf(spec), {}, false).ok());
  }
  const std::vector<Entry> entries = store->List().value();
  ASSERT_EQ(entries.size(), 17);
  int ambiguous = 0;
  for (const Entry& entry : entries) {
    EXPECT_EQ(store->Show(entry.digest)->bundle, entry.bundle);
    const absl::Status status = store->Show(entry.digest.substr(0, 1)).status();
    ambiguous += absl::IsInvalidArgument(status);
  }
  EXPECT_GE(ambiguous, 2);
  EXPECT_TRUE(absl::IsInvalidArgument(store->Show("").status()));
  EXPECT_TRUE(absl::IsNotFound(store->Show("xyz").status()));

  EXPECT_TRUE(absl::IsNotFound(store->Remove(entries[0].digest.substr(0, 8))));
  ASSERT_TRUE(store->Remove(entries[0].digest).ok());
  EXPECT_TRUE(absl::IsNotFound(store->Remove(entries[0].digest)));
  EXPECT_FALSE(std::filesystem::exists(entries[0].bundle));
  EXPECT_EQ(store->List()->size(), 16);
  ExpectConsistent(*store);
}

TEST_P(KernelStoreConformance, GcRemovesTheLeastRecentlyUsed) {
  std::unique_ptr<KernelStore> store = Open();
  for (const char* spec : {"a", "b", "c"}) {
    ASSERT_TRUE(store->Insert(KeyOf(spec), BundleOf(spec), {}, false).ok());
  }
  ASSERT_TRUE(store->Lookup(KeyOf("a"), "canonical a")->entry.has_value());
  const std::vector<Entry> entries = store->List().value();
  EXPECT_EQ(entries[0].key, KeyOf("a"));
  EXPECT_TRUE(store->Gc({})->removed.empty());
  const GcReport report = store->Gc({.max_bytes = entries[0].bytes + entries[1].bytes}).value();
  ASSERT_EQ(report.removed.size(), 1);
  EXPECT_EQ(report.removed[0].key, KeyOf("b"));
  EXPECT_EQ(report.bytes, report.removed[0].bytes);
  EXPECT_FALSE(std::filesystem::exists(report.removed[0].bundle));
  EXPECT_EQ(store->Lookup(KeyOf("b"), "canonical b")->miss, Miss::kAbsent);
  EXPECT_EQ(store->Gc({.max_bytes = 0})->removed.size(), 2);
  EXPECT_TRUE(store->List()->empty());
}

TEST_P(KernelStoreConformance, GcRemovesTheOldAndTheDangling) {
  std::unique_ptr<KernelStore> store = Open();
  const Entry entry = store->Insert(KeyOf("a"), BundleOf("a"), {}, false).value();
  ASSERT_TRUE(store->Insert(KeyOf("b"), BundleOf("b"), {}, false).ok());
  std::filesystem::remove_all(entry.bundle);
  const GcReport dangling = store->Gc({.max_age_seconds = 3600}).value();
  EXPECT_EQ(dangling.dangling_removed, 1);
  EXPECT_TRUE(dangling.removed.empty());
  EXPECT_EQ(store->List()->size(), 1);
  EXPECT_EQ(store->Gc({.max_age_seconds = -1})->removed.size(), 1);
}

TEST_P(KernelStoreConformance, ARevokedKernelIsRefusedUntilAnotherTakesItsPlace) {
  std::unique_ptr<KernelStore> store = Open();
  const Entry entry = store->Insert(KeyOf("a"), BundleOf("a"), {}, false).value();
  auto revoke = [](Marks& marks) { marks.revoked = "wrong"; };
  auto clear = [](Marks& marks) { marks = {}; };
  EXPECT_EQ(store->Mark(entry.digest, revoke)->marks.revoked, "wrong");
  for (bool again : {false, true}) {
    if (again) store = Open();
    const LookupResult found = store->Lookup(KeyOf("a"), "canonical a").value();
    EXPECT_FALSE(found.entry.has_value());
    EXPECT_EQ(found.miss, Miss::kRevoked);
    EXPECT_EQ(store->Show(entry.digest)->marks.revoked, "wrong");
  }
  ASSERT_TRUE(store->Insert(KeyOf("a"), BundleOf("a", "other"), {}, true).ok());
  EXPECT_TRUE(store->Lookup(KeyOf("a"), "canonical a")->entry.has_value());
  ASSERT_TRUE(store->Mark(entry.digest, revoke).ok());
  ASSERT_TRUE(store->Mark(entry.digest, clear).ok());
  EXPECT_TRUE(store->Lookup(KeyOf("a"), "canonical a")->entry.has_value());
  EXPECT_TRUE(absl::IsNotFound(store->Mark(KeyOf("z").Digest(), clear).status()));
}

TEST_P(KernelStoreConformance, APinnedKernelStays) {
  std::unique_ptr<KernelStore> store = Open();
  const Entry entry = store->Insert(KeyOf("a"), BundleOf("a"), {}, false).value();
  ASSERT_TRUE(store->Insert(KeyOf("b"), BundleOf("b"), {}, false).ok());
  ASSERT_TRUE(store->Mark(entry.digest, [](Marks& marks) { marks.pinned = true; }).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(store->Remove(entry.digest)));
  EXPECT_EQ(store->Gc({.max_bytes = 0, .max_age_seconds = -1})->removed.size(), 1);
  ASSERT_EQ(store->List()->size(), 1);
  EXPECT_TRUE(store->List()->front().marks.pinned);
  ASSERT_TRUE(store->Mark(entry.digest, [](Marks& marks) { marks = {}; }).ok());
  EXPECT_TRUE(store->Remove(entry.digest).ok());
}

TEST_P(KernelStoreConformance, AProcessThatDiesInTheMiddleOfAnInsertLosesNothingElse) {
  ASSERT_TRUE(Open()->Insert(KeyOf("kept"), BundleOf("kept"), {}, false).ok());
  EXPECT_EQ(InProcess([&] {
              auto store = GetParam().open(directory_, [] { _exit(7); });
              if (!store.ok()) return 1;
              (void)(*store)->Insert(KeyOf("a"), BundleOf("a"), {}, false);
              return 2;
            }),
            7);
  std::unique_ptr<KernelStore> store = Open();
  EXPECT_EQ(store->List()->size(), 1);
  EXPECT_EQ(store->Lookup(KeyOf("a"), "canonical a")->miss, Miss::kAbsent);
  ExpectConsistent(*store);
  // The folder is whole and proved: it is taken in, once it is surely nobody's.
  EXPECT_EQ(store->Gc({})->orphans_adopted, 0);
  EXPECT_EQ(store->Gc({.orphan_age_seconds = 0})->orphans_adopted, 1);
  EXPECT_TRUE(store->Lookup(KeyOf("a"), "canonical a")->entry.has_value());
  ExpectConsistent(*store);
}

TEST_P(KernelStoreConformance, KilledAtAnyMomentTheStoreIsConsistent) {
  for (int round = 0; round < 12; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      auto store = GetParam().open(directory_, nullptr);
      for (int i = 0; store.ok(); ++i) {
        const std::string spec = std::to_string(i % 5);
        (void)(*store)->Insert(KeyOf(spec), BundleOf(spec, std::to_string(i)), {}, true);
      }
      _exit(1);
    }
    usleep(3000 + 7000 * round);
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    std::unique_ptr<KernelStore> store = Open();
    ExpectConsistent(*store);
    EXPECT_TRUE(store->TakeWarnings().empty());
  }
  std::unique_ptr<KernelStore> store = Open();
  ASSERT_TRUE(store->Gc({.orphan_age_seconds = 0}).ok());
  ExpectConsistent(*store);
  const GcReport again = store->Gc({.orphan_age_seconds = 0}).value();
  EXPECT_EQ(again.orphans_removed + again.orphans_adopted + again.dangling_removed, 0);
}

TEST_P(KernelStoreConformance, ThreadsShareAStore) {
  std::unique_ptr<KernelStore> store = Open();
  std::vector<std::thread> threads;
  std::atomic<int> inserted = 0, errors = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 6; ++i) {
        const std::string spec = std::to_string(i);
        const absl::Status status = store->Insert(KeyOf(spec), BundleOf(spec), {}, false).status();
        inserted += status.ok();
        errors += !status.ok() && !absl::IsAlreadyExists(status);
        errors += !store->Lookup(KeyOf(spec), "canonical " + spec)->entry.has_value();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(inserted, 6);
  EXPECT_EQ(errors, 0);
  EXPECT_EQ(store->List()->size(), 6);
  ExpectConsistent(*store);
}

TEST_P(KernelStoreConformance, ProcessesShareADirectory) {
  std::vector<pid_t> children;
  for (int p = 0; p < 4; ++p) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    // They make the store together, too.
    auto store = GetParam().open(directory_, nullptr);
    if (!store.ok()) _exit(100);
    int inserted = 0;
    for (int i = 0; i < 6; ++i) {
      const std::string spec = std::to_string(i);
      const absl::Status status = (*store)->Insert(KeyOf(spec), BundleOf(spec), {}, false).status();
      if (!status.ok() && !absl::IsAlreadyExists(status)) _exit(101);
      inserted += status.ok();
      const auto found = (*store)->Lookup(KeyOf(spec), "canonical " + spec);
      if (!found.ok() || !found->entry.has_value()) _exit(102);
    }
    _exit(inserted);
  }
  int inserted = 0;
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_LT(WEXITSTATUS(status), 100) << WEXITSTATUS(status);
    inserted += WEXITSTATUS(status);
  }
  EXPECT_EQ(inserted, 6);
  std::unique_ptr<KernelStore> store = Open();
  EXPECT_EQ(store->List()->size(), 6);
  ExpectConsistent(*store);
  EXPECT_EQ(store->Gc({.orphan_age_seconds = 0})->orphans_removed, 0);
}

}  // namespace quern::cache

#endif  // QUERN_CACHE_KERNEL_STORE_CONFORMANCE_H_
