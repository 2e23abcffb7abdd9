// Element-wise operations, with views, lookups, scans and scatters among them.
#include "schedule/heuristics/gpu/pointwise.h"

#include "schedule/schedulers/common.h"
#include "schedule/schedulers/registry.h"

namespace nvfuser::schedulers {

namespace {

class GpuPointwise : public Scheduler {
 public:
  GpuPointwise() : Scheduler(SchedulerType::Pointwise) {}
  bool isFor(const Target& target) const override { return target.capabilities.hasThreads; }
  std::string reject(const FusionSummary& summary) const override {
    return rejectPointwise(summary);
  }
  std::vector<ScheduleParams> candidates(const FusionSummary& summary,
                                         const ScheduleContext& context) const override {
    return {ScheduleParams{this, heuristics::gpuPointwiseParams(summary.fusion(), context)}};
  }
  void apply(Fusion* fusion, const ScheduleParams& params) const override {
    heuristics::scheduleGpuPointwise(fusion, std::get<GpuParams>(params.values));
  }
  int64_t maxThreads(const ScheduleParams& params) const override {
    const auto& gpu = std::get<GpuParams>(params.values);
    return gpu.batches > 0 ? gpu.threadsX * gpu.threadsY : 0;
  }
};

}  // namespace

const Scheduler* gpuPointwise() {
  static const GpuPointwise scheduler;
  return &scheduler;
}

}  // namespace nvfuser::schedulers
