// The one explicit instantiation of the type of extern_template.h, and of others that must be
// instantiable as a whole.
#include <dynamic_type/impl.h>

#include "common.h"
#include "extern_template.h"

template struct dynamic_type::DynamicType<dynamic_type::Containers<std::vector>,
                                          dynamic_type_tests::Handle, double, int64_t, bool>;

// Every member compiles, whatever the alternatives lack.
template struct dynamic_type::DynamicType<dynamic_type::NoContainers>;
template struct dynamic_type::DynamicType<dynamic_type::NoContainers, std::unique_ptr<int>,
                                          dynamic_type_tests::Unconstructible>;
template struct dynamic_type::DynamicType<dynamic_type::Containers<std::vector>,
                                          dynamic_type_tests::Empty, std::string, int*>;
