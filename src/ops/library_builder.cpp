#include "ops/library_builder.h"

#include "ops/tensor_builder.h"

namespace nvfuser::ops {

IterDomain* ownDimension(const IterDomain* id) {
  return newDimension(id->fusion(), id->visibleExtent());
}

std::vector<IterDomain*> ownDimensions(const std::vector<IterDomain*>& domains) {
  std::vector<IterDomain*> own;
  own.reserve(domains.size());
  for (const IterDomain* id : domains) {
    own.push_back(ownDimension(id));
  }
  return own;
}

}  // namespace nvfuser::ops
