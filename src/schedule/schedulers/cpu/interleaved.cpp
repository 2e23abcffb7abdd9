// Element-wise operations whose result interleaves a few runs of elements along its rows:
// upsampling, rotated pairs, what is stacked along a new last dimension, and random numbers, of
// which the generator makes four at a time; and those whose input does, as where windows are moved
// apart. The loops are [others (parallel), row, runs]. Compilers write out the last one: no index
// is divided for an element, what distinguishes the runs is constant, and whole vectors are read
// and written of them all.
#include <algorithm>
#include <set>
#include <vector>

#include "ir/logical_map.h"
#include "ops/random.h"
#include "schedule/heuristics/common.h"
#include "schedule/heuristics/merging.h"
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

struct InterleavedRuns {
  int64_t count = 0;
  bool ofAll = false;
  bool ofInput = false;
};

// The few elements that a reshape divides the rows of an input into, while the rows of `reference`
// run along what lies around them and they are further out there; null for none.
const IterDomain* findDividedRuns(const TensorView* reference, const DomainClasses& classes) {
  const IterDomain* row = innermostInMemory(reference);
  if (row == nullptr) {
    return nullptr;
  }
  std::set<int64_t> around;
  for (const IterDomain* id : reference->domain()->maybeAllocation()) {
    for (const IterDomain* piece : classes.pieces(id)) {
      around.insert(classes.classOf(piece));
    }
  }
  for (const Val* input : reference->fusion()->inputs()) {
    const IterDomain* inner = input->isTensor() ? innermostInMemory(input->asTensor()) : nullptr;
    const auto pieces = inner == nullptr ? std::vector<const IterDomain*>{} : classes.pieces(inner);
    if (pieces.size() < 2) {
      continue;
    }
    const IterDomain* runs = pieces.back();
    const int64_t count = runs->extent()->isConstInt() ? runs->extent()->constInt() : 0;
    if (count > 1 && count <= limits::kConstantPart && around.contains(classes.classOf(runs)) &&
        classes.classOf(pieces[pieces.size() - 2]) == classes.classOf(classes.pieces(row).back())) {
      return runs;
    }
  }
  return nullptr;
}

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
  const IterDomain* inner = innermostInMemory(whole.widestOutput());
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
  if (const IterDomain* runs = findDividedRuns(whole.widestOutput(), classes)) {
    return {runs->extent()->constInt(), false, true};
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
  int64_t serial = 0;
  if (const IterDomain* runs = findDividedRuns(reference, classes)) {
    // The runs are one of these.
    serial = std::max<int64_t>(params.pointwise.serialLoops - 1, 0);
    const std::vector<int64_t> loops = makeRuns(reference, classes);
    const auto position = std::ranges::find(loops, classes.classOf(runs)) - loops.begin();
    reference->reorder({{position, -1}});
  } else {
    if (params.ofAll) {
      makeRuns(reference, classes);
      reference->fusion()->assumeDivisible(reference->axis(-1)->extent(), params.runs);
    }
    reference->split(-1, params.runs);
    makeRuns(reference, classes);
  }
  if (reference->nLoops() > 3) {
    mergeRange(reference, 0, std::max<int64_t>(reference->nLoops() - 3 - serial, 0));
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
    // Shorter rows stay loops of one element an iteration, whatever their order.
    const heuristics::ElementCount size = heuristics::sizeOf(summary.widestOutput(), context);
    const int64_t least =
        context.target.capabilities.hasMaskedVectors
            ? context.tuning.cpu.maskedRest
            : context.target.cpu.vectorBytes / static_cast<int64_t>(sizeof(float));
    if (found.ofInput && size.innermost < least) {
      return {};
    }
    if (params.ofAll && (!context.hasSizes || size.total % params.runs != 0)) {
      return {};
    }
    params.pointwise = heuristics::pointwiseParams(summary, context);
    // Lines are written by several statements.
    params.pointwise.stream = {};
    params.pointwise.narrow = {};
    // The runs are in flight beside each other.
    params.pointwise.ahead.functions = {};
    // So an iteration has one vector of a row.
    params.pointwise.ahead.functionRests = params.pointwise.ahead.rests;
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
