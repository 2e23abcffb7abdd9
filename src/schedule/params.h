// ScheduleParams: the numbers of a schedule, which a scheduler chose for the sizes of a run.
// Kernels are compiled once for each set of them.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <variant>

#include "schedule/schedulers/cpu/params.h"
#include "schedule/schedulers/gpu/params.h"

namespace nvfuser {

class Scheduler;

struct ScheduleParams {
  // Null: as the user scheduled the fusion.
  const Scheduler* scheduler = nullptr;
  std::variant<std::monostate, CpuPointwiseParams, CpuTransposeParams, CpuScanParams,
               CpuScatterParams, CpuReductionParams, CpuPersistentParams, GpuUnfusedParams,
               GpuPointwiseParams, GpuLookupParams, GpuTransposeParams, GpuScatterParams,
               GpuScatterInRowsParams, GpuScanParams, GpuInnerReductionParams,
               GpuOuterReductionParams, GpuInnerPersistentParams, GpuInnerStagesParams,
               GpuOuterStagesParams>
      values;
  // Indices in 64 bits.
  bool hasWideIndex = true;

  friend bool operator==(const ScheduleParams&, const ScheduleParams&) = default;
  friend auto operator<=>(const ScheduleParams&, const ScheduleParams&) = default;
};

// All parameters, one a line.
std::string toString(const ScheduleParams& params);

}  // namespace nvfuser
