// Loops of the symbolic domain: iterations that do not depend on each other are executed once.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "verifier/symbolic/domain.h"

namespace quern::verifier {

void SymbolicDomain::Followed(int function, int edge, std::vector<Register>& registers) {
  if (!ok()) return;
  if (!active_.empty() && active_.back().depth == frames_.size() &&
      loops_.site(active_.back().site).leaving.contains(edge)) {
    return Fail(FaultKind::kUndecided, "some iteration leaves the loop early");
  }
  if (const int site = loops_.Entered(function, edge); site >= 0 && !loops_.IsConcrete(site)) {
    BeginLoop(site, module_.functions[function], registers);
  } else if (const int closed = loops_.Closed(function, edge);
             closed >= 0 && !active_.empty() && active_.back().site == closed &&
             active_.back().depth == frames_.size()) {
    EndIterations(registers);
  }
}

std::optional<Value> SymbolicDomain::PhiAt(const ActiveLoop::Phi& phi, Affine iteration) {
  const std::optional<Affine> moved = affine_.Scale(iteration, phi.step);
  if (!moved.has_value()) return std::nullopt;
  const std::optional<Affine> value = affine_.Add(phi.start, *moved);
  if (!value.has_value()) return std::nullopt;
  return TermTable::Integer(*value);
}

void SymbolicDomain::BeginLoop(int index, const Function& function,
                               std::vector<Register>& registers) {
  const LoopSite& site = loops_.site(index);
  ActiveLoop loop = {.site = index, .depth = frames_.size()};
  for (const LoopSite::Phi& phi : site.phis) {
    const Value start = registers[phi.value].lanes[0];
    if (start.kind != Value::kInt) return;
    int64_t step = 0;
    if (phi.step >= 0) {
      const Value constant = registers[phi.step].lanes[0];
      if (constant.kind != Value::kInt || constant.id != 0 || constant.payload == INT64_MIN) return;
      step = phi.subtract ? -constant.payload : constant.payload;
    }
    loop.phis.push_back({phi.value, TermTable::AffineOf(start), step});
  }
  for (const LoopSite::Exit& exit : site.exits) {
    const Instruction& compare = function.code[exit.compare];
    const Value bound = registers[function.operands[compare.first + 1 - exit.side]].lanes[0];
    const ActiveLoop::Phi& phi = loop.phis[exit.phi];
    int64_t start = phi.start.constant;
    if (bound.kind != Value::kInt || bound.id != phi.start.linear ||
        (exit.next && __builtin_add_overflow(start, phi.step, &start))) {
      continue;
    }
    const int64_t count = GuessIterations(static_cast<Predicate>(compare.code), compare.type.bits,
                                          exit.side == 0, start, phi.step, bound.payload);
    if (count >= 2 && (loop.end == 0 || count < loop.end)) loop.end = count;
  }
  if (loop.end < 2) return;
  for (const int32_t carried : site.carried) {
    for (uint32_t lane = 0; lane < function.values[carried].lanes; ++lane) {
      loop.lanes.push_back({.place = &registers[carried].lanes[lane]});
      // What is poison may stay so, and what is lost is not known.
      if (registers[carried].lanes[lane].is_loose()) return;
    }
  }
  active_.push_back(std::move(loop));
  BeginIterations(registers);
}

static Type TypeOfLane(const LoopSite& site, const Function& function, size_t lane) {
  for (const int32_t carried : site.carried) {
    const Type& type = function.values[carried];
    if (lane < type.lanes) return type.scalar();
    lane -= type.lanes;
  }
  return {};
}

// A cell of another element than a float's would need another type; it is executed then.
static Type TypeOfCell(const TermTable& terms, Value value, int64_t bytes) {
  const auto bits = static_cast<uint8_t>(8 * bytes);
  return terms.TypeOf(value).value_or(Type{Type::kFloat, bits, 1});
}

void SymbolicDomain::CarryCells(ActiveLoop* loop) {
  loop->cells.clear();
  for (const Slot& slot : loops_.slots(loop->site)) {
    const std::optional<Value> before = memory_.Held(slot);
    if (!before.has_value()) continue;
    // As the place has symbols, what it holds depends on them.
    const Value number = TermTable::Integer({slot.linear, carried_++});
    const Type type = TypeOfCell(terms_, *before, slot.bytes);
    loop->cells.push_back(
        {slot, *before, terms_.Apply({.family = Op::kCarried, .type = type}, {number})});
  }
  memory_.EnterLoop();
  for (const ActiveLoop::Cell& cell : loop->cells) memory_.Hold(cell.slot, cell.carried);
}

void SymbolicDomain::BeginIterations(std::vector<Register>& registers) {
  ActiveLoop& loop = active_.back();
  loop.count = loops_.Together(loop.site, loop.begin, loop.end);
  Affine iteration = AffineTable::Number(loop.begin);
  if (!loop.alone()) {
    loop.counter = loops_.Counter(loop.site, loop.begin, loop.count);
    iteration = *affine_.Add(affine_.Symbol(loop.counter), iteration);
  }
  for (const ActiveLoop::Phi& phi : loop.phis) {
    const std::optional<Value> value = PhiAt(phi, iteration);
    if (!value.has_value()) return Fail(FaultKind::kUndecided, "a counter may wrap");
    registers[phi.value].lanes[0] = *value;
  }
  if (loop.alone()) return;
  const LoopSite& site = loops_.site(loop.site);
  for (size_t i = 0; i < loop.lanes.size(); ++i) {
    ActiveLoop::Lane& lane = loop.lanes[i];
    const Type type = TypeOfLane(site, module_.functions[site.function], i);
    lane.before = *lane.place;
    lane.carried = terms_.Apply({.family = Op::kCarried, .type = type},
                                {TermTable::Integer(AffineTable::Number(carried_++))});
    *lane.place = lane.carried;
  }
  CarryCells(&loop);
}

void SymbolicDomain::EndIterations(std::vector<Register>& registers) {
  ActiveLoop& loop = active_.back();
  Affine next = AffineTable::Number(loop.begin + 1);
  if (!loop.alone()) next = *affine_.Add(affine_.Symbol(loop.counter), next);
  for (const ActiveLoop::Phi& phi : loop.phis) {
    if (registers[phi.value].lanes[0] != PhiAt(phi, next)) {
      return Fail(FaultKind::kUndecided, "a counter does not step as expected");
    }
  }
  if (!loop.alone()) FoldIterations(&loop, registers);
  if (!ok()) return;
  loop.begin += loop.count;
  if (loop.begin < loop.end) return BeginIterations(registers);
  // The iteration after these is executed by itself, with what they folded.
  for (const ActiveLoop::Phi& phi : loop.phis) {
    const std::optional<Value> value = PhiAt(phi, AffineTable::Number(loop.end));
    if (!value.has_value()) return Fail(FaultKind::kUndecided, "a counter may wrap");
    registers[phi.value].lanes[0] = *value;
  }
  active_.pop_back();
}

void SymbolicDomain::FoldIterations(ActiveLoop* loop, std::vector<Register>& registers) {
  // By induction: each iteration adds its element to what it was given.
  std::vector<Value> totals;
  const auto fold = [&](Value carried, Value before, std::optional<Value> after) {
    if (after.has_value()) {
      after = terms_.FoldOver(carried, before, *after, loop->counter, loop->count);
    }
    if (!after.has_value()) return Fail(FaultKind::kUndecided, "what a loop carries is no fold");
    totals.push_back(*after);
  };
  std::set<Slot> carried;
  for (const ActiveLoop::Lane& lane : loop->lanes) fold(lane.carried, lane.before, *lane.place);
  for (const ActiveLoop::Cell& cell : loop->cells) {
    fold(cell.carried, cell.before, memory_.Held(cell.slot));
    carried.insert(cell.slot);
  }
  std::set<Slot> conflicts;
  if (ok() && !memory_.LeaveLoop(loop->counter, !totals.empty(), carried, &conflicts)) {
    learned_ = !conflicts.empty() && loops_.Carry(loop->site, conflicts);
    Fail(FaultKind::kUndecided, conflicts.empty() ? "a store of what a loop carries"
                                                  : "an iteration reads what an earlier one wrote");
  }
  if (!ok()) return;
  const LoopSite& site = loops_.site(loop->site);
  if (!totals.empty()) folding_.insert(loop->site);
  const Function& function = module_.functions[site.function];
  for (const int32_t value : site.defined) {
    const Value lost = {.kind = Value::kLost, .id = loop->site};
    std::fill_n(registers[value].lanes, function.values[value].lanes, lost);
  }
  for (size_t i = 0; i < loop->lanes.size(); ++i) *loop->lanes[i].place = totals[i];
  for (size_t i = 0; i < loop->cells.size(); ++i) {
    memory_.Hold(loop->cells[i].slot, totals[loop->lanes.size() + i]);
  }
}

std::vector<int> SymbolicDomain::Suspects() const {
  std::vector<int> sites;
  if (lost_site_ >= 0) sites.push_back(lost_site_);
  if (!active_.empty()) sites.push_back(active_.back().site);
  for (int object = 0; object < memory_.count(); ++object) {
    for (SymbolId symbol : memory_.Symbols(object)) {
      if (const int site = loops_.SiteOf(symbol); site >= 0) sites.push_back(site);
    }
  }
  return sites;
}

}  // namespace quern::verifier
