// What the schedulers of reductions and normalizations share.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "schedule/heuristics/reductions.h"
#include "schedule/schedulers/gpu/base.h"

namespace nvfuser::schedulers::gpu {

// Empty, or why no scheduler of this type can divide a fusion of this structure among threads.
std::string rejectReductions(const FusionSummary& summary, SchedulerType type);
// The same of rows that threads hold: they read again what is cut out of these.
std::string rejectPersistentRows(const FusionSummary& summary, SchedulerType type);

// Of the widest reduction.
struct ReductionShape {
  int64_t kept = 1;
  int64_t reduced = 1;
  InnerGroup inner;
  // Whether rows are reduced: what vectors are chosen along decides about the loops.
  bool isInner = true;
  // Of what is loaded for an element.
  int64_t bytes = 1;
};
ReductionShape shapeOfReduction(const FusionSummary& summary, const ScheduleContext& context,
                                Leads leads = Leads::Outputs);
// Of that one, which `summary` has.
ReductionShape shapeOfReduction(TensorView* reference, const FusionSummary& summary,
                                const ScheduleContext& context, Leads leads = Leads::Outputs);

// Whether the elements of a row follow each other in memory.
bool isRun(const ReductionShape& shape);
// Whether outputs lie along columns of a reduction whose inputs all lie along what it reduces, as
// products of all pairs of rows do: those are read as rows. Threads have short columns alone.
bool readsRows(const ReductionShape& shape, const FusionSummary& summary,
               const ScheduleContext& context);
// Vectors of rows, which may begin anywhere if these are runs.
GpuVectors vectorsOfRows(const ReductionShape& shape, const FusionSummary& summary,
                         const ScheduleContext& context);

// Gives the rest of a warp a part of short rows that few threads of the device have: vectors of
// fewer elements take less time, and there are no other rows to wait for.
void shareShortRows(const ReductionShape& shape, const ScheduleContext& context,
                    GpuVectors& vectors);

// Whether threads have columns of so few rows alone.
bool areWholeColumns(const ReductionShape& shape, const ScheduleContext& context);
// Whether kernels know how many elements are reduced: what threads have of them in registers has a
// known size then.
bool reducesKnownSizes(const TensorView* reduction);
// Vectors of so many bytes that a thread loads before it waits for the first.
int64_t mostUnroll(int64_t bytesOfVector, const GpuTuning& tuning);
// The threads that a device has something to do for, before each of them has more.
int64_t busyThreads(const ScheduleContext& context);
// Vectors of a row shorter than a warp for each of its threads, of which there is a power of two:
// as many as leave the fewest threads without one. Single elements, and vectors of so few bytes
// together, are several all the same, so that threads combine them in fewer steps.
int64_t vectorsOfShortRows(const ReductionShape& shape, const GpuVectors& vectors,
                           int64_t bytesAtOnce, const ScheduleContext& context);
// The fewest parts with which no block has more rounds than with so many.
int64_t partsOfEqualRounds(int64_t rounds, int64_t parts);
// Inputs that stay in the L2 cache until kernels that write as much as they read run again.
Eviction evictionOfPersistent(const FusionSummary& summary, const ScheduleContext& context);

// Of reductions of whole fusions, and of those of each stage of normalizations.
GpuInnerReductionParams innerReductionParams(const ReductionShape& shape, bool isPersistent,
                                             const FusionSummary& summary,
                                             const ScheduleContext& context);
GpuOuterReductionParams outerReductionParams(const ReductionShape& shape, bool isPersistent,
                                             const FusionSummary& summary,
                                             const ScheduleContext& context);

// How the loops of a reduction run, outermost first, and which of them divides it among blocks, or
// runs over vectors of inputs along what is reduced (negative for none).
struct Arrangement {
  std::vector<ParallelType> types;
  int64_t partLoop = -1;
  int64_t acrossLoop = -1;
};

// Threads of whole warps that have so many vectors, `batches` each.
int64_t threadsFor(int64_t vectors, int64_t batches, const GpuProperties& device);

// Brings the dimensions of `reference` into the order [kept, reduced] or, where a kept dimension is
// innermost in memory, [kept, columns, reduced], merged to one loop each. Returns how many loops
// there are in front of the reduced one.
int64_t mergeKinds(TensorView* reference, bool hasColumns, Leads leads = Leads::Outputs);
void divideLoop(TensorView* reference, int64_t loop, int64_t factor, bool isExact,
                bool innerSplit = true);

// The loops of reductions.
struct ReductionLoops {
  // Gives a reduction its loops.
  std::function<Arrangement(TensorView*)> arrange;
  GpuVectors vectors;
  // Along what is reduced.
  GpuVectors across = {};
  // Moments of what a thread reads at once are merged with each other first.
  bool mergesAtOnce = false;
  // Parts that blocks reduce.
  int64_t parts = 1;
  // Threads that combine parts at a time, and vectors of columns of a block that does; 0: rows.
  int64_t combiningThreads = 1;
  int64_t combiningColumns = 0;
};
ReductionLoops innerReductionLoops(const GpuInnerReductionParams& params,
                                   Leads leads = Leads::Outputs);
ReductionLoops outerReductionLoops(const GpuOuterReductionParams& params,
                                   Leads leads = Leads::Outputs);

// Gives the reductions among tensors their loops, with all that has to do with them.
class ReductionSchedule {
 public:
  ReductionSchedule(Fusion* fusion, ReductionLoops loops)
      : fusion_(fusion), loops_(std::move(loops)) {}

