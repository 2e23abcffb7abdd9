// Scans on CUDA: the threads of a block share the scanned dimension, chunk after chunk.
#pragma once

#include <unordered_map>
#include <vector>

#include "schedule/heuristics/gpu/common.h"
#include "schedule/scheduler.h"

namespace nvfuser::heuristics {

// For a fusion with scans.
GpuParams gpuScanParams(Fusion* fusion, const ScheduleContext& context);

// Gives `reference`, the result of a scan, and its neighbours in `selected` the loops
// [rows, threads y, chunks, vectors, threads x, vector] where the scanned dimension is the
// innermost one in memory, [rows and columns, threads x, chunks, threads y, elements, vector of
// columns] elsewhere. Adds to `limits` how many of them each scan shares with what uses it.
void scheduleGpuScanAround(TensorView* reference, const GpuParams& params,
                           const std::vector<TensorView*>& selected, GlobalCopies& copies,
                           std::unordered_map<const TensorView*, int64_t>& limits);

}  // namespace nvfuser::heuristics
