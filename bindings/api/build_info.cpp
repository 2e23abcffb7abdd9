// What the extension knows about its own build: its version, compiler and build type.

#include <nanobind/stl/string.h>

#include "bindings/bindings.h"

namespace nvfuser {

namespace {

nb::typed<nb::dict, nb::str, nb::object> buildInfo() {
  nb::typed<nb::dict, nb::str, nb::object> info;
  info["version"] = NVFUSER_VERSION;
#if defined(__clang__)
  info["compiler"] = "clang " __clang_version__;
#else
  info["compiler"] = "gcc " __VERSION__;
#endif
  info["cxx_standard"] = static_cast<int64_t>(__cplusplus);
  info["build_type"] = NVFUSER_BUILD_TYPE;
  info["nanobind"] = std::to_string(NB_VERSION_MAJOR) + "." + std::to_string(NB_VERSION_MINOR) +
                     "." + std::to_string(NB_VERSION_PATCH);
  return info;
}

}  // namespace

void bindBuildInfo(nb::module_& module) {
  module.attr("__version__") = NVFUSER_VERSION;
  module.def("build_info", &buildInfo,
             "Return the version, compiler and build type of this extension.");
}

}  // namespace nvfuser
