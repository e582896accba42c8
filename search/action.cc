#include "search/action.h"

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace quern::search {

int64_t Action::Integer(const std::string& key, int64_t otherwise) const {
  auto found = parameters.find(key);
  if (found == parameters.end()) return otherwise;
  const int64_t* value = std::get_if<int64_t>(&found->second);
  return value ? *value : otherwise;
}

std::string Action::Text(const std::string& key, const std::string& otherwise) const {
  auto found = parameters.find(key);
  if (found == parameters.end()) return otherwise;
  const std::string* value = std::get_if<std::string>(&found->second);
  return value ? *value : otherwise;
}

std::string ToJson(const Action& action) {
  nlohmann::json json = {{"rule", action.rule}, {"site", action.site}};
  json["parameters"] = nlohmann::json::object();
  for (const auto& [key, value] : action.parameters) {
    std::visit([&, &key = key](const auto& v) { json["parameters"][key] = v; }, value);
  }
  return json.dump();
}

absl::StatusOr<Action> ParseAction(std::string_view text) {
  nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  auto bad = [&](std::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat("action ", std::string(text), ": ", std::string(what)));
  };
  if (!json.is_object() || json.size() != 3 || !json.contains("rule") || !json.contains("site") ||
      !json.contains("parameters")) {
    return bad("expected an object with rule, site and parameters");
  }
  if (!json["rule"].is_string() || !json["site"].is_array() || !json["parameters"].is_object()) {
    return bad("rule is a string, site an array, parameters an object");
  }
  Action action;
  action.rule = json["rule"];
  for (const nlohmann::json& name : json["site"]) {
    if (!name.is_string()) return bad("site holds names");
    action.site.push_back(name);
  }
  for (const auto& [key, value] : json["parameters"].items()) {
    if (value.is_number_integer()) {
      action.parameters[key] = value.get<int64_t>();
    } else if (value.is_string()) {
      action.parameters[key] = value.get<std::string>();
    } else {
      return bad("a parameter is an integer or a string");
    }
  }
  return action;
}

}  // namespace quern::search
