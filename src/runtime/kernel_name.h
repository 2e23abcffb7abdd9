// What kernels are called, in code and in profilers.
#pragma once

#include <string>

#include "ir/fusion.h"
#include "lower/kernel.h"
#include "schedule/scheduler.h"

namespace nvfuser {

// A name that says how a kernel is scheduled and what it computes, the first operations of it, and
// tells it from others of which that is the same: "nvfuser_pointwise_mul_add_relu_1c9d03f2". Equal
// fusions with equal schedules have equal names. `fusion` is as it was before it was scheduled,
// `definition` is its text.
std::string kernelName(const Fusion& fusion, const std::string& definition,
                       const ScheduleParams& params);

// The same of a group: "nvfuser_pointwise_mul_add_relu_and_2_more_5b0e7d19".
std::string groupName(const kir::KernelGroup& group);

}  // namespace nvfuser
