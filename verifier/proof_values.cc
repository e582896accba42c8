// What buffers hold: the values that kernels read and those that they must write.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "bundle/status.h"
#include "verifier/proof.h"
#include "verifier/real/point_bounds.h"
#include "verifier/spec/reader.h"
#include "verifier/symbolic/solution.h"

namespace quern::verifier {

absl::Status Proof::ReadHolds(int index) {
  BufferState& state = buffers_[index];
  const BufferPlan& buffer = plan_.buffers[index];
  if (state.denotation != nullptr) return absl::OkStatus();
  QUERN_ASSIGN_OR_RETURN(SpecGraph graph, ReadSpec(buffer.holds));
  if (graph.arguments != graph_.arguments ||
      graph.results != std::vector<TensorType>{buffer.type}) {
    return absl::InvalidArgumentError("its types are not those of the buffer and the spec");
  }
  state.holds = std::make_unique<SpecGraph>(std::move(graph));
  state.algebra = std::make_unique<SymbolicAlgebra>(*state.holds, &terms_);
  state.denotation = std::make_unique<Denotation<SymbolicAlgebra>>(*state.holds, *state.algebra);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<std::vector<Affine>>> Proof::Logical(const BufferPlan& buffer,
                                                                  Affine element) {
  const std::vector<int64_t>& shape = buffer.type.shape;
  std::vector<LayoutDigit> digits = buffer.layout.digits;
  if (digits.empty()) {
    for (size_t i = 0; i < shape.size(); ++i) digits.push_back({static_cast<int>(i), 1, shape[i]});
  }
  std::vector<Affine> index(shape.size());
  for (size_t i = digits.size(); i-- > 0;) {
    const LayoutDigit& digit = digits[i];
    const std::optional<AffineTable::Division> division = integers_.Divide(element, digit.extent);
    if (!division.has_value()) return absl::OutOfRangeError("an index is not affine");
    element = division->quotient;
    const std::optional<Affine> part = affine_.Scale(division->remainder, digit.divisor);
    const std::optional<Affine> sum =
        part.has_value() ? affine_.Add(index[digit.dimension], *part) : std::nullopt;
    if (!sum.has_value()) return absl::InternalError("an index is too large");
    index[digit.dimension] = *sum;
  }
  if (!integers_.Within(element, {0, 0}, "index")) {
    const std::optional<Interval> beyond = affine_.Bounds(element);
    const bool nowhere = beyond.has_value() && (beyond->low > 0 || beyond->high < 0);
    if (nowhere) return std::optional<std::vector<Affine>>();  // padding
    return absl::InternalError("an access that reaches into padding");
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    const std::optional<Interval> range = affine_.Bounds(index[i]);
    if (!range.has_value()) return absl::InternalError("an index has no bounds");
    if (range->low >= shape[i]) return std::optional<std::vector<Affine>>();
    if (!integers_.Within(index[i], {0, shape[i] - 1}, "index")) {
      return absl::InternalError("an access that reaches into padding");
    }
  }
  return std::optional<std::vector<Affine>>(std::move(index));
}

absl::StatusOr<Value> Proof::ReadTemporary(int index, Affine element) {
  BufferState& state = buffers_[index];
  const BufferPlan& buffer = plan_.buffers[index];
  if (auto found = state.read.find(element); found != state.read.end()) return found->second;
  QUERN_ASSIGN_OR_RETURN(const std::optional<std::vector<Affine>> at, Logical(buffer, element));
  if (!at.has_value()) return absl::InternalError("reads padding");
  QUERN_ASSIGN_OR_RETURN(Value value, ResultAt(*state.denotation, terms_, *state.holds, 0, *at));
  // What was rounded otherwise is not the spec's bits; integers are proved exactly.
  const bool plain = value.kind == Value::kLeaf || value.kind == Value::kInt;
  const bool moved = (plain && state.held.error == 0) || state.identical;
  if (!moved && IsFloat(buffer.type.element) && options_.semantics == Semantics::kReal) {
    value = terms_.Apply(
        {.family = Op::kHeld, .type = TermTable::TypeOf(buffer.type.element), .name = index},
        {value});
  }
  state.read.emplace(element, value);
  return value;
}

SymbolicObject Proof::MakeObject(int index) {
  const BufferPlan& buffer = plan_.buffers[index];
  SymbolicObject object = {
      .name = buffer.name, .bytes = buffer.bytes, .alignment = buffer.alignment};
  const bool input = buffer.role == BufferRole::kInput;
  if (input || (buffer.role == BufferRole::kTemporary && buffers_[index].complete)) {
    object.writable = false;
    object.element_bytes = ByteSize(buffer.type.element);
    if (input) {
      object.source = [this, position = buffer.position](Affine element) -> absl::StatusOr<Value> {
        return terms_.MakeLeaf(position, element);
      };
    } else {
      object.source = [this, index](Affine element) { return ReadTemporary(index, element); };
    }
  }
  return object;
}

Fault Proof::Undecided(const absl::Status& status, const std::string& what) {
  if (absl::IsOutOfRange(status) && affine_.blocked().has_value()) {
    integers_.SplitBlocked();
    if (integers_.split().has_value()) return {.kind = FaultKind::kSplit, .message = what};
  }
  return {.kind = FaultKind::kUnsupported,
          .message = absl::StrCat(what, ": ", std::string(status.message()))};
}

std::string Proof::CheckError(int index, Value expected, Value actual) {
  const BufferPlan& buffer = plan_.buffers[index];
  const Type type = TermTable::TypeOf(buffer.type.element);
  // First the spec's, whose divisors tell the range of equal ones.
  const absl::StatusOr<Bound> naive = bounds_.Of(expected, type);
  const absl::StatusOr<Bound> bound = bounds_.Of(actual, type);
  BufferState& state = buffers_[index];
  OutputBound error;
  if (bound.ok() && naive.ok()) {
    error = {.absolute = bound->error, .naive = naive->error};
    state.held.floor = std::max(state.held.floor, Floor(*bound));
    state.held.relative = std::max(state.held.relative, Relative(*bound));
  } else if (expected == actual) {
    // The same operations in the same order: infinite, NaN or out of range alike.
    ++without_bound_;
    error.absolute = error.naive = std::numeric_limits<double>::infinity();
  } else {
    return std::string((bound.ok() ? naive : bound).status().message());
  }
  state.held.error = std::max(state.held.error, error.absolute);
  if (buffer.role != BufferRole::kOutput) return "";
  OutputBound& output = output_bounds_[buffer.position];
  output.absolute = std::max(output.absolute, error.absolute);
  output.naive = std::max(output.naive, error.naive);
  if (error.absolute <= options_.error_ratio * error.naive) return "";
  return absl::StrCat("error-bound: ", error.absolute, " is more than ", options_.error_ratio,
                      " times the naive program's ", error.naive);
}

Suspect Proof::Suspicion(int index, const std::vector<Affine>& at, Value expected, Value actual) {
  const BufferPlan& buffer = plan_.buffers[index];
  Suspect suspect = {.output = buffer.role == BufferRole::kOutput ? buffer.position : -1};
  for (const Affine& coordinate : at) suspect.index.push_back(affine_.Bounds(coordinate)->low);
  if (suspect.output < 0 || options_.semantics != Semantics::kReal) return suspect;
  const Type type = TermTable::TypeOf(buffer.type.element);
  suspect.margins = [this, at, expected, actual, type](const std::vector<int64_t>& element,
                                                       const std::vector<const Tensor*>& inputs) {
    auto symbols = Solve(affine_, at, element);
    if (!symbols.has_value()) return Margin();
    const auto number = [&](int argument, int64_t offset) -> std::optional<double> {
      const Tensor& input = *inputs[argument];
      if (offset < 0 || offset >= input.type().num_elements()) return std::nullopt;
      const double value = input.At(offset);
      if (std::fabs(value) > 0x1p53 && IsInteger(input.type().element)) return std::nullopt;
      return value;
    };
    PointBounds bounds(&terms_, {*std::move(symbols), number}, bounds_.held());
    const absl::StatusOr<Bound> one = bounds.Of(expected, type), other = bounds.Of(actual, type);
    Margin margin = {.finite = one.ok()};
    // The computed values differ from the real ones by their errors at most; a larger difference of
    // the two shows that the real ones differ.
    if (one.ok() && other.ok() && !bounds.steps()) margin.distance = Up(one->error + other->error);
    return margin;
  };
  return suspect;
}

Fault Proof::CheckValue(int index, const std::vector<Affine>& at, Value expected, Value actual) {
  const BufferPlan& buffer = plan_.buffers[index];
  std::vector<std::string> coordinates;
  for (const Affine& coordinate : at) coordinates.push_back(affine_.ToString(coordinate));
  const std::string where =
      absl::StrCat("'", buffer.name, "' at [", absl::StrJoin(coordinates, ", "), "]");
  const auto fault = [&](const std::string& message) {
    wrong_ = Suspicion(index, at, expected, actual);
    return Fault{.kind = FaultKind::kUnsupported, .message = absl::StrCat(where, ": ", message)};
  };
  ++values_;
  if (options_.semantics != Semantics::kReal) {
    if (expected == actual) return {};
    return fault(
        absl::StrCat("holds ", terms_.ToString(actual), ", not ", terms_.ToString(expected)));
  }
  const Type type = TermTable::TypeOf(buffer.type.element);
  if (expected != actual) {
    buffers_[index].identical = false;
    const absl::StatusOr<Form> actual_form = normaliser_.Normalise(actual, type);
    if (!actual_form.ok()) return fault(std::string(actual_form.status().message()));
    const absl::StatusOr<Form> expected_form = normaliser_.Normalise(expected, type);
    if (!expected_form.ok()) return fault(std::string(expected_form.status().message()));
    if (!(*actual_form == *expected_form)) {
      return fault(normaliser_.Difference(*actual_form, *expected_form));
    }
  }
  const std::string wrong = CheckError(index, expected, actual);
  return wrong.empty() ? Fault() : fault(wrong);
}

Fault Proof::CheckCell(int index, const Written& written) {
  const BufferPlan& buffer = plan_.buffers[index];
  const int64_t size = ByteSize(buffer.type.element);
  const std::optional<AffineTable::Division> element =
      affine_.Divide({written.linear, written.offset}, size);
  if (written.bytes != size || !element.has_value() ||
      element->remainder != AffineTable::Number(0)) {
    affine_.ClearBlocked();
    return {.kind = FaultKind::kUnsupported,
            .message = absl::StrCat("'", buffer.name, "' is not written in whole elements")};
  }
  affine_.ClearBlocked();
  const absl::StatusOr<std::optional<std::vector<Affine>>> at = Logical(buffer, element->quotient);
  if (!at.ok()) return Undecided(at.status(), absl::StrCat("an index of '", buffer.name, "'"));
  if (!at->has_value()) return {};
  affine_.ClearBlocked();
  const bool output = buffer.role == BufferRole::kOutput;
  const absl::StatusOr<Value> expected =
      output ? ResultAt(denotation_, terms_, graph_, buffer.position, **at)
             : ResultAt(*buffers_[index].denotation, terms_, *buffers_[index].holds, 0, **at);
  if (!expected.ok()) return Undecided(expected.status(), "the spec");
  return CheckValue(index, **at, *expected, written.value);
}

}  // namespace quern::verifier
