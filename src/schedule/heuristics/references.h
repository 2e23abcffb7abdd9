// Around which tensor a kernel is scheduled, and what has to do with it.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/fusion.h"
#include "schedule/domain_classes.h"

namespace nvfuser::heuristics {

// Dimensions that are neither reduced nor broadcast.
int64_t concreteRank(const TensorView* tv);
// Those of `tensors` that have all dimensions of `reference`, none of them cut or padded, or what
// reshapes make of them.
std::vector<TensorView*> ofAllDimensions(const TensorView* reference,
                                         const std::vector<TensorView*>& tensors,
                                         const DomainClasses& classes);
// The output that the others are computed beside: the one of highest rank.
TensorView* widestOutput(const std::vector<TensorView*>& outputs);
// The outputs of the fusion among these tensors.
std::vector<TensorView*> outputsAmong(const std::vector<TensorView*>& tensors);
// The tensors that have to do with `start`, in order of definition. What only reads the same tensor
// without loops, a scalar for instance, has not.
std::vector<TensorView*> connectedWith(TensorView* start);
// Of what these expressions compute for others, a tensor that has to do with a wider one and has a
// dimension that the latter lacks: its loops would run inside all of those. Null if there is none.
const TensorView* widerThanReference(const std::vector<Expr*>& exprs, const DomainClasses& classes);
// An output that has a dimension more often than the widest output of its group, as
// x[None] - x[:, None] has: no loop of that runs over it. Null for none.
const TensorView* repeatsDimension(const std::vector<Expr*>& exprs, const DomainClasses& classes);
// Of what these expressions compute, a view that merges dimensions of a wider output in another
// order than that in which this one lies in memory, or some of what another view merges and some of
// what it does not: its loops would not be those of the output. Null if there is none.
const TensorView* viewAcrossMemory(const std::vector<Expr*>& exprs, const DomainClasses& classes);

// Whether a tensor has elements of its own along a dimension of this class.
bool hasElementsAlong(const TensorView* tv, int64_t classNumber, const DomainClasses& classes);

// Inputs that lie across `reference`: their innermost dimension is another one than the
// reference's, and they have both. The first one decides which dimension is tiled with the
// innermost one.
struct Crossing {
  // A dimension of the reference, null where no input lies across.
  IterDomain* domain = nullptr;
  std::vector<TensorView*> inputs;
  // What tiles hold of each: the input itself, or the first of what is looked up in it, or of what
  // views make of it, that runs along both dimensions; the reference where there is no one of
  // these.
  std::vector<TensorView*> held;
};
Crossing findCrossing(TensorView* reference, const DomainClasses& classes);
Crossing findCrossing(TensorView* reference);
// The same of inputs that are looked up in along another dimension than their innermost one, and of
// those whose dimensions views merge into the innermost one of the reference.
Crossing findCrossingOfViews(TensorView* reference, const DomainClasses& classes);
// Whether a view merges the dimension that is tiled with others, which has no tiles then.
bool isCrossingMerged(const Crossing& crossing, const std::vector<Expr*>& exprs,
                      const DomainClasses& classes);
// Whether the loops [outer, part of the crossing dimension, part of the innermost one] reached
// `copy`, which is one of such an input, and no others. An operation on the way from there may not
// have both.
bool hasTileLoops(const TensorView* copy);
// The same of a tensor that has the innermost dimension of the input as `fastest`.
bool hasTileLoops(const TensorView* copy, const IterDomain* fastest);

}  // namespace nvfuser::heuristics
