#include "codegen/kernel_lowering.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "codegen/float8.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinTypes.h"

namespace quern::codegen {

using program::AllocOp;
using program::BufferType;
using program::KernelOp;
using program::LoopOp;
using program::Space;

absl::Status LoweringError(mlir::Operation* op, const std::string& message) {
  std::string where;
  if (auto kernel = llvm::dyn_cast<KernelOp>(op)) {
    where = absl::StrCat("kernel '", kernel.getName().str(), "': ");
  } else if (auto around = op->getParentOfType<KernelOp>()) {
    auto loop = llvm::dyn_cast<LoopOp>(op);
    if (!loop) loop = op->getParentOfType<LoopOp>();
    where = absl::StrCat("kernel '", around.getName().str(), "'",
                         loop ? absl::StrCat(", loop '", loop.getName().str(), "'") : "", ": ");
  }
  return absl::InvalidArgumentError(
      absl::StrCat(where, op->getName().getStringRef().str(), " ", message));
}

absl::StatusOr<ElementType> ElementOf(mlir::Operation* op, BufferType type) {
  const std::optional<ElementType> element = stablehlo::ToElementType(type.getElement());
  if (element && HasCodeGeneration(*element)) return *element;
  std::string name;
  llvm::raw_string_ostream(name) << type.getElement();
  return LoweringError(
      op, absl::StrCat("has element type ", name, ", which is not supported by code generation"));
}

llvm::Type* ValueType(mlir::Type type, llvm::LLVMContext& context) {
  if (type.isF32()) return llvm::Type::getFloatTy(context);
  if (type.isF64()) return llvm::Type::getDoubleTy(context);
  if (type.isBF16()) return llvm::Type::getBFloatTy(context);
  if (type.isF16()) return llvm::Type::getHalfTy(context);
  if (type.isIndex()) return llvm::Type::getInt64Ty(context);
  if (Float8Format(type)) return llvm::Type::getInt8Ty(context);
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(type)) {
    if (integer.getWidth() <= 64) return llvm::Type::getIntNTy(context, integer.getWidth());
  }
  return nullptr;
}

llvm::Type* StoredType(llvm::Type* value) {
  const bool small = value->isIntegerTy() && value->getIntegerBitWidth() < 8;
  return small ? llvm::Type::getInt8Ty(value->getContext()) : value;
}

KernelLowering::KernelLowering(const Target& target, llvm::Module& module, LaunchPlan& plan)
    : target_(target), module_(module), plan_(plan), builder_(module.getContext()) {}

// A name that C, PTX and the launcher's own symbols leave free.
static std::string Symbol(const llvm::Module& module, llvm::StringRef name) {
  std::string symbol = "kernel_";
  for (char c : name) symbol += llvm::isAlnum(c) ? c : '_';
  while (module.getFunction(symbol)) symbol += '_';
  return symbol;
}

absl::Status KernelLowering::AddScratch(AllocOp alloc, KernelPlan& kernel_plan) {
  if (!target_.has_scratch()) {
    return LoweringError(alloc,
                         absl::StrCat("scratch buffers are not supported on ", target_.name()));
  }
  if (auto loop = alloc->getParentOfType<LoopOp>();
      loop && loop.getMapping() == program::Mapping::Vector) {
    return LoweringError(alloc, "a scratch buffer cannot be allocated in a vector loop");
  }
  BufferType type = alloc.getBuffer().getType();
  QUERN_ASSIGN_OR_RETURN(const ElementType element, ElementOf(alloc, type));
  BufferPlan buffer{.name = absl::StrCat(kernel_plan.symbol, ".", alloc.getName().str()),
                    .role = BufferRole::kScratch,
                    .position = -1,
                    .type = {element, type.getShape().vec()},
                    .layout = {},
                    .bytes = 0,
                    .holds = ""};
  buffer.bytes = buffer.type.num_bytes();
  while (std::any_of(plan_.buffers.begin(), plan_.buffers.end(),
                     [&](const BufferPlan& other) { return other.name == buffer.name; })) {
    buffer.name += "'";
  }
  kernel_plan.buffers.push_back(static_cast<int>(plan_.buffers.size()));
  plan_.buffers.push_back(buffer);
  return absl::OkStatus();
}

static bool DividesByPositive(mlir::AffineExpr expression) {
  return !expression
              .walk([](mlir::AffineExpr inner) {
                auto binary = llvm::dyn_cast<mlir::AffineBinaryOpExpr>(inner);
                if (!binary || binary.getKind() == mlir::AffineExprKind::Add) {
                  return mlir::WalkResult::advance();
                }
                auto right = llvm::dyn_cast<mlir::AffineConstantExpr>(binary.getRHS());
                const bool fine = right && (binary.getKind() == mlir::AffineExprKind::Mul ||
                                            right.getValue() > 0);
                return fine ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
              })
              .wasInterrupted();
}