  // What reads and writes memory; to be set first.
  GlobalCopies copies;
  // How many loops a tensor shares with what uses it.
  std::unordered_map<const TensorView*, int64_t> limits;

  // Reductions that are computed from different tensors share no loops: one group of them after the
  // other.
  void schedule(std::vector<TensorView*> tensors, const std::vector<Expr*>& exprs);

 private:
  void readAcross(const Arrangement& arrangement, const std::vector<TensorView*>& tensors) const;
  void mergeAtOnce(const Arrangement& arrangement) const;
  void scheduleParts(const std::vector<TensorView*>& reductions,
                     const std::vector<TensorView*>& tensors, const Arrangement& arrangement);
  void splitCombiningColumns(const std::vector<TensorView*>& reductions, int64_t partLoop,
                             const std::vector<TensorView*>& behind) const;

  Fusion* fusion_;
  ReductionLoops loops_;
};

// One kernel, or two where blocks share a reduction.
void scheduleReduction(Fusion* fusion, const ReductionLoops& loops, const GpuReadOnce& readOnce);

// The loops of normalizations in one kernel.
struct PersistentLoops {
  ReductionLoops loops;
  GpuReadOnce readOnce;
  // Cheap operations that a later stage computes again at most.
  int64_t recomputedOps = 0;
  // Vectors that a thread has in registers; what only the last stage needs is read there, one by
  // one. 0: all is read first.
  int64_t batches = 0;
  // Whether a thread has several of what is kept.
  bool unrollsKept = false;
  // Whether what stages share of a row lies in shared memory, and nothing in registers: everything
  // else is computed again.
  bool sharesRows = false;
  // Whether blocks go from row to row and copy the next one to shared memory meanwhile; what all
  // rows are combined with stays in registers.
  bool copiesAhead = false;
  // Whether what needs two passes over rows is computed in one: threads wait for each other once,
  // and not twice.
  bool takesOnePass = false;
};
// Puts what several stages need of rows, and `mayShare`, in shared memory, from where each stage
// reads it in the vectors in which it was loaded. `isAhead`: the next row is copied there
// meanwhile. Returns what is there.
std::vector<TensorView*> placeInShared(Fusion* fusion, GlobalCopies& copies,
                                       const GpuVectors& vectors, bool isAhead,
                                       const std::function<bool(const TensorView*)>& mayShare);
// What the threads of a block combine, in bytes of each.
int64_t bytesOfReductions(const FusionSummary& whole);
// Whether the vectors of a load can be copied to shared memory without registers in between.
bool mayCopyAsync(const TensorView* load, size_t number, const GpuVectors& vectors);
void schedulePersistent(Fusion* fusion, const PersistentLoops& loops);
// The same of some expressions, whose operands in registers are `persistent` and what they load.
void schedulePersistentRows(ReductionSchedule& schedule, const PersistentLoops& loops,
                            std::vector<TensorView*> persistent,
                            const std::vector<TensorView*>& tensors,
                            const std::vector<Expr*>& exprs);

// Tiles for the last stage of a normalization, which turn inputs that lie across its output;
// nothing where it has none.
std::optional<GpuTransposeParams> tilesOfLastStage(const FusionSummary& summary,
                                                   const ScheduleContext& context);
// Whether blocks of one kernel would each read a few elements of many lines of memory, so often
// that kernels for each stage, which read along memory, take less time.
bool readsAcrossMemory(const FusionSummary& summary, const ScheduleContext& context);

// Of rows in registers; nothing for rows that do not fit there. `mayAlign`: rows that begin
// anywhere may have the whole vectors of memory.
std::optional<GpuInnerPersistentParams> innerPersistentParams(const ReductionShape& shape,
                                                              const FusionSummary& summary,
                                                              const ScheduleContext& context,
                                                              bool mayAlign = false);
PersistentLoops innerPersistentLoops(const GpuInnerPersistentParams& params);

}  // namespace nvfuser::schedulers::gpu
