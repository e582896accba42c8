// Integers of the inputs as indices.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "verifier/machine/integer_bits.h"
#include "verifier/symbolic/term.h"

namespace quern::verifier {

bool TermTable::AddSymbols(Value v, std::vector<SymbolId>* symbols) const {
  static constexpr int kMaxWalked = 256;
  if (LevelAbove(v) > 0 || Size(v) > kMaxWalked) return false;
  const auto add = [&](LinearId linear) {
    const std::vector<SymbolId> free = affine_->FreeSymbols(linear);
    symbols->insert(symbols->end(), free.begin(), free.end());
    return true;
  };
  switch (v.kind) {
    case Value::kInt:
      return add(v.id);
    case Value::kLeaf:
      return add(leaves_[v.id].linear);
    case Value::kTerm: {
      const Term& term = terms_[v.id];
      for (int i = 0; i < term.count; ++i) {
        if (!AddSymbols(term.args[i], symbols)) return false;
      }
      return true;
    }
    default:
      return false;
  }
}

std::optional<Affine> TermTable::DataOf(Value v, Interval range) {
  const std::pair key(v, std::pair(range.low, range.high));
  if (auto found = data_.find(key); found != data_.end()) return affine_->Symbol(found->second);
  std::vector<SymbolId> symbols;
  if (range.low > range.high || !AddSymbols(v, &symbols)) return std::nullopt;
  std::sort(symbols.begin(), symbols.end());
  symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
  const SymbolId data =
      affine_->AddData(absl::StrCat("data", data_.size()), range, std::move(symbols));
  data_.emplace(key, data);
  return affine_->Symbol(data);
}

// v = clamp(low, x, high) as signed numbers.
struct Clamp {
  Value x;
  Interval range;
};

// `args` in any order: a term and a constant.
static std::optional<std::pair<Value, int64_t>> WithConstant(const Term& term) {
  for (int i : {0, 1}) {
    const Value& constant = term.args[i];
    if (constant.kind == Value::kInt && constant.id == 0) {
      return std::pair(term.args[1 - i], constant.payload);
    }
  }
  return std::nullopt;
}

static std::optional<Clamp> ClampOf(const TermTable& terms, Value v) {
  const auto intrinsic = [&](Value value) -> std::optional<Intrinsic> {
    if (value.kind != Value::kTerm) return std::nullopt;
    const Op& op = terms.term(value).op;
    if (op.family != Op::kIntrinsic || op.type.kind != Type::kInt) return std::nullopt;
    return static_cast<Intrinsic>(op.code);
  };
  const std::optional<Intrinsic> outer = intrinsic(v);
  if (!outer.has_value()) return std::nullopt;
  const bool most = outer == Intrinsic::kSMin || outer == Intrinsic::kUMin;
  if (!most && outer != Intrinsic::kSMax) return std::nullopt;
  const auto around = WithConstant(terms.term(v));
  if (!around.has_value()) return std::nullopt;
  const auto& [inner, bound] = *around;
  const std::optional<Intrinsic> inside = intrinsic(inner);
  if (inside != (most ? Intrinsic::kSMax : Intrinsic::kSMin)) return std::nullopt;
  const auto within = WithConstant(terms.term(inner));
  if (!within.has_value()) return std::nullopt;
  const Interval range = most ? Interval{within->second, bound} : Interval{bound, within->second};
  // The unsigned minimum is the signed one of numbers that are not negative.
  const bool is_unsigned = outer == Intrinsic::kUMin;
  if (range.low > range.high || (is_unsigned && range.low < 0)) return std::nullopt;
  return Clamp{within->first, range};
}

std::optional<Affine> TermTable::IndexOf(Value v, const Type& type) {
  if (type.kind != Type::kInt || type.bits == 1 || IsCarried(v)) return std::nullopt;
  const auto fits = [&](std::optional<Affine> a) -> std::optional<Affine> {
    const std::optional<Interval> range = a.has_value() ? affine_->Bounds(*a) : std::nullopt;
    const int64_t greatest = SignedMax(type.bits);
    const bool inside = range.has_value() && range->low >= -greatest - 1 && range->high <= greatest;
    return inside ? a : std::nullopt;
  };
  if (v.kind == Value::kInt) return fits(AffineOf(v));
  if (v.kind != Value::kTerm || TypeOf(v) != type) return std::nullopt;
  if (const std::optional<Clamp> clamp = ClampOf(*this, v); clamp.has_value()) {
    Value x = clamp->x;  // widening keeps the number
    while (x.kind == Value::kTerm && terms_[x.id].op.family == Op::kCast &&
           static_cast<CastOp>(terms_[x.id].op.code) == CastOp::kSExt) {
      x = terms_[x.id].args[0];
    }
    return DataOf(x, clamp->range);
  }
  const Term term = terms_[v.id];
  if (term.op.family != Op::kCast) return std::nullopt;
  const CastOp cast = static_cast<CastOp>(term.op.code);
  if (cast != CastOp::kSExt && cast != CastOp::kZExt) return std::nullopt;
  const std::optional<Affine> inner = IndexOf(term.args[0], term.op.from);
  if (!inner.has_value() || cast == CastOp::kSExt) return inner;
  const std::optional<Interval> range = affine_->Bounds(*inner);
  return range.has_value() && range->low >= 0 ? inner : std::nullopt;
}

}  // namespace quern::verifier
