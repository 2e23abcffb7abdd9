// Making the LaunchPlan of one signature from the compiled kernels of its class.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "ir/evaluator.h"
#include "runtime/backend.h"
#include "runtime/fusion_class.h"
#include "runtime/launch_plan.h"

namespace nvfuser {

// `evaluator` holds the sizes and scalars of `arguments`, `outputAlignment` divides the addresses
// of all outputs, `kernelName` prefixes the names of kernels.
std::shared_ptr<LaunchPlan> buildPlan(FusionClass& fusionClass, const Backend& backend,
                                      std::span<const PolymorphicValue> arguments,
                                      ExpressionEvaluator& evaluator, int64_t outputAlignment,
                                      const std::string& kernelName);

}  // namespace nvfuser
