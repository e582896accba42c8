#include "bundle/bundle.h"

#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "bundle/digest.h"
#include "bundle/file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern {

namespace fs = std::filesystem;
using testing::HasSubstr;

class BundleTest : public testing::Test {
 protected:
  BundleTest() : root_(testing::TempDir() + "/quern_bundle_test_" + std::to_string(getpid())) {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  ~BundleTest() override { fs::remove_all(root_); }

  std::vector<std::string> Names(const fs::path& directory) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory))
      names.push_back(entry.path().filename());
    return names;
  }

  const fs::path root_;
};

static Bundle Example(const std::string& binary = std::string("\x7f"
                                                              "ELF\0\xff",
                                                              6)) {
  Bundle bundle{.module = "module @user {}\n",
                .canonical = "module {}\n",
                .spec_sha256 = Sha256("spec"),
                .artifact = {.plan = {.target = "x86_64"},
                             .llvm_ir = "define void @k() {}\n",
                             .binary = binary},
                .certificate = {.verdict = Verdict::kProved},
                .measurements = {Measurement{.machine = "m"}, Measurement{.machine = "n"}},
                .program = "module {}\n",
                .trace = "{\"rule\":\"tile\"}\n"};
  bundle.certificate.digests = {{"module", Sha256(bundle.module)},
                                {"llvm_ir", Sha256(bundle.artifact.llvm_ir)},
                                {"launch_plan", Sha256(ToJson(bundle.artifact.plan))},
                                {"binary", Sha256(bundle.artifact.binary)}};
  return bundle;
}

TEST_F(BundleTest, RoundTripsEveryKind) {
  for (BinaryKind kind : {BinaryKind::kSharedObject, BinaryKind::kPtx, BinaryKind::kHsaco}) {
    Bundle bundle = Example();
    bundle.artifact.kind = kind;
    const std::string path =
        root_ / "a" / "deep" / absl::StrCat("folder", static_cast<int>(kind), "/");
    ASSERT_TRUE(WriteBundle(bundle, path).ok());
    absl::StatusOr<Bundle> read = ReadBundle(path);
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    EXPECT_EQ(read->module, bundle.module);
    EXPECT_EQ(read->canonical, bundle.canonical);
    EXPECT_EQ(read->spec_sha256, bundle.spec_sha256);
    EXPECT_EQ(read->artifact.kind, kind);
    EXPECT_EQ(read->artifact.binary, bundle.artifact.binary);
    EXPECT_EQ(read->artifact.llvm_ir, bundle.artifact.llvm_ir);
    EXPECT_EQ(ToJson(read->artifact.plan), ToJson(bundle.artifact.plan));
    EXPECT_EQ(ToJson(read->certificate), ToJson(bundle.certificate));
    EXPECT_EQ(ToJson(read->measurements), ToJson(bundle.measurements));
    EXPECT_EQ(read->program, bundle.program);
    EXPECT_EQ(read->trace, bundle.trace);
  }
}

TEST_F(BundleTest, TamperingWithAnyByteOfAnyFileIsSeen) {
  const std::string path = root_ / "b";
  ASSERT_TRUE(WriteBundle(Example(), path).ok());
  const std::vector<std::string> names = Names(path);
  ASSERT_EQ(names.size(), 10);
  for (const std::string& name : names) {
    const std::string bytes = ReadFile(fs::path(path) / name).value();
    ASSERT_FALSE(bytes.empty()) << name;
    for (size_t i = 0; i < bytes.size(); i += 1 + bytes.size() / 50) {
      std::string changed = bytes;
      changed[i] ^= 1;
      ASSERT_TRUE(WriteFile(fs::path(path) / name, changed).ok());
      EXPECT_TRUE(absl::IsDataLoss(ReadBundle(path).status())) << name << " byte " << i;
    }
    for (const std::string& changed : {std::string(), bytes + "\n", bytes.substr(1)}) {
      ASSERT_TRUE(WriteFile(fs::path(path) / name, changed).ok());
      EXPECT_TRUE(absl::IsDataLoss(ReadBundle(path).status())) << name;
    }
    fs::remove(fs::path(path) / name);
    const absl::Status missing = ReadBundle(path).status();
    EXPECT_EQ(absl::IsNotFound(missing), name == "manifest.json") << name;
    EXPECT_EQ(absl::IsDataLoss(missing), name != "manifest.json") << name;
    EXPECT_THAT(std::string(missing.message()), HasSubstr(name));
    ASSERT_TRUE(WriteFile(fs::path(path) / name, bytes).ok());
    ASSERT_TRUE(ReadBundle(path).ok());
  }
}

