// Views of what is computed row by row.
#pragma once

#include <cstddef>

#include "ir/fusion.h"

namespace nvfuser {

// Computes rows that are reduced, as those of a norm, where they lie afterwards: of inputs that are
// reshaped, permuted and looked up in place of the result, which would be in memory for that. Only
// views that leave whole rows as they are, and where nothing else reads what is computed in front
// of them. Returns how many results were changed.
size_t viewRowsFirst(Fusion* fusion);

}  // namespace nvfuser
