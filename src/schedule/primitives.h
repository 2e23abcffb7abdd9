// Schedule primitives as users call them: the steps of propagate.h for any selection of tensors,
// with checks.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "ir/fusion.h"

namespace nvfuser::schedule {

// `position` counts loops of a reference from the outermost one, from the end where it is negative:
// -1 stands for all of them.

// Replays the transforms of the outermost loops of `from` on its producers, as far as the tensors
// in `to`; on request with their parallel types.
void boundedTransformBackward(TensorView* from, int64_t position,
                              const std::vector<TensorView*>& to, bool propagatesParallelTypes);

void transformLike(TensorView* reference, const std::vector<TensorView*>& selected);

// Tensors that are not selected stay as they are, but the selected ones need not be neighbours.
void parallelizeLike(TensorView* reference, int64_t position,
                     const std::vector<TensorView*>& selected,
                     const std::unordered_set<ParallelType>& types);

void inlineMost(const std::vector<TensorView*>& selected);

// Shares the loops of the selected tensors with their consumers, as deep as the outermost loops of
// the reference; raises where that is not possible, unless it is a `bestEffort`.
void inlineAt(TensorView* reference, int64_t position, bool bestEffort,
              const std::vector<TensorView*>& selected);

// Gives a copy to shared memory threads of its own, which do nothing else: one more along y or z,
// or one more warp along x. Stages, the distance by which loads run ahead, and registers (those of
// the threads that load, and of the others; none where negative) are checked only: a load is
// complete before it is used.
void warpSpecialize(TensorView* tv, int64_t stages, int64_t prefetchDistance, ParallelType type,
                    int64_t loaderRegisters = -1, int64_t computeRegisters = -1);

}  // namespace nvfuser::schedule
