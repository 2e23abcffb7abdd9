// Lookups in what is computed, as those of padded, rolled and reversed tensors are.
#pragma once

#include <cstddef>

#include "device/target.h"
#include "ir/fusion.h"

namespace nvfuser {

// Computes what is looked up, element by element, of what is looked up in the inputs that it is
// computed of, rather than before: it need not be in memory. So is what is looked up at different
// positions, which is computed once anyway; and on devices that read single elements as fast as
// whole vectors also what is looked up several times, as the neighbours of each pixel are, where
// that takes a few instructions. Returns how many tensors were changed.
size_t lookUpOperands(Fusion* fusion, const Target& target);

}  // namespace nvfuser
