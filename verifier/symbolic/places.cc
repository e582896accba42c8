#include "verifier/symbolic/places.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace quern::verifier {

void AddPlace(Places place, std::vector<Places>* places) {
  if (!places->empty()) {
    Places& last = places->back();
    const bool alike = last.linear == place.linear && last.bytes == place.bytes;
    int64_t step = 0;
    int64_t next = 0;
    if (alike && last.count == 1 && !__builtin_sub_overflow(place.first, last.first, &step)) {
      last.step = step;
      last.count = 2;
      return;
    }
    if (alike && !__builtin_mul_overflow(last.step, last.count, &next) &&
        !__builtin_add_overflow(last.first, next, &next) && next == place.first) {
      ++last.count;
      return;
    }
  }
  places->push_back(place);
}

static std::string Address(Question& question, const Places& places, int copy) {
  std::string origin = question.Term({places.linear, places.first}, copy);
  if (places.count == 1) return origin;
  const std::string k = question.Number(absl::StrCat("place_", copy), places.count);
  return absl::StrCat("(+ ", origin, " (* ", SmtLiteral(places.step), " ", k, "))");
}

// That two points, or two places, of one set differ.
static std::string Differ(const AffineTable& affine, Question& question, const Places& places) {
  std::string differ = "(or";
  for (const SymbolId symbol : affine.FreeSymbols(places.linear)) {
    absl::StrAppend(&differ, " (not (= ", question.Variable(symbol, 0), " ",
                    question.Variable(symbol, 1), "))");
  }
  if (places.count > 1) absl::StrAppend(&differ, " (not (= place_0 place_1))");
  return differ + ")";
}

bool Disjoint(const AffineTable& affine, Oracle* oracle, absl::Span<const Places> old,
              absl::Span<const Places> fresh) {
  static constexpr size_t kMaxPairs = 256;
  if (fresh.size() * (old.size() + fresh.size()) > kMaxPairs) return false;
  const auto apart = [&](const Places& a, const Places& b, bool same) {
    Question question(affine);
    const std::string x = Address(question, a, 0);
    const std::string y = Address(question, b, 1);
    question.Assert(absl::StrCat("(< (- ", x, " ", y, ") ", b.bytes, ")"));
    question.Assert(absl::StrCat("(< (- ", y, " ", x, ") ", a.bytes, ")"));
    if (same) {
      const std::string differ = Differ(affine, question, a);
      if (differ == "(or)") return true;  // one place, once
      question.Assert(differ);
    }
    return oracle->Impossible(question, "no-race");
  };
  for (size_t i = 0; i < fresh.size(); ++i) {
    for (const Places& other : old) {
      if (!apart(fresh[i], other, false)) return false;
    }
    for (size_t j = i; j < fresh.size(); ++j) {
      if (!apart(fresh[i], fresh[j], i == j)) return false;
    }
  }
  return true;
}

}  // namespace quern::verifier
