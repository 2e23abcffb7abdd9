// Element-wise operations, with views and lookups among them.
#include "schedule/schedulers/common.h"
#include "schedule/schedulers/cpu/common.h"
#include "schedule/schedulers/cpu/elementwise.h"
#include "schedule/schedulers/registry.h"

namespace nvfuser::schedulers {

namespace {

class CpuPointwise : public CpuScheduler {
 public:
  CpuPointwise() : CpuScheduler(SchedulerType::Pointwise) {}
  std::string reject(const FusionSummary& summary) const override {
    if (std::string problem = rejectPointwise(summary); !problem.empty()) {
      return problem;
    }
    return summary.hasScan() || summary.hasScatter() ? "scans and scatters have their own" : "";
  }
  std::vector<ScheduleParams> candidates(const FusionSummary& summary,
                                         const ScheduleContext& context) const override {
    return {ScheduleParams{this, heuristics::pointwiseParams(summary, context)}};
  }
  void apply(Fusion* fusion, const ScheduleParams& params) const override {
    heuristics::scheduleParts(fusion, own<CpuPointwiseParams>(params), {});
  }
};

}  // namespace

const Scheduler* cpuPointwise() {
  static const CpuPointwise scheduler;
  return &scheduler;
}

}  // namespace nvfuser::schedulers
