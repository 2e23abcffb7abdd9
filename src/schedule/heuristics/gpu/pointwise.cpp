#include "schedule/heuristics/gpu/pointwise.h"

#include <algorithm>
#include <unordered_map>

#include "schedule/heuristics/gpu/scan.h"
#include "schedule/heuristics/references.h"
#include "schedule/heuristics/scans.h"
#include "schedule/heuristics/scatters.h"
#include "schedule/propagate.h"

namespace nvfuser::heuristics {

namespace {

constexpr int64_t kThreads = 128;
// What a thread should have on its way from memory to hide the latency, in bytes.
constexpr int64_t kBytesInFlight = 32;
constexpr int64_t kMaxUnroll = 4;
// Threads of a block whose rows are looked up: what they share of a row comes from the cache.
constexpr int64_t kLookupThreads = 1024;
// Threads that share a tile: as many as it has vectors, or four elements that are none for each.
constexpr int64_t kTileThreads = 1024;
constexpr int64_t kSmallTileThreads = 256;
// Columns of a block whose elements are each in any row: as many as lie in a line of memory.
constexpr int64_t kNarrowColumns = 32;
// Blocks along y that a device takes.
constexpr int64_t kMaxBlocksY = 65535;
// Threads that copy a row, write into it and copy it back, and what it has of shared memory at
// most.
constexpr int64_t kRowThreads = 512;
constexpr int64_t kMaxRowBytes = 48 * 1024;

// Bytes of inputs for an element of the output, those of parts that are concatenated together.
int64_t loadedBytes(const Fusion* fusion, int64_t elements, const ScheduleContext& context) {
  int64_t bytes = 0;
  for (const Val* input : fusion->inputs()) {
    if (input->isTensor()) {
      bytes += bytesOf(input->asTensor(), context);
    }
  }
  return bytes / std::max<int64_t>(elements, 1);
}

// Inputs that lie across the output pass through tiles in shared memory: both sides are then read
// and written along their own innermost dimension.
void chooseTiles(const Fusion* fusion, const TensorView* reference, const InnerGroup& inner,
                 const DomainClasses& classes, const ScheduleContext& context, GpuParams& params) {
  const Crossing crossing = findCrossing(reference);
  if (crossing.domain == nullptr) {
    return;
  }
  int64_t widest = 1;
  for (const TensorView* tv : crossing.inputs) {
    widest = std::max<int64_t>(widest, info(tv->dtype()).bits / 8);
  }
  // Elements that are no vectors: small tiles keep more blocks busy.
  const bool areSingle = params.vectorWidth == 1;
  const int64_t tile = widest > 4 || areSingle ? 32 : 64;
  const InnerGroup across{{classes.classOf(crossing.domain)},
                          context.extent(crossing.domain->extent())};
  if (across.extent < tile / 2 || inner.extent < tile / 2) {
    return;
  }
  params.transposeTile = tile;
  // Of the largest blocks two must run at a time.
  const int64_t most = context.target.gpu.threadsPerMultiprocessor < 2 * kTileThreads
                           ? kTileThreads / 2
                           : kTileThreads;
  // Words of shared memory hold elements of two columns: a thread has both.
  const bool arePairs = widest == 2 && params.vectorWidth % 2 == 0;
  params.unroll = arePairs ? 2 : 1;
  params.threadsX = areSingle ? kSmallTileThreads
                              : std::min(tile * tile / (params.vectorWidth * params.unroll), most);
  params.threadsY = 1;
  addVectors(fusion, across, classes, context, params);
}

// Whether rows are read at positions that a tensor holds, so that every element of a row may be
// needed anywhere in it.
bool looksUpInRows(const Fusion* fusion, const DomainClasses& classes, const InnerGroup& inner) {
  return std::ranges::any_of(fusion->tensorExprs(), [&](const Expr* expr) {
    const auto* lookup = expr->as<LookupOp>();
    return lookup != nullptr && !inner.classes.empty() &&
           classes.find(lookup->out()->logical(), inner.classes.front()) == lookup->dim();
  });
}

void chooseThreads(int64_t elements, int64_t inner, int64_t loadedBytes, bool looksUpInRows,
                   const ScheduleContext& context, GpuParams& params) {
  const int64_t vectors = ceilDiv(inner, params.vectorWidth);
  const int64_t threads = looksUpInRows ? kLookupThreads : kThreads;
  params.threadsX = std::min(threads, powerOfTwoFrom(vectors));
  params.threadsY = inner < elements ? std::max<int64_t>(kThreads / params.threadsX, 1) : 1;
  params.unroll = 1;
  if (looksUpInRows) {
    return;
  }
  const int64_t bytes = std::max<int64_t>(loadedBytes, 1) * params.vectorWidth;
  // Blocks enough to fill the device come before work for each.
  const int64_t wanted = 8 * context.target.gpu.multiprocessors;
  while (params.unroll < kMaxUnroll && bytes * params.unroll < kBytesInFlight &&
         elements / (params.vectorWidth * kThreads * 2 * params.unroll) >= wanted) {
    params.unroll *= 2;
  }
  // Measured on an H200, what a block reads of one row is up to 1 % faster than of several.
  params.unrollsRows = params.unroll > 1 && vectors >= kMaxUnroll * params.threadsX * params.unroll;
}

// The bytes of the rows one of which is read or written at a position that a tensor holds; 0 where
// these are positions in a row.
int64_t bytesOfReachedRows(const Expr* expr, const InnerGroup& inner, const DomainClasses& classes,
                           const ScheduleContext& context) {
  const auto* lookup = expr->as<LookupOp>();
  const auto* scatter = expr->as<ScatterOp>();
  if ((lookup == nullptr && scatter == nullptr) || inner.classes.empty()) {
    return 0;
  }
  const auto* tv = expr->input(0)->asTensor();
  const std::vector<IterDomain*> dims = tv->visible();
  const int64_t dim = lookup != nullptr ? lookup->dim() : scatter->dim();
  const int64_t columns = classes.find(dims, inner.classes.front());
  if (columns < 0 || columns == dim) {
    return 0;
  }
  const Val* rows = dims[static_cast<size_t>(dim)]->extent();
  return context.extent(rows) * inner.extent * info(tv->dtype()).bits / 8;
}

// Blocks of few columns, for elements that are each in any row.
void narrowBlocks(GpuParams& params) {
  params.threadsX =
      std::min(params.threadsX, std::max<int64_t>(kNarrowColumns / params.vectorWidth, 1));
  params.threadsY = kThreads / params.threadsX;
  params.unroll = 1;
}

// Rows that are reached at positions which a tensor holds, and that would not stay in the L2 cache
// until they are reached again, are so if blocks that run at a time share a few columns. What is
// written is merged in the cache as long as it fits; what is read competes with all the rest.
void chooseOrder(const Fusion* fusion, int64_t elements, const InnerGroup& inner,
                 const DomainClasses& classes, const ScheduleContext& context, GpuParams& params) {
  if (elements <= inner.extent) {
    return;
  }
  bool isOfElements = false;
  for (const Expr* expr : fusion->tensorExprs()) {
    const int64_t kept =
        expr->is<ScatterOp>() ? context.target.gpu.l2Bytes : context.target.gpu.l2Bytes / 4;
    if (bytesOfReachedRows(expr, inner, classes, context) > kept) {
      const auto* lookup = expr->as<LookupOp>();
      isOfElements = isOfElements || (lookup != nullptr && !lookup->isOfSlices());
      params.isColumnMajor = true;
      params.unrollsRows = false;
    }
  }
  if (isOfElements) {
    narrowBlocks(params);
  }
}

// Whether there are as few rows as a device has blocks along y. Rows are at least as long as the
// innermost dimension.
bool fitRowsAlongY(TensorView* reference, const InnerGroup& inner, const DomainClasses& classes,
                   const ScheduleContext& context) {
  const auto fits = [&](const TensorView* tv) {
    const int64_t innermost =
        inner.classes.empty() ? -1 : classes.find(tv->logical(), inner.classes.front());
    const IterDomain* columns =
        innermost < 0 ? nullptr : tv->logical()[static_cast<size_t>(innermost)];
    return elementsOf(tv, context, columns) <= kMaxBlocksY;
  };
  // Outputs that are scheduled on their own may have other rows, too.
  return fits(reference) && std::ranges::all_of(reference->fusion()->outputTensors(), fits);
}

// Whether that holds for blocks of columns, narrow ones included.
bool fitColumnsAlongY(const Fusion* fusion, const DomainClasses& classes,
                      const ScheduleContext& context) {
  return std::ranges::all_of(fusion->outputTensors(), [&](TensorView* tv) {
    return innerGroup(tv, classes, context).extent <= kNarrowColumns * kMaxBlocksY;
  });
}

// Whether a scatter writes into rows that fit into shared memory and have enough elements for the
// threads of a block, and of which there are enough for all of the device.
bool scattersInRows(const ScatterOp* scatter, int64_t vectorWidth, const InnerGroup& inner,
                    const DomainClasses& classes, const ScheduleContext& context) {
  const TensorView* out = scatter->out();
  const IterDomain* written = scatter->written();
  const int64_t bits = info(out->dtype()).bits;
  return !out->domain()->hasAllocation() && out->logical().back() == written && bits >= 8 &&
         inner.classes == std::vector<int64_t>{classes.classOf(written)} &&
         inner.extent >= kThreads * vectorWidth && inner.extent * bits / 8 <= kMaxRowBytes &&
         elementsOf(out, context, written) >= context.target.gpu.multiprocessors;
}

}  // namespace

GpuParams gpuPointwiseParams(Fusion* fusion, const ScheduleContext& context) {
  GpuParams params;
  if (hasScan(fusion->tensorExprs())) {
    return gpuScanParams(fusion, context);
  }
  const std::vector<Expr*> exprs = fusion->tensorExprs();
  const DomainClasses classes(exprs);
  // The loops of a scatter run over what is written; vectors are those of the copy.
  const ScatterOp* scatter = scatterAmong(exprs);
  TensorView* reference =
      scatter != nullptr ? scatter->in() : widestOutput(fusion->outputTensors());
  const InnerGroup inner = innerGroup(reference, classes, context);
  chooseVectors(fusion, inner, classes, context, params);
  if (scatter != nullptr) {
    addVectors(fusion, innerGroup(scatter->out(), classes, context), classes, context, params);
  }
  const int64_t elements = elementsOf(reference, context);
  chooseThreads(elements, inner.extent, loadedBytes(fusion, elements, context),
                looksUpInRows(fusion, classes, inner), context, params);
  chooseOrder(fusion, elements, inner, classes, context, params);
  params.hasOuterAlongY = params.isColumnMajor ? fitColumnsAlongY(fusion, classes, context)
                                               : fitRowsAlongY(reference, inner, classes, context);
  const int64_t width = params.vectorWidth;
  if (scatter != nullptr && scattersInRows(scatter, width, inner, classes, context)) {
    params.scattersInRows = true;
    const int64_t vectors = ceilDiv(inner.extent, width);
    params.threadsX = std::min(kRowThreads, powerOfTwoFrom(vectors));
    params.unroll = std::min(kMaxUnroll, powerOfTwoFrom(ceilDiv(vectors, params.threadsX)));
  }
  CacheOp op = CacheOp::Unspecified;
  if (scatter == nullptr) {
    chooseTiles(fusion, reference, inner, classes, context, params);
    if (params.transposeTile == 0 && timesOfCache(fusion, context) > kTimesOfKept &&
        std::ranges::none_of(exprs, &Expr::is<LookupOp>)) {
      op = CacheOp::AllLevels;
    }
  } else if (!params.scattersInRows) {
    // What is written anywhere in global memory stays in the L2 cache rather than what is read.
    op = CacheOp::Streaming;
  }
  chooseCacheOp(op, fusion, context, params);
  return params;
}

void scheduleGpuPointwiseAround(TensorView* reference, const GpuParams& params,
                                const std::vector<TensorView*>& selected,
                                const GlobalCopies& copies) {
  const DomainClasses classes(reference->fusion()->tensorExprs());
  orderLikeMemory(reference, classes);
  mergeContiguous(reference, 0, reference->nLoops() - 1, classes);
  if (reference->nLoops() > 2) {
    mergeRange(reference, 0, reference->nLoops() - 2);
  }
  if (reference->nLoops() == 0) {
    propagateTransforms(reference, selected);
    return;
  }
  const bool hasRows = reference->nLoops() == 2;
  // [rows, columns] -> [rows, columns / (x v), x, v]
  reference->split(-1, params.vectorWidth);
  reference->split(-2, params.threadsX);
  std::vector<ParallelType> types{ParallelType::GridX, ParallelType::Unroll, ParallelType::BlockX,
                                  ParallelType::Vectorize};
  if (hasRows) {
    // -> [rows / (u y), columns / (x v), u, y, x, v], or [rows / y, columns / (u x v), u, y, x, v]
    reference->split(0, params.threadsY);
    if (params.unrollsRows) {
      reference->split(2, params.unroll);
      reference->reorder({{1, 3}});
    } else {
      reference->split(0, params.unroll);
      reference->reorder({{3, 1}});
    }
    types.insert(types.begin() + 2, ParallelType::BlockY);
    if (params.isColumnMajor) {
      reference->reorder({{0, 1}});
    }
    if (params.hasOuterAlongY) {
      types.insert(types.begin(), ParallelType::GridY);
    } else {
      reference->merge(0, 1);
    }
  } else {
    reference->split(0, params.unroll);
  }
  propagateTransforms(reference, selected);
  parallelizeForGpu(reference, types, selected, copies, params);
}

namespace {

// [blocks, tile of the crossing dimension, tile of the innermost one]
void splitIntoTiles(TensorView* reference, const IterDomain* crossing, int64_t tile) {
  const DomainClasses classes(reference->fusion()->tensorExprs());
  orderLikeMemory(reference, classes);
  const auto position = std::ranges::find(reference->loop(), crossing) - reference->loop().begin();
  // The vectors were chosen along all that lies together.
  mergeContiguous(reference, position + 1, reference->nLoops() - 1, classes);
  reference->reorder({{position, -2}});
  reference->split(-1, tile);
  reference->split(-3, tile);
  // [outer, i, ii, j, jj] -> [outer, i, j, ii, jj]
  reference->reorder({{-2, -3}});
  mergeRange(reference, 0, reference->nLoops() - 3);
}

// [blocks, a, b] -> [blocks, serial, threads, (rows of `a`), vector of `b`]; dimensions of one
// element that the reference does not have may lie behind.
void divideTile(TensorView* tv, const GpuParams& params, int64_t rows) {
  tv->split(2, params.vectorWidth);
  if (rows > 1) {
    tv->split(1, rows);
    tv->reorder({{2, 3}});
  }
  tv->merge(1, 2);
  tv->split(1, params.threadsX);
}

void scheduleGpuTiles(TensorView* reference, const GpuParams& params,
                      const std::vector<TensorView*>& connected, const GlobalCopies& copies) {
  const Crossing crossing = findCrossing(reference);
  splitIntoTiles(reference, crossing.domain, params.transposeTile);
  propagateTransforms(reference, connected);
  std::vector<TensorView*> inTile;
  std::vector<TensorView*> behind = connected;
  std::vector<TensorView*> tiles;
  std::vector<TensorView*> words;
  const int64_t rows = params.unroll;
  for (TensorView* load : copies.loads) {
    const auto* input = load->definition()->input(0)->asTensor();
    if (std::ranges::find(crossing.inputs, input) == crossing.inputs.end() || !hasTileLoops(load)) {
      continue;
    }
    TensorView* tile = load->cacheAfter();
    tile->setMemoryType(MemoryType::Shared);
    tiles.push_back(tile);
    inTile.insert(inTile.end(), {load, tile});
    std::erase(behind, load);
    std::vector<TensorView*> copied{tile};
    if (rows > 1) {
      words.push_back(tile->cacheAfter());
      behind.push_back(words.back());
      copied.push_back(words.back());
    }
    propagateTransforms(load, copied);
  }
  for (TensorView* tv : inTile) {
    tv->reorder({{2, 1}});
    if (tv->memoryType() == MemoryType::Shared) {
      // Rows end in a gap of one bank, so that columns lie in different ones.
      const std::vector<IterDomain*> allocation{tv->axis(1), tv->axis(2)};
      tv->domain()->setAllocation(allocation, TensorDomain::fullContiguity(allocation, true));
      tv->setRowPadding(std::max<int64_t>(1, 4 / (info(tv->dtype()).bits / 8)));
    }
    divideTile(tv, params, 1);
  }
  divideTile(reference, params, rows);
  propagateTransforms(reference, behind);
  std::vector<ParallelType> types{ParallelType::GridX, ParallelType::Unroll, ParallelType::BlockX,
                                  ParallelType::Vectorize};
  for (TensorView* tile : tiles) {
    parallelizeForGpu(tile, types, {tile->definition()->input(0)->asTensor()}, copies, params);
  }
  if (rows > 1) {
    types.insert(types.end() - 1, ParallelType::Unroll);
  }
  parallelizeForGpu(reference, types, behind, copies, params);
  // What lies side by side in the tile is written and read as a word, an element for each row.
  for (TensorView* tile : words.empty() ? words : tiles) {
    tile->split(3, rows);
    tile->axis(4)->parallelize(ParallelType::Vectorize);
  }
  for (TensorView* word : words) {
    word->reorder({{3, 4}});
    word->axis(4)->parallelize(ParallelType::Vectorize);
  }
}

// Whether all that some of the tensors load of inputs is loaded in vectors.
bool readsVectors(const std::vector<TensorView*>& tensors, const GlobalCopies& copies,
                  const GpuParams& params) {
  bool any = false;
  for (const TensorView* load : copies.loads) {
    if (std::ranges::find(tensors, load) != tensors.end()) {
      const size_t number = copies.number.at(load);
      if (number >= GlobalCopies::kWorkspace || (params.vectorized >> number & 1) == 0) {
        return false;
      }
      any = true;
    }
  }
  return any;
}

// Neighbours write anywhere, so that vectors are of use only where all that is written is read in
// these.
GpuParams paramsOfWritten(const std::vector<TensorView*>& written, const GlobalCopies& copies,
                          GpuParams params) {
  if (params.isColumnMajor || !readsVectors(written, copies, params)) {
    params.vectorWidth = 1;
    params.vectorized = 0;
  }
  if (params.isColumnMajor) {
    narrowBlocks(params);
  }
  return params;
}

// A kernel for what is copied, one for what is written into it, others for what is computed then.
void scheduleGpuScatter(const ScatterOp* scatter, const GpuParams& params,
                        const GlobalCopies& copies) {
  const ScatterParts parts = partsOf(scatter);
  scheduleGpuPointwiseAround(scatter->in(), params, parts.copied, copies);
  scheduleGpuPointwiseAround(scatter->out(), paramsOfWritten(parts.written, copies, params),
                             parts.written, copies);
  for (const std::vector<TensorView*>& part : parts.behind) {
    scheduleGpuPointwiseAround(widestOutput(outputsAmong(part)), params, part, copies);
  }
  inlineMost(scatter->fusion(), {}, {{scatter->in(), 0}, {scatter->out(), 0}});
}

// [rows, columns / (u x v), u, x, v], a block for each row.
void scheduleRows(TensorView* reference, const GpuParams& params,
                  const std::vector<TensorView*>& selected, const GlobalCopies& copies) {
  mergeRange(reference, 0, reference->nLoops() - 2);
  reference->split(-1, params.vectorWidth);
  reference->split(-2, params.threadsX);
  reference->split(-3, params.unroll);
  propagateTransforms(reference, selected);
  parallelizeForGpu(reference,
                    {ParallelType::GridX, ParallelType::Serial, ParallelType::Unroll,
                     ParallelType::BlockX, ParallelType::Vectorize},
                    selected, copies, params);
}

// A block copies a row to shared memory and writes into it, before it is stored and read by what is
// computed from it.
void scheduleGpuScatterInRows(const ScatterOp* scatter, const GpuParams& params,
                              GlobalCopies& copies) {
  Fusion* fusion = scatter->fusion();
  if (TensorView* out = scatter->out(); out->isFusionOutput()) {
    const std::vector<Expr*> uses = out->uses();
    TensorView* row = out->cacheBefore();
    for (Expr* use : uses) {
      fusion->replaceInput(use, out, row);
    }
    scatter = scatterOf(row);
    copies.stores.push_back(out);
    copies.number[out] = copies.number.at(scatter->in());
  }
  const ScatterParts parts = partsOf(scatter);
  scatter->in()->setMemoryType(MemoryType::Shared);
  scatter->out()->setMemoryType(MemoryType::Shared);
  scheduleRows(scatter->in(), params, parts.copied, copies);
  scheduleRows(scatter->out(), paramsOfWritten(parts.written, copies, params), parts.written,
               copies);
  for (const std::vector<TensorView*>& part : parts.behind) {
    scheduleRows(widestOutput(outputsAmong(part)), params, part, copies);
  }
  inlineMost(fusion, {}, {{scatter->in(), 1}, {scatter->out(), 1}});
}

}  // namespace

void scheduleGpuPointwise(Fusion* fusion, const GpuParams& params) {
  const bool isInRows = params.scattersInRows;
  GlobalCopies copies = separateGlobals(fusion, false, params);
  if (const ScatterOp* scatter = scatterAmong(fusion->tensorExprs())) {
    if (isInRows) {
      scheduleGpuScatterInRows(scatter, params, copies);
    } else {
      scheduleGpuScatter(scatter, params, copies);
    }
    return;
  }
  repeatForResizes(fusion);
  std::vector<TensorView*> outputs = copies.stores;
  const TensorView* first = widestOutput(outputs);
  std::unordered_map<const TensorView*, int64_t> limits;
  // Outputs that have nothing to do with each other are scheduled on their own.
  while (!outputs.empty()) {
    TensorView* reference = widestOutput(outputs);
    const std::vector<TensorView*> connected = connectedWith(reference);
    if (TensorView* scanned = scanAmong(connected)) {
      scheduleGpuScanAround(scanned, params, connected, copies, limits);
    } else if (reference == first && params.transposeTile > 0) {
      scheduleGpuTiles(reference, params, connected, copies);
    } else {
      scheduleGpuPointwiseAround(reference, params, connected, copies);
    }
    std::erase_if(outputs, [&](TensorView* tv) {
      return std::ranges::find(connected, tv) != connected.end();
    });
  }
  inlineMost(fusion, {}, limits);
}

}  // namespace nvfuser::heuristics
