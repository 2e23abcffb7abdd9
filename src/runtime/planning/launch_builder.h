// LaunchBuilder: launches of compiled kernels with the sizes and addresses of one plan.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "runtime/fusion_class.h"
#include "runtime/plan_parts.h"
#include "runtime/planning/placement.h"
#include "runtime/planning/segment_values.h"

namespace nvfuser {

// Inputs and outputs of a segment, or of a kernel's copy of it, as tensors of the whole fusion.
using OuterTensors = std::unordered_map<const TensorView*, const Val*>;
OuterTensors outerTensors(const Segment& segment, const Fusion& fusion);

class LaunchBuilder {
 public:
  LaunchBuilder(const FusionClass& fusionClass, const Sizes& sizes, const Signature& signature,
                Placement& placement)
      : class_(fusionClass), sizes_(sizes), signature_(signature), placement_(placement) {}

  // Whether the expressions of sizes that a kernel is given are indices of 32 bits.
  bool fitNarrowIndices(const SegmentKernels::Entry& entry) const;
  // Launch number `number` of the plan, which runs a kernel of `segment`.
  Launch make(const Segment& segment, const SegmentKernels::Entry& entry, size_t number);

 private:
  void addParameter(Launch& launch, const kir::Parameter& parameter, const OuterTensors& outer,
                    SegmentValues& values, size_t number);
  // What a kernel is told of the peers whose memory it reads.
  void addExchange(Launch& launch, const OuterTensors& outer) const;
  void addScalar(Launch& launch, int32_t slot, const Val* symbol, SegmentValues& values) const;
  void addPhase(Launch& launch, size_t number, SegmentValues& values) const;
  void checkLaunch(const Launch& launch, const PhaseLaunch& phase) const;
  void checkVectors(const kir::Kernel& program, const OuterTensors& outer) const;

  const FusionClass& class_;
  const Sizes& sizes_;
  const Signature& signature_;
  Placement& placement_;
};

}  // namespace nvfuser
