// The submodule ops, of what the files for its families add to it.

#include "bindings/bindings.h"

namespace nvfuser {

void bindOps(nb::module_& module) {
  nb::module_ ops = module.def_submodule(
      "ops",
      "The operations: functions that append to the active fusion, and return the new value.");
  bindElementwiseOps(ops);
  bindViewOps(ops);
  bindIndexingOps(ops);
  bindLibraryOps(ops);
  bindReductionOps(ops);
  bindCreationOps(ops);
  bindRandomOps(ops);
  bindScans(ops);
  bindOperators();
}

}  // namespace nvfuser
