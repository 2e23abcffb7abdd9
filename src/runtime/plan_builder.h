// Making the LaunchPlan of one signature from the compiled kernels of its class.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/evaluator.h"
#include "runtime/argument_check.h"
#include "runtime/concretize.h"
#include "runtime/kernel.h"
#include "runtime/launch_plan.h"
#include "schedule/segmentation.h"

namespace nvfuser {

using ScalarMap = std::unordered_map<const Val*, const Val*>;

// A segment of a class with the kernels compiled for it so far.
struct SegmentKernels {
  struct Entry {
    std::shared_ptr<CompiledKernel> compiled;
    // Symbols of the kernel as values of the concrete fusion.
    ScalarMap scalars;
  };
  Segment segment;
  std::map<ScheduleParams, Entry> kernels;
};

// Everything that is compiled for one class of arguments.
struct FusionClass {
  ConcreteFusion concrete;
  std::vector<SegmentKernels> segments;
  // In-place outputs that may be computed directly in the input's memory.
  std::vector<bool> isDirectUpdate;
};

std::unique_ptr<FusionClass> makeClass(const Fusion& fusion, std::span<const Layout> layouts,
                                       ExpressionEvaluator& evaluator);

// `evaluator` holds the sizes and scalars of `arguments`; `kernelName` prefixes the names of kernels.
std::shared_ptr<LaunchPlan> buildPlan(FusionClass& fusionClass,
                                      std::span<const PolymorphicValue> arguments,
                                      ExpressionEvaluator& evaluator, const std::string& kernelName);

}  // namespace nvfuser
