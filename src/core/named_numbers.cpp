#include "core/named_numbers.h"

#include <charconv>
#include <cstdlib>
#include <utility>

#include "core/error.h"
#include "core/text.h"

namespace nvfuser {

NamedNumbers parseNamedNumbers(std::string_view text, std::string_view source) {
  NamedNumbers numbers;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view entry = trimmed(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    if (entry.empty()) {
      continue;
    }
    const size_t equals = entry.find('=');
    double number = 0;
    bool isNumber = false;
    if (equals != std::string_view::npos) {
      const std::string_view digits = trimmed(entry.substr(equals + 1));
      const auto [end, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), number);
      isNumber = error == std::errc() && end == digits.data() + digits.size();
    }
    NVF_CHECK(isNumber, "Expected NAME=NUMBER, separated by commas, in ", source, " but got '",
              entry, "'");
    numbers[std::string(trimmed(entry.substr(0, equals)))] = number;
  }
  return numbers;
}

Overrides::Overrides(const char* variable, IsKnown isKnown)
    : variable_(variable), isKnown_(std::move(isKnown)) {
  if (const char* text = std::getenv(variable); text != nullptr) {
    set(parseNamedNumbers(text, variable));
  }
}

void Overrides::set(NamedNumbers numbers) {
  for (const auto& [name, number] : numbers) {
    NVF_CHECK(isKnown_(name), variable_, " has no number '", name,
              "'; `python -m nvfuser info --tuning` lists them");
  }
  numbers_ = std::move(numbers);
}

}  // namespace nvfuser
