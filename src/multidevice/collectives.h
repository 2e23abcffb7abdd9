// Operations among processes: library calls, whose host is torch.distributed.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/fusion.h"

namespace nvfuser::multidevice {

// The number of this process among those that work together. The host says it, by a function that
// is asked each time; without one, 0.
int64_t ownRank();
void setRankSource(int64_t (*source)());

// Ranks that call a collective together have a number, always the same one in this process.
int64_t teamNumber(const std::vector<int64_t>& ranks);
std::vector<int64_t> teamOf(int64_t number);

// Whether there is a collective that combines elements of the dtype by the operation.
bool isCombinedByCollective(BinaryOpType operation, DataType dtype);

// Who works together, and on what: processes that run different fusions can be told apart.
struct Team {
  int64_t number = 0;
  int64_t fusion = 0;
  // What the last operation among processes writes, null before the first one; it becomes this one.
  // So all devices begin them in one order, though they do not do the same between them.
  TensorView** last = nullptr;
};

// Each of them begins an operation and waits for it, by calls of their own. `x` is a tensor of the
// active fusion; the dimension of the devices is the first one, as long as the team.
//
// What all devices have: [...] to [D, ...].
TensorView* allGather(TensorView* x, const Team& team);
// Combined: [...] to [...].
TensorView* allReduce(TensorView* x, const Team& team, BinaryOpType operation);
// Element i of the first dimension, combined, for device i: [D, ...] to [...].
TensorView* reduceScatter(TensorView* x, const Team& team, BinaryOpType operation);
// Element i of the first dimension goes to device i, which has it at the sender's: [D, ...].
TensorView* allToAll(TensorView* x, const Team& team);
// What member `source` of the team has.
TensorView* broadcastFrom(TensorView* x, const Team& team, int64_t source);
// What the member in front of each has, the last one in front of the first: a step of a ring. It is
// a broadcast from kPrevious.
constexpr int64_t kPrevious = -1;
TensorView* shift(TensorView* x, const Team& team);

}  // namespace nvfuser::multidevice
