#include "schedule/schedulers/gpu/scatter_parts.h"

#include <algorithm>

#include "device/gpu_features.h"
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
                            const GpuVectors& vectors, bool addsVectors) {
  bool any = false;
  size_t rank = 0;
  for (const TensorView* tv : written) {
    rank = std::max(rank, tv->visible().size());
  }
  const auto hasOneElement = [&](const TensorView* load) {
    return load->visible().size() < rank || load->visible().back()->isBroadcast();
  };
  for (const TensorView* load : copies.loads) {
    if (std::ranges::find(written, load) != written.end() &&
        !(addsVectors && hasOneElement(load))) {
      if (!isVectorizedTensor(vectors, copies.number.at(load))) {
        return {};
      }
      any = true;
    }
  }
  return any ? vectors : GpuVectors{};
}

bool addsVectors(const ScatterOp* scatter, const GpuVectors& vectors,
                 const ScheduleContext& context) {
  const TensorView* out = scatter->out();
  const std::vector<IterDomain*> positions = scatter->index()->visible();
  const size_t innermost = positions.size() - 1;
  const int64_t added = context.tuning.gpu.vectorBytes / int64_t{sizeof(float)};
  return nvfuser::addsVectors(context.target.gpu) && scatter->accumulates() &&
         out->dtype() == DataType::Float && scatter->src()->isTensor() &&
         static_cast<size_t>(scatter->dim()) != innermost && !out->domain()->hasAllocation() &&
         positions[innermost]->isBroadcast() && scatter->isExact(scatter->index(), innermost) &&
         vectors.width % added == 0 &&
         context.extent(out->logical().back()->extent()) % vectors.width == 0;
}

}  // namespace nvfuser::schedulers::gpu
