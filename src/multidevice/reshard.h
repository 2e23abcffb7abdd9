// Moves a tensor from one way of being divided to another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/fusion.h"
#include "multidevice/layout.h"

namespace nvfuser::multidevice {

// One step on the way. Axes that are not divided along before or after: ParallelType::Serial.
struct ReshardStep {
  enum class Kind : uint8_t {
    Slice,          // every device takes its part of what it has
    AllGather,      // every device gets what all have
    AllReduce,      // parts are combined
    ReduceScatter,  // parts are combined, and every device gets its part of that
    AllToAll        // from one dimension to another
  };
  Kind kind;
  ParallelType axis;
  // How the tensor is divided behind the step.
  TensorLayout after;
  std::string toString() const;
};

// The steps from one layout to another on the same mesh, those that move few bytes first: what can
// be sliced is sliced before it is sent.
std::vector<ReshardStep> reshardSteps(const TensorLayout& from, const TensorLayout& to);

// The device that a fusion is for, and a hash of what all of them run.
struct Place {
  int64_t rank = 0;
  int64_t fusion = 0;
  // As of Team.
  TensorView** last = nullptr;
};

// Appends a step to the active fusion, in which `x` is what the device has of a tensor that is
// divided as `before`.
TensorView* reshard(TensorView* x, const TensorLayout& before, const ReshardStep& step,
                    const Place& place);

}  // namespace nvfuser::multidevice
