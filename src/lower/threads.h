// Blocks and threads of a CUDA kernel: which loops they stand for, and which tensors of a kernel
// can pass from one expression to another without leaving it.
#pragma once

#include <array>
#include <vector>

#include "device/target.h"
#include "ir/fusion.h"
#include "lower/builder.h"
#include "lower/kernel.h"
#include "schedule/loop_tree.h"

namespace nvfuser {

// The expressions of a loop nest in order of execution.
std::vector<Expr*> exprsOf(const std::vector<LoopNode::Item>& items);
std::vector<Expr*> exprsOf(const LoopNode::Item& item);

// Whether what a thread computes of a tensor, or so many elements, are few enough, and of constant
// number, to be a local array.
bool fitsThread(const TensorView* tv);
bool fitsThread(const Val* size);

// The loop of a tensor with this parallel type, null where there is none.
const IterDomain* loopOfType(const TensorView* tv, ParallelType type);

// Whether each thread or block along a direction has its own part of a tensor.
bool isDividedAlong(const TensorView* tv, ParallelType type);

// Divides the top-level nests of a fusion among kernels, those that wait for fewer first where that
// takes fewer: a nest goes to the kernel of the nest before unless it reads what other threads or
// blocks of that kernel compute and nothing orders them, or what a thread cannot hold. Raises where
// that happens inside a nest.
std::vector<std::vector<LoopNode::Item>> divideAmongKernels(Fusion* fusion);

// Lets tensors share fewer loops with their consumers until no nest has what its threads cannot see
// of each other: one of its parts then precedes the other, in the same kernel or in one before.
void separateUnseen(Fusion* fusion);

// The directions of one kernel.
class ThreadDimensions {
 public:
  // With `hasWholeWarps` the threads along x are rounded up to whole warps, unless their number is
  // constant. Where it is assumed to be bounded, there are as many as it may be.
  ThreadDimensions(const kir::Builder& build, const std::vector<Expr*>& exprs, bool hasWholeWarps,
                   int64_t warpSize);

  const std::vector<kir::ThreadDimension>& list() const { return list_; }
  // Null where the kernel does not use the direction.
  const kir::ThreadDimension* find(ParallelType type) const;
  bool isThreadIndex(const Val* val) const;

 private:
  std::vector<kir::ThreadDimension> list_;
};

}  // namespace nvfuser
