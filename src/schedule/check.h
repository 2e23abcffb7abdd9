// What a schedule must fulfil to mean the same computation as the fusion: checked where users write
// it. The automatic schedulers write no others.
#pragma once

#include "ir/fusion.h"

namespace nvfuser {

// Raises, saying what is wrong where, if lowering could read the schedule as another computation,
// or not at all.
void checkSchedule(const Fusion& fusion);

// Whether the domains are a way to divide the dimensions of `tv` on the way to its loops: every
// index of a loop belongs to one of them.
bool isCutOfTransforms(const TensorView* tv, const std::vector<IterDomain*>& domains);

// Whether loop `id` of `tv` also runs over dimensions that `tv` lacks.
bool runsOverMore(const TensorView* tv, IterDomain* id);

}  // namespace nvfuser
