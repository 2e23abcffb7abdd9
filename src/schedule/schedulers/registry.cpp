#include "schedule/schedulers/registry.h"

#include <array>

#include "schedule/scheduler.h"

namespace nvfuser {

std::span<const Scheduler* const> allSchedulers() {
#define NVF_SCHEDULER(function) schedulers::function(),
  static const std::array all{NVF_SCHEDULERS(NVF_SCHEDULER)};
#undef NVF_SCHEDULER
  return all;
}

}  // namespace nvfuser
