#include "bundle/json_view.h"

#include <cmath>

#include "absl/strings/str_cat.h"

namespace quern {

using nlohmann::json;

static constexpr int kMaxDepth = 64;

absl::StatusOr<json> ParseJson(std::string_view text, const std::string& what) {
  std::string complaint;
  std::vector<std::set<std::string>> keys;
  auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth >= kMaxDepth)
      complaint = absl::StrCat("is nested deeper than ", kMaxDepth, " levels");
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key &&
        !keys.back().insert(parsed.get<std::string>()).second) {
      complaint = absl::StrCat("repeats the key '", parsed.get<std::string>(), "'");
    }
    return true;
  };
  try {
    json value = json::parse(text, watch);
    if (complaint.empty()) return value;
  } catch (const json::exception& error) {
    complaint = absl::StrCat("is not JSON: ", error.what());
  }
  return absl::InvalidArgumentError(absl::StrCat(what, " ", complaint));
}

std::string JsonText(const json& value) {
  return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

json JsonNumber(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

void JsonView::Fail(const std::string& complaint) const {
  if (status_->ok()) *status_ = absl::InvalidArgumentError(absl::StrCat(path_, " ", complaint));
}

void JsonView::ExpectKeys(const std::set<std::string>& keys) const {
  if (value_ == nullptr) return;
  if (!value_->is_object()) return Fail("is not an object");
  for (const auto& [key, unused] : value_->items()) {
    if (!keys.contains(key)) return Fail(absl::StrCat("has the unknown key '", key, "'"));
  }
  for (const std::string& key : keys) {
    if (!value_->contains(key)) return Fail(absl::StrCat("lacks the key '", key, "'"));
  }
}

JsonView JsonView::operator[](const std::string& key) const {
  const bool here = value_ != nullptr && value_->is_object();
  const auto found = here ? value_->find(key) : json::const_iterator();
  if (value_ != nullptr && !here) Fail("is not an object");
  if (here && found == value_->end()) Fail(absl::StrCat("lacks the key '", key, "'"));
  const bool good = here && found != value_->end();
  const bool root = path_.empty() || path_.back() == ':';
  return JsonView(good ? &*found : nullptr, absl::StrCat(path_, root ? " " : ".", key), status_);
}

std::vector<JsonView> JsonView::Items() const {
  std::vector<JsonView> items;
  if (value_ == nullptr) return items;
  if (!value_->is_array()) {
    Fail("is not an array");
    return items;
  }
  for (const json& item : *value_) {
    items.emplace_back(&item, absl::StrCat(path_, "[", items.size(), "]"), status_);
  }
  return items;
}

std::map<std::string, JsonView> JsonView::Members() const {
  std::map<std::string, JsonView> members;
  if (value_ == nullptr) return members;
  if (!value_->is_object()) {
    Fail("is not an object");
    return members;
  }
  for (const auto& [key, value] : value_->items()) members.emplace(key, (*this)[key]);
  return members;
}

std::string JsonView::String() const {
  if (value_ == nullptr) return "";
  if (const auto* text = value_->get_ptr<const std::string*>()) return *text;
  Fail("is not a string");
  return "";
}

bool JsonView::Bool() const {
  if (value_ == nullptr) return false;
  if (const auto* flag = value_->get_ptr<const bool*>()) return *flag;
  Fail("is not true or false");
  return false;
}

int64_t JsonView::Integer(int64_t low, int64_t high) const {
  if (value_ == nullptr) return low;
  const auto* natural = value_->get_ptr<const json::number_unsigned_t*>();
  const auto* integer = value_->get_ptr<const json::number_integer_t*>();
  const bool fits = natural ? *natural <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())
                            : integer != nullptr;
  const int64_t value = !fits ? 0 : natural ? static_cast<int64_t>(*natural) : *integer;
  if (fits && low <= value && value <= high) return value;
  Fail(absl::StrCat("is not an integer from ", low, " to ", high));
  return low;
}

int JsonView::Int(int low) const {
  return static_cast<int>(Integer(low, std::numeric_limits<int>::max()));
}

uint64_t JsonView::Unsigned() const {
  if (value_ == nullptr) return 0;
  if (const auto* natural = value_->get_ptr<const json::number_unsigned_t*>()) return *natural;
  Fail("is not an unsigned 64-bit integer");
  return 0;
}

double JsonView::Double() const {
  if (value_ == nullptr) return 0;
  if (value_->is_number()) return value_->get<double>();
  if (*value_ == "inf") return std::numeric_limits<double>::infinity();
  if (*value_ == "-inf") return -std::numeric_limits<double>::infinity();
  if (*value_ == "nan") return std::numeric_limits<double>::quiet_NaN();
  Fail("is not a number");
  return 0;
}

double JsonView::NonNegative() const {
  const double value = Double();
  if (value < 0) Fail("is negative");
  return value;
}

std::string JsonView::Sha256() const {
  std::string digest = String();
  const bool good =
      digest.size() == 64 && digest.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!good) Fail("is not 64 lower-case hexadecimal digits");
  return digest;
}

std::vector<std::string> JsonView::Strings() const {
  std::vector<std::string> strings;
  for (const JsonView& item : Items()) strings.push_back(item.String());
  return strings;
}

std::vector<int64_t> JsonView::Integers(int64_t low) const {
  std::vector<int64_t> integers;
  for (const JsonView& item : Items()) integers.push_back(item.Integer(low));
  return integers;
}

}  // namespace quern
