// Target: what schedules, lowering and launches may know of the device that a kernel is made for.
//
// Its properties are numbers; its capabilities say what a kernel can do there. Nothing outside of
// device/, the backends and the emitters asks which device it is: another one is described by a
// function like those at the end of this file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/named_numbers.h"

namespace nvfuser {

// X(type, name, value, meaning): the value is what is taken for a device of which nothing is known.
// clang-format off
#define NVF_GPU_PROPERTIES(X)                                                                     \
  X(int64_t, computeCapability, 0, "10 * major + minor: 90 for sm_90")                            \
  X(int64_t, multiprocessors, 1, "multiprocessors")                                               \
  X(int64_t, threadsPerMultiprocessor, 2048, "threads that run on one at a time")                 \
  X(int64_t, blocksPerMultiprocessor, 32, "blocks that run on one at a time")                     \
  X(int64_t, registersPerMultiprocessor, 65536, "registers of 32 bits")                           \
  X(int64_t, threadsPerBlock, 1024, "threads of a block at most")                                 \
  X(int64_t, sharedBytesPerBlock, 48 * 1024, "bytes at most; more than 48 KB must be asked for")  \
  X(int64_t, sharedBytesPerMultiprocessor, 64 * 1024, "bytes")                                    \
  X(int64_t, clusterBlocks, 1, "blocks of a cluster at most; 1: there are no clusters")           \
  X(int64_t, warpSize, 32, "threads that run in step")                                            \
  X(int64_t, blocksAlongY, 65535, "blocks along y and z of a grid at most")                       \
  X(int64_t, l2Bytes, 0, "bytes of the L2 cache; 0: not known")                                   \
  X(int64_t, memoryBytes, 0, "bytes of memory")                                                   \
  X(int64_t, memoryBytesPerSecond, 0, "as data sheets count; 0: not known")

#define NVF_CPU_PROPERTIES(X)                                                                     \
  X(int64_t, workers, 1, "threads that share the work of a kernel")                               \
  X(int64_t, lineBytes, 64, "bytes of a line of memory")                                          \
  X(int64_t, vectorBytes, 32, "bytes of a vector register as generated code uses them")           \
  X(int64_t, lastLevelBytes, 0, "bytes of the cache that cores share; 0: not known")

#define NVF_CAPABILITIES(X)                                                                       \
  X(bool, hasThreads, false,                                                                      \
    "the iterations of parallel loops are threads of blocks, which run at the same time; without " \
    "threads a worker runs one iteration after the other, and the outermost loop over blocks is " \
    "divided among workers")                                                                      \
  X(bool, hasSharedMemory, false, "the threads of a block have memory in common, and barriers")   \
  X(bool, hasVectorAccesses, false,                                                               \
    "a copy in a vectorized loop is one access; otherwise the compiler finds vectors itself")     \
  X(bool, prefersNarrowIndices, false, "indices of 32 bits are cheaper than those of 64")         \
  X(bool, reportsLookups, false, "positions that do not exist are reported after the run")        \
  X(bool, hasTransposedCopies, false, "rectangles are transposed in registers")                   \
  X(bool, hasPrefetch, false, "memory can be requested before it is used")                        \
  X(bool, hasStreamingStores, false, "results can be written past the caches")                    \
  X(bool, hasMaskedVectors, false, "vectors of elements of any size are read and written in part") \
  X(bool, groupsKernels, false, "the blocks of several kernels may be those of one launch")       \
  X(bool, overlapsKernels, false, "a kernel may begin before the one in front of it has ended")
// clang-format on

// The most blocks of a kernel that may be launched before the one in front of it has ended. What is
// launched so must wait for that itself: the driver and the kernel's text have this one number. The
// instructions that wait take time in each block: 10,000 short ones were 1.4 times as slow.
inline constexpr uint64_t kOverlappedBlocks = 1024;

// Blocks of a cluster that all devices with clusters run. More must be asked for, and some devices
// have no place for them.
inline constexpr int64_t kPortableClusterBlocks = 8;

#define NVF_FIELD(type, name, value, meaning) type name = value;

// A CUDA device.
struct GpuProperties {
  std::string name{};
  NVF_GPU_PROPERTIES(NVF_FIELD)
  // Tells how many clusters of so many blocks run at a time, where a multiprocessor has memory for
  // so many blocks: which multiprocessors a cluster may lie on differs among devices of a kind. 0,
  // or no function: not known.
  std::function<int64_t(int64_t clusterBlocks, int64_t ofMultiprocessor)> clustersAtATime{};
};

// The processor of the host.
struct CpuProperties {
  NVF_CPU_PROPERTIES(NVF_FIELD)
};

struct Capabilities {
  NVF_CAPABILITIES(NVF_FIELD)
};

#undef NVF_FIELD

struct Target {
  // Row of the tuning tables: "sm_90", "x86-64".
  std::string architecture;
  Capabilities capabilities;
  // Those of the kind that the target is.
  GpuProperties gpu;
  CpuProperties cpu;
};

// A CUDA device of these properties.
Target gpuTarget(GpuProperties properties);
// A processor of these properties.
Target cpuTarget(CpuProperties properties);

// What experiments and tests put in place of what a target has: of NVFUSER_TARGET, by the names
// above.
Overrides& targetOverrides();
// The target with those.
Target withOverrides(Target target);

}  // namespace nvfuser
