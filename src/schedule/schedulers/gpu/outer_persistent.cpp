// Normalizations of columns that the threads of a block keep in registers.
#include <algorithm>

#include "schedule/schedulers/gpu/reductions.h"

namespace nvfuser::schedulers {

namespace gpu {

namespace {

// X(type, name, default, meaning)
// clang-format off
#define NVF_GPU_OUTER_PERSISTENT_PARAMS(X)                                                        \
  X(GpuVectors, vectors, {}, "of columns")                                                        \
  X(GpuVectors, across, {}, "of inputs whose innermost dimension is the reduced one")             \
  X(GpuReadOnce, readOnce, {}, "in the L2 cache")                                                 \
  X(int64_t, threadsX, 1, "along columns")                                                        \
  X(int64_t, threadsY, 1, "along what is reduced, at most")                                       \
  X(int64_t, batches, 1, "vectors of columns that a thread keeps in registers")                   \
  X(int64_t, recomputedOps, 0, "as of rows in registers")
// clang-format on
struct OuterPersistentParams {
  NVF_FIELDS_OF(OuterPersistentParams, NVF_GPU_OUTER_PERSISTENT_PARAMS)
};

// Besides what is loaded, a value in single precision.
int64_t bytesOfBatch(const ReductionShape& shape, const OuterPersistentParams& params) {
  return params.vectors.width * (shape.bytes + int64_t{sizeof(float)});
}

// The bytes of a row that a block has: a line of memory, or a part of one where the lines are fewer
// than the multiprocessors and no input lies across them. Blocks that share a sector read it from
// the cache, once each: of tensors that are small.
int64_t bytesOfRow(const ReductionShape& shape, const FusionSummary& summary,
                   const ScheduleContext& context) {
  const GpuTuning& tuning = context.tuning.gpu;
  const bool isSmall = shape.kept * shape.reduced * shape.bytes * tuning.fewColumnShare <=
                       context.target.gpu.l2Bytes;
  const int64_t least = isSmall ? tuning.fewColumnBytes : tuning.sectorBytes;
  int64_t bytes = tuning.lineBytes;
  while (summary.crossing().domain == nullptr && bytes > least &&
         ceilDiv(shape.kept * shape.bytes, bytes) < context.target.gpu.multiprocessors) {
    bytes /= 2;
  }
  return bytes;
}

// Of columns that several threads share, each element is a value that they exchange.
GpuVectors chooseVectorsOfColumns(const ReductionShape& shape, const FusionSummary& summary,
                                  const ScheduleContext& context) {
  const GpuTuning& tuning = context.tuning.gpu;
  const int64_t most = areWholeColumns(shape, context)
                           ? tuning.elementsOfVector
                           : std::min(tuning.elementsOfVector, tuning.elementsOfColumnVector);
  return chooseVectors(shape.inner, summary.globals(), most, summary, context);
}

// Whether many rows are few blocks' work: several kernels have more.
bool leavesDeviceIdle(const ReductionShape& shape, int64_t bytesOfRow,
                      const ScheduleContext& context) {
  return 2 * ceilDiv(shape.kept * shape.bytes, bytesOfRow) < context.target.gpu.multiprocessors &&
         shape.reduced > context.tuning.gpu.fewColumnRows;
}

// Blocks of a few threads are too many.
void avoidSmallBlocks(const ReductionShape& shape, const ScheduleContext& context,
                      OuterPersistentParams& params) {
  if (ceilDiv(shape.kept, params.threadsX * params.vectors.width) <=
      context.target.gpu.multiprocessors) {
    return;
  }
  const int64_t threads = 2 * context.tuning.gpu.persistentRowThreads;
  const int64_t vectors = ceilDiv(shape.inner.extent, params.vectors.width);
  params.threadsX =
      std::max(params.threadsX, std::min(threads / params.threadsY, powerOfTwoFrom(vectors)));
}

// Returns false for columns that do not fit.
bool chooseThreads(const ReductionShape& shape, int64_t bytesOfRow, const ScheduleContext& context,
                   OuterPersistentParams& params) {
  const GpuTuning& tuning = context.tuning.gpu;
  const GpuProperties& device = context.target.gpu;
  // Of few rows, vectors are narrower where not each multiprocessor had a warp.
  while (areWholeColumns(shape, context) && params.vectors.width > 1 &&
         shape.kept / params.vectors.width < device.multiprocessors * device.warpSize) {
    params.vectors.width /= 2;
  }
  // Of few elements, more threads have a part.
  while (!areWholeColumns(shape, context) && params.vectors.width > 1 &&
         2 * shape.kept * shape.reduced / params.vectors.width * tuning.idleColumnShare <=
             threadsAtATime(context)) {
    params.vectors.width /= 2;
  }
  const int64_t width = params.vectors.width;
  const int64_t vectors = ceilDiv(shape.inner.extent, width);
  const int64_t bytes = bytesOfBatch(shape, params);
  if (areWholeColumns(shape, context) && shape.reduced <= tuning.persistentColumnBytes / bytes) {
    // A thread has whole columns. Of few columns, every multiprocessor has some.
    params.threadsX = std::min(tuning.outerReductionThreads, powerOfTwoFrom(vectors));
    while (params.threadsX > device.warpSize &&
           ceilDiv(shape.kept, width * params.threadsX) < device.multiprocessors) {
      params.threadsX /= 2;
    }
    params.batches = shape.reduced;
    return true;
  }
  const int64_t ofRow = std::max<int64_t>(bytesOfRow / (width * shape.bytes), 1);
  params.threadsX = std::min({device.warpSize, powerOfTwoFrom(ofRow), powerOfTwoFrom(vectors)});
  const int64_t most = device.threadsPerBlock / 2 / params.threadsX;
  const int64_t wanted =
      std::min(ceilDiv(shape.reduced, most), tuning.persistentColumnBytes / bytes);
  params.batches = std::max(wanted, ceilDiv(shape.reduced, 2 * most));
  params.threadsY = powerOfTwoFrom(ceilDiv(shape.reduced, params.batches));
  avoidSmallBlocks(shape, context, params);
  const bool isLarge = params.threadsX * params.threadsY > device.threadsPerBlock / 2;
  return params.batches * bytes <=
         (isLarge ? tuning.persistentBytesOfLargeBlock : tuning.persistentColumnBytes);
}

// Gives each thread a whole column that it reads along memory, if there are enough: it exchanges
// nothing with others.
void haveWholeColumns(const ReductionShape& shape, const ScheduleContext& context,
                      OuterPersistentParams& params) {
  const GpuTuning& tuning = context.tuning.gpu;
  OuterPersistentParams whole = params;
  whole.vectors = {};
  if (shape.reduced % params.across.width != 0 ||
      shape.reduced * bytesOfBatch(shape, whole) > tuning.persistentColumnBytes ||
      shape.kept * tuning.busyShare < threadsAtATime(context)) {
    return;
  }
  whole.batches = shape.reduced;
  whole.threadsY = 1;
  whole.threadsX = std::min(tuning.wholeColumnThreads, powerOfTwoFrom(shape.inner.extent));
  params = whole;
}

// Inputs may have the reduced dimension as their innermost one: of that a thread reads vectors, as
// many as it has columns, and writes the same elements in vectors of columns.
void chooseAcross(const ReductionShape& shape, const FusionSummary& summary,
                  const ScheduleContext& context, OuterPersistentParams& params) {
  const Crossing& crossing = summary.crossing();
  if (crossing.domain == nullptr) {
    return;
  }
  const DomainClasses& classes = summary.classes();
  const InnerGroup group{{classes.classOf(crossing.domain)},
                         context.extent(crossing.domain->extent())};
  const std::vector<IterDomain*>& dims = summary.widestReduction()->logical();
  const int64_t place = classes.find(dims, group.classes.front());
  if (place < 0 || !dims[static_cast<size_t>(place)]->isReduction() ||
      group.extent != shape.reduced) {
    return;
  }
  GpuVectors vectors = chooseVectors(group, summary, context);
  int64_t batches = params.batches;
  int64_t threadsY = params.threadsY;
  for (; vectors.width > 1; vectors.width /= 2) {
    batches = std::max<int64_t>(params.batches / vectors.width, 1) * vectors.width;
    threadsY = powerOfTwoFrom(ceilDiv(shape.reduced, batches));
    if (batches * bytesOfBatch(shape, params) <= context.tuning.gpu.persistentColumnBytes &&
        params.threadsX * threadsY <= context.target.gpu.threadsPerBlock) {
      break;
    }
  }
  vectors.tensors = 0;
  addVectors(group, summary, context, vectors);
  // Others have nothing along the columns.
  for (size_t i = 0; i < std::min(summary.globals().size(), limits::kNumberedTensors); ++i) {
    if (std::ranges::find(crossing.inputs, summary.globals()[i]) == crossing.inputs.end()) {
      vectors.tensors &= ~(uint64_t{1} << i);
    }
  }
  if (vectors.tensors != 0) {
    params.across = vectors;
    params.batches = batches;
    params.threadsY = threadsY;
    avoidSmallBlocks(shape, context, params);
    haveWholeColumns(shape, context, params);
  }
}

// [kept x columns / (x v), batches, (vector of what is reduced), y, x, vector]
Arrangement arrangeColumns(TensorView* reference, const OuterPersistentParams& params) {
  const int64_t position = mergeKinds(reference, true);
  if (position == 0) {
    return {};
  }
  const int64_t column = position - 1;
  reference->split(column, params.vectors.width);
  reference->split(column, params.threadsX);
  if (column == 1) {
    reference->merge(0, 1);
  }
  if (reference->nLoops() == 4) {
    // [kept x columns / (x v), x, v, reduced]
    reference->reorder({{3, 1}});
    if (params.across.width > 1) {
      divideLoop(reference, 1, params.across.width, true);
    }
    reference->split(1, params.batches / params.across.width, false);
    reference->fusion()->assumeAtMost(reference->axis(2)->extent(), params.threadsY);
  }
  Arrangement arrangement{.types = {ParallelType::GridX, ParallelType::Unroll, ParallelType::BlockY,
                                    ParallelType::BlockX, ParallelType::Vectorize}};
  if (params.across.width > 1) {
    arrangement.acrossLoop = 2;
    reference->reorder({{3, arrangement.acrossLoop}});
    arrangement.types.insert(arrangement.types.begin() + arrangement.acrossLoop,
                             ParallelType::Unroll);
  }
  return arrangement;
}

// Of both types of normalizations, as InnerPersistent.
class OuterPersistent : public GpuScheduler<OuterPersistentParams> {
 public:
  explicit OuterPersistent(SchedulerType type) : GpuScheduler(type) {}
  std::string reject(const FusionSummary& summary) const override {
    return rejectReductions(summary, type());
  }
  int64_t maxThreads(const ScheduleParams& params) const override {
    return paramsOf(params).threadsX * paramsOf(params).threadsY;
  }

