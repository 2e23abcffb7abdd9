#include "lower/passes.h"

#include <array>
#include <string>

#include "core/options.h"
#include "lower/apart_totals.h"
#include "lower/barriers.h"
#include "lower/blocked_sums.h"
#include "lower/compute_in_branches.h"
#include "lower/copy_ahead.h"
#include "lower/fold_rows.h"
#include "lower/interleave.h"
#include "lower/join_reductions.h"
#include "lower/leave_early.h"
#include "lower/lift_conditions.h"
#include "lower/load_first.h"
#include "lower/mask_rests.h"
#include "lower/merge_vectors.h"
#include "lower/predicate_loads.h"
#include "lower/prefetch.h"
#include "lower/refuse_marks.h"
#include "lower/reuse_loads.h"
#include "lower/split_loops.h"
#include "lower/split_periods.h"
#include "lower/stream_results.h"
#include "lower/unroll_and_jam.h"
#include "lower/verify.h"

namespace nvfuser {

namespace {

bool always(const Capabilities& /*can*/) { return true; }
bool hasThreads(const Capabilities& can) { return can.hasThreads; }
bool hasNoThreads(const Capabilities& can) { return !can.hasThreads; }
bool prefetches(const Capabilities& can) { return can.hasPrefetch; }
bool masks(const Capabilities& can) { return can.hasMaskedVectors; }
bool streams(const Capabilities& can) { return can.hasStreamingStores; }

constexpr std::array kPasses{
    // With threads.
    KernelPass{"loadFirst", loadFirst, hasThreads,
               "loads of inputs move in front of a reduction or scan over threads",
               "before insertBarriers, because it moves statements and barriers keep their place"},
    KernelPass{"joinReductions", joinReductions, hasThreads,
               "reductions over threads that need nothing of each other share their barriers",
               "behind loadFirst, which leaves less to move; before insertBarriers, as that"},
    KernelPass{"lookUpEarly", lookUpEarly, hasThreads,
               "what is looked up behind a reduction over threads is looked up before it",
               "behind loadFirst, which moves the positions; before predicateLoads, which makes "
               "statements of their own of what a lookup reads or else has"},
    KernelPass{"predicateLoads", predicateLoads, hasThreads,
               "what is loaded or else has a value is loaded under one condition",
               "behind loadFirst, which moves loads with all of their conditions"},
    KernelPass{"liftConditions", liftConditions, hasThreads,
               "a condition that holds for whole vectors is that of their first element",
               "behind predicateLoads, which joins conditions of the elements"},
    KernelPass{"reuseLoads", reuseLoads, hasThreads,
               "elements of a vector that a thread has loaded are read from that",
               "behind liftConditions: what is read has to be loaded under the same conditions"},
    KernelPass{"branchOnWholeVectors", branchOnWholeVectors, hasThreads,
               "elements of vectors that are whole are computed without conditions of their own",
               "behind liftConditions, which may leave none"},
    KernelPass{"mergeVectors", mergeVectors, hasThreads,
               "moments and exponentials of several values of a thread are merged together",
               "behind branchOnWholeVectors: of whole vectors the number of values is known"},
    KernelPass{"computeInBranches", computeInBranches, hasThreads,
               "functions that only one side of a branch needs are evaluated there",
               "behind predicateLoads and mergeVectors, which look for what was lowered"},
    KernelPass{"insertBarriers", insertBarriers, hasThreads,
               "barriers order what the threads of a block exchange through memory",
               "after all that moves or adds accesses to memory"},
    KernelPass{"copyAhead", copyAhead, hasThreads,
               "what the next iteration copies to shared memory is on its way during this one",
               "behind insertBarriers, which says where an iteration waits for its copies"},
    KernelPass{"leaveEarly", leaveEarly, hasThreads,
               "threads that write nothing do nothing, where none waits for another one",
               "behind insertBarriers, which says where threads wait, and all that knows loads by "
               "their conditions"},
    KernelPass{
        "noteHeldTensors", noteHeldTensors, hasThreads,
        "reductions over threads note the local tensors of reduced precision that live across them",
        "last, because it asks what stands before and after each reduction"},
    // Without.
    KernelPass{"splitPeriods", splitPeriods, hasNoThreads,
               "loops over rows whose conditions repeat become loops over rows and their elements",
               "before splitLoops, which divides these at the conditions"},
    KernelPass{"splitLoops", splitLoops, hasNoThreads,
               "loops are divided where a condition in them changes",
               "before the others, which look for loops without branches: it knows the statements "
               "of the lowering only"},
    KernelPass{"accumulateRowsApart", accumulateRowsApart, hasNoThreads,
               "what is reduced over rows of few elements is accumulated for each of them",
               "after splitLoops, behind which loops are one for all of their elements or have no "
               "constant extent"},
    KernelPass{"prefetchResults", prefetchResults, prefetches,
               "the row that the last of several loops writes is prefetched after the first",
               "after splitLoops, which may divide the last loop; before foldRows and jamRows, "
               "which make several loops of one that would count here"},
    KernelPass{"foldRows", foldRows, hasNoThreads,
               "rows of few columns are accumulated as one long row",
               "before jamRows, whose loops over rows have another one behind them"},
    KernelPass{"jamRows", jamRows, hasNoThreads, "several rows are done at once (unroll and jam)",
               "before streamResults, which would leave no loop over columns alone in one over "
               "rows"},
    KernelPass{"prefetchNextTile", prefetchNextTile, prefetches,
               "what the next transposed tile reads is prefetched with the rows of this one",
               "before streamResults: it looks for the loop over columns as the schedule has it"},
    KernelPass{
        "prefetchFarRows", prefetchFarRows, prefetches,
        "short rows that lie far apart are prefetched some rows ahead",
        "behind jamRows, whose loops have requests of their own, and prefetchNextTile; before "
        "streamResults, as that one"},
    KernelPass{"streamResults", streamResults, streams,
               "results larger than the caches are stored past them, in whole lines",
               "after what looks for loops of the schedule; before prefetchNextRow"},
    KernelPass{"prefetchNextRow", prefetchNextRow, prefetches,
               "what the next row reads is prefetched by a loop over this one",
               "after streamResults, into whose groups of lines it puts its requests"},
    KernelPass{"sumInBlocks", sumInBlocks, hasNoThreads,
               "long sums add up those of blocks, whose errors are smaller",
               "behind prefetchNextRow, whose groups have accumulators of their own; before "
               "maskRests, which divides what is left behind the blocks"},
    KernelPass{
        "maskRests", maskRests, masks,
        "what rows have beside whole groups of vectors is computed by masked vectors",
        "behind the passes that make loops, which choose for these; before interleave, which "
        "chooses for the whole groups"},
    KernelPass{"interleave", interleave, hasNoThreads,
               "loops that evaluate functions compute several vectors in an iteration",
               "behind the passes that make loops, which choose for these"},
    // Always.
    KernelPass{"refuseMarks", refuseMarks, always,
               "marks of a user that no pass obeyed are errors that say what was expected",
               "last: what is left over by then was not obeyed"},
};

void dump(const PassContext& context, const std::string& when) {
  if (isOn(Option::dump_kernel_ir_passes)) {
    printDump("Kernel IR of " + phaseName(context.kernel, context.phase) + " " + when,
              toString(context.kernel, context.phase));
  }
}

}  // namespace

std::span<const KernelPass> kernelPasses() { return kPasses; }

void runKernelPasses(const PassContext& context) {
  dump(context, "before the passes");
  if (verifiesKernels()) {
    verify(context.kernel, context.phase, "the lowering");
  }
  for (const KernelPass& pass : kPasses) {
    if (!pass.isFor(context.target.capabilities)) {
      continue;
    }
    pass.run(context);
    dump(context, std::string("after ") + pass.name);
    if (verifiesKernels()) {
      verify(context.kernel, context.phase, pass.name);
    }
  }
}

}  // namespace nvfuser
