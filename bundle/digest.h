// SHA-256, the only way quern names content.
#ifndef QUERN_BUNDLE_DIGEST_H_
#define QUERN_BUNDLE_DIGEST_H_

#include <string>
#include <string_view>

namespace quern {

// 64 lower-case hexadecimal digits.
std::string Sha256(std::string_view bytes);

}  // namespace quern

#endif  // QUERN_BUNDLE_DIGEST_H_
