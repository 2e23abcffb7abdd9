// Reductions of columns: every thread accumulates a vector of results, and blocks share columns
// where there are few.
#include <algorithm>
#include <set>

#include "schedule/limits.h"
#include "schedule/schedulers/gpu/element_vectors.h"
#include "schedule/schedulers/gpu/reductions.h"

namespace nvfuser::schedulers {

namespace gpu {

namespace {

// Whether inputs are read in vectors, rather than in elements that are as far apart for
// neighbouring threads as these have columns.
bool readsVectors(const GpuVectors& vectors, const FusionSummary& summary) {
  // They are the first of the tensors that have numbers.
  for (size_t i = 0; i < summary.inputs().size(); ++i) {
    if (isVectorizedTensor(vectors, i)) {
      return true;
    }
  }
  return false;
}

// Whether columns are computed of what is read along them and of what is read across them, like the
// distances of pairs: then nothing in memory is as large as what is reduced.
bool areOfPairs(const FusionSummary& summary) {
  const DomainClasses& classes = summary.classes();
  std::set<int64_t> kept;
  std::set<int64_t> reduced;
  for (const IterDomain* id : summary.widestReduction()->logical()) {
    if (!id->isBroadcast()) {
      (id->isReduction() ? reduced : kept).insert(classes.classOf(id));
    }
  }
  return std::ranges::none_of(summary.globals(), [&](const TensorView* tv) {
    const auto hasAnyOf = [&](const std::set<int64_t>& of) {
      return std::ranges::any_of(tv->visible(), [&](const IterDomain* id) {
        return !id->isBroadcast() && of.contains(classes.classOf(id));
      });
    };
    return hasAnyOf(kept) && hasAnyOf(reduced);
  });
}

// The one dimension that is reduced, null where there are several.
const IterDomain* onlyReduced(const TensorView* reduction) {
  const IterDomain* reduced = nullptr;
  for (const IterDomain* id : reduction->logical()) {
    if (id->isReduction() && !id->isBroadcast()) {
      if (reduced != nullptr) {
        return nullptr;
      }
      reduced = id;
    }
  }
  return reduced;
}

// Inputs with a row of what is reduced for each column: threads that have columns alone read their
// rows of these in vectors, and single columns, as far apart as rows are short. One element of each
// row at a time would be a line of memory for each thread.
GpuVectors vectorsAcross(const ReductionShape& shape, const FusionSummary& summary,
                         const ScheduleContext& context) {
  const IterDomain* reduced = onlyReduced(summary.widestReduction());
  if (reduced == nullptr) {
    return {};
  }
  const DomainClasses& classes = summary.classes();
  const InnerGroup rows{{classes.classOf(reduced)}, shape.reduced};
  GpuVectors vectors = chooseVectors(rows, summary, context);
  bool hasRowForColumns = false;
  for (size_t i = 0; i < std::min(summary.globals().size(), limits::kNumberedTensors); ++i) {
    const TensorView* tv = summary.globals()[i];
    const IterDomain* innermost = innermostInMemory(tv);
    if (!tv->isFusionInput() || innermost == nullptr ||
        classes.classOf(innermost) != rows.classes.front()) {
      vectors.tensors &= ~(uint64_t{1} << i);
    }
    hasRowForColumns =
        hasRowForColumns || (isVectorizedTensor(vectors, i) &&
                             classes.find(tv->visible(), shape.inner.classes.front()) >= 0);
  }
  return hasRowForColumns ? vectors : GpuVectors();
}

void chooseThreads(const ReductionShape& shape, bool isPersistent, const FusionSummary& summary,
                   const ScheduleContext& context, GpuOuterReductionParams& params) {
  const GpuTuning& tuning = context.tuning.gpu;
  const GpuProperties& device = context.target.gpu;
  const int64_t columns = shape.inner.extent;
  // Few columns of what takes long to compute have several threads each, unless a row has too few
  // of them for a block.
  const bool areFewOfLong = columns >= device.warpSize &&
                            shape.kept < device.multiprocessors * device.warpSize &&
                            isLong(summary, context);
  if (context.hasSizes && areWholeColumns(shape, context) && !areFewOfLong) {
    // A thread has whole columns, of narrower vectors where not each multiprocessor had a warp.
    if (!isPersistent) {
      params.across = vectorsAcross(shape, summary, context);
    }
    const bool isWide = params.across.width == 1 && readsVectors(params.vectors, summary);
    while (params.vectors.width > 1 && (!isWide || shape.kept / params.vectors.width <
                                                       device.multiprocessors * device.warpSize)) {
      params.vectors.width /= 2;
    }
    params.threadsX = std::min(tuning.outerReductionThreads,
                               powerOfTwoFrom(ceilDiv(columns, params.vectors.width)));
    // Of rows that leave some of these idle, threads go on in the next one.
    const int64_t covered = params.threadsX * params.vectors.width;
    if ((params.threadsX < tuning.columnThreads || columns % covered != 0) &&
        shape.kept > columns) {
      params.acrossRows = true;
      params.threadsX = tuning.columnThreads;
    }
    params.threadsY = 1;
    params.unroll = shape.reduced / params.across.width;
    return;
  }
  int64_t vectors = ceilDiv(columns, params.vectors.width);
  params.threadsX = std::min(device.warpSize, powerOfTwoFrom(vectors));
  const auto blocksOf = [&] { return shape.kept / columns * ceilDiv(vectors, params.threadsX); };
  // Of what is computed of little memory, a block may have as few columns as there are many blocks.
  const bool areFewEnough =
      shape.reduced <= tuning.rowsOfPairs && summary.fact(areOfPairs) &&
      columns * tuning.fewBlocksShare >= device.multiprocessors * tuning.columnsOfPairs;
  const bool inOneKernel = (shape.reduced <= tuning.rowsOfOneBlock || areFewEnough) &&
                           blocksOf() < device.multiprocessors;
  if (inOneKernel) {
    params.threadsX = std::min(params.threadsX, tuning.lineBytes / tuning.vectorBytes);
    // Blocks for more of the multiprocessors, each of which reads whole sectors.
    while (params.vectors.width > 1 &&
           blocksOf() * tuning.fewBlocksShare < device.multiprocessors &&
           params.threadsX * params.vectors.width * shape.bytes >= 2 * tuning.sectorBytes) {
      params.vectors.width /= 2;
      vectors = ceilDiv(columns, params.vectors.width);
    }
  }
  int64_t threads = tuning.outerReductionThreads;
  if (inOneKernel && areFewEnough) {
    const auto areIdle = [&] {
      return blocksOf() * tuning.fewBlocksShare <
             (tuning.fewBlocksShare - 1) * device.multiprocessors;
    };
    while (areIdle() && params.vectors.width > 1) {
      params.vectors.width /= 2;
      vectors = ceilDiv(columns, params.vectors.width);
    }
    while (areIdle() && params.threadsX > tuning.columnsOfPairs) {
      params.threadsX /= 2;
    }
    threads = device.threadsPerBlock / 2;
  }
  params.threadsY = std::min(threads / params.threadsX, powerOfTwoFrom(shape.reduced));
  // Many small blocks have more to do for each thread, and fewer threads that wait for each other.
  while (!inOneKernel && params.threadsX * params.threadsY > 2 * device.warpSize &&
         shape.reduced < tuning.rowsOfColumnThread * params.threadsY &&
         blocksOf() >=
             tuning.rowsOfColumnThread *
                 blocksAtATime(context, tuning.outerReductionThreads, tuning.registersOfThread)) {
    params.threadsY /= 2;
  }
  const int64_t bytesOfVector = params.vectors.width * shape.bytes;
  params.unroll =
      std::clamp<int64_t>(shape.reduced / params.threadsY, 1,
                          std::min(mostUnroll(bytesOfVector, tuning), tuning.outerReductionUnroll));
  params.unroll = powerOfTwoFrom(params.unroll + 1) / 2;
  const int64_t blocks = blocksOf();
  const int64_t rounds = ceilDiv(shape.reduced, params.threadsY * params.unroll);
  const int64_t atATime =
      blocksAtATime(context, tuning.outerReductionThreads,
                    bytesOfVector < tuning.vectorBytes ? tuning.registersWithoutVectors
                                                       : tuning.registersOfThread);
  if (!inOneKernel && blocks < atATime && rounds >= 2) {
    // Not more than run at a time: what they leave is combined by few blocks.
    params.parts =
        partsOfEqualRounds(rounds, std::min({atATime / blocks, rounds, tuning.reductionParts}));
    // Few more registers than were reckoned with would leave some blocks to a second wave, which
    // takes as long as the first.
    params.minBlocks = ceilDiv(blocks * params.parts, device.multiprocessors);
  }
}

// [kept x columns / (x v), (parts), serial, unroll, y, x, vector]
Arrangement arrangeColumns(TensorView* reference, const GpuOuterReductionParams& params,
                           Leads leads) {
  const int64_t position = mergeKinds(reference, true, leads);
  Arrangement arrangement;
  std::vector<ParallelType>& types = arrangement.types;
  if (position == 0) {
    return arrangement;
  }
  // [kept, columns, reduced] -> [kept x columns / (x v), reduced, x, v]
  int64_t column = position - 1;
  reference->split(column, params.vectors.width);
  if (params.acrossRows && column == 1) {
    reference->merge(0, 1);
    column = 0;
  }
  divideLoop(reference, column, params.threadsX, params.isExact);
  if (column == 1) {
    reference->merge(0, 1);
  }
  if (reference->nLoops() == 4) {
    reference->reorder({{3, 1}});
    if (params.across.width > 1) {
      divideLoop(reference, 1, params.across.width, true);
    }
    divideLoop(reference, 1, params.threadsY, params.isExact);
    divideLoop(reference, 1, params.unroll, params.isExact);
    if (params.parts > 1) {
      divideLoop(reference, 1, params.parts, params.isExact);
      reference->reorder({{1, 2}});
      arrangement.partLoop = 1;
    }
  }
  types.push_back(ParallelType::GridX);
  if (arrangement.partLoop >= 0) {
    types.push_back(ParallelType::GridY);
  }
  types.insert(types.end(), {ParallelType::Serial, ParallelType::Unroll, ParallelType::BlockY,
                             ParallelType::BlockX, ParallelType::Vectorize});
  if (params.across.width > 1) {
    // [kept x columns / (x v), serial, unroll, (vector of what is reduced), y, x, vector]
    arrangement.acrossLoop = 3;
    reference->reorder({{4, arrangement.acrossLoop}});
    types.insert(types.begin() + arrangement.acrossLoop, ParallelType::Unroll);
  }
  return arrangement;
}

class OuterReduction : public GpuScheduler<GpuOuterReductionParams> {
 public:
  OuterReduction() : GpuScheduler(SchedulerType::Reduction) {}
  std::string reject(const FusionSummary& summary) const override {
    return rejectReductions(summary, type());
  }
  int64_t minBlocks(const ScheduleParams& params) const override {
    return paramsOf(params).minBlocks;
  }

