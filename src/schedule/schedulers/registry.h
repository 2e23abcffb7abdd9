// Each function returns the one object of a scheduler.
#pragma once

namespace nvfuser {
class Scheduler;
}

namespace nvfuser::schedulers {

const Scheduler* gpuUnfused();
const Scheduler* cpuUnfused();
const Scheduler* libraryCall();
const Scheduler* gpuPointwise();
const Scheduler* cpuPointwise();
const Scheduler* gpuReduction();
const Scheduler* cpuReduction();
const Scheduler* gpuInnerPersistent();
const Scheduler* cpuInnerPersistent();
const Scheduler* gpuOuterPersistent();
const Scheduler* cpuOuterPersistent();

}  // namespace nvfuser::schedulers
