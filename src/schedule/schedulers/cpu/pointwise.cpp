// Element-wise operations, with views, lookups, scans and scatters among them.
#include "schedule/heuristics/cpu/pointwise.h"

#include "schedule/schedulers/common.h"
#include "schedule/schedulers/registry.h"

namespace nvfuser::schedulers {

namespace {

class CpuPointwise : public Scheduler {
 public:
  CpuPointwise() : Scheduler(SchedulerType::Pointwise) {}
  bool isFor(const Target& target) const override { return !target.capabilities.hasThreads; }
  std::string reject(const FusionSummary& summary) const override {
    return rejectPointwise(summary);
  }
  std::vector<ScheduleParams> candidates(const FusionSummary& summary,
                                         const ScheduleContext& context) const override {
    return {ScheduleParams{this, heuristics::pointwiseParams(summary.fusion(), context)}};
  }
  void apply(Fusion* fusion, const ScheduleParams& params) const override {
    heuristics::schedulePointwise(fusion, std::get<CpuParams>(params.values));
  }
};

}  // namespace

const Scheduler* cpuPointwise() {
  static const CpuPointwise scheduler;
  return &scheduler;
}

}  // namespace nvfuser::schedulers
