// Scans: the threads of a block share the scanned dimension, chunk after chunk.
#include <algorithm>

#include "schedule/heuristics/merging.h"
#include "schedule/heuristics/scans.h"
#include "schedule/propagate.h"
#include "schedule/scan_loops.h"
#include "schedule/schedulers/gpu/elementwise.h"
#include "schedule/schedulers/gpu/scan_parts.h"

namespace nvfuser::schedulers {

namespace gpu {

namespace {

// The loops of a scan, in the order of memory.
struct ScanOrder {
  std::vector<int64_t> rows;
  int64_t scan = 0;
  // Contiguous dimensions that lie inside the scanned one.
  std::vector<int64_t> columns;
};

ScanOrder orderOf(const TensorView* reference, const IterDomain* scanned,
                  const DomainClasses& classes) {
  ScanOrder order;
  order.scan = classes.find(reference->loop(), classes.classOf(scanned));
  std::vector<int64_t> inside;
  for (int64_t k = 0; k < reference->nLoops(); ++k) {
    if (k > order.scan && !reference->axis(k)->isBroadcast()) {
      inside.push_back(k);
    }
  }
  order.columns = takeColumns(reference, inside, classes);
  for (int64_t k = 0; k < reference->nLoops(); ++k) {
    if (k != order.scan && std::ranges::find(order.columns, k) == order.columns.end()) {
      order.rows.push_back(k);
    }
  }
  return order;
}

const IterDomain* domainOf(const TensorView* scanned) {
  return scanned->definition()->as<ScanOp>()->domain();
}

struct ScanShape {
  int64_t rows = 1;
  int64_t scanned = 1;
  InnerGroup inner;
  bool hasColumns = false;
  // Of registers for an element: what is loaded of it, or what is computed.
  int64_t bytes = 1;
};

// The dimensions of the first scan, in the order of memory.
struct ScanDimensions {
  std::vector<const IterDomain*> rows;
  const IterDomain* scan = nullptr;
  std::vector<const IterDomain*> columns;
};

ScanDimensions findScanDimensions(const FusionSummary& whole) {
  TensorView* reference = whole.scan()->out();
  const std::vector<IterDomain*> loops = reference->loop();
  orderLikeMemory(reference, whole.classes());
  const ScanOrder order = orderOf(reference, domainOf(reference), whole.classes());
  ScanDimensions dimensions;
  dimensions.scan = reference->axis(order.scan);
  for (int64_t k : order.rows) {
    dimensions.rows.push_back(reference->axis(k));
  }
  for (int64_t k : order.columns) {
    dimensions.columns.push_back(reference->axis(k));
  }
  reference->domain()->setLoop(loops);
  return dimensions;
}

ScanShape shapeOfScan(const FusionSummary& summary, const ScheduleContext& context) {
  const auto& [rows, scan, columns] = summary.fact(findScanDimensions);
  const auto extentOf = [&](const IterDomain* id) {
    return id->isBroadcast() ? 1 : context.extent(id->extent());
  };
  ScanShape shape;
  shape.scanned = extentOf(scan);
  shape.hasColumns = !columns.empty();
  for (const IterDomain* id : rows) {
    shape.rows *= extentOf(id);
  }
  for (const IterDomain* id : shape.hasColumns ? columns : std::vector<const IterDomain*>{scan}) {
    shape.inner.classes.push_back(summary.classes().classOf(id));
    shape.inner.extent *= extentOf(id);
  }
  const TensorView* reference = summary.scan()->out();
  shape.bytes = std::max<int64_t>(bytesLoadedFor(summary, reference),
                                  info(computeType(reference->dtype())).bits / 8);
  return shape;
}

struct ScanParts {
  bool areAllowed = false;
};
ScanParts findScanParts(const FusionSummary& whole) { return {canScanInParts(whole.exprs())}; }

// Parts of rows for `blocks` blocks that scan whole ones.
int64_t partsOfRow(const ScanShape& shape, int64_t blocks, int64_t columns,
                   const ScheduleContext& context) {
  const GpuTuning& tuning = context.tuning.gpu;
  const int64_t wanted =
      blocksAtATime(context, tuning.scanThreads, tuning.registersOfThread) / blocks;
  const int64_t most = shape.scanned * columns / tuning.scanPartElements;
  // A block combines the results of parts.
  const int64_t parts = std::min({wanted, most, context.target.gpu.threadsPerBlock});
  return parts < tuning.scanPartsLeast ? 1 : powerOfTwoFrom(parts + 1) / 2;
}

// Vectors of a chunk that a thread keeps in registers, at most.
int64_t mostVectors(const ScanShape& shape, const GpuScanParams& params, const GpuTuning& tuning) {
  return std::clamp<int64_t>(tuning.scanBytes / (params.vectors.width * shape.bytes), 1,
                             tuning.scanVectors);
}

// Whether a thread scans a short row alone: it waits for no other one.
bool isOfOneThread(const ScanShape& shape, const ScheduleContext& context) {
  const GpuTuning& tuning = context.tuning.gpu;
  return context.hasSizes && shape.scanned <= tuning.elementsOfScanningThread &&
         shape.rows * tuning.scanningThreadsShare >= threadsAtATime(context);
}

void chooseInner(const ScanShape& shape, const ScheduleContext& context, bool hasParts,
                 GpuScanParams& params) {
  const GpuTuning& tuning = context.tuning.gpu;
  const GpuProperties& device = context.target.gpu;
  if (hasParts) {
    params.parts = partsOfRow(shape, shape.rows, 1, context);
  }
  const int64_t vectors = vectorsOf(ceilDiv(shape.scanned, params.parts), params.vectors);
  if (isOfOneThread(shape, context)) {
    params.threadsX = 1;
    params.unroll = vectors;
    params.threadsY = std::min(tuning.scanShortRowThreads, powerOfTwoFrom(shape.rows));
    params.isExact = !params.vectors.alignsRows;
    return;
  }
  int64_t most = mostVectors(shape, params, tuning);
  int64_t threads = tuning.scanThreads;
  // All threads of the device have something to do before each has more.
  const int64_t atATime = threads * blocksAtATime(context, threads, tuning.registersOfThread);
  most = std::clamp(shape.rows * params.parts * vectors / atATime,
                    std::min(ceilDiv(vectors, threads), most), most);
  if (shape.rows * params.parts < device.multiprocessors && vectors > threads * most) {
    // More of the row at a time, in as many registers.
    threads = device.threadsPerBlock;
    most = std::max<int64_t>(most / 2, 1);
  }
  params.threadsX = std::clamp(powerOfTwoFrom(ceilDiv(vectors, most)),
                               std::min(powerOfTwoFrom(vectors), device.warpSize), threads);
  params.unroll = std::min(ceilDiv(vectors, params.threadsX), most);
  params.threadsY = std::clamp(tuning.scanShortRowThreads / params.threadsX, int64_t{1},
                               powerOfTwoFrom(shape.rows));
  params.isExact =
      !params.vectors.alignsRows &&
      shape.scanned / params.vectors.width % (params.threadsX * params.unroll * params.parts) == 0;
}

void chooseOuter(const ScanShape& shape, const ScheduleContext& context, bool hasParts,
                 GpuScanParams& params) {
  const GpuTuning& tuning = context.tuning.gpu;
  const GpuProperties& device = context.target.gpu;
  const int64_t vectors = ceilDiv(shape.inner.extent, params.vectors.width);
  params.threadsX = std::min(device.warpSize, powerOfTwoFrom(vectors));
  // Columns of whole lines for as many blocks as there are multiprocessors, and of sectors for a
  // part of these.
  const int64_t lane = params.vectors.width * shape.bytes;
  const auto areIdle = [&](int64_t share) {
    return shape.rows * ceilDiv(vectors, params.threadsX) * share < device.multiprocessors;
  };
  while ((params.threadsX * lane / 2 >= tuning.lineBytes && areIdle(1)) ||
         (params.threadsX * lane / 2 >= tuning.sectorBytes && areIdle(tuning.fewBlocksShare))) {
    params.threadsX /= 2;
  }
  int64_t blocks = shape.rows * ceilDiv(vectors, params.threadsX);
  if (hasParts) {
    params.parts = partsOfRow(shape, blocks, params.threadsX * params.vectors.width, context);
    blocks *= params.parts;
  }
  const int64_t threads =
      blocks < device.multiprocessors ? device.threadsPerBlock : tuning.scanThreads;
  const int64_t along = threads / params.threadsX;
  const int64_t ofPart = ceilDiv(shape.scanned, params.parts);
  // All threads of the device have something to do before each has more than one chunk needs:
  // chunks follow each other, and each waits for all threads.
  const int64_t atATime =
      tuning.scanThreads * blocksAtATime(context, tuning.scanThreads, tuning.registersOfThread);
  const int64_t most = mostVectors(shape, params, tuning);
  params.unroll = std::clamp(shape.rows * shape.scanned * vectors / atATime,
                             std::min(powerOfTwoFrom(ceilDiv(ofPart, along)), most), most);
  params.threadsY = std::min(along, powerOfTwoFrom(ceilDiv(ofPart, params.unroll)));
  params.isExact = vectors % params.threadsX == 0 &&
                   shape.scanned % (params.threadsY * params.unroll * params.parts) == 0;
}

// The loops of `reference` for a scan along `scanned`, and their types.
std::vector<ParallelType> arrangeScan(TensorView* reference, const IterDomain* scanned,
                                      const GpuScanParams& params, const DomainClasses& classes) {
  orderLikeMemory(reference, classes);
  const ScanOrder order = orderOf(reference, scanned, classes);
  const auto rows = static_cast<int64_t>(order.rows.size());
  const auto columns = static_cast<int64_t>(order.columns.size());
  // [rows, scanned, columns]
  std::unordered_map<int64_t, int64_t> places{{order.scan, rows}};
  for (int64_t i = 0; i < rows; ++i) {
    places[order.rows[static_cast<size_t>(i)]] = i;
  }
  for (int64_t i = 0; i < columns; ++i) {
    places[order.columns[static_cast<size_t>(i)]] = rows + 1 + i;
  }
  reference->reorder(places);
  if (columns > 0) {
    mergeRange(reference, rows + 1, rows + columns, classes);
  }
  if (rows > 0) {
    mergeContiguous(reference, 0, rows - 1, classes);
    mergeRange(reference, 0, reference->nLoops() - 2 - (columns > 0), classes);
  }
  const auto divide = [&](int64_t loop, int64_t factor, bool innerSplit = true) {
    if (params.isExact) {
      reference->fusion()->assumeDivisible(reference->axis(loop)->extent(), factor);
    }
    reference->split(loop, factor, innerSplit);
  };
  std::vector<ParallelType> types;
  if (columns > 0) {
    reference->split(-1, params.vectors.width);
    divide(-2, params.threadsX);
    divide(-4, params.unroll);
    divide(-5, params.threadsY);
    if (params.parts > 1) {
      divide(-6, params.parts, false);
    }
    // [rows, (parts), chunks, y, elements, columns, x, vector] ->
    // [rows, columns, x, (parts), chunks, ...]
    reference->reorder({{-3, rows > 0 ? 1 : 0}, {-2, rows > 0 ? 2 : 1}});
    if (rows > 0) {
      reference->merge(0, 1);
    }
    types = {ParallelType::GridX,  ParallelType::BlockX, ParallelType::Serial,
             ParallelType::BlockY, ParallelType::Unroll, ParallelType::Vectorize};
    if (params.parts > 1) {
      types.insert(types.begin() + 2, ParallelType::GridY);
    }
  } else {
    if (rows > 0) {
      if (params.vectors.alignsRows) {
        reference->alignRows(0, 1, params.vectors.width);
      }
      types.push_back(ParallelType::GridX);
      if (params.threadsY > 1) {
        reference->split(0, params.threadsY);
        types.push_back(ParallelType::BlockY);
      }
    }
    reference->split(-1, params.vectors.width);
    divide(-2, params.threadsX);
    divide(-3, params.unroll);
    if (params.parts > 1) {
      divide(-4, params.parts, false);
      types.push_back(ParallelType::GridY);
    }
    types.insert(types.end(), {ParallelType::Serial, ParallelType::Unroll, ParallelType::BlockX,
                               ParallelType::Vectorize});
  }
  return types;
}

// Gives `reference`, the result of a scan, and its neighbours in `selected` the loops
// [rows, threads y, chunks, vectors, threads x, vector] where the scanned dimension is the
// innermost one in memory, [rows and columns, threads x, chunks, threads y, elements, vector of
// columns] elsewhere. Adds to `limits` how many of them each scan shares with what uses it.
void scheduleScanAround(TensorView* reference, const GpuScanParams& params,
                        const std::vector<TensorView*>& selected, GlobalCopies& copies,
                        std::unordered_map<const TensorView*, int64_t>& limits) {
  if (params.parts > 1) {
    const auto arrangePart = [&](TensorView* tv, const IterDomain* scanned,
                                 const DomainClasses& classes) {
      return arrangeScan(tv, scanned, params, classes);
    };
    scanInParts(selected, arrangePart, params.vectors, copies, limits);
  }
  const DomainClasses classes(reference->fusion()->tensorExprs());
  const std::vector<ParallelType> types =
      arrangeScan(reference, domainOf(reference), params, classes);
  propagateTransforms(reference, selected);
  parallelize(reference, types, selected, copies, params.vectors);
  for (const TensorView* tv : selected) {
    if (tv->definition() != nullptr && tv->definition()->is<ScanOp>()) {
      limits[tv] = scanLoops(tv->definition()->as<ScanOp>()).positions.at(1);
    }
  }
}

std::string scanProblem(const FusionSummary& whole) {
  if (const std::string& problem = rejectElementwise(whole); !problem.empty()) {
    return problem;
  }
  const TensorView* unlike = unlikeScan(whole.exprs(), whole.classes());
  return unlike == nullptr ? "" : unlike->toString() + " does not have the loops of a scan";
}

class Scan : public GpuScheduler<GpuScanParams> {
 public:
  Scan() : GpuScheduler(SchedulerType::Pointwise) {}
  std::string reject(const FusionSummary& summary) const override {
    return summary.hasScan() ? summary.fact(scanProblem) : "there is no scan";
  }

