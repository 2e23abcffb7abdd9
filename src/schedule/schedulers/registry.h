// The schedulers, in the order in which they are tried. Another one is a file beside this one, with
// its parameters, and a row here.
#pragma once

namespace nvfuser {
class Scheduler;
}  // namespace nvfuser

// X(function): it returns the one object of a scheduler.
// clang-format off
#define NVF_SCHEDULERS(X)        \
  X(gpuUnfused)                  \
  X(cpuUnfused)                  \
  X(libraryCall)                 \
  X(gpuScan)                     \
  X(gpuScatterInRows)            \
  X(gpuScatter)                  \
  X(gpuTranspose)                \
  X(gpuLookup)                   \
  X(gpuPointwise)                \
  X(cpuScatter)                  \
  X(cpuScan)                     \
  X(cpuTranspose)                \
  X(cpuInterleaved)              \
  X(cpuPointwise)                \
  X(gpuInnerReduction)           \
  X(gpuOuterReduction)           \
  X(cpuReduction)                \
  /* Of inner normalizations. */ \
  X(gpuRowsThenColumns)          \
  X(gpuRowsAndColumns)           \
  X(gpuInnerShared)              \
  X(gpuInnerPersistent)          \
  X(gpuOuterPersistent)          \
  X(gpuInnerStages)              \
  X(gpuOuterStages)              \
  X(cpuInnerPersistent)          \
  /* Of outer normalizations. */ \
  X(gpuInnerSharedOfOuter)       \
  X(gpuInnerPersistentOfOuter)   \
  X(gpuOuterPersistentOfOuter)   \
  X(gpuInnerStagesOfOuter)       \
  X(gpuOuterStagesOfOuter)       \
  X(cpuOuterPersistent)
// clang-format on

namespace nvfuser::schedulers {

#define NVF_DECLARE_SCHEDULER(function) const Scheduler* function();
NVF_SCHEDULERS(NVF_DECLARE_SCHEDULER)
#undef NVF_DECLARE_SCHEDULER

}  // namespace nvfuser::schedulers
