// Which processor this is.
#pragma once

#include <string>

namespace nvfuser::cpu {

// A text that is different for processors that do not run the same code; empty where that is not
// known. Cheap: it is part of the key of machine code that is looked up on disk.
std::string identity();

}  // namespace nvfuser::cpu
