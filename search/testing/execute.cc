#include "search/testing/execute.h"

#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "bundle/layout.h"
#include "bundle/status.h"
#include "ir/program/program.h"
#include "ir/stablehlo/constant.h"
#include "ir/stablehlo/stablehlo.h"
#include "search/nest.h"
#include "search/testing/scalars.h"

namespace quern::search {

namespace {

struct Storage {
  std::vector<std::optional<Scalar>> elements;
  std::vector<int64_t> shape;
  Layout layout;
};

class Executor {
 public:
  absl::StatusOr<std::vector<Tensor>> Run(program::ProgramOp program,
                                          const std::vector<Tensor>& inputs) {
    std::vector<Tensor> outputs;
    for (program::BufferOp buffer : program.getBody().front().getOps<program::BufferOp>()) {
      Storage& storage = Make(buffer.getBuffer(), program::ToLayout(buffer.getLayoutAttr()));
      if (mlir::ElementsAttr contents = buffer.getContentsAttr()) {
        QUERN_ASSIGN_OR_RETURN(Tensor constant, stablehlo::ToTensor(contents));
        for (size_t i = 0; i < storage.elements.size(); ++i) {
          storage.elements[i] = ScalarAt(constant, static_cast<int64_t>(i));
        }
      }
      if (buffer.getRole() != program::Role::Input) continue;
      const Tensor& input = inputs[buffer.getPosition()];
      for (size_t i = 0; i < storage.elements.size(); ++i) storage.elements[i] = ScalarAt(input, i);
    }
    for (program::KernelOp kernel : Kernels(program)) {
      QUERN_RETURN_IF_ERROR(RunBlock(kernel.getBody().front()));
    }
    for (program::BufferOp buffer : program.getBody().front().getOps<program::BufferOp>()) {
      if (buffer.getRole() != program::Role::Output) continue;
      QUERN_ASSIGN_OR_RETURN(Tensor output, Read(buffer));
      if (static_cast<size_t>(buffer.getPosition()) >= outputs.size()) {
        outputs.resize(buffer.getPosition() + 1);
      }
      outputs[buffer.getPosition()] = std::move(output);
    }
    return outputs;
  }

 private:
  Storage& Make(mlir::Value buffer, Layout layout) {
    auto type = llvm::cast<program::BufferType>(buffer.getType());
    Storage& storage = storage_[buffer];
    storage = {.shape = type.getShape().vec(), .layout = std::move(layout)};
    storage.elements.resize(PhysicalElements(storage.layout, storage.shape));
    return storage;
  }

  absl::StatusOr<Tensor> Read(program::BufferOp buffer) {
    const Storage& storage = storage_[buffer.getBuffer()];
    const TensorType type{
        .element = *stablehlo::ToElementType(buffer.getBuffer().getType().getElement()),
        .shape = storage.shape};
    QUERN_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Create(type));
    for (size_t i = 0; i < storage.elements.size(); ++i) {
      if (!storage.elements[i]) {
        return absl::InvalidArgumentError(
            absl::StrCat(buffer.getName().str(), ": element ", i, " is not written"));
      }
      SetScalar(tensor, i, *storage.elements[i]);
    }
    return tensor;
  }

  std::vector<int64_t> Values(llvm::ArrayRef<mlir::AffineExpr> expressions,
                              mlir::OperandRange counters) {
    llvm::SmallVector<mlir::Attribute> values;
    mlir::Builder builder(expressions.empty() ? nullptr : expressions.front().getContext());
    for (mlir::Value counter : counters) {
      values.push_back(builder.getIndexAttr(static_cast<int64_t>(scalars_[counter].bits)));
    }
    std::vector<int64_t> results;
    for (mlir::AffineExpr expression : expressions) {
      llvm::SmallVector<mlir::Attribute> folded;
      auto map = mlir::AffineMap::get(counters.size(), 0, expression);
      (void)map.constantFold(values, folded);
      results.push_back(llvm::cast<mlir::IntegerAttr>(folded[0]).getInt());
    }
    return results;
  }

  absl::StatusOr<std::optional<Scalar>*> Element(mlir::Operation* access) {
    Storage& storage = storage_[BufferOf(access)];
    std::vector<int64_t> index = Values(MapOf(access).getResults(), CountersOf(access));
    for (size_t i = 0; i < index.size(); ++i) {
      if (index[i] < 0 || index[i] >= storage.shape[i]) {
        return absl::InvalidArgumentError(absl::StrCat("index ", index[i], " of dimension ", i,
                                                       " is outside ", storage.shape[i]));
      }
    }
    return &storage.elements[PhysicalOffset(storage.layout, storage.shape, index)];
  }

  absl::Status RunBlock(mlir::Block& block) {
    for (mlir::Operation& op : block) QUERN_RETURN_IF_ERROR(RunOp(&op));
    return absl::OkStatus();
  }

  absl::Status RunOp(mlir::Operation* op) {
    if (auto loop = llvm::dyn_cast<program::LoopOp>(op)) {
      for (uint64_t i = 0; i < loop.getExtent(); ++i) {
        scalars_[loop.counter()] = {.bits = i};
        QUERN_RETURN_IF_ERROR(RunBlock(loop.block()));
      }
      return absl::OkStatus();
    }
    if (auto guard = llvm::dyn_cast<program::GuardOp>(op)) {
      std::vector<int64_t> sides =
          Values(guard.getCondition().getConstraints(), guard.getCounters());
      for (size_t i = 0; i < sides.size(); ++i) {
        if (guard.getCondition().isEq(i) ? sides[i] != 0 : sides[i] < 0) return absl::OkStatus();
      }
      return RunBlock(guard.getBody().front());
    }
    if (auto alloc = llvm::dyn_cast<program::AllocOp>(op)) {
      Make(alloc.getBuffer(), {});
      return absl::OkStatus();
    }
    if (auto load = llvm::dyn_cast<program::LoadOp>(op)) {
      QUERN_ASSIGN_OR_RETURN(std::optional<Scalar> * element, Element(op));
      if (!*element) return absl::InvalidArgumentError("read of an element that nothing wrote");
      scalars_[load.getValue()] = **element;
      return absl::OkStatus();
    }
    if (auto store = llvm::dyn_cast<program::StoreOp>(op)) {
      QUERN_ASSIGN_OR_RETURN(std::optional<Scalar> * element, Element(op));
      *element = scalars_[store.getValue()];
      return absl::OkStatus();
    }
    return RunScalar(op);
  }

  absl::Status RunScalar(mlir::Operation* op) {
    llvm::SmallVector<Scalar> operands;
    for (mlir::Value operand : op->getOperands()) operands.push_back(scalars_[operand]);
    QUERN_ASSIGN_OR_RETURN(scalars_[op->getResult(0)], Evaluate(op, operands));
    return absl::OkStatus();
  }

  llvm::DenseMap<mlir::Value, Storage> storage_;
  llvm::DenseMap<mlir::Value, Scalar> scalars_;
};

}  // namespace

absl::StatusOr<std::vector<Tensor>> Execute(mlir::ModuleOp module,
                                            const std::vector<Tensor>& inputs) {
  return Executor().Run(FindProgram(module), inputs);
}

}  // namespace quern::search
