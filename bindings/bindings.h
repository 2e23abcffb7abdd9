// The registration functions of the extension: one per file of bindings/, called by module.cpp.
#pragma once

#include <nanobind/nanobind.h>

namespace nvfuser {

namespace nb = nanobind;

void bindBuildInfo(nb::module_& module);

}  // namespace nvfuser
