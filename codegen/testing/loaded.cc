#include "codegen/testing/loaded.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "codegen/compiler.h"
#include "ir/program/program.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

namespace quern::codegen {

[[noreturn]] static void Die(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::abort();
}

absl::StatusOr<Artifact> CompileText(const std::string& program) {
  mlir::MLIRContext context;
  context.loadDialect<program::QuernDialect>();
  std::string complaint;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic& diagnostic) {
    absl::StrAppend(&complaint, diagnostic.str(), "\n");
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(program, &context);
  if (!module) return absl::InvalidArgumentError(complaint);
  return Compile(*module);
}

template <typename T>
static T Must(absl::StatusOr<T> value) {
  if (!value.ok()) Die(std::string(value.status().message()));
  return *std::move(value);
}

Loaded::Loaded(const std::string& program) : Loaded(Must(CompileText(program))) {}

Loaded::Loaded(Artifact artifact) : artifact_(std::move(artifact)) {
  // Open as long as the library: dlopen takes two files of one name for the same.
  file_ = memfd_create("kernel", MFD_CLOEXEC);
  const std::string& binary = artifact_.binary;
  if (write(file_, binary.data(), binary.size()) != static_cast<ssize_t>(binary.size())) {
    Die("cannot write the kernel");
  }
  library_ = dlopen(absl::StrCat("/proc/self/fd/", file_).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) Die(dlerror());
  workspace_bytes_ = reinterpret_cast<uint64_t (*)()>(dlsym(library_, "quern_workspace_bytes"));
  run_ = reinterpret_cast<quern_status (*)(const quern_call*)>(dlsym(library_, "quern_run"));
}

Loaded::~Loaded() {
  dlclose(library_);
  close(file_);
}

static quern_tensor Describe(Tensor& tensor) {
  const DlpackType dtype = ToDlpack(tensor.type().element);
  return {.data = tensor.data(),
          .device_type = 1,
          .device_id = 0,
          .ndim = static_cast<int32_t>(tensor.type().shape.size()),
          .dtype_code = dtype.code,
          .dtype_bits = dtype.bits,
          .dtype_lanes = 1,
          .shape = const_cast<int64_t*>(tensor.type().shape.data()),
          .strides = nullptr,
          .byte_offset = 0};
}

quern_status Loaded::Run(const std::vector<Tensor*>& inputs, const std::vector<Tensor*>& outputs,
                         const std::function<void(quern_call&)>& change) {
  std::vector<quern_tensor> in, out;
  for (Tensor* tensor : inputs) in.push_back(Describe(*tensor));
  for (Tensor* tensor : outputs) out.push_back(Describe(*tensor));
  const uint64_t bytes = workspace_bytes();
  std::unique_ptr<void, void (*)(void*)> workspace(
      std::aligned_alloc(64, (bytes + 63) / 64 * 64 + 64), std::free);
  std::memset(workspace.get(), 0xFF, bytes);
  quern_call call = {.struct_size = sizeof(quern_call),
                     .inputs = in.data(),
                     .num_inputs = static_cast<int64_t>(in.size()),
                     .outputs = out.data(),
                     .num_outputs = static_cast<int64_t>(out.size()),
                     .workspace = workspace.get(),
                     .workspace_bytes = bytes,
                     .parallel_for = nullptr,
                     .pool = nullptr,
                     .stream = nullptr};
  if (change) change(call);
  return run_(&call);
}

std::vector<Tensor> Loaded::Results(std::vector<Tensor>& inputs,
                                    const std::vector<TensorType>& types) {
  std::vector<Tensor> results;
  std::vector<Tensor*> in, out;
  for (Tensor& input : inputs) in.push_back(&input);
  for (const TensorType& type : types) results.push_back(Must(Tensor::Create(type)));
  for (Tensor& result : results) out.push_back(&result);
  if (Run(in, out) != QUERN_OK) Die("the kernel refuses the call");
  return results;
}

Tensor Filled(TensorType type, const std::function<double(int64_t)>& value) {
  Tensor tensor = Must(Tensor::Create(std::move(type)));
  for (int64_t i = 0; i < tensor.type().num_elements(); ++i) tensor.Set(i, value(i));
  return tensor;
}

}  // namespace quern::codegen
