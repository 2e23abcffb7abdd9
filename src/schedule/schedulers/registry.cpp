// The schedulers, in the order in which they are tried. Another one is a file beside this one and a
// line in each of the two lists.
#include "schedule/schedulers/registry.h"

#include <array>

#include "schedule/scheduler.h"

namespace nvfuser {

std::span<const Scheduler* const> allSchedulers() {
  using enum SchedulerType;
  static const std::array all{
      schedulers::gpuUnfused(),
      schedulers::cpuUnfused(),
      schedulers::libraryCall(),
      schedulers::gpuScan(),
      schedulers::gpuScatterInRows(),
      schedulers::gpuScatter(),
      schedulers::gpuTranspose(),
      schedulers::gpuLookup(),
      schedulers::gpuPointwise(),
      schedulers::cpuScatter(),
      schedulers::cpuScan(),
      schedulers::cpuTranspose(),
      schedulers::cpuPointwise(),
      schedulers::gpuInnerReduction(),
      schedulers::gpuOuterReduction(),
      schedulers::cpuReduction(),
      schedulers::gpuInnerPersistent(InnerPersistent),
      schedulers::gpuInnerStages(InnerPersistent),
      schedulers::gpuOuterStages(InnerPersistent),
      schedulers::cpuInnerPersistent(),
      schedulers::gpuInnerPersistent(OuterPersistent),
      schedulers::gpuInnerStages(OuterPersistent),
      schedulers::gpuOuterStages(OuterPersistent),
      schedulers::cpuOuterPersistent(),
  };
  return all;
}

}  // namespace nvfuser
