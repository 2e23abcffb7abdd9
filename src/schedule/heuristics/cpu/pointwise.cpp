#include "schedule/heuristics/cpu/pointwise.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "schedule/heuristics/common.h"
#include "schedule/heuristics/cpu/scan.h"
#include "schedule/propagate.h"

namespace nvfuser::heuristics {

int64_t concreteRank(const TensorView* tv) {
  return std::ranges::count_if(
      tv->logical(), [](IterDomain* id) { return !id->isBroadcast() && !id->isReduction(); });
}

TensorView* widestOutput(const std::vector<TensorView*>& outputs) {
  return *std::ranges::max_element(
      outputs, {}, [](TensorView* tv) { return std::pair(concreteRank(tv), -tv->name()); });
}

std::vector<TensorView*> connectedWith(TensorView* start) {
  std::unordered_set<TensorView*> seen;
  std::vector<TensorView*> stack{start};
  while (!stack.empty()) {
    TensorView* tv = stack.back();
    stack.pop_back();
    if (!seen.insert(tv).second) {
      continue;
    }
    const auto visit = [&](Expr* expr) {
      // What is cut out of an input has loops of its own.
      if (isResize(expr) && expr->input(0)->isFusionInput() && expr->input(0) == tv) {
        return;
      }
      for (const auto* side : {&expr->inputs(), &expr->outputs()}) {
        for (Val* val : *side) {
          if (val->isTensor() && !(isResize(expr) && val->isFusionInput())) {
            stack.push_back(val->asTensor());
          }
        }
      }
    };
    if (tv->definition() != nullptr) {
      visit(tv->definition());
    }
    std::ranges::for_each(tv->uses(), visit);
  }
  std::vector<TensorView*> tensors(seen.begin(), seen.end());
  std::ranges::sort(tensors, {}, &Val::name);
  return tensors;
}

namespace {

// The innermost concrete dimension of a tensor in memory, null for none.
IterDomain* innermostOf(const TensorView* tv) {
  const auto& allocation = tv->domain()->maybeAllocation();
  for (size_t i = allocation.size(); i-- > 0;) {
    if (!allocation[i]->isBroadcast() && !allocation[i]->isReduction()) {
      return tv->domain()->contiguity()[i].value_or(false) ? allocation[i] : nullptr;
    }
  }
  return nullptr;
}

}  // namespace

Crossing findCrossing(const TensorView* reference) {
  Crossing crossing;
  const DomainClasses classes(reference->fusion()->tensorExprs());
  const IterDomain* inner = innermostOf(reference);
  if (inner == nullptr) {
    return crossing;
  }
  const int64_t innerClass = classes.classOf(inner);
  for (Val* input : reference->fusion()->inputs()) {
    if (!input->isTensor() || input->uses().empty()) {
      continue;
    }
    TensorView* tv = input->asTensor();
    if (std::ranges::any_of(tv->uses(), [&](Expr* use) { return isLookedUp(tv, use); })) {
      continue;
    }
    const IterDomain* fastest = innermostOf(tv);
    const int64_t across = classes.find(tv->logical(), innerClass);
    if (fastest == nullptr || classes.classOf(fastest) == innerClass || across < 0 ||
        tv->logical()[static_cast<size_t>(across)]->isBroadcast()) {
      continue;
    }
    const int64_t place = classes.find(reference->logical(), classes.classOf(fastest));
    if (place < 0 || classes.isResized(classes.classOf(fastest)) || classes.isResized(innerClass)) {
      continue;
    }
    IterDomain* domain = reference->logical()[static_cast<size_t>(place)];
    if (crossing.domain == nullptr || crossing.domain == domain) {
      crossing.domain = domain;
      crossing.inputs.push_back(tv);
    }
  }
  return crossing;
}

namespace {

// [outer (parallel) x tiles, tile of the crossing dimension, tile of the innermost one]; inputs
// that lie across are copied tile by tile into local memory: transposed as vectors, or along their
// own innermost dimension.
std::vector<TensorView*> scheduleTiles(TensorView* reference, int64_t tile,
                                       const std::vector<TensorView*>& selected) {
  const Crossing crossing = findCrossing(reference);
  std::vector<TensorView*> copies;
  for (TensorView* input : crossing.inputs) {
    copies.push_back(input->cacheAfter());
  }
  std::vector<TensorView*> targets = selected;
  targets.insert(targets.end(), copies.begin(), copies.end());
  const DomainClasses classes(reference->fusion()->tensorExprs());
  orderLikeMemory(reference, classes);
  const auto position =
      std::ranges::find(reference->loop(), crossing.domain) - reference->loop().begin();
  reference->reorder({{position, -2}});
  if (reference->nLoops() > 3) {
    mergeRange(reference, 0, reference->nLoops() - 3);
  }
  reference->split(-1, tile);
  reference->split(-3, tile);
  // [outer, i, ii, j, jj] -> [outer, i, j, ii, jj]
  reference->reorder({{-2, -3}});
  mergeRange(reference, 0, reference->nLoops() - 3);
  propagateTransforms(reference, targets);
  reference->axis(0)->parallelize(ParallelType::GridX);
  propagateParallelTypes(reference, targets);
  for (TensorView* copy : copies) {
    if (fitsVectorLane(copy->dtype())) {
      copy->axis(-1)->parallelize(ParallelType::Vectorize);
      copy->axis(-2)->parallelize(ParallelType::Vectorize);
    } else {
      copy->reorder({{-1, -2}});
    }
  }
  return copies;
}

}  // namespace

namespace {

// The side of tiles: large, because short lines of memory are slow to read one by one, but with a
// few tiles for every worker.
int64_t tileFor(int64_t across, int64_t innermost, int64_t total, int64_t numThreads) {
  constexpr int64_t kMaxTile = 128;
  constexpr int64_t kMinTile = 32;
  int64_t tile = kMaxTile;
  while (tile > kMinTile &&
         (std::min(across, innermost) < tile || total < 4 * numThreads * tile * tile)) {
    tile /= 2;
  }
  return std::min(across, innermost) < tile ? 0 : tile;
}

}  // namespace

ScheduleParams pointwiseParams(Fusion* fusion, const ScheduleContext& context) {
  ScheduleParams params;
  params.type = SchedulerType::Pointwise;
  // Few rows that are long are divided, so that all workers have a part.
  const TensorView* reference = widestOutput(fusion->outputTensors());
  int64_t total = 1;
  int64_t innermost = 1;
  for (IterDomain* id : reference->domain()->maybeAllocation()) {
    if (!id->isBroadcast() && !id->isReduction()) {
      innermost = context.extent(id->extent());
      total *= innermost;
    }
  }
  constexpr int64_t kChunk = 8192;
  if (innermost >= 4 * kChunk && total / innermost < 4 * context.numThreads) {
    params.innerChunk = kChunk;
  }
  const Crossing crossing = findCrossing(reference);
  if (crossing.domain != nullptr) {
    const int64_t across = context.extent(crossing.domain->extent());
    params.transposeTile = tileFor(across, innermost, total, context.numThreads);
  }
  return params;
}

void schedulePointwiseAround(TensorView* reference, int64_t innerChunk,
                             const std::vector<TensorView*>& selected) {
  const DomainClasses classes(reference->fusion()->tensorExprs());
  orderLikeMemory(reference, classes);
  mergeContiguous(reference, 0, reference->nLoops() - 1, classes);
  if (reference->nLoops() > 2) {
    mergeRange(reference, 0, reference->nLoops() - 2);
  }
  if (reference->nLoops() == 2 && innerChunk > 0) {
    reference->split(1, innerChunk);
    reference->merge(0, 1);
  }
  propagateTransforms(reference, selected);
  if (reference->nLoops() > 0) {
    reference->axis(0)->parallelize(ParallelType::GridX);
    propagateParallelTypes(reference, selected);
  }
}

void schedulePointwise(Fusion* fusion, const ScheduleParams& params) {
  forkOutputs(fusion);
  cacheInputs(fusion);
  repeatForResizes(fusion);
  // Outputs that have nothing to do with each other are scheduled on their own.
  std::vector<TensorView*> outputs;
  for (TensorView* tv : fusion->outputTensors()) {
    if (tv->definition() != nullptr) {
      outputs.push_back(tv);
    }
  }
  std::unordered_map<const TensorView*, int64_t> limits;
  const TensorView* first = widestOutput(outputs);
  while (!outputs.empty()) {
    TensorView* reference = widestOutput(outputs);
    const std::vector<TensorView*> connected = connectedWith(reference);
    if (TensorView* scanned = scanAmong(connected)) {
      scheduleScanAround(scanned, connected);
    } else if (reference == first && params.transposeTile > 0) {
      for (const TensorView* copy : scheduleTiles(reference, params.transposeTile, connected)) {
        limits[copy] = 1;
      }
    } else {
      schedulePointwiseAround(reference, params.innerChunk, connected);
    }
    std::erase_if(outputs, [&](TensorView* tv) {
      return std::ranges::find(connected, tv) != connected.end();
    });
  }
  inlineMost(fusion, {}, limits);
}

}  // namespace nvfuser::heuristics
