#include "verifier/symbolic/loops.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "verifier/machine/integer_bits.h"
#include "verifier/machine/integer_ops.h"

namespace quern::verifier {

namespace {

// Blocks and edges of one function.
struct Graph {
  struct Arc {
    int edge = 0;
    int from = 0;  // block
    int to = 0;
  };
  std::vector<int> starts;  // first instruction of each block
  std::vector<Arc> arcs;
  std::vector<std::vector<bool>> dominators;

  int BlockOf(int instruction) const {
    return static_cast<int>(std::upper_bound(starts.begin(), starts.end(), instruction) -
                            starts.begin()) -
           1;
  }
};

}  // namespace

static std::vector<int> EdgesOf(const Function& function, const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kBranch:
      return {instruction.index};
    case Opcode::kCondBranch:
      return {instruction.index, instruction.index + 1};
    case Opcode::kSwitch: {
      const Switch& choice = function.switches[instruction.index];
      std::vector<int> edges = {choice.otherwise};
      for (const Switch::Case& item : choice.cases) edges.push_back(item.edge);
      return edges;
    }
    default:
      return {};
  }
}

static Graph MakeGraph(const Function& function) {
  Graph graph;
  graph.starts.push_back(0);
  for (const Edge& edge : function.edges) graph.starts.push_back(edge.target);
  std::sort(graph.starts.begin(), graph.starts.end());
  graph.starts.erase(std::unique(graph.starts.begin(), graph.starts.end()), graph.starts.end());
  for (size_t i = 0; i < function.code.size(); ++i) {
    for (int edge : EdgesOf(function, function.code[i])) {
      graph.arcs.push_back(
          {edge, graph.BlockOf(static_cast<int>(i)), graph.BlockOf(function.edges[edge].target)});
    }
  }
  const size_t count = graph.starts.size();
  graph.dominators.assign(count, std::vector<bool>(count, true));
  graph.dominators[0].assign(count, false);
  graph.dominators[0][0] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t block = 1; block < count; ++block) {
      std::vector<bool> common(count, true);
      for (const Graph::Arc& arc : graph.arcs) {
        if (arc.to != static_cast<int>(block)) continue;
        for (size_t i = 0; i < count; ++i) common[i] = common[i] && graph.dominators[arc.from][i];
      }
      common[block] = true;
      changed |= common != graph.dominators[block];
      graph.dominators[block] = std::move(common);
    }
  }
  return graph;
}

static bool IsConstant(const Function& function, int32_t value) {
  const int32_t first = function.num_parameters;
  return value >= first && value < first + static_cast<int32_t>(function.constants.size());
}

// The phis, if all are of the kind a site can have.
static bool FindPhis(const Function& function, const std::vector<bool>& inside, const Graph& graph,
                     const Edge& entry, const Edge& back, LoopSite* site) {
  std::set<int32_t> phis;
  for (const Edge::Move& move : entry.moves) phis.insert(move.to);
  for (const Edge::Move& move : back.moves) {
    if (!phis.contains(move.to)) return false;
    const Type& type = function.values[move.to];
    if (type.kind == Type::kPointer) return false;
    for (const Edge::Move& other : back.moves) {
      if (other.to == move.from && other.to != move.to) return false;  // a swap
    }
    if (type.kind != Type::kInt || type.lanes != 1) {
      site->carried.push_back(move.to);
      continue;
    }
    LoopSite::Phi phi = {.value = move.to};
    for (size_t i = 0; i < function.code.size() && move.from != move.to; ++i) {
      const Instruction& code = function.code[i];
      if (code.result != move.from || !inside[graph.BlockOf(static_cast<int>(i))]) continue;
      const BinaryOp op = static_cast<BinaryOp>(code.code);
      if (code.opcode != Opcode::kBinary || (op != BinaryOp::kAdd && op != BinaryOp::kSub)) break;
      const int32_t a = function.operands[code.first], b = function.operands[code.first + 1];
      if (a == move.to && IsConstant(function, b)) {
        phi.step = b;
        phi.next = code.result;
        phi.subtract = op == BinaryOp::kSub;
      }
    }
    if (move.from != move.to && phi.step < 0) {
      site->carried.push_back(move.to);
    } else {
      site->phis.push_back(phi);
    }
  }
  return phis.size() == site->phis.size() + site->carried.size();
}

static void FindExits(const Function& function, const std::vector<bool>& inside, const Graph& graph,
                      LoopSite* site) {
  for (size_t i = 0; i < function.code.size(); ++i) {
    const Instruction& branch = function.code[i];
    if (branch.opcode != Opcode::kCondBranch || !inside[graph.BlockOf(static_cast<int>(i))]) {
      continue;
    }
    const auto stays = [&](int edge) { return inside[graph.BlockOf(function.edges[edge].target)]; };
    if (stays(branch.index) == stays(branch.index + 1)) continue;
    for (size_t j = 0; j < function.code.size(); ++j) {
      const Instruction& compare = function.code[j];
      if (compare.opcode != Opcode::kCompare || compare.result != function.operands[branch.first] ||
          compare.type.kind != Type::kInt) {
        continue;
      }
      for (const int side : {0, 1}) {
        const int32_t value = function.operands[compare.first + side];
        for (size_t k = 0; k < site->phis.size(); ++k) {
          const LoopSite::Phi& phi = site->phis[k];
          if (phi.step < 0 || (value != phi.value && value != phi.next)) continue;
          site->exits.push_back(
              {static_cast<int32_t>(j), side, static_cast<int>(k), value == phi.next});
        }
      }
    }
  }
}

