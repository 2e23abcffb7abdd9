#include "schedule/heuristics/gpu/reduction.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "schedule/heuristics/gpu/common.h"
#include "schedule/heuristics/gpu/pointwise.h"
#include "schedule/heuristics/moments.h"
#include "schedule/heuristics/reductions.h"
#include "schedule/heuristics/references.h"
#include "schedule/propagate.h"

namespace nvfuser::heuristics {

namespace {

constexpr int64_t kWarp = 32;
constexpr int64_t kMaxThreads = 1024;
// Threads of a block that reduces without keeping anything.
constexpr int64_t kReductionThreads = 256;
constexpr int64_t kInnerThreads = 512;
constexpr int64_t kReductionUnroll = 4;
// What a thread of such a block reads before it waits, where vectors are narrow: so many bytes in
// so many accesses.
constexpr int64_t kReductionBytes = 32;
constexpr int64_t kMaxReductionUnroll = 16;
constexpr int64_t kWideAccess = 16;
// Rows of a column that one block reduces rather than several and another kernel.
constexpr int64_t kRowsOfOneBlock = 256;
// Vectors of a row of these: a line of memory.
constexpr int64_t kNarrowThreads = 8;
// Threads of a block that holds several rows.
constexpr int64_t kShortRowThreads = 64;
constexpr int64_t kThreadsOfShortRows = 128;
// Such rows that a thread reads before it waits, where there are blocks enough.
constexpr int64_t kShortRowsOfThread = 2;
// What a thread reads of a row before it waits.
constexpr int64_t kBytesInFlight = 128;
// What the threads of a block may keep in registers, in bytes for each thread.
constexpr int64_t kKeptBytes = 384;
constexpr int64_t kKeptBytesOfLargeBlock = 128;
// Parts of a reduction among blocks: their results are combined by one block.
constexpr int64_t kMaxSplits = 256;

struct Shape {
  int64_t kept = 1;
  int64_t reduced = 1;
  // Whether what is reduced is the same in every run.
  bool isStatic = true;
};

Shape shapeOf(const TensorView* reference, const ScheduleContext& context) {
  Shape shape;
  for (const IterDomain* id : reference->logical()) {
    if (!id->isBroadcast()) {
      (id->isReduction() ? shape.reduced : shape.kept) *= context.extent(id->extent());
      shape.isStatic = shape.isStatic && (!id->isReduction() || id->extent()->isConstInt());
    }
  }
  return shape;
}

// Whether a part of a warp has each row, rather than whole warps.
bool hasShortRows(const GpuParams& gpu) { return gpu.batches > 0 && gpu.threadsX < kWarp; }

// Threads and vectors for rows that are kept in registers. Returns false for rows too long.
bool chooseBatches(const Shape& shape, int64_t bytes, const ScheduleContext& context,
                   GpuParams& gpu) {
  const int64_t vectors = ceilDiv(shape.reduced, gpu.vectorWidth);
  if (shape.isStatic && vectors < kWarp) {
    // Known rows that a part of a warp holds: a block has as many as make it a whole one.
    gpu.batches = 1;
    gpu.threadsX = powerOfTwoFrom(vectors);
    gpu.threadsY = std::min(kThreadsOfShortRows / gpu.threadsX, powerOfTwoFrom(shape.kept));
    if (shape.kept / (gpu.threadsY * kShortRowsOfThread) >=
        8 * context.target.gpu.multiprocessors) {
      gpu.unroll = kShortRowsOfThread;
    }
    gpu.isExact = hasShortRows(gpu) && shape.kept % (gpu.threadsY * gpu.unroll) == 0;
    return true;
  }
  const int64_t bytesOfVector = gpu.vectorWidth * bytes;
  // Several loads in flight for each thread, and no more threads than that leaves work for:
  // measured on an H200, 128 bytes are 2 to 6 % faster than 64. Few rows leave most of the device
  // idle: then what counts is how long one takes.
  const bool areFew = shape.kept < context.target.gpu.multiprocessors;
  gpu.batches = areFew ? 1 : std::clamp<int64_t>(kBytesInFlight / bytesOfVector, 1, 8);
  gpu.batches = std::min(gpu.batches, ceilDiv(vectors, kWarp));
  while (ceilDiv(vectors, gpu.batches) > kMaxThreads / 2 &&
         2 * gpu.batches * bytesOfVector <= kKeptBytesOfLargeBlock) {
    gpu.batches *= 2;
  }
  gpu.batches = std::max(gpu.batches, ceilDiv(vectors, kMaxThreads));
  gpu.threadsX = ceilDiv(ceilDiv(vectors, gpu.batches), kWarp) * kWarp;
  const int64_t limit = gpu.threadsX > kMaxThreads / 2 ? kKeptBytesOfLargeBlock : kKeptBytes;
  // Besides the inputs, a value in single precision.
  if (gpu.batches * (bytesOfVector + gpu.vectorWidth * 4) > limit) {
    return false;
  }
  // Rows that are enough work for a warp are blocks of their own: none waits for another one.
  const bool isOwnBlock = gpu.batches * bytesOfVector >= kBytesInFlight / 2;
  gpu.threadsY = isOwnBlock ? 1 : std::max<int64_t>(1, kShortRowThreads / gpu.threadsX);
  gpu.threadsY = std::min(gpu.threadsY, powerOfTwoFrom(shape.kept));
  // Kernels are compiled for the power of two above.
  gpu.threadsX = powerOfTwoFrom(gpu.threadsX);
  gpu.isLatencyBound = areFew;
  gpu.isExact = vectors % (gpu.batches * kWarp) == 0;
  return true;
}

// Accesses of so many bytes that a thread issues before it waits for the first.
int64_t mostUnroll(int64_t bytesOfAccess) {
  return std::clamp(kReductionBytes / bytesOfAccess, kReductionUnroll, kMaxReductionUnroll);
}

// The fewest parts with which no block has more rounds than with so many.
int64_t partsOfEqualRounds(int64_t rounds, int64_t parts) {
  return ceilDiv(rounds, ceilDiv(rounds, parts));
}

void chooseInner(const Shape& shape, int64_t bytes, const ScheduleContext& context,
                 GpuParams& gpu) {
  const int64_t vectors = ceilDiv(shape.reduced, gpu.vectorWidth);
  const int64_t mostAtOnce = mostUnroll(gpu.vectorWidth * bytes);
  // Few rows leave most of the device idle: then what counts is how long one takes.
  const bool areFew = shape.kept < context.target.gpu.multiprocessors;
  gpu.threadsX =
      std::clamp(powerOfTwoFrom(areFew ? vectors : ceilDiv(vectors, 2)), kWarp, kInnerThreads);
  if (!areFew && mostAtOnce > kReductionUnroll) {
    const int64_t enough = powerOfTwoFrom(vectors / (2 * mostAtOnce) + 1) / 2;
    gpu.threadsX = std::min(gpu.threadsX, std::max<int64_t>(enough, 4 * kWarp));
  }
  // One round of the largest block, even if it is a little more than that, beats several rounds.
  const int64_t ofLargest = ceilDiv(vectors, kInnerThreads);
  const bool isOneRound = !areFew && ofLargest >= mostAtOnce && 4 * ofLargest <= 5 * mostAtOnce;
  if (isOneRound) {
    gpu.threadsX = kInnerThreads;
  }
  gpu.threadsY = std::min(std::max<int64_t>(1, 128 / gpu.threadsX), powerOfTwoFrom(shape.kept));
  // As much in every round: a rest would take as long as a whole one.
  const int64_t ofThread = ceilDiv(vectors, gpu.threadsX);
  gpu.unroll = isOneRound ? ofThread : ceilDiv(ofThread, ceilDiv(ofThread, mostAtOnce));
  const int64_t blocks = ceilDiv(shape.kept, gpu.threadsY);
  const int64_t rounds = ceilDiv(vectors, gpu.threadsX * gpu.unroll);
  const int64_t wanted = ceilDiv(8 * context.target.gpu.multiprocessors, blocks);
  if (blocks < 2 * context.target.gpu.multiprocessors && rounds >= 2) {
    gpu.splits = partsOfEqualRounds(rounds, std::min({powerOfTwoFrom(wanted), rounds, kMaxSplits}));
  }
}

void chooseOuter(const Shape& shape, int64_t columns, int64_t bytes, const ScheduleContext& context,
                 GpuParams& gpu) {
  const int64_t vectors = ceilDiv(columns, gpu.vectorWidth);
  gpu.threadsX = std::min(kWarp, powerOfTwoFrom(vectors));
  const auto blocksOf = [&] { return shape.kept / columns * ceilDiv(vectors, gpu.threadsX); };
  const bool inOneKernel =
      shape.reduced <= kRowsOfOneBlock && blocksOf() < context.target.gpu.multiprocessors;
  if (inOneKernel) {
    gpu.threadsX = std::min(gpu.threadsX, kNarrowThreads);
  }
  gpu.threadsY = std::min(kReductionThreads / gpu.threadsX, powerOfTwoFrom(shape.reduced));
  const int64_t bytesOfAccess = gpu.vectorWidth * bytes;
  gpu.unroll = std::clamp<int64_t>(shape.reduced / gpu.threadsY, 1,
                                   std::min(mostUnroll(bytesOfAccess), 2 * kReductionUnroll));
  gpu.unroll = powerOfTwoFrom(gpu.unroll + 1) / 2;
  const int64_t blocks = blocksOf();
  const int64_t rounds = ceilDiv(shape.reduced, gpu.threadsY * gpu.unroll);
  // All threads that fit, or half of them.
  const int64_t target = (bytesOfAccess < kWideAccess ? 8 : 4) * context.target.gpu.multiprocessors;
  const int64_t wanted = ceilDiv(target, blocks);
  if (!inOneKernel && blocks < target && rounds >= 2) {
    // Not more than needed: what they leave is combined by few blocks.
    gpu.splits =
        partsOfEqualRounds(rounds, std::min({powerOfTwoFrom(wanted + 1) / 2, rounds, kMaxSplits}));
  }
}

// How rows (`isInner`) or columns are read, of which nothing need stay in the cache. Measured on an
// H200, rows that leave it first take 1 % less, and 12 % where they have no vectors, so that
// different accesses of the same moment share lines of memory; columns 10 to 12 % less up to twice
// the size of the cache, 2 % at four times, but 2 to 4 % more at eight. Rows that are persistent
// are written, too, and had better leave it last if they are many (kTimesOfKept). For short ones
// that is so from twice its size on, and up to its size leaving it first takes 3 % less.
CacheOp cacheOpOfInputs(const Fusion* fusion, bool isPersistent, bool isInner,
                        const ScheduleContext& context, const GpuParams& gpu) {
  constexpr double kTimesOfKeptShortRows = 1.5;
  constexpr double kMostTimesOfStreamed = 5;
  const double times = timesOfCache(fusion, context);
  if (isPersistent) {
    if (hasShortRows(gpu) && times > 0) {
      return times > kTimesOfKeptShortRows ? CacheOp::AllLevels : CacheOp::Streaming;
    }
    return times > kTimesOfKept ? CacheOp::AllLevels : CacheOp::Unspecified;
  }
  const bool hasWholeLines = gpu.vectorized != 0 && gpu.threadsX >= kNarrowThreads;
  return isInner || (hasWholeLines && times < kMostTimesOfStreamed) ? CacheOp::Streaming
                                                                    : CacheOp::Unspecified;
}

}  // namespace

GpuParams gpuReductionParams(Fusion* fusion, SchedulerType type, const ScheduleContext& context) {
  const std::vector<Expr*> exprs = fusion->tensorExprs();
  const DomainClasses classes(exprs);
  TensorView* reference = widestReduction(reductionsOf(exprs));
  const Shape shape = shapeOf(reference, context);
  const InnerGroup inner = innerGroup(reference, classes, context);
  GpuParams params;
  chooseVectors(fusion, inner, classes, context, params);
  const bool isPersistent = type != SchedulerType::Reduction;
  const int64_t bytes = std::max<int64_t>(bytesLoadedFor(fusion, reference), 1);
  // What vectors are chosen along decides about the loops.
  const bool isInner =
      inner.classes.empty() || std::ranges::any_of(reference->logical(), [&](const IterDomain* id) {
        return id->isReduction() && classes.classOf(id) == inner.classes.front();
      });
  if (!isInner) {
    // An access no wider than 16 bytes: every thread accumulates a vector of results.
    params.separateStages = isPersistent;
    chooseOuter(shape, inner.extent, bytes, context, params);
    const GpuParams& gpu = params;
    params.isExact = inner.extent % (gpu.vectorWidth * gpu.threadsX) == 0 &&
                     shape.reduced % (gpu.threadsY * gpu.unroll * gpu.splits) == 0;
    params.isOuterReduction = true;
  } else if (!isPersistent || !chooseBatches(shape, bytes, context, params)) {
    const int64_t vectors = shape.reduced / params.vectorWidth;
    params.batches = 0;
    params.separateStages = isPersistent;
    chooseInner(shape, bytes, context, params);
    params.isExact =
        !isPersistent && vectors % (params.threadsX * params.unroll * params.splits) == 0;
  }
  chooseCacheOp(cacheOpOfInputs(fusion, isPersistent, isInner, context, params), fusion, context,
                params);
  return params;
}

namespace {

// How the loops of a reduction run, outermost first, and which of them divides it among blocks
// (negative for none).
struct Arrangement {
  std::vector<ParallelType> types;
  int64_t partLoop = -1;
};

// Brings the dimensions of `reference` into the order [kept, reduced] or, where a kept dimension is
// innermost in memory, [kept, columns, reduced], merged to one loop each. Returns how many loops
// there are in front of the reduced one.
int64_t mergeKinds(TensorView* reference, bool hasColumns) {
  const DomainClasses classes(reference->fusion()->tensorExprs());
  orderLikeMemory(reference, classes);
  std::vector<int64_t> kept;
  std::vector<int64_t> reduced;
  for (int64_t i = 0; i < reference->nLoops(); ++i) {
    (reference->axis(i)->isReduction() ? reduced : kept).push_back(i);
  }
  std::vector<int64_t> columns;
  if (hasColumns) {
    columns = takeColumns(reference, kept, classes);
  }
  std::unordered_map<int64_t, int64_t> order;
  int64_t target = 0;
  for (const auto* group : {&kept, &columns, &reduced}) {
    for (int64_t i : *group) {
      order[i] = target++;
    }
  }
  // What is contiguous in memory becomes one dimension first: that makes indexing cheap.
  std::vector<std::pair<int64_t, int64_t>> ranges;
  int64_t first = 0;
  for (const auto* group : {&kept, &columns, &reduced}) {
    if (!group->empty()) {
      ranges.emplace_back(first, first + static_cast<int64_t>(group->size()) - 1);
      first += static_cast<int64_t>(group->size());
    }
  }
  reference->reorder(order);
  for (auto range = ranges.rbegin(); range != ranges.rend(); ++range) {
    const int64_t before = reference->nLoops();
    mergeContiguous(reference, range->first, range->second, classes);
    mergeRange(reference, range->first, range->second - (before - reference->nLoops()));
  }
  return static_cast<int64_t>(ranges.size()) - !reduced.empty();
}

void divideLoop(TensorView* reference, int64_t loop, int64_t factor, bool isExact,
                bool innerSplit = true) {
  if (isExact) {
    reference->fusion()->assumeDivisible(reference->axis(loop)->extent(), factor);
  }
  reference->split(loop, factor, innerSplit);
}

// [kept / y, y, (parts), serial, unroll, x, vector], or [kept / (u y), (u), y, batches, x, vector]
// with the row in registers.
Arrangement arrangeInner(TensorView* reference, const GpuParams& gpu) {
  const int64_t position = mergeKinds(reference, false);
  Arrangement arrangement;
  std::vector<ParallelType>& types = arrangement.types;
  int64_t row = 0;
  // What is exact is the number of short rows, or the length of others.
  const bool areRowsExact = gpu.isExact && hasShortRows(gpu);
  if (position == 1) {
    types.push_back(ParallelType::GridX);
    ++row;
    if (gpu.threadsY > 1) {
      divideLoop(reference, 0, gpu.threadsY, areRowsExact);
      types.push_back(ParallelType::BlockY);
      ++row;
    }
    if (gpu.batches > 0 && gpu.unroll > 1) {
      divideLoop(reference, 0, gpu.unroll, areRowsExact);
      types.insert(types.begin() + 1, ParallelType::Unroll);
      ++row;
    }
  }
  const auto divide = [&](int64_t loop, int64_t factor, bool innerSplit = true) {
    divideLoop(reference, loop, factor, gpu.isExact, innerSplit);
  };
  reference->split(row, gpu.vectorWidth);
  if (gpu.batches > 0) {
    divide(row, gpu.batches, false);
    if (gpu.isExact && !areRowsExact) {
      reference->fusion()->assumeDivisible(reference->axis(row + 1)->extent(), kWarp);
    }
    if (gpu.isLatencyBound) {
      reference->fusion()->assumeAtMost(reference->axis(row + 1)->extent(), gpu.threadsX);
    }
    types.insert(types.end(),
                 {ParallelType::Unroll, ParallelType::BlockX, ParallelType::Vectorize});
    return arrangement;
  }
  divide(row, gpu.threadsX);
  divide(row, gpu.unroll);
  if (gpu.splits > 1) {
    // Blocks take turns: together they move through memory in one direction.
    divide(row, gpu.splits);
    reference->reorder({{row, row + 1}});
    arrangement.partLoop = row;
    types.push_back(ParallelType::GridY);
  }
  types.insert(types.end(), {ParallelType::Serial, ParallelType::Unroll, ParallelType::BlockX,
                             ParallelType::Vectorize});
  return arrangement;
}

// [kept x columns / (x v), (parts), serial, unroll, y, x, vector]
Arrangement arrangeOuter(TensorView* reference, const GpuParams& gpu) {
  const int64_t position = mergeKinds(reference, true);
  Arrangement arrangement;
  std::vector<ParallelType>& types = arrangement.types;
  if (position == 0) {
    return arrangement;
  }
  // [kept, columns, reduced] -> [kept x columns / (x v), reduced, x, v]
  const int64_t column = position - 1;
  reference->split(column, gpu.vectorWidth);
  divideLoop(reference, column, gpu.threadsX, gpu.isExact);
  if (column == 1) {
    reference->merge(0, 1);
  }
  if (reference->nLoops() == 4) {
    reference->reorder({{3, 1}});
    divideLoop(reference, 1, gpu.threadsY, gpu.isExact);
    divideLoop(reference, 1, gpu.unroll, gpu.isExact);
    if (gpu.splits > 1) {
      divideLoop(reference, 1, gpu.splits, gpu.isExact);
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
  return arrangement;
}

class Schedule {
 public:
  Schedule(Fusion* fusion, const GpuParams& params) : fusion_(fusion), gpu_(params) {}

  void run() {
    if (gpu_.separateStages) {
      runStages();
    } else {
      runTogether();
    }
    inlineMost(fusion_, {}, limits_);
  }

 private:
  void runTogether() {
    // The copies come first: what was read once serves all stages.
    copies_ = separateGlobals(fusion_, false, gpu_);
    repeatForResizes(fusion_);
    std::vector<TensorView*> kept;
    if (gpu_.batches > 0) {
      recomputeAcrossStages(fusion_, false, copies_.loads);
      kept = keepForLaterStages(fusion_);
    }
    scheduleReductions(fusion_->tensors(), fusion_->tensorExprs());
    if (gpu_.batches > 0 && !gpu_.isLatencyBound) {
      readLate();
    }
    // What is kept outlives the loops over what is reduced.
    std::ranges::copy_if(copies_.loads, std::back_inserter(kept),
                         [&](const TensorView* load) { return !late_.contains(load); });
    for (const TensorView* tv : kept) {
      const bool isLoad = std::ranges::find(copies_.loads, tv) != copies_.loads.end();
      int64_t position = 0;
      while (position < tv->nLoops() && !tv->axis(position)->isReduction() &&
             (isThreadType(tv->axis(position)->parallelType()) ||
              (!isLoad && gpu_.unroll > 1 && position == 1))) {
        ++position;
      }
      if (gpu_.batches > 0) {
        limits_[tv] = position;
      }
    }
  }

  // What only the last stage needs is read there, vector by vector: held through the reductions it
  // would take registers.
  void readLate() {
    const Stages stages = computeStages(fusion_->tensorExprs());
    const int64_t last = lastStage(stages);
    for (TensorView* load : copies_.loads) {
      if (last == 0 || stages.at(load->definition()) != last) {
        continue;
      }
      for (IterDomain* id : load->loop()) {
        if (id->parallelType() == ParallelType::Unroll && id->extent()->isConstInt(gpu_.batches)) {
          id->parallelize(ParallelType::Serial);
          break;
        }
      }
      late_.insert(load);
    }
  }

  void runStages() {
    combineMoments(fusion_);
    recomputeAcrossStages(fusion_, true);
    copies_ = separateGlobals(fusion_, true, gpu_);
    Stages stages = computeStages(fusion_->tensorExprs());
    readResultsOfStages(stages);
    const int64_t last = lastStage(stages);
    for (int64_t stage = 0; stage <= last; ++stage) {
      const std::vector<TensorView*> tensors = tensorsOfStage(stages, stage);
      std::vector<Expr*> own;
      for (TensorView* tv : tensors) {
        own.push_back(tv->definition());
      }
      if (!reductionsOf(own).empty()) {
        scheduleReductions(tensors, own);
      } else {
        schedulePointwiseStage(tensors);
      }
    }
  }

  // Stages are kernels of their own: what an earlier one computed is read from memory like an
  // input.
  void readResultsOfStages(Stages& stages) {
    for (Expr* expr : fusion_->tensorExprs()) {
      TensorView* tv = expr->output(0)->asTensor();
      std::map<int64_t, std::vector<Expr*>> usesOfStage;
      for (Expr* use : tv->uses()) {
        if (stages.contains(use) && stages.at(use) > stages.at(expr)) {
          usesOfStage[stages.at(use)].push_back(use);
        }
      }
      for (const auto& [stage, uses] : usesOfStage) {
        copies_.loads.push_back(tv->cacheAfter(LoadStoreOpType::Set, CacheOp::Unspecified, uses));
        copies_.number[copies_.loads.back()] = GlobalCopies::kWorkspace;
        stages[copies_.loads.back()->definition()] = stage;
        limits_[tv] = 0;
      }
    }
  }

  void schedulePointwiseStage(const std::vector<TensorView*>& tensors) {
    const std::vector<TensorView*> outputs = outputsAmong(tensors);
    GpuParams gpu = gpu_;
    // The rows of a block share what was reduced along them.
    const int64_t threads = kReductionThreads;
    if (gpu.threadsX * gpu.threadsY > threads) {
      gpu.threadsY = std::max<int64_t>(1, threads / gpu.threadsX);
    }
    // What is computed along more dimensions than the outputs have decides about the loops.
    TensorView* reference = widestOutput(tensors);
    if (!outputs.empty() && concreteRank(widestOutput(outputs)) == concreteRank(reference)) {
      reference = widestOutput(outputs);
    }
    scheduleGpuPointwiseAround(reference, gpu, tensors, copies_);
  }

  // To see what transforms of one tensor have reached.
  using Loops = std::map<const TensorView*, std::vector<IterDomain*>>;
  static Loops loopsOf(const std::vector<TensorView*>& tensors) {
    Loops loops;
    for (const TensorView* tv : tensors) {
      loops[tv] = tv->loop();
    }
    return loops;
  }

  // Reductions that are computed from different tensors share no loops: one group of them after the
  // other.
  void scheduleReductions(std::vector<TensorView*> tensors, const std::vector<Expr*>& exprs) {
    std::vector<TensorView*> reductions = reductionsOf(exprs);
    // As the parameters were chosen: the copies made since may look different.
    const bool isInner = !gpu_.isOuterReduction;
    while (!reductions.empty()) {
      TensorView* reference = widestReduction(reductions);
      const Loops before = loopsOf(tensors);
      const Arrangement arrangement =
          isInner ? arrangeInner(reference, gpu_) : arrangeOuter(reference, gpu_);
      propagateTransforms(reference, tensors);
      const auto isReached = [&](const TensorView* tv) {
        return tv == reference || tv->loop() != before.at(tv);
      };
      std::vector<TensorView*> group;
      std::ranges::copy_if(reductions, std::back_inserter(group), isReached);
      std::vector<TensorView*> others;
      std::ranges::remove_copy_if(tensors, std::back_inserter(others), isReached);
      std::erase_if(reductions, isReached);
      if (arrangement.partLoop < 0) {
        parallelizeForGpu(reference, arrangement.types, tensors, copies_, gpu_);
      } else {
        scheduleParts(group, tensors, arrangement, isInner);
      }
      if (gpu_.isExact && gpu_.unroll > 1) {
        mergeAtOnce(arrangement);
      }
      tensors = std::move(others);
    }
  }

  // Merging moments divides by the number of values. Those of rows that a thread reads at once are
  // merged with each other first: their number is known.
  void mergeAtOnce(const Arrangement& arrangement) {
    const auto unroll = std::ranges::find(arrangement.types, ParallelType::Unroll);
    const int64_t position = unroll - arrangement.types.begin();
    for (const Expr* expr : fusion_->tensorExprs()) {
      const auto* reduction = expr->as<ReductionOp>();
      if (reduction != nullptr && reduction->type() == BinaryOpType::MergeMoments &&
          reduction->out()->nLoops() == static_cast<int64_t>(arrangement.types.size()) &&
          reduction->out()->axis(position)->isReduction()) {
        reduction->out()->rFactor({position});
      }
    }
  }

  // Blocks reduce a part each; then the parts are reduced.
  void scheduleParts(const std::vector<TensorView*>& reductions,
                     const std::vector<TensorView*>& tensors, const Arrangement& arrangement,
                     bool isInner) {
    const std::unordered_set<const TensorView*> operands = operandsOf(reductions);
    std::vector<TensorView*> inside;
    std::vector<TensorView*> behind;
    for (TensorView* tv : tensors) {
      if (tv->isFusionInput()) {
        continue;
      }
      const bool isReduction = std::ranges::find(reductions, tv) != reductions.end();
      (isReduction || !operands.contains(tv) ? behind : inside).push_back(tv);
    }
    const std::vector<TensorView*> partials = factorParts(reductions, arrangement.partLoop, inside);
    for (const TensorView* tv : partials) {
      limits_[tv] = 0;
    }
    const auto local = std::ranges::find_if(inside, [&](const TensorView* tv) {
      return tv->hasReduction() && tv->nLoops() == static_cast<int64_t>(arrangement.types.size());
    });
    parallelizeForGpu(*local, arrangement.types, inside, copies_, gpu_);
    // The loops that the reductions still have: what they keep, and the parts.
    if (!isInner) {
      narrowBlocks(reductions, arrangement.partLoop, behind);
    }
    std::vector<ParallelType> types(arrangement.types.begin(),
                                    arrangement.types.begin() + arrangement.partLoop);
    if (isInner) {
      types.push_back(ParallelType::BlockX);
    } else {
      types.insert(types.end(), {ParallelType::BlockY, ParallelType::GridY, ParallelType::BlockX});
    }
    const int64_t threads =
        kMaxThreads / 2 / (isInner ? gpu_.threadsY : gpu_.vectorWidth * columnsOfCombining());
    if (gpu_.splits > threads) {
      for (TensorView* tv : reductions) {
        tv->split(arrangement.partLoop, threads);
      }
      types.insert(types.begin() + arrangement.partLoop, ParallelType::Serial);
    }
    for (TensorView* tv : reductions) {
      parallelizeForGpu(tv, types, behind, copies_, gpu_);
    }
  }

  // Vectors of columns of a block that combines parts: the more parts there are of them, the fewer
  // columns there are, and the fewer of these a block takes. So there are about as many blocks as
  // computed the parts.
  int64_t columnsOfCombining() const {
    return std::max<int64_t>(gpu_.threadsX / std::max<int64_t>(gpu_.splits / 4, 1), 1);
  }

  // [.., parts, x, vector] -> [.., parts, blocks, threads]. Reductions that are combined need not
  // have anything to do with each other any more.
  void narrowBlocks(const std::vector<TensorView*>& reductions, int64_t partLoop,
                    const std::vector<TensorView*>& behind) const {
    const Loops before = loopsOf(reductions);
    for (TensorView* tv : reductions) {
      if (tv->loop() == before.at(tv)) {
        tv->split(partLoop + 1, columnsOfCombining());
        tv->merge(partLoop + 2, partLoop + 3);
        propagateTransforms(tv, behind);
      }
    }
  }

  // What reductions are computed from, but nothing that is behind another reduction.
  static std::unordered_set<const TensorView*> operandsOf(
      const std::vector<TensorView*>& reductions) {
    std::unordered_set<const TensorView*> operands;
    std::vector<const TensorView*> stack(reductions.begin(), reductions.end());
    while (!stack.empty()) {
      const TensorView* tv = stack.back();
      stack.pop_back();
      const Expr* definition = tv->definition();
      if (definition == nullptr || (definition->is<ReductionOp>() &&
                                    std::ranges::find(reductions, tv) == reductions.end())) {
        continue;
      }
      for (const Val* in : definition->inputs()) {
        if (in->isTensor() && operands.insert(in->asTensor()).second) {
          stack.push_back(in->asTensor());
        }
      }
    }
    return operands;
  }

  Fusion* fusion_;
  const GpuParams& gpu_;
  GlobalCopies copies_;
  std::set<const TensorView*> late_;
  std::unordered_map<const TensorView*, int64_t> limits_;
};

}  // namespace

void scheduleGpuReduction(Fusion* fusion, const GpuParams& params) {
  Schedule(fusion, params).run();
}

}  // namespace nvfuser::heuristics
