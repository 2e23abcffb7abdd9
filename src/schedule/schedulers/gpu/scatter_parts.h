// What scatters into memory and those into rows share.
#pragma once

#include <vector>

#include "schedule/heuristics/scatters.h"
#include "schedule/schedulers/gpu/base.h"

namespace nvfuser::schedulers::gpu {

std::string rejectScatter(const FusionSummary& summary);

// Vectors are those of the copy, and those that are written.
GpuVectors chooseScatterVectors(const InnerGroup& inner, const FusionSummary& summary,
                                const ScheduleContext& context);

// Neighbours write anywhere, so that vectors are of use only where all that is written is read in
// these; where vectors are added to rows, also if the rows are chosen by what has one element each.
GpuVectors vectorsOfWritten(const std::vector<TensorView*>& written, const GlobalCopies& copies,
                            const GpuVectors& vectors, bool addsVectors = false);
// The elements of a vector that the device can add to such rows in one access, so that those of
// neighbours are adjacent: they lie along memory; 1 if it adds none.
int64_t addedElements(const ScatterOp* scatter, const ScheduleContext& context);

// What some of the tensors around a scatter read and write in memory, what it writes into first.
std::vector<TensorView*> memoryOf(const std::vector<TensorView*>& tensors,
                                  const ScatterOp* scatter);

}  // namespace nvfuser::schedulers::gpu
