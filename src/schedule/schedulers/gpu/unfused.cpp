// Every tensor with loops of its own, which fits every fusion.
#include "schedule/heuristics/gpu/unfused.h"

#include "schedule/scheduler.h"
#include "schedule/schedulers/registry.h"

namespace nvfuser::schedulers {

namespace {

class GpuUnfused : public Scheduler {
 public:
  GpuUnfused() : Scheduler(SchedulerType::NoOp) {}
  bool isFor(const Target& target) const override { return target.capabilities.hasThreads; }
  std::string reject(const FusionSummary& /*summary*/) const override {
    return "it is for what no other scheduler does";
  }
  std::vector<ScheduleParams> candidates(const FusionSummary& /*summary*/,
                                         const ScheduleContext& /*context*/) const override {
    return {ScheduleParams{this, GpuParams{}}};
  }
  void apply(Fusion* fusion, const ScheduleParams& /*params*/) const override {
    removeSchedule(fusion);
    heuristics::scheduleGpuUnfused(fusion);
  }
};

}  // namespace

const Scheduler* gpuUnfused() {
  static const GpuUnfused scheduler;
  return &scheduler;
}

}  // namespace nvfuser::schedulers
