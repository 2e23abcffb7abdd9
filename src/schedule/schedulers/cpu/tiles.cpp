#include "schedule/schedulers/cpu/tiles.h"

#include <algorithm>

#include "schedule/heuristics/common.h"
#include "schedule/heuristics/references.h"
#include "schedule/propagate.h"

namespace nvfuser::heuristics {

namespace {

// [outer (parallel) x tiles, tile of the crossing dimension, tile of the innermost one]; inputs
// that lie across are copied tile by tile into local memory: transposed as vectors, or along their
// own innermost dimension.
std::vector<TensorView*> scheduleTiles(TensorView* reference, const CpuTileParams& tile,
                                       const std::vector<TensorView*>& selected) {
  const Crossing crossing = findCrossing(reference);
  std::vector<TensorView*> copies;
  for (TensorView* input : crossing.inputs) {
    copies.push_back(input->cacheAfter());
  }
  std::vector<TensorView*> targets = selected;
  targets.insert(targets.end(), copies.begin(), copies.end());
  const DomainClasses classes(reference->fusion()->tensorExprs());
  orderLikeMemory(reference, classes);
  const auto position =
      std::ranges::find(reference->loop(), crossing.domain) - reference->loop().begin();
  reference->reorder({{position, -2}});
  if (reference->nLoops() > 3) {
    mergeRange(reference, 0, reference->nLoops() - 3);
  }
  reference->split(-1, tile.side);
  reference->split(-3, tile.side);
  // [outer, i, ii, j, jj] -> [outer, i, j, ii, jj]
  reference->reorder({{-2, -3}});
  mergeRange(reference, 0, reference->nLoops() - 3);
  propagateTransforms(reference, targets);
  reference->axis(0)->parallelize(ParallelType::GridX);
  propagateParallelTypes(reference, targets);
  std::erase_if(copies, [](const TensorView* copy) { return !hasTileLoops(copy); });
  for (TensorView* copy : copies) {
    // Dimensions of one element that the reference does not have lie behind the tile's.
    copy->reorder({{1, -2}, {2, -1}});
    if (tile.inRegisters && fitsVectorLane(copy->dtype())) {
      copy->axis(-1)->parallelize(ParallelType::Vectorize);
      copy->axis(-2)->parallelize(ParallelType::Vectorize);
    } else {
      copy->reorder({{-1, -2}});
    }
  }
  return copies;
}

// The side of tiles: large, because short lines of memory are slow to read one by one, but with a
// few tiles for every worker.
int64_t sideFor(int64_t across, int64_t innermost, int64_t total, const ScheduleContext& context) {
  const CpuTuning& tuning = context.tuning.cpu;
  const int64_t tiles = tuning.transposeTilesPerWorker * context.target.cpu.workers;
  int64_t side = tuning.transposeSideMost;
  while (side > tuning.transposeSideLeast &&
         (std::min(across, innermost) < side || total < tiles * side * side)) {
    side /= 2;
  }
  return std::min(across, innermost) < side ? 0 : side;
}

}  // namespace

CpuTileParams tileParams(const FusionSummary& summary, const ScheduleContext& context) {
  const TensorView* reference = widestOutput(summary.fusion()->outputTensors());
  const Crossing crossing = findCrossing(reference);
  if (crossing.domain == nullptr) {
    return {};
  }
  const auto [total, innermost] = sizeOf(reference, context);
  const int64_t across = context.extent(crossing.domain->extent());
  return {sideFor(across, innermost, total, context),
          context.target.capabilities.hasTransposedCopies};
}

SchedulePart tilesFirst(const CpuTileParams& tile) {
  return [&tile](Part& part) {
    if (!part.isFirst || tile.side == 0) {
      return false;
    }
    for (const TensorView* copy : scheduleTiles(part.reference, tile, part.connected)) {
      part.limits[copy] = 1;
    }
    return true;
  };
}

}  // namespace nvfuser::heuristics
