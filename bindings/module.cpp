// The extension module nvfuser._C: calls what registers each subject, and nothing else.

#include <cstdlib>

#include "bindings/bindings.h"

NB_MODULE(_C, module) {
  // nanobind's report at exit of objects that are still alive: tests ask for it, users who keep
  // objects until the interpreter ends should not see it.
  nvfuser::nb::set_leak_warnings(std::getenv("NVFUSER_LEAK_WARNINGS") != nullptr);
  module.doc() = "The native part of nvfuser.";
  nvfuser::bindBuildInfo(module);
  nvfuser::bindOptions(module);
  nvfuser::bindTuning(module);
  // In this order: default arguments and signatures name what was registered before.
  nvfuser::bindEnums(module);
  nvfuser::bindDeviceMesh(module);
  nvfuser::bindIr(module);
  nvfuser::bindOps(module);
  nvfuser::bindTranslation(module);
  nvfuser::bindParams(module);
  nvfuser::bindSchedule(module);
  nvfuser::bindIdModel(module);
  nvfuser::bindProfiling(module);
  nvfuser::bindRuntime(module);
  nvfuser::bindMultidevice(module);
  nvfuser::bindKernelExecutor(module);
  nvfuser::bindCompiler(module);
  nvfuser::bindCuda(module);
}
