// The natural loops of decoded functions, and which of them are executed once for all iterations.
#ifndef QUERN_VERIFIER_SYMBOLIC_LOOPS_H_
#define QUERN_VERIFIER_SYMBOLIC_LOOPS_H_

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "verifier/machine/function.h"
#include "verifier/symbolic/affine.h"
#include "verifier/symbolic/slot.h"

namespace quern::verifier {

// A loop with one back edge that carries integers that step by a constant, or do not change, and
// numbers which, it is guessed, it adds up or the like.
struct LoopSite {
  int function = 0;
  int header = 0;     // first instruction
  int back_edge = 0;  // index into Function::edges
  struct Phi {
    int32_t value = 0;
    int32_t step = -1;  // value number of the constant added in each iteration; -1: unchanged
    int32_t next = -1;  // value number of the sum
    bool subtract = false;
  };
  std::vector<Phi> phis;
  std::vector<int32_t> carried;  // value numbers of the other phis
  std::set<int> leaving;         // edges out of the loop
  std::vector<int32_t> defined;  // value numbers assigned inside, phis included
  // Comparisons on which leaving the loop depends: instruction, and which of its operands (0, 1) is
  // a phi or its next value.
  struct Exit {
    int32_t compare = 0;
    int side = 0;
    int phi = 0;  // index into phis
    bool next = false;
  };
  std::vector<Exit> exits;
};

// What is guessed and decided about loops; wrong guesses only cost completeness.
class LoopPolicy {
 public:
  LoopPolicy(const Module& module, AffineTable* affine);

  // The site entered by an edge, or -1.
  int Entered(int function, int edge) const;
  // The site whose back edge it is, or -1.
  int Closed(int function, int edge) const;
  const LoopSite& site(int index) const { return sites_[index]; }

  // What the iterations of a site read that earlier ones wrote. false: that was known.
  bool Carry(int site, const std::set<Slot>& slots);
  const std::set<Slot>& slots(int site) const { return slots_[site]; }

  bool IsConcrete(int site) const { return concrete_[site]; }
  // false: it was already.
  bool MakeConcrete(int site);
  // The counter of iterations [begin, begin + count) of a site, from 0 on; and back.
  SymbolId Counter(int site, int64_t begin, int64_t count);
  int SiteOf(SymbolId symbol) const;  // -1: none
  // From now on iterations before and from `at` on, of those that the counter stands for, are
  // executed apart.
  void BreakAt(SymbolId counter, int64_t at);
  // How many of the iterations [begin, end) can be executed together, from the first on.
  int64_t Together(int site, int64_t begin, int64_t end) const;

 private:
  std::vector<LoopSite> sites_;
  std::vector<bool> concrete_;
  std::vector<std::set<Slot>> slots_;
  std::map<std::pair<int, int>, int> entered_;  // by function and edge
  std::map<std::pair<int, int>, int> closed_;
  std::map<std::tuple<int, int64_t, int64_t>, SymbolId> counters_;
  std::map<SymbolId, std::pair<int, int64_t>> site_of_;  // and the first iteration
  std::map<int, std::set<int64_t>> breaks_;
  AffineTable& affine_;
};

// The number of iterations after which the exit's comparison changes: the loop goes round at least
// so often if nothing else ends it. 0: cannot tell.
int64_t GuessIterations(Predicate predicate, int bits, bool phi_on_left, int64_t start,
                        int64_t step, int64_t bound);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SYMBOLIC_LOOPS_H_
