// In which order the dimensions of what passes between kernels lie in memory.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/fusion.h"

namespace nvfuser {

// Chooses it for the tensors of a fusion that nobody else has chosen it for: as they are read, or
// as what they are computed from lies there, so that kernels need not transpose. Images with their
// channels last stay so. Inputs have the layouts of a call; operands and results of library calls,
// and outputs of a given order, stay as they are. A copy in the order of what it copies is removed.
//
// Where results of reductions have more elements than `mostAcross` and lie across what they are
// computed of, they are copied from what lies as that does: such copies pass through tiles.
void chooseMemoryOrders(Fusion* fusion, std::optional<int64_t> mostAcross = std::nullopt);

}  // namespace nvfuser
