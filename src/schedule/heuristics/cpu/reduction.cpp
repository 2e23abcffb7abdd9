#include "schedule/heuristics/cpu/reduction.h"

#include <algorithm>
#include <unordered_map>

#include "schedule/heuristics/common.h"
#include "schedule/heuristics/cpu/pointwise.h"
#include "schedule/heuristics/cpu/streaming.h"
#include "schedule/heuristics/moments.h"
#include "schedule/heuristics/reductions.h"
#include "schedule/heuristics/references.h"
#include "schedule/narrow_rows.h"
#include "schedule/propagate.h"

namespace nvfuser::heuristics {

namespace {

struct Shape {
  int64_t kept = 1;
  int64_t reduced = 1;
  // Of the kept dimensions, the innermost one.
  int64_t columns = 1;
  // Whether the rows that are reduced lie one behind the other.
  bool isDense = true;
};

Shape shapeOf(const TensorView* reference, const ScheduleContext& context) {
  Shape shape;
  bool isBehindReduced = false;
  for (IterDomain* id : reference->logical()) {
    if (id->isBroadcast()) {
      continue;
    }
    const int64_t extent = context.extent(id->extent());
    if (id->isReduction()) {
      shape.reduced *= extent;
    } else {
      shape.kept *= extent;
      shape.columns = extent;
      shape.isDense = isBehindReduced;
    }
    isBehindReduced = id->isReduction();
  }
  for (const TensorView* tv : globalTensors(reference->fusion())) {
    shape.isDense = shape.isDense && std::ranges::none_of(tv->domain()->contiguity(),
                                                          [](const std::optional<bool>& isDense) {
                                                            return isDense == false;
                                                          });
  }
  return shape;
}

// Below this many elements one worker does everything.
constexpr int64_t kSmallWork = 32 * 1024;
// A part that is read again must still be in the cache of the core.
constexpr int64_t kCacheElements = 256 * 1024;
// Long sums are sums of sums of so many elements: their error stays small, and workers share them.
constexpr int64_t kInnerChunk = 16 * 1024;
// The same of long columns.
constexpr int64_t kMaxRowChunk = 256;
// Accumulators of so many columns stay in the first-level cache.
constexpr int64_t kMaxColumnTile = 4096;
constexpr int64_t kPartsPerThread = 4;

// Chunks of rows that make `parts` parts, a power of two so that few kernels serve many sizes.
int64_t rowChunk(int64_t rows, int64_t parts) {
  constexpr int64_t kMinRows = 16;
  const int64_t chunk =
      std::max(kMinRows, powerOfTwoFrom(ceilDiv(rows, std::max<int64_t>(parts, 1))));
  return 2 * chunk > rows ? 0 : chunk;
}

// Whether rows are many enough for work on a few of them at once, whose code takes as long to
// compile again.
bool isLargeOuter(const Shape& shape, int64_t tile) {
  constexpr int64_t kLargeWork = 1024 * 1024;
  constexpr int64_t kMinRows = 64;
  constexpr int64_t kMinColumns = 32;
  return shape.kept * shape.reduced >= kLargeWork && shape.reduced >= kMinRows &&
         tile >= kMinColumns;
}

// Whether rows have fewer columns than a vector has elements: some of them are one row then, see
// lower/fold_rows.h.
bool isNarrow(const Shape& shape, bool inner, SchedulerType type) {
  return !inner && type == SchedulerType::Reduction && shape.isDense && shape.columns > 1 &&
         shape.columns <= kMaxFoldedColumns && shape.kept * shape.reduced > kSmallWork &&
         shape.reduced >= kMaxRowChunk;
}

// It pays where rows of the tile do not follow each other in memory, which the processor waits for,
// and where what is kept of the columns takes as much of its time as what is read.
bool jamPays(const TensorView* reference, const Shape& shape, int64_t tile) {
  return tile < shape.columns || !hasNarrowTensors(reference->fusion());
}

// The division of the loops.
CpuParams loopParams(const Shape& shape, bool inner, SchedulerType type,
                     const ScheduleContext& context) {
  const bool persistent = type != SchedulerType::Reduction;
  const bool isLarge = shape.kept * shape.reduced > kSmallWork;
  const int64_t wantedParts = kPartsPerThread * context.target.cpu.workers;
  CpuParams params;
  if (shape.kept == 0 || shape.reduced == 0) {
    // Nothing to share: at most identities are written.
    params.columnTile = inner ? 0 : 16;
    return params;
  }
  if (inner) {
    params.separateStages =
        persistent && isLarge &&
        (shape.kept < context.target.cpu.workers || shape.reduced > kCacheElements);
    const bool inOneStage = persistent && !params.separateStages;
    if (!inOneStage && shape.reduced >= 2 * kInnerChunk &&
        (shape.kept < wantedParts || shape.reduced >= 4 * kInnerChunk)) {
      params.reductionChunk = kInnerChunk;
    }
    return params;
  }
  // Whole rows are read one after the other; workers share rows before they share columns.
  params.columnTile = std::clamp<int64_t>(powerOfTwoFrom(shape.columns), 16, kMaxColumnTile);
  const int64_t parts = shape.kept / shape.columns * ceilDiv(shape.columns, params.columnTile);
  if (persistent) {
    // All stages of some columns at once, if what they read stays in the cache meanwhile.
    int64_t tile = params.columnTile;
    while (tile > 32 && (tile * shape.reduced > kCacheElements ||
                         ceilDiv(shape.kept, tile) < 2 * context.target.cpu.workers)) {
      tile /= 2;
    }
    params.separateStages = isLarge && tile * shape.reduced > kCacheElements;
    if (!params.separateStages) {
      params.columnTile = tile;
      return params;
    }
  }
  if (isLarge && parts < wantedParts) {
    params.reductionChunk = rowChunk(shape.reduced, ceilDiv(wantedParts, parts));
    if (params.reductionChunk == 0) {
      // Few rows: workers share the columns.
      while (params.columnTile > 64 &&
             ceilDiv(shape.kept, params.columnTile) < 2 * context.target.cpu.workers) {
        params.columnTile /= 2;
      }
    }
  }
  const int64_t longest = isNarrow(shape, inner, type) ? kMaxRowChunk * kFoldedRows : kMaxRowChunk;
  if (shape.reduced >= 2 * longest) {
    params.reductionChunk =
        params.reductionChunk == 0 ? longest : std::min(params.reductionChunk, longest);
  }
  return params;
}

}  // namespace

CpuParams reductionParams(Fusion* fusion, SchedulerType type, const ScheduleContext& context) {
  const std::vector<Expr*> exprs = fusion->tensorExprs();
  const TensorView* reference = widestReduction(reductionsOf(exprs));
  const Shape shape = shapeOf(reference, context);
  const bool inner = FusionSummary(fusion).isInnerReduction();
  CpuParams params = loopParams(shape, inner, type, context);
  params.mergesMoments = isLargeOuter(shape, params.columnTile);
  params.jamsRows = isNarrow(shape, inner, type) ||
                    (params.mergesMoments && jamPays(reference, shape, params.columnTile));
  // Functions are evaluated and narrow elements converted for longer than it takes to write
  // results, which ordinary stores do meanwhile. Behind each row the processor may wait until
  // memory has taken it.
  const bool inRows = params.columnTile == 0;
  const int64_t row = inRows ? shape.reduced : params.separateStages ? shape.columns : 0;
  // For each element of a row, that is.
  const auto evaluates = [&](const Expr* expr) {
    return evaluatesFunction(expr) &&
           concreteRank(expr->output(0)->asTensor()) > concreteRank(reference);
  };
  params.streamsOutputs = row >= (inRows ? 1024 : 128) && !hasNarrowTensors(fusion) &&
                          std::ranges::none_of(exprs, evaluates) &&
                          outputsOverflow(fusion, context, row);
  return params;
}

namespace {

// Arranges the loops of one reduction as
//   inner:  [kept, reduced...]             or with chunks [kept, chunks, chunk]
//   outer:  [kept tiles, reduced..., tile] or with chunks [kept tiles, chunks, chunk, tile]
// Returns the position of the loop over chunks, negative without chunks.
int64_t arrangeReduction(TensorView* reference, const CpuParams& params) {
  const DomainClasses classes(reference->fusion()->tensorExprs());
  const IterDomain* innermost = innermostDomain(reference, classes);
  // Without tiles of columns it has been decided, for the widest of all reductions.
  const bool inner = params.columnTile == 0 || innermost == nullptr || innermost->isReduction();
  orderLikeMemory(reference, classes);
  // Kept dimensions first, in their order; of the outer kind the innermost kept one last.
  std::unordered_map<int64_t, int64_t> order;
  std::vector<int64_t> kept;
  std::vector<int64_t> reduced;
  for (int64_t i = 0; i < reference->nLoops(); ++i) {
    (reference->axis(i)->isReduction() ? reduced : kept).push_back(i);
  }
  int64_t target = 0;
  const bool hasColumns = !inner && !kept.empty();
  // Columns: the trailing kept dimensions that lie inside all reduced ones and are contiguous.
  std::vector<int64_t> columns;
  if (hasColumns) {
    columns = takeColumns(reference, kept, classes);
  }
  for (int64_t i : kept) {
    order[i] = target++;
  }
  const int64_t firstReduced = target;
  for (int64_t i : reduced) {
    order[i] = target++;
  }
  const int64_t firstColumn = target;
  for (int64_t i : columns) {
    order[i] = target++;
  }
  reference->reorder(order);
  if (hasColumns) {
    mergeRange(reference, firstColumn, reference->nLoops() - 1);
  }
  mergeContiguous(reference, firstReduced, firstColumn - 1, classes);
  if (params.reductionChunk > 0 && !reduced.empty()) {
    const int64_t lastReduced = reference->nLoops() - (hasColumns ? 2 : 1);
    mergeRange(reference, firstReduced, lastReduced);
  }
  if (firstReduced > 1) {
    mergeContiguous(reference, 0, firstReduced - 1, classes);
    int64_t last = 0;
    while (last + 1 < reference->nLoops() && !reference->axis(last + 1)->isReduction() &&
           !(hasColumns && last + 2 == reference->nLoops())) {
      ++last;
    }
    mergeRange(reference, 0, last);
  }
  int64_t reducedPosition = kept.empty() ? 0 : 1;
  if (hasColumns) {
    reference->split(-1, params.columnTile);
    // [kept, reduced..., tiles, tile] -> [kept x tiles, reduced..., tile]
    reference->reorder({{-2, reducedPosition}});
    if (reducedPosition == 1) {
      reference->merge(0, 1);
    }
    reducedPosition = 1;
  }
  if (params.reductionChunk > 0 && !reduced.empty()) {
    reference->split(reducedPosition, params.reductionChunk);
    return reducedPosition;
  }
  return -1;
}

// With chunks: factors the chunk out of every reduction, and makes (kept, chunks) one parallel loop
// of what is computed inside chunks. Returns the tensors of partial results.
std::vector<TensorView*> factorChunks(const std::vector<TensorView*>& reductions,
                                      const std::vector<TensorView*>& others, int64_t chunkLoop) {
  std::vector<TensorView*> inside = others;
  const std::vector<TensorView*> partials = factorParts(reductions, chunkLoop, inside);
  for (TensorView* tv : inside) {
    if (chunkLoop == 1 && tv->nLoops() > 1) {
      tv->merge(0, 1);
    }
  }
  return partials;
}

void parallelizeOutermost(const std::vector<TensorView*>& tensors) {
  for (TensorView* tv : tensors) {
    if (tv->nLoops() > 0 && !tv->axis(0)->isReduction() && !tv->isFusionInput()) {
      tv->axis(0)->parallelize(ParallelType::GridX);
    }
  }
}

// The loop over rows around that of a tile's columns, see lower/unroll_and_jam.h.
void unrollRows(const std::vector<TensorView*>& tensors) {
  for (TensorView* tv : tensors) {
    if (tv->nLoops() > 2 && !tv->isFusionInput()) {
      tv->axis(-2)->parallelize(ParallelType::Unroll);
    }
  }
}

// Gives the loops of the leading reduction to `selected` (all, when empty). With chunks, those of
// `inside` that run along all loops are computed inside chunks. Returns the tensors of partial
// results.
std::vector<TensorView*> scheduleReductions(const std::vector<TensorView*>& reductions,
                                            const std::vector<TensorView*>& selected,
                                            const std::vector<TensorView*>& inside,
                                            const CpuParams& params) {
  TensorView* reference = widestReduction(reductions);
  const int64_t chunkLoop = arrangeReduction(reference, params);
  propagateTransforms(reference, selected);
  if (chunkLoop < 0) {
    return {};
  }
  std::vector<TensorView*> others;
  for (TensorView* tv : inside) {
    if (!tv->definition()->is<ReductionOp>() && tv->nLoops() == reference->nLoops()) {
      others.push_back(tv);
    }
  }
  return factorChunks(reductions, others, chunkLoop);
}

// Returns the tensors of partial results.
std::vector<TensorView*> scheduleStage(const std::vector<TensorView*>& tensors,
                                       const CpuParams& params) {
  std::vector<TensorView*> reductions;
  for (TensorView* tv : tensors) {
    if (tv->definition()->is<ReductionOp>()) {
      reductions.push_back(tv);
    }
  }
  if (reductions.empty()) {
    const std::vector<TensorView*> outputs = outputsAmong(tensors);
    schedulePointwiseAround(widestOutput(outputs.empty() ? tensors : outputs), params, tensors);
    return {};
  }
  return scheduleReductions(reductions, tensors, tensors, params);
}

// Where a tensor is computed that is the same for all rows but has columns: its number of loops
// around that of the rows. For anything else, and for what is as cheap to compute as to read,
// negative.
int64_t positionBeforeRows(const TensorView* tv) {
  if (tv->definition() == nullptr || isCheap(tv->definition())) {
    return -1;
  }
  for (int64_t k = 0; k < tv->nLoops(); ++k) {
    if (tv->axis(k)->isBroadcast()) {
      for (int64_t column = k + 1; column < tv->nLoops(); ++column) {
        if (!tv->axis(column)->isBroadcast() && !tv->axis(column)->isReduction()) {
          return k;
        }
      }
      return -1;
    }
  }
  return -1;
}

}  // namespace

void scheduleReduction(Fusion* fusion, const CpuParams& params) {
  const bool hasMoments = params.mergesMoments && combineMoments(fusion);
  recomputeAcrossStages(fusion, params.separateStages);
  const std::vector<TensorView*> kept = keepForLaterStages(fusion);
  if (params.streamsOutputs) {
    streamOutputs(fusion);
  }
  forkOutputs(fusion);
  cacheInputs(fusion);
  repeatForResizes(fusion);
  const std::vector<Expr*> exprs = fusion->tensorExprs();
  const Stages stages = computeStages(exprs);
  std::vector<TensorView*> partials;
  if (params.separateStages) {
    const int64_t last = lastStage(stages);
    for (int64_t stage = 0; stage <= last; ++stage) {
      std::ranges::copy(scheduleStage(tensorsOfStage(stages, stage), params),
                        std::back_inserter(partials));
    }
  } else {
    partials = scheduleReductions(reductionsOf(exprs), {}, tensorsOfStage(stages, 0), params);
  }
  parallelizeOutermost(fusion->tensors());
  // Kept tensors outlive the loops over what is reduced.
  std::unordered_map<const TensorView*, int64_t> limits;
  for (const TensorView* tv : kept) {
    int64_t position = 0;
    while (position < tv->nLoops() && tv->axis(position)->parallelType() == ParallelType::GridX) {
      ++position;
    }
    limits[tv] = position;
  }
  for (const TensorView* tv : fusion->tensors()) {
    if (const int64_t position = positionBeforeRows(tv); position >= 0 && !limits.contains(tv)) {
      limits[tv] = position;
    }
  }
  // Chunks are all computed before they are combined.
  for (const TensorView* tv : partials) {
    limits[tv] = 0;
  }
  inlineMost(fusion, {}, limits);
  if (params.jamsRows || hasMoments) {
    // Nothing is inlined into loops that are unrolled.
    unrollRows(fusion->tensors());
  }
}

}  // namespace nvfuser::heuristics
