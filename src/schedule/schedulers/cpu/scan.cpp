// Scans: their dimension is a serial loop.
#include "schedule/heuristics/common.h"
#include "schedule/heuristics/scans.h"
#include "schedule/propagate.h"
#include "schedule/schedulers/common.h"
#include "schedule/schedulers/cpu/common.h"
#include "schedule/schedulers/cpu/tiles.h"
#include "schedule/schedulers/registry.h"

namespace nvfuser::heuristics {

namespace {

// Gives `reference`, the result of a scan, and its neighbours in `selected` the loops [others
// (parallel), scan, columns] where the innermost dimension is another one than that of the scans,
// [others (parallel), scan] where it is that.
void scheduleScanAround(TensorView* reference, const std::vector<TensorView*>& selected,
                        int64_t columns) {
  const DomainClasses classes(reference->fusion()->tensorExprs());
  const auto* scanned = reference->definition()->as<ScanOp>();
  orderLikeMemory(reference, classes);
  const int64_t scan = classes.find(reference->loop(), classes.classOf(scanned->domain()));
  const int64_t inner = reference->nLoops() - 1 - scan;
  if (inner > 0) {
    mergeRange(reference, scan + 1, reference->nLoops() - 1);
    // [outer, scan, columns / c, c] -> [outer * columns / c, scan, c]
    reference->split(-1, columns);
    reference->reorder({{-3, -2}});
    mergeRange(reference, 0, reference->nLoops() - 3);
    reference->axis(0)->parallelize(ParallelType::GridX);
  } else if (scan > 0) {
    mergeRange(reference, 0, scan - 1);
    reference->axis(0)->parallelize(ParallelType::GridX);
  }
  propagateTransforms(reference, selected);
  propagateParallelTypes(reference, selected);
}

}  // namespace

}  // namespace nvfuser::heuristics

namespace nvfuser::schedulers {

namespace {

class CpuScan : public CpuScheduler {
 public:
  CpuScan() : CpuScheduler(SchedulerType::Pointwise) {}
  std::string reject(const FusionSummary& summary) const override {
    return summary.hasScan() && !summary.hasScatter() ? rejectPointwise(summary)
                                                      : "no scan to schedule";
  }
  std::vector<ScheduleParams> candidates(const FusionSummary& summary,
                                         const ScheduleContext& context) const override {
    const CpuTransposeParams others{heuristics::pointwiseParams(summary, context),
                                    heuristics::tileParams(summary, context)};
    return {ScheduleParams{this, CpuScanParams{others, context.tuning.cpu.scanColumns}}};
  }
  void apply(Fusion* fusion, const ScheduleParams& params) const override {
    const auto& chosen = own<CpuScanParams>(params);
    const heuristics::SchedulePart tiles = heuristics::tilesFirst(chosen.others.tile);
    heuristics::scheduleParts(fusion, chosen.others.pointwise, [&](heuristics::Part& part) {
      TensorView* scanned = heuristics::scanAmong(part.connected);
      if (scanned == nullptr) {
        return tiles(part);
      }
      heuristics::scheduleScanAround(scanned, part.connected, chosen.columns);
      return true;
    });
  }
};

}  // namespace

const Scheduler* cpuScan() {
  static const CpuScan scheduler;
  return &scheduler;
}

}  // namespace nvfuser::schedulers
