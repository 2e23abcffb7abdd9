// Lowering: how a scheduled fusion becomes a kernel, one class in several files.
//
//   phases.cpp       what holds for the whole kernel, its phases and their memory
//   loops.cpp        loops, and where they end
//   conditions.cpp   when an element exists
//   expressions.cpp  what is computed in the innermost loop
//   reductions.cpp   reductions over threads
//   scans.cpp        scans
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "device/target.h"
#include "ir/fusion.h"
#include "lower/builder.h"
#include "lower/index.h"
#include "lower/kernel.h"
#include "lower/threads.h"
#include "schedule/loop_tree.h"
#include "schedule/scan_loops.h"

namespace nvfuser {

class Lowering {
 public:
  Lowering(Fusion* fusion, std::string name, const Target& target, bool separates = false)
      : fusion_(fusion),
        target_(target),
        can_(target.capabilities),
        separates_(separates),
        kernel_(std::make_unique<kir::Kernel>()),
        strides_(kernel_.get()) {
    kernel_->fusion = fusion;
    kernel_->name = std::move(name);
    kernel_->lineBytes = target.cpu.lineBytes;
  }

  std::unique_ptr<kir::Kernel> run();

 private:
  // Of the position of a loop.
  using PositionTest = std::function<bool(int64_t)>;
  // Adds a condition.
  using Require = std::function<void(Val*)>;
  // Null where there is none.
  using IndexOf = std::function<Val*(const IterDomain*)>;

  // -------------------------------------------------------------------------------- phases.cpp

  void addPointer(TensorView* tv);
  // Clusters are of a number of blocks that the device can have.
  void checkClusters() const;
  // What schedules for the GPU ask for means plain loops here, but for the outermost one.
  void useOneThread();
  // A reshape divides dimensions into whole parts.
  void assumeReshapesFit();
  // A vectorized loop has no remainder: sizes for which there is one are not run with this kernel.
  void assumeVectorsFit();
  // A tensor that another phase reads must be in memory that all workers see.
  void assignMemory(const std::vector<std::vector<LoopNode::Item>>& phases);
  // What a scatter writes into is computed in the memory of its result.
  void shareMemoryOfScatters();
  TensorView* memoryOf(TensorView* tv) const {
    const auto shared = written_.find(tv);
    return shared == written_.end() ? tv : shared->second;
  }
  // Workspaces are dense, in the order of an allocation domain of whole dimensions.
  static void useOwnLayout(TensorView* tv);
  void lowerPhase(std::vector<LoopNode::Item>& items);
  // CUDA: a phase runs over what an earlier one read, too, from the end where that one came last.
  void chooseDirection(const std::vector<Expr*>& exprs);
  // Where a heuristic's loops run over some tensor far more often than any has elements, it is
  // refused.
  void checkIterations() const;
  void allocate(const std::vector<Expr*>& exprs);
  // The offset of so many bytes of scratch memory, which is handed out in cache lines.
  Val* takeScratch(Val* bytes);

  // --------------------------------------------------------------------------------- loops.cpp

  void lowerItem(LoopNode::Item& item, kir::Block& block, bool isTopLevel);
  static TensorView* tensorOf(Expr* expr) { return expr->output(0)->asTensor(); }
  static int64_t firstReductionLoop(const TensorView* tv);
  // The member that says what the loop runs over: a concrete one where there is one.
  static const LoopNode::Member& representative(const LoopNode& node);
  // The copy that a loop and the one inside of it are a transposed tile of; null for other loops.
  static Expr* tileOf(const LoopNode& node);
  // A tile of two loops whose inner one runs along the lines of the result and whose outer one
  // along those of the operand. Returns whether it is such a tile; plain loops do for any other.
  bool lowerTransposedCopy(LoopNode& node, kir::Block& block);
  void lowerLoop(LoopNode& node, kir::Block& block, bool isTopLevel);
  // What tensors that share a loop ask of it.
  static LoopMarks marksOf(const LoopNode& node);
  Val* threadIndex(ParallelType type) const;
  // Whether the loop is the inner part of a split whose outer part is then cut off or extended:
  // what shares the loop may end elsewhere.
  static bool isResizedOutside(const LoopNode::Member& member);
  // The loop over the inner part of a split that does not divide evenly ends where the domain ends,
  // if the enclosing loops already determine the outer part.
  Val* clippedStop(const LoopNode::Member& member, Val* extent);
  // Where the loop over these members ends, which needs no condition inside it where that is before
  // the extent.
  Val* clipped(const LoopNode::Member& leader, const std::vector<LoopNode::Member>& members);
  // Whether a member computes elements of local variables from elements of such alone: one that
  // does not exist has memory, too, and may have any value.
  static bool isOfLocals(const LoopNode::Member& member);
  bool isThreadLoop(const IterDomain* id) const;
  // Opens loops over the loops of `tv` behind those that `indices` has, which it completes, and
  // returns the body of the innermost one. Those of one element have no loop, and neither have
  // those of which `indexOf` knows the index.
  kir::Block* openOwnLoops(const TensorView* tv, std::vector<Val*>& indices, kir::Block& block,
                           const IndexOf& indexOf);
  // Opens loops over those of `tv` from `depth` on, but for those of threads and those that are
  // left out. Returns the indices and the body of the innermost loop.
  std::pair<std::vector<Val*>, kir::Block*> openLoops(const TensorView* tv, int64_t depth,
                                                      kir::Block& block,
                                                      const PositionTest& isLeftOut);

