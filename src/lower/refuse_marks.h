// Marks that could not be obeyed.
#pragma once

#include "lower/passes.h"

namespace nvfuser {

// A pass takes a mark from the loop for which it obeys it. What is left over of those that a user
// set is an error.
void refuseMarks(const PassContext& context);

}  // namespace nvfuser
