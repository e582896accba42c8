// All blocks of a kernel, executed class by class.
#ifndef QUERN_VERIFIER_SYMBOLIC_CLASSES_H_
#define QUERN_VERIFIER_SYMBOLIC_CLASSES_H_

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "bundle/launch_plan.h"
#include "verifier/machine/function.h"
#include "verifier/symbolic/domain.h"

namespace quern::verifier {

// Block coordinates base + sum of stride * digit, each digit from 0 to count - 1.
struct Axis {
  struct Digit {
    int64_t stride = 1;
    int64_t count = 1;
  };
  int64_t base = 0;
  std::vector<Digit> digits;
};
using BlockClass = std::array<Axis, 3>;

struct ClassLimits {
  // Counts down by the lanes of each instruction, so that it runs out at the same place everywhere.
  int64_t budget = 0;
  int64_t memory_bytes = 0;
  std::chrono::steady_clock::time_point deadline;
  int max_classes = 4096;  // counted with those executed again
};

struct ClassFault {
  Fault fault;
  std::array<int64_t, 3> block = {0, 0, 0};  // one of the class
};

class KernelClasses {
 public:
  // The object behind a buffer of the plan, in a fresh memory.
  using MakeObject = std::function<SymbolicObject(int buffer)>;
  // What is done with the memory at the end of a class; objects by parameter, and the symbols whose
  // values tell its blocks apart. A fault ends it all,
  // unless it is a split, or may be to blame on loops (kUndecided): then the class, or parts of it,
  // are executed and visited again.
  using Visit = std::function<Fault(const SymbolicMemory& memory, const std::vector<int>& objects,
                                    const std::vector<SymbolId>& blocks)>;

  // All must outlive this.
  KernelClasses(const Module& module, const KernelPlan& kernel, TermTable* terms,
                Integers* integers, MakeObject make_object, Visit visit);

  // nullopt: every block has been executed as part of exactly one class that was visited without a
  // fault.
  std::optional<ClassFault> Run(ClassLimits* limits);
  int classes() const { return classes_; }

 private:
  struct Execution {
    Fault fault;
    std::vector<int> suspects;  // loops that may be to blame for it
    std::set<int> folding;      // those that were taken as folds
    bool learned = false;       // of what loops carry, so that another one may go further
  };
  Execution Execute(const BlockClass& blocks, ClassLimits* limits);
  // Parts of the class, or the class again if a loop was split.
  std::vector<BlockClass> Divide(const BlockClass& blocks, const Split& split);

  const Module& module_;
  const KernelPlan& kernel_;
  const int function_;
  TermTable& terms_;
  Integers& integers_;
  MakeObject make_object_;
  Visit visit_;
  LoopPolicy loops_;
  std::map<std::tuple<int, int, int64_t>, SymbolId> symbols_;  // by axis, digit, count
  int classes_ = 0;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SYMBOLIC_CLASSES_H_
