#include "bundle/npy.h"

#include <cstring>
#include <limits>
#include <random>

#include "bundle/file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern {

using testing::HasSubstr;

static std::string Path(const std::string& name) { return testing::TempDir() + "/" + name; }

// A version 1.0 file with this dictionary.
static std::string File(const std::string& header, const std::string& data) {
  std::string bytes = "\x93NUMPY";
  bytes += std::string("\x01\x00", 2);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header + data;
}

static absl::StatusOr<Tensor> Read(const std::string& bytes, const TensorType& expected) {
  const std::string path = Path("read.npy");
  EXPECT_TRUE(WriteFile(path, bytes).ok());
  return ReadNpy(path, expected);
}

static std::string Message(const absl::StatusOr<Tensor>& tensor) {
  EXPECT_TRUE(absl::IsInvalidArgument(tensor.status())) << tensor.status().ToString();
  return std::string(tensor.status().message());
}

TEST(NpyTest, EveryElementTypeAndRankRoundTrips) {
  std::mt19937 random(1);
  for (ElementType element : AllElementTypes()) {
    for (const std::vector<int64_t>& shape :
         {std::vector<int64_t>{}, {1}, {7}, {0}, {3, 0, 2}, {2, 3, 4, 1}}) {
      Tensor tensor = Tensor::Create({.element = element, .shape = shape}).value();
      for (int64_t i = 0; i < tensor.type().num_elements(); ++i) {
        tensor.Set(i, static_cast<double>(random() % 1000) / 8 - 50);
      }
      const std::string path = Path("round.npy");
      ASSERT_TRUE(WriteNpy(path, tensor).ok());
      absl::StatusOr<Tensor> read = ReadNpy(path, tensor.type());
      ASSERT_TRUE(read.ok()) << read.status().ToString();
      EXPECT_EQ(std::memcmp(read->data(), tensor.data(), tensor.type().num_bytes()), 0);
      const std::string bytes = ReadFile(path).value();
      EXPECT_EQ((bytes.size() - tensor.type().num_bytes()) % 64, 0);
    }
  }
}

TEST(NpyTest, ReadsWhatNumPyWrites) {
  const std::string one("\x00\x00\x80\x3f", 4);
  const TensorType f32{.shape = {1}};
  for (const char* header : {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }     \n",
                             "{\"shape\":(1,),\"descr\":\"<f4\",\"fortran_order\":False}",
                             "{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }"}) {
    absl::StatusOr<Tensor> tensor = Read(File(header, one), f32);
    ASSERT_TRUE(tensor.ok()) << tensor.status().ToString();
    EXPECT_EQ(tensor->At(0), 1);
  }
  std::string second = File("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", one);
  second[6] = 2;
  second.insert(10, 2, '\0');
  EXPECT_TRUE(Read(second, f32).ok());
  const TensorType bf16{.element = ElementType::kBF16, .shape = {2}};
  for (const char* descriptor : {"<V2", "|V2", "<u2"}) {
    EXPECT_TRUE(Read(File(std::string("{'descr': '") + descriptor +
                              "', 'fortran_order': False, 'shape': (2,), }",
                          one),
                     bf16)
                    .ok());
  }
}

TEST(NpyTest, MalformedHeadersAreErrors) {
  const std::string data(24, '\0');
  const TensorType type{.shape = {2, 3}};
  const char* good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  ASSERT_TRUE(Read(File(good, data), type).ok());
  for (const char* header :
       {"", "{", "{}", "[]", "{'descr': '<f4'}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)",
        "{'descr': <f4, 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f4, 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, -3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': [2, 3]}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 99999999999999999999)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'x': 1}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} x",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 3)}"}) {
    EXPECT_THAT(Message(Read(File(header, data), type)), HasSubstr("malformed header")) << header;
  }
  EXPECT_THAT(Message(Read("", type)), HasSubstr("not a .npy file"));
  EXPECT_THAT(Message(Read("\x93NUMPX\x01", type)), HasSubstr("not a .npy file"));
  std::string version = File(good, data);
  version[6] = 9;
  EXPECT_THAT(Message(Read(version, type)), HasSubstr("format version"));
  std::string long_header = File(good, data);
  long_header[6] = 2;
  long_header.replace(8, 4, "\xff\xff\xff\xff", 4);
  EXPECT_THAT(Message(Read(long_header, type)), HasSubstr("64 KiB"));
}

