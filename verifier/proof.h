// The proof that the kernels of a plan, one after another, compute a spec.
#ifndef QUERN_VERIFIER_PROOF_H_
#define QUERN_VERIFIER_PROOF_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "bundle/certificate.h"
#include "bundle/launch_plan.h"
#include "verifier/checker.h"
#include "verifier/coverage.h"
#include "verifier/machine/function.h"
#include "verifier/real/bounds.h"
#include "verifier/real/normal_form.h"
#include "verifier/refuter.h"
#include "verifier/spec/graph.h"
#include "verifier/spec/symbolic.h"
#include "verifier/symbolic/classes.h"
#include "verifier/symbolic/oracle.h"

namespace quern::verifier {

// Why there is no proof, and where a counterexample may be.
struct Gap {
  std::string reason;
  Suspect suspect;
  bool suspicious = false;  // whether it is worth looking for one
};

// The values of each argument that `real` is about.
std::vector<RealInterval> ArgumentBoxes(size_t arguments, const CheckOptions& options);

class Proof {
 public:
  // All must outlive this. `module` and `plan` have passed CheckLaunch, the plan's inputs and
  // outputs are the graph's. `oracle` is asked what remains open without it.
  Proof(const SpecGraph& graph, const Module& module, const LaunchPlan& plan,
        const CheckOptions& options, const ClassLimits& limits, Oracle* oracle);
  ~Proof();

  // nullopt: proved. Kernels in order; each temporary is proved to hold what it says before it is
  // read.
  std::optional<Gap> Run();

  const std::vector<Obligation>& obligations() const { return obligations_; }
  const std::vector<OutputBound>& bounds() const { return output_bounds_; }

 private:
  struct BufferState {
    std::unique_ptr<Coverage> coverage;
    bool complete = false;  // every element is written
    // The greatest bounds of the elements; the error is infinite if one has none.
    Bounds::Held held = {.floor = 0};
    bool identical = true;  // every element is the spec's bit for bit
    // Of a temporary that says what it holds.
    std::unique_ptr<SpecGraph> holds;
    std::unique_ptr<SymbolicAlgebra> algebra;
    std::unique_ptr<Denotation<SymbolicAlgebra>> denotation;
    absl::flat_hash_map<Affine, Value> read;  // by element of the buffer
  };

  // What the temporaries of a kernel hold; a gap if that is not said.
  std::optional<Gap> ReadTemporaries(int kernel);
  absl::Status ReadHolds(int buffer);
  SymbolicObject MakeObject(int buffer);
  absl::StatusOr<Value> ReadTemporary(int buffer, Affine element);
  // The logical index of an element of a buffer; empty for padding. kOutOfRange: to be split.
  absl::StatusOr<std::optional<std::vector<Affine>>> Logical(const BufferPlan& buffer,
                                                             Affine element);
  // All blocks of one kernel, first without the oracle, and if something remains open with it.
  std::optional<ClassFault> Execute(int kernel);
  // A fault when the limits are exceeded.
  Fault Spend(int64_t steps);
  // Notes what has been proved of a kernel.
  void Conclude(int kernel, int64_t instructions);
  Fault Visit(int kernel, const SymbolicMemory& memory, const std::vector<int>& objects,
              const std::vector<SymbolId>& blocks);
  Fault CheckCell(int buffer, const Written& written);
  Fault CheckValue(int buffer, const std::vector<Affine>& index, Value expected, Value actual);
  // What does not hold of the rounding errors of an element; empty if they are small enough.
  std::string CheckError(int buffer, Value expected, Value actual);
  // Where a counterexample to a value may be, and by how much it must differ.
  Suspect Suspicion(int buffer, const std::vector<Affine>& index, Value expected, Value actual);
  Fault Undecided(const absl::Status& status, const std::string& what);
  void Note(const std::string& kind, const std::string& site, const std::string& statement,
            Method method, int64_t count);

  const SpecGraph& graph_;
  const Module& module_;
  const LaunchPlan& plan_;
  const CheckOptions& options_;
  ClassLimits limits_;
  Oracle& oracle_;
  AffineTable affine_;
  TermTable terms_;
  Integers integers_{&affine_};
  Normaliser normaliser_{&terms_};
  Bounds bounds_;
  SymbolicAlgebra algebra_;
  Denotation<SymbolicAlgebra> denotation_;
  std::vector<BufferState> buffers_;
  std::vector<OutputBound> output_bounds_;
  std::vector<Obligation> obligations_;
  Suspect wrong_;  // the last value that was not as expected
  int64_t values_ = 0, without_bound_ = 0;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_PROOF_H_
