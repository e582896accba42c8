// Strict reading of JSON objects: every error names the key, and a key that nobody asked for is
// one.
#ifndef QUERN_BUNDLE_JSON_READER_H_
#define QUERN_BUNDLE_JSON_READER_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace quern {

// Parses text with nesting of at most 32. kInvalidArgument that begins with `what`.
absl::StatusOr<nlohmann::json> ParseJson(std::string_view text, absl::string_view what);

// Doubles as JSON: finite ones as numbers, the others as "inf", "-inf", "nan".
nlohmann::json JsonOf(double value);

// Reads one object; the first error sticks and all later reads give defaults. Finish() reports it,
// or a key that was never read.
class JsonReader {
 public:
  JsonReader(const nlohmann::json& object, std::string path);

  std::string String(const char* key);
  int64_t Integer(const char* key, int64_t low = INT64_MIN, int64_t high = INT64_MAX);
  uint64_t Unsigned(const char* key);
  double Double(const char* key);
  bool Bool(const char* key);
  std::vector<int64_t> Integers(const char* key, int64_t low = INT64_MIN);
  std::vector<double> Doubles(const char* key);
  std::vector<std::string> Strings(const char* key);
  std::map<std::string, std::string> StringMap(const char* key);
  // The elements of an array of objects; empty on error.
  const nlohmann::json& Array(const char* key);
  const nlohmann::json& Object(const char* key);
  std::string Path(const char* key, size_t index) const;

  void Fail(const char* key, absl::string_view what);
  void Merge(const absl::Status& status);
  absl::Status Finish();

 private:
  const nlohmann::json* Find(const char* key);
  const nlohmann::json& object_;
  std::string path_;
  std::set<std::string> read_;
  absl::Status status_;
};

}  // namespace quern

#endif  // QUERN_BUNDLE_JSON_READER_H_
