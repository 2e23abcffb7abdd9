// Normalizations of rows that the threads of a block keep in registers.
#include <algorithm>
#include <functional>

#include "schedule/schedulers/gpu/reductions.h"

namespace nvfuser::schedulers {

namespace gpu {

namespace {

// Whether each row has a part of a warp, or a warp with a vector in each thread.
bool hasShortRows(const GpuInnerPersistentParams& params) {
  return params.threadsX < params.warpSize ||
         (params.threadsX == params.warpSize && params.batches == 1);
}

void chooseShortRows(const ReductionShape& shape, const ScheduleContext& context,
                     GpuInnerPersistentParams& params) {
  const GpuTuning& tuning = context.tuning.gpu;
  params.batches = vectorsOfShortRows(shape, params.vectors, tuning.vectorBytes, context);
  // A block has as many of them as make whole warps.
  params.threadsX =
      powerOfTwoFrom(ceilDiv(vectorsOf(shape.reduced, params.vectors), params.batches));
  params.threadsY = std::min(tuning.shortRowThreads / params.threadsX, powerOfTwoFrom(shape.kept));
  if (shape.kept / (params.threadsY * tuning.shortRowsOfThread) >=
      tuning.shortRowWaves *
          blocksAtATime(context, tuning.shortRowThreads, tuning.registersOfThread)) {
    params.unroll = tuning.shortRowsOfThread;
  }
  params.isExact = hasShortRows(params) && shape.kept % (params.threadsY * params.unroll) == 0;
}

// What threads of a row access at once. In long rows those of a warp lie side by side in memory,
// with nothing of their neighbours in between.
GpuVectors vectorsOfRow(const ReductionShape& shape, const FusionSummary& summary,
                        const ScheduleContext& context, bool mayAlign) {
  const auto choose = [&](const ScheduleContext& of) {
    return mayAlign ? vectorsOfRows(shape, summary, of) : chooseVectors(shape.inner, summary, of);
  };
  const GpuVectors vectors = choose(context);
  if (vectorsOf(shape.reduced, vectors) <= context.target.gpu.warpSize) {
    return vectors;
  }
  ScheduleContext ofRows = context;
  ofRows.tuning.gpu.accessesOfVector = context.tuning.gpu.rowAccessesOfVector;
  return choose(ofRows);
}

// Vectors of a row for each thread, about `batches`, which leave the fewest threads of whole warps
// without one; that `fits`.
int64_t batchesOfWholeWarps(int64_t vectors, int64_t batches,
                            const std::function<bool(int64_t)>& fits, const GpuProperties& device) {
  int64_t best = 0;
  int64_t fewest = 0;
  const auto consider = [&](int64_t count) {
    // No more than so many whole warps need.
    const int64_t threads = threadsFor(vectors, count, device);
    const int64_t needed = ceilDiv(vectors, threads);
    if (threads <= device.threadsPerBlock && fits(needed) &&
        (best == 0 || needed * threads < fewest)) {
      best = needed;
      fewest = needed * threads;
    }
  };
  consider(batches);
  for (int64_t count = batches + 1; count > batches / 2; --count) {
    consider(count);
  }
  return best == 0 ? batches : best;
}

// Threads and vectors for rows whose persistent buffers are registers. Returns false for rows too
// long.
bool chooseBatches(const ReductionShape& shape, const ScheduleContext& context,
                   GpuInnerPersistentParams& params) {
  const GpuTuning& tuning = context.tuning.gpu;
  const GpuProperties& device = context.target.gpu;
  const int64_t width = params.vectors.width;
  const int64_t vectors = vectorsOf(shape.reduced, params.vectors);
  const int64_t half = device.threadsPerBlock / 2;
  if (context.hasSizes && vectors <= device.warpSize) {
    chooseShortRows(shape, context, params);
    return true;
  }
  const int64_t bytesOfVector = width * shape.bytes;
  // Several loads in flight for each thread, and no more threads than that leaves work for. Few
  // rows leave most of the device idle: then what counts is how long one takes.
  const bool areFew = shape.kept < device.multiprocessors;
  int64_t batches = areFew ? 1
                           : std::clamp<int64_t>(tuning.persistentBytesInFlight / bytesOfVector, 1,
                                                 tuning.persistentVectors);
  batches = std::min(batches, ceilDiv(vectors, device.warpSize));
  const int64_t running = busyThreads(context);
  if (context.hasSizes) {
    // A part of the threads that a device runs have something to do before each has more. Single
    // elements are less than that.
    const int64_t least = std::max<int64_t>(tuning.elementsOfRowThread / width, 1);
    batches = std::min(batches, std::max(shape.kept * vectors / running, least));
  }
  // A warp for each row waits for no other one.
  const int64_t ofWarp = ceilDiv(vectors, device.warpSize);
  if (context.hasSizes && ofWarp <= tuning.vectorsOfWarpRows &&
      shape.kept * device.warpSize * tuning.warpRowsShare >= threadsAtATime(context)) {
    batches = std::max(batches, ofWarp);
  }
  while (ceilDiv(vectors, batches) > half &&
         2 * batches * bytesOfVector <= tuning.persistentBytesOfLargeBlock) {
    batches *= 2;
  }
  batches = std::max(batches, ceilDiv(vectors, device.threadsPerBlock));
  // Besides the inputs, a value in single precision. Of a single element of that size it takes the
  // place, one after the other.
  const int64_t bytesOfValues =
      width * int64_t{sizeof(float)} / (shape.bytes == int64_t{sizeof(float)} ? 2 : 1);
  const auto fits = [&](int64_t count) {
    const int64_t limit = threadsFor(vectors, count, device) > half
                              ? tuning.persistentBytesOfLargeBlock
                              : tuning.persistentBytes;
    return count * (bytesOfVector + bytesOfValues) <= limit;
  };
  if (!fits(batches)) {
    // Threads of a smaller block have more registers each.
    batches = std::max(batches, ceilDiv(vectors, half));
  }
  if (!fits(batches)) {
    return false;
  }
  batches = batchesOfWholeWarps(vectors, batches, fits, device);
  params.batches = batches;
  const int64_t threads = threadsFor(vectors, batches, device);
  // Rows that are enough work for a warp are blocks of their own: none waits for another one.
  // Unless these are few: then they begin one after the other nearly as long as they take.
  const bool isOwnBlock =
      batches * bytesOfVector >= tuning.persistentBytesInFlight / 2 &&
      shape.kept > tuning.wavesOfWarps * device.blocksPerMultiprocessor * device.multiprocessors;
  params.threadsY = isOwnBlock ? 1 : std::max<int64_t>(1, tuning.persistentRowThreads / threads);
  params.threadsY = std::min(params.threadsY, powerOfTwoFrom(shape.kept));
  // Kernels are compiled for the power of two above.
  params.threadsX = powerOfTwoFrom(threads);
  params.hasConstantThreads = context.hasSizes && (areFew || threads == params.threadsX);
  params.isExact = vectors % (batches * device.warpSize) == 0;
  // A block that has a multiprocessor for itself leaves it idle while it waits for its row, and for
  // its threads.
  const int64_t ofBlock = params.threadsX * params.threadsY;
  if (!areFew && ofBlock >= half / 2 && ofBlock <= half &&
      batches * bytesOfVector <= tuning.persistentBytesInFlight) {
    // What was read, and where that is narrower, a value in single precision for each element.
    const bool isNarrow = width * int64_t{sizeof(float)} > tuning.vectorBytes;
    const int64_t words = bytesOfVector / int64_t{sizeof(float)} + (isNarrow ? width : 0);
    const int64_t registers =
        std::max(tuning.registersOfThread, tuning.rowRegisters + batches * words);
    params.minBlocks = device.registersPerMultiprocessor / (ofBlock * registers);
  }
  return true;
}

// Whether what only the last stage needs is read before the first one waits for its rows: where
// there are hardly more blocks than run at a time, nothing else hides that it comes from memory.
bool readsEarly(const ReductionShape& shape, const GpuInnerPersistentParams& params,
                const ScheduleContext& context) {
  const GpuTuning& tuning = context.tuning.gpu;
  const int64_t threads = params.threadsX * params.threadsY;
  const int64_t atATime = blocksAtATime(context, threads, tuning.registersOfThread);
  const int64_t blocks = ceilDiv(shape.kept, params.threadsY * params.unroll);
  return context.hasSizes && blocks <= tuning.earlyWaves * atATime;
}

// Elements that threads of whole warps have registers for.
int64_t elementsHeld(const ReductionShape& shape, const GpuInnerPersistentParams& params,
                     const GpuProperties& device) {
  const int64_t vectors = vectorsOf(shape.reduced, params.vectors);
  const int64_t threads =
      hasShortRows(params) ? params.threadsX : threadsFor(vectors, params.batches, device);
  return params.batches * threads * params.vectors.width;
}

// Functions of each element that take longer than a few instructions.
int64_t functionsOfElement(const FusionSummary& whole) {
  const int64_t rank = concreteRank(whole.widestReduction());
  return std::ranges::count_if(whole.exprs(), [&](const Expr* expr) {
    return evaluatesFunction(expr) && concreteRank(expr->output(0)->asTensor()) >= rank;
  });
}

// Takes narrower vectors where rows leave many threads of a busy device without one: a row of 127
// elements that begins anywhere has up to 33 vectors of four, one more than a warp has threads.
void narrowVectors(const ReductionShape& shape, const FusionSummary& summary,
                   const ScheduleContext& context, GpuInnerPersistentParams& params) {
  const GpuTuning& tuning = context.tuning.gpu;
  const GpuProperties& device = context.target.gpu;
  const int64_t bitsOfVector = 8 * tuning.vectorBytes;
  int64_t bits = bitsOfVector;
  for (size_t i = 0; i < std::min(summary.globals().size(), limits::kNumberedTensors); ++i) {
    if (isVectorizedTensor(params.vectors, i)) {
      bits = std::min<int64_t>(bits, info(summary.globals()[i]->dtype()).bits);
    }
  }
  const int64_t held = elementsHeld(shape, params, device);
  const double least = summary.fact(functionsOfElement) > tuning.fewFunctions
                           ? tuning.heldShareOfFunctions
                           : tuning.heldShare;
  GpuInnerPersistentParams narrower{.vectors = params.vectors, .warpSize = params.warpSize};
  narrower.vectors.width /= 2;
  if (static_cast<double>(shape.reduced) < least * static_cast<double>(held) &&
      2 * narrower.vectors.width * bits >= bitsOfVector &&
      shape.kept * device.warpSize >= busyThreads(context) &&
      chooseBatches(shape, context, narrower) && elementsHeld(shape, narrower, device) < held) {
    params = narrower;
  }
}

// How rows that are written, too, are read.
Eviction evictionOf(const GpuInnerPersistentParams& params, const FusionSummary& summary,
                    const ScheduleContext& context) {
  const double times = timesOfCache(summary, context);
  if (hasShortRows(params) && times > 0) {
    return times > context.tuning.gpu.keptTimesOfShortRows ? Eviction::Last : Eviction::First;
  }
  return evictionOfPersistent(summary, context);
}

// [kept / (u y), (u), y, batches, x, vector]
Arrangement arrangeKeptRows(TensorView* reference, const GpuInnerPersistentParams& params) {
  const int64_t position = mergeKinds(reference, false);
  Arrangement arrangement;
  std::vector<ParallelType>& types = arrangement.types;
  int64_t row = 0;
  // What is exact is the number of short rows, or the length of others.
  const bool areRowsExact = params.isExact && hasShortRows(params);
  if (position == 1) {
    if (params.vectors.alignsRows) {
      reference->alignRows(0, 1, params.vectors.width);
    }
    types.push_back(ParallelType::GridX);
    ++row;
    if (params.threadsY > 1) {
      divideLoop(reference, 0, params.threadsY, areRowsExact);
      types.push_back(ParallelType::BlockY);
      ++row;
    }
    if (params.unroll > 1) {
      divideLoop(reference, 0, params.unroll, areRowsExact);
      types.insert(types.begin() + 1, ParallelType::Unroll);
      ++row;
    }
  }
  reference->split(row, params.vectors.width);
  divideLoop(reference, row, params.batches, params.isExact && !areRowsExact, false);
  Val* threads = reference->axis(row + 1)->extent();
  if (params.isExact && !areRowsExact) {
    reference->fusion()->assumeDivisible(threads, params.warpSize);
  }
  // Those of a part of a warp that is no power of two would exchange through shared memory.
  if (params.hasConstantThreads ||
      (hasShortRows(params) && !threads->isConstInt(params.threadsX))) {
    reference->fusion()->assumeAtMost(threads, params.threadsX);
  }
  types.insert(types.end(), {ParallelType::Unroll, ParallelType::BlockX, ParallelType::Vectorize});
  return arrangement;
}

// Of both types of normalizations: the type says which dimension is innermost in the tensor with
// the most dimensions, the loops follow from what can be accessed in vectors.
class InnerPersistent : public GpuScheduler<GpuInnerPersistentParams> {
 public:
  explicit InnerPersistent(SchedulerType type) : GpuScheduler(type) {}
  std::string reject(const FusionSummary& summary) const override {
    return rejectPersistentRows(summary, type());
  }
  int64_t maxThreads(const ScheduleParams& params) const override {
    const auto& values = paramsOf(params);
    return values.threadsX * values.threadsY;
  }
  int64_t minBlocks(const ScheduleParams& params) const override {
    return paramsOf(params).minBlocks;
  }

