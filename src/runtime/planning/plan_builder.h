// Making the LaunchPlan of one signature from the compiled kernels of its class.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/error.h"
#include "ir/evaluator.h"
#include "runtime/backend.h"
#include "runtime/fusion_class.h"
#include "runtime/launch_plan.h"

namespace nvfuser {

// No schedule that heuristics chose fits a segment of several expressions: it is to be cut.
class UnschedulableSegment : public ScheduleError {
 public:
  UnschedulableSegment(const std::string& message, size_t position)
      : ScheduleError(message), position_(position) {}
  // The number of the segment in its class.
  size_t position() const { return position_; }

 private:
  size_t position_;
};

// `evaluator` holds the sizes and scalars of `arguments`, `outputAlignment` divides the addresses
// of all outputs, `kernelName` prefixes the names of kernels. Raises an UnschedulableSegment only
// if segments `mayBeCut`; otherwise each expression of such a segment gets a kernel of its own.
std::shared_ptr<LaunchPlan> buildPlan(FusionClass& fusionClass, const Backend& backend,
                                      std::span<const PolymorphicValue> arguments,
                                      ExpressionEvaluator& evaluator, int64_t outputAlignment,
                                      const std::string& kernelName, bool mayBeCut);

}  // namespace nvfuser
