#include "schedule/heuristics/cpu/scatter.h"

#include <algorithm>
#include <unordered_map>

#include "schedule/heuristics/common.h"
#include "schedule/heuristics/references.h"
#include "schedule/heuristics/scatters.h"
#include "schedule/propagate.h"

namespace nvfuser::heuristics {

namespace {

// Lines of a tile in the cache of a worker.
constexpr int64_t kTileBytes = 512 * 1024;
// What a tile has of each row at least: a cache line.
constexpr int64_t kLineBytes = 64;
// Lines that are written in place.
constexpr int64_t kColumns = 256;

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

}  // namespace

int64_t scatterTile(const ScatterOp* scatter, const ScheduleContext& context) {
  const TensorView* out = scatter->out();
  const int64_t elementBytes = std::max(info(out->dtype()).bits, 8) / 8;
  const int64_t bytes = context.extent(scatter->written()->extent()) * elementBytes;
  const Around around = dimensionsAround(scatter);
  if (around.columns.empty()) {
    return bytes > kTileBytes ? 0 : 1;
  }
  int64_t tile = kLineBytes / elementBytes;
  if (tile * bytes > 2 * kTileBytes) {
    return 0;
  }
  while (2 * tile * bytes <= kTileBytes && tile < kColumns) {
    tile *= 2;
  }
  return tile;
}

void scheduleScatter(ScatterOp* scatter, const CpuParams& params) {
  const Around around = dimensionsAround(scatter);
  const int64_t tile = params.columnTile > 0 ? params.columnTile : kColumns;
  forkOutputs(scatter->fusion());
  TensorView* out = scatter->out();
  if (params.columnTile > 0 && out->isFusionOutput() &&
      (!around.columns.empty() || !out->uses().empty())) {
    const std::vector<Expr*> uses = out->uses();
    TensorView* local = out->cacheBefore();
    for (Expr* use : uses) {
      scatter->fusion()->replaceInput(use, out, local);
    }
  } else if (params.columnTile == 0 && !out->isFusionOutput()) {
    out->setMemoryType(MemoryType::Global);
  }
  const ScatterParts parts = partsOf(scatter);
  scheduleLines(scatter->in(), parts.copied, scatter, around, tile);
  scheduleLines(scatter->out(), parts.written, scatter, around, tile);
  for (const std::vector<TensorView*>& part : parts.behind) {
    scheduleLines(widestOutput(outputsAmong(part)), part, scatter, around, tile);
  }
  inlineMost(scatter->fusion(), {}, {{scatter->in(), 1}, {scatter->out(), 1}});
}

}  // namespace nvfuser::heuristics
