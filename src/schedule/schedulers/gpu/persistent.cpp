// Normalizations in one kernel: what is loaded and computed of what a block reduces stays in
// registers, or what is loaded in shared memory, until its reductions are known.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>

#include "device/memory.h"
#include "schedule/heuristics/one_pass.h"
#include "schedule/propagate.h"
#include "schedule/schedulers/gpu/reductions.h"

namespace nvfuser::schedulers::gpu {

namespace {

// What only the last stage needs is read there, vector by vector: held through the reductions it
// would take registers.
std::set<const TensorView*> readLate(const std::vector<Expr*>& exprs,
                                     const std::vector<TensorView*>& loads, int64_t batches) {
  std::set<const TensorView*> late;
  const Stages stages = computeStages(exprs);
  const int64_t last = lastStage(stages);
  for (TensorView* load : loads) {
    if (last == 0 || stages.at(load->definition()) != last) {
      continue;
    }
    for (IterDomain* id : load->loop()) {
      if (id->parallelType() == ParallelType::Unroll && id->extent()->isConstInt(batches)) {
        id->parallelize(ParallelType::Serial);
        break;
      }
    }
    late.insert(load);
  }
  return late;
}

// How many of the outermost loops of a tensor run over rows; a thread computes what it keeps of a
// row inside of these. `hasSeveral`: the second one runs over rows of a thread.
int64_t rowLoops(const TensorView* tv, bool hasSeveral) {
  int64_t count = 0;
  while (count < tv->nLoops() && !tv->axis(count)->isReduction() &&
         (isThreadType(tv->axis(count)->parallelType()) || (hasSeveral && count == 1))) {
    ++count;
  }
  return count;
}

// Functions that have one value for a row, computed from results of reductions, like scales: inside
// of the loops over a row they would be computed for each of its elements.
std::vector<TensorView*> functionsOfRows(const std::vector<Expr*>& exprs, bool hasSeveral) {
  std::vector<TensorView*> functions;
  for (const Expr* expr : exprs) {
    TensorView* tv = expr->output(0)->asTensor();
    const bool isFunction = expr->is<UnaryOp>() || expr->is<BinaryOp>() || expr->is<TernaryOp>();
    int64_t row = rowLoops(tv, hasSeveral);
    // Broadcast loops of threads are among them.
    while (row > 0 && tv->axis(row - 1)->isBroadcast()) {
      --row;
    }
    const auto& loops = tv->loop();
    if (isFunction && !tv->hasReduction() &&
        std::all_of(loops.begin() + row, loops.end(),
                    [](const IterDomain* id) { return id->isBroadcast(); }) &&
        row < tv->nLoops()) {
      functions.push_back(tv);
    }
  }
  return functions;
}

}  // namespace

int64_t bytesOfReductions(const FusionSummary& whole) {
  int64_t bytes = 0;
  for (const TensorView* reduction : reductionsOf(whole.exprs())) {
    bytes += std::max(info(reduction->dtype()).bits / 8, 1);
  }
  return bytes;
}

bool mayCopyAsync(const TensorView* load, size_t number, const GpuVectors& vectors) {
  return load->definition()->is<LoadStoreOp>() && isVectorizedTensor(vectors, number) &&
         isCopiedAsync(load->dtype(), vectors.width);
}

std::vector<TensorView*> placeInShared(Fusion* fusion, GlobalCopies& copies,
                                       const GpuVectors& vectors, bool isAhead,
                                       const std::function<bool(const TensorView*)>& mayShare) {
  const Stages stages = computeStages(fusion->tensorExprs());
  std::vector<TensorView*> rows;
  for (TensorView* load : neededByLaterStages(fusion, copies.loads)) {
    if (!mayShare(load)) {
      continue;
    }
    const auto usesOfStage = usesByStage(load, stages);
    TensorView* row = load;
    if (mayCopyAsync(load, copies.number.at(load), vectors)) {
      auto* copy = load->definition()->as<LoadStoreOp>();
      TensorView* in = copy->in();
      const CacheOp cacheOp = copy->cacheOp();
      fusion->removeExpr(copy);
      fusion->create<LoadStoreOp>(LoadStoreOpType::CpAsync, cacheOp, load, in);
      TensorMarks marks = load->marks();
      marks.copiesAhead = isAhead;
      load->setMarks(marks);
    } else {
      row = load->cacheAfter();
    }
    row->setMemoryType(MemoryType::Shared);
    copies.number[row] = copies.number.at(load);
    rows.push_back(row);
    for (const auto& [stage, uses] : usesOfStage) {
      const TensorView* part = row->cacheAfter(LoadStoreOpType::Set, CacheOp::Unspecified, uses);
      copies.number[part] = copies.number.at(load);
    }
  }
  return rows;
}

void schedulePersistentRows(ReductionSchedule& schedule, const PersistentLoops& loops,
                            std::vector<TensorView*> persistent,
                            const std::vector<TensorView*>& tensors,
                            const std::vector<Expr*>& exprs) {
  schedule.schedule(tensors, exprs);
  const std::unordered_set<const Expr*> own(exprs.begin(), exprs.end());
  std::vector<TensorView*> loads;
  std::ranges::copy_if(schedule.copies.loads, std::back_inserter(loads),
                       [&](const TensorView* load) { return own.contains(load->definition()); });
  std::set<const TensorView*> late;
  if (loops.batches > 0) {
    late = readLate(exprs, loads, loops.batches);
  }
  // Persistent buffers outlive the loops over what is reduced.
  if (loops.sharesRows) {
    std::erase_if(loads, [&](const TensorView* load) {
      return !loops.copiesAhead || load->memoryType() == MemoryType::Shared;
    });
  }
  const bool hasSeveral = loops.unrollsKept || loops.copiesAhead;
  std::ranges::copy_if(loads, std::back_inserter(persistent),
                       [&](const TensorView* load) { return !late.contains(load); });
  for (const TensorView* tv : persistent) {
    // What is the same for all rows is loaded once.
    const bool isLoad = std::ranges::find(loads, tv) != loads.end();
    const bool isOfRow = loops.copiesAhead && tv->nLoops() > 1 && !tv->axis(1)->isBroadcast();
    schedule.limits[tv] = rowLoops(tv, isLoad ? isOfRow : hasSeveral);
  }
  for (const TensorView* tv : functionsOfRows(exprs, hasSeveral)) {
    schedule.limits[tv] = rowLoops(tv, hasSeveral);
  }
}

void schedulePersistent(Fusion* fusion, const PersistentLoops& loops) {
  if (loops.takesOnePass) {
    heuristics::combineMoments(fusion);
    heuristics::combineExponentials(fusion, true);
  }
  ReductionSchedule schedule(fusion, loops.loops);
  // The copies come first: what was read once serves all stages.
  schedule.copies = separateGlobals(fusion, false, loops.readOnce, loops.loops.vectors);
  repeatForResizes(fusion, schedule.copies);
  const std::optional<int64_t> recomputed =
      loops.sharesRows ? std::nullopt : std::optional(loops.recomputedOps);
  recomputeAcrossStages(fusion, recomputed, schedule.copies.loads);
  const std::vector<TensorView*> persistent =
      loops.sharesRows ? placeInShared(fusion, schedule.copies, loops.loops.vectors,
                                       loops.copiesAhead, [](const TensorView*) { return true; })
                       : bufferForLaterStages(fusion);
  schedulePersistentRows(schedule, loops, persistent, fusion->tensors(), fusion->tensorExprs());
  inlineMost(fusion, {}, schedule.limits);
}

}  // namespace nvfuser::schedulers::gpu
