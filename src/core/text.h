// What is done to text of the environment.
#pragma once

#include <cctype>
#include <string_view>

namespace nvfuser {

// Without white space at both ends.
inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace nvfuser
