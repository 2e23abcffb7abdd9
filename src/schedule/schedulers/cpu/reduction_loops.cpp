#include "schedule/schedulers/cpu/reduction_loops.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "schedule/heuristics/common.h"
#include "schedule/heuristics/merging.h"
#include "schedule/heuristics/one_pass.h"
#include "schedule/heuristics/reductions.h"
#include "schedule/heuristics/references.h"
#include "schedule/limits.h"
#include "schedule/propagate.h"
#include "schedule/schedulers/cpu/elementwise.h"
#include "schedule/schedulers/cpu/marks.h"
#include "schedule/schedulers/cpu/streaming.h"

namespace nvfuser::heuristics {

namespace {

struct Shape {
  int64_t kept = 1;
  int64_t reduced = 1;
  // Of the kept dimensions, the innermost ones that are one run in memory.
  int64_t columns = 1;
  // What is reduced and follows each other in memory, of inner reductions.
  int64_t run = 1;
  // Whether the rows that are reduced lie one behind the other.
  bool isDense = true;
};

Shape shapeOf(TensorView* reference, const FusionSummary& summary, const ScheduleContext& context) {
  Shape shape;
  for (const IterDomain* id : summary.innerDomains(reference)) {
    shape.run *= std::max<int64_t>(1, context.extent(id->extent()));
  }
  const auto& [ordered, mergeable] = summary.memoryOrder(reference);
  bool isBehindReduced = false;
  for (size_t i = 0; i < ordered.size(); ++i) {
    const IterDomain* id = ordered[i];
    if (id->isBroadcast()) {
      continue;
    }
    const int64_t extent = context.extent(id->extent());
    if (id->isReduction()) {
      shape.reduced *= extent;
    } else {
      shape.kept *= extent;
      const bool isOfRun = i > 0 && ordered[i - 1]->isIteration() && mergeable[i - 1];
      shape.columns = isOfRun ? shape.columns * extent : extent;
      shape.isDense = isOfRun ? shape.isDense : isBehindReduced;
    }
    isBehindReduced = id->isReduction();
  }
  for (const TensorView* tv : summary.globals()) {
    shape.isDense = shape.isDense && std::ranges::none_of(tv->domain()->contiguity(),
                                                          [](const std::optional<bool>& isDense) {
                                                            return isDense == false;
                                                          });
  }
  return shape;
}

// Parts of rows that make `parts` of them, a power of two so that few kernels serve many sizes.
int64_t rowsOfPart(int64_t rows, int64_t parts, const CpuTuning& tuning) {
  const int64_t part =
      std::max(tuning.sharedRows, powerOfTwoFrom(ceilDiv(rows, std::max<int64_t>(parts, 1))));
  return 2 * part > rows ? 0 : part;
}

// Whether rows are many enough for work on a few of them at once, whose code takes as long to
// compile again.
bool isLargeOuter(const Shape& shape, int64_t columns, const CpuTuning& tuning) {
  return shape.kept * shape.reduced >= tuning.jamWork && shape.reduced >= tuning.jamRowsLeast &&
         columns >= tuning.jamColumnsLeast;
}

// Whether rows have about as many columns as a vector has elements: some of them are one row then,
// see lower/fold_rows.h.
bool hasFewColumns(const Shape& shape, bool isInner, const ScheduleContext& context) {
  const CpuTuning& tuning = context.tuning.cpu;
  return !isInner && shape.isDense && shape.columns > 1 &&
         shape.columns <= foldedColumns(context) && shape.kept * shape.reduced > tuning.smallWork &&
         shape.reduced >= tuning.sumRows;
}

// It pays where rows of the tile do not follow each other in memory, which the processor waits for,
// and where accumulators of columns take as much of its time as what is read.
bool jamPays(const FusionSummary& summary, const Shape& shape, int64_t columns) {
  return columns < shape.columns || !summary.hasReducedPrecision();
}

// Whether an expression that computes more than the reductions read evaluates a function.
struct WideFunctions {
  bool any = false;
};
WideFunctions findWideFunctions(const FusionSummary& whole) {
  const int64_t rank = concreteRank(whole.widestReduction());
  return {std::ranges::any_of(whole.exprs(), [&](const Expr* expr) {
    return evaluatesFunction(expr) && concreteRank(expr->output(0)->asTensor()) > rank;
  })};
}

// Whether the loops over what is reduced are no loops for a compiler.
bool hasFewReduced(const TensorView* reference, const Shape& shape) {
  return shape.reduced <= limits::kUnrolledIterations &&
         std::ranges::all_of(reference->logical(), [](const IterDomain* id) {
           return !id->isReduction() || (id->extent()->isConstInt() &&
                                         id->extent()->constInt() <= limits::kWrittenOutReduction);
         });
}

// How the loops of a reduction, or of those of a normalization, are divided.
class Division {
 public:
  // `evaluates` whether functions of what is read again would be evaluated again.
  Division(const Shape& shape, bool evaluates, const ScheduleContext& context)
      : shape_(shape),
        tuning_(context.tuning.cpu),
        workers_(context.target.cpu.workers),
        isLarge_(shape.kept * shape.reduced > tuning_.smallWork),
        wantedParts_(tuning_.partsPerWorker * workers_),
        cachedElements_(evaluates ? tuning_.cachedElements : tuning_.cachedColumnElements),
        persistentLeast_(evaluates ? tuning_.persistentColumnsLeast : tuning_.cachedColumnsLeast),
        columnsLeast_(tuning_.tileVectorsLeast * context.target.cpu.vectorBytes /
                      static_cast<int64_t>(sizeof(float))) {}

