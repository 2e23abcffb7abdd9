// Hashes a value whose alternatives can be equal to each other: a static assertion must say so.
#include <dynamic_type/dynamic_type.h>

using Number = dynamic_type::DynamicType<dynamic_type::NoContainers, double, int64_t>;

std::size_t hash(const Number& x) { return std::hash<Number>{}(x); }
