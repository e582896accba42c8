#include "verifier/symbolic/solution.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace quern::verifier {

std::optional<absl::flat_hash_map<SymbolId, int64_t>> Solve(const AffineTable& affine,
                                                            absl::Span<const Affine> forms,
                                                            absl::Span<const int64_t> numbers) {
  absl::flat_hash_map<SymbolId, int64_t> values;
  for (size_t i = 0; i < forms.size(); ++i) {
    __int128 rest = __int128{numbers[i]} - forms[i].constant;
    std::vector<Monomial> open;
    for (const Monomial& term : affine.monomials(forms[i].linear)) {
      if (!affine.is_free(term.symbol) || !affine.range(term.symbol)) return std::nullopt;
      if (const auto known = values.find(term.symbol); known != values.end()) {
        rest -= __int128{term.coefficient} * known->second;
      } else {
        // From where the symbol adds least.
        const Interval range = *affine.range(term.symbol);
        rest -= __int128{term.coefficient} * (term.coefficient > 0 ? range.low : range.high);
        open.push_back(term);
      }
    }
    std::sort(open.begin(), open.end(), [](const Monomial& a, const Monomial& b) {
      return std::abs(a.coefficient) > std::abs(b.coefficient);
    });
    for (const Monomial& term : open) {
      const Interval range = *affine.range(term.symbol);
      const __int128 size = std::abs(term.coefficient);
      const __int128 steps = std::clamp<__int128>(rest / size, 0, __int128{range.high} - range.low);
      rest -= steps * size;
      values[term.symbol] =
          static_cast<int64_t>(term.coefficient > 0 ? range.low + steps : range.high - steps);
    }
    if (rest != 0) return std::nullopt;
  }
  return values;
}

}  // namespace quern::verifier