  // Nothing to share: at most identities are written.
  bool isEmpty() const { return shape_.kept == 0 || shape_.reduced == 0; }
  int64_t columnsOfNothing() const { return columnsLeast_; }

  // Whether what is read of a row again is not in the cache any more, or rows are too few.
  bool hasLongRows() const {
    return isLarge_ && (shape_.kept < workers_ || shape_.reduced > tuning_.cachedElements);
  }
  // Of rows.
  void divideRows(CpuReductionParams& params) const {
    const bool isLong =
        shape_.reduced >= 2 * tuning_.sumPart &&
        (shape_.kept < wantedParts_ || shape_.reduced >= tuning_.sumParts * tuning_.sumPart);
    if (!isLong) {
      return;
    }
    params.part = tuning_.sumPart;
    if (2 * shape_.run <= tuning_.sumPart) {
      params.runs = powerOfTwoFrom(tuning_.sumPart / shape_.run + 1) / 2;
    }
  }

  // Whole rows are read one after the other; workers share rows before they share columns.
  int64_t columns() const {
    return std::clamp<int64_t>(powerOfTwoFrom(shape_.columns), columnsLeast_,
                               tuning_.tileColumnsMost);
  }
  // For all stages of some columns at once, if what they read stays in the cache meanwhile.
  int64_t persistentColumns() const {
    int64_t tile = columns();
    const auto isTooMuch = [&] {
      const int64_t elements = tile * shape_.reduced;
      return elements > cachedElements_ ||
             (elements > tuning_.nearColumnElements && tile > tuning_.nearColumnsLeast);
    };
    while (tile > persistentLeast_ &&
           (isTooMuch() || ceilDiv(shape_.kept, tile) < tuning_.tilesPerWorker * workers_)) {
      tile /= 2;
    }
    return ofEqualTiles(tile);
  }
  bool hasLongColumns(int64_t columns) const {
    return isLarge_ && columns * shape_.reduced > cachedElements_;
  }
  // Of columns: so many at a time, and parts of at most `longest` rows.
  CpuReductionParams partsOfColumns(int64_t longest) const {
    CpuReductionParams params;
    params.columns = columns();
    const int64_t parts = shape_.kept / shape_.columns * ceilDiv(shape_.columns, params.columns);
    if (isLarge_ && parts < wantedParts_) {
      params.part = rowsOfPart(shape_.reduced, ceilDiv(wantedParts_, parts), tuning_);
      if (params.part == 0) {
        // Few rows: workers share the columns.
        while (params.columns > tuning_.sharedColumnsLeast &&
               ceilDiv(shape_.kept, params.columns) < tuning_.tilesPerWorker * workers_) {
          params.columns /= 2;
        }
      }
    }
    params.columns = ofEqualTiles(params.columns);
    if (shape_.reduced >= 2 * longest) {
      params.part = params.part == 0 ? longest : std::min(params.part, longest);
    }
    return params;
  }

