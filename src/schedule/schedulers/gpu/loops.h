// What the schedulers for devices with threads share in transforming loops.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "schedule/heuristics/common.h"
#include "schedule/limits.h"
#include "schedule/schedulers/gpu/params.h"

namespace nvfuser::schedulers::gpu {

using namespace heuristics;

// Where kernels touch global memory: nothing but copies between it and registers, which can be
// vectorized and started early.
struct GlobalCopies {
  // Local tensors that copy (a view of) an input.
  std::vector<TensorView*> loads;
  // Outputs, each a copy of a local tensor.
  std::vector<TensorView*> stores;
  // Place of the input or output in globalTensors() of the unscheduled fusion; kWorkspace for what
  // an earlier kernel computed.
  static constexpr size_t kWorkspace = limits::kNumberedTensors;
  std::unordered_map<const TensorView*, size_t> number;
  // Whether what is read for a slice or pad may be read in vectors.
  bool fitResizes = false;
};

// Whether the input or output of that number is accessed in vectors.
bool isVectorizedTensor(const GpuVectors& vectors, size_t number);

// Whether a copy has many elements of one of its operand, which no vector of it is made of.
bool expandsOperand(const TensorView* copy);

// Inserts the copies. With `perStage` every stage reads its inputs itself.
GlobalCopies separateGlobals(Fusion* fusion, bool perStage, const GpuReadOnce& readOnce = {},
                             const GpuVectors& vectors = {});

// Computes again for each resize what it shares with others, and notes which of that are copies.
void repeatForResizes(Fusion* fusion, GlobalCopies& copies);

// Gives the loops of `reference` these parallel types and those of `selected` the corresponding
// ones. Vectorize and Unroll are left to the copies: vectors only to those that `vectors` allows.
void parallelize(TensorView* reference, const std::vector<ParallelType>& types,
                 const std::vector<TensorView*>& selected, const GlobalCopies& copies,
                 const GpuVectors& vectors);

// Gives `reference` the loops [blocks, rows in flight, threads y, threads x, vector] and its
// neighbours in `selected` the same.
void scheduleBlocksAround(TensorView* reference, const GpuVectors& vectors, const GpuBlocks& blocks,
                          const std::vector<TensorView*>& selected, const GlobalCopies& copies);
// The same where of what is in memory these loops access only `memory`.
void scheduleBlocksAround(TensorView* reference, const GpuVectors& vectors, const GpuBlocks& blocks,
                          const std::vector<TensorView*>& selected, const GlobalCopies& copies,
                          const std::vector<TensorView*>& memory);

// Checks that threads divide what is computed between them. What a schedule was not carried over to
// is right as well, but computed by one thread, or by each: that is no schedule.
void checkDivided(const Fusion& fusion);

}  // namespace nvfuser::schedulers::gpu
