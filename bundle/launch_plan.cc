#include "bundle/launch_plan.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "bundle/json_reader.h"
#include "bundle/status.h"

namespace quern {

static constexpr std::string_view kRoles[] = {"input", "output", "temporary", "scratch"};

int64_t LaunchPlan::workspace_bytes() const {
  int64_t total = 0;
  for (const BufferPlan& buffer : buffers) {
    if (buffer.role != BufferRole::kTemporary) continue;
    total = (total + buffer.alignment - 1) / buffer.alignment * buffer.alignment;
    total += buffer.bytes;
  }
  return (total + 63) / 64 * 64;
}

std::string ToJson(const LaunchPlan& plan) {
  nlohmann::json buffers = nlohmann::json::array();
  for (const BufferPlan& buffer : plan.buffers) {
    nlohmann::json layout = nlohmann::json::array();
    for (const LayoutDigit& digit : buffer.layout.digits) {
      layout.push_back({digit.dimension, digit.divisor, digit.extent});
    }
    buffers.push_back({{"name", buffer.name},
                       {"role", kRoles[static_cast<int>(buffer.role)]},
                       {"position", buffer.position},
                       {"type", buffer.type.ToString()},
                       {"layout", layout},
                       {"bytes", buffer.bytes},
                       {"alignment", buffer.alignment},
                       {"holds", buffer.holds}});
  }
  nlohmann::json kernels = nlohmann::json::array();
  for (const KernelPlan& kernel : plan.kernels) {
    kernels.push_back({{"symbol", kernel.symbol},
                       {"grid", kernel.grid},
                       {"threads", kernel.threads},
                       {"buffers", kernel.buffers}});
  }
  return nlohmann::json({{"version", 1},
                         {"target", plan.target},
                         {"cpu", plan.cpu},
                         {"features", plan.features},
                         {"buffers", buffers},
                         {"kernels", kernels}})
      .dump(1);
}

static absl::StatusOr<BufferPlan> ParseBuffer(const nlohmann::json& json, const std::string& path) {
  JsonReader reader(json, path);
  BufferPlan buffer;
  buffer.name = reader.String("name");
  const std::string role = reader.String("role");
  const auto* found = std::find(std::begin(kRoles), std::end(kRoles), role);
  if (found == std::end(kRoles)) reader.Fail("role", "must be input, output, temporary or scratch");
  buffer.role = static_cast<BufferRole>(found - std::begin(kRoles));
  buffer.position = static_cast<int>(reader.Integer("position", -1, 1 << 20));
  std::optional<TensorType> type = ParseTensorType(reader.String("type"));
  if (!type) reader.Fail("type", "must be a tensor type such as f32[512,512]");
  buffer.type = type.value_or(TensorType{});
  for (const nlohmann::json& digit : reader.Array("layout")) {
    if (!digit.is_array() || digit.size() != 3 || !digit[0].is_number_integer() ||
        !digit[1].is_number_integer() || !digit[2].is_number_integer()) {
      reader.Fail("layout", "must hold triples of integers");
      break;
    }
    buffer.layout.digits.push_back(
        {digit[0].get<int>(), digit[1].get<int64_t>(), digit[2].get<int64_t>()});
  }
  buffer.bytes = reader.Integer("bytes", 0);
  buffer.alignment = reader.Integer("alignment", 1, 1 << 20);
  buffer.holds = reader.String("holds");
  QUERN_RETURN_IF_ERROR(reader.Finish());
  return buffer;
}

static absl::StatusOr<KernelPlan> ParseKernel(const nlohmann::json& json, const std::string& path) {
  JsonReader reader(json, path);
  KernelPlan kernel;
  kernel.symbol = reader.String("symbol");
  for (auto [key, target] :
       {std::pair{"grid", &kernel.grid}, std::pair{"threads", &kernel.threads}}) {
    std::vector<int64_t> values = reader.Integers(key, 0);
    if (values.size() != 3) {
      reader.Fail(key, "must hold three integers");
    } else {
      std::copy(values.begin(), values.end(), target->begin());
    }
  }
  for (int64_t index : reader.Integers("buffers", 0)) {
    kernel.buffers.push_back(static_cast<int>(std::min<int64_t>(index, INT32_MAX)));
  }
  QUERN_RETURN_IF_ERROR(reader.Finish());
  return kernel;
}

absl::StatusOr<LaunchPlan> ParseLaunchPlan(std::string_view text) {
  QUERN_ASSIGN_OR_RETURN(nlohmann::json json, ParseJson(text, "launch plan"));
  JsonReader reader(json, "launch plan");
  LaunchPlan plan;
  reader.Integer("version", 1, 1);
  plan.target = reader.String("target");
  plan.cpu = reader.String("cpu");
  plan.features = reader.String("features");
  for (const nlohmann::json& item : reader.Array("buffers")) {
    absl::StatusOr<BufferPlan> buffer =
        ParseBuffer(item, reader.Path("buffers", plan.buffers.size()));
    reader.Merge(buffer.status());
    if (!buffer.ok()) break;
    plan.buffers.push_back(*std::move(buffer));
  }
  for (const nlohmann::json& item : reader.Array("kernels")) {
    absl::StatusOr<KernelPlan> kernel =
        ParseKernel(item, reader.Path("kernels", plan.kernels.size()));
    reader.Merge(kernel.status());
    if (!kernel.ok()) break;
    plan.kernels.push_back(*std::move(kernel));
  }
  QUERN_RETURN_IF_ERROR(reader.Finish());
  QUERN_RETURN_IF_ERROR(Validate(plan));
  return plan;
}

static absl::Status ValidateBuffer(const BufferPlan& buffer) {
  auto error = [&](absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat("launch plan: buffer '", buffer.name, "': ", what));
  };
  int64_t elements = ByteSize(buffer.type.element);
  for (int64_t extent : buffer.type.shape) {
    if (extent < 0 || __builtin_mul_overflow(elements, extent, &elements))
      return error("type is too large");
  }
  const bool positioned = buffer.role == BufferRole::kInput || buffer.role == BufferRole::kOutput;
  if (positioned != (buffer.position >= 0))
    return error("position is for inputs and outputs alone");
  if (positioned && !buffer.layout.row_major()) return error("inputs and outputs are row-major");
  if (!IsValid(buffer.layout, buffer.type.shape)) return error("layout does not number its shape");
  int64_t bytes = 0;
  if (__builtin_mul_overflow(PhysicalElements(buffer.layout, buffer.type.shape),
                             ByteSize(buffer.type.element), &bytes) ||
      buffer.bytes < bytes) {
    return error("has too few bytes for its type and layout");
  }
  if (positioned && buffer.bytes != bytes)
    return error("inputs and outputs have exactly their type's bytes");
  if (buffer.alignment < 1 || (buffer.alignment & (buffer.alignment - 1)) != 0) {
    return error("alignment must be a power of two");
  }
  return absl::OkStatus();
}

