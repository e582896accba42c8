// The types and operations of the decoded form of LLVM IR. What each operation means, poison
// included, is the LLVM 22 language reference; deviations are stated here.
#ifndef QUERN_VERIFIER_MACHINE_OPS_H_
#define QUERN_VERIFIER_MACHINE_OPS_H_

#include <cstdint>
#include <string>

namespace quern::verifier {

// A scalar or fixed vector; a vector of one lane is the same as its scalar. Integers have 1 to 64
// bits. Only integers of 8, 16, 32 and 64 bits, floats and pointers are ever loaded or stored.
struct Type {
  enum Kind : uint8_t { kVoid, kInt, kHalf, kBFloat, kFloat, kDouble, kPointer };
  Kind kind = kVoid;
  uint8_t bits = 0;    // of a lane
  uint32_t lanes = 1;  // at most kMaxLanes

  static constexpr uint32_t kMaxLanes = 4096;
  bool is_float() const { return kind >= kHalf && kind <= kDouble; }
  int lane_bytes() const { return (bits + 7) / 8; }  // in memory
  int64_t bytes() const { return int64_t{lane_bytes()} * lanes; }
  Type scalar() const { return {kind, bits, 1}; }
  bool operator==(const Type&) const = default;
};

std::string Name(const Type& type);  // "float", "<8 x i32>", as LLVM spells it

enum class BinaryOp : uint8_t {
  kAdd,
  kSub,
  kMul,
  kUDiv,
  kSDiv,
  kURem,
  kSRem,
  kShl,
  kLShr,
  kAShr,
  kAnd,
  kOr,
  kXor,
  kFAdd,
  kFSub,
  kFMul,
  kFDiv,
  kFRem,
};

// A violated flag makes the result poison.
struct BinaryFlags {
  bool nuw = false;
  bool nsw = false;
  bool exact = false;
  bool disjoint = false;
};

// Bits of a float predicate as in LLVM: 1 equal, 2 greater, 4 less, 8 unordered.
enum class Predicate : uint8_t {
  kFFalse,
  kOeq,
  kOgt,
  kOge,
  kOlt,
  kOle,
  kOne,
  kOrd,
  kUno,
  kUeq,
  kUgt,
  kUge,
  kUlt,
  kUle,
  kUne,
  kFTrue,
  kEq,
  kNe,
  kIUgt,
  kIUge,
  kIUlt,
  kIUle,
  kISgt,
  kISge,
  kISlt,
  kISle,
};

enum class CastOp : uint8_t {
  kTrunc,
  kZExt,
  kSExt,
  kFPTrunc,
  kFPExt,
  kFPToUI,
  kFPToSI,
  kUIToFP,
  kSIToFP,
  kBitcast,
  kFPToUISat,  // into the range, NaN to 0
  kFPToSISat,
};

// `nneg` of zext and uitofp; nuw and nsw of trunc.
struct CastFlags {
  bool nneg = false;
  bool nuw = false;
  bool nsw = false;
};

// Lane-wise intrinsics of one result type; `exp` and below have no fixed rounding.
enum class Intrinsic : uint8_t {
  kFma,
  kFAbs,
  kCopySign,
  kSqrt,
  kMinNum,
  kMaxNum,
  kMinimum,
  kMaximum,
  kMinimumNum,
  kMaximumNum,
  kFloor,
  kCeil,
  kTruncate,
  kRint,
  kNearbyInt,
  kRound,
  kRoundEven,
  kSMin,
  kSMax,
  kUMin,
  kUMax,
  kAbs,  // args[1] is an i1: whether the minimum gives poison
  kExp,
  kExp2,
  kLog,
  kLog2,
  kLog10,
  kSin,
  kCos,
  kTan,
  kTanh,
  kPow,
};

std::string Name(BinaryOp op);          // "fadd"
std::string Name(CastOp op);            // "fpext"
std::string Name(Predicate predicate);  // "oeq"
std::string Name(Intrinsic intrinsic);  // "fma"

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_MACHINE_OPS_H_
