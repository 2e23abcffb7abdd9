#include "memory.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "block.h"

namespace emulation {

Memory memory;

void Memory::Free::operator()(void* pointer) const { std::free(pointer); }

void Memory::registerAllocation(uintptr_t begin, size_t bytes) {
  const uintptr_t end = begin + bytes;
  // What overlapped this memory before may be gone since; views of the same call both count.
  auto it = allocations_.lower_bound(begin);
  while (it != allocations_.begin() && std::prev(it)->second.end > begin) {
    --it;
  }
  while (it != allocations_.end() && it->first < end) {
    const bool isOld = it->second.launch != launch_;
    it = isOld && it->second.end > begin ? allocations_.erase(it) : std::next(it);
  }
  Allocation& allocation = allocations_[begin];
  allocation.end = allocation.launch == launch_ ? std::max(allocation.end, end) : end;
  allocation.launch = launch_;
}

void Memory::forgetAllocation(uintptr_t begin) { allocations_.erase(begin); }

size_t Memory::allocatedBytes(uintptr_t address) const {
  uintptr_t end = address;
  for (auto it = allocations_.upper_bound(address); it != allocations_.begin();) {
    --it;
    end = std::max(end, it->second.end);
  }
  return end - address;
}

Memory::Trace* Memory::traces(size_t index, size_t count) {
  if (pool_.size() <= index) {
    pool_.resize(index + 1);
  }
  auto& [traces, capacity] = pool_[index];
  if (capacity < count) {
    capacity = std::max(count, 2 * capacity);
    traces.reset(static_cast<Trace*>(std::calloc(capacity, sizeof(Trace))));
  }
  return traces.get();
}

void Memory::beginLaunch(const std::vector<uintptr_t>& pointers) {
  ++launch_;
  ranges_.clear();
  constants_.clear();
  lastRange_ = 0;
  if (now_ > kIdMask / 2) {
    now_ = 0;
    pool_.clear();
  }
  launchStart_ = ++now_;
  acquired_ = launchStart_;
  std::vector<std::pair<uintptr_t, uintptr_t>> spans;
  for (const uintptr_t pointer : pointers) {
    // The allocation from its beginning: others may point into it, too.
    uintptr_t begin = pointer;
    uintptr_t end = pointer;
    for (const auto& [first, allocation] : allocations_) {
      if (first <= pointer && pointer < allocation.end) {
        begin = std::min(begin, first);
        end = std::max(end, allocation.end);
      }
    }
    if (begin < end) {
      spans.emplace_back(begin, end);
    }
  }
  std::ranges::sort(spans);
  for (const auto& [begin, end] : spans) {
    if (!ranges_.empty() && begin < ranges_.back().end) {
      ranges_.back().end = std::max(ranges_.back().end, end);
    } else {
      ranges_.push_back({begin, end, nullptr, false});
    }
  }
  for (size_t i = 0; i < ranges_.size(); ++i) {
    // The first one is that of shared memory.
    ranges_[i].traces = traces(i + 1, ranges_[i].end - ranges_[i].begin);
  }
}

void Memory::addConstants(uintptr_t begin, uintptr_t end) { constants_.emplace_back(begin, end); }

void Memory::setShared(uintptr_t begin, size_t bytes, size_t distance, unsigned blocks) {
  Trace* const all = traces(0, blocks * bytes);
  for (unsigned block = 0; block < blocks; ++block) {
    const uintptr_t own = begin + block * distance;
    ranges_.push_back({own, own + bytes, all + block * bytes, true});
  }
  intervalStart_.resize(blocks);
}

void Memory::beginCluster() {
  blockStart_ = now_ + 1;
  acquired_ = launchStart_;
  beginClusterInterval();
}

void Memory::beginInterval(unsigned block) { intervalStart_[block] = now_ + 1; }

void Memory::beginClusterInterval() {
  clusterIntervalStart_ = now_ + 1;
  std::ranges::fill(intervalStart_, clusterIntervalStart_);
  strands_.clear();
}

void Memory::beginStrand(unsigned block, unsigned thread, unsigned warpSyncs) {
  ++now_;
  strands_.push_back({block, thread, warpSyncs});
}

const Memory::Range* Memory::find(uintptr_t address, size_t size, bool isWrite,
                                  std::string& error) {
  if (lastRange_ < ranges_.size()) {
    const Range& last = ranges_[lastRange_];
    if (address >= last.begin && address + size <= last.end) {
      return &last;
    }
  }
  for (size_t i = 0; i < ranges_.size(); ++i) {
    if (address >= ranges_[i].begin && address + size <= ranges_[i].end) {
      lastRange_ = i;
      return &ranges_[i];
    }
  }
  if (!isWrite) {
    for (const auto& [begin, end] : constants_) {
      if (address >= begin && address + size <= end) {
        return nullptr;
      }
    }
  }
  error = describe(address, size,
                   isWrite ? "writes out of bounds or to memory that it was not given"
                           : "reads out of bounds or from memory that it was not given");
  return nullptr;
}

std::string Memory::describe(uintptr_t address, size_t size, const char* what) const {
  std::ostringstream text;
  text << what << ": " << size << " bytes at ";
  // Nearest memory of the kernel.
  const Range* nearest = nullptr;
  uintptr_t distance = UINTPTR_MAX;
  for (const Range& range : ranges_) {
    const uintptr_t gap = address < range.begin  ? range.begin - address
                          : address >= range.end ? address - range.end
                                                 : 0;
    if (gap < distance) {
      distance = gap;
      nearest = &range;
    }
  }
  if (nearest == nullptr) {
    text << "address " << std::hex << address;
  } else {
    text << "offset " << static_cast<int64_t>(address - nearest->begin) << " of "
         << (nearest->isShared ? "shared memory of " : "an argument's memory of ")
         << nearest->end - nearest->begin << " bytes";
  }
  return text.str();
}

// Whether an access in this launch is known to have happened before this strand.
bool Memory::isOrdered(uint32_t earlier) const {
  if (earlier < blockStart_) {
    return earlier < acquired_;
  }
  if (earlier < clusterIntervalStart_ || earlier == now_) {
    return true;
  }
  const Strand& a = strands_[earlier - clusterIntervalStart_];
  const Strand& b = strands_.back();
  if (a.block != b.block) {
    return false;
  }
  return earlier < intervalStart_[b.block] || a.thread == b.thread ||
         (a.thread / 32 == b.thread / 32 && a.warpSyncs < b.warpSyncs);
}

std::string Memory::read(uintptr_t address, size_t size) {
  std::string error;
  const Range* range = find(address, size, false, error);
  if (range == nullptr) {
    return error;
  }
  const uint32_t start = range->isShared ? blockStart_ : launchStart_;
  const uint32_t interval = intervalStart_[strands_.back().block];
  for (size_t i = 0; i < size; ++i) {
    Trace& trace = range->traces[address - range->begin + i];
    if (range->isShared && trace.writer < blockStart_) {
      return describe(address, size, "reads what no thread of the block wrote");
    }
    if (trace.writer >= start && !isOrdered(trace.writer)) {
      return describe(address, size,
                      "reads what another thread wrote, with nothing that orders them");
    }
    const uint32_t before = trace.reader & kIdMask;
    uint32_t flags = 0;
    if (before >= start) {
      flags = trace.reader & kOtherBlock;
      if (before < blockStart_) {
        flags |= kOtherBlock;
      } else if (const bool isBeside = !isOrdered(before); isBeside || before >= interval) {
        flags |= isBeside ? kSeveral : trace.reader & kSeveral;
      }
    }
    trace.reader = now_ | flags;
  }
  return error;
}

std::string Memory::write(uintptr_t address, size_t size) {
  std::string error;
  const Range* range = find(address, size, true, error);
  if (range == nullptr) {
    return error;
  }
  const uint32_t start = range->isShared ? blockStart_ : launchStart_;
  const uint32_t interval = intervalStart_[strands_.back().block];
  for (size_t i = 0; i < size; ++i) {
    Trace& trace = range->traces[address - range->begin + i];
    if (trace.writer >= start && !isOrdered(trace.writer)) {
      return describe(address, size,
                      "writes what another thread wrote, with nothing that orders them");
    }
    const uint32_t reader = trace.reader & kIdMask;
    if (reader >= start) {
      const bool isRead = !isOrdered(reader) ||
                          ((trace.reader & kSeveral) != 0 && reader >= interval) ||
                          ((trace.reader & kOtherBlock) != 0 && acquired_ == launchStart_);
      if (isRead) {
        return describe(address, size,
                        "writes what another thread read, with nothing that orders them");
      }
    }
    trace.writer = now_;
  }
  return error;
}

std::string Memory::atomic(uintptr_t address, size_t size) {
  std::string error;
  const Range* range = find(address, size, true, error);
  if (range != nullptr && !range->isShared) {
    acquired_ = now_;
  }
  return error;
}

}  // namespace emulation

