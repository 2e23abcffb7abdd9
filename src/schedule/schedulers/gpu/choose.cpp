#include "schedule/schedulers/gpu/choose.h"

#include <algorithm>
#include <set>

#include "device/memory.h"
#include "ir/logical_map.h"
#include "schedule/heuristics/references.h"
#include "schedule/limits.h"
#include "schedule/slices.h"

namespace nvfuser::schedulers::gpu {

namespace {

InnerGroup groupOf(const std::vector<const IterDomain*>& domains, const FusionSummary& summary,
                   const ScheduleContext& context) {
  InnerGroup group;
  for (const IterDomain* id : domains) {
    group.classes.push_back(summary.classes().classOf(id));
    if (!id->isBroadcast()) {
      group.extent *= context.extent(id->extent());
    }
  }
  return group;
}

}  // namespace

InnerGroup innerGroup(TensorView* reference, const FusionSummary& summary,
                      const ScheduleContext& context, LoopsOf kind, Leads leads) {
  InnerGroup group = groupOf(summary.innerDomains(reference, kind, leads), summary, context);
  group.kind = kind;
  return group;
}

InnerGroup innerGroup(TensorView* reference, const std::vector<TensorView*>& memory, LoopsOf kind,
                      const FusionSummary& summary, const ScheduleContext& context) {
  InnerGroup group = groupOf(summary.innerDomains(reference, memory, kind), summary, context);
  group.kind = kind;
  return group;
}

InnerGroup innerGroupOfBlocks(TensorView* reference, const FusionSummary& summary,
                              const ScheduleContext& context) {
  const InnerGroup whole = innerGroup(reference, summary, context);
  const InnerGroup parts = innerGroup(reference, summary, context, LoopsOf::Pieces);
  const int64_t vector = kVectorBytes * 8 / std::max(info(reference->dtype()).bits, 8);
  return parts.extent < whole.extent && parts.extent % vector == 0 ? parts : whole;
}

int64_t elementsOf(const TensorView* tv, const ScheduleContext& context,
                   const IterDomain* leftOut) {
  int64_t elements = 1;
  for (const IterDomain* id : tv->visible()) {
    elements *= id == leftOut || id->isBroadcast() ? 1 : context.extent(id->extent());
  }
  return elements;
}

int64_t bytesOf(const TensorView* tv, const ScheduleContext& context) {
  return elementsOf(tv, context) * std::max(info(tv->dtype()).bits, 8) / 8;
}

int64_t bytesLoadedFor(const FusionSummary& summary, const TensorView* tv) {
  const auto rankOf = [](const TensorView* of) {
    return std::ranges::count_if(of->logical(),
                                 [](const IterDomain* id) { return !id->isBroadcast(); });
  };
  int64_t bytes = 0;
  // What it reduces is loaded, too.
  for (const TensorView* input : summary.inputs()) {
    if (rankOf(input) >= rankOf(tv)) {
      bytes += std::max(info(input->dtype()).bits, 8) / 8;
    }
  }
  return bytes;
}

int64_t threadsAtATime(const ScheduleContext& context) {
  const GpuProperties& gpu = context.target.gpu;
  return gpu.multiprocessors * gpu.threadsPerMultiprocessor;
}

int64_t blocksAtATime(const ScheduleContext& context, int64_t threads, int64_t registers) {
  const GpuProperties& gpu = context.target.gpu;
  const int64_t ofMultiprocessor =
      std::min({gpu.blocksPerMultiprocessor, gpu.threadsPerMultiprocessor / threads,
                gpu.registersPerMultiprocessor / (threads * registers)});
  return std::max<int64_t>(ofMultiprocessor, 1) * gpu.multiprocessors;
}

int64_t blocksWithShared(int64_t bytes, const GpuProperties& device) {
  // What every block has for the system is not its own.
  const int64_t ofSystem = device.sharedBytesPerMultiprocessor - device.sharedBytesPerBlock;
  return bytes > device.sharedBytesPerBlock
             ? 0
             : device.sharedBytesPerMultiprocessor / (bytes + ofSystem);
}

bool runsClusters(const ScheduleContext& context, int64_t clusterBlocks, int64_t blocks) {
  const GpuProperties& device = context.target.gpu;
  return clusterBlocks <= kPortableClusterBlocks ||
         (device.clustersAtATime && device.clustersAtATime(clusterBlocks, blocks) > 0);
}

int64_t clustersAtATime(const ScheduleContext& context, int64_t clusterBlocks, int64_t blocks) {
  const GpuProperties& device = context.target.gpu;
  if (clusterBlocks > 1 && device.clustersAtATime) {
    if (const int64_t known = device.clustersAtATime(clusterBlocks, blocks)) {
      return known;
    }
  }
  // A cluster lies within a part of the device, whose multiprocessors pairs divide, but not always
  // what is larger.
  const int64_t leftOut = clusterBlocks > 2 ? 1 : 0;
  const int64_t clusters = device.multiprocessors / clusterBlocks - leftOut;
  return std::max<int64_t>(clusters, 1) * blocks;
}

double timesOfCache(const FusionSummary& summary, const ScheduleContext& context) {
  if (context.target.gpu.l2Bytes == 0) {
    return 0;
  }
  int64_t bytes = 0;
  for (const TensorView* tv : summary.globals()) {
    bytes += bytesOf(tv, context);
  }
  return static_cast<double>(bytes) / static_cast<double>(context.target.gpu.l2Bytes);
}

namespace {

int64_t mostElements(const FusionSummary& summary, const ScheduleContext& context) {
  int64_t most = 0;
  for (const TensorView* tv : summary.globals()) {
    most = std::max(most, elementsOf(tv, context));
  }
  return most;
}

// Whether an input has not far fewer elements than the largest tensor, for each of which it would
// be read again.
bool isReadOnce(const TensorView* tv, int64_t most, const ScheduleContext& context) {
  return elementsOf(tv, context) * context.tuning.gpu.readOnceShare >= most;
}

}  // namespace

namespace {

// Whether an input is read several times, and is so large that what else is read must not take its
// place in the cache meanwhile.
bool sharesLargeInput(const FusionSummary& summary, int64_t most, const ScheduleContext& context) {
  return std::ranges::any_of(summary.inputs(), [&](const TensorView* tv) {
    return 2 * elementsOf(tv, context) <= most &&
           bytesOf(tv, context) * context.tuning.gpu.sharedCacheShare >= context.target.gpu.l2Bytes;
  });
}

}  // namespace

GpuReadOnce chooseReadOnce(Eviction eviction, const FusionSummary& summary,
                           const ScheduleContext& context) {
  GpuReadOnce readOnce;
  const int64_t most = mostElements(summary, context);
  if (eviction == Eviction::InTurn ||
      (eviction == Eviction::Last && sharesLargeInput(summary, most, context))) {
    return readOnce;
  }
  const std::vector<TensorView*>& globals = summary.globals();
  for (size_t i = 0; i < std::min(globals.size(), limits::kNumberedTensors); ++i) {
    // The memory of peers is in none of this device's caches.
    if (globals[i]->isFusionInput() && globals[i]->memoryType() != MemoryType::Symmetric &&
        isReadOnce(globals[i], most, context)) {
      readOnce.inputs |= uint64_t{1} << i;
    }
  }
  readOnce.eviction = readOnce.inputs != 0 ? eviction : Eviction::InTurn;
  return readOnce;
}

namespace {

int64_t slicesOf(const TensorView* tv) {
  return std::ranges::count_if(tv->uses(), &Expr::is<SliceOp>);
}

bool isSliced(const TensorView* tv) { return slicesOf(tv) > 0; }

// Whether vectors of an input may begin anywhere.
bool isReadUnaligned(const TensorView* tv) {
  return tv->isFusionInput() && isSliced(tv) && std::ranges::all_of(tv->uses(), readsUnaligned);
}

// Where the vectors of an input begin that is only sliced.
enum class VectorsBegin : uint8_t { Aligned, Anywhere };

// Whether a dimension of a tensor can be divided into vectors of that width: slices and pads of its
// class begin and end with whole ones, or only inputs do not whose vectors begin anywhere.
bool beginsWithVectors(const TensorView* tv, const IterDomain* id, int64_t width,
                       VectorsBegin begin, const DomainClasses& classes,
                       const ScheduleContext& context) {
  const int64_t place = classes.classOf(id);
  if (classes.isResizedByMultiples(place, width, context.extent)) {
    return true;
  }
  if (!classes.isCutFromInputs(place, width, context.extent)) {
    return false;
  }
  if (isSliced(tv)) {
    return begin == VectorsBegin::Anywhere && isReadUnaligned(tv);
  }
  return context.extent(id->extent()) % width == 0 &&
         std::ranges::all_of(tv->fusion()->inputs(), [](const Val* input) {
           const TensorView* other = input->isTensor() ? input->asTensor() : nullptr;
           return other == nullptr || !isSliced(other) || isReadUnaligned(other);
         });
}

// What kernels pass to each other is row-major, without gaps, and begins with a vector.
bool isPassed(const TensorView* tv) { return !tv->isFusionInput() && !tv->isFusionOutput(); }

int64_t alignmentOf(const TensorView* tv, const ScheduleContext& context) {
  return isPassed(tv) ? context.tuning.gpu.vectorBytes : context.alignment(tv);
}

std::vector<int64_t> stridesOf(const TensorView* tv, const ScheduleContext& context) {
  if (!isPassed(tv)) {
    return context.strides(tv);
  }
  const std::vector<IterDomain*> visible = tv->visible();
  std::vector<int64_t> strides(visible.size());
  int64_t stride = 1;
  for (size_t i = visible.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= visible[i]->isBroadcast() ? 1 : context.extent(visible[i]->extent());
  }
  return strides;
}

// How many of the innermost dimensions of a tensor are, without a gap, what reshapes merge into
// one; none where others are among them.
size_t dimensionsOf(const IterDomain* merged, const TensorView* tv, const DomainClasses& classes) {
  const std::vector<const IterDomain*> pieces = classes.pieces(merged);
  const auto& allocation = tv->domain()->maybeAllocation();
  size_t found = 0;
  for (size_t i = allocation.size(); i-- > 0 && found < pieces.size();) {
    const IterDomain* id = allocation[i];
    if (id->isReduction() || id->isBroadcast()) {
      continue;
    }
    if (!tv->domain()->contiguity()[i].value_or(false) ||
        classes.classOf(id) != classes.classOf(pieces[pieces.size() - 1 - found])) {
      return 0;
    }
    ++found;
  }
  return found == pieces.size() ? found : 0;
}

// How wide the elements of `tv` along the inner group can be accessed, in elements; 0 where the
// tensor does not lie along it.
int64_t widthOf(const TensorView* tv, VectorsBegin begin, const InnerGroup& inner,
                const FusionSummary& summary, const ScheduleContext& context) {
  const GpuTuning& tuning = context.tuning.gpu;
  const DomainClasses& classes = summary.classes();
  const auto& allocation = tv->domain()->maybeAllocation();
  const auto& contiguity = tv->domain()->contiguity();
  const std::vector<IterDomain*> visible = tv->visible();
  const std::vector<int64_t> strides = stridesOf(tv, context);
  const auto isInner = [&](const IterDomain* id) {
    return std::ranges::find(inner.classes, classes.classOf(id)) != inner.classes.end();
  };
  const int64_t most = context.hasVectors ? tuning.vectorBytes * tuning.accessesOfVector : 0;
  const int64_t bits = info(tv->dtype()).bits;
  const bool isAligned = begin == VectorsBegin::Aligned || !isReadUnaligned(tv);
  int64_t width = 1;
  while (2 * width * bits / 8 <= most && inner.extent % (2 * width) == 0 &&
         (!isAligned || alignmentOf(tv, context) %
                                std::clamp<int64_t>(2 * width * bits / 8, 1, tuning.vectorBytes) ==
                            0)) {
    width *= 2;
  }
  bool isFirst = true;
  size_t along = 0;
  size_t ofFirst = 0;
  for (size_t i = allocation.size(); i-- > 0;) {
    const IterDomain* id = allocation[i];
    if (id->isReduction() || id->isBroadcast()) {
      continue;
    }
    // Two dimensions that run along the same one, of x + x.t(), lie differently for each use.
    along += isInner(id);
    if (along > inner.classes.size()) {
      return 0;
    }
    if (isFirst) {
      const auto way = classes.alongReshapes(id, inner.classes);
      if (way.empty() || !contiguity[i].value_or(false)) {
        return 0;
      }
      ofFirst = way.size() > 1 ? dimensionsOf(way.front(), tv, classes) : 0;
      // No vector crosses from one part of what reshapes divide or join into the next, unless they
      // follow each other in memory.
      for (const IterDomain* part : way) {
        while (way.size() > 1 && (ofFirst == 0 || part == way.front()) &&
               context.extent(part->extent()) % width != 0) {
          width /= 2;
        }
      }
      // Where each element of what is cut is found by itself, vectors of the others begin anywhere.
      while (width > 1 && inner.kind != LoopsOf::Elements &&
             !beginsWithVectors(tv, id, width, begin, classes, context)) {
        width /= 2;
      }
      isFirst = false;
    } else if (ofFirst > 1) {
      --ofFirst;
    } else if (isAligned && !isInner(id)) {
      const auto place = static_cast<size_t>(std::ranges::find(visible, id) - visible.begin());
      while (strides[place] % width != 0) {
        width /= 2;
      }
    }
  }
  return isFirst ? 0 : width;
}

// A whole vector of the narrowest type, but no more than a few accesses of the widest one, nor than
// `most` elements.
int64_t fullWidth(const std::vector<const TensorView*>& tensors, int64_t most,
                  const ScheduleContext& context) {
  const GpuTuning& tuning = context.tuning.gpu;
  const int64_t bitsOfVector = 8 * tuning.vectorBytes;
  int64_t elements = 0;
  for (const TensorView* tv : tensors) {
    elements = std::max(elements, elementsOf(tv, context));
  }
  int64_t width = 1;
  int64_t limit = most;
  for (const TensorView* tv : tensors) {
    const int64_t bits = info(tv->dtype()).bits;
    const bool isStored =
        !tv->isFusionInput() && elementsOf(tv, context) * tuning.readOnceShare >= elements;
    const int64_t accesses = isStored ? std::min(tuning.storesOfVector, tuning.accessesOfVector)
                                      : tuning.accessesOfVector;
    width = std::max(width, std::min(bitsOfVector / bits, tuning.elementsOfVector));
    limit = std::min(limit, std::max<int64_t>(accesses * bitsOfVector / bits, 1));
  }
  return std::min(width, limit);
}

// Whether a tensor's innermost dimensions are the group, without a gap.
bool hasRows(const TensorView* tv, const InnerGroup& rows, const FusionSummary& summary,
             const ScheduleContext& context) {
  const auto& allocation = tv->domain()->maybeAllocation();
  int64_t extent = 1;
  for (size_t i = allocation.size(); i-- > 0 && extent < rows.extent;) {
    const IterDomain* id = allocation[i];
    if (id->isReduction() || id->isBroadcast()) {
      continue;
    }
    const int64_t own = summary.classes().classOf(id);
    if (!tv->domain()->contiguity()[i].value_or(false) || summary.classes().isResized(own) ||
        std::ranges::find(rows.classes, own) == rows.classes.end()) {
      return false;
    }
    extent *= context.extent(id->extent());
  }
  return extent == rows.extent;
}

// The classes of the dimensions of such a tensor, outermost first, if it has no gaps at all;
// nothing for others.
std::vector<int64_t> classesOfRows(const TensorView* tv, const InnerGroup& rows,
                                   const FusionSummary& summary, const ScheduleContext& context) {
  std::vector<int64_t> classes;
  if (!hasRows(tv, rows, summary, context)) {
    return classes;
  }
  const auto& allocation = tv->domain()->maybeAllocation();
  for (size_t i = 0; i < allocation.size(); ++i) {
    const IterDomain* id = allocation[i];
    if (id->isReduction() || id->isBroadcast()) {
      continue;
    }
    classes.push_back(summary.classes().classOf(id));
    if (!tv->domain()->contiguity()[i].value_or(false) ||
        summary.classes().isResized(classes.back())) {
      return {};
    }
  }
  return classes;
}

}  // namespace

int64_t vectorsOf(int64_t elements, const GpuVectors& vectors) {
  return ceilDiv(elements + (vectors.alignsRows ? vectors.width - 1 : 0), vectors.width);
}

GpuVectors chooseVectorsOfRows(const InnerGroup& rows, const FusionSummary& summary,
                               const ScheduleContext& context) {
  const GpuTuning& tuning = context.tuning.gpu;
  const GpuVectors whole = chooseVectors(rows, summary, context);
  const std::vector<TensorView*>& globals = summary.globals();
  const auto elements = [&](const TensorView* tv) { return elementsOf(tv, context); };
  // Rows that are looked up begin elsewhere than those that they become.
  const bool movesRows = std::ranges::any_of(
      summary.lookups(), [](const LookupOp* lookup) { return lookup->isOfSlices(); });
  if (whole.width > 1 || !context.hasSizes || !context.hasVectors || globals.empty() || movesRows) {
    return whole;
  }
  const TensorView* widest = *std::ranges::max_element(globals, {}, elements);
  if (elements(widest) * tuning.singleElementShare < threadsAtATime(context)) {
    return whole;
  }
  const std::vector<int64_t> classes = classesOfRows(widest, rows, summary, context);
  if (classes.empty() || elements(widest) == rows.extent) {
    return whole;
  }
  std::vector<const TensorView*> alike;
  int64_t others = 0;
  GpuVectors vectors{.alignsRows = true};
  for (size_t i = 0; i < std::min(globals.size(), limits::kNumberedTensors); ++i) {
    const TensorView* tv = globals[i];
    const int64_t bits = info(tv->dtype()).bits;
    // Values that are rounded where they are stored are stored as whole vectors.
    const bool isStorable = bits >= 8 && tv->dtype() != DataType::Float8_e4m3fn;
    if (isStorable && elements(tv) == elements(widest) &&
        context.alignment(tv) % tuning.vectorBytes == 0 &&
        classesOfRows(tv, rows, summary, context) == classes) {
      alike.push_back(tv);
      vectors.tensors |= uint64_t{1} << i;
    } else {
      others += hasRows(tv, rows, summary, context);
    }
  }
  ScheduleContext ofRows = context;
  ofRows.tuning.gpu.accessesOfVector = tuning.rowAccessesOfVector;
  vectors.width = fullWidth(alike, tuning.elementsOfVector, ofRows);
  // Elements of the others are apart by as much as a vector has, for the threads of a warp.
  const bool areFew = others <= tuning.alignedOthers ||
                      (others * vectors.width <= std::ssize(alike) * tuning.alignedOthersWidth &&
                       rows.extent >= tuning.alignedOthersRow);
  const bool isWorth =
      vectors.width > 1 && areFew && rows.extent >= tuning.alignedVectors * vectors.width;
  return isWorth ? vectors : whole;
}

GpuVectors chooseVectors(const InnerGroup& inner, const FusionSummary& summary,
                         const ScheduleContext& context) {
  return chooseVectors(inner, summary.globals(), context.tuning.gpu.elementsOfVector, summary,
                       context);
}

GpuVectors chooseVectors(const InnerGroup& inner, const std::vector<TensorView*>& memory,
                         int64_t most, const FusionSummary& summary,
                         const ScheduleContext& context) {
  std::vector<int64_t> widths;
  std::vector<const TensorView*> along;
  for (const TensorView* tv : memory) {
    widths.push_back(widthOf(tv, VectorsBegin::Anywhere, inner, summary, context));
    if (widths.back() > 0) {
      along.push_back(tv);
    }
  }
  int64_t width = fullWidth(along, most, context);
  const int64_t widest = widths.empty() ? 1 : *std::ranges::max_element(widths);
  while (width > 1 && (inner.extent % width != 0 || widest < width)) {
    width /= 2;
  }
  GpuVectors vectors{.width = width};
  vectors.fitResizes =
      width > 1 && std::ranges::all_of(inner.classes, [&](int64_t place) {
        return summary.classes().isResizedByMultiples(place, width, context.extent);
      });
  vectors.fitViews =
      width > 1 && summary.classes().areViewedByMultiples(inner.classes, width, context.extent);
  addVectors(inner, summary, context, vectors);
  return vectors;
}

void fitVectorsToAllRows(TensorView* reference, LoopsOf kind, const FusionSummary& summary,
                         const ScheduleContext& context, InnerGroup& inner, GpuVectors& vectors) {
  const GpuTuning& tuning = context.tuning.gpu;
  if (!context.hasSizes || (vectors.width > 1 && !vectors.alignsRows)) {
    return;
  }
  const std::vector<TensorView*>& globals = summary.globals();
  const std::vector<TensorView*> whole = ofAllDimensions(reference, globals, summary.classes());
  const InnerGroup all = innerGroup(reference, whole, kind, summary, context);
  // Where what is cut is found one by one, rows that stay apart may have vectors, too.
  if ((all.extent == inner.extent && kind != LoopsOf::Elements) ||
      std::ssize(globals) - std::ssize(whole) > tuning.dividedTensors) {
    return;
  }
  GpuVectors ofAll = chooseVectors(all, whole, tuning.elementsOfVector, summary, context);
  if (ofAll.width == 1) {
    return;
  }
  // The others' elements are found one by one.
  for (size_t i = 0; i < std::min(globals.size(), limits::kNumberedTensors); ++i) {
    if (std::ranges::find(whole, globals[i]) == whole.end()) {
      ofAll.tensors &= ~(uint64_t{1} << i);
    }
  }
  ofAll.mergesRows = true;
  ofAll.mergesCut = kind == LoopsOf::Elements;
  inner = all;
  vectors = ofAll;
}

namespace {

bool hasRandom(const FusionSummary& whole) {
  return std::ranges::any_of(whole.exprs(), &Expr::is<RandomOp>);
}

}  // namespace

void fitVectorsToInnermost(TensorView* reference, const FusionSummary& summary,
                           const ScheduleContext& context, InnerGroup& inner, GpuVectors& vectors) {
  const auto domains = summary.innerDomains(reference, LoopsOf::Dimensions, Leads::Outputs);
  if (vectors.width > 1 || inner.extent != elementsOf(reference, context) || domains.empty()) {
    return;
  }
  InnerGroup innermost = groupOf({domains.front()}, summary, context);
  innermost.isInnermost = true;
  ScheduleContext ofRows = context;
  if (summary.fact(hasRandom)) {
    // Threads that are idle at the ends of rows cost more than narrow accesses.
    int64_t& most = ofRows.tuning.gpu.elementsOfVector;
    most = std::min(most, ofRows.tuning.gpu.elementsOfNarrowVector);
  }
  const GpuVectors aligned = chooseVectorsOfRows(innermost, summary, ofRows);
  if (aligned.alignsRows) {
    inner = innermost;
    vectors = aligned;
  }
}

bool readsAcross(const InnerGroup& inner, const FusionSummary& summary,
                 const ScheduleContext& context) {
  const int64_t most = mostElements(summary, context);
  return std::ranges::any_of(summary.inputs(), [&](const TensorView* tv) {
    return isReadOnce(tv, most, context) &&
           widthOf(tv, VectorsBegin::Anywhere, inner, summary, context) == 0;
  });
}

void addVectors(const InnerGroup& group, const FusionSummary& summary,
                const ScheduleContext& context, GpuVectors& vectors) {
  const std::vector<TensorView*>& globals = summary.globals();
  for (size_t i = 0; vectors.width > 1 && i < std::min(globals.size(), limits::kNumberedTensors);
       ++i) {
    const auto fit = [&](VectorsBegin begin) {
      return widthOf(globals[i], begin, group, summary, context) >= vectors.width;
    };
    // Several that begin anywhere would each be shifted together: single elements take less, which
    // neighbours have in common.
    const bool begins = isSliced(globals[i]) && !fit(VectorsBegin::Aligned);
    if (fit(VectorsBegin::Anywhere) &&
        !(begins && slicesOf(globals[i]) > context.tuning.gpu.slicesAnywhere)) {
      vectors.tensors |= uint64_t{1} << i;
      vectors.sliceAnywhere = vectors.sliceAnywhere || begins;
    }
  }
}

}  // namespace nvfuser::schedulers::gpu
