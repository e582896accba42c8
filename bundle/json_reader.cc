#include "bundle/json_reader.h"

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"

namespace quern {

absl::StatusOr<nlohmann::json> ParseJson(std::string_view text, absl::string_view what) {
  int depth = 0;
  bool too_deep = false;
  nlohmann::json value = nlohmann::json::parse(
      text.begin(), text.end(),
      [&](int level, nlohmann::json::parse_event_t, nlohmann::json&) {
        depth = level;
        too_deep |= level > 32;
        return !too_deep;
      },
      /*allow_exceptions=*/false);
  if (too_deep) return absl::InvalidArgumentError(absl::StrCat(what, ": nested too deeply"));
  if (value.is_discarded())
    return absl::InvalidArgumentError(absl::StrCat(what, ": not valid JSON"));
  return value;
}

nlohmann::json JsonOf(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

static bool ToDouble(const nlohmann::json& value, double& out) {
  if (value.is_number()) {
    out = value.get<double>();
    return std::isfinite(out);
  }
  if (value == "inf")
    out = std::numeric_limits<double>::infinity();
  else if (value == "-inf")
    out = -std::numeric_limits<double>::infinity();
  else if (value == "nan")
    out = std::numeric_limits<double>::quiet_NaN();
  else
    return false;
  return true;
}

static bool ToInteger(const nlohmann::json& value, int64_t& out) {
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
    return false;
  out = value.get<int64_t>();
  return true;
}

JsonReader::JsonReader(const nlohmann::json& object, std::string path)
    : object_(object), path_(std::move(path)) {
  if (!object_.is_object()) {
    status_ = absl::InvalidArgumentError(absl::StrCat(path_, ": must be an object"));
  }
}

void JsonReader::Fail(const char* key, absl::string_view what) {
  if (status_.ok()) status_ = absl::InvalidArgumentError(absl::StrCat(path_, ".", key, ": ", what));
}

void JsonReader::Merge(const absl::Status& status) {
  if (status_.ok()) status_ = status;
}

const nlohmann::json* JsonReader::Find(const char* key) {
  if (!status_.ok()) return nullptr;
  read_.insert(key);
  auto it = object_.find(key);
  if (it == object_.end()) {
    Fail(key, "is missing");
    return nullptr;
  }
  return &*it;
}

std::string JsonReader::String(const char* key) {
  const nlohmann::json* value = Find(key);
  if (value == nullptr) return "";
  if (value->is_string()) return value->get<std::string>();
  Fail(key, "must be a string");
  return "";
}

int64_t JsonReader::Integer(const char* key, int64_t low, int64_t high) {
  const nlohmann::json* value = Find(key);
  if (value == nullptr) return 0;
  int64_t out = 0;
  if (ToInteger(*value, out) && out >= low && out <= high) return out;
  Fail(key, "must be an integer in range");
  return 0;
}

uint64_t JsonReader::Unsigned(const char* key) {
  const nlohmann::json* value = Find(key);
  if (value == nullptr) return 0;
  if (value->is_number_unsigned()) return value->get<uint64_t>();
  Fail(key, "must be an unsigned integer");
  return 0;
}

double JsonReader::Double(const char* key) {
  const nlohmann::json* value = Find(key);
  double out = 0;
  if (value != nullptr && !ToDouble(*value, out)) Fail(key, "must be a number");
  return out;
}

bool JsonReader::Bool(const char* key) {
  const nlohmann::json* value = Find(key);
  if (value == nullptr) return false;
  if (value->is_boolean()) return value->get<bool>();
  Fail(key, "must be true or false");
  return false;
}

const nlohmann::json& JsonReader::Array(const char* key) {
  static const nlohmann::json empty = nlohmann::json::array();
  const nlohmann::json* value = Find(key);
  if (value == nullptr) return empty;
  if (value->is_array()) return *value;
  Fail(key, "must be an array");
  return empty;
}

const nlohmann::json& JsonReader::Object(const char* key) {
  static const nlohmann::json empty = nlohmann::json::object();
  const nlohmann::json* value = Find(key);
  if (value == nullptr) return empty;
  if (value->is_object()) return *value;
  Fail(key, "must be an object");
  return empty;
}

std::vector<int64_t> JsonReader::Integers(const char* key, int64_t low) {
  std::vector<int64_t> values;
  for (const nlohmann::json& item : Array(key)) {
    int64_t out = 0;
    if (!ToInteger(item, out) || out < low) Fail(key, "must hold integers in range");
    values.push_back(out);
  }
  return values;
}

std::vector<double> JsonReader::Doubles(const char* key) {
  std::vector<double> values;
  for (const nlohmann::json& item : Array(key)) {
    double out = 0;
    if (!ToDouble(item, out)) Fail(key, "must hold numbers");
    values.push_back(out);
  }
  return values;
}

std::vector<std::string> JsonReader::Strings(const char* key) {
  std::vector<std::string> values;
  for (const nlohmann::json& item : Array(key)) {
    if (!item.is_string()) {
      Fail(key, "must hold strings");
      return {};
    }
    values.push_back(item.get<std::string>());
  }
  return values;
}

std::map<std::string, std::string> JsonReader::StringMap(const char* key) {
  std::map<std::string, std::string> values;
  for (const auto& [name, item] : Object(key).items()) {
    if (!item.is_string()) {
      Fail(key, "must hold strings");
      return {};
    }
    values[name] = item.get<std::string>();
  }
  return values;
}

std::string JsonReader::Path(const char* key, size_t index) const {
  return absl::StrCat(path_, ".", key, "[", index, "]");
}

absl::Status JsonReader::Finish() {
  if (!status_.ok()) return status_;
  for (const auto& [key, value] : object_.items()) {
    if (!read_.contains(key))
      return absl::InvalidArgumentError(absl::StrCat(path_, ".", key, ": unknown key"));
  }
  return absl::OkStatus();
}

}  // namespace quern
