#include "verifier/proof.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace quern::verifier {

static std::vector<ElementType> ElementTypes(const SpecGraph& graph) {
  std::vector<ElementType> types;
  types.reserve(graph.arguments.size());
  for (const TensorType& type : graph.arguments) types.push_back(type.element);
  return types;
}

std::vector<RealInterval> ArgumentBoxes(size_t arguments, const CheckOptions& options) {
  std::vector<RealInterval> boxes(arguments, RealInterval{Box().low, Box().high});
  std::vector<bool> named(arguments, false);
  for (const Box& box : options.boxes) {
    if (box.argument < 0 || box.argument >= static_cast<int>(arguments)) continue;
    RealInterval& interval = boxes[box.argument];
    if (!named[box.argument]) interval = {box.low, box.high};
    named[box.argument] = true;
    interval = {std::max(interval.low, box.low), std::min(interval.high, box.high)};
  }
  return boxes;
}

Proof::Proof(const SpecGraph& graph, const Module& module, const LaunchPlan& plan,
             const CheckOptions& options, const ClassLimits& limits, Oracle* oracle)
    : graph_(graph),
      module_(module),
      plan_(plan),
      options_(options),
      limits_(limits),
      oracle_(*oracle),
      terms_(&affine_, ElementTypes(graph)),
      bounds_(&terms_, ArgumentBoxes(graph.arguments.size(), options)),
      algebra_(graph, &terms_),
      denotation_(graph, algebra_),
      buffers_(plan.buffers.size()) {
  if (options.semantics == Semantics::kReal) {
    bounds_.UseNormaliser(&normaliser_);
    terms_.UseBounds([this](Value number, const Type& from, const Type& to, bool is_signed) {
      return bounds_.Fits(number, from, to, is_signed);
    });
  }
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    buffers_[i].coverage = std::make_unique<Coverage>(plan.buffers[i]);
  }
  output_bounds_.resize(graph.results.size());
  for (size_t i = 0; i < output_bounds_.size(); ++i) output_bounds_[i].result = static_cast<int>(i);
}

Proof::~Proof() = default;

void Proof::Note(const std::string& kind, const std::string& site, const std::string& statement,
                 Method method, int64_t count) {
  obligations_.push_back(
      {.kind = kind, .site = site, .statement = statement, .method = method, .count = count});
}

Fault Proof::Spend(int64_t steps) {
  limits_.budget -= steps;
  if (limits_.budget < 0) {
    return {.kind = FaultKind::kBudget, .message = "too many instructions and values"};
  }
  if (std::chrono::steady_clock::now() > limits_.deadline) {
    return {.kind = FaultKind::kBudget, .message = "out of time"};
  }
  return {};
}

Fault Proof::Visit(int kernel, const SymbolicMemory& memory, const std::vector<int>& objects,
                   const std::vector<SymbolId>& blocks) {
  static constexpr int64_t kDistinctLimit = 1 << 26;
  std::vector<std::pair<int, std::vector<Written>>> written;
  for (size_t i = 0; i < objects.size(); ++i) {
    const int index = plan_.kernels[kernel].buffers[i];
    const BufferPlan& buffer = plan_.buffers[index];
    if (buffer.role == BufferRole::kInput) continue;
    if (buffer.role == BufferRole::kScratch) {
      if (memory.Distinct(objects[i], kDistinctLimit)) continue;
      return {.kind = FaultKind::kUndecided,
              .message = absl::StrCat("addresses written in '", buffer.name, "' may meet")};
    }
    std::optional<std::vector<Written>> contents = memory.Contents(objects[i]);
    if (!contents.has_value()) {
      return {.kind = FaultKind::kUndecided,
              .message = absl::StrCat("what '", buffer.name, "' holds is not known")};
    }
    for (const Written& cell : *contents) {
      Fault fault = Spend(terms_.Size(cell.value));
      if (fault.kind == FaultKind::kNone) fault = CheckCell(index, cell);
      if (fault.kind != FaultKind::kNone) return fault;
    }
    written.emplace_back(index, *std::move(contents));
  }
  for (const auto& [index, cells] : written) {
    if (cells.empty()) continue;
    Fault fault = buffers_[index].coverage->Add(affine_, cells, blocks, &oracle_);
    if (fault.kind != FaultKind::kNone) return fault;
  }
  return {};
}

std::optional<Gap> Proof::ReadTemporaries(int kernel) {
  for (int index : plan_.kernels[kernel].buffers) {
    const BufferPlan& buffer = plan_.buffers[index];
    if (buffer.role != BufferRole::kTemporary) continue;
    if (buffer.holds.empty()) {
      return Gap{.reason =
                     absl::StrCat("temporary '", buffer.name, "' does not say what it holds")};
    }
    if (absl::Status read = ReadHolds(index); !read.ok()) {
      return Gap{.reason = absl::StrCat("what temporary '", buffer.name,
                                        "' holds: ", std::string(read.message()))};
    }
  }
  return std::nullopt;
}

