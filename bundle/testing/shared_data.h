// Where tests find data that is not in the repository; they skip where it is absent.
#ifndef QUERN_BUNDLE_TESTING_SHARED_DATA_H_
#define QUERN_BUNDLE_TESTING_SHARED_DATA_H_

#include <cstdlib>
#include <filesystem>

namespace quern {

// The folder `data` of $QUERN_SHARED, else of `shared` beside the checkout.
inline std::filesystem::path SharedData() {
  const char* shared = std::getenv("QUERN_SHARED");
  return std::filesystem::path(shared != nullptr ? shared : QUERN_DEFAULT_SHARED) / "data";
}

}  // namespace quern

#endif  // QUERN_BUNDLE_TESTING_SHARED_DATA_H_
