// Scatters: each line along the dimension of the scatter is copied, written into and read by one
// worker. The loops are [other dimensions (parallel), dimension of the scatter, lines side by
// side].
#include <algorithm>
#include <unordered_map>

#include "schedule/heuristics/common.h"
#include "schedule/heuristics/merging.h"
#include "schedule/heuristics/references.h"
#include "schedule/heuristics/scatters.h"
#include "schedule/propagate.h"
#include "schedule/schedulers/common.h"
#include "schedule/schedulers/cpu/common.h"
#include "schedule/schedulers/cpu/marks.h"
#include "schedule/schedulers/registry.h"

namespace nvfuser::heuristics {

namespace {

// X(type, name, default, meaning)
// clang-format off
#define NVF_CPU_SCATTER_PARAMS(X)                                                                 \
  X(int64_t, lines, 1, "along the scatter's dimension that are written together")                 \
  X(bool, inPlace, false, "they are written in memory: they do not fit the cache of a worker, or "\
    "no others lie between them")                                                                 \
  X(CpuAheadParams, ahead, {}, "by the loop that workers share")
// clang-format on
struct CpuScatterParams {
  NVF_FIELDS_OF(CpuScatterParams, NVF_CPU_SCATTER_PARAMS)
};

// The dimensions of a scatter's result around its own, by position, outermost first.
struct Around {
  // Those further out in memory, and those further in.
  std::vector<int64_t> rows;
  std::vector<int64_t> columns;
};

// As they lie in the memory of an output.
Around dimensionsAround(const ScatterOp* scatter) {
  const TensorView* leader = scatter->out();
  if (!leader->isFusionOutput()) {
    for (const TensorView* output : scatter->fusion()->outputTensors()) {
      if (output->definition() != nullptr && output->visible().size() == leader->visible().size()) {
        leader = output;
        break;
      }
    }
  }
  Around around;
  bool isInside = false;
  const std::vector<IterDomain*> visible = leader->visible();
  for (const IterDomain* id : TensorDomain::noReductions(leader->domain()->maybeAllocation())) {
    const int64_t position = std::ranges::find(visible, id) - visible.begin();
    if (position == scatter->dim()) {
      isInside = true;
    } else {
      (isInside ? around.columns : around.rows).push_back(position);
    }
  }
  return around;
}

void scheduleLines(TensorView* reference, const std::vector<TensorView*>& selected,
                   const ScatterOp* scatter, const Around& around, int64_t tile) {
  std::unordered_map<int64_t, int64_t> order;
  for (const auto* positions : {&around.rows, &around.columns}) {
    for (const int64_t position : *positions) {
      order[position] = static_cast<int64_t>(order.size());
    }
  }
  const auto rows = static_cast<int64_t>(around.rows.size());
  reference->reorder(order);
  if (!around.columns.empty()) {
    // [rows, columns, dim] -> [rows, columns / tile, tile, dim] -> [.., dim, tile]
    mergeRange(reference, rows, reference->nLoops() - 2);
    reference->split(-2, tile);
    reference->reorder({{-2, -1}});
  }
  const auto outside = rows + static_cast<int64_t>(!around.columns.empty());
  if (outside > 0) {
    mergeRange(reference, 0, outside - 1);
  }
  propagateTransforms(reference, selected);
  if (outside > 0 || reference != scatter->out()) {
    reference->axis(0)->parallelize(ParallelType::GridX);
    propagateParallelTypes(reference, selected);
  }
}

// Lines that lie side by side in memory and are computed together in memory of the worker, unless
// they do not fit its cache.
CpuScatterParams linesFor(const ScatterOp* scatter, const ScheduleContext& context) {
  const CpuTuning& tuning = context.tuning.cpu;
  const CpuAheadParams ahead = aheadParams(context);
  const TensorView* out = scatter->out();
  const int64_t elementBytes = std::max(info(out->dtype()).bits, 8) / 8;
  const int64_t bytes = context.extent(scatter->written()->extent()) * elementBytes;
  const Around around = dimensionsAround(scatter);
  if (around.columns.empty()) {
    return {1, updatesOperand(scatter) || bytes > tuning.scatterTileBytes, ahead};
  }
  const auto extentOf = [&](const std::vector<int64_t>& positions) {
    int64_t extent = 1;
    for (const int64_t position : positions) {
      extent *= context.extent(out->logical()[static_cast<size_t>(position)]->extent());
    }
    return extent;
  };
  const int64_t columns = extentOf(around.columns);
  const int64_t share = extentOf(around.rows) * columns / context.target.cpu.workers;
  const int64_t most = std::min(std::max(share, tuning.scatterColumnsLeast), tuning.scatterColumns);
  // Of each row a line of memory at least.
  int64_t lines = context.target.cpu.lineBytes / elementBytes;
  const bool fits = lines * bytes <= 2 * tuning.scatterTileBytes;
  while (lines < most && (!fits || 2 * lines * bytes <= tuning.scatterTileBytes)) {
    lines *= 2;
  }
  // Whole rows are as close to each other in memory as in a copy.
  const bool areWhole = lines >= columns && out->isFusionOutput() && out->uses().empty();
  return {lines, !fits || areWhole || updatesOperand(scatter), ahead};
}

void scheduleScatter(ScatterOp* scatter, const CpuScatterParams& params) {
  const Around around = dimensionsAround(scatter);
  forkOutputs(scatter->fusion());
  TensorView* out = scatter->out();
  if (!params.inPlace && out->isFusionOutput() &&
      (!around.columns.empty() || !out->uses().empty())) {
    const std::vector<Expr*> uses = out->uses();
    TensorView* local = out->cacheBefore();
    for (Expr* use : uses) {
      scatter->fusion()->replaceInput(use, out, local);
    }
  } else if (params.inPlace && !out->isFusionOutput()) {
    out->setMemoryType(MemoryType::Global);
  }
  const ScatterParts parts = partsOf(scatter);
  if (!updatesOperand(scatter)) {
    scheduleLines(scatter->in(), parts.copied, scatter, around, params.lines);
  }
  scheduleLines(scatter->out(), parts.written, scatter, around, params.lines);
  for (const std::vector<TensorView*>& part : parts.behind) {
    scheduleLines(widestOutput(outputsAmong(part)), part, scatter, around, params.lines);
  }
  inlineMost(scatter->fusion(), {}, {{scatter->in(), 1}, {scatter->out(), 1}});
  requestAhead(scatter->fusion(), params.ahead);
}

}  // namespace

}  // namespace nvfuser::heuristics

