// Slices in front of what is computed.
#pragma once

#include "ir/fusion.h"

namespace nvfuser {

// Cuts out of what is in memory, or nearer to it, what is cut out of something computed from that:
// a slice of an input is a view, and kernels have few others one behind another. Slices of slices
// are one, and so is what is counted; those of broadcasts along other dimensions, of conversions,
// and of single elements along a dimension of what is computed element by element come in front of
// these.
void sliceEarly(Fusion* fusion);

}  // namespace nvfuser
