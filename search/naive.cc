#include "search/naive.h"

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "frontend/expand_complex.h"
#include "frontend/expand_random.h"
#include "frontend/holds.h"
#include "frontend/loops.h"
#include "frontend/source.h"
#include "ir/program/complex_buffer.h"
#include "ir/program/program.h"
#include "ir/stablehlo/stablehlo.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "search/naive_ops.h"
#include "search/naive_scalar.h"
#include "search/nest.h"

namespace quern::search {

namespace hlo = stablehlo;
using program::BufferOp;
using program::BufferType;
using program::KernelOp;
using program::LoopOp;
using program::Mapping;
using program::Role;
using program::Space;

using Buffers = llvm::DenseMap<mlir::Value, mlir::Value>;

static constexpr int64_t kThreads = 256;  // of a GPU block

namespace {

class Builder {
 public:
  Builder(const frontend::Spec& spec, std::string_view target)
      : spec_(spec), builder_(spec.module.get().getContext()), gpu_(target != "x86_64") {
    module_ = mlir::ModuleOp::create(builder_.getUnknownLoc());
    builder_.setInsertionPointToStart(module_->getBody());
    program_ = program::ProgramOp::create(builder_, builder_.getUnknownLoc(),
                                          llvm::StringRef(target.data(), target.size()));
    program_.getBody().emplaceBlock();
  }

  absl::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> Build() {
    mlir::Block& body = spec_.main().getBody().front();
    for (mlir::BlockArgument argument : body.getArguments()) {
      int64_t number = argument.getArgNumber();
      buffers_[argument] =
          MakeBuffer(absl::StrCat("arg", number), Role::Input, number, argument, "");
      MarkComplex(spec_.arguments[number], buffers_[argument]);
    }
    mlir::Operation* terminator = body.getTerminator();
    llvm::SmallVector<mlir::Value> outputs;
    for (auto [number, result] : llvm::enumerate(terminator->getOperands())) {
      outputs.push_back(MakeBuffer(absl::StrCat("out", number), Role::Output, number, result, ""));
      MarkComplex(spec_.results[number], outputs.back());
    }
    QUERN_RETURN_IF_ERROR(MakeTables());
    QUERN_RETURN_IF_ERROR(ComputeAll(body, terminator, outputs));
    for (auto [number, result] : llvm::enumerate(terminator->getOperands())) {
      if (written_.contains(outputs[number])) continue;
      Point point = OpenKernel(TensorOf(result).getShape());
      QUERN_ASSIGN_OR_RETURN(mlir::Value value, emit_.Read(result, point));
      emit_.Store(value, outputs[number], point);
    }
    if (mlir::failed(mlir::verify(*module_))) {
      return absl::InternalError("the naive program is not valid");
    }
    return std::move(module_);
  }

 private:
  // The ops of a block, except what is computed where it is used.
  absl::Status ComputeAll(mlir::Block& block, mlir::Operation* terminator,
                          llvm::ArrayRef<mlir::Value> outputs) {
    for (mlir::Operation& op : block.without_terminator()) {
      if (op.use_empty() || IsComputedWhereUsed(op.getResult(0))) continue;
      if (llvm::isa<hlo::IfOp, hlo::CaseOp>(op)) {
        for (mlir::Region& branch : op.getRegions()) {
          QUERN_RETURN_IF_ERROR(ComputeAll(branch.front(), terminator, outputs));
        }
      }
      llvm::SmallVector<mlir::Value> destinations;
      for (mlir::Value result : op.getResults()) {
        destinations.push_back(Destination(result, terminator, outputs));
      }
      if (llvm::isa<hlo::IfOp, hlo::CaseOp>(op)) {
        QUERN_RETURN_IF_ERROR(Choose(&op, destinations));
      } else {
        QUERN_RETURN_IF_ERROR(Compute(&op, destinations));
      }
    }
    return absl::OkStatus();
  }

  // All branches have been computed; a kernel for each result takes the elements of one.
  absl::Status Choose(mlir::Operation* op, llvm::ArrayRef<mlir::Value> destinations) {
    for (auto [number, destination] : llvm::enumerate(destinations)) {
      Point point = OpenKernel(TensorOf(op->getResult(number)).getShape());
      QUERN_ASSIGN_OR_RETURN(mlir::Value which, emit_.Read(op->getOperand(0), {}));
      mlir::Value chosen;
      for (unsigned branch = op->getNumRegions(); branch-- > 0;) {
        mlir::Operation* end = op->getRegion(branch).front().getTerminator();
        QUERN_ASSIGN_OR_RETURN(mlir::Value value, emit_.Read(end->getOperand(number), point));
        if (!chosen) {
          chosen = value;
          continue;
        }
        mlir::Value here = which;
        if (!which.getType().isInteger(1)) {
          here = mlir::arith::CmpIOp::create(builder_, builder_.getUnknownLoc(),
                                             mlir::arith::CmpIPredicate::eq, which,
                                             ScalarConstant(builder_, which.getType(), branch));
        }
        chosen =
            mlir::arith::SelectOp::create(builder_, builder_.getUnknownLoc(), here, value, chosen);
      }
      emit_.Store(chosen, destination, point);
    }
    return absl::OkStatus();
  }

