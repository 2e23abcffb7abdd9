// Element-wise operations, with views among them.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/passes.h"
#include "ir/views.h"
#include "schedule/element_cost.h"
#include "schedule/schedulers/gpu/elementwise.h"

namespace nvfuser::schedulers {

namespace gpu {

namespace {

// The part of the results that each expression is needed for: of a concatenation one part is.
using Shares = std::unordered_map<const Expr*, double>;

Shares sharesOf(const FusionSummary& whole) {
  Shares shares;
  const std::vector<Expr*>& exprs = whole.exprs();
  for (auto expr = exprs.rbegin(); expr != exprs.rend(); ++expr) {
    const Val* out = (*expr)->output(0);
    double share = 1;
    if ((*expr)->is<CatOp>()) {
      share /= static_cast<double>((*expr)->inputs().size());
    } else if (!out->isFusionOutput() && out->uses().size() == 1) {
      share = shares.at(out->uses().front());
    }
    shares[*expr] = share;
  }
  return shares;
}

// The instructions of all that is computed for each element of the widest output.
double costOfElement(const FusionSummary& whole) {
  const Shares& shares = whole.fact(sharesOf);
  double cost = 0;
  for (const Expr* expr : whole.exprs()) {
    // The index of a reshape is that of all elements of a vector.
    const bool isComputed = !expr->is<ReshapeOp>() && concreteRank(expr->output(0)->asTensor()) > 0;
    cost += isComputed ? shares.at(expr) * static_cast<double>(costOf(expr).value_or(1)) : 0;
  }
  return cost;
}

// The fewest elements of a vector that has one of each part where a few parts take turns, as the
// sines and cosines of rotations do: threads of single elements would compute all parts.
int64_t partsInTurn(const FusionSummary& whole) {
  int64_t parts = 1;
  for (const Expr* expr : whole.exprs()) {
    const auto* cat = expr->as<CatOp>();
    if (cat == nullptr) {
      continue;
    }
    const std::vector<IterDomain*>& dims = cat->out()->logical();
    const Val* extent = dims.back()->extent();
    if (cat->dim() + 1 == std::ssize(dims) && extent->isConstInt() &&
        extent->constInt() == std::ssize(cat->inputs())) {
      parts = std::max(parts, powerOfTwoFrom(extent->constInt()));
    }
  }
  return parts;
}

// The same with vectors of fewer elements where threads for so many are few: there is little to
// wait for, and the code for the elements of a thread, which a kernel fetches first, is what takes
// time.
ScheduleContext forThreadsOf(int64_t elements, const FusionSummary& summary,
                             const ScheduleContext& context) {
  const GpuProperties& device = context.target.gpu;
  ScheduleContext result = context;
  GpuTuning& tuning = result.tuning.gpu;
  const bool isLong = summary.fact(costOfElement) >= static_cast<double>(tuning.longElement);
  const int64_t narrowest = isLong
                                ? std::min(summary.fact(partsInTurn), tuning.elementsOfNarrowVector)
                                : tuning.elementsOfNarrowVector;
  const int64_t busy = device.multiprocessors * device.threadsPerMultiprocessor /
                       (isLong ? tuning.longElementShare : tuning.pointwiseBusyShare);
  while (context.hasSizes && tuning.elementsOfVector > narrowest &&
         elements / tuning.elementsOfVector < busy) {
    tuning.elementsOfVector /= 2;
  }
  if (context.hasSizes && elements * tuning.singleElementShare <
                              device.multiprocessors * device.threadsPerMultiprocessor) {
    tuning.elementsOfVector = 1;
  }
  return result;
}

// How often single elements of an input, or of parts of it, are loaded for each of a vector: once
// for each place that it is looked at, whatever is computed of it before.
class LoadsApart {
 public:
  LoadsApart(const GpuVectors& vectors, const Shares& shares)
      : vectors_(vectors), shares_(shares) {}

  double of(const TensorView* tv, bool isApart) {
    double loads = 0;
    for (const Expr* use : seen_.insert(tv).second ? tv->uses() : std::vector<Expr*>{}) {
      const bool isCut = heuristics::isResize(use);
      const bool isWhole = vectors_.fitResizes || (vectors_.sliceAnywhere && use->is<SliceOp>());
      const bool areApart = isApart || (isCut && !isWhole);
      if (isCut || mayBeView(use)) {
        loads += of(use->output(0)->asTensor(), areApart);
      } else if (areApart) {
        loads += shares_.at(use);
      } else if (isElementwise(use)) {
        loads += of(use->output(0)->asTensor(), false);
      }
    }
    return loads;
  }

