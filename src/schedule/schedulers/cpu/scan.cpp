// Scans: their dimension is a serial loop.
#include "schedule/heuristics/common.h"
#include "schedule/heuristics/merging.h"
#include "schedule/heuristics/scans.h"
#include "schedule/propagate.h"
#include "schedule/schedulers/common.h"
#include "schedule/schedulers/cpu/common.h"
#include "schedule/schedulers/cpu/tiles.h"
#include "schedule/schedulers/registry.h"

namespace nvfuser::heuristics {

namespace {

// What scans read and compute is kept for a part of a row: the loops over it that do not scan are
// those of vectors.
void keepPartsOfScans(Part& part) {
  for (TensorView* tv : part.connected) {
    if (tv->definition() == nullptr || !tv->definition()->is<ScanOp>()) {
      continue;
    }
    part.limits[tv] = tv->nLoops() - 1;
    for (Val* in : tv->definition()->inputs()) {
      if (in->isTensor()) {
        part.limits[in->asTensor()] = in->asTensor()->nLoops() - 1;
      }
    }
  }
}

// Gives `reference`, the result of a scan, and its neighbours the loops [others (parallel), scan,
// columns] where the innermost dimension is another one than that of the scans, [others (parallel),
// parts, scan] where it is that.
void scheduleScanAround(TensorView* reference, Part& part, const CpuScanParams& params) {
  const DomainClasses classes(reference->fusion()->tensorExprs());
  const auto* scanned = reference->definition()->as<ScanOp>();
  orderLikeMemory(reference, classes);
  const int64_t scan = classes.find(reference->loop(), classes.classOf(scanned->domain()));
  const int64_t inner = reference->nLoops() - 1 - scan;
  if (inner > 0) {
    mergeRange(reference, scan + 1, reference->nLoops() - 1);
    // [outer, scan, columns / c, c] -> [outer * columns / c, scan, c]
    reference->split(-1, params.columns);
    reference->reorder({{-3, -2}});
    mergeRange(reference, 0, reference->nLoops() - 3);
    reference->axis(0)->parallelize(ParallelType::GridX);
  } else {
    if (scan > 0) {
      mergeRange(reference, 0, scan - 1);
    }
    reference->split(-1, params.part);
    if (scan > 0) {
      reference->axis(0)->parallelize(ParallelType::GridX);
    }
  }
  propagateTransforms(reference, part.connected);
  propagateParallelTypes(reference, part.connected);
  if (inner == 0) {
    keepPartsOfScans(part);
  }
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
    return {ScheduleParams{
        this, CpuScanParams{others, context.tuning.cpu.scanColumns, context.tuning.cpu.scanPart}}};
  }
  void apply(Fusion* fusion, const ScheduleParams& params) const override {
    const auto& chosen = own<CpuScanParams>(params);
    const heuristics::SchedulePart tiles = heuristics::tilesFirst(chosen.others.tile);
    heuristics::scheduleParts(fusion, chosen.others.pointwise, [&](heuristics::Part& part) {
      TensorView* scanned = heuristics::scanAmong(part.connected);
      if (scanned == nullptr) {
        return tiles(part);
      }
      heuristics::scheduleScanAround(scanned, part, chosen);
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
