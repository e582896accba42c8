#include "verifier/machine/domain.h"

namespace quern::verifier {

std::string Name(FaultKind kind) {
  switch (kind) {
    case FaultKind::kNone:
      return "none";
    case FaultKind::kOutOfBounds:
      return "in-bounds";
    case FaultKind::kMisaligned:
      return "alignment";
    case FaultKind::kPermission:
      return "permission";
    case FaultKind::kUninitialised:
      return "initialised";
    case FaultKind::kPoison:
      return "no-poison";
    case FaultKind::kWrap:
      return "no-wrap";
    case FaultKind::kDivide:
      return "division";
    case FaultKind::kAssume:
      return "assume";
    case FaultKind::kUnreachable:
      return "unreachable";
    case FaultKind::kRace:
      return "no-race";
    case FaultKind::kCoverage:
      return "coverage";
    case FaultKind::kUnsupported:
      return "supported";
    case FaultKind::kUndecided:
      return "undecided";
    case FaultKind::kBudget:
      return "budget";
    case FaultKind::kSplit:
      return "split";
  }
  return "";
}

bool IsDefect(FaultKind kind) { return kind > FaultKind::kNone && kind < FaultKind::kUnsupported; }

}  // namespace quern::verifier