// The range of an index that a program computes and moves into constants; nothing for others.
static std::optional<Range> ClampedRange(mlir::Value value) {
  auto low_of = value.getType().isIndex() ? value.getDefiningOp<mlir::arith::MinSIOp>() : nullptr;
  auto high_of = low_of ? low_of.getLhs().getDefiningOp<mlir::arith::MaxSIOp>() : nullptr;
  if (!high_of) return std::nullopt;
  std::optional<int64_t> high = mlir::getConstantIntValue(low_of.getRhs());
  std::optional<int64_t> low = mlir::getConstantIntValue(high_of.getRhs());
  if (!low || !high || *low > *high) return std::nullopt;
  return Range{*low, *high};
}

// Indices are affine in counters of loops and in clamped indices.
static absl::Status CheckIndices(KernelOp kernel) {
  absl::Status status;
  auto check = [&](mlir::Operation* op, mlir::ValueRange counters,
                   llvm::ArrayRef<mlir::AffineExpr> expressions) {
    for (mlir::Value counter : counters) {
      auto argument = llvm::dyn_cast<mlir::BlockArgument>(counter);
      const bool is_counter = argument && llvm::isa<LoopOp>(argument.getOwner()->getParentOp());
      if (!is_counter && !ClampedRange(counter)) {
        status = LoweringError(
            op, "has an index that is neither the counter of a loop nor moved into constants");
      }
    }
    for (mlir::AffineExpr expression : expressions) {
      if (!DividesByPositive(expression))
        status = LoweringError(op, "has an index that is not affine");
    }
  };
  kernel.walk([&](mlir::Operation* op) {
    llvm::TypeSwitch<mlir::Operation*>(op)
        .Case([&](program::LoadOp load) {
          check(op, load.getCounters(), load.getMap().getResults());
        })
        .Case([&](program::StoreOp store) {
          check(op, store.getCounters(), store.getMap().getResults());
        })
        .Case([&](program::GuardOp guard) {
          check(op, guard.getCounters(), guard.getCondition().getConstraints());
        });
  });
  return status;
}

absl::Status KernelLowering::CreateFunction(KernelOp kernel,
                                            const llvm::DenseMap<mlir::Value, int>& buffers) {
  QUERN_RETURN_IF_ERROR(CheckIndices(kernel));
  llvm::DenseSet<mlir::Value> stored, accessed;
  llvm::SetVector<mlir::Value> parameters;
  std::vector<AllocOp> scratch;
  kernel.walk([&](mlir::Operation* op) {
    if (auto load = llvm::dyn_cast<program::LoadOp>(op)) accessed.insert(load.getBuffer());
    if (auto store = llvm::dyn_cast<program::StoreOp>(op)) {
      accessed.insert(store.getBuffer());
      stored.insert(store.getBuffer());
    }
    auto alloc = llvm::dyn_cast<AllocOp>(op);
    if (alloc && alloc.getBuffer().getType().getSpace() == Space::Scratch) scratch.push_back(alloc);
  });
  for (mlir::Value buffer : stored) {
    auto op = buffer.getDefiningOp<program::BufferOp>();
    if (op && op.getRole() == program::Role::Constant) {
      return LoweringError(kernel, absl::StrCat("stores to constant '", op.getName().str(), "'"));
    }
  }
  std::vector<std::pair<int, mlir::Value>> globals;
  for (mlir::Value buffer : accessed) {
    if (auto at = buffers.find(buffer); at != buffers.end())
      globals.push_back({at->second, buffer});
  }
  llvm::sort(globals, [](const auto& a, const auto& b) { return a.first < b.first; });

  kernel_plan_ = {.symbol = Symbol(module_, kernel.getName())};
  for (const auto& [index, value] : globals) {
    if (plan_.buffers[index].role == BufferRole::kInput && stored.contains(value)) {
      return LoweringError(kernel,
                           absl::StrCat("stores to input '", plan_.buffers[index].name, "'"));
    }
    kernel_plan_.buffers.push_back(index);
    parameters.insert(value);
  }
  for (AllocOp alloc : scratch) {
    QUERN_RETURN_IF_ERROR(AddScratch(alloc, kernel_plan_));
    parameters.insert(alloc.getBuffer());
  }

  llvm::LLVMContext& context = module_.getContext();
  std::vector<llvm::Type*> types(parameters.size(),
                                 llvm::PointerType::get(context, target_.global_address_space()));
  types.insert(types.end(), 3, builder_.getInt64Ty());
  auto* type = llvm::FunctionType::get(builder_.getVoidTy(), types, false);
  function_ =
      llvm::Function::Create(type, llvm::Function::ExternalLinkage, kernel_plan_.symbol, module_);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  for (unsigned i = 0; i < parameters.size(); ++i) {
    const BufferPlan& plan = plan_.buffers[kernel_plan_.buffers[i]];
    llvm::Argument* argument = function_->getArg(i);
    argument->setName(plan.name);
    argument->addAttr(llvm::Attribute::NoAlias);
    argument->addAttr(llvm::Attribute::getWithAlignment(context, llvm::Align(plan.alignment)));
    if (!stored.contains(parameters[i])) argument->addAttr(llvm::Attribute::ReadOnly);
    auto element = llvm::cast<BufferType>(parameters[i].getType()).getElement();
    buffers_[parameters[i]] = {.base = argument,
                               .element = StoredType(ValueType(element, context)),
                               .is_signed = KindOf(plan.type.element) == ElementKind::kSigned,
                               .shape = plan.type.shape,
                               .layout = plan.layout,
                               .strides = {},
                               .elements = PhysicalElements(plan.layout, plan.type.shape),
                               .alignment = plan.alignment};
  }
  for (int axis = 0; axis < 3; ++axis) {
    constexpr const char* kNames[] = {"bx", "by", "bz"};
    function_->getArg(parameters.size() + axis)->setName(kNames[axis]);
  }
  builder_.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function_));
  return absl::OkStatus();
}

