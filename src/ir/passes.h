// Simplifications of a whole fusion that leave its results as they are. They run on the copy of a
// fusion that is compiled, before it is scheduled.
#pragma once

#include <cstddef>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/fusion.h"
#include "ir/nodes.h"

namespace nvfuser {

// Whether an expression computes each element of its result from those of its operands in the same
// place.
bool isElementwise(const Expr* expr);

// The conversion of a tensor that an expression is, null for anything else, or nothing.
const UnaryOp* asConversion(const Expr* expr);

// Lets another tensor be read, and returned where it is an output, in place of one.
void replaceTensor(TensorView* tv, TensorView* by);

// Makes `out`, of as many dimensions, the result of a reshape or permutation like `view`, of
// another tensor.
void viewLike(const Expr* view, TensorView* out, TensorView* in);

// Computes `out` as an element-wise operation computes its own result, of other operands.
void computeLike(const Expr* operation, TensorView* out, const std::vector<Val*>& inputs);

// Removes the tensor expressions that no output depends on; returns how many.
size_t eliminateDeadCode(Fusion* fusion);

// Lets what is copied, by a reshape or otherwise, or an expansion, stand for its result where that
// has the same dimensions, as one that only says which sizes they have; the same of slices that
// leave all. Returns how many were removed. A reshape that only leaves out dimensions of one
// element, or inserts some, becomes a squeeze or a broadcast. Extents have been unified.
size_t eliminateTrivialViews(Fusion* fusion);

// Lets a tensor of the same sizes stand for the result of a reshape where its dimensions are of the
// same kinds; returns whether. Outputs of the fusion stay.
bool eliminateReshape(ReshapeOp* reshape, TensorView* source);

// Looks up slices where the positions of a lookup are those of a vector, repeated along all other
// dimensions, which lie side by side in memory then. Returns how many lookups were changed.
size_t lookUpSlices(Fusion* fusion);

// Computes what is looked up instead of all that it is looked up in: conversions, and element-wise
// operations where one element of a dimension is looked up, like the logarithm of the probability
// of a class. Returns how many operations were moved.
size_t computeBehindLookups(Fusion* fusion);

// The results of reductions, and what is computed from them.
std::unordered_set<const Val*> computedOfReductions(const std::vector<Expr*>& exprs);

// The dimensions, by their numbers, along which tensors were normalized: computed, element by
// element, from what has one value along them and comes from reductions. Others are not among them.
using Normalized = std::unordered_map<const Val*, std::set<size_t>>;
Normalized findNormalized(const std::vector<Expr*>& exprs);

// Reshapes what is converted to wider elements before it is converted: where a reshape is a view of
// memory, that has the narrower elements then. Where elements of the result are looked up, all that
// is computed from one tensor comes behind the reshape, and can come behind the lookup. Returns how
// many operations were moved.
size_t computeBehindReshapes(Fusion* fusion);

// Converts to narrower elements in front of reshapes and permutations instead of behind them: what
// computes the operand writes the narrower elements, and the views are of memory. Returns how many
// conversions were moved.
size_t narrowInFrontOfViews(Fusion* fusion);

// Computes of narrower elements what needs no wider ones: negations, extremes and the like of
// elements that were converted to wider ones first, and are converted back. Returns how many
// operations were changed.
size_t computeWithoutConversions(Fusion* fusion);

// Divides reductions of what was normalized along some of the dimensions that they reduce: along
// these first, as the normalization does, so that its kernel leaves one value of each row instead
// of all that it computed. Returns how many were divided.
size_t reduceAlongNormalizedFirst(Fusion* fusion);

// Reduces further what is reduced along some of the same dimensions already, instead of the operand
// once more; returns how many reductions were changed.
size_t reduceFurtherWhatIsReduced(Fusion* fusion);

// Lets the result of a scatter be what updates its operand, in place of a copy of it; returns
// whether there is one.
bool updateByScatters(Fusion* fusion);

// Computes equal expressions once; returns how many were removed. Two outputs of the fusion stay
// two tensors, since the caller may write to one of them.
size_t eliminateCommonSubexpressions(Fusion* fusion);

}  // namespace nvfuser
