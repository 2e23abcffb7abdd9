// The schedulers, in the order in which they are tried. Another one is a file beside this one and a
// line in each of the two lists.
#include "schedule/schedulers/registry.h"

#include <array>

#include "schedule/scheduler.h"

namespace nvfuser {

std::span<const Scheduler* const> allSchedulers() {
  static const std::array all{
      schedulers::gpuUnfused(),         schedulers::cpuUnfused(),
      schedulers::libraryCall(),        schedulers::gpuPointwise(),
      schedulers::cpuPointwise(),       schedulers::gpuReduction(),
      schedulers::cpuReduction(),       schedulers::gpuInnerPersistent(),
      schedulers::cpuInnerPersistent(), schedulers::gpuOuterPersistent(),
      schedulers::cpuOuterPersistent(),
  };
  return all;
}

}  // namespace nvfuser
