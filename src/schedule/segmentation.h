// Segmentation: cutting a fusion into parts that one scheduler each can turn into a kernel.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "ir/fusion.h"
#include "schedule/scheduler.h"

namespace nvfuser {

// A part of a fusion as a fusion of its own.
struct Segment {
  SchedulerType scheduler = SchedulerType::None;
  // Those of that type that accept it, in order of preference.
  std::vector<const Scheduler*> schedulers;
  std::unique_ptr<Fusion> fusion;
  // What schedulers ask of `fusion`; null where there is no scheduler.
  std::unique_ptr<FusionSummary> summary;
  // Inputs and outputs of `fusion` in order, as values of the whole fusion.
  std::vector<Val*> inputs;
  std::vector<TensorView*> outputs;
  // All values of the whole fusion that are computed here.
  std::vector<const Val*> computed;
  // For every symbol of `fusion` that stands for one of the whole fusion.
  std::unordered_map<const Val*, const Val*> scalars;
};

// The groups of expressions, each accepted by a scheduler of the target, in an order in which they
// can run. Raises when an expression fits no scheduler.
std::vector<std::vector<Expr*>> groupExprs(Fusion* fusion, const Target& target);

// The segments in order of execution. Outputs in `directUpdates` are computed in the memory of the
// input that they map to.
std::vector<Segment> segmentFusion(
    Fusion* fusion, const Target& target,
    const std::unordered_map<const TensorView*, const TensorView*>& directUpdates = {});

// The whole fusion, scheduled as it is, as one segment.
Segment scheduledSegment(Fusion* fusion);

// A segment that writes the values of `source` into the memory of the input `updated`.
Segment copySegment(TensorView* source, TensorView* updated, const Target& target);

}  // namespace nvfuser
