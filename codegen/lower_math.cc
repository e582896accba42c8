#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "codegen/kernel_lowering.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Intrinsics.h"
#include "mathlib/mathlib.h"

namespace quern::codegen {

namespace math = mlir::math;

static llvm::Intrinsic::ID Intrinsic(mlir::Operation& op) {
  return llvm::TypeSwitch<mlir::Operation*, llvm::Intrinsic::ID>(&op)
      .Case([](math::SqrtOp) { return llvm::Intrinsic::sqrt; })
      .Case([](math::AbsFOp) { return llvm::Intrinsic::fabs; })
      .Case([](math::FloorOp) { return llvm::Intrinsic::floor; })
      .Case([](math::CeilOp) { return llvm::Intrinsic::ceil; })
      .Case([](math::TruncOp) { return llvm::Intrinsic::trunc; })
      .Case([](math::RoundOp) { return llvm::Intrinsic::round; })
      .Case([](math::RoundEvenOp) { return llvm::Intrinsic::roundeven; })
      .Case([](math::CtPopOp) { return llvm::Intrinsic::ctpop; })
      .Case([](math::CopySignOp) { return llvm::Intrinsic::copysign; })
      .Case([](math::FmaOp) { return llvm::Intrinsic::fma; })
      .Default([](mlir::Operation*) { return llvm::Intrinsic::not_intrinsic; });
}

// The function's name, as libm has it for double; null for none.
static const char* FunctionName(mlir::Operation& op) {
  return llvm::TypeSwitch<mlir::Operation*, const char*>(&op)
      .Case([](math::ExpOp) { return "exp"; })
      .Case([](math::Exp2Op) { return "exp2"; })
      .Case([](math::ExpM1Op) { return "expm1"; })
      .Case([](math::LogOp) { return "log"; })
      .Case([](math::Log2Op) { return "log2"; })
      .Case([](math::Log10Op) { return "log10"; })
      .Case([](math::Log1pOp) { return "log1p"; })
      .Case([](math::SinOp) { return "sin"; })
      .Case([](math::CosOp) { return "cos"; })
      .Case([](math::TanOp) { return "tan"; })
      .Case([](math::TanhOp) { return "tanh"; })
      .Case([](math::AcosOp) { return "acos"; })
      .Case([](math::AcoshOp) { return "acosh"; })
      .Case([](math::AsinOp) { return "asin"; })
      .Case([](math::AsinhOp) { return "asinh"; })
      .Case([](math::AtanOp) { return "atan"; })
      .Case([](math::AtanhOp) { return "atanh"; })
      .Case([](math::CoshOp) { return "cosh"; })
      .Case([](math::SinhOp) { return "sinh"; })
      .Case([](math::Atan2Op) { return "atan2"; })
      .Case([](math::ErfOp) { return "erf"; })
      .Case([](math::ErfcOp) { return "erfc"; })
      .Case([](math::CbrtOp) { return "cbrt"; })
      .Case([](math::PowFOp) { return "pow"; })
      .Default(static_cast<const char*>(nullptr));
}

static llvm::FunctionCallee Declare(llvm::Module& module, const std::string& name, llvm::Type* type,
                                    size_t arguments) {
  const llvm::SmallVector<llvm::Type*> types(arguments, type);
  llvm::FunctionCallee callee =
      module.getOrInsertFunction(name, llvm::FunctionType::get(type, types, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setDoesNotAccessMemory();  // kernels do not look at errno
  return callee;
}

// Of mathlib on floats where it has the function; else of libm, a call for each lane of a vector.
llvm::Value* KernelLowering::CallFunction(const std::string& name,
                                          llvm::ArrayRef<llvm::Value*> in) {
  llvm::Type* type = in[0]->getType();
  llvm::Type* scalar = type->getScalarType();
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (scalar->isFloatTy()) {
    const auto* contract = mathlib::FindContract(absl::StrCat("quern_", name, "_f32"));
    const int lanes = vector ? static_cast<int>(vector->getNumElements()) : 1;
    if (contract != nullptr) {
      return builder_.CreateCall(
          Declare(module_, mathlib::SymbolOf(*contract, lanes), type, in.size()), in);
    }
  }
  const llvm::FunctionCallee callee =
      Declare(module_, scalar->isFloatTy() ? name + "f" : name, scalar, in.size());
  if (!vector) return builder_.CreateCall(callee, in);
  llvm::Value* result = llvm::PoisonValue::get(type);
  for (int64_t lane = 0; lane < width_; ++lane) {
    llvm::SmallVector<llvm::Value*> one;
    for (llvm::Value* value : in) {
      one.push_back(builder_.CreateExtractElement(value, builder_.getInt64(lane)));
    }
    result = builder_.CreateInsertElement(result, builder_.CreateCall(callee, one),
                                          builder_.getInt64(lane));
  }
  return result;
}

// By squaring, wrapping. 1 / base rounds toward zero: only of 1 and -1 is it not 0.
static llvm::Value* IntegerPower(llvm::IRBuilder<>& builder, llvm::Value* base,
                                 llvm::Value* exponent) {
  llvm::Type* type = base->getType();
  auto constant = [&](int64_t value) { return llvm::ConstantInt::getSigned(type, value); };
  llvm::Value* result = constant(1);
  llvm::Value* factor = base;
  for (unsigned bit = 0; bit < type->getScalarSizeInBits(); ++bit) {
    llvm::Value* odd = builder.CreateTrunc(builder.CreateLShr(exponent, constant(bit)),
                                           type->getWithNewType(builder.getInt1Ty()));
    result = builder.CreateSelect(odd, builder.CreateMul(result, factor), result);
    factor = builder.CreateMul(factor, factor);
  }
  llvm::Value* unit = builder.CreateOr(builder.CreateICmpEQ(base, constant(1)),
                                       builder.CreateICmpEQ(base, constant(-1)));
  llvm::Value* vanishes =
      builder.CreateAnd(builder.CreateICmpSLT(exponent, constant(0)), builder.CreateNot(unit));
  return builder.CreateSelect(vanishes, constant(0), result);
}

absl::StatusOr<llvm::Value*> KernelLowering::LowerMath(mlir::Operation& op,
                                                       llvm::ArrayRef<llvm::Value*> in) {
  if (llvm::Intrinsic::ID intrinsic = Intrinsic(op)) {
    return builder_.CreateIntrinsic(intrinsic, {in[0]->getType()}, in);
  }
  if (llvm::isa<math::RsqrtOp>(op)) {
    llvm::Value* root = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, in[0]);
    return builder_.CreateFDiv(llvm::ConstantFP::get(root->getType(), 1.0), root);
  }
  if (llvm::isa<math::AbsIOp>(op)) {
    return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, in[0], builder_.getFalse());
  }
  if (llvm::isa<math::CountLeadingZerosOp>(op)) {
    return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, in[0], builder_.getFalse());
  }
  if (llvm::isa<math::IPowIOp>(op)) return IntegerPower(builder_, in[0], in[1]);
  if (llvm::isa<math::IsNaNOp>(op)) return builder_.CreateFCmpUNO(in[0], in[0]);
  if (llvm::isa<math::IsFiniteOp, math::IsInfOp>(op)) {
    llvm::Value* size = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, in[0]);
    llvm::Value* infinity = llvm::ConstantFP::getInfinity(in[0]->getType());
    return llvm::isa<math::IsInfOp>(op) ? builder_.CreateFCmpOEQ(size, infinity)
                                        : builder_.CreateFCmpOLT(size, infinity);
  }
  const char* name = FunctionName(op);
  llvm::Type* scalar = in[0]->getType()->getScalarType();
  if (name && target_.has_libm() && (scalar->isFloatTy() || scalar->isDoubleTy())) {
    return CallFunction(name, in);
  }
  return LoweringError(&op, absl::StrCat("is not supported on ", target_.name()));
}

}  // namespace quern::codegen
