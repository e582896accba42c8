// The class behind reader.h; its parts are in reader.cc, read_ops.cc and read_regions.cc.
#ifndef QUERN_VERIFIER_SPEC_SPEC_READER_H_
#define QUERN_VERIFIER_SPEC_SPEC_READER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/stablehlo/stablehlo.h"
#include "ir/stablehlo/window.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "verifier/spec/graph.h"

namespace quern::verifier {

class SpecReader {
 public:
  explicit SpecReader(mlir::ModuleOp module) : symbols_(module) {}

  absl::StatusOr<SpecGraph> Read(mlir::func::FuncOp main);

  static absl::Status Error(mlir::Operation& op, const std::string& message);

 private:
  using Scope = llvm::DenseMap<mlir::Value, int>;

  absl::StatusOr<int> Add(mlir::Operation& op, SpecNode node);
  absl::StatusOr<TensorType> TypeOf(mlir::Operation& op, mlir::Value value);
  std::vector<int> Operands(mlir::Operation& op, const Scope& scope);
  // The values that the block returns.
  absl::StatusOr<std::vector<int>> ReadBlock(mlir::Block& block, Scope& scope, int calls);
  absl::Status ReadOp(mlir::Operation& op, Scope& scope, int calls);
  absl::Status ReadCall(mlir::Operation& call, llvm::StringRef name, Scope& scope, int calls);

  // The op and its attributes.
  absl::StatusOr<SpecNode> ReadNode(mlir::Operation& op);
  static std::vector<SpecWindow> ToWindow(const quern::stablehlo::Window& window);
  static void ReadConvolution(quern::stablehlo::ConvolutionOp op, SpecNode* node);
  absl::StatusOr<SpecNode> ReadConstant(quern::stablehlo::ConstantOp op);
  absl::StatusOr<int> AddConstant(mlir::Operation& op, ElementType type, double value);
  absl::StatusOr<int> AddNode(mlir::Operation& op, SpecOp kind, TensorType type,
                              std::vector<int> operands);
  absl::StatusOr<int> ReadBatchNorm(quern::stablehlo::BatchNormInferenceOp op, const Scope& scope);

  absl::StatusOr<std::shared_ptr<const SpecBody>> ReadBody(mlir::Region& region, Scope& scope,
                                                           int calls);
  absl::Status Promote(mlir::Operation& op, mlir::Block& body, std::vector<int>* operands);
  // false: no such op.
  absl::StatusOr<bool> ReadRegions(mlir::Operation& op, Scope& scope, int calls);
  absl::Status ReadBranches(mlir::Operation& op, Scope& scope, int calls);

  mlir::SymbolTable symbols_;
  SpecGraph graph_;
  bool in_body_ = false;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SPEC_SPEC_READER_H_
