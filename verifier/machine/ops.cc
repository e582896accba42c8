#include "verifier/machine/ops.h"

#include <iterator>

namespace quern::verifier {

static constexpr const char* kBinaryNames[] = {"add",  "sub",  "mul",  "udiv", "sdiv", "urem",
                                               "srem", "shl",  "lshr", "ashr", "and",  "or",
                                               "xor",  "fadd", "fsub", "fmul", "fdiv", "frem"};
static constexpr const char* kCastNames[] = {"trunc",  "zext",    "sext",       "fptrunc",
                                             "fpext",  "fptoui",  "fptosi",     "uitofp",
                                             "sitofp", "bitcast", "fptoui.sat", "fptosi.sat"};
static constexpr const char* kPredicateNames[] = {
    "false", "oeq", "ogt",  "oge", "olt", "ole", "one", "ord", "uno", "ueq", "ugt", "uge", "ult",
    "ule",   "une", "true", "eq",  "ne",  "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"};
static constexpr const char* kIntrinsicNames[] = {
    "fma",        "fabs",       "copysign", "sqrt", "minnum", "maxnum", "minimum",   "maximum",
    "minimumnum", "maximumnum", "floor",    "ceil", "trunc",  "rint",   "nearbyint", "round",
    "roundeven",  "smin",       "smax",     "umin", "umax",   "abs",    "exp",       "exp2",
    "log",        "log2",       "log10",    "sin",  "cos",    "tan",    "tanh",      "pow"};
static_assert(std::size(kBinaryNames) == static_cast<int>(BinaryOp::kFRem) + 1);
static_assert(std::size(kCastNames) == static_cast<int>(CastOp::kFPToSISat) + 1);
static_assert(std::size(kPredicateNames) == static_cast<int>(Predicate::kISle) + 1);
static_assert(std::size(kIntrinsicNames) == static_cast<int>(Intrinsic::kPow) + 1);

std::string Name(BinaryOp op) { return kBinaryNames[static_cast<int>(op)]; }
std::string Name(CastOp op) { return kCastNames[static_cast<int>(op)]; }
std::string Name(Predicate predicate) { return kPredicateNames[static_cast<int>(predicate)]; }
std::string Name(Intrinsic intrinsic) { return kIntrinsicNames[static_cast<int>(intrinsic)]; }

static std::string LaneName(const Type& type) {
  switch (type.kind) {
    case Type::kVoid:
      return "void";
    case Type::kInt:
      return "i" + std::to_string(type.bits);
    case Type::kHalf:
      return "half";
    case Type::kBFloat:
      return "bfloat";
    case Type::kFloat:
      return "float";
    case Type::kDouble:
      return "double";
    case Type::kPointer:
      return "ptr";
  }
  return "";
}

std::string Name(const Type& type) {
  if (type.lanes == 1) return LaneName(type);
  return "<" + std::to_string(type.lanes) + " x " + LaneName(type) + ">";
}

}  // namespace quern::verifier
