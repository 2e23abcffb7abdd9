// How the loops of a reference are merged: in the order in which views merge dimensions, where
// views follow them, and else as memory lies.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/fusion.h"
#include "schedule/domain_classes.h"
#include "schedule/heuristics/common.h"

namespace nvfuser::heuristics {

// What a view merges, each behind what it is merged of; nothing for other operations.
std::vector<const Merge*> mergesOf(const Expr* view);

// Merges those among loops `first` .. `last` (inclusive) that no global tensor needs apart.
void mergeContiguous(TensorView* reference, int64_t first, int64_t last,
                     const DomainClasses& classes, LoopsOf kind = LoopsOf::Dimensions);
// The same where only these tensors are in memory.
void mergeContiguous(TensorView* reference, int64_t first, int64_t last,
                     const DomainClasses& classes, LoopsOf kind,
                     const std::vector<TensorView*>& memory);

// Merges loops [first, last] into one, in place of `first`. With `classes` the views of the fusion
// keep their dimensions together: those that merge them take part in the loop.
void mergeRange(TensorView* tv, int64_t first, int64_t last);
void mergeRange(TensorView* reference, int64_t first, int64_t last, const DomainClasses& classes);

}  // namespace nvfuser::heuristics
