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
// Whether the device can add vectors to the rows that a scatter adds to: they lie along memory, and
// all elements of a row have one position.
bool addsVectors(const ScatterOp* scatter, const GpuVectors& vectors,
                 const ScheduleContext& context);

}  // namespace nvfuser::schedulers::gpu