 private:
  const GpuVectors& vectors_;
  const Shares& shares_;
  std::unordered_set<const TensorView*> seen_;
};

// The same of all inputs.
double loadsApart(const GpuVectors& vectors, const InnerGroup& inner,
                  const FusionSummary& summary) {
  const DomainClasses& classes = summary.classes();
  double loads = 0;
  // They are the first of the tensors that have numbers.
  for (size_t i = 0; i < summary.inputs().size(); ++i) {
    const TensorView* input = summary.inputs()[i];
    const bool runsAlong = std::ranges::any_of(input->visible(), [&](const IterDomain* id) {
      return !id->isBroadcast() && !classes.alongReshapes(id, inner.classes).empty();
    });
    LoadsApart ofInput(vectors, summary.fact(sharesOf));
    loads += runsAlong ? ofInput.of(input, !isVectorizedTensor(vectors, i)) : 0;
  }
  return loads;
}

// The bytes of memory that there are for each element.
int64_t bytesOfElement(int64_t elements, const FusionSummary& summary,
                       const ScheduleContext& context) {
  int64_t bytes = 0;
  for (const TensorView* tv : summary.globals()) {
    bytes += 2 * elementsOf(tv, context) > elements ? info(tv->dtype()).bits / 8 : 0;
  }
  return bytes;
}

// Whether loads of single elements take longer than memory.
bool waitsForLoads(int64_t elements, const GpuVectors& vectors, const InnerGroup& inner,
                   const FusionSummary& summary, const ScheduleContext& context) {
  const GpuTuning& tuning = context.tuning.gpu;
  const double loads = loadsApart(vectors, inner, summary);
  const auto bytes = static_cast<double>(bytesOfElement(elements, summary, context));
  return loads > tuning.fewLoadsApart &&
         loads * static_cast<double>(vectors.width) > tuning.loadsOfByte * bytes;
}

// Whether a thread has nothing to wait for, since its elements take longer than memory.
bool isComputed(int64_t elements, const FusionSummary& summary, const ScheduleContext& context) {
  const auto bytes = static_cast<double>(bytesOfElement(elements, summary, context));
  return context.hasSizes &&
         summary.fact(costOfElement) > context.tuning.gpu.instructionsOfByte * bytes;
}

class Pointwise : public GpuScheduler<GpuPointwiseParams> {
 public:
  Pointwise() : GpuScheduler(SchedulerType::Pointwise) {}
  std::string reject(const FusionSummary& summary) const override {
    if (const std::string problem = rejectElementwise(summary); !problem.empty()) {
      return problem;
    }
    return summary.hasScan() || summary.hasScatter() || summary.hasLookup()
               ? "scans, scatters and lookups have schedulers of their own"
               : "";
  }

 private:
  std::vector<GpuPointwiseParams> choose(const FusionSummary& summary,
                                         const ScheduleContext& context) const override {
    TensorView* reference = summary.widestOutput();
    const int64_t elements = elementsOf(reference, context);
    ScheduleContext ofThreads = forThreadsOf(elements, summary, context);
    InnerGroup inner = innerGroupOfBlocks(reference, summary, context);
    if (context.hasSizes && readsAcross(inner, summary, context)) {
      int64_t& most = ofThreads.tuning.gpu.elementsOfVector;
      most = std::min(most, context.tuning.gpu.elementsReadAcross);
    }
    GpuPointwiseParams params;
    params.vectors = chooseVectors(reference, summary, ofThreads, inner);
    while (context.hasSizes && params.vectors.width > 1 &&
           waitsForLoads(elements, params.vectors, inner, summary, context)) {
      ofThreads.tuning.gpu.elementsOfVector = params.vectors.width / 2;
      inner = innerGroupOfBlocks(reference, summary, context);
      params.vectors = chooseVectors(reference, summary, ofThreads, inner);
    }
    if (isComputed(elements, summary, context)) {
      ofThreads.tuning.gpu.pointwiseUnroll = 1;
    }
    params.blocks = chooseBlocks(elements, inner, params.vectors, summary, ofThreads);
    joinManyBlocks(elements, params.vectors, inner.extent < elements, context, params.blocks);
    // Where rows are aligned, each has its own places of what they share.
    if (!params.vectors.alignsRows) {
      shareAlongOutermost(reference, inner, summary, context, params.blocks);
    }
    countAlongY(reference, inner, summary, context, params.blocks);
    const bool isMuch = timesOfCache(summary, context) > context.tuning.gpu.keptTimes;
    params.readOnce = chooseReadOnce(isMuch ? Eviction::Last : Eviction::InTurn, summary, context);
    return {params};
  }

  // Each block takes time to begin.
  static void joinManyBlocks(int64_t elements, const GpuVectors& vectors, bool hasRows,
                             const ScheduleContext& context, GpuBlocks& blocks) {
    const int64_t ofBlock = vectors.width * blocks.threadsX * blocks.threadsY * blocks.unroll;
    if (context.hasSizes &&
        elements / ofBlock >= context.tuning.gpu.manyBlocks * context.target.gpu.multiprocessors) {
      (hasRows ? blocks.threadsY : blocks.threadsX) *= 2;
    }
  }

  // Of the inner group, which may become another one.
  static GpuVectors chooseVectors(TensorView* reference, const FusionSummary& summary,
                                  const ScheduleContext& context, InnerGroup& inner) {
    GpuVectors vectors = chooseVectorsOfRows(inner, summary, context);
    fitVectorsToInnermost(reference, summary, context, inner, vectors);
    fitVectorsToAllRows(reference, LoopsOf::Elements, summary, context, inner, vectors);
    return vectors;
  }

  void schedule(Fusion* fusion, const GpuPointwiseParams& params) const override {
    scheduleElementwise(fusion, params.vectors, params.blocks, params.readOnce);
  }
};

}  // namespace

}  // namespace gpu

const Scheduler* gpuPointwise() {
  static const gpu::Pointwise scheduler;
  return &scheduler;
}

}  // namespace nvfuser::schedulers
