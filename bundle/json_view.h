// Strict reading of a JSON document: every key accounted for, every type and range checked.
#ifndef QUERN_BUNDLE_JSON_VIEW_H_
#define QUERN_BUNDLE_JSON_VIEW_H_

#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace quern {

// Parses `text`, at most 64 levels deep and without repeated keys. kInvalidArgument, which begins
// with `what`, otherwise. Never throws.
absl::StatusOr<nlohmann::json> ParseJson(std::string_view text, const std::string& what);

// Indented, keys sorted, a newline at the end. Bytes that are not UTF-8 become U+FFFD.
std::string JsonText(const nlohmann::json& value);

// JSON has no infinities and NaNs: they are the strings "inf", "-inf" and "nan".
nlohmann::json JsonNumber(double value);

// One value of a document, with the path to it ("launch plan: buffers[2].bytes"). The first thing
// that is not as expected goes to the status that all views of a document share; from then on
// getters return empty values and the reader checks the status once, at its end.
class JsonView {
 public:
  // `value` and `status` outlive the view and all views taken from it.
  JsonView(const nlohmann::json* value, std::string path, absl::Status* status)
      : value_(value), path_(std::move(path)), status_(status) {}

  // Requires an object with exactly these keys.
  void ExpectKeys(const std::set<std::string>& keys) const;
  JsonView operator[](const std::string& key) const;
  std::vector<JsonView> Items() const;              // of an array
  std::map<std::string, JsonView> Members() const;  // of an object

  std::string String() const;
  bool Bool() const;
  int64_t Integer(int64_t low = 0, int64_t high = std::numeric_limits<int64_t>::max()) const;
  int Int(int low = 0) const;
  uint64_t Unsigned() const;
  double Double() const;       // a number, or a string of JsonNumber
  double NonNegative() const;  // likewise; NaN is accepted
  std::string Sha256() const;  // 64 lower-case hexadecimal digits
  std::vector<std::string> Strings() const;
  std::vector<int64_t> Integers(int64_t low = 0) const;

  // What `parse`, which returns an optional, makes of a string.
  template <typename Parse>
  auto Parsed(Parse parse, const std::string& complaint) const {
    auto found = parse(String());
    if (!found) Fail(complaint);
    return found.value_or(typename decltype(found)::value_type());
  }

  // The enumerator of [0, count) whose Name is this string.
  template <typename E>
  E Enum(int count) const {
    const std::string name = String();
    for (int i = 0; i < count; ++i) {
      if (Name(static_cast<E>(i)) == name) return static_cast<E>(i);
    }
    Fail("has the unknown value '" + name + "'");
    return E();
  }

  // Records an error about this value: "PATH COMPLAINT".
  void Fail(const std::string& complaint) const;

 private:
  const nlohmann::json* value_;  // null after an error
  std::string path_;
  absl::Status* status_;
};

}  // namespace quern

#endif  // QUERN_BUNDLE_JSON_VIEW_H_
