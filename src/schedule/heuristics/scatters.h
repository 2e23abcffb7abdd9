// What the schedulers ask of a fusion with a scatter, whatever the device.
#pragma once

#include <string>
#include <vector>

#include "device/target.h"
#include "schedule/heuristics/common.h"

namespace nvfuser::heuristics {

bool hasScatter(const std::vector<Expr*>& exprs);
// Empty when there is one scatter, what it copies, what it writes and what is computed from its
// result share nothing but inputs, and all of that is element by element; otherwise why they cannot
// share loops.
std::string scatterMismatch(const std::vector<Expr*>& exprs);
// Whether all of it has the dimensions of the result, and nothing is computed from what is written
// but that.
bool hasScatterDimensions(const std::vector<Expr*>& exprs);

// The first scatter, null for none.
ScatterOp* scatterAmong(const std::vector<Expr*>& exprs);

// Whether all elements along the innermost dimension have one position, in another dimension: so
// neighbours write to neighbours.
bool writesRows(const ScatterOp* scatter);

// Whether the device adds whole vectors of some dtype to memory.
bool addsVectorsOf(DataType dtype, const Target& target);

// Sums of 16 bits that threads add to are computed in single precision and rounded once, but for
// rows on a device that adds whole vectors of such elements: there they are rounded with each
// addition, as PyTorch does it on CUDA, and half as many bytes are moved.
void widenSums(Fusion* fusion, const Target& target);

// Gives every scatter an input of its own to write into, but for those that update one of the
// fusion.
void copyForScatters(Fusion* fusion);

// The tensors around a scatter that loops of one kind compute.
struct ScatterParts {
  // What is written into, with what it is computed from.
  std::vector<TensorView*> copied;
  // The result as the scatter writes it, with what index and source are computed from and what is
  // computed from these.
  std::vector<TensorView*> written;
  // The others, those that have to do with each other together.
  std::vector<std::vector<TensorView*>> behind;
};
ScatterParts partsOf(const ScatterOp* scatter);
// The parts as stages, one after the other.
Stages stagesOf(const ScatterOp* scatter);

}  // namespace nvfuser::heuristics
