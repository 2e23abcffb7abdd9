// Why a fusion is several kernels.
#pragma once

#include <string>
#include <vector>

#include "runtime/fusion_class.h"

namespace nvfuser {

// A sentence for each pair of segments of which one reads what the other computes.
std::vector<std::string> describeCuts(const FusionClass& fusionClass);

}  // namespace nvfuser
