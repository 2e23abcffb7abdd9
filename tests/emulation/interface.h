// What generated kernels, compiled for the host, and the emulator that runs them agree on.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emulation {

// Blocks of a cluster at most. More than the portable ones must be asked for.
constexpr unsigned kClusterBlocks = 16;
constexpr unsigned kPortableClusterBlocks = 8;

struct Index3 {
  unsigned x, y, z;
};

// Where a parameter of a kernel lies in the argument block of a launch.
struct ParameterPlace {
  uint32_t offset;
  uint32_t size;
};

// A kernel as its module describes it: object `emulated_kernel_<name>`, or `emulated_any_kernel`
// for all that the module does not name. Without a call launches do nothing.
struct KernelDescription {
  // Runs the kernel for one thread.
  void (*call)(const unsigned char* arguments);
  const ParameterPlace* parameters;
  uint32_t parameterCount;
  uint32_t argumentBytes;
  // From __launch_bounds__; 0 without.
  uint32_t maxThreads;
  // From __cluster_dims__: blocks along y that are a cluster.
  uint32_t clusterBlocks;
};

// What lanes of a warp do together.
enum class Collective : uint8_t {
  Synchronize,
  Shuffle,
  ShuffleUp,
  ShuffleDown,
  ShuffleXor,
  Any,
  All,
  Ballot
};

// What a block's threads find out at a barrier.
enum class BarrierResult : uint8_t { None, Count, And, Or };

extern "C" {

// The thread that runs.
extern const Index3 emulated_threadIdx;
extern const Index3 emulated_blockIdx;
extern const Index3 emulated_blockDim;
extern const Index3 emulated_gridDim;

// The dynamic shared memory of the block that runs.
unsigned char* emulated_shared_memory();

// Where in the shared memory of another block of the cluster an address of this block's would be.
void* emulated_peer_address(const void* address, unsigned rank);

// A copy to shared memory, which is made when the thread waits for its copies.
void emulated_copy_async(void* out, const void* in, size_t size);
void emulated_await_copies();

// The two halves of a barrier of all threads of a cluster.
void emulated_cluster_arrive();
void emulated_cluster_wait(int line);

// `line` tells barriers (and collectives) of the source from each other.
int emulated_barrier(BarrierResult result, int predicate, int line);

// `value` is what the lane brings; the result is its own for lanes whose source is out of range.
uint64_t emulated_collective(Collective kind, uint32_t mask, uint64_t value, int argument,
                             int width, int line);

// The lanes of this warp that come to the same line while no other thread can go on.
uint32_t emulated_active_mask(int line);

// Checks the address of an access that other threads may make at the same time. It is checked out
// of line, so that the place in the source comes with it.
void emulated_atomic(const void* address, size_t size, const char* file, int line);

[[noreturn]] void emulated_trap(const char* message);

// How far off approximate instructions are, as a part of what CUDA allows: from -1 to 1.
double emulated_inaccuracy();

}  // extern "C"

}  // namespace emulation
