// Segmentation: cutting a fusion into parts that one scheduler each can turn into a kernel.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/fusion.h"
#include "schedule/limits.h"
#include "schedule/scheduler.h"

namespace nvfuser {

// A part of a fusion as a fusion of its own.
struct Segment {
  SchedulerType scheduler = SchedulerType::None;
  // Those of that type that accept it, in order of preference.
  std::vector<const Scheduler*> schedulers;
  std::unique_ptr<Fusion> fusion;
  // What schedulers ask of `fusion`; null where it has a user's schedule or is a copy.
  std::unique_ptr<FusionSummary> summary;
  // Inputs and outputs of `fusion` in order, as values of the whole fusion.
  std::vector<Val*> inputs;
  std::vector<TensorView*> outputs;
  // All values of the whole fusion that are computed here.
  std::vector<const Val*> computed;
  // The names of those that the fusion had before it was segmented, in order.
  std::vector<int64_t> names;
  // For every symbol of `fusion` that stands for one of the whole fusion.
  std::unordered_map<const Val*, const Val*> scalars;
};

// What no scheduler could schedule although one had accepted it: such segments are cut, the first
// ones where that leaves the most together, others into halves of halves.
class Refusals {
 public:
  // Refuses segments that are alike. False if there is nothing left to cut.
  bool add(std::span<const Segment* const> segments, const std::string& reason);
  // Why the segment of these names is refused, null if it is not.
  const std::string* reasonFor(const std::vector<int64_t>& names) const;
  // Whether expressions, of which these are the names, must not be a segment.
  bool contains(const std::vector<int64_t>& names, size_t exprs) const;
  // Whether segments compute again what others compute, too. It is part of the expression that
  // needs it, which then is all that a segment can be cut into.
  bool areRepeated() const { return times_ < limits::kRefusals; }
  bool empty() const { return segments_.empty(); }

 private:
  struct Refused {
    std::string reason;
    // Of a segment with any of the names.
    size_t mostExprs;
  };
  // The fewest that a segment with any of these names may have.
  size_t mostExprs(const std::vector<int64_t>& names) const;

  // By the names, in order.
  std::map<std::vector<int64_t>, Refused> segments_;
  size_t times_ = 0;
};

// The groups of expressions, each accepted by a scheduler of the target, in an order in which they
// can run. No refused segment is among them unless it is one of expressions that belong together.
// Raises when an expression fits no scheduler.
std::vector<std::vector<Expr*>> groupExprs(Fusion* fusion, const Target& target,
                                           const Refusals& refused = {});

// The segments in order of execution. Outputs in `directUpdates` are computed in the memory of the
// input that they map to.
std::vector<Segment> segmentFusion(
    Fusion* fusion, const Target& target,
    const std::unordered_map<const TensorView*, const TensorView*>& directUpdates = {},
    const Refusals& refused = {});

// The whole fusion, scheduled as it is, as one segment.
Segment scheduledSegment(Fusion* fusion);

// A segment that writes the values of `source` into the memory of the input `updated`.
Segment copySegment(TensorView* source, TensorView* updated, const Target& target);

}  // namespace nvfuser
