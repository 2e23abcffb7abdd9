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

// Pads of inputs that no whole vectors fit are read as they are: several at once, as what is
// copied. Not so in tiles, into which loads write whatever lies outside of the input.
void loadPads(const Fusion* fusion, const std::vector<TensorView*>& globals, GlobalCopies& copies) {
  for (const Expr* expr : fusion->tensorExprs()) {
    if (!expr->is<PadOp>() || copies.fitResizes || expr->output(0)->isFusionOutput()) {
      continue;
    }
    const auto input = std::ranges::find(globals, expr->input(0));
    if (input != globals.end() && (*input)->isFusionInput()) {
      copies.loads.push_back(expr->output(0)->asTensor());
      copies.number[copies.loads.back()] = static_cast<size_t>(input - globals.begin());
    }
  }
}

}  // namespace

std::string rejectElementwise(const FusionSummary& summary) {
  return summary.fact(elementwiseProblem);
}

void scheduleElementwise(Fusion* fusion, const GpuVectors& vectors, const GpuBlocks& blocks,
                         const GpuReadOnce& readOnce) {
  const std::vector<TensorView*> globals = globalTensors(fusion);
  GlobalCopies copies = separateGlobals(fusion, false, readOnce, vectors);
  repeatForResizes(fusion, copies);
  loadPads(fusion, globals, copies);
  scheduleEachOutput(copies, [&](TensorView* reference, const std::vector<TensorView*>& connected) {
    scheduleBlocksAround(reference, vectors, blocks, connected, copies);
  });
  inlineMost(fusion);
}

}  // namespace nvfuser::schedulers::gpu
