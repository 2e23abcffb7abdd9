#include "schedule/heuristics/cpu/pointwise.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

#include "ir/clone.h"
#include "ir/logical_map.h"
#include "schedule/heuristics/common.h"
#include "schedule/heuristics/cpu/scan.h"
#include "schedule/heuristics/cpu/scatter.h"
#include "schedule/heuristics/cpu/streaming.h"
#include "schedule/heuristics/references.h"
#include "schedule/heuristics/scans.h"
#include "schedule/heuristics/scatters.h"
#include "schedule/propagate.h"

namespace nvfuser::heuristics {

namespace {

// [outer (parallel) x tiles, tile of the crossing dimension, tile of the innermost one]; inputs
// that lie across are copied tile by tile into local memory: transposed as vectors, or along their
// own innermost dimension.
std::vector<TensorView*> scheduleTiles(TensorView* reference, int64_t tile,
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
  reference->split(-1, tile);
  reference->split(-3, tile);
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
    if (fitsVectorLane(copy->dtype())) {
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
int64_t tileFor(int64_t across, int64_t innermost, int64_t total, int64_t numThreads) {
  constexpr int64_t kMaxTile = 128;
  constexpr int64_t kMinTile = 32;
  int64_t tile = kMaxTile;
  while (tile > kMinTile &&
         (std::min(across, innermost) < tile || total < 4 * numThreads * tile * tile)) {
    tile /= 2;
  }
  return std::min(across, innermost) < tile ? 0 : tile;
}

// The sizes of the loops of a tensor that is not scheduled yet, as far as memory leaves them apart.
std::vector<int64_t> loopSizes(const TensorView* tv, const ScheduleContext& context) {
  Cloner cloner(nullptr);
  const std::unique_ptr<Fusion> copy = cloneFusion(*tv->fusion(), &cloner);
  TensorView* reference = cloner.clone(tv);
  const DomainClasses classes(copy->tensorExprs());
  orderLikeMemory(reference, classes);
  mergeContiguous(reference, 0, reference->nLoops() - 1, classes);
  std::unordered_map<const Val*, int64_t> sizes;
  for (size_t i = 0; i < tv->logical().size(); ++i) {
    sizes[reference->logical()[i]] = context.extent(tv->logical()[i]->extent());
  }
  for (const Expr* merge : transformsBetween(reference->logical(), reference->loop())) {
    sizes[merge->output(0)] = sizes.at(merge->input(0)) * sizes.at(merge->input(1));
  }
  std::vector<int64_t> result;
  for (const IterDomain* id : reference->loop()) {
    result.push_back(sizes.at(id));
  }
  return result;
}

// What is left of the loops around the innermost one when the outer ones are enough for all
// workers.
int64_t chooseSerialLoops(const TensorView* reference, const ScheduleContext& context) {
  constexpr int64_t kFew = 3;
  constexpr int64_t kLongRow = 256;
  constexpr int64_t kManyRows = 1024;
  if (concreteRank(reference) <= kFew) {
    return 0;
  }
  const std::vector<int64_t> sizes = loopSizes(reference, context);
  const auto count = static_cast<int64_t>(sizes.size());
  if (count <= kFew || sizes.back() >= kLongRow) {
    return 0;
  }
  int64_t rows = 1;
  int64_t parallel = 0;
  while (parallel < count - 1 && rows < kManyRows) {
    rows *= sizes[static_cast<size_t>(parallel++)];
  }
  return count - 1 - parallel;
}

}  // namespace

CpuParams pointwiseParams(Fusion* fusion, const ScheduleContext& context) {
  CpuParams params;
  if (const ScatterOp* scatter = scatterAmong(fusion->tensorExprs())) {
    params.columnTile = scatterTile(scatter, context);
    return params;
  }
  // Few rows that are long are divided, so that all workers have a part.
  const TensorView* reference = widestOutput(fusion->outputTensors());
  int64_t total = 1;
  int64_t innermost = 1;
  for (IterDomain* id : reference->domain()->maybeAllocation()) {
    if (!id->isBroadcast() && !id->isReduction()) {
      innermost = context.extent(id->extent());
      total *= innermost;
    }
  }
  constexpr int64_t kChunk = 8192;
  if (innermost >= 4 * kChunk && total / innermost < 4 * context.target.cpu.workers) {
    params.innerChunk = kChunk;
  }
  const Crossing crossing = findCrossing(reference);
  if (!hasScan(fusion->tensorExprs())) {
    params.serialLoops = chooseSerialLoops(reference, context);
  }
  if (crossing.domain != nullptr) {
    const int64_t across = context.extent(crossing.domain->extent());
    params.transposeTile = tileFor(across, innermost, total, context.target.cpu.workers);
  }
  // Functions, and tiles of narrow elements, are computed for longer than it takes to write their
  // results, which ordinary stores do meanwhile.
  const std::vector<Expr*> exprs = fusion->tensorExprs();
  params.streamsOutputs = (params.transposeTile == 0 || !hasNarrowTensors(fusion)) &&
                          !hasScan(exprs) && std::ranges::none_of(exprs, evaluatesFunction) &&
                          outputsOverflow(fusion, context, innermost);
  return params;
}

void schedulePointwiseAround(TensorView* reference, const CpuParams& params,
                             const std::vector<TensorView*>& selected) {
  const DomainClasses classes(reference->fusion()->tensorExprs());
  orderLikeMemory(reference, classes);
  mergeContiguous(reference, 0, reference->nLoops() - 1, classes);
  if (reference->nLoops() > 2) {
    mergeRange(reference, 0, std::max<int64_t>(0, reference->nLoops() - 2 - params.serialLoops));
  }
  if (reference->nLoops() == 2 && params.innerChunk > 0) {
    reference->split(1, params.innerChunk);
    reference->merge(0, 1);
  }
  if (reference->nLoops() == 1 && params.streamsOutputs) {
    reference->split(0, kStreamedElements);
  }
  propagateTransforms(reference, selected);
  if (reference->nLoops() > 0) {
    reference->axis(0)->parallelize(ParallelType::GridX);
    propagateParallelTypes(reference, selected);
  }
}

void schedulePointwise(Fusion* fusion, const CpuParams& params) {
  if (ScatterOp* scatter = scatterAmong(fusion->tensorExprs())) {
    scheduleScatter(scatter, params);
    return;
  }
  if (params.streamsOutputs) {
    streamOutputs(fusion);
  }
  forkOutputs(fusion);
  cacheInputs(fusion);
  repeatForResizes(fusion);
  // Outputs that have nothing to do with each other are scheduled on their own.
  std::vector<TensorView*> outputs;
  for (TensorView* tv : fusion->outputTensors()) {
    if (tv->definition() != nullptr) {
      outputs.push_back(tv);
    }
  }
  std::unordered_map<const TensorView*, int64_t> limits;
  const TensorView* first = widestOutput(outputs);
  while (!outputs.empty()) {
    TensorView* reference = widestOutput(outputs);
    const std::vector<TensorView*> connected = connectedWith(reference);
    if (TensorView* scanned = scanAmong(connected)) {
      scheduleScanAround(scanned, connected);
    } else if (reference == first && params.transposeTile > 0) {
      for (const TensorView* copy : scheduleTiles(reference, params.transposeTile, connected)) {
        limits[copy] = 1;
      }
    } else {
      schedulePointwiseAround(reference, params, connected);
    }
    std::erase_if(outputs, [&](TensorView* tv) {
      return std::ranges::find(connected, tv) != connected.end();
    });
  }
  inlineMost(fusion, {}, limits);
}

}  // namespace nvfuser::heuristics
