// Element-wise operations whose result interleaves a few runs of elements along its rows:
// upsampling, rotated pairs, what is stacked along a new last dimension, and random numbers, of
// which the generator makes four at a time. The loops are [others (parallel), row, runs]. Compilers
// write out the last one: no index is divided for an element, and what distinguishes the runs is
// constant.
#include <algorithm>
#include <set>
#include <vector>

#include "ir/logical_map.h"
#include "ops/random.h"
#include "schedule/heuristics/common.h"
#include "schedule/heuristics/references.h"
#include "schedule/limits.h"
#include "schedule/propagate.h"
#include "schedule/schedulers/common.h"
#include "schedule/schedulers/cpu/common.h"
#include "schedule/schedulers/cpu/elementwise.h"
#include "schedule/schedulers/registry.h"

namespace nvfuser::heuristics {

namespace {

// X(type, name, default, meaning)
// clang-format off
#define NVF_CPU_INTERLEAVED_PARAMS(X)                                                             \
  X(int64_t, runs, 0, "that rows interleave")                                                     \
  X(bool, ofAll, false, "all elements are one row, of whole runs")                                \
  X(CpuPointwiseParams, pointwise, {}, "of what has nothing to do with them")
// clang-format on
struct CpuInterleavedParams {
  NVF_FIELDS_OF(CpuInterleavedParams, NVF_CPU_INTERLEAVED_PARAMS)
};

bool isConcrete(const IterDomain* id) { return !id->isBroadcast() && !id->isReduction(); }

// Null for none.
const IterDomain* innermostOf(const TensorView* tv) {
  const auto& allocation = tv->domain()->maybeAllocation();
  const auto inner = std::ranges::find_if(allocation.rbegin(), allocation.rend(), isConcrete);
  return inner == allocation.rend() ? nullptr : *inner;
}

struct InterleavedRuns {
  int64_t count = 0;
  bool ofAll = false;
};

// How many runs the innermost dimension of `reference` interleaves, by a reshape that merges them
// with few elements which no input has beside each other as they are: these are repeated, or
// stacked. 0 for none.
InterleavedRuns findInterleavedRuns(const FusionSummary& whole) {
  const bool isRandom =
      std::ranges::any_of(whole.exprs(), [](const Expr* expr) { return expr->is<RandomOp>(); });
  // Where a row begins with any element, runs would not be those of the counters.
  if (isRandom && isOneRun(whole)) {
    return {ops::kNumbersOfCounter, true};
  }
  const DomainClasses& classes = whole.classes();
  const IterDomain* inner = innermostOf(whole.widestOutput());
  if (inner == nullptr) {
    return {};
  }
  std::set<int64_t> read;
  for (const TensorView* input : whole.inputs()) {
    for (const IterDomain* id : input->visible()) {
      for (const IterDomain* piece : classes.pieces(id)) {
        read.insert(classes.classOf(piece));
      }
    }
  }
  for (const Expr* expr : whole.exprs()) {
    if (!expr->is<ReshapeOp>()) {
      continue;
    }
    const auto* tv = expr->output(0)->asTensor();
    for (const Expr* transform : transformsBetween(tv->root(), tv->logical())) {
      const auto* merge = transform->as<Merge>();
      if (merge == nullptr || classes.classOf(merge->out()) != classes.classOf(inner) ||
          !merge->inner()->extent()->isConstInt() ||
          read.contains(classes.classOf(merge->inner()))) {
        continue;
      }
      const int64_t runs = merge->inner()->extent()->constInt();
      if (runs > 1 && runs <= limits::kConstantPart) {
        return {runs};
      }
    }
  }
  return {};
}

void scheduleRuns(TensorView* reference, const std::vector<TensorView*>& selected,
                  const CpuInterleavedParams& params) {
  const DomainClasses classes(reference->fusion()->tensorExprs());
  orderLikeMemory(reference, classes);
  if (params.ofAll) {
    makeRuns(reference, classes);
    reference->fusion()->assumeDivisible(reference->axis(-1)->extent(), params.runs);
  }
  reference->split(-1, params.runs);
  makeRuns(reference, classes);
  if (reference->nLoops() > 3) {
    mergeRange(reference, 0, reference->nLoops() - 3);
  }
  propagateTransforms(reference, selected);
  reference->axis(0)->parallelize(ParallelType::GridX);
  reference->axis(-1)->parallelize(ParallelType::Unroll);
  propagateParallelTypes(reference, selected);
}

}  // namespace

}  // namespace nvfuser::heuristics

namespace nvfuser::schedulers {

namespace {

using heuristics::CpuInterleavedParams;

class CpuInterleaved : public CpuScheduler {
 public:
  CpuInterleaved() : CpuScheduler(SchedulerType::Pointwise) {}
  std::string reject(const FusionSummary& summary) const override {
    if (summary.hasScan() || summary.hasScatter()) {
      return "scans and scatters have their own";
    }
    return rejectPointwise(summary);
  }
  std::vector<ScheduleParams> candidates(const FusionSummary& summary,
                                         const ScheduleContext& context) const override {
    CpuInterleavedParams params;
    const auto& found = summary.fact(heuristics::findInterleavedRuns);
    params.runs = found.count;
    params.ofAll = found.ofAll;
    if (params.runs == 0) {
      return {};
    }
    if (params.ofAll) {
      const int64_t total = heuristics::sizeOf(summary.widestOutput(), context).total;
      if (!context.hasSizes || total % params.runs != 0) {
        return {};
      }
    }
    params.pointwise = heuristics::pointwiseParams(summary, context);
    // Lines are written by several statements.
    params.pointwise.stream = {};
    // The runs are in flight beside each other.
    params.pointwise.ahead.functions = {};
    return {ScheduleParams{this, OwnParams(params)}};
  }
  void apply(Fusion* fusion, const ScheduleParams& params) const override {
    const auto& chosen = ownOf<CpuInterleavedParams>(params);
    heuristics::scheduleParts(fusion, chosen.pointwise, [&](heuristics::Part& part) {
      if (part.isFirst) {
        heuristics::scheduleRuns(part.reference, part.connected, chosen);
      }
      return part.isFirst;
    });
  }
};

}  // namespace

const Scheduler* cpuInterleaved() {
  static const CpuInterleaved scheduler;
  return &scheduler;
}

}  // namespace nvfuser::schedulers
