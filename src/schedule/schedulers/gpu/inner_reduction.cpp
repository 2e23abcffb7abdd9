// Reductions of rows: threads, and blocks where there are few rows, share one.
#include <algorithm>

#include "schedule/schedulers/gpu/element_vectors.h"
#include "schedule/schedulers/gpu/reductions.h"

namespace nvfuser::schedulers {

namespace gpu {

namespace {

// Whether results have an element for each of the rows, too: those of a warp are written side by
// side where each thread has one vector of a row.
bool writesReducedRows(const ReductionShape& shape, const FusionSummary& summary,
                       const ScheduleContext& context) {
  return std::ranges::any_of(summary.outputs(), [&](const TensorView* tv) {
    return elementsOf(tv, context) >= shape.kept * shape.reduced;
  });
}

// Whether a thread reduces a row alone: windows of a few elements, also where the elements of
// neighbouring rows are those next to each other in memory, and rows of a few single elements.
bool isOfOneThread(const ReductionShape& shape, const GpuVectors& vectors,
                   const FusionSummary& summary, const ScheduleContext& context) {
  const GpuTuning& tuning = context.tuning.gpu;
  if (!context.hasSizes) {
    return false;
  }
  if (isRun(shape)) {
    return shape.reduced <= tuning.elementsOfOneThread && !vectors.alignsRows &&
           !writesReducedRows(shape, summary, context);
  }
  return shape.isInner ? ceilDiv(shape.reduced, vectors.width) <= tuning.vectorsOfOneThread
                       : vectors.width == 1 && shape.reduced <= tuning.outerReductionUnroll;
}

bool hasExponentials(const FusionSummary& whole) {
  return std::ranges::any_of(whole.exprs(), [](const Expr* expr) {
    const auto* reduction = expr->as<ReductionOp>();
    return reduction != nullptr && reduction->type() == BinaryOpType::MergeExponentials;
  });
}

// `threads` for each row, or a part of a warp, as far as that reads whole lines and the device is
// busy, if that leaves clearly fewer threads of warps without a vector: they take as long as
// others.
int64_t fewerThreads(int64_t threads, int64_t vectors, const ReductionShape& shape,
                     const ScheduleContext& context) {
  const GpuTuning& tuning = context.tuning.gpu;
  const int64_t ofWarp = context.target.gpu.warpSize;
  const auto taken = [&](int64_t count) {
    const int64_t together = std::min(count, ofWarp);
    return static_cast<double>(ceilDiv(vectors, together) * together);
  };
  for (int64_t fewer = ofWarp / 2;
       fewer * tuning.vectorBytes >= tuning.lineBytes && shape.kept * fewer >= busyThreads(context);
       fewer /= 2) {
    if (fewer < threads && taken(fewer) < (1 - tuning.idleLanes) * taken(threads)) {
      threads = fewer;
    }
  }
  return threads;
}

void chooseThreads(const ReductionShape& shape, const FusionSummary& summary,
                   const ScheduleContext& context, GpuInnerReductionParams& params) {
  const GpuTuning& tuning = context.tuning.gpu;
  const GpuProperties& device = context.target.gpu;
  const int64_t vectors = vectorsOf(shape.reduced, params.vectors);
  if (isOfOneThread(shape, params.vectors, summary, context)) {
    params.threadsX = 1;
    params.threadsY = std::min(tuning.outerReductionThreads, powerOfTwoFrom(shape.kept));
    params.unroll = vectors;
    return;
  }
  if (context.hasSizes && isRun(shape) && vectors <= device.warpSize) {
    params.unroll =
        writesReducedRows(shape, summary, context)
            ? 1
            : vectorsOfShortRows(shape, params.vectors, tuning.reductionBytesInFlight, context);
    params.threadsX = powerOfTwoFrom(ceilDiv(vectors, params.unroll));
    params.threadsY =
        std::min(tuning.innerReductionThreadsLeast / params.threadsX, powerOfTwoFrom(shape.kept));
    return;
  }
  // Threads that combine exponentials take functions for that: fewer threads, each with more. Other
  // functions are waited for longer than memory: more threads, with fewer registers each.
  const bool combinesFunctions = summary.fact(hasExponentials);
  const bool waitsForFunctions =
      isLong(summary, context) && summary.evaluatesFunction() && !combinesFunctions;
  int64_t mostAtOnce = waitsForFunctions ? tuning.longReductionUnroll
                                         : mostUnroll(params.vectors.width * shape.bytes, tuning);
  // Few rows leave most of the device idle: then what counts is how long one takes.
  const bool areFew = shape.kept < device.multiprocessors;
  // Short rows are reduced by parts of a warp.
  const int64_t least = std::min(device.warpSize, powerOfTwoFrom(vectors));
  const int64_t ofEach = combinesFunctions ? mostAtOnce : 2;
  params.threadsX = std::clamp(powerOfTwoFrom(areFew ? vectors : ceilDiv(vectors, ofEach)), least,
                               tuning.innerReductionThreads);
  if (!areFew && mostAtOnce > tuning.reductionUnroll) {
    const int64_t enough = powerOfTwoFrom(vectors / (2 * mostAtOnce) + 1) / 2;
    params.threadsX =
        std::min(params.threadsX, std::max(enough, tuning.innerReductionThreadsLeast));
  }
  // One round of the largest block, even if it is a little more than that, beats several rounds.
  const int64_t ofLargest = ceilDiv(vectors, tuning.innerReductionThreads);
  bool isOneRound =
      !areFew && ofLargest >= mostAtOnce &&
      static_cast<double>(ofLargest) <= tuning.oneRoundSlack * static_cast<double>(mostAtOnce);
  if (isOneRound) {
    params.threadsX = powerOfTwoFrom(ceilDiv(vectors, ofLargest));
  }
  // A warp for each row, if that leaves fewer threads without a vector.
  const int64_t ofWarp = ceilDiv(vectors, device.warpSize);
  if (context.hasSizes && !combinesFunctions && ofWarp <= mostAtOnce &&
      shape.kept * device.warpSize >= busyThreads(context) &&
      ofWarp * device.warpSize < ceilDiv(vectors, params.threadsX) * params.threadsX) {
    params.threadsX = device.warpSize;
  }
  if (!combinesFunctions && isComputed(shape.kept * shape.reduced, summary, context)) {
    const int64_t fewer = fewerThreads(params.threadsX, vectors, shape, context);
    isOneRound = isOneRound && fewer == params.threadsX;
    params.threadsX = fewer;
  }
  params.threadsY =
      std::min(std::max<int64_t>(1, tuning.innerReductionThreadsLeast / params.threadsX),
               powerOfTwoFrom(shape.kept));
  if (combinesFunctions) {
    mostAtOnce = std::max(mostAtOnce, tuning.exponentialsUnroll);
  }
  // As much in every round: a rest would take as long as a whole one.
  const int64_t ofThread = ceilDiv(vectors, params.threadsX);
  params.unroll = isOneRound ? ofThread : ceilDiv(ofThread, ceilDiv(ofThread, mostAtOnce));
  const int64_t blocks = ceilDiv(shape.kept, params.threadsY);
  const int64_t rounds = ceilDiv(vectors, params.threadsX * params.unroll);
  const int64_t atATime =
      blocksAtATime(context, tuning.innerReductionThreads, tuning.registersOfThread);
  const int64_t wanted = ceilDiv(tuning.reductionWaves * atATime, blocks);
  if (blocks < atATime && rounds > tuning.roundsOfOneBlock) {
    params.parts = partsOfEqualRounds(
        rounds, std::min({powerOfTwoFrom(wanted), rounds, tuning.reductionParts}));
  }
}

// [kept / y, y, (parts), serial, unroll, x, vector]
Arrangement arrangeRows(TensorView* reference, const GpuInnerReductionParams& params, Leads leads) {
  const int64_t position = mergeKinds(reference, false, leads);
  Arrangement arrangement;
  std::vector<ParallelType>& types = arrangement.types;
  int64_t row = 0;
  if (position == 1) {
    if (params.vectors.alignsRows) {
      reference->alignRows(0, 1, params.vectors.width);
    }
    types.push_back(ParallelType::GridX);
    ++row;
    if (params.threadsY > 1) {
      reference->split(0, params.threadsY);
      types.push_back(ParallelType::BlockY);
      ++row;
    }
  }
  reference->split(row, params.vectors.width);
  divideLoop(reference, row, params.threadsX, params.isExact);
  divideLoop(reference, row, params.unroll, params.isExact);
  if (params.parts > 1) {
    // Blocks take turns: together they move through memory in one direction.
    divideLoop(reference, row, params.parts, params.isExact);
    reference->reorder({{row, row + 1}});
    arrangement.partLoop = row;
    types.push_back(ParallelType::GridY);
  }
  types.insert(types.end(), {ParallelType::Serial, ParallelType::Unroll, ParallelType::BlockX,
                             ParallelType::Vectorize});
  return arrangement;
}

// Of pairs of rows, which are read once for each of the others: from the L1 cache, whole lines at a
// time, as far as no thread is idle for that.
GpuInnerReductionParams paramsOfPairs(const ReductionShape& shape, const FusionSummary& summary,
                                      const ScheduleContext& context) {
  const GpuTuning& tuning = context.tuning.gpu;
  GpuInnerReductionParams params = innerReductionParams(shape, false, summary, context);
  params.inputsLead = true;
  params.readOnce = {};
  while (params.threadsX < tuning.lineBytes / tuning.vectorBytes && params.unroll % 2 == 0 &&
         params.threadsY > 1) {
    params.threadsX *= 2;
    params.threadsY /= 2;
    params.unroll /= 2;
  }
  return params;
}

class InnerReduction : public GpuScheduler<GpuInnerReductionParams> {
 public:
  InnerReduction() : GpuScheduler(SchedulerType::Reduction) {}
  std::string reject(const FusionSummary& summary) const override {
    return rejectReductions(summary, type());
  }