 private:
  // Tiles of whole vectors that are about as wide as each other, as many for each worker: one of a
  // few columns beside wide ones would leave a worker without work.
  int64_t ofEqualTiles(int64_t columns) const {
    int64_t tiles = ceilDiv(shape_.columns, columns);
    if (tiles == 1) {
      return columns;
    }
    if (tiles > workers_) {
      tiles = workers_ * ceilDiv(tiles, workers_);
    }
    return std::min(columns, columnsLeast_ * ceilDiv(shape_.columns, columnsLeast_ * tiles));
  }

  const Shape& shape_;
  const CpuTuning& tuning_;
  int64_t workers_;
  bool isLarge_;
  int64_t wantedParts_;
  // Of a tile of columns.
  int64_t cachedElements_;
  int64_t persistentLeast_;
  int64_t columnsLeast_;
};

// What is chosen once the loops are divided. `row` is what is written of a row at a time.
void chooseRest(CpuReductionParams& params, const FusionSummary& summary, const Shape& shape,
                bool folds, int64_t row, const ScheduleContext& context) {
  const CpuTuning& tuning = context.tuning.cpu;
  params.mergesMoments = isLargeOuter(shape, params.columns, tuning);
  if (folds) {
    params.narrow = narrowRows(context);
  }
  if (params.mergesMoments) {
    params.jam = jamParams(context);
    params.jam.ofAll = jamPays(summary, shape, params.columns);
  }
  params.recomputedOps = tuning.recomputedOps;
  const bool isInner = params.columns == 0;
  params.ahead = aheadParams(context);
  chooseRests(params.ahead, shape.kept * shape.reduced,
              isInner ? shape.run : std::min(params.columns, shape.columns), context);
  if (isInner && params.ahead.functionRests && params.ahead.functionRests.group == 0) {
    // Not even one group: to divide its sums for requests takes longer than the row.
    params.ahead.next = {};
  }
  // Functions and conversions from reduced precision take longer than writing the results, which
  // ordinary stores do meanwhile. Behind each row the processor may wait until memory has taken it.
  if (row >= (params.columns == 0 ? tuning.streamRow : tuning.streamColumns) &&
      !summary.hasReducedPrecision() && !summary.fact(findWideFunctions).any) {
    params.stream = streamParams(summary, context, row);
  }
}

}  // namespace

CpuReductionParams reductionParams(const FusionSummary& summary, const ScheduleContext& context) {
  const CpuTuning& tuning = context.tuning.cpu;
  TensorView* reference = summary.widestReduction();
  const Shape shape = shapeOf(reference, summary, context);
  const bool isInner = summary.isInnerReduction();
  const bool folds = hasFewColumns(shape, isInner, context);
  // What is reduced along columns is one loop, which is written out.
  const bool areFew =
      hasFewReduced(reference, shape) && (isInner || shape.reduced <= limits::kWrittenOutFunctions);
  const Division division(shape, summary.fact(findWideFunctions).any, context);
  CpuReductionParams params;
  if (division.isEmpty()) {
    params.columns = isInner ? 0 : division.columnsOfNothing();
  } else if (isInner || areFew) {
    // Vectors are of results, each of which is in a register: also where columns lie inside.
    division.divideRows(params);
    params.rowsOfResults = areFew;
  } else {
    params = division.partsOfColumns(folds ? tuning.sumRows * tuning.foldRows : tuning.sumRows);
  }
  chooseRest(params, summary, shape, folds, isInner ? shape.reduced : 0, context);
  return params;
}

CpuPersistentParams persistentParams(const FusionSummary& summary, const ScheduleContext& context) {
  const Shape shape = shapeOf(summary.widestReduction(), summary, context);
  const bool isInner = summary.isInnerReduction();
  const Division division(shape, summary.fact(findWideFunctions).any, context);
  CpuPersistentParams params;
  if (division.isEmpty()) {
    params.reduction.columns = isInner ? 0 : division.columnsOfNothing();
  } else if (isInner) {
    params.separateStages = division.hasLongRows();
    if (params.separateStages) {
      division.divideRows(params.reduction);
    }
  } else {
    params.reduction.columns = division.persistentColumns();
    params.separateStages = division.hasLongColumns(params.reduction.columns);
    if (params.separateStages) {
      params.reduction = division.partsOfColumns(context.tuning.cpu.sumRows);
    }
  }
  const int64_t row = isInner ? shape.reduced : params.separateStages ? shape.columns : 0;
  chooseRest(params.reduction, summary, shape, hasFewColumns(shape, isInner, context), row,
             context);
  return params;
}

namespace {

// Arranges the loops of one reduction as
//   inner:  [kept, reduced...]             or with chunks [kept, chunks, chunk]
//   outer:  [kept tiles, reduced..., tile] or with chunks [kept tiles, chunks, chunk, tile]
// Returns the position of the loop over chunks, negative without chunks.
int64_t arrangeReduction(TensorView* reference, const CpuReductionParams& params) {
  const DomainClasses classes(reference->fusion()->tensorExprs());
  const IterDomain* innermost =
      innermostDomain(reference, globalTensors(reference->fusion()), classes);
  // Without tiles of columns it has been decided, for the widest of all reductions.
  const bool inner = params.columns == 0 || innermost == nullptr || innermost->isReduction();
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
    columns = takeColumns(reference, kept, classes, LoopsOf::Pieces);
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
  mergeContiguous(reference, firstReduced, firstColumn - 1, classes, LoopsOf::Pieces);
  const int64_t lastReduced = reference->nLoops() - (hasColumns ? 2 : 1);
  // Only whole runs, or parts of one, are merged with what they do not follow in memory: elements
  // take no divisions.
  const bool hasRuns = params.part > 0 && inner && lastReduced > firstReduced;
  if (hasRuns) {
    mergeRange(reference, firstReduced, lastReduced - 1);
  } else if (params.part > 0 && !reduced.empty()) {
    mergeRange(reference, firstReduced, lastReduced);
  }
  if (firstReduced > 1) {
    mergeContiguous(reference, 0, firstReduced - 1, classes, LoopsOf::Pieces);
    int64_t last = 0;
    while (last + 1 < reference->nLoops() && !reference->axis(last + 1)->isReduction() &&
           !(hasColumns && last + 2 == reference->nLoops())) {
      ++last;
    }
    // Merged with what is not contiguous with it, the innermost one takes divisions.
    mergeRange(reference, 0, params.rowsOfResults ? std::max<int64_t>(0, last - 1) : last);
  }
  int64_t reducedPosition = kept.empty() ? 0 : 1;
  if (hasColumns) {
    reference->split(-1, params.columns);
    // [kept, reduced..., tiles, tile] -> [kept x tiles, reduced..., tile]
    reference->reorder({{-2, reducedPosition}});
    if (reducedPosition == 1) {
      reference->merge(0, 1);
    }
    reducedPosition = 1;
  }
  if (hasRuns && params.runs > 0) {
    reference->split(reducedPosition, params.runs);
  } else if (hasRuns) {
    reference->split(reducedPosition + 1, params.part);
    reference->merge(reducedPosition, reducedPosition + 1);
  } else if (params.part > 0 && !reduced.empty()) {
    reference->split(reducedPosition, params.part);
  }
  return params.part > 0 && !reduced.empty() ? reducedPosition : -1;
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

// Gives the loops of the leading reduction to `selected` (all, when empty). With chunks, those of
// `inside` that run along all loops are computed inside chunks. Returns the tensors of partial
// results.
std::vector<TensorView*> scheduleReductions(const std::vector<TensorView*>& reductions,
                                            const std::vector<TensorView*>& selected,
                                            const std::vector<TensorView*>& inside,
                                            const CpuReductionParams& params) {
  TensorView* reference = widestReduction(reductions);
  const int64_t chunkLoop = arrangeReduction(reference, params);
  propagateTransforms(reference, selected);
  if (chunkLoop < 0) {
    return {};
  }
  std::vector<TensorView*> others;
  const auto loopsOf = [](const TensorView* tv) {
    // Dimensions of one element that others do not have lie behind.
    return std::ranges::count_if(tv->loop(), [](const IterDomain* id) {
      return !id->isBroadcast() || !id->extent()->isConstInt(1);
    });
  };
  for (TensorView* tv : inside) {
    if (!tv->definition()->is<ReductionOp>() && loopsOf(tv) == loopsOf(reference)) {
      others.push_back(tv);
    }
  }
  return factorChunks(reductions, others, chunkLoop);
}

// Returns the tensors of partial results.
std::vector<TensorView*> scheduleStage(const std::vector<TensorView*>& tensors,
                                       const CpuReductionParams& params) {
  std::vector<TensorView*> reductions;
  for (TensorView* tv : tensors) {
    if (tv->definition()->is<ReductionOp>()) {
      reductions.push_back(tv);
    }
  }
  if (reductions.empty()) {
    const std::vector<TensorView*> outputs = outputsAmong(tensors);
    CpuPointwiseParams pointwise;
    pointwise.stream = params.stream;
    pointwise.narrow = params.narrow;
    schedulePointwiseAround(widestOutput(outputs.empty() ? tensors : outputs), pointwise, tensors);
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

void scheduleReduction(Fusion* fusion, const CpuReductionParams& params, bool separateStages) {
  const bool hasMoments = params.mergesMoments && combineMoments(fusion);
  recomputeAcrossStages(fusion,
                        separateStages ? std::nullopt : std::optional(params.recomputedOps));
  const std::vector<TensorView*> persistent = bufferForLaterStages(fusion);
  if (params.stream.group > 0) {
    streamOutputs(fusion, params.stream);
  }
  forkOutputs(fusion);
  cacheInputs(fusion);
  repeatForResizes(fusion);
  const std::vector<Expr*> exprs = fusion->tensorExprs();
  const Stages stages = computeStages(exprs);
  std::vector<TensorView*> partials;
  if (separateStages) {
    const int64_t last = lastStage(stages);
    for (int64_t stage = 0; stage <= last; ++stage) {
      std::ranges::copy(scheduleStage(tensorsOfStage(stages, stage), params),
                        std::back_inserter(partials));
    }
  } else {
    partials = scheduleReductions(reductionsOf(exprs), {}, tensorsOfStage(stages, 0), params);
  }
  parallelizeOutermost(fusion->tensors());
  // Persistent buffers outlive the loops over what is reduced.
  std::unordered_map<const TensorView*, int64_t> limits;
  for (const TensorView* tv : persistent) {
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
  requestAhead(fusion, params.ahead);
  if (params.jam.mark && (params.jam.ofAll || hasMoments)) {
    jamRows(fusion, params.jam);
  }
  if (params.narrow.fold) {
    foldRows(fusion, params.narrow.fold);
  }
}

}  // namespace nvfuser::heuristics
