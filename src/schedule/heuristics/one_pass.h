// What takes two passes over memory as it is written, in one.
#pragma once

#include "ir/fusion.h"

namespace nvfuser::heuristics {

// The sum of x and that of (x - c)^2 over the same dimensions, where c is computed from the former,
// take two passes over x. Here both are computed from the moments of x, which take one: with the
// mean m, the sum of squared deviations d and the number n of elements they are n m and
// d + n (m - c)^2. Sums of Float only.
// Returns whether there were any.
bool combineMoments(Fusion* fusion);

// The same for the maximum m of x and the sum of exp(x - c), where c is computed from the former:
// with s, the sum of exp(x - m), that is s exp(m - c). Unless `ofKept` only where nothing else
// keeps what they were reduced along until then: cross-entropies and the like, but no softmax. Of
// Floats only. Returns whether there were any.
bool combineExponentials(Fusion* fusion, bool ofKept = false);

// The position of the first extreme of x is that of the largest of keys, which are ordered by x and
// then by position: what is written as a reduction of x, a comparison of x with that, and a
// reduction of the positions of what is found. Of Floats and what has fewer bits, along dimensions
// of fewer than 2^32 elements, which is known.
// Returns whether there were any.
bool combineExtremes(Fusion* fusion);

}  // namespace nvfuser::heuristics
