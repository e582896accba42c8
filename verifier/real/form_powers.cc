// Products of exponentials: exp(a) * exp(b) = exp(a + b), and exp(0) = 1.
#include <utility>

#include "bundle/status.h"
#include "verifier/real/form.h"

namespace quern::verifier {

bool FormTable::IsExponential(int64_t atom) const {
  const absl::Span<const int64_t> words = shapes_.words(static_cast<ShapeId>(atom));
  return words[0] == ShapeTable::kFunction && words[1] == exponential_;
}

absl::Status FormTable::MergeExponentials(int counters, std::vector<Factor>* factors) {
  int64_t powers = 0;
  for (const Factor& factor : *factors) {
    if (IsExponential(factor.atom)) powers += factor.power == 1 ? 1 : 2;
  }
  if (powers < 2) return absl::OkStatus();
  Form sum;
  std::vector<Factor> others;
  for (Factor& factor : *factors) {
    if (!IsExponential(factor.atom)) {
      others.push_back(std::move(factor));
      continue;
    }
    const absl::Span<const int64_t> words = shapes_.words(static_cast<ShapeId>(factor.atom));
    const Form argument = FromPart({static_cast<ShapeId>(words[2]), factor.columns}, counters);
    QUERN_ASSIGN_OR_RETURN(const Form scaled, Scale(argument, Coefficient(factor.power)));
    QUERN_ASSIGN_OR_RETURN(sum, Add(sum, scaled, counters));
  }
  QUERN_ASSIGN_OR_RETURN(sum, Seal(std::move(sum), counters));
  if (!sum.boxes.empty()) {
    QUERN_ASSIGN_OR_RETURN(const Part part, Export(sum, counters));
    const ShapeId atom = shapes_.Intern({ShapeTable::kFunction, exponential_, part.shape},
                                        static_cast<int>(part.columns.size()) / (1 + counters));
    others.push_back({.atom = atom, .power = 1, .columns = part.columns});
  }
  *factors = std::move(others);
  return absl::OkStatus();
}

}  // namespace quern::verifier
