// Reductions, and normalizations, which use their results along the reduced dimensions.
#include "schedule/heuristics/cpu/reduction.h"

#include "schedule/schedulers/common.h"
#include "schedule/schedulers/registry.h"

namespace nvfuser::schedulers {

namespace {

class CpuReduction : public Scheduler {
 public:
  explicit CpuReduction(SchedulerType type) : Scheduler(type) {}
  bool isFor(const Target& target) const override { return !target.capabilities.hasThreads; }
  std::string reject(const FusionSummary& summary) const override {
    return rejectReduction(summary, type());
  }
  std::vector<ScheduleParams> candidates(const FusionSummary& summary,
                                         const ScheduleContext& context) const override {
    return {ScheduleParams{this, heuristics::reductionParams(summary.fusion(), type(), context)}};
  }
  void apply(Fusion* fusion, const ScheduleParams& params) const override {
    heuristics::scheduleReduction(fusion, std::get<CpuParams>(params.values));
  }
};

}  // namespace

const Scheduler* cpuReduction() {
  static const CpuReduction scheduler(SchedulerType::Reduction);
  return &scheduler;
}

const Scheduler* cpuInnerPersistent() {
  static const CpuReduction scheduler(SchedulerType::InnerPersistent);
  return &scheduler;
}

const Scheduler* cpuOuterPersistent() {
  static const CpuReduction scheduler(SchedulerType::OuterPersistent);
  return &scheduler;
}

}  // namespace nvfuser::schedulers
