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

namespace {

// Why all of it cannot be scheduled like this.
std::string elementwiseProblem(const FusionSummary& whole) {
  if (const std::string& problem = rejectPointwise(whole); !problem.empty()) {
    return problem;
  }
  if (const TensorView* tv = heuristics::repeatsDimension(whole.exprs(), whole.classes())) {
    return tv->toString() + " has a dimension more often than a wider output";
  }
  const TensorView* view = heuristics::viewAcrossMemory(whole.exprs(), whole.classes());
  return view == nullptr ? ""
                         : view->toString() + " merges dimensions across the memory of an output";
}

}  // namespace

std::string rejectElementwise(const FusionSummary& summary) {
  return summary.fact(elementwiseProblem);
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
