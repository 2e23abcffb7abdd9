// The vector units of the host.
#pragma once

namespace nvfuser::cpu {

// Whether lanes of any size can be masked when vectors are read and written.
bool hasMaskedVectors();

}  // namespace nvfuser::cpu
