#include "ir/vhlo/jax_export.h"

#include <string>

#include "gtest/gtest.h"

namespace quern::vhlo {

static void Put(std::string& bytes, size_t at, uint64_t value, int width) {
  if (bytes.size() < at + width) bytes.resize(at + width);
  for (int i = 0; i < width; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
}

// A table of 19 slots at byte 64, its vtable at 8, and a module of 8 bytes at 128.
static std::string Artifact(uint32_t devices) {
  std::string bytes;
  Put(bytes, 0, 64, 4);
  Put(bytes, 8, 4 + 2 * 19, 2);
  Put(bytes, 8 + 4 + 2 * 13, 4, 2);
  Put(bytes, 8 + 4 + 2 * 18, 8, 2);
  Put(bytes, 64, 64 - 8, 4);
  Put(bytes, 68, 128 - 68, 4);
  Put(bytes, 72, devices, 4);
  Put(bytes, 128, 8, 4);
  return bytes + "ML\xefR1234";
}

TEST(JaxExportTest, FindsModuleAndDevices) {
  const std::string bytes = Artifact(1);
  std::optional<JaxExport> found = FindJaxExport(bytes);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->module, "ML\xefR1234");
  EXPECT_EQ(found->devices, 1u);
  EXPECT_EQ(FindJaxExport(Artifact(8))->devices, 8u);
}

TEST(JaxExportTest, OtherFilesAreNone) {
  EXPECT_FALSE(FindJaxExport(""));
  EXPECT_FALSE(FindJaxExport("func.func @main() { return }"));
  EXPECT_FALSE(FindJaxExport(std::string(1000, '\0')));
  EXPECT_FALSE(FindJaxExport(std::string(1000, '\xff')));
  std::string other = Artifact(1);
  other[128 + 4] = 'X';
  EXPECT_FALSE(FindJaxExport(other));
}

TEST(JaxExportTest, OffsetsStayInside) {
  const std::string bytes = Artifact(1);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(FindJaxExport(bytes.substr(0, size)));
  for (size_t i = 0; i + 4 <= bytes.size(); ++i) {
    for (uint64_t value : {0xffffffffu, 0x7fffffffu, 0x80000000u, 64u}) {
      std::string changed = bytes;
      Put(changed, i, value, 4);
      if (std::optional<JaxExport> found = FindJaxExport(changed)) {
        EXPECT_GE(found->module.data(), changed.data());
        EXPECT_LE(found->module.data() + found->module.size(), changed.data() + changed.size());
      }
    }
  }
}

}  // namespace quern::vhlo
