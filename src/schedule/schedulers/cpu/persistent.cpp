// Normalizations, which use the results of reductions along the reduced dimensions: the innermost
// one among these, or not.
#include "schedule/schedulers/common.h"
#include "schedule/schedulers/cpu/common.h"
#include "schedule/schedulers/cpu/reduction_loops.h"
#include "schedule/schedulers/registry.h"

namespace nvfuser::schedulers {

namespace {

class CpuPersistent : public CpuScheduler {
 public:
  using CpuScheduler::CpuScheduler;
  std::string reject(const FusionSummary& summary) const override {
    return rejectReduction(summary, type());
  }
  std::vector<ScheduleParams> candidates(const FusionSummary& summary,
                                         const ScheduleContext& context) const override {
    return {ScheduleParams{this, heuristics::persistentParams(summary, context)}};
  }
  void apply(Fusion* fusion, const ScheduleParams& params) const override {
    const auto& chosen = own<CpuPersistentParams>(params);
    heuristics::scheduleReduction(fusion, chosen.reduction, chosen.separateStages);
  }
};

class CpuInnerPersistent : public CpuPersistent {
 public:
  CpuInnerPersistent() : CpuPersistent(SchedulerType::InnerPersistent) {}
};

class CpuOuterPersistent : public CpuPersistent {
 public:
  CpuOuterPersistent() : CpuPersistent(SchedulerType::OuterPersistent) {}
};

}  // namespace

const Scheduler* cpuInnerPersistent() {
  static const CpuInnerPersistent scheduler;
  return &scheduler;
}

const Scheduler* cpuOuterPersistent() {
  static const CpuOuterPersistent scheduler;
  return &scheduler;
}

}  // namespace nvfuser::schedulers
