// From a fusion of tensors that are divided among devices to what one of the devices runs.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "ir/fusion.h"
#include "multidevice/layout.h"
#include "multidevice/steps.h"

namespace nvfuser::multidevice {

struct LocalFusion {
  // Of tensors as the device has them, without meshes, with collectives as library calls.
  std::shared_ptr<Fusion> fusion;
  // How the outputs are divided.
  std::vector<TensorLayout> outputs;
  // The steps that move tensors, for dumps.
  std::vector<std::string> communications;
  // Whether all devices run the same steps.
  bool isUniform = true;
  // Of the products that are not computed in steps, those that could be; none on devices that have
  // no part in them.
  std::vector<StepGroup> groups;
};

// For the device of `rank`. `inputs`: how inputs are divided, by position, beside what their loops
// say; parts that are to be combined among it. `inSteps`: products of groups that another call
// found, which are computed in steps. Raises where annotations contradict each other.
LocalFusion localize(const Fusion& fusion, int64_t rank, const Layouts& inputs = {},
                     const std::unordered_set<const Expr*>& inSteps = {});

}  // namespace nvfuser::multidevice
