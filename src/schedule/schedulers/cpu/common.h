// What the schedulers for workers without threads of their own have in common.
#pragma once

#include "core/error.h"
#include "schedule/scheduler.h"

namespace nvfuser::schedulers {

class CpuScheduler : public Scheduler {
 public:
  bool isFor(const Target& target) const override { return !target.capabilities.hasThreads; }

 protected:
  using Scheduler::Scheduler;

  template <typename Params>
  static const Params& own(const ScheduleParams& params) {
    return checked(std::get_if<Params>(&params.values));
  }
  // Of a type that only this scheduler knows.
  template <typename Params>
  static const Params& ownOf(const ScheduleParams& params) {
    return checked(checked(std::get_if<OwnParams>(&params.values)).template as<Params>());
  }

 private:
  template <typename T>
  static const T& checked(const T* values) {
    NVF_CHECK(values != nullptr, "Expected parameters of the scheduler that chose them");
    return *values;
  }
};

}  // namespace nvfuser::schedulers
