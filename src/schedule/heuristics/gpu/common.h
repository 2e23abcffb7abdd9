// Steps that the schedulers for CUDA share.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "schedule/heuristics/common.h"
#include "schedule/scheduler.h"

namespace nvfuser::heuristics {

// Where kernels touch global memory: nothing but copies between it and registers, which can be
// vectorized and started early.
struct GlobalCopies {
  // Local tensors that copy (a view of) an input.
  std::vector<TensorView*> loads;
  // Outputs, each a copy of a local tensor.
  std::vector<TensorView*> stores;
  // Place of the input or output in globalTensors() of the unscheduled fusion; kWorkspace for what
  // an earlier kernel computed.
  static constexpr size_t kWorkspace = 64;
  std::unordered_map<const TensorView*, size_t> number;
};

// Inserts the copies. With `perStage` every stage reads its inputs itself.
GlobalCopies separateGlobals(Fusion* fusion, bool perStage, const GpuParams& params);

// The innermost dimensions of `reference` that are contiguous as one in all inputs and outputs.
struct InnerGroup {
  std::vector<int64_t> classes;
  int64_t extent = 1;
};
InnerGroup innerGroup(TensorView* reference, const DomainClasses& classes,
                      const ScheduleContext& context);

// The elements of a tensor, without those of a dimension that is left out.
int64_t elementsOf(const TensorView* tv, const ScheduleContext& context,
                   const IterDomain* leftOut = nullptr);
// The bytes that a tensor is counted with, at least one for each element.
int64_t bytesOf(const TensorView* tv, const ScheduleContext& context);
// What inputs and outputs have together, as a multiple of the L2 cache; 0 where that is not known.
double timesOfCache(const Fusion* fusion, const ScheduleContext& context);
// Inputs so many times as large as the L2 cache are read faster when they are the last to leave it:
// measured on an H200, by 1 % at four times its size and 3 % at eight, and up to 5 % more slowly at
// the size of the cache.
inline constexpr double kTimesOfKept = 4;
// Sets ofReadOnce and readOnce: inputs that have not far fewer elements than others, which would be
// read again for each of those.
void chooseCacheOp(CacheOp op, const Fusion* fusion, const ScheduleContext& context,
                   GpuParams& params);

// Bytes that inputs have for an element of `tv`: all that have as many dimensions.
int64_t bytesLoadedFor(const Fusion* fusion, const TensorView* tv);

// Sets vectorWidth and vectorized: the widest accesses that sizes, strides and addresses allow.
void chooseVectors(const Fusion* fusion, const InnerGroup& inner, const DomainClasses& classes,
                   const ScheduleContext& context, GpuParams& params);
// Adds to `vectorized` what can be accessed in vectors of that width along another group.
void addVectors(const Fusion* fusion, const InnerGroup& group, const DomainClasses& classes,
                const ScheduleContext& context, GpuParams& params);

// Gives the loops of `reference` these parallel types and those of `selected` the corresponding
// ones. Vectorize and Unroll are left to the copies: vectors only to those that `params` allows.
void parallelizeForGpu(TensorView* reference, const std::vector<ParallelType>& types,
                       const std::vector<TensorView*>& selected, const GlobalCopies& copies,
                       const GpuParams& params);

}  // namespace nvfuser::heuristics
