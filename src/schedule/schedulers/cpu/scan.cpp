// Scans: their dimension is a serial loop.
#include <algorithm>
#include <utility>
#include <vector>

#include "schedule/heuristics/common.h"
#include "schedule/heuristics/merging.h"
#include "schedule/heuristics/scans.h"
#include "schedule/propagate.h"
#include "schedule/schedulers/common.h"
#include "schedule/schedulers/cpu/common.h"
#include "schedule/schedulers/cpu/elementwise.h"
#include "schedule/schedulers/cpu/in_front.h"
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

// Of each scan the extents of the columns that it runs over side by side, or else that of the row
// that it scans.
struct Scans {
  std::vector<std::vector<const Val*>> columns;
  std::vector<const Val*> rows;
  bool evaluateFunctions = false;
};
Scans findScans(const FusionSummary& whole) {
  Scans found;
  found.evaluateFunctions = std::ranges::any_of(whole.exprs(), evaluatesFunction);
  for (const Expr* expr : whole.exprs()) {
    const auto* scan = expr->as<ScanOp>();
    if (scan == nullptr) {
      continue;
    }
    std::vector<const Val*> columns;
    const std::vector<IterDomain*>& order =
        scan->output(0)->asTensor()->domain()->maybeAllocation();
    for (auto id = std::ranges::find(order, scan->domain()); id != order.end(); ++id) {
      if (*id != scan->domain() && !(*id)->isBroadcast()) {
        columns.push_back((*id)->extent());
      }
    }
    if (columns.empty()) {
      found.rows.push_back(scan->domain()->extent());
    } else {
      found.columns.push_back(std::move(columns));
    }
  }
  return found;
}

// Whether columns of scans are fewer than a vector has elements.
bool hasNarrowColumns(const Scans& scans, const ScheduleContext& context) {
  return std::ranges::any_of(scans.columns, [&](const std::vector<const Val*>& extents) {
    int64_t columns = 1;
    for (const Val* extent : extents) {
      columns *= context.extent(extent);
    }
    return columns > 1 && columns < context.tuning.cpu.maskedLanes;
  });
}

// Whether rows that are scanned are at most half a part: the scan would wait for what vectors,
// masked ones at the end, have just written.
bool hasShortRows(const Scans& scans, const ScheduleContext& context) {
  return std::ranges::any_of(scans.rows, [&](const Val* extent) {
    return 2 * context.extent(extent) <= context.tuning.cpu.scanPart;
  });
}

CpuScanParams scanParams(const FusionSummary& summary, const ScheduleContext& context) {
  const auto& scans = summary.fact(findScans);
  CpuScanParams params{{pointwiseParams(summary, context), tileParams(summary, context)}};
  params.columns = context.tuning.cpu.scanColumns;
  params.part = hasShortRows(scans, context) ? 0 : context.tuning.cpu.scanPart;
  // Loops over such rows, or over rows of such columns, would evaluate functions one by one.
  params.operandsInFront =
      scans.evaluateFunctions && (params.part == 0 || hasNarrowColumns(scans, context));
  return params;
}

// Gives the operands of scans that nothing else reads loops of their own over all elements.
void computeOperandsInFront(Part& part) {
  for (TensorView* scanned : std::vector(part.connected)) {
    const Expr* definition = scanned->definition();
    const auto* scan = definition == nullptr ? nullptr : definition->as<ScanOp>();
    if (scan == nullptr) {
      continue;
    }
    for (Val* in : scan->inputs()) {
      if (!in->isTensor() || in->asTensor()->definition() == nullptr) {
        continue;
      }
      const std::vector<TensorView*> own = computedFor(in->asTensor());
      const auto isOwn = [&](const TensorView* tv) {
        return std::ranges::find(own, tv) != own.end();
      };
      const bool isForScan = std::ranges::all_of(own, [&](const TensorView* tv) {
        return !tv->isFusionOutput() && std::ranges::all_of(tv->uses(), [&](const Expr* use) {
          return use == scan || isOwn(use->output(0)->asTensor());
        });
      });
      if (isForScan) {
        computeInFront(in->asTensor(), own, part);
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
    if (params.part > 0) {
      reference->split(-1, params.part);
    }
    if (scan > 0) {
      reference->axis(0)->parallelize(ParallelType::GridX);
    }
  }
  propagateTransforms(reference, part.connected);
  propagateParallelTypes(reference, part.connected);
  if (inner == 0 && params.part > 0) {
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
    return {ScheduleParams{this, heuristics::scanParams(summary, context)}};
  }
  void apply(Fusion* fusion, const ScheduleParams& params) const override {
    const auto& chosen = own<CpuScanParams>(params);
    const heuristics::SchedulePart tiles = heuristics::tilesFirst(chosen.others.tile);
    heuristics::scheduleParts(fusion, chosen.others.pointwise, [&](heuristics::Part& part) {
      TensorView* scanned = heuristics::scanAmong(part.connected);
      if (scanned == nullptr) {
        return tiles(part);
      }
      if (chosen.operandsInFront) {
        heuristics::computeOperandsInFront(part);
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