std::optional<ClassFault> Proof::Execute(int kernel) {
  std::vector<std::pair<int, Coverage>> before;
  for (int index : plan_.kernels[kernel].buffers) {
    before.emplace_back(index, *buffers_[index].coverage);
  }
  std::optional<ClassFault> first;
  for (const bool asking : {false, true}) {
    integers_.UseOracle(asking ? &oracle_ : nullptr);
    oracle_.Take();
    wrong_ = {};
    values_ = without_bound_ = 0;
    KernelClasses classes(
        module_, plan_.kernels[kernel], &terms_, &integers_,
        [this](int buffer) { return MakeObject(buffer); },
        [this, kernel](const SymbolicMemory& memory, const std::vector<int>& objects,
                       const std::vector<SymbolId>& blocks) {
          return Visit(kernel, memory, objects, blocks);
        });
    std::optional<ClassFault> fault = classes.Run(&limits_);
    if (!fault.has_value()) return std::nullopt;
    if (asking) {
      // With quotients as symbols other things may be in the way: the first fault says more.
      const std::string why = oracle_.silence().empty()
                                  ? absl::StrCat("with the solver: ", fault->fault.message)
                                  : oracle_.silence();
      absl::StrAppend(&first->fault.message, " (", why, ")");
      return first;
    }
    const FaultKind kind = fault->fault.kind;
    if (kind != FaultKind::kUndecided && kind != FaultKind::kPoison) return fault;
    first = std::move(fault);
    for (const auto& [index, coverage] : before) {
      buffers_[index].coverage = std::make_unique<Coverage>(coverage);
    }
  }
  return first;
}

void Proof::Conclude(int kernel, int64_t instructions) {
  static constexpr size_t kMaxLines = 32;
  const std::string site = absl::StrCat("@", plan_.kernels[kernel].symbol);
  const std::vector<std::pair<std::string, std::string>> asked = oracle_.Take();
  const Method method = asked.empty() ? Method::kLemma : Method::kSolver;
  Note("memory", site,
       "every access lies in its buffer, is aligned, and reads what was written; no poison is used",
       method, instructions);
  Note("value", site, "every element written is the spec's", method, values_ - without_bound_);
  if (without_bound_ > 0) {
    Note("value", site,
         "elements that may be infinite, NaN or out of range are the spec's bit for bit", method,
         without_bound_);
  }
  for (size_t i = 0; i < std::min(asked.size(), kMaxLines); ++i) {
    Note(asked[i].first, site, asked[i].second, Method::kSolver, 1);
  }
  if (asked.size() > kMaxLines) {
    Note("integer", site, "further questions like these", Method::kSolver,
         static_cast<int64_t>(asked.size() - kMaxLines));
  }
  for (int index : plan_.kernels[kernel].buffers) {
    BufferState& state = buffers_[index];
    const BufferPlan& buffer = plan_.buffers[index];
    if (buffer.role == BufferRole::kInput || buffer.role == BufferRole::kScratch) continue;
    const bool complete = !state.coverage->FirstMissing().has_value();
    if (complete && !state.complete) {
      Note("coverage", site, absl::StrCat("every element of '", buffer.name, "' is written once"),
           state.coverage->enumerated() ? Method::kEnumeration : Method::kSolver,
           state.coverage->elements());
    }
    state.complete = complete;
    if (complete && buffer.role == BufferRole::kTemporary && std::isfinite(state.held.error)) {
      bounds_.SetHeld(index, state.held);
    }
  }
}

std::optional<Gap> Proof::Run() {
  for (int k = 0; k < static_cast<int>(plan_.kernels.size()); ++k) {
    if (std::optional<Gap> gap = ReadTemporaries(k); gap.has_value()) return gap;
    const int64_t before = limits_.budget;
    const std::optional<ClassFault> fault = Execute(k);
    if (fault.has_value()) {
      const Fault& found = fault->fault;
      Gap gap = {.reason = absl::StrCat("@", plan_.kernels[k].symbol, ", block (",
                                        absl::StrJoin(fault->block, ", "), "): ", Name(found.kind),
                                        ": ", found.message, found.instruction.empty() ? "" : ": ",
                                        found.instruction),
                 .suspect = wrong_,
                 .suspicious = true};
      if (found.kind != FaultKind::kRace) {
        gap.suspect.kernel = k;
        gap.suspect.block = fault->block;
      }
      return gap;
    }
    Conclude(k, before - limits_.budget);
  }
  for (size_t i = 0; i < plan_.buffers.size(); ++i) {
    const BufferPlan& buffer = plan_.buffers[i];
    if (buffer.role != BufferRole::kOutput) continue;
    if (const std::optional<int64_t> missing = buffers_[i].coverage->FirstMissing();
        missing.has_value()) {
      return Gap{.reason = absl::StrCat("coverage: element ", *missing, " of '", buffer.name,
                                        "' is not written"),
                 .suspect = {},
                 .suspicious = true};
    }
  }
  return std::nullopt;
}

}  // namespace quern::verifier
