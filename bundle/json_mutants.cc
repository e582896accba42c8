#include "bundle/json_mutants.h"

#include <utility>

namespace quern {

using nlohmann::json;

static json Nested(int depth) {
  json value = 0;
  for (int i = 0; i < depth; ++i) value = json::array({std::move(value)});
  return value;
}

static void Visit(const json& root, const json::json_pointer& at, const std::string& key,
                  std::vector<JsonMutant>& mutants) {
  auto replaced = [&](const json& value) {
    json copy = root;
    copy[at] = value;
    return copy.dump();
  };
  const json& value = root[at];
  const bool number = value.is_number() || value == "inf" || value == "-inf" || value == "nan";
  mutants.push_back({.text = replaced(nullptr), .key = key});
  mutants.push_back({.text = replaced(Nested(40)), .key = key, .wrong = !value.is_array()});
  for (const json& other : {json("?"), json(true), json(-2), json(1e300), json(-1e300), json(0.5),
                            json(UINT64_MAX), json(INT64_MIN), json::object(), json::array()}) {
    const bool same_kind = other.type() == value.type() || (other.is_number() && number);
    mutants.push_back({.text = replaced(other), .key = key, .wrong = !same_kind && !value.empty()});
  }
  if (value.is_object()) {
    json more = value;
    more["surprise"] = 1;
    mutants.push_back({.text = replaced(more), .key = "surprise"});
    for (const auto& [name, unused] : value.items()) {
      json less = value;
      less.erase(name);
      mutants.push_back({.text = replaced(less), .key = name});
      Visit(root, at / name, name, mutants);
    }
  }
  if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) Visit(root, at / i, key, mutants);
  }
}

std::vector<JsonMutant> JsonMutants(std::string_view text) {
  const json root = json::parse(text);
  std::vector<JsonMutant> mutants;
  Visit(root, json::json_pointer(), "", mutants);
  for (const auto& [name, value] : root.items()) {
    if (!root.is_object()) break;
    const std::string twice = "{" + json(name).dump() + ":" + value.dump() + ",";
    mutants.push_back({.text = twice + root.dump().substr(1), .key = name});
  }
  for (size_t i = 0; i + 1 < text.size(); i += 1 + text.size() / 200) {
    mutants.push_back({.text = std::string(text.substr(0, i)), .key = ""});
  }
  mutants.push_back({.text = std::string(100000, '['), .key = ""});
  mutants.push_back({.text = std::string(100000, '[') + std::string(100000, ']'), .key = ""});
  mutants.push_back({.text = "{\"version\": 1e999}", .key = ""});
  mutants.push_back({.text = std::string("\0\xff\xfe{}", 5), .key = ""});
  return mutants;
}

}  // namespace quern
