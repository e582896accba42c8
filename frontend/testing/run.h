// Running the body of a function on tensors, for tests.
#ifndef QUERN_FRONTEND_TESTING_RUN_H_
#define QUERN_FRONTEND_TESTING_RUN_H_

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "bundle/tensor.h"

namespace quern::frontend {

// "tensor<4xf32>" of "f32[4]".
std::string MlirType(const TensorType& type);
std::string MlirType(const std::string& type);

// What `body` makes of %a0, %a1, ..., as %r0, %r1, ... of the result types (as "f32[2,3]").
// `functions` are others that it calls.
std::vector<Tensor> RunBody(const std::string& body, const std::vector<std::string>& results,
                            const std::vector<Tensor>& inputs, const std::string& functions = "");

using Index = std::vector<int64_t>;

// Uniform; both ends are included.
int64_t Draw(std::mt19937& random, int64_t low, int64_t high);
bool Toss(std::mt19937& random);
Tensor RandomTensor(const TensorType& type, int64_t low, int64_t high, std::mt19937& random);

// The row-major position of an index.
int64_t PositionOf(const Index& shape, const Index& index);
// Every index below `shape`, in row-major order.
void ForEach(const Index& shape, const std::function<void(const Index&)>& visit);

// "1, 2, 3", and array<i64: 1, 2, 3>.
std::string List(const Index& integers);
std::string Array(const Index& integers);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_TESTING_RUN_H_
