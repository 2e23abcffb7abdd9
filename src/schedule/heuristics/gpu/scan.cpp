#include "schedule/heuristics/gpu/scan.h"

#include <algorithm>

#include "schedule/heuristics/gpu/scan_parts.h"
#include "schedule/heuristics/references.h"
#include "schedule/heuristics/scans.h"
#include "schedule/propagate.h"
#include "schedule/scan_loops.h"

namespace nvfuser::heuristics {

namespace {

constexpr int64_t kWarp = 32;
constexpr int64_t kMaxThreads = 1024;
// Threads of a block where there are blocks enough.
constexpr int64_t kThreads = 512;
constexpr int64_t kMaxRowThreads = 512;
// Threads of a block that holds several rows.
constexpr int64_t kShortRowThreads = 128;
// What a thread keeps of a chunk in registers, in bytes and in pieces.
constexpr int64_t kKeptBytes = 128;
constexpr int64_t kMaxPieces = 16;
// Elements of a part of a row that is worth a block, and parts whose results a block combines.
constexpr int64_t kPartElements = 4096;
constexpr int64_t kMaxParts = 1024;
// Fewer are not worth the kernels that they need.
constexpr int64_t kMinParts = 8;

// The loops of a scan, in the order of memory.
struct Order {
  std::vector<int64_t> rows;
  int64_t scan = 0;
  // Contiguous dimensions that lie inside the scanned one.
  std::vector<int64_t> columns;
};

Order orderOf(const TensorView* reference, const IterDomain* scanned,
              const DomainClasses& classes) {
  Order order;
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

struct Shape {
  int64_t rows = 1;
  int64_t scanned = 1;
  InnerGroup inner;
  bool hasColumns = false;
};

Shape shapeOf(TensorView* reference, const DomainClasses& classes, const ScheduleContext& context) {
  const std::vector<IterDomain*> loops = reference->loop();
  orderLikeMemory(reference, classes);
  const Order order = orderOf(reference, domainOf(reference), classes);
  const auto extentOf = [&](int64_t k) {
    const IterDomain* id = reference->axis(k);
    return id->isBroadcast() ? 1 : context.extent(id->extent());
  };
  Shape shape;
  shape.scanned = extentOf(order.scan);
  shape.hasColumns = !order.columns.empty();
  for (int64_t k : order.rows) {
    shape.rows *= extentOf(k);
  }
  for (int64_t k : shape.hasColumns ? order.columns : std::vector<int64_t>{order.scan}) {
    shape.inner.classes.push_back(classes.classOf(reference->axis(k)));
    shape.inner.extent *= extentOf(k);
  }
  reference->domain()->setLoop(loops);
  return shape;
}

// Bytes of registers for an element: what is loaded of it, or what is computed.
int64_t bytesOf(const Fusion* fusion, const TensorView* scanned) {
  return std::max<int64_t>(bytesLoadedFor(fusion, scanned),
                           info(computeType(scanned->dtype())).bits / 8);
}

// Parts of rows for `blocks` blocks that scan whole ones.
int64_t partsOf(const Shape& shape, int64_t blocks, int64_t columns,
                const ScheduleContext& context) {
  const int64_t wanted = 2 * context.target.gpu.multiprocessors / blocks;
  const int64_t most = shape.scanned * columns / kPartElements;
  const int64_t parts = std::min({wanted, most, kMaxParts});
  return parts < kMinParts ? 1 : powerOfTwoFrom(parts + 1) / 2;
}

void chooseInner(const Shape& shape, int64_t bytes, const ScheduleContext& context, bool hasParts,
                 GpuParams& gpu) {
  if (hasParts) {
    gpu.splits = partsOf(shape, shape.rows, 1, context);
  }
  const int64_t vectors = ceilDiv(ceilDiv(shape.scanned, gpu.splits), gpu.vectorWidth);
  int64_t most = std::clamp<int64_t>(kKeptBytes / (gpu.vectorWidth * bytes), 1, kMaxPieces);
  int64_t threads = kMaxRowThreads;
  if (shape.rows * gpu.splits < context.target.gpu.multiprocessors && vectors > threads * most) {
    // More of the row at a time, in as many registers.
    threads = kMaxThreads;
    most = std::max<int64_t>(most / 2, 1);
  }
  gpu.threadsX = std::clamp(powerOfTwoFrom(ceilDiv(vectors, most)),
                            std::min(powerOfTwoFrom(vectors), kWarp), threads);
  gpu.unroll = std::min(powerOfTwoFrom(ceilDiv(vectors, gpu.threadsX)), most);
  gpu.threadsY =
      std::clamp(kShortRowThreads / gpu.threadsX, int64_t{1}, powerOfTwoFrom(shape.rows));
  gpu.isExact = shape.scanned / gpu.vectorWidth % (gpu.threadsX * gpu.unroll * gpu.splits) == 0;
}

void chooseOuter(const Shape& shape, int64_t bytes, const ScheduleContext& context, bool hasParts,
                 GpuParams& gpu) {
  const int64_t vectors = ceilDiv(shape.inner.extent, gpu.vectorWidth);
  gpu.threadsX = std::min(kWarp, powerOfTwoFrom(vectors));
  gpu.unroll = std::clamp<int64_t>(kKeptBytes / (gpu.vectorWidth * bytes), 1, kMaxPieces);
  int64_t blocks = shape.rows * ceilDiv(vectors, gpu.threadsX);
  if (hasParts) {
    gpu.splits = partsOf(shape, blocks, gpu.threadsX * gpu.vectorWidth, context);
    blocks *= gpu.splits;
  }
  const int64_t threads = blocks < context.target.gpu.multiprocessors ? kMaxThreads : kThreads;
  gpu.threadsY = std::min({threads / gpu.threadsX, kWarp,
                           powerOfTwoFrom(ceilDiv(shape.scanned, gpu.unroll * gpu.splits))});
  gpu.isExact =
      vectors % gpu.threadsX == 0 && shape.scanned % (gpu.threadsY * gpu.unroll * gpu.splits) == 0;
}

}  // namespace

GpuParams gpuScanParams(Fusion* fusion, const ScheduleContext& context) {
  const DomainClasses classes(fusion->tensorExprs());
  TensorView* reference = scanAmong(fusion->tensors());
  const Shape shape = shapeOf(reference, classes, context);
  const int64_t bytes = bytesOf(fusion, reference);
  GpuParams params;
  chooseVectors(fusion, shape.inner, classes, context, params);
  const bool hasParts = canScanInParts(fusion);
  if (!shape.hasColumns) {
    chooseInner(shape, bytes, context, hasParts, params);
    return params;
  }
  // A warp reads 128 bytes of the narrowest tensor at a time: wider vectors would leave fewer
  // blocks.
  int64_t narrowest = 4;
  for (const TensorView* tv : globalTensors(fusion)) {
    narrowest = std::min<int64_t>(narrowest, std::max(info(tv->dtype()).bits / 8, 1));
  }
  if (params.vectorWidth > 4 / narrowest) {
    params.vectorWidth = 4 / narrowest;
    params.vectorized = 0;
    addVectors(fusion, shape.inner, classes, context, params);
  }
  chooseOuter(shape, bytes, context, hasParts, params);
  return params;
}

namespace {

// The loops of `reference` for a scan along `scanned`, and their types.
std::vector<ParallelType> arrange(TensorView* reference, const IterDomain* scanned,
                                  const GpuParams& params, const DomainClasses& classes) {
  orderLikeMemory(reference, classes);
  const Order order = orderOf(reference, scanned, classes);
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
    mergeRange(reference, rows + 1, rows + columns);
  }
  if (rows > 0) {
    mergeContiguous(reference, 0, rows - 1, classes);
    mergeRange(reference, 0, reference->nLoops() - 2 - (columns > 0));
  }
  const auto divide = [&](int64_t loop, int64_t factor, bool innerSplit = true) {
    if (params.isExact) {
      reference->fusion()->assumeDivisible(reference->axis(loop)->extent(), factor);
    }
    reference->split(loop, factor, innerSplit);
  };
  std::vector<ParallelType> types;
  if (columns > 0) {
    reference->split(-1, params.vectorWidth);
    divide(-2, params.threadsX);
    divide(-4, params.unroll);
    divide(-5, params.threadsY);
    if (params.splits > 1) {
      divide(-6, params.splits, false);
    }
    // [rows, (parts), chunks, y, elements, columns, x, vector] ->
    // [rows, columns, x, (parts), chunks, ...]
    reference->reorder({{-3, rows > 0 ? 1 : 0}, {-2, rows > 0 ? 2 : 1}});
    if (rows > 0) {
      reference->merge(0, 1);
    }
    types = {ParallelType::GridX,  ParallelType::BlockX, ParallelType::Serial,
             ParallelType::BlockY, ParallelType::Unroll, ParallelType::Vectorize};
    if (params.splits > 1) {
      types.insert(types.begin() + 2, ParallelType::GridY);
    }
  } else {
    if (rows > 0) {
      types.push_back(ParallelType::GridX);
      if (params.threadsY > 1) {
        reference->split(0, params.threadsY);
        types.push_back(ParallelType::BlockY);
      }
    }
    reference->split(-1, params.vectorWidth);
    divide(-2, params.threadsX);
    divide(-3, params.unroll);
    if (params.splits > 1) {
      divide(-4, params.splits, false);
      types.push_back(ParallelType::GridY);
    }
    types.insert(types.end(), {ParallelType::Serial, ParallelType::Unroll, ParallelType::BlockX,
                               ParallelType::Vectorize});
  }
  return types;
}

}  // namespace

void scheduleGpuScanAround(TensorView* reference, const GpuParams& params,
                           const std::vector<TensorView*>& selected, GlobalCopies& copies,
                           std::unordered_map<const TensorView*, int64_t>& limits) {
  if (params.splits > 1) {
    const auto arrangePart = [&](TensorView* tv, const IterDomain* scanned,
                                 const DomainClasses& classes) {
      return arrange(tv, scanned, params, classes);
    };
    scanInParts(selected, arrangePart, params, copies, limits);
  }
  const DomainClasses classes(reference->fusion()->tensorExprs());
  const std::vector<ParallelType> types = arrange(reference, domainOf(reference), params, classes);
  propagateTransforms(reference, selected);
  parallelizeForGpu(reference, types, selected, copies, params);
  for (const TensorView* tv : selected) {
    if (tv->definition() != nullptr && tv->definition()->is<ScanOp>()) {
      limits[tv] = scanLoops(tv->definition()->as<ScanOp>()).positions.at(1);
    }
  }
}

}  // namespace nvfuser::heuristics
