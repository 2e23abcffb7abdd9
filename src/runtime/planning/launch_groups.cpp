#include "runtime/planning/launch_groups.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>

#include "lower/kernel.h"
#include "schedule/limits.h"

namespace nvfuser {

namespace {

constexpr auto kGridSlots = static_cast<size_t>(kir::GridSlot::Count);

// Slots in the arguments of a group: with its grid and its first block.
size_t slotsInGroup(const Launch& launch) { return launch.slots.size() + kGridSlots + 1; }

int64_t blocksOf(const Launch& launch) {
  const std::array<int64_t, 6>& threads = launch.phases.front().threads;
  return threads[0] * threads[1] * threads[2];
}

std::array<int64_t, 3> threadsOfBlock(const Launch& launch) {
  const std::array<int64_t, 6>& threads = launch.phases.front().threads;
  return {threads[3], threads[4], threads[5]};
}

bool areWithin(const std::array<int64_t, 3>& inner, const std::array<int64_t, 3>& outer) {
  return std::ranges::equal(inner, outer, std::less_equal());
}

void addGrid(std::vector<int64_t>& slots, const std::array<int64_t, 6>& threads) {
  const auto add = [&](int64_t extent) {
    slots.push_back(extent);
    slots.push_back(std::bit_cast<int64_t>(kir::packedDivisor(extent)));
  };
  add(threads[0]);
  add(threads[1]);
  slots.insert(slots.end(), threads.begin() + 3, threads.end());
}

}  // namespace

LaunchGroups::LaunchGroups(FusionClass& fusionClass, const Backend& backend)
    : class_(fusionClass),
      backend_(backend),
      target_(backend.target()),
      tuning_(tuningFor(target_).gpu) {}

bool LaunchGroups::mayShare(const Launch& launch) const {
  return target_.capabilities.groupsKernels && launch.phases.size() == 1 &&
         launch.kernel->scheduler != SchedulerType::None && launch.kernel->kernel->peers.empty() &&
         kir::clusterBlocks(launch.kernel->kernel->phases.front()) == 1 &&
         std::ranges::find(launch.phases.front().threads, 0) ==
             launch.phases.front().threads.end() &&
         launch.traffic.total() <= tuning_.groupedBytes;
}

bool LaunchGroups::mayHaveMoreThreads(const Launch& launch) const {
  return blocksOf(launch) <= target_.gpu.multiprocessors &&
         !kir::hasBarriers(launch.kernel->kernel->phases.front().body);
}

bool LaunchGroups::fits(const Group& group, const Launch& launch) const {
  const std::array<int64_t, 3> threads = threadsOfBlock(launch);
  const bool haveEqualBlocks = group.threads == threads ||
                               (areWithin(threads, group.threads) && mayHaveMoreThreads(launch)) ||
                               (areWithin(group.threads, threads) &&
                                std::ranges::all_of(group.launches, [&](const Launch& member) {
                                  return mayHaveMoreThreads(member);
                                }));
  return group.isOpen && haveEqualBlocks &&
         group.slots + slotsInGroup(launch) <= limits::kGroupArgumentWords &&
         group.blocks + blocksOf(launch) <= std::numeric_limits<int32_t>::max();
}

size_t LaunchGroups::add(Launch launch, std::span<const Memory> read,
                         std::span<const Memory> written) {
  size_t first = firstOpen_;
  const auto comeBehind = [&](const std::map<MemoryKey, size_t>& known, const Memory& memory) {
    if (const auto found = known.find({memory.kind, memory.position}); found != known.end()) {
      first = std::max(first, found->second);
    }
  };
  for (const Memory& memory : read) {
    comeBehind(mayRead_, memory);
  }
  for (const Memory& memory : written) {
    comeBehind(mayRead_, memory);
    comeBehind(mayWrite_, memory);
  }
  size_t number = groups_.size();
  const bool isOpen = mayShare(launch);
  if (isOpen) {
    for (size_t i = first; i < groups_.size() && number == groups_.size(); ++i) {
      number = fits(groups_[i], launch) ? i : number;
    }
  }
  if (number == groups_.size()) {
    groups_.emplace_back().isOpen = isOpen;
  }
  const auto keepBehind = [&](std::map<MemoryKey, size_t>& known, const Memory& memory) {
    size_t& next = known[{memory.kind, memory.position}];
    next = std::max(next, number + 1);
  };
  for (const Memory& memory : read) {
    keepBehind(mayWrite_, memory);
  }
  for (const Memory& memory : written) {
    keepBehind(mayRead_, memory);
    keepBehind(mayWrite_, memory);
  }
  Group& group = groups_[number];
  if (isOpen) {
    group.slots += slotsInGroup(launch);
    group.blocks += blocksOf(launch);
    const std::array<int64_t, 3> threads = threadsOfBlock(launch);
    group.threads = areWithin(group.threads, threads) ? threads : group.threads;
  }
  group.launches.push_back(std::move(launch));
  return number;
}

std::vector<Launch> LaunchGroups::finish() {
  std::vector<Launch> launches;
  for (Group& group : groups_) {
    launches.push_back(group.launches.size() == 1 ? std::move(group.launches.front())
                                                  : join(group));
    load(backend_, *launches.back().kernel);
  }
  return launches;
}

Launch LaunchGroups::join(const Group& group) {
  // The launches of one kernel follow each other.
  GroupMembers members;
  std::vector<std::vector<const Launch*>> launchesOf;
  for (const Launch& launch : group.launches) {
    const auto known = std::ranges::find(members, launch.kernel, &GroupMembers::value_type::first);
    const auto member = static_cast<size_t>(known - members.begin());
    if (known == members.end()) {
      members.emplace_back(launch.kernel, 0);
      launchesOf.emplace_back();
    }
    ++members[member].second;
    launchesOf[member].push_back(&launch);
  }
  std::shared_ptr<CompiledKernel>& kernel = class_.groups[members];
  if (kernel == nullptr || isOn(Option::disable_kernel_reuse)) {
    kernel = generateGroup(backend_, members);
  }
  Launch joined;
  joined.kernel = kernel;
  PhaseLaunch phase;
  std::ranges::copy(group.threads, phase.threads.begin() + 3);
  std::vector<int64_t> firstBlocks;
  int64_t blocks = 0;
  for (const std::vector<const Launch*>& ofKernel : launchesOf) {
    for (const Launch* launch : ofKernel) {
      const auto offset = static_cast<int32_t>(joined.slots.size());
      const PhaseLaunch& own = launch->phases.front();
      joined.members.push_back({launch->kernel, joined.slots.size()});
      joined.segments.insert(joined.segments.end(), launch->segments.begin(),
                             launch->segments.end());
      joined.slots.insert(joined.slots.end(), launch->slots.begin(), launch->slots.end());
      addGrid(joined.slots, own.threads);
      for (PointerSlot pointer : launch->pointers) {
        pointer.slot += offset;
        joined.pointers.push_back(pointer);
      }
      for (ScalarSlot scalar : launch->scalars) {
        scalar.slot += offset;
        joined.scalars.push_back(scalar);
      }
      joined.largestTensor = std::max(joined.largestTensor, launch->largestTensor);
      joined.traffic.inputBytes += launch->traffic.inputBytes;
      joined.traffic.outputBytes += launch->traffic.outputBytes;
      phase.scratchBytes = std::max(phase.scratchBytes, own.scratchBytes);
      firstBlocks.push_back(blocks);
      blocks += blocksOf(*launch);
    }
  }
  joined.slots.insert(joined.slots.end(), firstBlocks.begin(), firstBlocks.end());
  phase.threads[0] = blocks;
  joined.phases.push_back(phase);
  return joined;
}

}  // namespace nvfuser