  mlir::Value MakeBuffer(const std::string& name, Role role, int64_t position, mlir::Value value,
                         const std::string& holds, mlir::ElementsAttr contents = {}) {
    mlir::OpBuilder::InsertionGuard guard(builder_);
    mlir::Block& body = program_.getBody().front();
    auto kernels = body.getOps<KernelOp>();
    if (kernels.empty()) {
      builder_.setInsertionPointToEnd(&body);
    } else {
      builder_.setInsertionPoint(*kernels.begin());
    }
    auto type = BufferType::get(builder_.getContext(), TensorOf(value).getShape(),
                                TensorOf(value).getElementType(), Space::Global);
    return BufferOp::create(builder_, builder_.getUnknownLoc(), type, name, role, position,
                            program::LayoutAttr(),
                            holds.empty() ? mlir::StringAttr() : builder_.getStringAttr(holds),
                            contents)
        .getBuffer();
  }

  static void MarkComplex(const TensorType& type, mlir::Value buffer) {
    if (KindOf(type.element) != ElementKind::kComplex) return;
    mlir::Operation* op = buffer.getDefiningOp();
    op->setAttr(program::kComplexBuffer, mlir::UnitAttr::get(op->getContext()));
  }

  // A buffer for each constant that is too large to be code.
  absl::Status MakeTables() {
    absl::Status status;
    spec_.main().walk([&](hlo::ConstantOp constant) {
      if (constant.use_empty() || !IsTable(constant)) return mlir::WalkResult::advance();
      const int64_t count = TensorOf(constant.getOutput()).getNumElements();
      if (count > kMaxTable) {
        status = Unsupported(constant,
                             absl::StrCat("constant of ", count, " elements: at most ", kMaxTable,
                                          " are supported; pass it as an argument"));
        return mlir::WalkResult::interrupt();
      }
      buffers_[constant.getOutput()] = MakeBuffer(absl::StrCat("c", tables_++), Role::Constant, -1,
                                                  constant.getOutput(), "", constant.getValue());
      return mlir::WalkResult::advance();
    });
    return status;
  }

  // The output that alone uses `result`, or a temporary that others can read.
  mlir::Value Destination(mlir::Value result, mlir::Operation* terminator,
                          llvm::ArrayRef<mlir::Value> outputs) {
    if (result.hasOneUse() && *result.user_begin() == terminator) {
      mlir::Value output = outputs[result.use_begin()->getOperandNumber()];
      written_.insert(output);
      return output;
    }
    // What a branch computes is no part of the spec's main block, and an expression of the parts of
    // complex arguments is none of the arguments.
    const bool can_say = result.getParentBlock() == &spec_.main().getBody().front() &&
                         llvm::none_of(spec_.arguments, [](const TensorType& type) {
                           return KindOf(type.element) == ElementKind::kComplex;
                         });
    std::string holds = can_say ? frontend::SliceModule(spec_, result) : "";
    std::string name = absl::StrCat("t", temporaries_++);
    return buffers_[result] = MakeBuffer(name, Role::Temporary, -1, result, holds);
  }

  // Starts a kernel and its loops over a result; code goes on inside.
  Point OpenKernel(llvm::ArrayRef<int64_t> shape) {
    builder_.setInsertionPointToEnd(&program_.getBody().front());
    auto kernel =
        KernelOp::create(builder_, builder_.getUnknownLoc(), absl::StrCat("k", kernels_++));
    builder_.setInsertionPointToStart(&kernel.getBody().emplaceBlock());
    return gpu_ ? OpenThreads(shape) : emit_.OpenLoops("i", shape, {});
  }

