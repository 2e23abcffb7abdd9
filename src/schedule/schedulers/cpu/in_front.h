// What element-wise loops would compute again and again: functions of tensors that lack a dimension
// outside of one that they have, as gates of channels do where channels are innermost.
#pragma once

#include <vector>

#include "ir/fusion.h"
#include "schedule/domain_classes.h"

namespace nvfuser::heuristics {

// What the loops over `reference` read of such tensors, computed from inputs: the last ones before
// they meet a larger one.
std::vector<TensorView*> repeatedFunctions(const TensorView* reference,
                                           const DomainClasses& classes);
// The tensors that one of them is computed from, itself included and inputs not.
std::vector<TensorView*> computedFor(TensorView* tv);

}  // namespace nvfuser::heuristics