 private:
  std::vector<GpuInnerReductionParams> choose(const FusionSummary& summary,
                                              const ScheduleContext& context) const override {
    const ReductionShape shape = shapeOfReduction(summary, context);
    if (readsRows(shape, summary, context)) {
      return {paramsOfPairs(shapeOfReduction(summary, context, Leads::Inputs), summary, context)};
    }
    if (!shape.isInner &&
        !isOfOneThread(shape, chooseVectors(shape.inner, summary, context), summary, context)) {
      return {};
    }
    return {innerReductionParams(shape, false, summary, context)};
  }
  void schedule(Fusion* fusion, const GpuInnerReductionParams& params) const override {
    scheduleReduction(fusion, innerReductionLoops(params), params.readOnce);
  }
};

}  // namespace

GpuInnerReductionParams innerReductionParams(const ReductionShape& shape, bool isPersistent,
                                             const FusionSummary& summary,
                                             const ScheduleContext& context) {
  GpuInnerReductionParams params;
  if (!isPersistent && isRun(shape)) {
    params.vectors = chooseVectorsOfRows(shape.inner, summary, context);
    chooseThreads(shape, summary, context, params);
  }
  // Parts that blocks reduce begin where loops begin, not where memory does: then vectors are worth
  // more than parts where there is a row for each multiprocessor.
  if (params.vectors.alignsRows && shape.kept >= context.target.gpu.multiprocessors) {
    params.parts = 1;
  }
  if (!params.vectors.alignsRows || params.parts > 1) {
    params = {};
    params.vectors = chooseVectors(shape.inner, summary, context);
    shareShortRows(shape, context, params.vectors);
    if (shape.kept < context.target.gpu.multiprocessors &&
        hasLoadsApart(shape.inner, params.vectors, summary, context)) {
      // Few multiprocessors take longer for these than memory does.
      params.vectors = {};
    }
    chooseThreads(shape, summary, context, params);
  }
  params.combiningThreads = context.target.gpu.threadsPerBlock / 2;
  params.isExact =
      context.hasSizes && !isPersistent &&
      vectorsOf(shape.reduced, params.vectors) % (params.threadsX * params.unroll * params.parts) ==
          0;
  // Nothing of rows that are read once need stay in the cache.
  params.readOnce = chooseReadOnce(
      isPersistent ? evictionOfPersistent(summary, context) : Eviction::First, summary, context);
  return params;
}

ReductionLoops innerReductionLoops(const GpuInnerReductionParams& params, Leads leads) {
  const Leads ofRows = params.inputsLead ? Leads::InputsWhereReduced : leads;
  return {.arrange = [params, ofRows](TensorView* tv) { return arrangeRows(tv, params, ofRows); },
          .vectors = params.vectors,
          .mergesAtOnce = params.isExact && params.unroll > 1 && !params.vectors.alignsRows,
          .parts = params.parts,
          .combiningThreads = params.combiningThreads / params.threadsY};
}

}  // namespace gpu

const Scheduler* gpuInnerReduction() {
  static const gpu::InnerReduction scheduler;
  return &scheduler;
}

}  // namespace nvfuser::schedulers
