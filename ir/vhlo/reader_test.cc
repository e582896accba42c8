// Bytecode put together by hand: what a small file reads as, and what is refused.
#include "ir/vhlo/reader.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/vhlo/container.h"
#include "ir/vhlo/ops.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"

namespace quern::vhlo {

using testing::HasSubstr;

static std::string Varint(uint64_t value) {
  std::string bytes;
  if (value < 128) return {static_cast<char>(value << 1 | 1)};
  bytes = '\0';  // eight bytes follow
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

static std::string Section(char id, const std::string& data) {
  return std::string(1, id) + Varint(data.size()) + data;
}

// The parts of a file of format 6, each of which a test may replace. As it stands: a module with
// one function of no arguments and results, whose body is empty but for its return.
struct File {
  std::string producer = "StableHLO_v1.20.0";
  uint64_t format = 6;
  std::vector<std::string> strings = {"builtin",   "vhlo", "module", "func_v1",
                                      "return_v1", "main", ""};
  // Attributes and types: dialect (0 builtin, 1 vhlo) and contents.
  std::vector<std::pair<int, std::string>> attributes = {
      {0, Varint(15)},              // 0: unknown location
      {1, Varint(1) + Varint(0)},   // 1: []
      {1, Varint(14) + Varint(5)},  // 2: "main"
      {1, Varint(14) + Varint(6)},  // 3: ""
      {1, Varint(17) + Varint(0)},  // 4: type 0
  };
  std::vector<std::pair<int, std::string>> types = {
      {1, Varint(8) + Varint(0) + Varint(0)},  // 0: () -> ()
  };
  std::vector<std::string> properties = {
      Varint(0) + Varint(0),                                      // the module's
      Varint(1) + Varint(4) + Varint(1) + Varint(2) + Varint(3),  // the function's
  };
  // An op: name, mask, location and what the mask says.
  std::string body = Op(2, 0, "");
  std::string function_region() const {
    return Varint(1) + Varint(0) + Varint(body_ops << 1) + body;
  }
  uint64_t body_ops = 1;

  static std::string Op(uint64_t name, char mask, const std::string& rest) {
    return Varint(name) + mask + Varint(0) + rest;
  }

  std::string Entries(const std::vector<std::pair<int, std::string>>& entries) const {
    std::string table;
    for (const auto& [dialect, data] : entries)
      table += Varint(dialect) + Varint(1) + Varint(data.size() << 1 | 1);
    return table;
  }

  std::string Bytes() const {
    std::string names, sizes, data, props;
    for (const std::string& string : strings) names += string + '\0';
    for (size_t i = strings.size(); i-- > 0;) sizes += Varint(strings[i].size() + 1);
    for (const auto* entries : {&attributes, &types}) {
      for (const auto& entry : *entries) data += entry.second;
    }
    for (const std::string& p : properties) props += Varint(p.size()) + p;
    const std::string dialects = Varint(2) + Varint(0 << 1) + Varint(1 << 1) + Varint(3) +
                                 Varint(0) + Varint(1) + Varint(2 << 1 | 1) +  // builtin.module
                                 Varint(1) + Varint(2) + Varint(3 << 1 | 1) + Varint(4 << 1 | 1);
    // A function in a module, each an isolated region in its own section.
    const std::string function =
        Op(1, 64 | 16, Varint(1) + Varint(1 << 1 | 1)) + Section(4, function_region());
    const std::string module = Op(0, 64 | 16, Varint(0) + Varint(1 << 1 | 1)) +
                               Section(4, Varint(1) + Varint(0) + Varint(1 << 1) + function);
    return "ML\xefR" + Varint(format) + producer + '\0' +
           Section(0, Varint(strings.size()) + sizes + names) + Section(1, dialects) +
           Section(2, data) +
           Section(3, Varint(attributes.size()) + Varint(types.size()) + Entries(attributes) +
                          Entries(types)) +
           Section(4, Varint(1 << 1) + module) + Section(8, Varint(properties.size()) + props);
  }
};

class ReaderTest : public testing::Test {
 protected:
  ReaderTest() : context_(mlir::MLIRContext::Threading::DISABLED) {
    context_.loadDialect<mlir::func::FuncDialect>();
  }

  mlir::OwningOpRef<mlir::ModuleOp> Read(const std::string& bytes) {
    error_.clear();
    mlir::ScopedDiagnosticHandler handler(&context_, [&](mlir::Diagnostic& diagnostic) {
      if (error_.empty()) error_ = diagnostic.str();
      return mlir::success();
    });
    return ReadPortable(bytes, context_);
  }

  std::string ErrorOf(const std::string& bytes) {
    auto module = Read(bytes);
    EXPECT_FALSE(module);
    return error_;
  }

  mlir::MLIRContext context_;
  std::string error_;
};

TEST_F(ReaderTest, SmallFile) {
  auto module = Read(File().Bytes());
  ASSERT_TRUE(module) << error_;
  auto function = module->lookupSymbol<mlir::func::FuncOp>("main");
  ASSERT_TRUE(function);
  EXPECT_TRUE(llvm::isa<mlir::func::ReturnOp>(function.getBody().front().front()));
  EXPECT_FALSE(function.getArgAttrsAttr());
}

TEST_F(ReaderTest, TableIsComplete) { EXPECT_EQ(CountOps(), 145u); }

TEST_F(ReaderTest, FutureOpNamesItsVersion) {
  File file;
  file.producer = "StableHLO_v1.40.0";
  file.strings[4] = "return_v9";
  EXPECT_EQ(ErrorOf(file.Bytes()),
            "unsupported op vhlo.return_v9 of StableHLO 1.40; quern reads versions up to 1.20, so "
            "write the file for one of those");
}

TEST_F(ReaderTest, FutureMajorVersion) {
  File file;
  file.producer = "StableHLO_v2.0.0";
  EXPECT_THAT(ErrorOf(file.Bytes()),
              HasSubstr("of StableHLO 2.0, and quern reads versions up to 1.20"));
}

TEST_F(ReaderTest, NewerMinorVersionOfKnownOps) {
  File file;
  file.producer = "StableHLO_v1.21.0";
  EXPECT_TRUE(Read(file.Bytes())) << error_;
}

TEST_F(ReaderTest, OpOfAnotherVersion) {
  File file;
  file.strings[4] = "tan_v2";
  file.producer = "StableHLO_v1.2.0";
  EXPECT_EQ(ErrorOf(file.Bytes()), "vhlo.tan_v2 is not of StableHLO 1.2");
}

TEST_F(ReaderTest, ForeignDialectAndProducer) {
  File file;
  file.producer = "MLIR22.1.8";
  file.strings[1] = "arith";
  EXPECT_THAT(ErrorOf(file.Bytes()), HasSubstr("unsupported op arith.func_v1 in bytecode"));
  file = File();
  file.strings[0] = "mhlo";
  EXPECT_THAT(ErrorOf(file.Bytes()), HasSubstr("location is malformed"));
}

TEST_F(ReaderTest, NewerFormat) {
  File file;
  file.format = 7;
  EXPECT_THAT(ErrorOf(file.Bytes()), HasSubstr("bytecode format is newer than 6"));
}

TEST_F(ReaderTest, OpWithoutCounterpart) {
  File file;
  file.strings[4] = "create_token_v1";
  EXPECT_EQ(ErrorOf(file.Bytes()), "unsupported op stablehlo.create_token");
}

TEST_F(ReaderTest, MissingAndSurplusProperties) {
  File file;
  file.properties[1].resize(file.properties[1].size() - 1);
  EXPECT_EQ(ErrorOf(file.Bytes()), "vhlo.func_v1 lacks its property sym_visibility");
  file.properties[1] = File().properties[1] + Varint(3);
  EXPECT_EQ(ErrorOf(file.Bytes()), "vhlo.func_v1 has more properties than quern knows");
  file.properties[1] = Varint(1) + Varint(1) + Varint(1) + Varint(2) + Varint(3);
  EXPECT_EQ(ErrorOf(file.Bytes()), "vhlo.func: property function_type is malformed");
}

TEST_F(ReaderTest, AttributesThatHoldThemselves) {
  File file;
  file.attributes[1].second = Varint(1) + Varint(1) + Varint(1);  // 1: [1]
  EXPECT_THAT(ErrorOf(file.Bytes()), HasSubstr("hold themselves"));
  file.types[0].second = Varint(23) + Varint(1) + Varint(0);  // a tuple of itself
  file.attributes[1] = File().attributes[1];
  EXPECT_THAT(ErrorOf(file.Bytes()), HasSubstr("hold themselves"));
}

// 60 arrays, each of the next one twice.
TEST_F(ReaderTest, AttributesThatUnfoldWithoutEnd) {
  File file;
  file.attributes[1].second = Varint(1) + Varint(2) + Varint(5) + Varint(5);
  for (int i = 5; i < 60; ++i)
    file.attributes.emplace_back(1, Varint(1) + Varint(2) + Varint(i + 1) + Varint(i + 1));
  file.attributes.emplace_back(1, Varint(1) + Varint(0));
  EXPECT_THAT(ErrorOf(file.Bytes()), HasSubstr("too large"));
}

TEST_F(ReaderTest, CountsBeyondTheFile) {
  const uint64_t kHuge = uint64_t{1} << 62;
  File file;
  file.body_ops = kHuge >> 1;
  EXPECT_THAT(ErrorOf(file.Bytes()), HasSubstr("malformed bytecode at byte"));
  file = File();
  file.attributes[1].second = Varint(1) + Varint(kHuge);
  EXPECT_THAT(ErrorOf(file.Bytes()), HasSubstr("malformed bytecode at byte"));
  for (char mask : {2, 4, 16, 32}) {
    file = File();
    file.body = File::Op(2, mask, Varint(kHuge));
    EXPECT_THAT(ErrorOf(file.Bytes()), HasSubstr("malformed bytecode at byte"));
  }
}

TEST_F(ReaderTest, HugeShapes) {
  File file;
  // tensor<2^62 x 4 x f32> of a splat: more elements than an int64 counts.
  const std::string extents = Varint(2) + Varint(uint64_t{1} << 63) + Varint(8);
  file.types.emplace_back(1, Varint(4));
  file.types.emplace_back(1, Varint(20) + extents + Varint(1));
  file.attributes[1].second = Varint(15) + Varint(2) + Varint(4) + std::string(4, '\0');
  EXPECT_THAT(ErrorOf(file.Bytes()), HasSubstr("has no fixed size"));
}

TEST_F(ReaderTest, UndefinedValues) {
  File file;
  file.body = File::Op(2, 4, Varint(1) + Varint(0));
  EXPECT_THAT(ErrorOf(file.Bytes()), HasSubstr("used before it is defined"));
}

TEST_F(ReaderTest, EveryPrefixAndEveryByteAreRefusedOrRead) {
  const std::string bytes = File().Bytes();
  for (size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_FALSE(Read(bytes.substr(0, i))) << i;
    EXPECT_NE(error_, "");
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      EXPECT_TRUE(Read(changed) || !error_.empty());
    }
  }
}

}  // namespace quern::vhlo
