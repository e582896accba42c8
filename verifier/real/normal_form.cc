#include "verifier/real/normal_form.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "verifier/machine/float_bits.h"
#include "verifier/real/function_names.h"

namespace quern::verifier {

int Normaliser::Modulus(const Type& type) { return type.is_float() ? 0 : type.bits; }

absl::Status Normaliser::Unsupported(const std::string& what) {
  return absl::UnimplementedError(absl::StrCat(what, " has no normal form"));
}

static Type OperandType(const Op& op, int index) {
  if (op.family == Op::kCompare || op.family == Op::kCast) return op.from;
  if (op.family == Op::kSelect && index == 0) return {Type::kInt, 1, 1};
  const bool abs = op.family == Op::kIntrinsic && op.code == static_cast<int>(Intrinsic::kAbs);
  if (abs && index == 1) return {Type::kInt, 1, 1};
  return op.type;
}

absl::StatusOr<Form> Normaliser::Normalise(const Value& value, const Type& type) {
  depth_ = 0;
  QUERN_ASSIGN_OR_RETURN(Form form, Of(value, type, {}));
  return forms_.Seal(std::move(form), 0);
}

absl::StatusOr<bool> Normaliser::Equal(const Value& a, const Value& b, const Type& type) {
  if (a == b && a.kind != Value::kPoison && a.kind != Value::kLost) return true;
  QUERN_ASSIGN_OR_RETURN(Form x, Normalise(a, type));
  QUERN_ASSIGN_OR_RETURN(Form y, Normalise(b, type));
  return x == y;
}

absl::StatusOr<Form> Normaliser::OfConstant(const Value& value, const Type& type,
                                            const Counters& counters) {
  const std::optional<uint64_t> bits = TermTable::ConstantBits(type, value);
  if (!type.is_float()) {
    const Affine affine = TermTable::AffineOf(value);
    if (bits.has_value()) return forms_.Constant(type.bits, Coefficient(affine.constant));
    return forms_.Index(type.bits, affine, counters);
  }
  if (!bits.has_value()) return OpaqueOf(value, type, counters);
  const double number = ToDouble(type.kind, *bits);
  if (std::isnan(number)) return Unsupported("NaN");
  if (std::isinf(number)) return forms_.Infinity(number < 0);
  return forms_.Constant(0, Coefficient::FromDouble(number));
}

absl::StatusOr<Form> Normaliser::OpaqueOf(const Value& value, const Type& type,
                                          const Counters& counters) {
  // A term over counters is another value at each step.
  if (!counters.empty() && terms_.LevelAbove(value) > 0) {
    return Unsupported("a comparison or conversion of rounded values in a sum");
  }
  return forms_.Opaque(Modulus(type), value);
}

absl::StatusOr<Form> Normaliser::Of(const Value& value, const Type& type,
                                    const Counters& counters) {
  switch (value.kind) {
    case Value::kInt:
      return OfConstant(value, type, counters);
    case Value::kLeaf: {
      const int argument = terms_.leaf(value).argument;
      const Type own = TermTable::TypeOf(terms_.argument_type(argument));
      return forms_.Leaf(Modulus(own), argument, terms_.Element(value), counters);
    }
    case Value::kTerm:
    case Value::kRun: {
      const std::pair key(value, counters);
      if (auto found = memo_.find(key); found != memo_.end()) return found->second;
      if (depth_ >= TermTable::kMaxDepth) {
        return absl::ResourceExhaustedError("a term is nested too deeply");
      }
      ++depth_;
      absl::StatusOr<Form> form =
          value.kind == Value::kTerm ? OfTerm(value, counters) : OfRun(value, counters);
      --depth_;
      if (form.ok()) memo_.emplace(key, *form);
      return form;
    }
    default:
      return Unsupported(terms_.ToString(value));
  }
}

absl::StatusOr<Form> Normaliser::Operand(const Value& value, int index, const Counters& counters) {
  const Term& term = terms_.term(value);
  return Of(term.args[index], OperandType(term.op, index), counters);
}

absl::StatusOr<Form> Normaliser::ExactOperand(const Value& value, int index,
                                              const Counters& counters) {
  const Term term = terms_.term(value);
  if (IsExact(term.args[index])) return Operand(value, index, counters);
  return OpaqueOf(term.args[index], OperandType(term.op, index), counters);
}

absl::StatusOr<Form> Normaliser::Function(const std::string& key, const Value& value,
                                          bool continuous, const Counters& counters) {
  const Term term = terms_.term(value);
  std::vector<Form> arguments;
  for (int i = 0; i < term.count; ++i) {
    QUERN_ASSIGN_OR_RETURN(
        Form argument, continuous ? Operand(value, i, counters) : ExactOperand(value, i, counters));
    arguments.push_back(std::move(argument));
  }
  return forms_.Function(key, Modulus(term.op.type), arguments, static_cast<int>(counters.size()));
}

bool Normaliser::IsExact(const Value& value) {
  if (value.kind == Value::kLeaf || value.kind == Value::kInt) return true;
  if (value.kind != Value::kTerm) return false;
  const Term term = terms_.term(value);
  if (!term.op.type.is_float()) return true;  // wraps, exactly
  if (auto found = exact_.find(value.id); found != exact_.end()) return found->second;
  bool exact = false;
  switch (term.op.family) {
    case Op::kNegate:
    case Op::kSelect:
      exact = true;
      break;
    case Op::kCast: {
      const auto cast = static_cast<CastOp>(term.op.code);
      const bool integer = cast == CastOp::kSIToFP || cast == CastOp::kUIToFP;
      exact = cast == CastOp::kFPExt || (integer && term.op.from.bits <= 8);
      break;
    }
    case Op::kIntrinsic: {
      const std::string name = RealFunctionOf(static_cast<Intrinsic>(term.op.code));
      exact = name == "abs" || name == "max" || name == "min";
      break;
    }
    case Op::kCall: {
      const std::string name = RealFunctionOf(terms_.name(term.op.name));
      exact = name == "abs" || name == "max" || name == "min";
      break;
    }
    default:
      break;
  }
  if (depth_ >= TermTable::kMaxDepth) return false;
  ++depth_;
  for (int i = 0; i < term.count && exact; ++i) exact = IsExact(term.args[i]);
  --depth_;
  exact_.emplace(value.id, exact);
  return exact;
}

absl::StatusOr<Form> Normaliser::OfTerm(const Value& value, const Counters& counters) {
  const Term term = terms_.term(value);
  switch (term.op.family) {
    case Op::kBinary:
      return Binary(value, counters);
    case Op::kNegate: {
      QUERN_ASSIGN_OR_RETURN(Form a, Operand(value, 0, counters));
      return forms_.Scale(a, Coefficient(-1));
    }
    case Op::kCompare:
      return Compare(value, counters);
    case Op::kCast:
      return Cast(value, counters);
    case Op::kSelect:
      return Select(value, counters);
    case Op::kHeld:
      return Operand(value, 0, counters);
    case Op::kCarried:
      break;
    case Op::kCall:
      return Named(RealFunctionOf(terms_.name(term.op.name)), value, counters);
    case Op::kIntrinsic:
      return Named(RealFunctionOf(static_cast<Intrinsic>(term.op.code)), value, counters);
  }
  return Unsupported(terms_.ToString(value));
}

// An operation of which a fold has a form: "sum", or the key of a set.
static std::string FoldOf(const Op& op) {
  if (op.family == Op::kBinary) {
    const auto code = static_cast<BinaryOp>(op.code);
    if (code == BinaryOp::kFAdd || code == BinaryOp::kAdd) return "sum";
    if (code == BinaryOp::kAnd || code == BinaryOp::kOr) {
      return absl::StrCat(Name(code), op.type.bits);
    }
    return "";
  }
  if (op.family != Op::kIntrinsic) return "";
  const auto code = static_cast<Intrinsic>(op.code);
  if (code == Intrinsic::kFma) return "sum";
  switch (code) {
    case Intrinsic::kSMin:
    case Intrinsic::kSMax:
    case Intrinsic::kUMin:
    case Intrinsic::kUMax:
      return absl::StrCat(Name(code), op.type.bits);
    default:
      return RealFunctionOf(code);  // "max", "min"
  }
}

absl::StatusOr<Form> Normaliser::OfPower(const Run& run, int64_t length, const Counters& counters) {
  const SymbolId step = terms_.affine().Counter(run.level);
  QUERN_ASSIGN_OR_RETURN(Form product, Of(run.init, run.op.type, counters));
  for (int64_t i = 0; i < length; ++i) {
    const std::optional<Value> factor =
        terms_.Substitute(run.elements[0], step, AffineTable::Number(i));
    if (!factor.has_value()) return Unsupported("a product of so large indices");
    QUERN_ASSIGN_OR_RETURN(Form next, Of(*factor, run.op.type, counters));
    QUERN_ASSIGN_OR_RETURN(product,
                           forms_.Multiply(product, next, static_cast<int>(counters.size())));
  }
  return product;
}

absl::StatusOr<Form> Normaliser::OfRun(const Value& value, const Counters& counters) {
  static constexpr int64_t kMaxFactors = 16;
  const Run run = terms_.run(value);
  if (run.op.family == Op::kBinary && static_cast<BinaryOp>(run.op.code) == BinaryOp::kFMul &&
      run.inner.empty() && value.payload <= kMaxFactors) {
    return OfPower(run, value.payload, counters);
  }
  const std::string fold = FoldOf(run.op);
  if (fold != "sum" && fold != "max" && fold != "min" && run.op.type.is_float()) {
    return Unsupported(terms_.ToString(value));
  }
  if (fold.empty()) return Unsupported(terms_.ToString(value));
  Counters inside = counters;
  std::vector<int64_t> extents = {value.payload};
  extents.insert(extents.end(), run.inner.begin(), run.inner.end());
  for (size_t i = extents.size(); i-- > 0;) {
    inside.push_back(terms_.affine().Counter(run.level + static_cast<int>(i)));
  }
  for (int64_t extent : extents) {
    if (extent < 1) return Unsupported("an empty run");
  }
  const int n = static_cast<int>(counters.size()), within = static_cast<int>(inside.size());
  QUERN_ASSIGN_OR_RETURN(Form element, Of(run.elements[0], run.op.type, inside));
  if (run.count == 2) {
    QUERN_ASSIGN_OR_RETURN(Form factor, Of(run.elements[1], run.op.type, inside));
    QUERN_ASSIGN_OR_RETURN(element, forms_.Multiply(element, factor, within));
  }
  QUERN_ASSIGN_OR_RETURN(Form init, Of(run.init, run.op.type, counters));
  if (fold == "sum") {
    QUERN_ASSIGN_OR_RETURN(element, forms_.SumOver(std::move(element), extents, within));
    return forms_.Add(init, element, n);
  }
  if (fold == "min") {
    QUERN_ASSIGN_OR_RETURN(element, forms_.Scale(element, Coefficient(-1)));
    QUERN_ASSIGN_OR_RETURN(element, forms_.SetOver("max", element, extents, within));
    QUERN_ASSIGN_OR_RETURN(element, forms_.Scale(element, Coefficient(-1)));
    return forms_.Min(init, element, n);
  }
  QUERN_ASSIGN_OR_RETURN(element, forms_.SetOver(fold, element, extents, within));
  return forms_.Set(fold, init, element, n);
}

std::string Normaliser::Difference(const Form& actual, const Form& expected) const {
  if (actual.boxes.size() == 1 && expected.boxes.size() == 1) {
    return absl::StrCat("it is ", forms_.ToString(actual), ", not ", forms_.ToString(expected));
  }
  for (const auto& [from, other, verb] :
       {std::tuple(&expected, &actual, " is missing"), {&actual, &expected, " is too much"}}) {
    for (const IndexBox& box : from->boxes) {
      if (std::find(other->boxes.begin(), other->boxes.end(), box) == other->boxes.end()) {
        return absl::StrCat(forms_.ToString(box), verb);
      }
    }
  }
  return actual == expected ? "" : "the integers have different widths";
}

int64_t Normaliser::bytes() const {
  return forms_.bytes() + static_cast<int64_t>(memo_.size()) * 320;
}

}  // namespace quern::verifier
