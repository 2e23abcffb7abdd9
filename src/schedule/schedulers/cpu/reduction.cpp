// Reductions whose results are not used along the reduced dimensions.
#include "schedule/schedulers/common.h"
#include "schedule/schedulers/cpu/common.h"
#include "schedule/schedulers/cpu/reduction_loops.h"
#include "schedule/schedulers/registry.h"

namespace nvfuser::schedulers {

namespace {

class CpuReduction : public CpuScheduler {
 public:
  CpuReduction() : CpuScheduler(SchedulerType::Reduction) {}
  std::string reject(const FusionSummary& summary) const override {
    return rejectReduction(summary, type());
  }
  std::vector<ScheduleParams> candidates(const FusionSummary& summary,
                                         const ScheduleContext& context) const override {
    return {ScheduleParams{this, heuristics::reductionParams(summary, context)}};
  }
  void apply(Fusion* fusion, const ScheduleParams& params) const override {
    heuristics::scheduleReduction(fusion, own<CpuReductionParams>(params), false);
  }
};

}  // namespace

const Scheduler* cpuReduction() {
  static const CpuReduction scheduler;
  return &scheduler;
}

}  // namespace nvfuser::schedulers
