#include "verifier/symbolic/classes.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "verifier/machine/machine.h"

namespace quern::verifier {

KernelClasses::KernelClasses(const Module& module, const KernelPlan& kernel, TermTable* terms,
                             Integers* integers, MakeObject make_object, Visit visit)
    : module_(module),
      kernel_(kernel),
      function_(module.Find(kernel.symbol)),
      terms_(*terms),
      integers_(*integers),
      make_object_(std::move(make_object)),
      visit_(std::move(visit)),
      loops_(module, &terms->affine()) {}

KernelClasses::Execution KernelClasses::Execute(const BlockClass& blocks, ClassLimits* limits) {
  static constexpr const char* kNames[] = {"bx", "by", "bz"};
  AffineTable& affine = terms_.affine();
  SymbolicMemory memory(&terms_, &integers_);
  std::vector<int> objects;
  objects.reserve(kernel_.buffers.size());
  for (int buffer : kernel_.buffers) objects.push_back(memory.Add(make_object_(buffer)));
  SymbolicDomain domain(module_, &terms_, &integers_, &memory, &loops_);
  Machine<SymbolicDomain> machine(module_, domain);
  machine.set_deadline(limits->deadline);
  for (size_t i = 0; i < objects.size(); ++i) {
    machine.parameter(function_, static_cast<int>(i)).lanes[0] = {
        Value::kPointer, static_cast<int16_t>(objects[i]), 0, 0};
  }
  std::vector<SymbolId> symbols;
  for (int axis = 0; axis < 3; ++axis) {
    Affine coordinate = AffineTable::Number(blocks[axis].base);
    for (size_t i = 0; i < blocks[axis].digits.size(); ++i) {
      const Axis::Digit& digit = blocks[axis].digits[i];
      if (digit.count == 1) continue;
      const auto [found, fresh] =
          symbols_.emplace(std::tuple(axis, static_cast<int>(i), digit.count), -1);
      if (fresh) found->second = affine.AddSymbol(kNames[axis], {0, digit.count - 1});
      symbols.push_back(found->second);
      // Within the grid, so far below overflow.
      coordinate =
          *affine.Add(coordinate, *affine.Scale(affine.Symbol(found->second), digit.stride));
    }
    machine.parameter(function_, static_cast<int>(objects.size()) + axis).lanes[0] =
        TermTable::Integer(coordinate);
  }
  integers_.ClearSplit();
  affine.ClearBlocked();
  const bool ran = machine.Run(function_, &limits->budget);
  return {.fault = ran ? visit_(memory, objects, symbols) : machine.fault(),
          .suspects = domain.Suspects(),
          .folding = domain.folding(),
          .learned = domain.learned()};
}

std::vector<BlockClass> KernelClasses::Divide(const BlockClass& blocks, const Split& split) {
  if (const int site = loops_.SiteOf(split.symbol); site >= 0) {
    if (split.radix != 0) {
      if (!loops_.MakeConcrete(site)) return {};
    } else {
      loops_.BreakAt(split.symbol, split.at);
    }
    return {blocks};
  }
  for (int axis = 0; axis < 3; ++axis) {
    for (size_t i = 0; i < blocks[axis].digits.size(); ++i) {
      const Axis::Digit digit = blocks[axis].digits[i];
      const auto found = symbols_.find(std::tuple(axis, static_cast<int>(i), digit.count));
      if (found == symbols_.end() || found->second != split.symbol) continue;
      BlockClass first = blocks;
      if (split.radix != 0) {
        if (split.radix < 2 || digit.count % split.radix != 0) return {};
        first[axis].digits[i] = {digit.stride * split.radix, digit.count / split.radix};
        first[axis].digits.push_back({digit.stride, split.radix});
        return {first};
      }
      if (split.at <= 0 || split.at >= digit.count) return {};
      BlockClass second = blocks;
      first[axis].digits[i].count = split.at;
      second[axis].digits[i].count = digit.count - split.at;
      second[axis].base += digit.stride * split.at;
      return {second, first};
    }
  }
  return {};
}

std::optional<ClassFault> KernelClasses::Run(ClassLimits* limits) {
  BlockClass grid;
  for (int axis = 0; axis < 3; ++axis) {
    if (kernel_.grid[axis] < 1) return std::nullopt;
    grid[axis].digits.push_back({1, kernel_.grid[axis]});
  }
  std::vector<BlockClass> work = {grid};
  while (!work.empty()) {
    const BlockClass blocks = work.back();
    work.pop_back();
    const ClassFault at = {.fault = {}, .block = {blocks[0].base, blocks[1].base, blocks[2].base}};
    const auto give_up = [&at](FaultKind kind, std::string message) {
      ClassFault fault = at;
      fault.fault = {.kind = kind, .message = std::move(message)};
      return fault;
    };
    if (++classes_ > limits->max_classes) {
      return give_up(FaultKind::kUndecided, "the blocks fall into too many classes");
    }
    if (std::chrono::steady_clock::now() > limits->deadline) {
      return give_up(FaultKind::kBudget, "out of time");
    }
    if (terms_.bytes() > limits->memory_bytes) {
      return give_up(FaultKind::kBudget, "the terms take too much memory");
    }
    Execution execution = Execute(blocks, limits);
    Fault& fault = execution.fault;
    if (fault.kind == FaultKind::kNone) continue;
    if (fault.kind == FaultKind::kSplit && integers_.split().has_value()) {
      const std::vector<BlockClass> parts = Divide(blocks, *integers_.split());
      if (parts.empty()) return give_up(FaultKind::kUndecided, "a class that cannot be divided");
      work.insert(work.end(), parts.begin(), parts.end());
      continue;
    }
    bool again = execution.learned;
    if (!again &&
        (fault.kind == FaultKind::kUndecided || fault.kind == FaultKind::kUninitialised)) {
      for (int site : execution.suspects) again |= loops_.MakeConcrete(site);
    }
    // A fold that was taken at once may be one that a value is not compared by.
    if (!again && fault.kind != FaultKind::kBudget) {
      for (int site : execution.folding) again |= loops_.MakeConcrete(site);
    }
    if (!again) {
      ClassFault result = at;
      result.fault = std::move(fault);
      return result;
    }
    work.push_back(blocks);
  }
  return std::nullopt;
}

}  // namespace quern::verifier
