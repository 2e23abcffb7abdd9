#include "runtime/planning/memory_plan.h"

#include <algorithm>
#include <numeric>

namespace nvfuser {

size_t MemoryPlan::add(int64_t bytes, size_t launch) {
  const int64_t rounded = (std::max<int64_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  buffers_.push_back({rounded, launch, launch});
  return buffers_.size() - 1;
}

void MemoryPlan::extend(size_t buffer, size_t launch) {
  buffers_[buffer].first = std::min(buffers_[buffer].first, launch);
  buffers_[buffer].last = std::max(buffers_[buffer].last, launch);
}

// The largest first, each as low as the ones placed before allow.
void MemoryPlan::place() {
  std::vector<size_t> order(buffers_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](size_t i) { return buffers_[i].bytes; });
  std::vector<const Buffer*> placed;  // by offset
  for (const size_t i : order) {
    Buffer& buffer = buffers_[i];
    for (const Buffer* other : placed) {
      const bool meet = other->first <= buffer.last && buffer.first <= other->last;
      if (meet && other->offset < buffer.offset + buffer.bytes) {
        buffer.offset = std::max(buffer.offset, other->offset + other->bytes);
      }
    }
    bytes_ = std::max(bytes_, buffer.offset + buffer.bytes);
    placed.insert(std::ranges::upper_bound(placed, buffer.offset, {}, &Buffer::offset), &buffer);
  }
}

}  // namespace nvfuser