 private:
  std::vector<OuterPersistentParams> choose(const FusionSummary& summary,
                                            const ScheduleContext& context) const override {
    const ReductionShape shape = shapeOfReduction(summary, context);
    OuterPersistentParams params;
    params.vectors = chooseVectorsOfColumns(shape, summary, context);
    int64_t row = bytesOfRow(shape, summary, context);
    while (params.vectors.width > 1 && params.vectors.width * shape.bytes > row) {
      params.vectors.width /= 2;
    }
    if (shape.isInner || !context.hasSizes || readsAcrossMemory(summary, context) ||
        leavesDeviceIdle(shape, row, context)) {
      return {};
    }
    // Columns that do not fit beside as many others as whole lines of memory have may do so beside
    // fewer.
    const OuterPersistentParams ofVectors = params;
    while (!chooseThreads(shape, row, context, params)) {
      row /= 2;
      if (summary.crossing().domain != nullptr || row < 2 * context.tuning.gpu.sectorBytes ||
          row < ofVectors.vectors.width * shape.bytes) {
        return {};
      }
      params = ofVectors;
    }
    chooseAcross(shape, summary, context, params);
    params.recomputedOps = context.tuning.gpu.recomputedOps;
    params.readOnce = chooseReadOnce(evictionOfPersistent(summary, context), summary, context);
    return {params};
  }

  void schedule(Fusion* fusion, const OuterPersistentParams& params) const override {
    schedulePersistent(
        fusion, {.loops = {.arrange = [&](TensorView* tv) { return arrangeColumns(tv, params); },
                           .vectors = params.vectors,
                           .across = params.across},
                 .readOnce = params.readOnce,
                 .recomputedOps = params.recomputedOps,
                 .batches = params.batches / params.across.width});
  }
};

}  // namespace

}  // namespace gpu

const Scheduler* gpuOuterPersistent() {
  static const gpu::OuterPersistent scheduler(SchedulerType::InnerPersistent);
  return &scheduler;
}

const Scheduler* gpuOuterPersistentOfOuter() {
  static const gpu::OuterPersistent scheduler(SchedulerType::OuterPersistent);
  return &scheduler;
}

}  // namespace nvfuser::schedulers
