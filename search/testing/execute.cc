#include "search/testing/execute.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "bundle/layout.h"
#include "bundle/status.h"
#include "ir/program/program.h"
#include "llvm/ADT/TypeSwitch.h"
#include "search/nest.h"

namespace quern::search {

namespace arith = mlir::arith;
namespace math = mlir::math;

// Rounds to what the type can hold. Scalars of all types are kept as doubles: exact for each of
// them.
static double Round(double value, mlir::Type type) {
  if (type.isF32()) return static_cast<float>(value);
  if (type.isBF16()) return BF16ToF32(F32ToBF16(static_cast<float>(value)));
  if (type.isInteger(1)) return static_cast<int64_t>(value) & 1;
  if (type.isInteger(32)) {
    return static_cast<int32_t>(static_cast<uint32_t>(static_cast<int64_t>(value)));
  }
  return value;
}

namespace {

struct Storage {
  std::vector<std::optional<double>> elements;
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
      if (buffer.getRole() != program::Role::Input) continue;
      const Tensor& input = inputs[buffer.getPosition()];
      for (size_t i = 0; i < storage.elements.size(); ++i) storage.elements[i] = input.At(i);
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
    mlir::Type element = buffer.getBuffer().getType().getElement();
    TensorType type{.element = element.isF32()         ? ElementType::kF32
                               : element.isBF16()      ? ElementType::kBF16
                               : element.isInteger(32) ? ElementType::kI32
                                                       : ElementType::kBool,
                    .shape = storage.shape};
    QUERN_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Create(type));
    for (size_t i = 0; i < storage.elements.size(); ++i) {
      if (!storage.elements[i]) {
        return absl::InvalidArgumentError(
            absl::StrCat(buffer.getName().str(), ": element ", i, " is not written"));
      }
      tensor.Set(i, *storage.elements[i]);
    }
    return tensor;
  }

  std::vector<int64_t> Evaluate(llvm::ArrayRef<mlir::AffineExpr> expressions,
                                mlir::OperandRange counters) {
    llvm::SmallVector<mlir::Attribute> values;
    mlir::Builder builder(expressions.empty() ? nullptr : expressions.front().getContext());
    for (mlir::Value counter : counters) {
      values.push_back(builder.getIndexAttr(static_cast<int64_t>(scalars_[counter])));
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

  absl::StatusOr<std::optional<double>*> Element(mlir::Operation* access) {
    Storage& storage = storage_[BufferOf(access)];
    std::vector<int64_t> index = Evaluate(MapOf(access).getResults(), CountersOf(access));
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
        scalars_[loop.counter()] = i;
        QUERN_RETURN_IF_ERROR(RunBlock(loop.block()));
      }
      return absl::OkStatus();
    }
    if (auto guard = llvm::dyn_cast<program::GuardOp>(op)) {
      std::vector<int64_t> sides =
          Evaluate(guard.getCondition().getConstraints(), guard.getCounters());
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
      QUERN_ASSIGN_OR_RETURN(std::optional<double> * element, Element(op));
      if (!*element) return absl::InvalidArgumentError("read of an element that nothing wrote");
      scalars_[load.getValue()] = **element;
      return absl::OkStatus();
    }
    if (auto store = llvm::dyn_cast<program::StoreOp>(op)) {
      QUERN_ASSIGN_OR_RETURN(std::optional<double> * element, Element(op));
      *element = scalars_[store.getValue()];
      return absl::OkStatus();
    }
    return Scalar(op);
  }