absl::Status KernelLowering::Lower(
    KernelOp kernel, const llvm::DenseMap<mlir::Value, int>& buffers,
    const llvm::DenseMap<mlir::Value, llvm::GlobalVariable*>& tables) {
  for (const auto& [value, table] : tables) {
    auto type = llvm::cast<BufferType>(value.getType());
    buffers_[value] = {.base = table,
                       .element = table->getValueType()->getArrayElementType(),
                       .shape = type.getShape().vec(),
                       .layout = {},
                       .strides = {},
                       .elements = type.num_elements(),
                       .alignment = 64};
  }
  QUERN_RETURN_IF_ERROR(CreateFunction(kernel, buffers));
  QUERN_RETURN_IF_ERROR(LowerBlock(kernel.getBody().front()));
  builder_.CreateRetVoid();
  if (target_.has_entries()) {
    function_->setName(kernel_plan_.symbol + "_block");
    target_.AddEntry(*function_, kernel_plan_.symbol, kernel_plan_);
  }
  plan_.kernels.push_back(kernel_plan_);
  return absl::OkStatus();
}

llvm::BasicBlock* KernelLowering::CreateBlock(const llvm::Twine& name) {
  return llvm::BasicBlock::Create(module_.getContext(), name, function_);
}

void KernelLowering::StartBlock(llvm::BasicBlock* block) {
  if (block != &function_->back()) block->moveAfter(&function_->back());
  builder_.SetInsertPoint(block);
}

absl::Status KernelLowering::LowerBlock(mlir::Block& block) {
  const size_t counters = ranges_.size();
  absl::Status status;
  for (mlir::Operation& op : block) {
    status = LowerOp(op);
    if (!status.ok()) break;
  }
  ranges_.resize(counters);
  counter_values_.resize(counters);
  return status;
}

absl::Status KernelLowering::LowerOp(mlir::Operation& op) {
  if (++lowered_ops_ > kMaxLoweredOps) {
    return LoweringError(&op, "the kernel is too long once its loops are unrolled");
  }
  return llvm::TypeSwitch<mlir::Operation*, absl::Status>(&op)
      .Case([&](LoopOp loop) { return LowerLoop(loop); })
      .Case([&](program::GuardOp guard) { return LowerGuard(guard); })
      .Case([&](AllocOp alloc) { return LowerAlloc(alloc); })
      .Case([&](program::LoadOp load) { return LowerLoad(load); })
      .Case([&](program::StoreOp store) { return LowerStore(store); })
      .Default([&](mlir::Operation*) {
        QUERN_RETURN_IF_ERROR(LowerScalar(op));
        return op.getNumResults() == 1 ? BindClampedIndex(op.getResult(0)) : absl::OkStatus();
      });
}

absl::Status KernelLowering::BindClampedIndex(mlir::Value index) {
  std::optional<Range> range = ClampedRange(index);
  if (!range) return absl::OkStatus();
  if (lane_ >= 0) {
    return LoweringError(index.getDefiningOp(), "computes an index in a vector loop");
  }
  counters_[index] = LinearForm::Counter(static_cast<int>(ranges_.size()));
  ranges_.push_back(*range);
  counter_values_.push_back(values_.lookup(index));
  return absl::OkStatus();
}

}  // namespace quern::codegen
