#include "ir/program/program.h"

#include "gtest/gtest.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

namespace quern::program {
namespace {

constexpr char kRowSum[] = R"(
quern.program target "x86_64" {
  %in = quern.buffer "arg0" input 0 : !quern.buffer<[8, 16] x f32, global>
  %out = quern.buffer "out0" output 0 : !quern.buffer<[8] x f32, global>
  %t = quern.buffer "t0" temporary -1 layout <[1, 4, 4, 0, 1, 8, 1, 1, 4]> : !quern.buffer<[8, 16] x f32, global>
  quern.kernel "k0" {
    quern.loop "i" %i to 8 grid_x {
      %acc = quern.alloc "acc" : !quern.buffer<[] x f32, register>
      %zero = arith.constant 0.0 : f32
      quern.store %zero, %acc[affine_map<() -> ()>]() : f32, !quern.buffer<[] x f32, register>
      quern.loop "j" %j to 16 serial {
        quern.guard affine_set<(d0) : (15 - d0 >= 0)>(%j) {
          %x = quern.load %in[affine_map<(d0, d1) -> (d0, d1)>](%i, %j) : !quern.buffer<[8, 16] x f32, global> -> f32
          %a = quern.load %acc[affine_map<() -> ()>]() : !quern.buffer<[] x f32, register> -> f32
          %s = arith.addf %a, %x : f32
          quern.store %s, %acc[affine_map<() -> ()>]() : f32, !quern.buffer<[] x f32, register>
        }
      }
      %r = quern.load %acc[affine_map<() -> ()>]() : !quern.buffer<[] x f32, register> -> f32
      quern.store %r, %out[affine_map<(d0) -> (d0)>](%i) : f32, !quern.buffer<[8] x f32, global>
    }
  }
}
)";

class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest() { context_.loadDialect<QuernDialect>(); }
  mlir::OwningOpRef<mlir::ModuleOp> Parse(llvm::StringRef text) {
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
  }
  // The first diagnostic of parsing `text`.
  std::string Error(llvm::StringRef text) {
    std::string error;
    mlir::ScopedDiagnosticHandler handler(&context_, [&](mlir::Diagnostic& diagnostic) {
      if (error.empty()) error = diagnostic.str();
      return mlir::success();
    });
    EXPECT_FALSE(Parse(text));
    return error;
  }
  mlir::MLIRContext context_;
};

TEST_F(ProgramTest, PrintsWhatItParses) {
  mlir::OwningOpRef<mlir::ModuleOp> module = Parse(kRowSum);
  ASSERT_TRUE(module);
  std::string once, twice;
  llvm::raw_string_ostream(once) << *module;
  mlir::OwningOpRef<mlir::ModuleOp> again = Parse(once);
  ASSERT_TRUE(again) << once;
  llvm::raw_string_ostream(twice) << *again;
  EXPECT_EQ(once, twice);
}

TEST_F(ProgramTest, LayoutsConvert) {
  Layout layout{{{1, 4, 4}, {0, 1, 8}, {1, 1, 4}}};
  EXPECT_EQ(ToLayout(FromLayout(&context_, layout)), layout);
  EXPECT_TRUE(ToLayout({}).row_major());
}

TEST_F(ProgramTest, RejectsALayoutThatSkipsElements) {
  EXPECT_EQ(Error(R"(quern.program target "x86_64" {
    %t = quern.buffer "t" temporary -1 layout <[0, 1, 4]> : !quern.buffer<[8] x f32, global>
  })"),
            "'quern.buffer' op layout does not number its shape");
}

TEST_F(ProgramTest, RejectsTwoLoopsOfOneName) {
  EXPECT_EQ(Error(R"(quern.program target "x86_64" {
    quern.kernel "k" { quern.loop "i" %i to 2 serial { quern.loop "i" %j to 2 serial { } } }
  })"),
            "'quern.loop' op name 'i' is taken");
}

TEST_F(ProgramTest, RejectsAnUnknownMapping) {
  EXPECT_EQ(Error(R"(quern.program target "x86_64" {
    quern.kernel "k" { quern.loop "i" %i to 2 sideways { } }
  })"),
            "custom op 'quern.loop' no such mapping: sideways");
}

}  // namespace
}  // namespace quern::program
