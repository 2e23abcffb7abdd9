// How wide the vectors of element-wise kernels are, by how many threads there are and what these
// wait for.
#pragma once

#include "schedule/schedulers/gpu/choose.h"

namespace nvfuser::schedulers::gpu {

// The same with vectors of fewer elements where threads for so many are few: there is little to
// wait for, and the code for the elements of a thread, which a kernel fetches first, is what takes
// time.
ScheduleContext forThreadsOf(int64_t elements, const FusionSummary& summary,
                             const ScheduleContext& context);

// Chooses vectors along the inner group, which may become another one.
using ChooseVectors = GpuVectors (*)(TensorView* reference, const FusionSummary& summary,
                                     const ScheduleContext& context, InnerGroup& inner);
// What is chosen, with fewer elements where loads of single ones would take longer than memory.
GpuVectors chooseForLoads(ChooseVectors choose, TensorView* reference, const FusionSummary& summary,
                          const ScheduleContext& context, InnerGroup& inner);

// Whether an element takes that long to compute that few elements are spread over many threads.
bool isLong(const FusionSummary& summary, const ScheduleContext& context);

// Whether several single elements are loaded for each of these vectors: a warp finds those of each
// of its threads in another part of memory.
bool hasLoadsApart(const InnerGroup& inner, const GpuVectors& vectors, const FusionSummary& summary,
                   const ScheduleContext& context);

// Whether a thread has nothing to wait for, since its elements take longer than memory.
bool isComputed(int64_t elements, const FusionSummary& summary, const ScheduleContext& context);

}  // namespace nvfuser::schedulers::gpu
