// Blocks of rows and columns for element-wise operations and lookups.
#include <algorithm>
#include <numeric>

#include "schedule/schedulers/gpu/choose.h"

namespace nvfuser::schedulers::gpu {

namespace {

// Bytes of inputs that a thread loads for an element of the output, those of parts that are
// concatenated together, and of what is looked up one element for each time.
int64_t loadedBytes(const std::vector<TensorView*>& inputs, int64_t elements,
                    const ScheduleContext& context) {
  int64_t bytes = 0;
  for (const TensorView* input : inputs) {
    const int64_t lookups = std::ranges::count_if(
        input->uses(), [&](const Expr* use) { return isLookedUp(input, use); });
    bytes += lookups > 0 ? lookups * elements * std::max(info(input->dtype()).bits / 8, 1)
                         : bytesOf(input, context);
  }
  return bytes / std::max<int64_t>(elements, 1);
}

// Bytes that a thread stores for an element of the widest output.
int64_t storedBytes(const std::vector<TensorView*>& outputs, int64_t elements,
                    const ScheduleContext& context) {
  int64_t bytes = 0;
  for (const TensorView* output : outputs) {
    bytes += bytesOf(output, context);
  }
  return bytes / std::max<int64_t>(elements, 1);
}

// Whether an operand is in memory.
bool readsTensor(const Expr* expr) {
  return std::ranges::any_of(expr->inputs(), [](const Val* in) {
    return in->isTensor() && in->asTensor()->isFusionInput();
  });
}

// Whether positions are what a tensor in memory holds, which may be anything. Those that are
// computed, as where rows are turned or rolled, follow each other.
bool isHeld(const TensorView* index) {
  return index->isFusionInput() || readsTensor(index->definition()) ||
         std::ranges::any_of(exprsAbove({index->definition()}), readsTensor);
}

// Whether rows are read at positions that a tensor holds, so that every element of a row may be
// needed anywhere in it.
bool looksUpInRows(const InnerGroup& inner, const FusionSummary& summary) {
  return std::ranges::any_of(summary.lookups(), [&](const LookupOp* lookup) {
    return !inner.classes.empty() && isHeld(lookup->index()) &&
           summary.classes().find(lookup->out()->logical(), inner.classes.front()) == lookup->dim();
  });
}

// The bytes of the rows one of which is read or written at a position that a tensor holds; 0 where
// these are positions in a row.
int64_t bytesOfReachedRows(const Expr* expr, const InnerGroup& inner, const FusionSummary& summary,
                           const ScheduleContext& context) {
  const auto* lookup = expr->as<LookupOp>();
  const auto* scatter = expr->as<ScatterOp>();
  if ((lookup == nullptr && scatter == nullptr) || inner.classes.empty()) {
    return 0;
  }
  const auto* tv = expr->input(0)->asTensor();
  const std::vector<IterDomain*> dims = tv->visible();
  const int64_t dim = lookup != nullptr ? lookup->dim() : scatter->dim();
  const int64_t columns = summary.classes().find(dims, inner.classes.front());
  const TensorView* index = lookup != nullptr ? lookup->index() : scatter->index();
  if (columns < 0 || columns == dim || !isHeld(index)) {
    return 0;
  }
  // No more than there are positions.
  const int64_t positions =
      lookup != nullptr && lookup->isOfSlices()
          ? elementsOf(index, context)
          : context.extent(index->visible()[static_cast<size_t>(dim)]->extent());
  const int64_t rows =
      std::min(context.extent(dims[static_cast<size_t>(dim)]->extent()), positions);
  return rows * inner.extent * info(tv->dtype()).bits / 8;
}

// Whether there are as few rows as a device has blocks along y. Rows are at least as long as the
// innermost dimension.
bool fitRowsAlongY(TensorView* reference, const InnerGroup& inner, const FusionSummary& summary,
                   const ScheduleContext& context) {
  const auto fits = [&](const TensorView* tv) {
    const int64_t innermost =
        inner.classes.empty() ? -1 : summary.classes().find(tv->logical(), inner.classes.front());
    const IterDomain* columns =
        innermost < 0 ? nullptr : tv->logical()[static_cast<size_t>(innermost)];
    return elementsOf(tv, context, columns) <= context.target.gpu.blocksAlongY;
  };
  // Outputs that are scheduled on their own may have other rows, too.
  return fits(reference) && std::ranges::all_of(summary.outputs(), fits);
}

// Whether that holds for blocks of columns, narrow ones included.
bool fitColumnsAlongY(const InnerGroup& inner, const FusionSummary& summary,
                      const ScheduleContext& context) {
  return std::ranges::all_of(summary.outputs(), [&](TensorView* tv) {
    return innerGroup(tv, summary, context, inner.kind).extent <=
           context.tuning.gpu.anyRowColumns * context.target.gpu.blocksAlongY;
  });
}

// Rows of a block of about `most` threads, so many of them along a row. Where one is most of a
// block, these are as many as make whole warps.
int64_t rowsOfBlock(int64_t threads, int64_t most, const ScheduleContext& context) {
  const int64_t warp = context.target.gpu.warpSize;
  return most > threads && most < 2 * threads ? warp / std::gcd(threads, warp)
                                              : std::max<int64_t>(most / threads, 1);
}

// Threads along rows of so many vectors, of blocks of about `most`: a power of two, or another
// number that leaves clearly fewer threads without work. There are few such numbers, so that rows
// of other lengths have the same kernels.
int64_t threadsAlongRows(int64_t vectors, bool hasRows, int64_t most,
                         const ScheduleContext& context) {
  const int64_t warp = context.target.gpu.warpSize;
  const auto shareInUse = [&](int64_t threads) {
    const int64_t rows = hasRows ? rowsOfBlock(threads, most, context) : 1;
    const int64_t lanes = ceilDiv(threads * rows, warp) * warp * ceilDiv(vectors, threads);
    return static_cast<double>(vectors * rows) / static_cast<double>(lanes);
  };
  const auto threadsOfBlock = [&](int64_t threads) {
    return threads * (hasRows ? rowsOfBlock(threads, most, context) : 1);
  };
  const int64_t power = std::min(most, powerOfTwoFrom(vectors));
  const int64_t share = ceilDiv(vectors, ceilDiv(vectors, most));
  // Rounded up by an eighth at most.
  const int64_t step =
      std::clamp<int64_t>(powerOfTwoFrom(share) / 8, 1, context.tuning.gpu.rowThreadsStep);
  const int64_t equal = ceilDiv(share, step) * step;
  // Rows of several rounds may have one more.
  const int64_t least = vectors <= most ? equal : std::min(equal, most / 2 + step);
  int64_t best = power;
  for (int64_t threads = equal; threads >= least; threads -= step) {
    const double gain = shareInUse(threads) - shareInUse(best);
    const bool isSmaller = best != power && threadsOfBlock(threads) < threadsOfBlock(best);
    if (threads < power && (gain > context.tuning.gpu.rowThreadsGain || (gain >= 0 && isSmaller))) {
      best = threads;
    }
  }
  return best;
}

// The blocks where a thread has so many bytes of each element on their way.
GpuBlocks blocksFor(int64_t bytesOfElement, int64_t elements, const InnerGroup& inner,
                    const GpuVectors& vectors, const ScheduleContext& context) {
  const GpuTuning& tuning = context.tuning.gpu;
  const int64_t vectorsOfRow = vectorsOf(inner.extent, vectors);
  GpuBlocks blocks;
  blocks.keepsPieces = inner.kind == LoopsOf::Pieces;
  blocks.keepsInnermost = inner.isInnermost;
  const bool hasRows = inner.extent < elements;
  blocks.threadsX = threadsAlongRows(vectorsOfRow, hasRows, tuning.pointwiseThreads, context);
  blocks.threadsY = hasRows ? rowsOfBlock(blocks.threadsX, tuning.pointwiseThreads, context) : 1;
  const int64_t bytes = std::max<int64_t>(bytesOfElement, 1) * vectors.width;
  // Blocks enough to fill the device come before work for each.
  const int64_t wanted = blocksAtATime(context, tuning.pointwiseThreads, tuning.registersOfThread);
  while (blocks.unroll < tuning.pointwiseUnroll &&
         bytes * blocks.unroll < tuning.pointwiseBytesInFlight &&
         elements / (vectors.width * tuning.pointwiseThreads * 2 * blocks.unroll) >= wanted) {
    blocks.unroll *= 2;
  }
  blocks.unrollsRows =
      blocks.unroll > 1 && vectorsOfRow >= tuning.pointwiseUnroll * blocks.threadsX * blocks.unroll;
  return blocks;
}

}  // namespace

bool reachesManyRows(const Expr* expr, const InnerGroup& inner, const FusionSummary& summary,
                     const ScheduleContext& context) {
  const int64_t l2Bytes = context.target.gpu.l2Bytes;
  const int64_t resident =
      expr->is<ScatterOp>() ? l2Bytes : l2Bytes / context.tuning.gpu.lookupCacheShare;
  return bytesOfReachedRows(expr, inner, summary, context) > resident;
}

namespace {

bool hasViews(const FusionSummary& whole) {
  return std::ranges::any_of(whole.exprs(), &Expr::is<ReshapeOp>);
}

}  // namespace

void shareAlongOutermost(const TensorView* reference, const InnerGroup& inner,
                         const FusionSummary& summary, const ScheduleContext& context,
                         GpuBlocks& blocks) {
  const DomainClasses& classes = summary.classes();
  // Of rows, outermost first.
  std::vector<const IterDomain*> rows;
  for (const int64_t position : memoryOrder(reference, summary.outputs(), classes)) {
    const IterDomain* id = reference->logical()[static_cast<size_t>(position)];
    if (!id->isBroadcast() &&
        std::ranges::find(inner.classes, classes.classOf(id)) == inner.classes.end()) {
      rows.push_back(id);
    }
  }
  // Views say which loops are merged.
  if (blocks.unroll == 1 || blocks.unrollsRows || rows.empty() || inner.classes.empty() ||
      context.extent(rows.front()->extent()) % blocks.unroll != 0 ||
      classes.isResized(classes.classOf(rows.front())) || summary.fact(hasViews)) {
    return;
  }
  const auto has = [&](const TensorView* tv, int64_t number) {
    return std::ranges::any_of(tv->visible(), [&](const IterDomain* id) {
      return !id->isBroadcast() && classes.classOf(id) == number;
    });
  };
  const auto isShared = [&](const TensorView* input) {
    return has(input, inner.classes.back()) && !has(input, classes.classOf(rows.front())) &&
           std::ranges::any_of(
               rows, [&](const IterDomain* id) { return has(input, classes.classOf(id)); });
  };
  blocks.unrollsOutermost = std::ranges::any_of(summary.inputs(), isShared);
}

void countAlongY(TensorView* reference, const InnerGroup& inner, const FusionSummary& summary,
                 const ScheduleContext& context, GpuBlocks& blocks) {
  blocks.hasOuterAlongY =
      context.hasSizes &&
      (blocks.isColumnMajor ? fitColumnsAlongY(inner, summary, context)
                            : fitRowsAlongY(reference, inner, summary, context));
}

void countAlongY(int64_t elements, const InnerGroup& inner, const ScheduleContext& context,
                 GpuBlocks& blocks) {
  const int64_t outer = blocks.isColumnMajor ? ceilDiv(inner.extent, blocks.threadsX)
                                             : ceilDiv(elements, inner.extent);
  blocks.hasOuterAlongY = context.hasSizes && outer <= context.target.gpu.blocksAlongY;
}

GpuBlocks chooseBlocks(int64_t elements, const InnerGroup& inner, const GpuVectors& vectors,
                       const FusionSummary& summary, const ScheduleContext& context) {
  return blocksFor(std::max(loadedBytes(summary.inputs(), elements, context),
                            storedBytes(summary.outputs(), elements, context)),
                   elements, inner, vectors, context);
}

GpuBlocks chooseBlocks(int64_t elements, const InnerGroup& inner, const GpuVectors& vectors,
                       const std::vector<TensorView*>& inputs, const ScheduleContext& context) {
  return blocksFor(loadedBytes(inputs, elements, context), elements, inner, vectors, context);
}

void joinManyBlocks(int64_t elements, const GpuVectors& vectors, bool hasRows,
                    const ScheduleContext& context, GpuBlocks& blocks) {
  const int64_t ofBlock = vectors.width * blocks.threadsX * blocks.threadsY * blocks.unroll;
  if (context.hasSizes &&
      elements / ofBlock >= context.tuning.gpu.manyBlocks * context.target.gpu.multiprocessors) {
    (hasRows ? blocks.threadsY : blocks.threadsX) *= 2;
  }
}

void takeFewColumns(const GpuVectors& vectors, const ScheduleContext& context, GpuBlocks& blocks) {
  const GpuTuning& tuning = context.tuning.gpu;
  blocks.threadsX =
      std::min(blocks.threadsX, std::max<int64_t>(tuning.anyRowColumns / vectors.width, 1));
  blocks.threadsY = tuning.pointwiseThreads / blocks.threadsX;
  blocks.unroll = 1;
}

GpuBlocks chooseLookupBlocks(TensorView* reference, const InnerGroup& inner,
                             const GpuVectors& vectors, const FusionSummary& summary,
                             const ScheduleContext& context) {
  const GpuTuning& tuning = context.tuning.gpu;
  const int64_t elements = elementsOf(reference, context);
  GpuBlocks blocks = chooseBlocks(elements, inner, vectors, summary, context);
  if (looksUpInRows(inner, summary)) {
    const int64_t threads = std::min(tuning.lookupThreads, context.target.gpu.threadsPerBlock);
    const int64_t vectorsOfRow = ceilDiv(inner.extent, vectors.width);
    const bool hasRows = inner.extent < elements;
    blocks.threadsX = threadsAlongRows(vectorsOfRow, hasRows, threads, context);
    blocks.threadsY = hasRows ? rowsOfBlock(blocks.threadsX, tuning.pointwiseThreads, context) : 1;
    blocks.unrollsRows = blocks.unroll > 1 && vectorsOfRow >= blocks.threadsX * blocks.unroll;
  }
  if (elements <= inner.extent) {
    return blocks;
  }
  for (const LookupOp* lookup : summary.lookups()) {
    if (!reachesManyRows(lookup, inner, summary, context)) {
      continue;
    }
    blocks.isColumnMajor = true;
    blocks.unrollsRows = false;
    if (!lookup->isOfSlices()) {
      takeFewColumns(vectors, context, blocks);
    }
  }
  return blocks;
}

}  // namespace nvfuser::schedulers::gpu