 private:
  std::vector<GpuOuterReductionParams> choose(const FusionSummary& summary,
                                              const ScheduleContext& context) const override {
    const ReductionShape shape = shapeOfReduction(summary, context);
    if (shape.isInner || readsRows(shape, summary, context)) {
      return {};
    }
    return {outerReductionParams(shape, false, summary, context)};
  }
  void schedule(Fusion* fusion, const GpuOuterReductionParams& params) const override {
    scheduleReduction(fusion, outerReductionLoops(params), params.readOnce);
  }
};

}  // namespace

GpuOuterReductionParams outerReductionParams(const ReductionShape& shape, bool isPersistent,
                                             const FusionSummary& summary,
                                             const ScheduleContext& context) {
  const GpuTuning& tuning = context.tuning.gpu;
  GpuOuterReductionParams params;
  // An access no wider than 16 bytes: every thread accumulates a vector of results.
  params.vectors = chooseVectors(shape.inner, summary, context);
  chooseThreads(shape, isPersistent, summary, context, params);
  params.combiningThreads = context.target.gpu.threadsPerBlock / 2;
  // The more parts there are of columns, the fewer columns there are, and the fewer of these a
  // block takes that combines them.
  params.combiningColumns = std::max<int64_t>(
      params.threadsX / std::max<int64_t>(params.parts / tuning.combiningShare, 1), 1);
  const int64_t columns = params.acrossRows ? shape.kept : shape.inner.extent;
  params.isExact =
      context.hasSizes && shape.inner.extent % params.vectors.width == 0 &&
      columns % (params.vectors.width * params.threadsX) == 0 &&
      shape.reduced % (params.across.width * params.threadsY * params.unroll * params.parts) == 0;
  Eviction eviction = Eviction::InTurn;
  if (isPersistent) {
    eviction = evictionOfPersistent(summary, context);
  } else if (params.vectors.tensors != 0 &&
             params.threadsX >= tuning.lineBytes / tuning.vectorBytes &&
             timesOfCache(summary, context) < tuning.streamedTimes) {
    // Whole lines are read once.
    eviction = Eviction::First;
  }
  params.readOnce = chooseReadOnce(eviction, summary, context);
  return params;
}

ReductionLoops outerReductionLoops(const GpuOuterReductionParams& params, Leads leads) {
  return {.arrange = [params, leads](TensorView* tv) { return arrangeColumns(tv, params, leads); },
          .vectors = params.vectors,
          .across = params.across,
          .mergesAtOnce = params.isExact && params.unroll > 1,
          .parts = params.parts,
          .combiningThreads =
              params.combiningThreads / (params.vectors.width * params.combiningColumns),
          .combiningColumns = params.combiningColumns};
}

}  // namespace gpu

const Scheduler* gpuOuterReduction() {
  static const gpu::OuterReduction scheduler;
  return &scheduler;
}

}  // namespace nvfuser::schedulers
