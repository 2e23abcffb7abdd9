#include "schedule/schedulers/gpu/scatter_parts.h"

#include <algorithm>
#include <climits>

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
  const std::vector<Expr*> exprs = written.front()->fusion()->tensorExprs();
  const DomainClasses classes(exprs);
  const ScatterOp* scatter = scatterAmong(exprs);
  const auto hasOneElement = [&](const TensorView* load) {
    return load->visible().empty() || load->visible().back()->isBroadcast() ||
           classes.findThroughReshapes(load->visible(), scatter->out()->root().back()) < 0;
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

int64_t addedElements(const ScatterOp* scatter, const ScheduleContext& context) {
  const TensorView* out = scatter->out();
  const int64_t added =
      context.tuning.gpu.vectorBytes * int64_t{CHAR_BIT} / info(out->dtype()).bits;
  const bool adds = addsVectorsOf(out->dtype(), context.target) && scatter->accumulates() &&
                    scatter->src()->isTensor() && writesRows(scatter) &&
                    !out->domain()->hasAllocation() &&
                    context.extent(out->logical().back()->extent()) % added == 0;
  return adds ? added : 1;
}

std::vector<TensorView*> memoryOf(const std::vector<TensorView*>& tensors,
                                  const ScatterOp* scatter) {
  TensorView* out = scatter->out();
  std::vector<TensorView*> memory{out->isFusionOutput() ? out : scatter->in()};
  for (TensorView* tv : globalTensors(scatter->fusion())) {
    const bool isAccessed = std::ranges::any_of(tensors, [&](const TensorView* computed) {
      return computed == tv || std::ranges::find(computed->definition()->inputs(), tv) !=
                                   computed->definition()->inputs().end();
    });
    if (isAccessed && tv != out) {
      memory.push_back(tv);
    }
  }
  return memory;
}

}  // namespace nvfuser::schedulers::gpu
