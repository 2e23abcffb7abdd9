#include "schedule/schedulers/cpu/streaming.h"

#include <algorithm>
#include <vector>

#include "schedule/heuristics/references.h"

namespace nvfuser::heuristics {

namespace {

// Those of the highest rank. What is updated in place has been read: it is in the caches.
std::vector<TensorView*> streamableOutputs(const Fusion* fusion) {
  std::vector<TensorView*> outputs;
  int64_t rank = 1;
  for (const Fusion::Output& output : fusion->outputs()) {
    TensorView* tv = output.tv;
    if (tv->definition() == nullptr || output.alias != nullptr || info(tv->dtype()).bits < 8 ||
        std::ranges::find(outputs, tv) != outputs.end()) {
      continue;
    }
    if (concreteRank(tv) > rank) {
      outputs.clear();
      rank = concreteRank(tv);
    }
    if (concreteRank(tv) == rank) {
      outputs.push_back(tv);
    }
  }
  return outputs;
}

struct Streamable {
  std::vector<TensorView*> outputs;
};
Streamable findStreamable(const FusionSummary& whole) {
  return {streamableOutputs(whole.fusion())};
}

// Whether an output is too large for the caches, and what is written of it at a time large enough.
bool outputsOverflow(const FusionSummary& summary, const ScheduleContext& context,
                     int64_t columns) {
  if (context.target.cpu.lastLevelBytes == 0) {
    return false;
  }
  bool overflows = false;
  for (const TensorView* tv : summary.fact(findStreamable).outputs) {
    int64_t elements = 1;
    for (const IterDomain* id : tv->domain()->maybeAllocation()) {
      if (!id->isReduction() && !id->isBroadcast()) {
        elements *= context.extent(id->extent());
      }
    }
    const int64_t bytes = info(tv->dtype()).bits / 8;
    if (std::min(elements, columns) * bytes < context.tuning.cpu.streamBytes) {
      return false;
    }
    overflows = overflows || elements * bytes >= context.target.cpu.lastLevelBytes;
  }
  return overflows;
}

}  // namespace

CpuStreamParams streamParams(const FusionSummary& summary, const ScheduleContext& context,
                             int64_t columns) {
  if (!context.target.capabilities.hasStreamingStores ||
      !outputsOverflow(summary, context, columns)) {
    return {};
  }
  return {context.tuning.cpu.streamGroup, context.tuning.cpu.streamPart};
}

void streamOutputs(Fusion* fusion, const CpuStreamParams& params) {
  for (TensorView* output : streamableOutputs(fusion)) {
    const std::vector<Expr*> uses = output->uses();
    TensorView* local = output->cacheBefore();
    output->setMarks({.stream = {params.group}});
    for (Expr* use : uses) {
      fusion->replaceInput(use, output, local);
    }
  }
}

}  // namespace nvfuser::heuristics
