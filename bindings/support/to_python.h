// Values of the core as Python objects.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>

#include "bindings/support/enum_caster.h"
#include "value/polymorphic_value.h"

namespace nvfuser {

namespace nb = nanobind;

// A bool, int, float or complex; None for what is none of them.
nb::object toPython(const PolymorphicValue& value);
// Sizes or strides.
nb::tuple toTuple(std::span<const int64_t> values);

}  // namespace nvfuser
