// The extension module nvfuser._C: calls what registers each subject, and nothing else.

#include "bindings.h"

NB_MODULE(_C, module) {
  module.doc() = "The native part of nvfuser.";
  nvfuser::bindBuildInfo(module);
}