  Point OpenThreads(llvm::ArrayRef<int64_t> shape) {
    int64_t count = 1;
    for (int64_t extent : shape) count *= extent;
    LoopOp block = CreateLoop(builder_, "b", (count + kThreads - 1) / kThreads, Mapping::GridX);
    builder_.setInsertionPointToEnd(&block.block());
    LoopOp lane = CreateLoop(builder_, "t", kThreads, Mapping::Lane);
    builder_.setInsertionPointToEnd(&lane.block());
    Point point{.counters = {block.counter(), lane.counter()}};
    mlir::AffineExpr linear = mlir::getAffineDimExpr(0, builder_.getContext()) * kThreads +
                              mlir::getAffineDimExpr(1, builder_.getContext());
    if (count % kThreads != 0) {
      auto guard =
          program::GuardOp::create(builder_, builder_.getUnknownLoc(), point.counters,
                                   mlir::IntegerSet::get(2, 0, {count - 1 - linear}, {false}));
      builder_.setInsertionPointToStart(&guard.getBody().emplaceBlock());
    }
    point.index = Delinearise(linear, shape);
    return point;
  }

  absl::Status Compute(mlir::Operation* op, llvm::ArrayRef<mlir::Value> destinations) {
    if (gpu_ && llvm::isa<hlo::TriangularSolveOp, hlo::CholeskyOp>(op)) {
      return Unsupported(op, "is not supported on a GPU: its elements depend on each other");
    }
    Point point = OpenKernel(TensorOf(op->getResult(0)).getShape());
    if (TensorOf(op->getResult(0)).getNumElements() == 0) return absl::OkStatus();
    for (auto* family :
         {EmitReduction, EmitMovement, EmitWindow, EmitIndexing, EmitBitcast, EmitLinear}) {
      if (auto status = family(emit_, op, point, destinations)) return *status;
    }
    if (!IsElementwise(op)) return Unsupported(op, "is not supported");
    llvm::SmallVector<mlir::Value> operands;
    for (mlir::Value operand : op->getOperands()) {
      Point at = point;  // select and clamp take scalars beside tensors
      if (TensorOf(operand).getRank() == 0) at.index.clear();
      QUERN_ASSIGN_OR_RETURN(operands.emplace_back(), emit_.Read(operand, at));
    }
    QUERN_ASSIGN_OR_RETURN(mlir::Value value, EmitScalar(builder_, op, operands));
    emit_.Store(value, destinations[0], point);
    return absl::OkStatus();
  }

  const frontend::Spec& spec_;
  mlir::OpBuilder builder_;
  bool gpu_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  program::ProgramOp program_;
  Buffers buffers_;  // of values of the spec
  Emission emit_{builder_, buffers_};
  llvm::DenseSet<mlir::Value> written_;  // outputs that a kernel writes already
  int64_t kernels_ = 0, temporaries_ = 0, tables_ = 0;
};

}  // namespace

static constexpr int64_t kMaxUnrolledOps = 512;

// What has been interpreted so far may be of any type; from here on code is generated for it.
static absl::Status CheckElementTypes(const frontend::Spec& spec) {
  auto check = [](mlir::Value value, mlir::Location location, llvm::StringRef what) {
    const std::optional<TensorType> type = hlo::ToTensorType(value.getType());
    if (type && HasCodeGeneration(type->element)) return absl::OkStatus();
    std::string name;
    llvm::raw_string_ostream(name) << mlir::getElementTypeOrSelf(value.getType());
    return absl::InvalidArgumentError(absl::StrCat(frontend::Where(location), "error: ", what.str(),
                                                   ": element type ", name,
                                                   " is not supported by code generation"));
  };
  absl::Status status;
  for (mlir::BlockArgument argument : spec.main().getArguments()) {
    status = check(argument, argument.getLoc(), absl::StrCat("argument ", argument.getArgNumber()));
    if (!status.ok()) return status;
  }
  spec.main().walk([&](mlir::Operation* op) {
    if (llvm::isa<hlo::ComplexOp>(op)) return mlir::WalkResult::advance();  // its user is named
    for (mlir::Value result : op->getResults()) {
      status = check(result, op->getLoc(), op->getName().getStringRef());
      if (!status.ok()) return mlir::WalkResult::interrupt();
    }
    return mlir::WalkResult::advance();
  });
  return status;
}

absl::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> NaiveProgram(const frontend::Spec& spec,
                                                               std::string_view target) {
  spec.module.get().getContext()->loadDialect<program::QuernDialect>();
  frontend::Spec expanded{
      .module = spec.module.get().clone(), .arguments = spec.arguments, .results = spec.results};
  frontend::ExpandComplex(expanded.main());
  frontend::ExpandRandom(expanded.main());
  QUERN_RETURN_IF_ERROR(CheckElementTypes(expanded));
  frontend::UnrollLoops(expanded.main(), kMaxUnrolledOps);
  return Builder(expanded, target).Build();
}

}  // namespace quern::search
