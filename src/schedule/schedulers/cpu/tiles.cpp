#include "schedule/schedulers/cpu/tiles.h"

#include <algorithm>
#include <utility>

#include "ir/logical_map.h"
#include "schedule/heuristics/common.h"
#include "schedule/heuristics/merging.h"
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
  mergeContiguous(reference, 0, reference->nLoops() - 1, classes, LoopsOf::Pieces);
  const auto position =
      std::ranges::find_if(reference->loop(),
                           [&](const IterDomain* id) { return comesFrom(id, crossing.domain); }) -
      reference->loop().begin();
  reference->reorder({{position, -2}});
  const int64_t outer = reference->nLoops() - 2;
  reference->split(-1, tile.along);
  reference->split(-3, tile.across);
  // [outer, i, ii, j, jj] -> [outer, i, j, ii, jj]
  reference->reorder({{-2, -3}});
  if (tile.inOrder) {
    reference->reorder({{outer, position}});
  }
  mergeRange(reference, 0, reference->nLoops() - 3);
  propagateTransforms(reference, targets);
  reference->axis(0)->parallelize(ParallelType::GridX);
  propagateParallelTypes(reference, targets);
  std::erase_if(copies, [](const TensorView* copy) { return !hasTileLoops(copy); });
  for (TensorView* copy : copies) {
    // Dimensions of one element that the reference does not have lie behind the tile's.
    copy->reorder({{1, -2}, {2, -1}});
    if (tile.inRegisters && fitsVectorLane(copy->dtype())) {
      copy->setMarks({.isTransposedTile = true});
    } else {
      copy->reorder({{-1, -2}});
    }
  }
  return copies;
}

// The extents of the loops that tiles divide, of which several dimensions in memory make one;
// whether others lie between them, and whether rows begin with lines of memory on both sides.
struct Extents {
  int64_t across = 1;
  int64_t along = 1;
  // Elements of the result in a line of memory.
  int64_t line = 1;
  bool areApart = false;
  bool fillLines = false;
};

Extents extentsOf(TensorView* reference, const Crossing& crossed, const FusionSummary& summary,
                  const ScheduleContext& context) {
  const auto& [ordered, mergeable] = summary.memoryOrder(reference);
  // The run of dimensions that one is in: the places of its ends.
  const auto runAround = [&](size_t place) {
    std::pair<size_t, size_t> run{place, place};
    while (run.first > 0 && mergeable[run.first - 1]) {
      --run.first;
    }
    while (run.second < mergeable.size() && mergeable[run.second]) {
      ++run.second;
    }
    return run;
  };
  const auto extentBetween = [&](size_t first, size_t last) {
    int64_t extent = 1;
    for (size_t i = first; i <= last; ++i) {
      extent *= context.extent(ordered[i]->extent());
    }
    return extent;
  };
  const auto place = std::ranges::find(ordered, crossed.domain) - ordered.begin();
  const auto crossing = runAround(static_cast<size_t>(place));
  const auto inner = runAround(ordered.size() - 1);
  Extents extents{extentBetween(crossing.first, crossing.second),
                  extentBetween(inner.first, inner.second)};
  extents.line = 8 * context.target.cpu.lineBytes / info(reference->dtype()).bits;
  extents.areApart =
      crossing.second < inner.first && extentBetween(crossing.second + 1, inner.first - 1) > 1;
  const auto fillsLines = [&](const TensorView* tv, int64_t elements) {
    return elements * info(tv->dtype()).bits % (8 * context.target.cpu.lineBytes) == 0;
  };
  extents.fillLines =
      fillsLines(reference, extents.along) && fillsLines(crossed.inputs.front(), extents.across);
  return extents;
}

// The sides of tiles: large, because short rows are slow to read one by one, above all where they
// begin within a line of memory that the next tile has a part of; but with a few tiles for every
// worker. Loops that are shorter than tiles are in one. What is short on the side of the input lies
// together there: tiles of a line of memory each way are streams of results then, as many as the
// processor requests by itself, unless they take each other's place in the L1 cache.
CpuTileParams sidesFor(const Extents& extents, int64_t total, const ScheduleContext& context) {
  const CpuTuning& tuning = context.tuning.cpu;
  if (std::min(extents.across, extents.along) < tuning.transposeExtentLeast) {
    return {};
  }
  const int64_t rowBytes = extents.along * context.target.cpu.lineBytes / extents.line;
  const bool areStreams = extents.line <= tuning.transposeStreams && extents.fillLines &&
                          extents.along > tuning.transposeSideMost &&
                          rowBytes % tuning.transposeAliasBytes != 0;
  if (areStreams && extents.across <= tuning.transposeShortRows) {
    CpuTileParams params;
    params.across = extents.line;
    params.along = extents.line;
    return params;
  }
  const int64_t tiles = tuning.transposeTilesPerWorker * context.target.cpu.workers;
  const int64_t most = extents.fillLines ? tuning.transposeSideOfLines : tuning.transposeSideMost;
  const auto sideWithin = [&](int64_t extent) {
    return std::clamp(powerOfTwoFrom(extent + 1) / 2, tuning.transposeSideLeast, most);
  };
  CpuTileParams params;
  params.across = sideWithin(extents.across);
  params.along = sideWithin(extents.along);
  while (total < tiles * params.across * params.along) {
    int64_t& longer = params.across > params.along ? params.across : params.along;
    if (longer <= tuning.transposeSideLeast) {
      break;
    }
    longer /= 2;
  }
  return params;
}

// Rows that are shorter than a tile are followed by those of another tile where other dimensions
// lie between: tiles in this order write whole lines of memory, and a few of them at a time, as
// they may be a power of two apart and take each other's place in the cache. Where more rows are
// read at a time than the processor requests by itself, these do so, and are read to their ends.
void orderTiles(CpuTileParams& params, const Extents& extents, const CpuTuning& tuning) {
  params.inOrder = extents.areApart && extents.along <= params.along;
  if (params.inOrder && extents.along <= tuning.transposeStreams) {
    params.across = std::min(params.across, tuning.transposeSideInOrder);
  }
}

}  // namespace

CpuTileParams tileParams(const FusionSummary& summary, const ScheduleContext& context) {
  TensorView* reference = summary.widestOutput();
  const Crossing& crossing = summary.crossing();
  if (crossing.domain == nullptr) {
    return {};
  }
  const Extents extents = extentsOf(reference, crossing, summary, context);
  CpuTileParams params = sidesFor(extents, sizeOf(reference, context).total, context);
  orderTiles(params, extents, context.tuning.cpu);
  params.inRegisters = context.target.capabilities.hasTransposedCopies;
  return params;
}

SchedulePart tilesFirst(const CpuTileParams& tile) {
  return [&tile](Part& part) {
    if (!part.isFirst || tile.across == 0) {
      return false;
    }
    for (const TensorView* copy : scheduleTiles(part.reference, tile, part.connected)) {
      part.limits[copy] = 1;
    }
    return true;
  };
}

}  // namespace nvfuser::heuristics
