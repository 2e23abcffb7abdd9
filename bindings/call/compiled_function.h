// CompiledFunction: a Python function whose calls run fusions that were made by tracing it.
#pragma once

#include <nanobind/nanobind.h>

namespace nvfuser {

void bindCompiledFunction(nanobind::module_& module);

}  // namespace nvfuser
