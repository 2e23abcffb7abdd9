// What is computed of numbers of 16 bits, and rounded to these.
#pragma once

#include <cstddef>

#include "ir/fusion.h"

namespace nvfuser {

// Computes sums, differences and products of Half or BFloat16 as such where they are rounded to the
// same anyway, as eager torch rounds the result of each operation: one instruction in place of two
// conversions, the operation in Float and its rounding. The results are the same: one that is
// rounded to Float first has more than twice as many digits and two more (S. A. Figueroa, "When is
// double rounding innocuous?", SIGNUM Newsletter 30(3), 1995); only products of BFloat16 that are
// denormal may be rounded once rather than twice. Returns how many were changed.
size_t computeRounded(Fusion* fusion);

}  // namespace nvfuser
