// Each function returns the one object of a scheduler.
#pragma once

#include <cstdint>

namespace nvfuser {
class Scheduler;
enum class SchedulerType : uint8_t;
}  // namespace nvfuser

namespace nvfuser::schedulers {

const Scheduler* gpuUnfused();
const Scheduler* cpuUnfused();
const Scheduler* libraryCall();
const Scheduler* gpuScan();
const Scheduler* gpuScatterInRows();
const Scheduler* gpuScatter();
const Scheduler* gpuTranspose();
const Scheduler* gpuLookup();
const Scheduler* gpuPointwise();
const Scheduler* cpuScatter();
const Scheduler* cpuScan();
const Scheduler* cpuTranspose();
const Scheduler* cpuPointwise();
const Scheduler* gpuInnerReduction();
const Scheduler* gpuOuterReduction();
const Scheduler* cpuReduction();
// One object for inner and one for outer normalizations.
const Scheduler* gpuInnerPersistent(SchedulerType type);
const Scheduler* gpuInnerStages(SchedulerType type);
const Scheduler* gpuOuterStages(SchedulerType type);
const Scheduler* cpuInnerPersistent();
const Scheduler* cpuOuterPersistent();

}  // namespace nvfuser::schedulers
