#include "schedule/memory_run.h"

namespace nvfuser {

bool prolongRun(const IterDomain* outer, const std::vector<MemoryDimension>& dimensions,
                size_t& first) {
  std::vector<const IterDomain*> stack{outer};
  while (!stack.empty()) {
    const IterDomain* id = stack.back();
    stack.pop_back();
    if (first > 0 && dimensions[first - 1].id == id && dimensions[first - 1].isContiguousWithNext) {
      --first;
      continue;
    }
    const auto* merge = id->definition() == nullptr ? nullptr : id->definition()->as<Merge>();
    if (merge != nullptr) {
      stack.push_back(merge->outer());
      stack.push_back(merge->inner());
    } else if (!id->extent()->isConstInt(1)) {
      return false;
    }
  }
  return true;
}

}  // namespace nvfuser
