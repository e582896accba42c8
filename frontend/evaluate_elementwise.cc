// Arithmetic, bit operations and select.
#include "frontend/arithmetic.h"
#include "frontend/functions.h"
#include "ir/stablehlo/chlo.h"
#include "llvm/ADT/TypeSwitch.h"

namespace quern::frontend {

struct Select {
  template <typename T>
  T operator()(bool pred, T on_true, T on_false) const {
    return pred ? on_true : on_false;
  }
};

static Elementwise FindSelect(ElementType type) {
  return WithElement(type, []<typename E>(E) -> Elementwise {
    using B = Bits<typename E::Memory>;
    return Loop<B, Select, Bool, B, B>::Run;
  });
}

// The neighbour of x in the direction of y, in the order of sign and magnitude.
struct NextAfter {
  template <typename E, Real T>
  T operator()(E, T x, T y) const {
    if (std::isnan(x) || std::isnan(y)) return x + y;
    if (x == y) return y;
    if constexpr (std::same_as<typename E::Memory, T>) {
      return std::nextafter(x, y);
    } else {
      using M = typename E::Memory;
      const M smallest = E::kFormat.special == SmallFloat::Special::kPowersOfTwo ? 0 : 1;
      if (x == 0) return y > 0 ? E::Load(smallest) : -E::Load(smallest);
      const M bits = E::Store(x);
      return E::Load(static_cast<M>((y > x) == (x > 0) ? bits + 1 : bits - 1));
    }
  }
};

Elementwise FindElementwise(mlir::Operation& op) {
  if (op.getNumOperands() == 0) return nullptr;
  // select's first operand is the predicate
  std::optional<TensorType> operand =
      stablehlo::ToTensorType(op.getOperand(op.getNumOperands() - 1).getType());
  if (!operand) return nullptr;
  const ElementType type = operand->element;
  return llvm::TypeSwitch<mlir::Operation*, Elementwise>(&op)
#define QUERN_ARITHMETIC
#define QUERN_ELEMENTWISE(op, function, operands) \
  .Case([&](op) { return FindLoop<function, operands>(type); })
#include "frontend/elementwise.def"
#undef QUERN_ELEMENTWISE
#undef QUERN_ARITHMETIC
      .Case([&](stablehlo::CompareOp compare) { return FindComparison(compare, type); })
      .Case([&](stablehlo::ConvertOp convert) -> Elementwise {
        std::optional<TensorType> result = stablehlo::ToTensorType(convert.getType());
        return result ? FindConversion(type, result->element) : nullptr;
      })
      .Case([&](stablehlo::ReducePrecisionOp reduce) {
        return FindReducePrecision(type, reduce.getExponentBits(), reduce.getMantissaBits());
      })
      .Case([&](stablehlo::SelectOp) { return FindSelect(type); })
      .Default([&](mlir::Operation* other) { return FindFunction(*other, type); });
}

}  // namespace quern::frontend
