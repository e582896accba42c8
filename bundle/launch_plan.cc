#include "bundle/launch_plan.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bundle/json_view.h"
#include "bundle/round_up.h"
#include "bundle/status.h"

namespace quern {

static constexpr std::string_view kRoles[] = {"input", "output", "temporary", "scratch"};
static constexpr int64_t kWorkspaceAlignment = 64;
static constexpr int64_t kMaxThreads = 1024;

// Found by JsonView::Enum.
static std::string Name(BufferRole role) { return std::string(kRoles[static_cast<int>(role)]); }

std::vector<int64_t> LaunchPlan::workspace_offsets() const {
  std::vector<int64_t> offsets;
  int64_t end = 0;
  for (const BufferPlan& buffer : buffers) {
    const bool temporary = buffer.role == BufferRole::kTemporary;
    if (temporary) end = RoundUp(end, buffer.alignment);
    offsets.push_back(temporary ? end : -1);
    if (temporary) end += buffer.bytes;
  }
  return offsets;
}

int64_t LaunchPlan::workspace_bytes() const {
  const std::vector<int64_t> offsets = workspace_offsets();
  int64_t bytes = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (offsets[i] >= 0) bytes = RoundUp(offsets[i] + buffers[i].bytes, kWorkspaceAlignment);
  }
  return bytes;
}

