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
  kBodyArgument,  // number: of the body of a reduce, accumulators first
  kConstant,
  kIota,       // dimensions: one
  kBroadcast,  // dimensions: the result dimension of each operand dimension
  kReshape,
  kTranspose,  // result dimension d is operand dimension dimensions[d]
  kSlice,      // starts, strides
  kReduce,
  kDot,
};

inline constexpr SpecOp kLastElementwise = SpecOp::kXor;

enum class Comparison : uint8_t { kEq, kNe, kGe, kGt, kLe, kLt };

struct DotDimensions {
  std::vector<int64_t> lhs_batch, rhs_batch, lhs_contract, rhs_contract;
};

// The scalar function (accumulators, elements) -> accumulators of a reduce. Its nodes are
// first .. first + values.size(); those that depend on its arguments have SpecNode::bound.
struct ReduceBody {
  int first = 0;
  int count = 0;             // of nodes
  std::vector<int> results;  // one an accumulator; may lie outside of the body
};

struct SpecNode {
  SpecOp op = SpecOp::kArgument;
  TensorType type;
  std::vector<int> operands;  // earlier nodes; of a reduce: inputs, then initial values
  int number = 0;             // of an argument; of a reduce: which of its results this is
  std::vector<int64_t> dimensions, starts, strides;
  Comparison comparison = Comparison::kEq;
  bool total_order = false;                // of a comparison of floats
  std::shared_ptr<const Tensor> constant;  // one element if all are equal, else those of `type`
  DotDimensions dot;
  std::shared_ptr<const ReduceBody> body;  // the results of one reduce share it and their operands
  bool bound = false;                      // in the body of a reduce, and depends on its arguments
  std::string where;                       // "12:5: stablehlo.add", for messages
};

// Ops are well-typed and defined on their element types.
struct SpecGraph {
  std::vector<SpecNode> nodes;  // operands come before users
  std::vector<TensorType> arguments, results;
  std::vector<int> result_nodes;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SPEC_GRAPH_H_
