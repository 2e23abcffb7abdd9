// LaunchGroups: which kernels of a plan share a launch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "runtime/backend.h"
#include "runtime/fusion_class.h"
#include "runtime/plan_parts.h"
#include "schedule/tuning/tuning.h"

namespace nvfuser {

// Small kernels take less time than their launches. Those that do not need what each other writes
// are joined: blocks of one launch are divided among them, as many for each as it has for the sizes
// of the run. The code of a group knows how often each kernel is in it, but no sizes.
class LaunchGroups {
 public:
  LaunchGroups(FusionClass& fusionClass, const Backend& backend);

  // Adds what comes behind all others in the order of the fusion, with the memory that it reads and
  // writes. Returns the number of its launch: that of an earlier one that it has joined, or a new
  // one.
  size_t add(Launch launch, std::span<const Memory> read, std::span<const Memory> written);
  // Launches added so far stay before what is added from here on.
  void close() { firstOpen_ = groups_.size(); }
  size_t size() const { return groups_.size(); }

  // The launches, with their kernels loaded.
  std::vector<Launch> finish();

 private:
  struct Group {
    std::vector<Launch> launches;
    // Whether others may join.
    bool isOpen = false;
    // Of a block, along x, y and z.
    std::array<int64_t, 3> threads{1, 1, 1};
    size_t slots = 0;
    int64_t blocks = 0;
  };
  using MemoryKey = std::pair<Memory::Kind, int64_t>;

  bool mayShare(const Launch& launch) const;
  bool fits(const Group& group, const Launch& launch) const;
  // Whether its blocks may be larger than it needs: few, whose threads do not wait for each other.
  bool mayHaveMoreThreads(const Launch& launch) const;
  Launch join(const Group& group);

  FusionClass& class_;
  const Backend& backend_;
  const Target target_;
  const GpuTuning tuning_;
  std::vector<Group> groups_;
  size_t firstOpen_ = 0;
  // The first launch that may write to some memory, and the first one that may read it.
  std::map<MemoryKey, size_t> mayWrite_;
  std::map<MemoryKey, size_t> mayRead_;
};

}  // namespace nvfuser
