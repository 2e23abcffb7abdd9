// Steps that the schedulers share.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/fusion.h"
#include "schedule/domain_classes.h"

namespace nvfuser::heuristics {

constexpr int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
constexpr int64_t powerOfTwoFrom(int64_t n) {
  int64_t power = 1;
  while (power < n) {
    power *= 2;
  }
  return power;
}

// The classes of dimensions that some expression reduces.
std::set<int64_t> reducedClasses(const std::vector<Expr*>& exprs, const DomainClasses& classes);

// Stages: what must run along the reduced dimensions before something else can. A reduction and
// what is computed from its result alone are in the stage of its operand; what combines the result
// with tensors that have a reduced dimension is in a later stage. Everything is in the last stage
// that it can be in.
using Stages = std::unordered_map<const Expr*, int64_t>;
Stages computeStages(const std::vector<Expr*>& exprs, const DomainClasses& classes);
Stages computeStages(const std::vector<Expr*>& exprs);
int64_t lastStage(const Stages& stages);
// The uses of a tensor in each stage.
std::map<int64_t, std::vector<Expr*>> usesByStage(const TensorView* tv, const Stages& stages);

// Slices and pads.
bool isResize(const Expr* expr);
// Those of them that depend on reductions.
std::vector<const Expr*> resizesOfReduced(const std::vector<Expr*>& exprs);
// What is cut off or extended where something else reads it as it is has no loops in common with
// both. Such operands of slices and pads are computed again for each of them, from the inputs on
// and from what comes from reductions and has one value for all of a row.
// How many operations that adds to these expressions.
int64_t repeatedForResizes(const std::vector<Expr*>& exprs);
// Does so, as long as it adds no more than limits::kRepeatedOpsScheduled. Returns pairs of a tensor
// and its copy.
std::vector<std::pair<TensorView*, TensorView*>> repeatForResizes(Fusion* fusion);

// Outputs that are also operands are computed in local memory and copied, but for results of
// scatters.
void forkOutputs(Fusion* fusion);
// Whether an expression reads the operand at the index that it writes.
bool keepsIndices(const Val* in, const Expr* use);
// Inputs that several expressions of one stage read are read once.
void cacheInputs(Fusion* fusion);
// What computes the operands of these, directly or not.
std::vector<Expr*> exprsAbove(const std::vector<Expr*>& exprs);
// Whether computing it takes about as long as reading the result from memory.
bool isCheap(const Expr* expr);
// Tensors of full size that a later stage reads are computed again there, from the inputs and the
// results of reductions, instead of being persistent: where that takes so many cheap operations at
// most; without a number, always. What `loads` has read from memory is not read again.
void recomputeAcrossStages(Fusion* fusion, std::optional<int64_t> most,
                           const std::vector<TensorView*>& loads = {});
// Those of full size that a later stage than theirs reads.
std::vector<TensorView*> neededByLaterStages(Fusion* fusion,
                                             const std::vector<TensorView*>& tensors);
// Gives tensors that later stages still read a persistent buffer: a copy, so that their own stage
// uses them as they are computed. Returns the copies.
std::vector<TensorView*> bufferForLaterStages(Fusion* fusion);

// The innermost dimension of a tensor in memory that has several elements; null for none.
const IterDomain* innermostInMemory(const TensorView* tv);

// A tensor in memory, behind what is looked up in it: slices, which have the dimension of their
// positions in place of another one than its innermost one; and what is looked up along this one,
// in the shape that a reshape gives it: that has this dimension no more, and memory is read in the
// order of the results.
std::vector<TensorView*> readAs(TensorView* tv);
// Whether positions are made of their own indices alone, as those of neighbours are.
bool areCounted(const TensorView* positions);
// Whether an expression looks up slices in a tensor, along another dimension than this one.
bool looksUpSlices(const TensorView* tv, const Expr* use, const IterDomain* dimension);

// The positions of a tensor's loops in the order in which most of them lie in the memory of one of
// these tensors, the first of those with the most dimensions in common; outermost first.
std::vector<int64_t> memoryOrder(const TensorView* reference,
                                 const std::vector<TensorView*>& candidates,
                                 const DomainClasses& classes);
// Which tensors decide about the order of loops where inputs lie in another one than outputs:
// writing out of order costs more, but what is reduced is only read. Of the last kind the loops of
// what is kept are in the order of outputs, in front of the others.
enum class Leads : uint8_t { Outputs, Inputs, InputsWhereReduced };
// Reorders the loops of an unscheduled tensor like the largest tensors among inputs and outputs lie
// in memory.
void orderLikeMemory(TensorView* reference, const DomainClasses& classes,
                     Leads leads = Leads::Outputs);
// What loops are merged of: dimensions, where a reshape of a merged one takes divisions, which
// threads hide; or the pieces that reshapes make of them, all of which must agree; or elements,
// where what slices and pads cut of a merged one takes divisions, too.
enum class LoopsOf : uint8_t { Dimensions, Pieces, Elements };
// For each loop of an unscheduled tensor but the last, whether no global tensor's indexing needs it
// and the next one apart.
std::vector<bool> mergeableLoops(const TensorView* reference, const DomainClasses& classes,
                                 LoopsOf kind = LoopsOf::Dimensions);
// The same where only these tensors are in memory.
std::vector<bool> mergeableLoops(const TensorView* reference, const DomainClasses& classes,
                                 LoopsOf kind, const std::vector<TensorView*>& memory);

// Makes loops of runs: a loop is divided where reshapes do so and a global tensor has only some of
// its parts, or has them elsewhere, and loops are merged as above. Returns, for each loop, the
// class of the innermost part of its dimensions.
std::vector<int64_t> makeRuns(TensorView* reference, const DomainClasses& classes);

// Takes from the positions `kept` of loops the last ones that are contiguous with each other, which
// are computed together where the innermost dimension is not reduced.
std::vector<int64_t> takeColumns(const TensorView* reference, std::vector<int64_t>& kept,
                                 const DomainClasses& classes, LoopsOf kind = LoopsOf::Dimensions);

// Global tensors: inputs and outputs.
std::vector<TensorView*> globalTensors(const Fusion* fusion);
// Those that a part of a fusion reads and computes: the time to find them is that of the part.
std::vector<TensorView*> globalTensors(const std::vector<Expr*>& exprs);

}  // namespace nvfuser::heuristics
