// Reductions over threads that wait for each other's barriers in vain.
#pragma once

#include "lower/passes.h"

namespace nvfuser {

// Where threads combine values that they could have had before they combined others, they combine
// both at once:
//   a += x[i]...; combine(a); f = sqrt(a); b += y[i]...; combine(b);
// becomes
//   a += x[i]...; b += y[i]...; combine(a, b); f = sqrt(a);
void joinReductions(const PassContext& context);

}  // namespace nvfuser
