// From a fusion of tensors that are divided among devices to what one of the devices runs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ir/fusion.h"
#include "multidevice/layout.h"

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
};

// For the device of `rank`. `inputs`: how inputs are divided, by position, beside what their loops
// say; parts that are to be combined among it. Raises where annotations contradict each other.
LocalFusion localize(const Fusion& fusion, int64_t rank, const Layouts& inputs = {});

}  // namespace nvfuser::multidevice