  // ---------------------------------------------------------------------------- conditions.cpp

  // When the element computed at the current indices exists; of a reduction, when there is
  // something to add to it, unless it is the result as such that is asked for.
  // `ofVector`: when any element of the vector that begins there exists.
  Val* predicate(TensorView* tv, DomainIndices& indices, bool ofResult = false,
                 bool ofVector = false);
  // There may be more threads than a tensor has use for.
  void requireOwnThreads(const TensorView* tv, DomainIndices& indices, const Require& require);
  // On CUDA, what threads compute for themselves beyond the end of a tensor does no harm as long as
  // it stays in their registers.
  bool mayRunAnywhere(const Expr* expr) const;
  static bool isLogical(const TensorView* tv, const IterDomain* id);
  void requireOnce(const Merge* merge, DomainIndices& indices, const Require& require);
  // That the index of what is resized is one of an element.
  void requireInside(const Resize* resize, Val* index, const Require& require);
  // What is loaded for one piece of a stack is loaded there only, though it has one element along
  // it, which could be read anywhere.
  void requireForPad(const TensorView* tv, DomainIndices& indices, const Require& require);
  void requireInRow(const Align* align, DomainIndices& indices, bool ofVector,
                    const Require& require);

  // --------------------------------------------------------------------------- expressions.cpp

  void lowerInit(Expr* expr, int64_t depth, kir::Block& block);
  void emit(kir::Statement statement, Val* condition, kir::Block& block);
  // Whether every element of the result is one of the operand's.
  static bool isCopy(const Expr* expr);
  // Elements that a copy in a vectorized loop moves at once; 1 outside of one.
  int64_t vectorWidth(Expr* expr, DomainIndices& indices);
  // The copy of a vector of aligned rows, of which elements may be of a neighbouring row.
  void lowerAligned(kir::Compute copy, DomainIndices& indices, kir::Block& block);
  // Reads the index, then the element at that position. Where there is no such position the result
  // is 0; on the CPU that is reported.
  void lowerLookup(LookupOp* lookup, const std::vector<Val*>& indices, DomainIndices& domainIndices,
                   kir::Block& block);
  // Reads the index, then writes the element at that position. Where there is no such position
  // nothing is written; on the CPU it is the first one, and reported.
  void lowerScatter(ScatterOp* scatter, const std::vector<Val*>& indices,
                    DomainIndices& domainIndices, kir::Block& block);
  // The condition on indices by which a `where` chooses between its operands, null for others.
  static Val* orderThatChooses(const Expr* expr, const std::vector<Val*>& indices);
  // Copies the input, of those from `first` on, that the element comes from.
  static kir::Statement chooseInput(CatOp* cat, size_t first, Val* index,
                                    const kir::Access& written,
                                    const std::vector<kir::Operand>& inputs);
  kir::LoadIndex loadIndex(Expr* expr, const kir::Lookup& lookup, kir::Access index);
  void lowerExpr(Expr* expr, kir::Block& block);

  // ---------------------------------------------------------------------------- reductions.cpp

