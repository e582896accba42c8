// For tests: a program compiled for the host and loaded into this process.
#ifndef QUERN_CODEGEN_TESTING_LOADED_H_
#define QUERN_CODEGEN_TESTING_LOADED_H_

#include <functional>
#include <string>
#include <vector>

#include "bundle/artifact.h"
#include "bundle/quern_abi.h"
#include "bundle/tensor.h"

namespace quern::codegen {

// Parses and compiles; the status of Compile, or kInvalidArgument with the parser's message.
absl::StatusOr<Artifact> CompileText(const std::string& program);

class Loaded {
 public:
  // Abort, with the message, if it cannot be compiled or loaded.
  explicit Loaded(const std::string& program);
  explicit Loaded(Artifact artifact);
  ~Loaded();
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  const Artifact& artifact() const { return artifact_; }
  uint64_t workspace_bytes() const { return workspace_bytes_(); }

  // The results of a call that must succeed, of these types.
  std::vector<Tensor> Results(std::vector<Tensor>& inputs, const std::vector<TensorType>& types);
  // `change`, if any, alters the well-formed call before it is made.
  quern_status Run(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs,
                   const std::function<void(quern_call&)>& change = {});

 private:
  Artifact artifact_;
  int file_ = -1;
  void* library_ = nullptr;
  uint64_t (*workspace_bytes_)() = nullptr;
  quern_status (*run_)(const quern_call*) = nullptr;
};

// A tensor whose elements are `value(index)`.
Tensor Filled(TensorType type, const std::function<double(int64_t)>& value);

}  // namespace quern::codegen

#endif  // QUERN_CODEGEN_TESTING_LOADED_H_
