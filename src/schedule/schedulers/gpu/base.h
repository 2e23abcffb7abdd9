// What is the same for every scheduler for devices with threads.
#pragma once

#include <variant>
#include <vector>

#include "schedule/scheduler.h"
#include "schedule/schedulers/common.h"
#include "schedule/schedulers/gpu/choose.h"
#include "schedule/schedulers/gpu/loops.h"
#include "schedule/schedulers/registry.h"

namespace nvfuser::schedulers::gpu {

// A scheduler with parameters of one type.
template <typename Params>
class GpuScheduler : public Scheduler {
 public:
  bool isFor(const Target& target) const override { return target.capabilities.hasThreads; }
  std::vector<ScheduleParams> candidates(const FusionSummary& summary,
                                         const ScheduleContext& context) const final {
    std::vector<ScheduleParams> candidates;
    for (const Params& params : choose(summary, context)) {
      candidates.push_back({this, params});
    }
    return candidates;
  }
  void apply(Fusion* fusion, const ScheduleParams& params) const final {
    schedule(fusion, std::get<Params>(params.values));
  }

 protected:
  using Scheduler::Scheduler;

 private:
  virtual std::vector<Params> choose(const FusionSummary& summary,
                                     const ScheduleContext& context) const = 0;
  virtual void schedule(Fusion* fusion, const Params& params) const = 0;
};

}  // namespace nvfuser::schedulers::gpu
