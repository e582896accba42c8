#include "workers/runner/candidate.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <cstddef>

namespace quern::workers {

static std::byte* MapShared(int fd, uint64_t bytes, int protection) {
  void* memory = mmap(nullptr, bytes, protection, MAP_SHARED | MAP_POPULATE, fd, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

bool Arenas::Protect(std::byte* base, const TensorRecord& record) {
  for (uint64_t offset : {record.guard_before, record.guard_after}) {
    if (mprotect(base + offset, kPage, PROT_NONE) != 0) return false;
    guards_.push_back(base + offset);
  }
  return true;
}

bool Arenas::Map(const Setup& setup, const TensorRecord* records, int input_fd, int output_fd) {
  const uint32_t num_tensors = setup.num_inputs + setup.num_outputs + 1;
  records_.assign(records, records + num_tensors);
  input_bytes_ = setup.set_bytes * setup.num_sets;
  inputs_ = MapShared(input_fd, input_bytes_, PROT_READ);
  outputs_ = MapShared(output_fd, setup.output_bytes, PROT_READ | PROT_WRITE);
  if (inputs_ == nullptr || outputs_ == nullptr) return false;
  for (uint32_t i = 0; i < num_tensors; ++i) {
    if (i >= setup.num_inputs) {
      if (!Protect(outputs_, records_[i])) return false;
      continue;
    }
    for (uint32_t set = 0; set < setup.num_sets; ++set) {
      if (!Protect(inputs_ + set * setup.set_bytes, records_[i])) return false;
    }
  }
  return true;
}

static quern_tensor TensorAt(std::byte* base, TensorRecord& record) {
  return {.data = base + record.offset,
          .device_type = 1,
          .device_id = 0,
          .ndim = record.rank,
          .dtype_code = record.dtype_code,
          .dtype_bits = record.dtype_bits,
          .dtype_lanes = 1,
          .shape = record.shape,
          .strides = nullptr,
          .byte_offset = 0};
}

std::vector<quern_call> Arenas::Calls(const Setup& setup, quern_parallel_for parallel_for,
                                      void* pool) {
  tensors_.clear();
  for (uint32_t set = 0; set < setup.num_sets; ++set) {
    for (uint32_t i = 0; i < setup.num_inputs; ++i) {
      tensors_.push_back(TensorAt(inputs_ + set * setup.set_bytes, records_[i]));
    }
  }
  const size_t first_output = tensors_.size();
  for (uint32_t i = 0; i < setup.num_outputs; ++i) {
    tensors_.push_back(TensorAt(outputs_, records_[setup.num_inputs + i]));
  }
  std::vector<quern_call> calls;
  calls.reserve(setup.num_sets);
  for (uint32_t set = 0; set < setup.num_sets; ++set) {
    calls.push_back({.struct_size = sizeof(quern_call),
                     .inputs = tensors_.data() + size_t{set} * setup.num_inputs,
                     .num_inputs = setup.num_inputs,
                     .outputs = tensors_.data() + first_output,
                     .num_outputs = setup.num_outputs,
                     .workspace = outputs_ + records_.back().offset,
                     .workspace_bytes = setup.workspace_bytes,
                     .parallel_for = parallel_for,
                     .pool = pool,
                     .stream = nullptr});
  }
  return calls;
}

FaultPlace Arenas::PlaceOf(const void* address) const {
  const std::byte* byte = static_cast<const std::byte*>(address);
  for (const std::byte* guard : guards_) {
    if (byte >= guard && byte < guard + kPage) return FaultPlace::kGuard;
  }
  const bool input = inputs_ != nullptr && byte >= inputs_ && byte < inputs_ + input_bytes_;
  return input ? FaultPlace::kInput : FaultPlace::kElsewhere;
}

bool Load(int fd, uint64_t workspace_bytes, Candidate* candidate, std::string* error) {
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  void* object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) {
    *error = dlerror();
    return false;
  }
  auto version = reinterpret_cast<decltype(&quern_abi_version)>(dlsym(object, "quern_abi_version"));
  auto workspace =
      reinterpret_cast<decltype(&quern_workspace_bytes)>(dlsym(object, "quern_workspace_bytes"));
  candidate->prepare = reinterpret_cast<decltype(&quern_prepare)>(dlsym(object, "quern_prepare"));
  candidate->run = reinterpret_cast<decltype(&quern_run)>(dlsym(object, "quern_run"));
  if (version == nullptr || workspace == nullptr || candidate->prepare == nullptr ||
      candidate->run == nullptr) {
    *error = "it lacks an entry point of quern_abi.h";
  } else if (version() != QUERN_ABI_VERSION) {
    *error = "its ABI version is " + std::to_string(version()) + ", not " +
             std::to_string(QUERN_ABI_VERSION);
  } else if (workspace() > workspace_bytes) {
    *error = "it wants a workspace of " + std::to_string(workspace()) +
             " bytes, its launch plan says " + std::to_string(workspace_bytes);
  }
  return error->empty();
}

}  // namespace quern::workers