 private:
  std::vector<GpuInnerPersistentParams> choose(const FusionSummary& summary,
                                               const ScheduleContext& context) const override {
    if (readsAcrossMemory(summary, context)) {
      return {};
    }
    const ReductionShape shape = shapeOfReduction(summary, context);
    const auto params = innerPersistentParams(shape, summary, context, true);
    return params ? std::vector{*params} : std::vector<GpuInnerPersistentParams>{};
  }

  void schedule(Fusion* fusion, const GpuInnerPersistentParams& params) const override {
    schedulePersistent(fusion, innerPersistentLoops(params));
  }
};

}  // namespace

int64_t threadsFor(int64_t vectors, int64_t batches, const GpuProperties& device) {
  return ceilDiv(ceilDiv(vectors, batches), device.warpSize) * device.warpSize;
}

std::optional<GpuInnerPersistentParams> innerPersistentParams(const ReductionShape& shape,
                                                              const FusionSummary& summary,
                                                              const ScheduleContext& context,
                                                              bool mayAlign) {
  GpuInnerPersistentParams params;
  params.warpSize = context.target.gpu.warpSize;
  params.vectors = vectorsOfRow(shape, summary, context, mayAlign);
  if (!params.vectors.alignsRows) {
    shareShortRows(shape, context, params.vectors);
  }
  if (!shape.isInner || !chooseBatches(shape, context, params)) {
    return std::nullopt;
  }
  if (params.vectors.alignsRows) {
    narrowVectors(shape, summary, context, params);
  }
  params.isExact = params.isExact && context.hasSizes;
  params.readsEarly = readsEarly(shape, params, context);
  params.recomputedOps = context.tuning.gpu.recomputedOps;
  params.readOnce = chooseReadOnce(evictionOf(params, summary, context), summary, context);
  return params;
}

PersistentLoops innerPersistentLoops(const GpuInnerPersistentParams& params) {
  return {.loops = {.arrange = [params](TensorView* tv) { return arrangeKeptRows(tv, params); },
                    .vectors = params.vectors,
                    .mergesAtOnce = params.isExact && params.unroll > 1},
          .readOnce = params.readOnce,
          .recomputedOps = params.recomputedOps,
          .batches = params.readsEarly ? 0 : params.batches,
          .unrollsKept = params.unroll > 1};
}

}  // namespace gpu

const Scheduler* gpuInnerPersistent() {
  static const gpu::InnerPersistent scheduler(SchedulerType::InnerPersistent);
  return &scheduler;
}

const Scheduler* gpuInnerPersistentOfOuter() {
  static const gpu::InnerPersistent scheduler(SchedulerType::OuterPersistent);
  return &scheduler;
}

}  // namespace nvfuser::schedulers
