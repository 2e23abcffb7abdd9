// Element-wise operations with inputs that lie across the output, in square tiles.
#include "schedule/schedulers/common.h"
#include "schedule/schedulers/cpu/common.h"
#include "schedule/schedulers/cpu/elementwise.h"
#include "schedule/schedulers/cpu/streaming.h"
#include "schedule/schedulers/cpu/tiles.h"
#include "schedule/schedulers/registry.h"

namespace nvfuser::schedulers {

namespace {

class CpuTranspose : public CpuScheduler {
 public:
  CpuTranspose() : CpuScheduler(SchedulerType::Pointwise) {}
  std::string reject(const FusionSummary& summary) const override {
    if (summary.hasScan() || summary.hasScatter()) {
      return "scans and scatters have their own";
    }
    return rejectPointwise(summary);
  }
  std::vector<ScheduleParams> candidates(const FusionSummary& summary,
                                         const ScheduleContext& context) const override {
    const CpuTileParams tile = heuristics::tileParams(summary, context);
    if (tile.across == 0) {
      return {};
    }
    CpuPointwiseParams pointwise = heuristics::pointwiseParams(summary, context);
    // Loops are over tiles instead of rows.
    pointwise.ahead.rests = {};
    pointwise.ahead.functionRests = {};
    // Computing tiles in reduced precision takes longer than writing their results, which ordinary
    // stores do meanwhile.
    if (summary.hasReducedPrecision()) {
      pointwise.stream = {};
    }
    return {ScheduleParams{this, CpuTransposeParams{pointwise, tile}}};
  }
  void apply(Fusion* fusion, const ScheduleParams& params) const override {
    const auto& chosen = own<CpuTransposeParams>(params);
    heuristics::scheduleParts(fusion, chosen.pointwise, heuristics::tilesFirst(chosen.tile));
  }
};

}  // namespace

const Scheduler* cpuTranspose() {
  static const CpuTranspose scheduler;
  return &scheduler;
}

}  // namespace nvfuser::schedulers
