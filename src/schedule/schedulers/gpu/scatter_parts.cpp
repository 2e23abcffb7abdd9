#include "schedule/schedulers/gpu/scatter_parts.h"

#include <algorithm>

#include "schedule/schedulers/gpu/elementwise.h"

namespace nvfuser::schedulers::gpu {

std::string rejectScatter(const FusionSummary& summary) {
  if (!summary.hasScatter()) {
    return "there is no scatter";
  }
  return summary.hasScan() ? "a scatter is combined with no scan" : rejectElementwise(summary);
}

GpuVectors chooseScatterVectors(const InnerGroup& inner, const FusionSummary& summary,
                                const ScheduleContext& context) {
  GpuVectors vectors = chooseVectors(inner, summary, context);
  addVectors(innerGroup(summary.scatter()->out(), summary, context), summary, context, vectors);
  return vectors;
}

GpuVectors vectorsOfWritten(const std::vector<TensorView*>& written, const GlobalCopies& copies,
                            const GpuVectors& vectors) {
  bool any = false;
  for (const TensorView* load : copies.loads) {
    if (std::ranges::find(written, load) != written.end()) {
      if (!isVectorizedTensor(vectors, copies.number.at(load))) {
        return {};
      }
      any = true;
    }
  }
  return any ? vectors : GpuVectors{};
}

}  // namespace nvfuser::schedulers::gpu
