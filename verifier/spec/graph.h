// The user's module as the checker reads it: an immutable graph of tensor values, calls
// substituted.
#ifndef QUERN_VERIFIER_SPEC_GRAPH_H_
#define QUERN_VERIFIER_SPEC_GRAPH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bundle/tensor.h"
#include "bundle/tensor_type.h"

namespace quern::verifier {

enum class SpecOp : uint8_t {
#define QUERN_SPEC_OP(enumerator, mlir, operands) enumerator,
#include "verifier/spec/ops.def"
#undef QUERN_SPEC_OP
  kArgument,      // number: of @main
  kBodyArgument,  // number: of the body of the op around it
  kConstant,
  kIota,       // dimensions: one
  kBroadcast,  // dimensions: the result dimension of each operand dimension
  kReshape,
  kTranspose,  // result dimension d is operand dimension dimensions[d]
  kSlice,      // element i is element starts + i * strides of the operand; strides may be negative
  kPad,        // operands: tensor, padding value; starts: places before, strides: from element to
               // element
  kConcatenate,         // dimensions: one
  kDynamicSlice,        // operands: tensor, starts
  kDynamicUpdateSlice,  // operands: tensor, update, starts
  kGather,              // operands: tensor, indices; gather
  kReduce,
  kReduceWindow,  // operands as kReduce; window
  kDot,
  kConvolution,       // operands: both, zero; convolution, window of the spatial dimensions
  kScatter,           // operands: inputs, indices, updates; gather with the words of the gather
  kSelectAndScatter,  // operands: tensor, source, initial value; window; body scatters
  kSort,              // dimensions: one; body compares (left 0, right 0, left 1, right 1, ...)
};

inline constexpr SpecOp kLastElementwise = SpecOp::kXor;

enum class Comparison : uint8_t { kEq, kNe, kGe, kGt, kLe, kLt };

struct DotDimensions {
  std::vector<int64_t> lhs_batch, rhs_batch, lhs_contract, rhs_contract;
};

// One dimension: window element w of position p lies at p * stride + w * dilation (w counted from
// the end if reversed) of the operand after it got base_dilation - 1 holes between its elements and
// `low` places before them (elements are dropped if that is negative).
struct SpecWindow {
  int64_t size = 1, stride = 1, low = 0, base_dilation = 1, dilation = 1;
  bool reversed = false;
};

struct ConvolutionDimensions {
  int64_t lhs_batch = 0, lhs_feature = 0, rhs_input = 0, rhs_output = 0, batch = 0, feature = 0;
  std::vector<int64_t> lhs_spatial, rhs_spatial, spatial;
  int64_t feature_groups = 1, batch_groups = 1;
};

// Of a gather; of a scatter, `window` are dimensions of the updates.
struct GatherDimensions {
  std::vector<int64_t> window;         // of the result: those within a slice
  std::vector<int64_t> collapsed;      // of the operand: not among them
  std::vector<int64_t> operand_batch;  // of the operand, and those of the indices they follow
  std::vector<int64_t> indices_batch;
  std::vector<int64_t> index_map;  // operand dimension of each component of an index
  int64_t vector_dim = 0;          // of the indices
  std::vector<int64_t> sizes;      // of a slice
};

// A scalar function: of a reduce (accumulators, elements) -> accumulators. Its nodes are
// first .. first + count; those that depend on its arguments have SpecNode::bound.
struct SpecBody {
  int first = 0;
  int count = 0;             // of nodes
  std::vector<int> results;  // one an accumulator; may lie outside of the body
};

struct SpecNode {
  SpecOp op = SpecOp::kArgument;
  TensorType type;
  std::vector<int> operands;  // earlier nodes; of a reduce: inputs, then initial values
  int number = 0;             // of an argument; of an op with a body: which of its results this is
  std::vector<int64_t> dimensions, starts, strides;
  Comparison comparison = Comparison::kEq;
  bool total_order = false;                // of a comparison of floats
  std::shared_ptr<const Tensor> constant;  // one element if all are equal, else those of `type`
  DotDimensions dot;
  int64_t exponent_bits = 0, mantissa_bits = 0;  // of a reduce_precision
  std::vector<SpecWindow> window;
  std::shared_ptr<const ConvolutionDimensions> convolution;
  std::shared_ptr<const GatherDimensions> gather;
  // The results of one op share body and operands, and follow one another.
  std::shared_ptr<const SpecBody> body, select;
  bool mathlib = false;  // its function of f32 is mathlib's, not the C library's
  bool bound = false;    // in a body, and depends on its arguments
  std::string where;     // "12:5: stablehlo.add", for messages
};

// Ops are well-typed and defined on their element types.
struct SpecGraph {
  std::vector<SpecNode> nodes;  // operands come before users
  std::vector<TensorType> arguments, results;
  std::vector<int> result_nodes;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SPEC_GRAPH_H_