  // Blocks cannot wait for each other: where they reduce together, each leaves its part in global
  // memory, and another kernel combines the parts.
  void divideGridReductions();
  // Shuffles between the threads of a warp need all of them.
  static bool reducesAlongX(const std::vector<Expr*>& exprs);
  static bool isReducedByThreads(const TensorView* tv);
  static bool isReducedAlong(const TensorView* tv, ParallelType type);
  // A local array for what a thread keeps of a tensor inside its loops from `depth` on.
  struct ThreadLocal {
    TensorView* array = nullptr;
    BufferDomains domains;
  };
  ThreadLocal addThreadLocal(const TensorView* tv, DataType dtype, int64_t depth);
  // Combines the parts of reductions that the threads of a block have computed in the loops from
  // `depth` on.
  void reduceOverThreads(const std::vector<Expr*>& reductions, int64_t depth, kir::Block& block);
  // One of the threads that have the result of a reduction writes it.
  void storeResult(TensorView* tv, int64_t depth, kir::Block& block);
  // So many values like those of `tv`: in all, or for each thread.
  Val* bytesOf(const TensorView* tv, int64_t count) const;
  Val* bytesForThreads(const TensorView* tv, int64_t count);
  // What threads, and blocks of a cluster, tell each other.
  Val* bytesFor(const kir::BlockReduce& reduce);
  // The indices that a reduction keeps apart in its loops from `depth` on.
  std::vector<std::vector<Val*>> reducedIndices(TensorView* tv, int64_t depth);
  // The indices that threads keep apart in the loops of `tv` from `depth` on that they do not
  // combine.
  std::vector<std::vector<Val*>> keptIndices(TensorView* tv, int64_t depth,
                                             const PositionTest& isCombined);
  // Whether a reduction accumulates in the registers of a thread: threads share its result.
  bool isAccumulatedApart(const TensorView* tv) const { return accumulators_.contains(tv); }
  // What a reduction accumulates into: an element of such, or of its result.
  kir::Access accumulated(TensorView* tv, DomainIndices& indices);

  // --------------------------------------------------------------------------------- scans.cpp

  // How a scan is computed.
  struct Scan {
    ScanLoops loops;
    // Divided among threads: the first of the loops that are computed as a whole, in pieces.
    // Negative where every element is combined with all before it at once.
    int64_t pieces = -1;
    // What has been combined so far, of each column: a scalar of that position in the loops inside.
    TensorView* carry = nullptr;
    // In pieces: what each of them combines to, and the elements so far.
    TensorView* total = nullptr;
    // Nothing: in the result itself.
    std::optional<ThreadLocal> partial;
  };

  const Scan& scanOf(ScanOp* op);
  DataType carryType(const ScanOp* op) const;
  bool isScanned(ScanOp* op, int64_t position) { return scanOf(op).loops.contains(position); }
  // Whether a loop runs over the elements of the pieces, which follow each other.
  static bool isElement(const Scan& scan, int64_t position);
  // The number of an element among those for each position of the loops of `tv` from `first` on
  // that are not combined, and how many these are.
  std::pair<Val*, Val*> placeAmong(const TensorView* tv, int64_t first,
                                   const std::vector<Val*>& indices,
                                   const PositionTest& isCombined);
  // A variable for each position of the loops of a scan from `first` on that are not combined.
  TensorView* addCarry(ScanOp* op, DataType dtype, int64_t first, const PositionTest& isCombined);
  kir::Access carryOf(ScanOp* op, const std::vector<Val*>& indices);
  kir::Access totalOf(ScanOp* op, const std::vector<Val*>& indices);
  // The element of a piece so far.
  kir::Access partialOf(ScanOp* op, DomainIndices& indices);
  // What the carry of a scan begins with in front of its outermost loop, and each piece.
  void lowerScanInit(ScanOp* op, int64_t depth, kir::Block& block);
  // Sets the carry to what precedes the part of a block: for the first one as `start` does.
  kir::Statement startOfPart(ScanOp* op, const std::vector<Val*>& indices, kir::Assign start);
  // Once all pieces are combined for themselves: combines their elements with what precedes them.
  void joinPieces(ScanOp* op, kir::Block& block);

  // -------------------------------------------------------------------------------------------

  kir::Builder build() { return {*kernel_, *phase_}; }

  Fusion* fusion_;
  const Target& target_;
  const Capabilities& can_;
  bool separates_;
  std::unique_ptr<kir::Kernel> kernel_;
  StrideTable strides_;
  kir::Phase* phase_ = nullptr;
  std::unordered_map<Expr*, size_t> phaseOf_;
  // Of the phase, on CUDA.
  std::optional<ThreadDimensions> threads_;
  std::vector<Val*> current_;
  // Loops that are open, threads not counted.
  int64_t loopDepth_ = 0;
  std::unordered_set<const Expr*> clipped_;
  std::unordered_map<const TensorView*, ThreadLocal> accumulators_;
  std::unordered_map<const Expr*, size_t> lookupNumbers_;
  std::unordered_map<const Expr*, Scan> scans_;
  // The results of scatters, by what they write into.
  std::unordered_map<const TensorView*, TensorView*> written_;
  // What phases so far read of global memory, and whether the last of them did so in reverse.
  std::unordered_map<const TensorView*, bool> readInReverse_;
};

}  // namespace nvfuser
