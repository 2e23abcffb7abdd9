// What kernels are compiled and launched with.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "core/error.h"
#include "runtime/kernel_params.h"

namespace nvfuser {

namespace {

std::optional<DataType> checkedIndexType(std::optional<DataType> type) {
  NVF_CHECK(!type || type == DataType::Int || type == DataType::Int32,
            "Expected index_type to be DataType.Int, DataType.Int32 or None but got ", *type);
  return type;
}

void bindLaunchParams(nb::module_& module) {
  nb::class_<LaunchParams>(module, "LaunchParams", R"(Blocks and threads of a launch.

Parameters
----------
gdimx, gdimy, gdimz : int
    Blocks along each direction; -1 stands for what the schedule needs.
bdimx, bdimy, bdimz : int
    Threads of a block along each direction, likewise.)")
      .def(nb::init<>())
      .def(
          "__init__",
          [](LaunchParams* self, int64_t gx, int64_t gy, int64_t gz, int64_t bx, int64_t by,
             int64_t bz) { new (self) LaunchParams{gx, gy, gz, bx, by, bz}; },
          nb::arg("gdimx"), nb::arg("gdimy"), nb::arg("gdimz"), nb::arg("bdimx"), nb::arg("bdimy"),
          nb::arg("bdimz"))
      .def_rw("gdimx", &LaunchParams::gdimx, "Blocks along x.")
      .def_rw("gdimy", &LaunchParams::gdimy, "Blocks along y.")
      .def_rw("gdimz", &LaunchParams::gdimz, "Blocks along z.")
      .def_rw("bdimx", &LaunchParams::bdimx, "Threads of a block along x.")
      .def_rw("bdimy", &LaunchParams::bdimy, "Threads of a block along y.")
      .def_rw("bdimz", &LaunchParams::bdimz, "Threads of a block along z.")
      .def("__eq__", [](const LaunchParams& a, const LaunchParams& b) { return a == b; },
           nb::is_operator())
      .def("__repr__", [](const LaunchParams& self) { return toString(self); });
}

void bindCompileParams(nb::module_& module) {
  nb::class_<CompileParams>(module, "CompileParams", R"(How a kernel is compiled.

Parameters
----------
index_type : DataType, optional
    Of indices: ``Int`` or ``Int32``; None stands for the narrowest that the sizes allow.
maxrregcount : int
    Registers that a thread has at most, on CUDA.
enable_magic_zero, enable_ptxas_verbose : bool
    Accepted, without effect.
device : int, optional
    The index of the CUDA device; None stands for that of the inputs.
include_paths : list of str
    Accepted, without effect: kernels include nothing.)")
      .def(
          "__init__",
          [](CompileParams* self, std::optional<DataType> indexType, int64_t maxrregcount,
             bool enableMagicZero, bool enablePtxasVerbose, std::optional<int64_t> device,
             std::vector<std::string> includePaths) {
            new (self)
                CompileParams{checkedIndexType(indexType), maxrregcount, enableMagicZero,
                              enablePtxasVerbose, device, std::move(includePaths)};
          },
          nb::kw_only(), nb::arg("index_type") = nb::none(), nb::arg("maxrregcount") = 255,
          nb::arg("enable_magic_zero") = true, nb::arg("enable_ptxas_verbose") = false,
          nb::arg("device") = nb::none(), nb::arg("include_paths") = nb::list())
      .def_prop_rw(
          "index_type", [](const CompileParams& self) { return self.indexType; },
          [](CompileParams& self, std::optional<DataType> type) {
            self.indexType = checkedIndexType(type);
          },
          nb::for_setter(nb::arg("index_type").none()), "The dtype of indices.")
      .def_rw("maxrregcount", &CompileParams::maxrregcount, "Registers of a thread, at most.")
      .def_rw("enable_magic_zero", &CompileParams::enableMagicZero, "Without effect.")
      .def_rw("enable_ptxas_verbose", &CompileParams::enablePtxasVerbose, "Without effect.")
      .def_rw("device", &CompileParams::device, nb::arg("device").none(),
              "The index of the CUDA device.")
      .def_rw("include_paths", &CompileParams::includePaths, "Without effect.")
      .def("__eq__", [](const CompileParams& a, const CompileParams& b) { return a == b; },
           nb::is_operator())
      .def("__repr__", [](const CompileParams& self) { return toString(self); });
}

}  // namespace

void bindParams(nb::module_& module) {
  bindLaunchParams(module);
  bindCompileParams(module);
}

}  // namespace nvfuser
