#include "bundle/status.h"
#include "frontend/evaluate.h"

namespace quern::frontend {

// A product and the sum are rounded apart.
#pragma STDC FP_CONTRACT OFF

// out[m, n] += lhs[m, k] * rhs[k, n], k ascending for every element.
static void Accumulate(const float* lhs, const float* rhs, float* out, int64_t rows, int64_t depth,
                       int64_t columns) {
  for (int64_t m = 0; m < rows; ++m, lhs += depth, out += columns) {
    for (int64_t k = 0; k < depth; ++k) {
      const float factor = lhs[k];
      const float* row = rhs + k * columns;
      for (int64_t n = 0; n < columns; ++n) out[n] = out[n] + factor * row[n];
    }
  }
}

static void Accumulate(const int32_t* lhs, const int32_t* rhs, int32_t* out, int64_t rows,
                       int64_t depth, int64_t columns) {
  for (int64_t m = 0; m < rows; ++m, lhs += depth, out += columns) {
    for (int64_t k = 0; k < depth; ++k) {
      const auto factor = static_cast<uint32_t>(lhs[k]);
      const int32_t* row = rhs + k * columns;
      for (int64_t n = 0; n < columns; ++n) {
        out[n] = static_cast<int32_t>(static_cast<uint32_t>(out[n]) +
                                      factor * static_cast<uint32_t>(row[n]));
      }
    }
  }
}

static void Accumulate(const uint8_t* lhs, const uint8_t* rhs, uint8_t* out, int64_t rows,
                       int64_t depth, int64_t columns) {
  for (int64_t m = 0; m < rows; ++m, lhs += depth, out += columns) {
    for (int64_t k = 0; k < depth; ++k) {
      const uint8_t* row = rhs + k * columns;
      for (int64_t n = 0; n < columns; ++n) out[n] |= lhs[k] & row[n];
    }
  }
}

static absl::StatusOr<Tensor> Convert(Tensor tensor, ElementType element) {
  if (tensor.type().element == element) return tensor;
  QUERN_ASSIGN_OR_RETURN(Tensor result,
                         Tensor::Create({.element = element, .shape = tensor.type().shape}));
  const std::byte* operand = tensor.data();
  FindConversion(tensor.type().element, element)(&operand, result.data(),
                                                 tensor.type().num_elements());
  return result;
}

static int64_t Extent(const TensorType& type, llvm::ArrayRef<int64_t> dimensions) {
  int64_t extent = 1;
  for (int64_t dimension : dimensions) extent *= type.shape[dimension];
  return extent;
}

static llvm::SmallVector<int64_t> FreeDimensions(const TensorType& type,
                                                 llvm::ArrayRef<int64_t> batch,
                                                 llvm::ArrayRef<int64_t> contract) {
  llvm::SmallVector<int64_t> free;
  for (int64_t i = 0; i < static_cast<int64_t>(type.shape.size()); ++i) {
    if (!llvm::is_contained(batch, i) && !llvm::is_contained(contract, i)) free.push_back(i);
  }
  return free;
}

static llvm::SmallVector<int64_t> Concatenate(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b,
                                              llvm::ArrayRef<int64_t> c) {
  llvm::SmallVector<int64_t> all(a);
  all.append(b.begin(), b.end());
  all.append(c.begin(), c.end());
  return all;
}

template <typename T>
static void Batches(const Tensor& lhs, const Tensor& rhs, Tensor& out, int64_t batches,
                    int64_t rows, int64_t depth, int64_t columns) {
  for (int64_t b = 0; b < batches; ++b) {
    Accumulate(lhs.as<T>() + b * rows * depth, rhs.as<T>() + b * depth * columns,
               out.as<T>() + b * rows * columns, rows, depth, columns);
  }
}

absl::StatusOr<Tensor> EvaluateDot(stablehlo::DotGeneralOp dot, Lookup value) {
  const Tensor& lhs = value(dot.getLhs());
  const Tensor& rhs = value(dot.getRhs());
  const TensorType type = *stablehlo::ToTensorType(dot.getType());
  const bool floating = IsFloat(type.element);
  for (ElementType element : {type.element, lhs.type().element, rhs.type().element}) {
    if (FindConversion(element, ElementType::kF32) == nullptr) return UndefinedOp(*dot);
  }
  if (IsFloat(lhs.type().element) != floating || IsFloat(rhs.type().element) != floating)
    return UndefinedOp(*dot);
  const ElementType sum = floating ? ElementType::kF32 : type.element;

  stablehlo::DotDimensionNumbersAttr numbers = dot.getDotDimensionNumbers();
  llvm::ArrayRef<int64_t> lhs_batch = numbers.getLhsBatchingDimensions(),
                          rhs_batch = numbers.getRhsBatchingDimensions(),
                          lhs_contract = numbers.getLhsContractingDimensions(),
                          rhs_contract = numbers.getRhsContractingDimensions();
  const auto lhs_free = FreeDimensions(lhs.type(), lhs_batch, lhs_contract);
  const auto rhs_free = FreeDimensions(rhs.type(), rhs_batch, rhs_contract);
  QUERN_ASSIGN_OR_RETURN(Tensor left,
                         Transpose(lhs, Concatenate(lhs_batch, lhs_free, lhs_contract)));
  QUERN_ASSIGN_OR_RETURN(Tensor right,
                         Transpose(rhs, Concatenate(rhs_batch, rhs_contract, rhs_free)));
  QUERN_ASSIGN_OR_RETURN(left, Convert(std::move(left), sum));
  QUERN_ASSIGN_OR_RETURN(right, Convert(std::move(right), sum));
  QUERN_ASSIGN_OR_RETURN(Tensor out, Tensor::Create({.element = sum, .shape = type.shape}));
  const int64_t batches = Extent(lhs.type(), lhs_batch), rows = Extent(lhs.type(), lhs_free);
  const int64_t depth = Extent(lhs.type(), lhs_contract), columns = Extent(rhs.type(), rhs_free);
  switch (sum) {
    case ElementType::kI32:
      Batches<int32_t>(left, right, out, batches, rows, depth, columns);
      break;
    case ElementType::kBool:
      Batches<uint8_t>(left, right, out, batches, rows, depth, columns);
      break;
    default:
      Batches<float>(left, right, out, batches, rows, depth, columns);
  }
  return Convert(std::move(out), type.element);
}

}  // namespace quern::frontend