// ---------------------------------------------------------------- what the compiler calls

namespace {

// Inlined, so that the return address is a place in the kernel.
[[gnu::always_inline]] inline void check(void* pointer, size_t size, size_t alignment,
                                         bool isWrite) {
  using namespace emulation;
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  if (isThreadMemory(address)) [[likely]] {
    return;
  }
  if (address % alignment != 0) [[unlikely]] {
    failThread("accesses " + std::to_string(size) + " bytes at an address that is not aligned",
               __builtin_return_address(0));
  }
  const std::string error = isWrite ? memory.write(address, size) : memory.read(address, size);
  if (!error.empty()) [[unlikely]] {
    failThread(error, __builtin_return_address(0));
  }
}

}  // namespace

// The names are GCC's. `unaligned` only means that the type promises no alignment.
#define NVF_ACCESS(SIZE)                                                                         \
  extern "C" void __tsan_read##SIZE(void* address) { check(address, SIZE, SIZE, false); }        \
  extern "C" void __tsan_write##SIZE(void* address) { check(address, SIZE, SIZE, true); }        \
  extern "C" void __tsan_unaligned_read##SIZE(void* address) { check(address, SIZE, 1, false); } \
  extern "C" void __tsan_unaligned_write##SIZE(void* address) { check(address, SIZE, 1, true); }
