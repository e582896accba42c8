// Terms as text, for messages.
#include "absl/strings/str_cat.h"
#include "verifier/symbolic/term.h"

namespace quern::verifier {

static std::string OpName(const TermTable& table, const Op& op) {
  switch (op.family) {
    case Op::kBinary:
      return Name(static_cast<BinaryOp>(op.code));
    case Op::kNegate:
      return "fneg";
    case Op::kCompare:
      return Name(static_cast<Predicate>(op.code));
    case Op::kCast:
      return absl::StrCat(Name(static_cast<CastOp>(op.code)), " to ", Name(op.type));
    case Op::kSelect:
      return "select";
    case Op::kIntrinsic:
      return Name(static_cast<Intrinsic>(op.code));
    case Op::kCall:
      return table.name(op.name);
    case Op::kHeld:
      return "held";
    case Op::kCarried:
      return "carried";
  }
  return "";
}

void TermTable::Describe(Value v, std::string* text) const {
  if (text->size() > 300) {
    if (!text->ends_with("...")) absl::StrAppend(text, "...");
    return;
  }
  switch (v.kind) {
    case Value::kPoison:
      absl::StrAppend(text, "poison");
      return;
    case Value::kLost:
      absl::StrAppend(text, "lost");
      return;
    case Value::kInt:
      absl::StrAppend(text, affine_->ToString(AffineOf(v)));
      return;
    case Value::kPointer:
      absl::StrAppend(text, "object ", v.object, "[", affine_->ToString(AffineOf(v)), "]");
      return;
    case Value::kLeaf:
      absl::StrAppend(text, "arg", leaves_[v.id].argument, "[", affine_->ToString(Element(v)), "]");
      return;
    case Value::kTerm: {
      const Term& term = terms_[v.id];
      absl::StrAppend(text, OpName(*this, term.op), "(");
      for (int i = 0; i < term.count; ++i) {
        if (i > 0) absl::StrAppend(text, ", ");
        Describe(term.args[i], text);
      }
      absl::StrAppend(text, ")");
      return;
    }
    case Value::kRun: {
      const Run& run = runs_[v.id];
      absl::StrAppend(text, OpName(*this, run.op), " over k", run.level + run.inner.size(), "<",
                      v.payload);
      for (int64_t extent : run.inner) absl::StrAppend(text, ",", extent);
      absl::StrAppend(text, " from ");
      Describe(run.init, text);
      for (int i = 0; i < run.count; ++i) {
        absl::StrAppend(text, i == 0 ? " of " : " * ");
        Describe(run.elements[i], text);
      }
      return;
    }
  }
}

std::string TermTable::ToString(Value v) const {
  std::string text;
  Describe(v, &text);
  return text;
}

}  // namespace quern::verifier
