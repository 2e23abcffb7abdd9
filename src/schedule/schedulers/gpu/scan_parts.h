// Scans of few long rows: blocks share a row. What each part of it combines to is computed first,
// then what precedes each part, and the parts are scanned last.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "schedule/scheduler.h"
#include "schedule/schedulers/gpu/loops.h"

namespace nvfuser::schedulers::gpu {

// Whether what the scans read can be computed twice.
bool canScanInParts(const std::vector<Expr*>& exprs);

// Gives a tensor the loops of a scan along one of its dimensions and returns their types, of which
// GridY is that of the parts.
using ArrangeScan =
    std::function<std::vector<ParallelType>(TensorView*, const IterDomain*, const DomainClasses&)>;

// Makes the scans that compute some of `tensors` scans in parts, and schedules what computes the
// values in front of the parts. Adds to `copies` what is loaded for that, and to `limits` the
// tensors that pass between kernels.
void scanInParts(const std::vector<TensorView*>& tensors, const ArrangeScan& arrange,
                 const GpuVectors& vectors, GlobalCopies& copies,
                 std::unordered_map<const TensorView*, int64_t>& limits);

}  // namespace nvfuser::schedulers::gpu
