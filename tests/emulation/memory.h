// What compute-sanitizer does on a GPU: every access of a kernel is checked.
//
// Kernels are compiled with -fsanitize=thread, which calls __tsan_read4 and the like before each
// access to memory. They are defined here: an access must lie within memory that an argument of the
// kernel points to (or shared memory, or constants), must be aligned, and must not race with
// another thread's.
//
// Threads run one at a time, so a run of a thread from one barrier to the next is a number, a
// *strand*, that grows with time: of an earlier access it tells whether it happened in this launch,
// this block, or since the last barrier, by comparison alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace emulation {

class Memory {
 public:
  // Memory that kernels may be given a pointer to.
  void registerAllocation(uintptr_t begin, size_t bytes);
  void forgetAllocation(uintptr_t begin);
  // What has been registered may be gone from now on, as after a launch.
  void outdateAllocations() { ++launch_; }
  // Bytes from `address` to the end of the allocation that it lies in; 0 where there is none.
  size_t allocatedBytes(uintptr_t address) const;

  // Memory of a kernel: what its arguments point to, constants, and shared memory.
  void beginLaunch(const std::vector<uintptr_t>& pointers);
  void addConstants(uintptr_t begin, uintptr_t end);
  // So many bytes of each block of a cluster, which are `distance` apart.
  void setShared(uintptr_t begin, size_t bytes, size_t distance, unsigned blocks);

  // The blocks of a cluster begin.
  void beginCluster();
  // Behind a barrier of that block of the cluster, and of all of them.
  void beginInterval(unsigned block);
  void beginClusterInterval();
  // A thread begins or continues to run; `warpSyncs` counts the synchronizations of its warp.
  void beginStrand(unsigned block, unsigned thread, unsigned warpSyncs);

  // Empty where the access is right, else what is wrong about it.
  std::string read(uintptr_t address, size_t size);
  std::string write(uintptr_t address, size_t size);
  // Orders what other blocks did before, too: how blocks hand over to each other.
  std::string atomic(uintptr_t address, size_t size);

 private:
  // The last accesses to one byte.
  struct Trace {
    uint32_t writer = 0;
    uint32_t reader = 0;
  };
  struct Range {
    uintptr_t begin;
    uintptr_t end;
    Trace* traces;
    bool isShared;
  };
  struct Strand {
    unsigned block;
    unsigned thread;
    unsigned warpSyncs;
  };
  struct Allocation {
    uintptr_t end;
    uint64_t launch;
  };

  // Reader: several threads of this interval, or another cluster besides.
  static constexpr uint32_t kSeveral = 1u << 31;
  static constexpr uint32_t kOtherBlock = 1u << 30;
  static constexpr uint32_t kIdMask = kOtherBlock - 1;

  const Range* find(uintptr_t address, size_t size, bool isWrite, std::string& error);
  std::string describe(uintptr_t address, size_t size, const char* what) const;
  bool isOrdered(uint32_t earlier) const;
  Trace* traces(size_t index, size_t count);

  std::map<uintptr_t, Allocation> allocations_;
  uint64_t launch_ = 1;
  std::vector<Range> ranges_;
  size_t lastRange_ = 0;
  std::vector<std::pair<uintptr_t, uintptr_t>> constants_;
  // Reused for other memory in later launches: strands never come again, so that old traces mean
  // nothing.
  struct Free {
    void operator()(void* pointer) const;
  };
  std::vector<std::pair<std::unique_ptr<Trace, Free>, size_t>> pool_;

  uint32_t now_ = 0;
  uint32_t launchStart_ = 0;
  uint32_t blockStart_ = 0;
  // Of all blocks of the cluster, and of each.
  uint32_t clusterIntervalStart_ = 0;
  std::vector<uint32_t> intervalStart_;
  // Before it, what other blocks did is ordered.
  uint32_t acquired_ = 0;
  // Of this interval of the cluster.
  std::vector<Strand> strands_;
};

// Of this process.
extern Memory memory;

}  // namespace emulation
