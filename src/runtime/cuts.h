// Why a fusion is several kernels.
#pragma once

#include <string>
#include <vector>

#include "runtime/fusion_class.h"

namespace nvfuser {

// Of two segments of which one reads what the other computes.
struct Cut {
  size_t segment;
  size_t producer;
  // What is read, as it is printed, and the tensor of the definition that it stands for, if any.
  std::string value;
  const Val* original;
  std::string reason;
};

std::vector<Cut> findCuts(const FusionClass& fusionClass);
// A sentence.
std::string toString(const Cut& cut);

}  // namespace nvfuser
