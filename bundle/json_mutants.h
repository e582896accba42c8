// Malformed variants of a JSON document, for the tests of strict readers.
#ifndef QUERN_BUNDLE_JSON_MUTANTS_H_
#define QUERN_BUNDLE_JSON_MUTANTS_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace quern {

struct JsonMutant {
  std::string text;
  std::string key;    // nearest to the change; the reader's complaint has to name it
  bool wrong = true;  // false: the reader may accept it, but it must not crash
};

// At every value of `text`: null, other types, extreme numbers, deep nesting; at every object: a
// key that is missing, unknown or there twice.
std::vector<JsonMutant> JsonMutants(std::string_view text);

}  // namespace quern

#endif  // QUERN_BUNDLE_JSON_MUTANTS_H_
