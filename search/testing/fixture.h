// What tests of programs and rules share.
#ifndef QUERN_SEARCH_TESTING_FIXTURE_H_
#define QUERN_SEARCH_TESTING_FIXTURE_H_

#include <memory>
#include <string>
#include <vector>

#include "bundle/tensor.h"
#include "frontend/context.h"
#include "frontend/spec.h"
#include "gtest/gtest.h"
#include "ir/program/program.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "search/trace.h"

namespace quern::search {

class ProgramFixture : public ::testing::Test {
 protected:
  ProgramFixture();

  // Sets the spec and its naive program.
  void Load(const std::string& stablehlo, const std::string& target = "x86_64");
  // The actions are one line of JSON each; fails the test if one is dropped.
  mlir::OwningOpRef<mlir::ModuleOp> Apply(const std::vector<std::string>& actions);

  // Outputs on small integers, or halves, that seed 0, 1, ... determines; fails on an error.
  std::vector<Tensor> Run(mlir::ModuleOp module, uint64_t seed = 0);
  // Execute's error, or empty.
  std::string RunError(mlir::ModuleOp module);
  // Fails unless the program computes what the naive one does, on a few seeds. With integers, sums
  // in any order are exact, so equality is bit by bit.
  void ExpectSameAsNaive(mlir::ModuleOp module);
  bool SameAsNaive(mlir::ModuleOp module, uint64_t seed);

  static program::ProgramOp ProgramOf(mlir::ModuleOp module);
  // "i0.o 32 grid_x, i0.i 16 vector": names, extents and mappings, in program order.
  std::string LoopsOf(mlir::ModuleOp module, const std::string& kernel);

  std::unique_ptr<mlir::MLIRContext> context_;
  frontend::Spec spec_;
  mlir::OwningOpRef<mlir::ModuleOp> naive_;

 private:
  std::vector<Tensor> Inputs(uint64_t seed);
};

// Modules of the examples' kinds with extents of one's choice.
std::string MatmulSpec(int64_t m, int64_t n, int64_t k);
std::string MatmulBiasReluSpec(int64_t m, int64_t n, int64_t k);
std::string RowSumSpec(int64_t m, int64_t n);
std::string TransposeAddSpec(int64_t m, int64_t n);
std::string AddReluSpec(int64_t m, int64_t n);

}  // namespace quern::search

#endif  // QUERN_SEARCH_TESTING_FIXTURE_H_
