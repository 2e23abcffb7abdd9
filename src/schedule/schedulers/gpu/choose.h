// What the schedulers for devices with threads share in choosing parameters.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/heuristics/common.h"
#include "schedule/scheduler.h"
#include "schedule/schedulers/gpu/params.h"

namespace nvfuser::schedulers::gpu {

using namespace heuristics;

// The innermost dimensions of a tensor that are contiguous as one in all inputs and outputs.
struct InnerGroup {
  std::vector<int64_t> classes;
  int64_t extent = 1;
  LoopsOf kind = LoopsOf::Dimensions;
  // Of several dimensions that are one in memory, it is the innermost.
  bool isInnermost = false;
};
InnerGroup innerGroup(TensorView* reference, const FusionSummary& summary,
                      const ScheduleContext& context, LoopsOf kind = LoopsOf::Dimensions,
                      Leads leads = Leads::Outputs);
// The same where only these tensors are in memory.
InnerGroup innerGroup(TensorView* reference, const std::vector<TensorView*>& memory, LoopsOf kind,
                      const FusionSummary& summary, const ScheduleContext& context);
// The same for blocks of rows and columns: where inputs have parts of the dimensions elsewhere, as
// heads that are transposed, those that are one in each part, if these are whole vectors.
InnerGroup innerGroupOfBlocks(TensorView* reference, const FusionSummary& summary,
                              const ScheduleContext& context);

// The elements of a tensor, without those of a dimension that is left out.
int64_t elementsOf(const TensorView* tv, const ScheduleContext& context,
                   const IterDomain* leftOut = nullptr);
// The bytes that a tensor is counted with, at least one for each element.
int64_t bytesOf(const TensorView* tv, const ScheduleContext& context);
// The bytes of an element of inputs, of all that have as many dimensions as `tv`.
int64_t bytesLoadedFor(const FusionSummary& summary, const TensorView* tv);

// The blocks of a multiprocessor that have so many bytes of shared memory each; 0: not one.
int64_t blocksWithShared(int64_t bytes, const GpuProperties& device);
// Whether a device runs clusters of so many blocks, if its multiprocessors have so many blocks
// each.
bool runsClusters(const ScheduleContext& context, int64_t clusterBlocks, int64_t blocks);
// The clusters that a device runs at a time, if its multiprocessors have so many blocks each.
int64_t clustersAtATime(const ScheduleContext& context, int64_t clusterBlocks, int64_t blocks);
// The threads that a device runs at a time, if they have few registers.
int64_t threadsAtATime(const ScheduleContext& context);
// The blocks of so many threads, with so many registers each, that a device runs at a time.
int64_t blocksAtATime(const ScheduleContext& context, int64_t threads, int64_t registers);

// The widest accesses that sizes, strides and addresses allow.
GpuVectors chooseVectors(const InnerGroup& inner, const FusionSummary& summary,
                         const ScheduleContext& context);
// The same of accesses to these tensors alone, by kernels that pass others to each other; with
// `most` elements.
GpuVectors chooseVectors(const InnerGroup& inner, const std::vector<TensorView*>& memory,
                         int64_t most, const FusionSummary& summary,
                         const ScheduleContext& context);
// The same for rows that are the inner group, but begin and end anywhere: where no vector fits
// them, those of memory, in which rows follow each other.
GpuVectors chooseVectorsOfRows(const InnerGroup& rows, const FusionSummary& summary,
                               const ScheduleContext& context);
// Where no vector fits rows, but all of them together, and few tensors have something else for each
// of their elements then: makes them one row, of these vectors.
void fitVectorsToAllRows(TensorView* reference, LoopsOf kind, const FusionSummary& summary,
                         const ScheduleContext& context, InnerGroup& inner, GpuVectors& vectors);
// Where all dimensions are one row in which no vector ends with it, takes the innermost dimension
// for `inner`, if its rows can have aligned vectors.
void fitVectorsToInnermost(TensorView* reference, const FusionSummary& summary,
                           const ScheduleContext& context, InnerGroup& inner, GpuVectors& vectors);
// How many there are of so many elements of a row.
int64_t vectorsOf(int64_t elements, const GpuVectors& vectors);
// Whether some input, and not one of far fewer elements than others, does not lie along the group.
bool readsAcross(const InnerGroup& inner, const FusionSummary& summary,
                 const ScheduleContext& context);
// Adds to `tensors` what can be accessed in vectors of that width along another group.
void addVectors(const InnerGroup& group, const FusionSummary& summary,
                const ScheduleContext& context, GpuVectors& vectors);

// What inputs and outputs have together, as a multiple of the L2 cache; 0 where that is not known.
double timesOfCache(const FusionSummary& summary, const ScheduleContext& context);
// Inputs that have not far fewer elements than others, which would be read again for each of those;
// none where these leave the cache in turn.
GpuReadOnce chooseReadOnce(Eviction eviction, const FusionSummary& summary,
                           const ScheduleContext& context);

// Blocks of rows and columns of the outputs, `elements` each.
GpuBlocks chooseBlocks(int64_t elements, const InnerGroup& inner, const GpuVectors& vectors,
                       const FusionSummary& summary, const ScheduleContext& context);
// The same where a kernel reads these tensors alone.
GpuBlocks chooseBlocks(int64_t elements, const InnerGroup& inner, const GpuVectors& vectors,
                       const std::vector<TensorView*>& inputs, const ScheduleContext& context);
// Makes one of two, where there are many: each takes time to begin.
void joinManyBlocks(int64_t elements, const GpuVectors& vectors, bool hasRows,
                    const ScheduleContext& context, GpuBlocks& blocks);
// Leaves blocks that are column-major a few columns, for elements that are each in any row.
void takeFewColumns(const GpuVectors& vectors, const ScheduleContext& context, GpuBlocks& blocks);
// Such blocks for lookups.
GpuBlocks chooseLookupBlocks(TensorView* reference, const InnerGroup& inner,
                             const GpuVectors& vectors, const FusionSummary& summary,
                             const ScheduleContext& context);
// Whether rows that are reached at positions which a tensor holds would not stay in the L2 cache
// until they are reached again, but do if blocks that run at a time share a few columns. No more
// rows are reached than there are positions. What is written is merged in the cache as long as it
// fits; what is read competes with all the rest.
bool reachesManyRows(const Expr* expr, const InnerGroup& inner, const FusionSummary& summary,
                     const ScheduleContext& context);
// Sets unrollsOutermost, where an input has some dimensions of the rows, but not the outermost one:
// factors of all heads or of a whole batch.
void shareAlongOutermost(const TensorView* reference, const InnerGroup& inner,
                         const FusionSummary& summary, const ScheduleContext& context,
                         GpuBlocks& blocks);
// Sets hasOuterAlongY, where there are few enough rows, or blocks of columns.
void countAlongY(TensorView* reference, const InnerGroup& inner, const FusionSummary& summary,
                 const ScheduleContext& context, GpuBlocks& blocks);
// The same for loops of so many elements.
void countAlongY(int64_t elements, const InnerGroup& inner, const ScheduleContext& context,
                 GpuBlocks& blocks);

}  // namespace nvfuser::schedulers::gpu