namespace nvfuser::schedulers {

namespace {

// Workers divide the lines: each would compute all of what has fewer dimensions.
std::string dimensionProblem(const FusionSummary& whole) {
  return heuristics::hasScatterDimensions(whole.exprs())
             ? ""
             : "something beside a scatter has fewer dimensions, or is not written by it";
}

class CpuScatter : public CpuScheduler {
 public:
  CpuScatter() : CpuScheduler(SchedulerType::Pointwise) {}
  std::string reject(const FusionSummary& summary) const override {
    if (!summary.hasScatter()) {
      return "no scatter to schedule";
    }
    const std::string& problem = summary.fact(dimensionProblem);
    return problem.empty() ? rejectPointwise(summary) : problem;
  }
  std::vector<ScheduleParams> candidates(const FusionSummary& summary,
                                         const ScheduleContext& context) const override {
    return {ScheduleParams{this, OwnParams(heuristics::linesFor(summary.scatter(), context))}};
  }
  void apply(Fusion* fusion, const ScheduleParams& params) const override {
    heuristics::scheduleScatter(heuristics::scatterAmong(fusion->tensorExprs()),
                                ownOf<heuristics::CpuScatterParams>(params));
  }
};

}  // namespace

const Scheduler* cpuScatter() {
  static const CpuScatter scheduler;
  return &scheduler;
}

}  // namespace nvfuser::schedulers
