// FusionClass: what is compiled for one class of arguments, equal but for sizes and values.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/options.h"
#include "device/target.h"
#include "ir/evaluator.h"
#include "runtime/concretize.h"
#include "runtime/kernel.h"
#include "runtime/kernel_params.h"
#include "runtime/planning/views.h"
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
  // Schedules that turned out not to fit, and why.
  std::map<ScheduleParams, std::string> refused;
  // The number of the first segment of equal structure, like those of repeated layers are: its
  // kernels serve all of them. Its own number where there is none before.
  size_t like = 0;
  // The values of the concrete fusion that its symbols stand for, in an order that is the same for
  // segments of equal structure.
  std::vector<const Val*> symbols;
};

struct FusionClass {
  Device device;
  Target target;
  ConcreteFusion concrete;
  // The numbers of the scalar arguments that sizes depend on.
  std::unordered_set<size_t> sizeArguments;
  // All outputs; those of the concrete fusion are the ones that kernels compute.
  std::vector<Fusion::Output> outputs;
  // Outputs that are views of inputs, which nothing computes, and how they are made: segmentation
  // removes what nothing reads any more.
  std::unordered_map<const TensorView*, ViewChain> views;
  // The same of what library calls take in place of such views.
  std::unordered_map<const TensorView*, ViewChain> libraryViews;
  // Segments that compute, then those that copy results into the inputs they update.
  std::vector<SegmentKernels> segments;
  // What is apart because no scheduler could do it in one kernel, although one had accepted it.
  Refusals refused;
  // In-place outputs that are computed directly in the memory of their input.
  std::unordered_map<const TensorView*, const TensorView*> directUpdates;
  // Those in force that make a difference for what is compiled.
  OptionSet options;
  // Of a user's schedule.
  LaunchParams launchConstraints;
  CompileParams compileParams;
  // Scalars that stand for the values of 0-dim tensors in host memory, by number of the argument;
  // seed and offset of the random generator are the two arguments behind the caller's.
  std::unordered_map<const Val*, size_t> hostScalars;
  // Those of the segments' kernels that share a launch.
  std::map<GroupMembers, std::shared_ptr<CompiledKernel>> groups;
};

// The segments are those of the automatic schedulers or, with `keepsSchedule`, one that is
// scheduled like the fusion; they suit `target`, which `device` is. `layouts` are those of the
// tensors among the inputs. The inputs whose numbers are in `hostScalars` are 0-dim tensors in host
// memory, of a call that runs on another device. With `exchanges`, all-reduces are part of the
// kernels that read their results. No segment is refused: they are those of a class
// of the same fusion, device and layouts. `sizes` are constants of the kernels.
std::unique_ptr<FusionClass> makeClass(const Fusion& fusion, Device device, Target target,
                                       std::span<const Layout> layouts,
                                       std::span<const size_t> hostScalars,
                                       ExpressionEvaluator& evaluator, bool keepsSchedule,
                                       bool exchanges, Refusals refused, const KnownScalars& sizes);

bool sameDimensions(const TensorView* a, const TensorView* b);
// Whether every use of `input` reads it at the position that is written: then its memory can be
// overwritten while the (only) kernel runs.
bool readsOnlyInPlace(const TensorView* input);
// Whether everything that reads `input` is computed before `output`: is among what it depends on.
bool isReadBefore(const TensorView* input, const TensorView* output);

}  // namespace nvfuser
