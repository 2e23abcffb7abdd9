// Numbers with names and meanings in one table each, whose values tests and experiments can
// replace.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace nvfuser {

using NamedNumbers = std::map<std::string, double, std::less<>>;

// "a=1, b=2"; raises an Error that names `source` for any other text.
NamedNumbers parseNamedNumbers(std::string_view text, std::string_view source);

// Values in place of those of a table: of a variable of the environment, or of a test.
class Overrides {
 public:
  // Whether the table has such a name.
  using IsKnown = std::function<bool(std::string_view)>;

  Overrides(const char* variable, IsKnown isKnown);

  // In place of those of the environment; raises for an unknown name.
  void set(NamedNumbers numbers);
  // Replaces a value if there is one in its place.
  template <typename T>
  void apply(std::string_view name, T& value) const {
    if (const auto found = numbers_.find(name); found != numbers_.end()) [[unlikely]] {
      value = static_cast<T>(found->second);
    }
  }

 private:
  const char* variable_;
  IsKnown isKnown_;
  NamedNumbers numbers_;
};

}  // namespace nvfuser
