// Small all-reduces inside of kernels: each device reads what the others have from their memory.
//
// A collective of its own costs more than it moves where there are few bytes. Here the kernel that
// reads the sum copies the device's own part to memory that its peers have mapped, waits until they
// have done so, and adds what it reads there (one shot). The sum is an ordinary part of the kernel,
// fused with whatever follows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/evaluator.h"
#include "ir/fusion.h"

namespace nvfuser::multidevice {

// Memory that the devices of a team have of each other: a header of kHeaderBytes, zero at first,
// then two buffers.
struct PeerMemory {
  static constexpr int64_t kHeaderBytes = 64 * 1024;
  // Where this process has mapped the memory of each member, in the order of the team.
  std::vector<int64_t> addresses;
  // This process among the members.
  int64_t own = 0;
  // Of one buffer, in bytes.
  int64_t capacity = 0;
  // How many blocks of a kernel copy at most: all of them have to run at once.
  int64_t blocks = 1;
  // How long a kernel waits for the others before it gives up, in nanoseconds.
  int64_t timeLimit = 0;
};

// Of a team (multidevice/collectives.h), null where its devices cannot read each other's memory.
// The host says it, by a function that all members call in the same order; without one, null.
std::optional<PeerMemory> peerMemoryOf(int64_t team);
void setPeerMemorySource(std::optional<PeerMemory> (*source)(int64_t team));

// Whether all that the devices of a fusion send each other are sums so small that kernels read what
// they are made of from the peers. `evaluator` has the sizes of the run.
bool isExchanged(const Fusion& fusion, ExpressionEvaluator& evaluator);

// Puts reads of the peers' memory and sums in place of all-reduces: an all-gather whose results,
// one for each device, are in symmetric memory.
void exchangeInKernels(Fusion* fusion);

// The exchange that a tensor comes from, null for others.
const LibraryOp* exchangeOf(const Val* tv);

}  // namespace nvfuser::multidevice
