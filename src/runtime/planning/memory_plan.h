// MemoryPlan: where what passes between kernels lies in the one piece of memory that a run has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nvfuser {

// Buffers that are in use at different times share memory. Time is counted in launches, which run
// one after the other.
class MemoryPlan {
 public:
  static constexpr int64_t kAlignment = 128;

  // A buffer that is first written by `launch`; returns its number.
  size_t add(int64_t bytes, size_t launch);
  // `launch`, too, needs the buffer.
  void extend(size_t buffer, size_t launch);

  // Chooses the offsets; nothing is added afterwards.
  void place();
  int64_t offset(size_t buffer) const { return buffers_[buffer].offset; }
  int64_t bytes() const { return bytes_; }

 private:
  struct Buffer {
    int64_t bytes;
    size_t first;
    size_t last;
    int64_t offset = 0;
  };
  std::vector<Buffer> buffers_;
  int64_t bytes_ = 0;
};

}  // namespace nvfuser