TEST_F(BundleTest, TheCertificateMustBeAboutTheseFiles) {
  Bundle other = Example();
  other.artifact.binary += "x";
  const absl::Status status = WriteBundle(other, root_ / "b");
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("another binary"));
  EXPECT_TRUE(Names(root_).empty());
}

TEST_F(BundleTest, ReplacesABundleOrAnEmptyFolderAndNothingElse) {
  ASSERT_TRUE(fs::create_directory(root_ / "b"));
  ASSERT_TRUE(WriteBundle(Example("one"), root_ / "b").ok());
  ASSERT_TRUE(WriteBundle(Example("two"), root_ / "b").ok());
  EXPECT_EQ(ReadBundle(root_ / "b")->artifact.binary, "two");
  EXPECT_THAT(Names(root_), testing::ElementsAre("b"));  // nothing is left beside it

  fs::create_directory(root_ / "home");
  ASSERT_TRUE(WriteFile(root_ / "home" / "precious", "x").ok());
  EXPECT_TRUE(absl::IsAlreadyExists(WriteBundle(Example(), root_ / "home")));
  EXPECT_EQ(ReadFile(root_ / "home" / "precious").value(), "x");
  ASSERT_TRUE(WriteFile(root_ / "empty_file", "").ok());
  EXPECT_TRUE(absl::IsAlreadyExists(WriteBundle(Example(), root_ / "empty_file")));
  EXPECT_FALSE(WriteBundle(Example(), root_ / "empty_file" / "below").ok());
}

TEST_F(BundleTest, ReadingWhatIsNoBundle) {
  EXPECT_TRUE(absl::IsNotFound(ReadBundle(root_).status()));
  EXPECT_TRUE(absl::IsNotFound(ReadBundle(root_ / "absent").status()));
  fs::create_directories(root_ / "d" / "manifest.json");
  EXPECT_TRUE(absl::IsInvalidArgument(ReadBundle(root_ / "d").status()));
}

TEST_F(BundleTest, AnUnwritableFolderIsNamed) {
  const fs::path closed = root_ / "closed";
  fs::create_directory(closed);
  fs::permissions(closed, fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_exec);
  const bool root = geteuid() == 0;
  if (root) ASSERT_EQ(seteuid(65534), 0);
  const absl::Status status = WriteBundle(Example(), closed / "b");
  if (root) ASSERT_EQ(seteuid(0), 0);
  fs::permissions(closed, fs::perms::owner_all);
  EXPECT_TRUE(absl::IsPermissionDenied(status)) << status.ToString();
  EXPECT_THAT(std::string(status.message()), HasSubstr("closed"));
  EXPECT_TRUE(Names(closed).empty());
}

TEST_F(BundleTest, AFullDiskLeavesTheOldBundle) {
  const fs::path disk = root_ / "disk";
  fs::create_directory(disk);
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=256k") != 0) {
    GTEST_SKIP() << "no file system can be mounted here";
  }
  const absl::Status first = WriteBundle(Example("small"), disk / "b");
  const absl::Status status = WriteBundle(Example(std::string(1 << 20, 'x')), disk / "b");
  const absl::StatusOr<Bundle> old = ReadBundle(disk / "b");
  const std::vector<std::string> names = Names(disk);
  ASSERT_EQ(umount(disk.c_str()), 0);
  EXPECT_TRUE(first.ok()) << first.ToString();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status.ToString();
  EXPECT_THAT(std::string(status.message()), HasSubstr("No space left on device"));
  ASSERT_TRUE(old.ok());
  EXPECT_EQ(old->artifact.binary, "small");
  EXPECT_THAT(names, testing::ElementsAre("b"));
}

}  // namespace quern
