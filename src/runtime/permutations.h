// Permutations of what is permuted, and of what is computed of a tensor that is read as it is, too.
#pragma once

#include "ir/fusion.h"

namespace nvfuser {

// Makes a permutation of a permutation one of what that permutes, or that itself: weights that are
// transposed for a product and back for its gradient are written once.
void composePermutations(Fusion* fusion);

// Permutes the operands of what is computed, element by element, for a permutation alone, where
// something else reads one of them: no loops run over an input along and across at once, and of a
// permuted input there is a view.
void permuteOperands(Fusion* fusion);

}  // namespace nvfuser
