// Making the LaunchPlan of one signature from the compiled kernels of its class.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
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
  // All outputs; those of the concrete fusion are the ones that kernels compute.
  std::vector<Fusion::Output> outputs;
  // Outputs that are views of inputs: nothing computes them.
  std::unordered_set<const TensorView*> views;
  std::vector<SegmentKernels> segments;
  // In-place outputs that are computed directly in the memory of their input.
  std::unordered_map<const TensorView*, const TensorView*> directUpdates;
};

std::unique_ptr<FusionClass> makeClass(const Fusion& fusion, std::span<const Layout> layouts,
                                       ExpressionEvaluator& evaluator);

// `evaluator` holds the sizes and scalars of `arguments`; `kernelName` prefixes the names of
// kernels.
std::shared_ptr<LaunchPlan> buildPlan(FusionClass& fusionClass,
                                      std::span<const PolymorphicValue> arguments,
                                      ExpressionEvaluator& evaluator,
                                      const std::string& kernelName);

}  // namespace nvfuser
