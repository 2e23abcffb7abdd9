// The registration functions of the extension: one a subject, called by module.cpp.
#pragma once

#include <nanobind/nanobind.h>

#include "bindings/support/enum_caster.h"
#include "bindings/support/flag_caster.h"

namespace nvfuser {

namespace nb = nanobind;

void bindBuildInfo(nb::module_& module);
// option_table.
void bindOptions(nb::module_& module);
void bindTuning(nb::module_& module);
void bindEnums(nb::module_& module);
void bindIr(nb::module_& module);
// The submodule `ops`, and the operators of Val and TensorView.
void bindOps(nb::module_& module);
void bindElementwiseOps(nb::module_& ops);
void bindViewOps(nb::module_& ops);
void bindIndexingOps(nb::module_& ops);
void bindReductionOps(nb::module_& ops);
void bindCreationOps(nb::module_& ops);
void bindRandomOps(nb::module_& ops);
void bindScans(nb::module_& ops);
void bindLibraryOps(nb::module_& ops);
void bindOperators();
// translate_fusion, and what saving a definition is made of.
void bindTranslation(nb::module_& module);
// The submodule `schedule`.
void bindSchedule(nb::module_& module);
// The submodule `idm`.
void bindIdModel(nb::module_& module);
// What kernels are scheduled, compiled and launched with.
void bindParams(nb::module_& module);
void bindKernelExecutor(nb::module_& module);
void bindProfiling(nb::module_& module);
// What fusions that are divided among devices know; DeviceMesh itself comes before the IR.
void bindDeviceMesh(nb::module_& module);
void bindMultidevice(nb::module_& module);
void bindRuntime(nb::module_& module);
void bindCompiler(nb::module_& module);
void bindCuda(nb::module_& module);

}  // namespace nvfuser
