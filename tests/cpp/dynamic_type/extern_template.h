// A type that is declared here and instantiated in extern_template_definition.cpp only.
#pragma once

#include <dynamic_type/decl.h>

#include <memory>

namespace dynamic_type_tests {

struct Handle {
  std::shared_ptr<int> pointer;
  bool operator==(const Handle&) const = default;
};

using Instantiated =
    dynamic_type::DynamicType<dynamic_type::Containers<std::vector>, Handle, double, int64_t, bool>;

}  // namespace dynamic_type_tests

extern template struct dynamic_type::DynamicType<dynamic_type::Containers<std::vector>,
                                                 dynamic_type_tests::Handle, double, int64_t, bool>;