  absl::Status Scalar(mlir::Operation* op) {
    std::vector<double> x;
    for (mlir::Value operand : op->getOperands()) x.push_back(scalars_[operand]);
    std::optional<double> value =
        llvm::TypeSwitch<mlir::Operation*, std::optional<double>>(op)
            .Case<arith::ConstantOp>([](arith::ConstantOp constant) {
              if (auto f = llvm::dyn_cast<mlir::FloatAttr>(constant.getValue())) {
                return f.getValueAsDouble();
              }
              auto i = llvm::cast<mlir::IntegerAttr>(constant.getValue());
              return i.getType().isInteger(1) ? static_cast<double>(i.getValue().getZExtValue())
                                              : static_cast<double>(i.getValue().getSExtValue());
            })
            .Case<arith::AddFOp, arith::AddIOp>([&](auto) { return x[0] + x[1]; })
            .Case<arith::SubFOp, arith::SubIOp>([&](auto) { return x[0] - x[1]; })
            .Case<arith::MulFOp>([&](auto) { return x[0] * x[1]; })
            .Case<arith::MulIOp>([&](auto) {
              return static_cast<double>(static_cast<int32_t>(
                  static_cast<uint32_t>(static_cast<int64_t>(x[0]) * static_cast<int64_t>(x[1]))));
            })
            .Case<arith::DivFOp>([&](auto) { return x[0] / x[1]; })
            .Case<arith::DivSIOp, arith::DivUIOp>([&](auto) { return std::trunc(x[0] / x[1]); })
            .Case<arith::RemFOp, arith::RemSIOp, arith::RemUIOp>(
                [&](auto) { return std::fmod(x[0], x[1]); })
            .Case<arith::NegFOp>([&](auto) { return -x[0]; })
            .Case<arith::MaximumFOp, arith::MaxSIOp>([&](auto) {
              return std::isnan(x[0]) ? x[0] : std::isnan(x[1]) ? x[1] : std::max(x[0], x[1]);
            })
            .Case<arith::MinimumFOp, arith::MinSIOp>([&](auto) {
              return std::isnan(x[0]) ? x[0] : std::isnan(x[1]) ? x[1] : std::min(x[0], x[1]);
            })
            .Case<arith::AndIOp>([&](auto) { return Bits(x[0], x[1], std::bit_and<int64_t>()); })
            .Case<arith::OrIOp>([&](auto) { return Bits(x[0], x[1], std::bit_or<int64_t>()); })
            .Case<arith::XOrIOp>([&](auto) { return Bits(x[0], x[1], std::bit_xor<int64_t>()); })
            .Case<arith::SelectOp>([&](auto) { return x[0] != 0 ? x[1] : x[2]; })
            .Case<arith::CmpFOp>([&](arith::CmpFOp compare) {
              return Compare(x[0], x[1], arith::stringifyCmpFPredicate(compare.getPredicate()));
            })
            .Case<arith::CmpIOp>([&](arith::CmpIOp compare) {
              return Compare(x[0], x[1], arith::stringifyCmpIPredicate(compare.getPredicate()));
            })
            .Case<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp, arith::ExtUIOp,
                  arith::IndexCastOp>([&](auto) { return x[0]; })
            .Case<arith::FPToSIOp>([&](auto) { return std::trunc(x[0]); })
            .Case<math::FmaOp>([&](auto) {
              return static_cast<double>(std::fmaf(
                  static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2])));
            })
            .Case<math::AbsFOp, math::AbsIOp>([&](auto) { return std::fabs(x[0]); })
            .Case<math::ExpOp>([&](auto) { return std::exp(x[0]); })
            .Case<math::LogOp>([&](auto) { return std::log(x[0]); })
            .Case<math::SqrtOp>([&](auto) { return std::sqrt(x[0]); })
            .Case<math::RsqrtOp>([&](auto) { return 1 / std::sqrt(x[0]); })
            .Case<math::TanhOp>([&](auto) { return std::tanh(x[0]); })
            .Default(std::nullopt);
    if (!value) {
      return absl::InvalidArgumentError(
          absl::StrCat("unknown op ", op->getName().getStringRef().str()));
    }
    scalars_[op->getResult(0)] = Round(*value, op->getResult(0).getType());
    return absl::OkStatus();
  }

  template <typename F>
  static double Bits(double a, double b, F f) {
    return static_cast<double>(f(static_cast<int64_t>(a), static_cast<int64_t>(b)));
  }

  // By the letters of the predicate: "olt", "une", "sge", ...
  static std::optional<double> Compare(double a, double b, llvm::StringRef predicate) {
    bool unordered = std::isnan(a) || std::isnan(b);
    if (unordered) return predicate.starts_with("u") ? 1 : 0;
    if (predicate.ends_with("eq")) return a == b;
    if (predicate.ends_with("ne")) return a != b;
    if (predicate.ends_with("lt")) return a < b;
    if (predicate.ends_with("le")) return a <= b;
    if (predicate.ends_with("gt")) return a > b;
    if (predicate.ends_with("ge")) return a >= b;
    return std::nullopt;
  }

  llvm::DenseMap<mlir::Value, Storage> storage_;
  llvm::DenseMap<mlir::Value, double> scalars_;
};

}  // namespace

absl::StatusOr<std::vector<Tensor>> Execute(mlir::ModuleOp module,
                                            const std::vector<Tensor>& inputs) {
  return Executor().Run(FindProgram(module), inputs);
}

}  // namespace quern::search
