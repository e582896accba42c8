#include "workers/runner_memory.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "bundle/round_up.h"
#include "bundle/status.h"

namespace quern::workers {

static constexpr uint64_t kRedZoneBytes = 256;  // at least, before; behind at least kLine
static constexpr uint64_t kLine = 64;
static constexpr std::byte kRedZone{0xc3};

void RunnerMemory::Place(const TensorType& type, uint32_t shift, bool flush, uint64_t* cursor) {
  TensorRecord record = {};
  const uint64_t bytes = type.num_bytes();
  record.guard_before = *cursor;
  const uint64_t begin = record.guard_before + kPage;
  if (flush) {
    const uint64_t padded = RoundUp(bytes, kLine);
    record.guard_after = begin + RoundUp(padded, kPage);
    record.offset = record.guard_after - padded;
  } else {
    record.offset = begin + kRedZoneBytes + kLine * (shift % 16);
    record.guard_after = RoundUp(record.offset + bytes + kLine, kPage);
  }
  *cursor = record.guard_after + kPage;
  record.rank = static_cast<int32_t>(type.shape.size());
  std::copy(type.shape.begin(), type.shape.end(), record.shape);
  const DlpackType element = ToDlpack(type.element);
  record.dtype_code = element.code;
  record.dtype_bits = element.bits;
  records_.push_back(record);
}

static absl::StatusOr<Descriptor> CreateMemory(uint64_t bytes, std::byte** address) {
  Descriptor fd(memfd_create("quern", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  void* memory = MAP_FAILED;
  if (fd.get() >= 0 && ftruncate(fd.get(), static_cast<off_t>(bytes)) == 0) {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  }
  if (memory == MAP_FAILED) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no ", bytes, " bytes of shared memory: ", std::strerror(errno)));
  }
  *address = static_cast<std::byte*>(memory);
  return fd;
}

absl::Status RunnerMemory::Map() {
  const uint64_t input_bytes = setup_.set_bytes * setup_.num_sets;
  QUERN_ASSIGN_OR_RETURN(input_fd_, CreateMemory(input_bytes, &inputs_));
  QUERN_ASSIGN_OR_RETURN(output_fd_, CreateMemory(setup_.output_bytes, &outputs_));
  // From here on nobody can map the inputs for writing.
  const int size = F_SEAL_GROW | F_SEAL_SHRINK;
  if (fcntl(input_fd_.get(), F_ADD_SEALS, size | F_SEAL_FUTURE_WRITE) != 0 ||
      fcntl(output_fd_.get(), F_ADD_SEALS, size) != 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot seal shared memory: ", std::strerror(errno)));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<RunnerMemory>> RunnerMemory::Create(const Signature& signature,
                                                                   int num_sets,
                                                                   int64_t workspace_bytes,
                                                                   uint32_t placement) {
  constexpr int64_t kMaxBytes = int64_t{1} << 40;
  std::unique_ptr<RunnerMemory> memory(new RunnerMemory);
  memory->signature_ = signature;
  int64_t total = workspace_bytes;
  for (const auto& types : {signature.arguments, signature.results}) {
    for (const TensorType& type : types) {
      if (type.shape.size() > kMaxRank) {
        return absl::InvalidArgumentError(absl::StrCat(type.ToString(), ": more than ", kMaxRank,
                                                       " dimensions cannot be measured"));
      }
      if (__builtin_add_overflow(total, type.num_bytes(), &total) || total > kMaxBytes) {
        return absl::ResourceExhaustedError(
            absl::StrCat("a tensor ", type.ToString(), " does not fit in memory"));
      }
    }
  }
  Setup& setup = memory->setup_;
  uint64_t cursor = 0;
  uint32_t shift = 0;
  for (const TensorType& type : signature.arguments) {
    memory->Place(type, shift += placement, placement == 0, &cursor);
  }
  setup.set_bytes = std::max(cursor, kPage);
  cursor = 0;
  for (const TensorType& type : signature.results) {
    memory->Place(type, shift += placement, false, &cursor);
  }
  memory->Place({.element = ElementType::kBool, .shape = {workspace_bytes}}, shift + placement,
                false, &cursor);
  setup.output_bytes = cursor;
  setup.magic = kProtocolMagic;
  setup.num_inputs = static_cast<uint32_t>(signature.arguments.size());
  setup.num_outputs = static_cast<uint32_t>(signature.results.size());
  setup.num_sets = static_cast<uint32_t>(num_sets);
  setup.workspace_bytes = static_cast<uint64_t>(workspace_bytes);
  QUERN_RETURN_IF_ERROR(memory->Map());
  memory->Poison(kPoison);
  return memory;
}

RunnerMemory::~RunnerMemory() {
  if (inputs_ != nullptr) munmap(inputs_, setup_.set_bytes * setup_.num_sets);
  if (outputs_ != nullptr) munmap(outputs_, setup_.output_bytes);
}

uint64_t RunnerMemory::bytes_of(size_t record) const {
  const size_t result = record - setup_.num_inputs;
  return result < setup_.num_outputs ? signature_.results[result].num_bytes()
                                     : setup_.workspace_bytes;
}

void RunnerMemory::WriteInputs(int set, const std::vector<Tensor>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::memcpy(inputs_ + set * setup_.set_bytes + records_[i].offset, inputs[i].data(),
                inputs[i].type().num_bytes());
  }
}

void RunnerMemory::Poison(uint32_t pattern) {
  for (size_t i = setup_.num_inputs; i < records_.size(); ++i) {
    const TensorRecord& record = records_[i];
    std::byte* tensor = outputs_ + record.offset;
    std::byte* end = tensor + bytes_of(i);
    std::fill(outputs_ + record.guard_before + kPage, tensor, kRedZone);
    auto* words = reinterpret_cast<uint32_t*>(tensor);
    const uint64_t num_words = bytes_of(i) / sizeof(pattern);
    std::fill(words, words + num_words, pattern);
    std::fill(reinterpret_cast<std::byte*>(words + num_words), end,
              static_cast<std::byte>(pattern));
    std::fill(end, outputs_ + record.guard_after, kRedZone);
  }
}

std::optional<std::string> RunnerMemory::DamagedRedZone() const {
  auto intact = [](std::byte byte) { return byte == kRedZone; };
  for (size_t i = setup_.num_inputs; i < records_.size(); ++i) {
    const TensorRecord& record = records_[i];
    const std::byte* tensor = outputs_ + record.offset;
    const std::byte* end = tensor + bytes_of(i);
    const std::byte* limit = outputs_ + record.guard_after;
    const std::string name = i + 1 == records_.size()
                                 ? std::string("the workspace")
                                 : absl::StrCat("result ", i - setup_.num_inputs);
    const std::byte* before =
        std::find_if_not<const std::byte*>(outputs_ + record.guard_before + kPage, tensor, intact);
    if (before != tensor) return absl::StrCat(name, ", ", tensor - before, " bytes before it");
    const std::byte* behind = std::find_if_not(end, limit, intact);
    if (behind != limit) return absl::StrCat(name, ", ", behind - end, " bytes behind its end");
  }
  return std::nullopt;
}

const std::byte* RunnerMemory::output(size_t result) const {
  return outputs_ + records_[setup_.num_inputs + result].offset;
}

absl::StatusOr<std::vector<Tensor>> RunnerMemory::ReadOutputs() const {
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < signature_.results.size(); ++i) {
    QUERN_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Create(signature_.results[i]));
    std::memcpy(tensor.data(), output(i), tensor.type().num_bytes());
    outputs.push_back(std::move(tensor));
  }
  return outputs;
}

}  // namespace quern::workers
