// Reductions, and normalizations, which use their results along the reduced dimensions.
#include "schedule/heuristics/gpu/reduction.h"

#include "schedule/schedulers/common.h"
#include "schedule/schedulers/registry.h"

namespace nvfuser::schedulers {

namespace {

class GpuReduction : public Scheduler {
 public:
  explicit GpuReduction(SchedulerType type) : Scheduler(type) {}
  bool isFor(const Target& target) const override { return target.capabilities.hasThreads; }
  std::string reject(const FusionSummary& summary) const override {
    return rejectReduction(summary, type());
  }
  std::vector<ScheduleParams> candidates(const FusionSummary& summary,
                                         const ScheduleContext& context) const override {
    return {
        ScheduleParams{this, heuristics::gpuReductionParams(summary.fusion(), type(), context)}};
  }
  void apply(Fusion* fusion, const ScheduleParams& params) const override {
    heuristics::scheduleGpuReduction(fusion, std::get<GpuParams>(params.values));
  }
  int64_t maxThreads(const ScheduleParams& params) const override {
    const auto& gpu = std::get<GpuParams>(params.values);
    return gpu.batches > 0 ? gpu.threadsX * gpu.threadsY : 0;
  }
};

}  // namespace

const Scheduler* gpuReduction() {
  static const GpuReduction scheduler(SchedulerType::Reduction);
  return &scheduler;
}

const Scheduler* gpuInnerPersistent() {
  static const GpuReduction scheduler(SchedulerType::InnerPersistent);
  return &scheduler;
}

const Scheduler* gpuOuterPersistent() {
  static const GpuReduction scheduler(SchedulerType::OuterPersistent);
  return &scheduler;
}

}  // namespace nvfuser::schedulers
