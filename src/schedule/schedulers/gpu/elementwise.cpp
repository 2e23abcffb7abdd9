#include "schedule/schedulers/gpu/elementwise.h"

#include <algorithm>

#include "schedule/heuristics/references.h"
#include "schedule/propagate.h"

namespace nvfuser::schedulers::gpu {

void scheduleEachOutput(const GlobalCopies& copies, const ScheduleAround& scheduleAround) {
  std::vector<TensorView*> outputs = copies.stores;
  while (!outputs.empty()) {
    TensorView* reference = widestOutput(outputs);
    const std::vector<TensorView*> connected = connectedWith(reference);
    scheduleAround(reference, connected);
    std::erase_if(outputs, [&](TensorView* tv) {
      return std::ranges::find(connected, tv) != connected.end();
    });
  }
}

std::string rejectElementwise(const FusionSummary& summary) {
  if (const std::string& problem = rejectPointwise(summary); !problem.empty()) {
    return problem;
  }
  const TensorView* view = heuristics::viewAcrossMemory(summary.exprs(), summary.classes());
  return view == nullptr ? ""
                         : view->toString() + " merges dimensions across the memory of an output";
}

void scheduleElementwise(Fusion* fusion, const GpuVectors& vectors, const GpuBlocks& blocks,
                         const GpuReadOnce& readOnce) {
  GlobalCopies copies = separateGlobals(fusion, false, readOnce, vectors);
  repeatForResizes(fusion, copies);
  scheduleEachOutput(copies, [&](TensorView* reference, const std::vector<TensorView*>& connected) {
    scheduleBlocksAround(reference, vectors, blocks, connected, copies);
  });
  inlineMost(fusion);
}

}  // namespace nvfuser::schedulers::gpu
