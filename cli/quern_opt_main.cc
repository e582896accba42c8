// quern-opt: mlir-opt with quern's dialects and passes, for tests and for looking at a program.
#include "frontend/simplify.h"
#include "ir/program/program.h"
#include "ir/stablehlo/check.h"
#include "ir/stablehlo/chlo.h"
#include "ir/stablehlo/stablehlo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char** argv) {
  mlir::DialectRegistry registry;
  registry
      .insert<mlir::func::FuncDialect, quern::stablehlo::StableHloDialect, quern::chlo::ChloDialect,
              quern::check::CheckDialect, quern::program::QuernDialect>();
  mlir::registerTransformsPasses();
  mlir::registerPass(quern::frontend::CreateSimplifyPass);
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "quern-opt\n", registry));
}
