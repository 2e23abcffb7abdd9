// What the schedulers of reductions and normalizations ask of a fusion, whatever the device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/heuristics/common.h"

namespace nvfuser::heuristics {

// The results of reductions among the outputs of `exprs`.
std::vector<TensorView*> reductionsOf(const std::vector<Expr*>& exprs);
// The reduction whose operand has the most dimensions: the others have the same loops or fewer.
TensorView* widestReduction(const std::vector<TensorView*>& reductions);
// The dimension of `reference` that is innermost in memory for the first of the tensors that have
// most of its dimensions, or along which results of lookups in them lie; null for a tensor without
// dimensions.
const IterDomain* innermostDomain(const TensorView* reference,
                                  const std::vector<TensorView*>& globals,
                                  const DomainClasses& classes);
// The tensors that a stage computes.
std::vector<TensorView*> tensorsOfStage(const Stages& stages, int64_t stage);

// Divides reductions in two: the loop at `partLoop` is all that they reduce themselves, the rest is
// reduced by new producers, accumulated in local memory and passed on in the tensors returned. What
// computes the parts is added to `inside`.
std::vector<TensorView*> factorParts(const std::vector<TensorView*>& reductions, int64_t partLoop,
                                     std::vector<TensorView*>& inside);

// Why loops over kept dimensions cannot be inside of the reduced ones, empty if they can: in a loop
// over a dimension that a reduction has expanded only, its elements would be counted again.
std::string expandedMismatch(const std::vector<Expr*>& exprs, const DomainClasses& classes);

// Empty when all reductions are over the same dimensions; otherwise why they cannot share loops.
std::string reductionMismatch(const std::vector<Expr*>& exprs, const DomainClasses& classes);
// A tensor with elements along a dimension that no reduction has: the threads that a reduction runs
// on would compute all of these one after the other. Null for none.
const TensorView* widerThanReductions(const std::vector<Expr*>& exprs,
                                      const DomainClasses& classes);
// A tensor that shares no loops with any reduction, because no tensor with dimensions connects
// them; null for none.
const TensorView* unrelatedToReductions(const std::vector<Expr*>& exprs);
// Whether one of these slices and pads of what depends on reductions changes a dimension that is
// not reduced, or parts of rows are left that are not put together to whole ones.
bool leavesPartsOfRows(const std::vector<const Expr*>& resizes, const TensorView* reduction,
                       const std::vector<Expr*>& exprs, const DomainClasses& classes);
// What is looked up along a dimension that is reduced, but not as many elements as there are; null
// for nothing.
const TensorView* partOfReduced(const TensorView* reduction, const std::vector<Expr*>& exprs,
                                const DomainClasses& classes);
// The result of a slice or pad that no reduction depends on, and that depends on none: the loops of
// reductions run over another part of its dimensions. Null for none.
const TensorView* resizedBesideReductions(const std::vector<Expr*>& exprs);

}  // namespace nvfuser::heuristics