LoopPolicy::LoopPolicy(const Module& module, AffineTable* affine) : affine_(*affine) {
  for (size_t f = 0; f < module.functions.size(); ++f) {
    const Function& function = module.functions[f];
    if (function.edges.size() > 512) continue;
    const Graph graph = MakeGraph(function);
    for (const Graph::Arc& back : graph.arcs) {
      if (!graph.dominators[back.from][back.to]) continue;
      // The natural loop: what reaches the latch without passing the header.
      std::vector<bool> inside(graph.starts.size(), false);
      inside[back.to] = true;
      std::vector<int> work = {back.from};
      while (!work.empty()) {
        const int block = work.back();
        work.pop_back();
        if (inside[block]) continue;
        inside[block] = true;
        for (const Graph::Arc& arc : graph.arcs) {
          if (arc.to == block) work.push_back(arc.from);
        }
      }
      std::vector<int> entries;
      int backs = 0;
      for (const Graph::Arc& arc : graph.arcs) {
        if (arc.to != back.to) continue;
        if (inside[arc.from]) {
          ++backs;
        } else {
          entries.push_back(arc.edge);
        }
      }
      if (backs != 1 || entries.size() != 1) continue;
      LoopSite site = {
          .function = static_cast<int>(f), .header = graph.starts[back.to], .back_edge = back.edge};
      if (!FindPhis(function, inside, graph, function.edges[entries[0]], function.edges[back.edge],
                    &site)) {
        continue;
      }
      FindExits(function, inside, graph, &site);
      if (site.exits.empty()) continue;
      std::set<int32_t> defined;
      for (size_t i = 0; i < function.code.size(); ++i) {
        if (!inside[graph.BlockOf(static_cast<int>(i))]) continue;
        if (function.code[i].result >= 0) defined.insert(function.code[i].result);
        for (int edge : EdgesOf(function, function.code[i])) {
          if (!inside[graph.BlockOf(function.edges[edge].target)]) {
            site.leaving.insert(edge);
            continue;
          }
          for (const Edge::Move& move : function.edges[edge].moves) defined.insert(move.to);
        }
      }
      site.defined.assign(defined.begin(), defined.end());
      const int index = static_cast<int>(sites_.size());
      entered_[{static_cast<int>(f), entries[0]}] = index;
      closed_[{static_cast<int>(f), back.edge}] = index;
      sites_.push_back(std::move(site));
    }
  }
  concrete_.assign(sites_.size(), false);
  slots_.resize(sites_.size());
}

int LoopPolicy::Entered(int function, int edge) const {
  const auto found = entered_.find({function, edge});
  return found == entered_.end() ? -1 : found->second;
}

int LoopPolicy::Closed(int function, int edge) const {
  const auto found = closed_.find({function, edge});
  return found == closed_.end() ? -1 : found->second;
}

bool LoopPolicy::Carry(int site, const std::set<Slot>& slots) {
  const size_t known = slots_[site].size();
  slots_[site].insert(slots.begin(), slots.end());
  return slots_[site].size() > known;
}

bool LoopPolicy::MakeConcrete(int site) {
  if (concrete_[site]) return false;
  concrete_[site] = true;
  return true;
}

SymbolId LoopPolicy::Counter(int site, int64_t begin, int64_t count) {
  const auto [found, fresh] = counters_.emplace(std::tuple(site, begin, count), -1);
  if (fresh) {
    found->second = affine_.AddSymbol(absl::StrCat("i", site), {0, count - 1});
    site_of_[found->second] = {site, begin};
  }
  return found->second;
}

int LoopPolicy::SiteOf(SymbolId symbol) const {
  const auto found = site_of_.find(symbol);
  return found == site_of_.end() ? -1 : found->second.first;
}

void LoopPolicy::BreakAt(SymbolId counter, int64_t at) {
  const auto [site, begin] = site_of_.at(counter);
  breaks_[site].insert(begin + at);
}

int64_t LoopPolicy::Together(int site, int64_t begin, int64_t end) const {
  const auto found = breaks_.find(site);
  if (found == breaks_.end()) return end - begin;
  const auto next = found->second.upper_bound(begin);
  return (next == found->second.end() ? end : std::min(end, *next)) - begin;
}

int64_t GuessIterations(Predicate predicate, int bits, bool phi_on_left, int64_t start,
                        int64_t step, int64_t bound) {
  static constexpr int64_t kMost = int64_t{1} << 40;
  if (step == 0 || step == INT64_MIN) return 0;
  const auto outcome = [&](int64_t iteration) {
    int64_t value = 0;
    if (__builtin_mul_overflow(step, iteration, &value) ||
        __builtin_add_overflow(value, start, &value)) {
      return false;
    }
    const uint64_t x = static_cast<uint64_t>(value) & Mask(bits);
    const uint64_t y = static_cast<uint64_t>(bound) & Mask(bits);
    return IntegerHolds(predicate, bits, phi_on_left ? x : y, phi_on_left ? y : x);
  };
  if (predicate == Predicate::kEq || predicate == Predicate::kNe) {
    int64_t distance = 0;
    if (__builtin_sub_overflow(bound, start, &distance) || distance % step != 0) return 0;
    return std::max<int64_t>(0, distance / step);
  }
  const bool first = outcome(0);
  int64_t low = 0;
  int64_t high = 1;
  while (high < kMost && outcome(high) == first) {
    low = high;
    high *= 2;
  }
  if (high >= kMost) return 0;
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    (outcome(middle) == first ? low : high) = middle;
  }
  return high;
}

}  // namespace quern::verifier