std::string ToJson(const LaunchPlan& plan) {
  nlohmann::json buffers = nlohmann::json::array();
  for (const BufferPlan& buffer : plan.buffers) {
    nlohmann::json layout = nlohmann::json::array();
    for (const LayoutDigit& digit : buffer.layout.digits) {
      layout.push_back(
          {{"dimension", digit.dimension}, {"divisor", digit.divisor}, {"extent", digit.extent}});
    }
    buffers.push_back({{"name", buffer.name},
                       {"role", Name(buffer.role)},
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
  return JsonText({{"version", 1},
                   {"target", plan.target},
                   {"cpu", plan.cpu},
                   {"features", plan.features},
                   {"buffers", buffers},
                   {"kernels", kernels}});
}

static BufferPlan ParseBuffer(const JsonView& view) {
  view.ExpectKeys({"name", "role", "position", "type", "layout", "bytes", "alignment", "holds"});
  BufferPlan buffer{
      .name = view["name"].String(),
      .role = view["role"].Enum<BufferRole>(std::size(kRoles)),
      .position = view["position"].Int(-1),
      .type = view["type"].Parsed(ParseTensorType, "is not a tensor type such as f32[512,1024]"),
      .layout = {},
      .bytes = view["bytes"].Integer(),
      .alignment = view["alignment"].Integer(1),
      .holds = view["holds"].String()};
  for (const JsonView& digit : view["layout"].Items()) {
    digit.ExpectKeys({"dimension", "divisor", "extent"});
    buffer.layout.digits.push_back({.dimension = digit["dimension"].Int(),
                                    .divisor = digit["divisor"].Integer(1),
                                    .extent = digit["extent"].Integer(1)});
  }
  return buffer;
}

static std::array<int64_t, 3> ParseExtents(const JsonView& view, int64_t low) {
  const std::vector<int64_t> extents = view.Integers(low);
  if (extents.size() == 3) return {extents[0], extents[1], extents[2]};
  view.Fail("does not have three extents");
  return {};
}

static KernelPlan ParseKernel(const JsonView& view) {
  view.ExpectKeys({"symbol", "grid", "threads", "buffers"});
  KernelPlan kernel{.symbol = view["symbol"].String(),
                    .grid = ParseExtents(view["grid"], 0),
                    .threads = ParseExtents(view["threads"], 1),
                    .buffers = {}};
  for (const JsonView& index : view["buffers"].Items()) kernel.buffers.push_back(index.Int());
  return kernel;
}

absl::StatusOr<LaunchPlan> ParseLaunchPlan(std::string_view text) {
  QUERN_ASSIGN_OR_RETURN(nlohmann::json json, ParseJson(text, "launch plan"));
  absl::Status status;
  const JsonView view(&json, "launch plan:", &status);
  view.ExpectKeys({"version", "target", "cpu", "features", "buffers", "kernels"});
  view["version"].Integer(1, 1);
  LaunchPlan plan{.target = view["target"].String(),
                  .cpu = view["cpu"].String(),
                  .features = view["features"].String(),
                  .buffers = {},
                  .kernels = {}};
  for (const JsonView& item : view["buffers"].Items()) plan.buffers.push_back(ParseBuffer(item));
  for (const JsonView& item : view["kernels"].Items()) plan.kernels.push_back(ParseKernel(item));
  QUERN_RETURN_IF_ERROR(status);
  QUERN_RETURN_IF_ERROR(Validate(plan));
  return plan;
}

// The first thing wrong with a buffer, or "".
static std::string Complaint(const BufferPlan& buffer) {
  const bool positioned = buffer.role == BufferRole::kInput || buffer.role == BufferRole::kOutput;
  const bool temporary = buffer.role == BufferRole::kTemporary;
  if (positioned ? buffer.position < 0 : buffer.position != -1) {
    return "position: an input or output has one, others have -1";
  }
  if (!buffer.layout.row_major() && !temporary) return "layout: only a temporary may have one";
  if (!IsValid(buffer.layout, buffer.type.shape)) return "layout: does not number the shape";
  int64_t bytes = 0;
  if (__builtin_mul_overflow(PhysicalElements(buffer.layout, buffer.type.shape),
                             ByteSize(buffer.type.element), &bytes)) {
    return "type: is too large";
  }
  if (buffer.bytes < bytes) return "bytes: too few for the type and layout";
  if (positioned && buffer.bytes > bytes) return "bytes: more than an argument or result has";
  if (buffer.alignment < 1 || !std::has_single_bit(static_cast<uint64_t>(buffer.alignment))) {
    return "alignment: not a power of two";
  }
  if (temporary && buffer.alignment > kWorkspaceAlignment) {
    return "alignment: a workspace is only 64-byte aligned";
  }
  if (!temporary && !buffer.holds.empty()) return "holds: only a temporary may have it";
  return "";
}

static std::string Complaint(const KernelPlan& kernel, size_t num_buffers) {
  if (kernel.symbol.empty()) return "symbol: is empty";
  std::set<int> seen;
  for (int index : kernel.buffers) {
    if (index < 0 || static_cast<size_t>(index) >= num_buffers) return "buffers: no such buffer";
    if (!seen.insert(index).second) return "buffers: a buffer is passed twice";
  }
  int64_t blocks = 1;
  for (int64_t extent : kernel.grid) {
    if (extent < 0) return "grid: is negative";
    if (__builtin_mul_overflow(blocks, std::max<int64_t>(extent, 1), &blocks)) {
      return "grid: is too large";
    }
  }
  int64_t threads = 1;
  for (int64_t extent : kernel.threads) {
    if (extent < 1 || extent > kMaxThreads / threads) return "threads: a block has 1 to 1024";
    threads *= extent;
  }
  return "";
}

absl::Status Validate(const LaunchPlan& plan) {
  auto error = [](const char* list, size_t index, const std::string& complaint) {
    return absl::InvalidArgumentError(
        absl::StrCat("launch plan: ", list, "[", index, "].", complaint));
  };
  std::set<std::pair<BufferRole, int>> positions;
  std::set<std::string> names;
  int64_t workspace = kWorkspaceAlignment;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferPlan& buffer = plan.buffers[i];
    std::string complaint = Complaint(buffer);
    if (!names.insert(buffer.name).second) complaint = "name: another buffer has it";
    if (buffer.position >= 0 && !positions.insert({buffer.role, buffer.position}).second) {
      complaint = "position: another buffer has it";
    }
    if (complaint.empty() && buffer.role == BufferRole::kTemporary) {
      const bool over = __builtin_add_overflow(workspace, buffer.bytes, &workspace) ||
                        __builtin_add_overflow(workspace, kWorkspaceAlignment, &workspace);
      if (over) complaint = "bytes: the workspace is too large";
    }
    if (!complaint.empty()) return error("buffers", i, complaint);
  }
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    const std::string complaint = Complaint(plan.kernels[i], plan.buffers.size());
    if (!complaint.empty()) return error("kernels", i, complaint);
  }
  return absl::OkStatus();
}

}  // namespace quern
