// One step of a derivation, and its line of text.
#ifndef QUERN_SEARCH_ACTION_H_
#define QUERN_SEARCH_ACTION_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"

namespace quern::search {

// A rule, where it is applied, and how. Names that an action binds follow from its site and
// parameters: tiling "i0" makes "i0.o" and "i0.i".
struct Action {
  using Parameter = std::variant<int64_t, std::string>;

  std::string rule;
  std::vector<std::string> site;  // the kernel, then loops or buffers of it
  std::map<std::string, Parameter> parameters;

  bool operator==(const Action&) const = default;

  // The parameter `key`, or the default where it is absent or of the other kind.
  int64_t Integer(const std::string& key, int64_t otherwise) const;
  std::string Text(const std::string& key, const std::string& otherwise) const;
};

// {"parameters":{"factor":6},"rule":"tile","site":["k0","i0"]}: one line, keys sorted.
std::string ToJson(const Action& action);
absl::StatusOr<Action> ParseAction(std::string_view json);

}  // namespace quern::search

#endif  // QUERN_SEARCH_ACTION_H_