 private:
  std::vector<GpuScanParams> choose(const FusionSummary& summary,
                                    const ScheduleContext& context) const override {
    const ScanShape shape = shapeOfScan(summary, context);
    GpuScanParams params;
    params.vectors = chooseVectors(shape.inner, summary, context);
    const bool hasParts = summary.fact(findScanParts).areAllowed;
    if (!shape.hasColumns) {
      const GpuVectors aligned = chooseVectorsOfRows(shape.inner, summary, context);
      if (aligned.alignsRows && shape.rows >= context.target.gpu.multiprocessors) {
        params.vectors = aligned;
      }
      chooseInner(shape, context, hasParts && !params.vectors.alignsRows, params);
    } else {
      limitVectors(shape, summary, context, params.vectors);
      chooseOuter(shape, context, hasParts, params);
    }
    params.isExact = params.isExact && context.hasSizes;
    return {params};
  }

  // A warp reads a line of the narrowest tensor at a time: wider vectors would leave fewer blocks.
  static void limitVectors(const ScanShape& shape, const FusionSummary& summary,
                           const ScheduleContext& context, GpuVectors& vectors) {
    const int64_t bytesOfThread = context.tuning.gpu.lineBytes / context.target.gpu.warpSize;
    int64_t narrowest = bytesOfThread;
    for (const TensorView* tv : summary.globals()) {
      narrowest = std::min<int64_t>(narrowest, std::max(info(tv->dtype()).bits / 8, 1));
    }
    if (vectors.width > bytesOfThread / narrowest) {
      vectors = {.width = bytesOfThread / narrowest};
      addVectors(shape.inner, summary, context, vectors);
    }
  }

  void schedule(Fusion* fusion, const GpuScanParams& params) const override {
    GlobalCopies copies = separateGlobals(fusion, false);
    repeatForResizes(fusion, copies);
    // Of outputs that have nothing to do with scans.
    const GpuBlocks blocks{
        .threadsX = params.threadsX, .threadsY = params.threadsY, .unroll = params.unroll};
    std::unordered_map<const TensorView*, int64_t> limits;
    scheduleEachOutput(
        copies, [&](TensorView* reference, const std::vector<TensorView*>& connected) {
          if (TensorView* scanned = scanAmong(connected)) {
            scheduleScanAround(scanned, params, connected, copies, limits);
          } else {
            scheduleBlocksAround(reference, params.vectors, blocks, connected, copies);
          }
        });
    inlineMost(fusion, {}, limits);
  }
};

}  // namespace

}  // namespace gpu

const Scheduler* gpuScan() {
  static const gpu::Scan scheduler;
  return &scheduler;
}

}  // namespace nvfuser::schedulers