NVF_ACCESS(1)
NVF_ACCESS(2)
NVF_ACCESS(4)
NVF_ACCESS(8)
NVF_ACCESS(16)
#undef NVF_ACCESS

extern "C" void __tsan_read_range(void* address, size_t size) { check(address, size, 1, false); }
extern "C" void __tsan_write_range(void* address, size_t size) { check(address, size, 1, true); }
extern "C" void __tsan_init() {}
extern "C" void __tsan_func_entry(void*) {}
extern "C" void __tsan_func_exit() {}
extern "C" void __tsan_vptr_update(void**, void*) {}

// Called for an index of a local array that is not below its size, before the access.
extern "C" void __ubsan_handle_out_of_bounds(void* /*data*/, uintptr_t index) {
  using namespace emulation;
  failThread(
      "has the index " + std::to_string(static_cast<intptr_t>(index)) + " for an array of its own",
      __builtin_return_address(0));
}

extern "C" void emulated_atomic(const void* pointer, size_t size, const char* file, int line) {
  using namespace emulation;
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  if (isThreadMemory(address)) {
    return;
  }
  const std::string error = address % size != 0
                                ? "makes an atomic access at an address that is not aligned"
                                : memory.atomic(address, size);
  if (!error.empty()) {
    failThread(error + " at " + file + ":" + std::to_string(line));
  }
}
