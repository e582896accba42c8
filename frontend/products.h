// Sums of products, as matrix products and convolutions need them.
#ifndef QUERN_FRONTEND_PRODUCTS_H_
#define QUERN_FRONTEND_PRODUCTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "bundle/tensor_type.h"

namespace quern::frontend {

// The type in which products of lhs and rhs elements are summed for results of type `result`: f32
// for floating-point types up to it, else the result's own type; integers other than of 32 bits in
// 64. nullopt if the types do not go together.
std::optional<ElementType> SumType(ElementType lhs, ElementType rhs, ElementType result);

struct ProductShape {
  int64_t rows, depth, columns;
  int64_t lhs_stride, rhs_stride, out_stride;  // from row to row, in elements
};

// out[m, n] += lhs[m, k] * rhs[k, n] for k ascending, each product and each sum rounded; integers
// wrap, bools are or-ed. `type` is a SumType. About 3 multiply-adds per nanosecond in f32.
void AddProducts(ElementType type, const std::byte* lhs, const std::byte* rhs, std::byte* out,
                 const ProductShape& shape);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_PRODUCTS_H_