absl::Status Validate(const LaunchPlan& plan) {
  std::set<std::pair<BufferRole, int>> positions;
  std::set<std::string> names;
  for (const BufferPlan& buffer : plan.buffers) {
    QUERN_RETURN_IF_ERROR(ValidateBuffer(buffer));
    if (!names.insert(buffer.name).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("launch plan: two buffers are named '", buffer.name, "'"));
    }
    if (buffer.position >= 0 && !positions.insert({buffer.role, buffer.position}).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("launch plan: buffer '", buffer.name, "': its position is taken"));
    }
  }
  for (const KernelPlan& kernel : plan.kernels) {
    auto error = [&](absl::string_view what) {
      return absl::InvalidArgumentError(
          absl::StrCat("launch plan: kernel '", kernel.symbol, "': ", what));
    };
    std::set<int> seen;
    for (int index : kernel.buffers) {
      if (index < 0 || index >= static_cast<int>(plan.buffers.size()))
        return error("no such buffer");
      if (!seen.insert(index).second) return error("a buffer is passed twice");
    }
    int64_t blocks = 1;
    for (int64_t extent : kernel.grid) {
      if (extent < 0 || __builtin_mul_overflow(blocks, extent, &blocks))
        return error("grid is too large");
    }
    for (int64_t extent : kernel.threads) {
      if (extent < 1 || extent > 1024) return error("a block has 1 to 1024 threads on each axis");
    }
  }
  return absl::OkStatus();
}

}  // namespace quern
