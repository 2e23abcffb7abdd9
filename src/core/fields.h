// Structs of numbers that are declared, compared and printed by one table each: a field that is
// added to the table is in all of these.
#pragma once

#include <compare>
#include <string>
#include <type_traits>

#include "core/error.h"

namespace nvfuser {

namespace fields {

inline void print(std::string& text, const char* name, bool value) {
  text += concatenate(text.empty() ? "" : ", ", name, "=", value ? "yes" : "no");
}
template <typename T>
void print(std::string& text, const char* name, const T& value) {
  text += concatenate(text.empty() ? "" : ", ", name);
  if constexpr (std::is_class_v<T>) {
    text += "(" + value.toString() + ")";
  } else {
    text += concatenate("=", value);
  }
}

}  // namespace fields

#define NVF_DECLARE_FIELD(type, name, value, meaning) type name = value;
#define NVF_PRINT_FIELD(type, name, value, meaning) fields::print(text, #name, name);
#define NVF_VISIT_FIELD(type, name, value, meaning) visit(#name, fields.name);

// Inside of a struct. TABLE(X) has a row X(type, name, default, meaning) for each field.
#define NVF_FIELDS_OF(Struct, TABLE)                               \
  TABLE(NVF_DECLARE_FIELD)                                         \
  friend bool operator==(const Struct&, const Struct&) = default;  \
  friend auto operator<=>(const Struct&, const Struct&) = default; \
  /* "rows=4, tile(side=32)" */                                    \
  std::string toString() const {                                   \
    std::string text;                                              \
    TABLE(NVF_PRINT_FIELD)                                         \
    return text;                                                   \
  }                                                                \
  /* Calls visit(name, field) for each. */                         \
  template <typename Visit>                                        \
  static void forEachField(Struct& fields, const Visit& visit) {   \
    TABLE(NVF_VISIT_FIELD)                                         \
  }

}  // namespace nvfuser
