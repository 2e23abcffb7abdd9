// Carrying the transforms of one tensor over to others, and sharing loops between them.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/fusion.h"

namespace nvfuser {

// Gives every tensor of the fusion that is connected with `reference` (or those in `selected`, when
// it is not empty) the loop domain of `reference`, as far as its dimensions correspond.
//
// A dimension of the reference that a tensor lacks is left out of its loops, unless it lies outside
// all dimensions the tensor has, or is merged with one of them: then the tensor gets a broadcast
// loop in its place, so that all tensors agree on the loops they share.
//
// Only the outermost `count` loops of the reference are carried over, all if it is negative.
void propagateTransforms(TensorView* reference, const std::vector<TensorView*>& selected = {},
                         int64_t count = -1);

// Copies the parallel types of the reference's loops to the corresponding loops of all (or the
// selected) tensors with the same loops.
void propagateParallelTypes(TensorView* reference, const std::vector<TensorView*>& selected = {},
                            const std::unordered_set<ParallelType>& types = {});

// Shares the loops of every tensor (or the selected ones) with its consumers as deeply as the loops
// correspond and the order of computation allows. `limits` holds tensors that share fewer loops.
void inlineMost(Fusion* fusion, const std::vector<TensorView*>& selected = {},
                const std::unordered_map<const TensorView*, int64_t>& limits = {});

// Notes how many loops each tensor shares with what it is computed from, by compute-at positions.
void updateProduceAt(const std::vector<Expr*>& exprs);

// Whether the loop domains `producerLoop` of `producer` and `consumerLoop` of `consumer` run over
// the same indices, given that `expr` computes the one from the other.
bool loopsCorrespond(const Expr* expr, const TensorView* producer, const IterDomain* producerLoop,
                     const TensorView* consumer, const IterDomain* consumerLoop);

}  // namespace nvfuser
