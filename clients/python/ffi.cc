// What XLA calls in place of an operation: the handler of the custom call "quern_kernel", which
// runs a kernel of this process by the digest of its binary, and the table of those kernels.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bundle/quern_abi.h"
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

namespace {

using Entry = decltype(&quern_run);

class KernelTable {
 public:
  void Add(std::string digest, Entry run) {
    const std::unique_lock lock(mutex_);
    kernels_.insert_or_assign(std::move(digest), run);
  }
  Entry Find(std::string_view digest) const {
    const std::shared_lock lock(mutex_);
    const auto it = kernels_.find(digest);
    return it == kernels_.end() ? nullptr : it->second;
  }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, Entry, Hash, std::equal_to<>> kernels_;
};

KernelTable& Table() {
  static KernelTable* const table = new KernelTable;
  return *table;
}

// XLA flushes subnormal numbers while it runs; the certificate assumes that nobody does.
class DefaultFloatingPoint {
 public:
#if defined(__x86_64__)
  DefaultFloatingPoint() : saved_(__builtin_ia32_stmxcsr()) { __builtin_ia32_ldmxcsr(0x1F80); }
  ~DefaultFloatingPoint() { __builtin_ia32_ldmxcsr(saved_); }

 private:
  const unsigned saved_;
#endif
};

// A loop whose iterations are taken by whoever comes: the caller, and XLA's threads when they are
// free. Those that come late find nothing left and touch nothing of the caller's.
struct Loop {
  void (*const body)(void*, int64_t);
  void* const context;
  const int64_t count;
  std::atomic<int64_t> next{0}, done{0};

  void Work() {
    const DefaultFloatingPoint floating_point;
    for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) {
      body(context, i);
      if (done.fetch_add(1, std::memory_order_acq_rel) + 1 == count) done.notify_all();
    }
  }
  void Wait() {
    for (int64_t seen; (seen = done.load(std::memory_order_acquire)) < count;) done.wait(seen);
  }
};

void ParallelFor(void* pool, int64_t count, void (*body)(void*, int64_t), void* context) {
  auto& threads = *static_cast<ffi::ThreadPool*>(pool);
  const auto loop = std::make_shared<Loop>(body, context, count);
  const int64_t helpers = std::min(threads.num_threads(), count - 1);
  for (int64_t i = 0; i < helpers; ++i) threads.Schedule([loop] { loop->Work(); });
  loop->Work();
  loop->Wait();
}

struct DlpackType {
  uint8_t code, bits;
};

std::optional<DlpackType> ToDlpack(ffi::DataType type) {
  switch (type) {
    case ffi::DataType::PRED:
      return DlpackType{6, 8};
    case ffi::DataType::S8:
      return DlpackType{0, 8};
    case ffi::DataType::S16:
      return DlpackType{0, 16};
    case ffi::DataType::S32:
      return DlpackType{0, 32};
    case ffi::DataType::S64:
      return DlpackType{0, 64};
    case ffi::DataType::U8:
      return DlpackType{1, 8};
    case ffi::DataType::U16:
      return DlpackType{1, 16};
    case ffi::DataType::U32:
      return DlpackType{1, 32};
    case ffi::DataType::U64:
      return DlpackType{1, 64};
    case ffi::DataType::F16:
      return DlpackType{2, 16};
    case ffi::DataType::F32:
      return DlpackType{2, 32};
    case ffi::DataType::F64:
      return DlpackType{2, 64};
    case ffi::DataType::BF16:
      return DlpackType{4, 16};
    case ffi::DataType::F8E3M4:
      return DlpackType{7, 8};
    case ffi::DataType::F8E4M3:
      return DlpackType{8, 8};
    case ffi::DataType::F8E4M3B11FNUZ:
      return DlpackType{9, 8};
    case ffi::DataType::F8E4M3FN:
      return DlpackType{10, 8};
    case ffi::DataType::F8E4M3FNUZ:
      return DlpackType{11, 8};
    case ffi::DataType::F8E5M2:
      return DlpackType{12, 8};
    case ffi::DataType::F8E5M2FNUZ:
      return DlpackType{13, 8};
    default:
      return std::nullopt;
  }
}

ffi::ErrorOr<quern_tensor> ToTensor(const ffi::AnyBuffer& buffer) {
  const std::optional<DlpackType> type = ToDlpack(buffer.element_type());
  if (!type) return ffi::Unexpected(ffi::Error::InvalidArgument("quern: unknown element type"));
  return quern_tensor{.data = buffer.untyped_data(),
                      .device_type = 1,
                      .device_id = 0,
                      .ndim = static_cast<int32_t>(buffer.dimensions().size()),
                      .dtype_code = type->code,
                      .dtype_bits = type->bits,
                      .dtype_lanes = 1,
                      .shape = const_cast<int64_t*>(buffer.dimensions().begin()),
                      .strides = nullptr,
                      .byte_offset = 0};
}

// The results are the kernel's, then its workspace.
ffi::Error Run(ffi::ThreadPool threads, std::string_view digest, ffi::RemainingArgs arguments,
               ffi::RemainingRets results) {
  const Entry run = Table().Find(digest);
  if (run == nullptr) {
    return ffi::Error(ffi::ErrorCode::kNotFound,
                      "quern: no kernel " + std::string(digest) + " in this process");
  }
  if (results.size() == 0) return ffi::Error::InvalidArgument("quern: no workspace");
  std::vector<quern_tensor> tensors;
  tensors.reserve(arguments.size() + results.size());
  for (size_t i = 0; i < arguments.size() + results.size(); ++i) {
    const bool is_argument = i < arguments.size();
    ffi::ErrorOr<ffi::AnyBuffer> buffer = [&]() -> ffi::ErrorOr<ffi::AnyBuffer> {
      if (is_argument) return arguments.get<ffi::AnyBuffer>(i);
      auto result = results.get<ffi::AnyBuffer>(i - arguments.size());
      if (result.has_error()) return ffi::Unexpected(result.error());
      return **result;
    }();
    if (buffer.has_error()) return buffer.error();
    ffi::ErrorOr<quern_tensor> tensor = ToTensor(*buffer);
    if (tensor.has_error()) return tensor.error();
    tensors.push_back(*tensor);
  }
  const quern_tensor& workspace = tensors.back();
  const quern_call call{.struct_size = sizeof(quern_call),
                        .inputs = tensors.data(),
                        .num_inputs = static_cast<int64_t>(arguments.size()),
                        .outputs = tensors.data() + arguments.size(),
                        .num_outputs = static_cast<int64_t>(results.size()) - 1,
                        .workspace = workspace.data,
                        .workspace_bytes = static_cast<uint64_t>(workspace.shape[0]),
                        .parallel_for = ParallelFor,
                        .pool = &threads,
                        .stream = nullptr};
  const DefaultFloatingPoint floating_point;
  const quern_status status = run(&call);
  if (status != QUERN_OK) {
    return ffi::Error::Internal("quern: the kernel returned " + std::to_string(status));
  }
  return ffi::Error::Success();
}

}  // namespace

#define QUERN_EXPORT extern "C" __attribute__((visibility("default")))

QUERN_EXPORT XLA_FFI_Error* quern_ffi_run(XLA_FFI_CallFrame* call_frame);
XLA_FFI_DEFINE_HANDLER_SYMBOL(quern_ffi_run, Run,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ThreadPool>()
                                  .Attr<std::string_view>("binary")
                                  .RemainingArgs()
                                  .RemainingRets());

// Makes a kernel known by its binary's digest.
QUERN_EXPORT void quern_ffi_add(const char* digest, decltype(&quern_run) run) {
  Table().Add(digest, run);
}