TEST(NpyTest, EveryCutIsAnError) {
  const std::string whole =
      File("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", std::string(8, '\0'));
  const TensorType type{.shape = {2}};
  ASSERT_TRUE(Read(whole, type).ok());
  for (size_t n = 0; n < whole.size(); ++n) Message(Read(whole.substr(0, n), type));
  EXPECT_THAT(Message(Read(whole + "x", type)), HasSubstr("has 9 bytes of data"));
}

TEST(NpyTest, AnotherTypeOrShapeIsAnError) {
  const std::string bytes =
      File("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 1), }", std::string(8, '\0'));
  EXPECT_THAT(Message(Read(bytes, {.shape = {2}})), HasSubstr("has shape [2,1], expected f32[2]"));
  EXPECT_THAT(Message(Read(bytes, {.element = ElementType::kI32, .shape = {2, 1}})),
              HasSubstr("has elements '<f4', expected i32[2,1]"));
  EXPECT_THAT(Message(Read(bytes, {.shape = {2, 1}})), HasSubstr("Fortran order"));
  EXPECT_THAT(
      Message(Read(File("{'descr': '|b1', 'fortran_order': False, 'shape': (1,), }", "\x02"),
                   {.element = ElementType::kBool, .shape = {1}})),
      HasSubstr("neither 0 nor 1"));
  EXPECT_THAT(
      Message(Read(File("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "0000"),
                   {.shape = {1}})),
      HasSubstr("'>f4'"));
}

TEST(NpyTest, NibblesMustFitUnlessTheyAreRawBytes) {
  auto read = [](const std::string& descriptor, const std::string& byte, ElementType element) {
    return Read(
        File("{'descr': '" + descriptor + "', 'fortran_order': False, 'shape': (1,), }", byte),
        {.element = element, .shape = {1}});
  };
  EXPECT_EQ(read("|i1", "\xf9", ElementType::kI4)->At(0), -7);
  EXPECT_EQ(read("|V1", "\x09", ElementType::kI4)->At(0), -7);
  EXPECT_EQ(read("|V1", "\xf9", ElementType::kUI4)->At(0), 9);
  EXPECT_THAT(Message(read("|i1", "\x09", ElementType::kI4)), HasSubstr("is no i4"));
  EXPECT_THAT(Message(read("|u1", "\x10", ElementType::kUI4)), HasSubstr("is no ui4"));
}

TEST(NpyTest, HugeClaimsAllocateNothing) {
  const std::string bytes =
      File("{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776, 1048576), }", "");
  EXPECT_THAT(Message(Read(bytes, {.shape = {2}})), HasSubstr("has shape"));
  const int64_t big = int64_t{1} << 40;
  EXPECT_THAT(Message(Read(bytes, {.shape = {big, 1 << 20}})), HasSubstr("has 0 bytes of data"));
  EXPECT_TRUE(absl::IsResourceExhausted(Read(bytes, {.shape = {big, big}}).status()));
}

TEST(NpyTest, PathsThatAreNoFiles) {
  EXPECT_TRUE(absl::IsNotFound(ReadNpy(Path("absent.npy"), {}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ReadNpy(testing::TempDir(), {}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ReadNpy("/dev/zero", {}).status()));
  const Tensor tensor = Tensor::Create({}).value();
  EXPECT_TRUE(absl::IsNotFound(WriteNpy(Path("no/such/folder.npy"), tensor)));
}

}  // namespace quern
