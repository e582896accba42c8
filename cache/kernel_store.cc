#include "cache/kernel_store.h"

#include <cstdlib>

namespace quern::cache {

std::string Name(Miss miss) {
  switch (miss) {
    case Miss::kAbsent:
      return "absent";
    case Miss::kOtherText:
      return "other text";
    case Miss::kOtherVersion:
      return "other version";
    case Miss::kDamaged:
      return "damaged";
    case Miss::kRevoked:
      return "revoked";
  }
  std::abort();
}

}  // namespace quern::cache
