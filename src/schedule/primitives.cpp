#include "schedule/primitives.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/error.h"
#include "ir/traversal.h"
#include "schedule/limits.h"
#include "schedule/propagate.h"

namespace nvfuser::schedule {

namespace {

int64_t wrapPosition(const TensorView* reference, int64_t position) {
  const int64_t count = reference->nLoops();
  const int64_t wrapped = position < 0 ? position + count + 1 : position;
  NVF_CHECK(wrapped >= 0 && wrapped <= count, "Expected a position from ", -count - 1, " to ",
            count, " in the loops of ", reference->toString(), " but got ", position);
  return wrapped;
}

void checkFusion(const Fusion* fusion, const std::vector<TensorView*>& tensors) {
  for (const TensorView* tv : tensors) {
    NVF_CHECK(tv->fusion() == fusion, "The tensor ", tv->toString(), " belongs to another fusion");
  }
}

// Loops that are shared with others stay as they are.
void checkNotInlined(const std::vector<TensorView*>& tensors, const TensorView* reference,
                     const char* what) {
  for (const TensorView* tv : tensors) {
    NVF_CHECK(tv == reference || (tv->computeAt() == 0 && tv->produceAt() == 0), what, ": ",
              tv->toString(), " is inlined already; transform tensors before they are inlined");
  }
}

// What lies between `from` and the tensors that it is computed from.
std::vector<TensorView*> tensorsBetween(TensorView* from,
                                        const std::unordered_set<const Val*>& to) {
  // Whether what `from` is computed from is one of `to` or computed from one.
  std::unordered_map<const Val*, bool> depends;
  visitOperandsFirst(
      static_cast<const Val*>(from), [&](const Val* val) { return depends.contains(val); },
      [&](const Val* val) {
        depends[val] = to.contains(val) ||
                       (val->definition() != nullptr &&
                        std::ranges::any_of(val->definition()->inputs(),
                                            [&](const Val* in) { return depends.at(in); }));
      });
  std::vector<TensorView*> between;
  std::unordered_set<const Val*> seen;
  std::vector<Val*> stack{from};
  while (!stack.empty()) {
    Val* next = stack.back();
    stack.pop_back();
    if (next != from) {
      if (!next->isTensor() || !depends.at(next) || !seen.insert(next).second) {
        continue;
      }
      between.push_back(next->asTensor());
      if (to.contains(next)) {
        continue;
      }
    }
    if (next->definition() != nullptr) {
      const std::vector<Val*>& inputs = next->definition()->inputs();
      stack.insert(stack.end(), inputs.rbegin(), inputs.rend());
    }
  }
  return between;
}

using LoopTypes = std::unordered_map<IterDomain*, ParallelType>;

void moveTypes(const TensorView* tv, LoopTypes& types) {
  for (IterDomain* id : tv->loop()) {
    types[id] = id->parallelType();
    id->parallelize(ParallelType::Serial);
  }
}

// What was parallelized before stays, unless the loop has a type now. Threads that run along a loop
// already do not run along another one.
void joinTypes(const TensorView* tv, const LoopTypes& before) {
  const auto isTaken = [&](ParallelType type) {
    return isThreadType(type) && std::ranges::any_of(tv->loop(), [&](IterDomain* id) {
             return before.at(id) == type && !id->isParallelized();
           });
  };
  std::vector<IterDomain*> refused;
  for (IterDomain* id : tv->loop()) {
    if (id->isParallelized() && isTaken(id->parallelType())) {
      refused.push_back(id);
    }
  }
  for (IterDomain* id : refused) {
    id->parallelize(ParallelType::Serial);
  }
  for (IterDomain* id : tv->loop()) {
    if (!id->isParallelized()) {
      id->parallelize(before.at(id));
    }
  }
}

// The positions of the loops of a reference, for the loops of other tensors that correspond.
using LoopPlaces = std::unordered_map<const IterDomain*, int64_t>;

LoopPlaces loopPlaces(const TensorView* reference) {
  LoopPlaces places;
  for (int64_t k = 0; k < reference->nLoops(); ++k) {
    places[reference->axis(k)] = k;
  }
  const auto join = [&](const Expr* expr, const TensorView* producer, const TensorView* consumer) {
    bool changed = false;
    for (const IterDomain* p : producer->loop()) {
      for (const IterDomain* c : consumer->loop()) {
        if (places.contains(p) != places.contains(c) &&
            loopsCorrespond(expr, producer, p, consumer, c)) {
          const int64_t place = places.contains(p) ? places.at(p) : places.at(c);
          places[p] = place;
          places[c] = place;
          changed = true;
        }
      }
    }
    return changed;
  };
  const std::vector<Expr*> exprs = reference->fusion()->tensorExprs();
  for (bool changed = true; changed;) {
    changed = false;
    for (const Expr* expr : exprs) {
      for (const Val* in : expr->inputs()) {
        for (const Val* out : expr->outputs()) {
          changed = (in->isTensor() && join(expr, in->asTensor(), out->asTensor())) || changed;
        }
      }
    }
  }
  return places;
}

// Where loop `axis` of `tv` is among those of the reference, -1 for nowhere.
int64_t referencePosition(const TensorView* tv, int64_t axis, const TensorView* reference,
                          LoopPlaces& places) {
  if (places.empty()) {
    places = loopPlaces(reference);
  }
  const auto place = places.find(tv->axis(axis));
  return place == places.end() ? -1 : place->second;
}

}  // namespace

void boundedTransformBackward(TensorView* from, int64_t position,
                              const std::vector<TensorView*>& to, bool propagatesParallelTypes) {
  checkFusion(from->fusion(), to);
  const int64_t count = wrapPosition(from, position);
  const std::unordered_set<const Val*> ends(to.begin(), to.end());
  const std::vector<TensorView*> between = tensorsBetween(from, ends);
  for (TensorView* tv : to) {
    NVF_CHECK(std::ranges::find(between, tv) != between.end(),
              "bounded_transform_backward: ", from->toString(), " is not computed from ",
              tv->toString());
  }
  checkNotInlined(between, nullptr, "bounded_transform_backward");
  if (between.empty()) {
    return;
  }
  propagateTransforms(from, between, count);
  if (propagatesParallelTypes) {
    parallelizeLike(from, count, between, {});
  }
}

void transformLike(TensorView* reference, const std::vector<TensorView*>& selected) {
  checkFusion(reference->fusion(), selected);
  checkNotInlined(selected.empty() ? reference->fusion()->tensors() : selected, reference,
                  "transform_like");
  propagateTransforms(reference, selected);
}

void parallelizeLike(TensorView* reference, int64_t position,
                     const std::vector<TensorView*>& selected,
                     const std::unordered_set<ParallelType>& types) {
  checkFusion(reference->fusion(), selected);
  const auto count = static_cast<size_t>(wrapPosition(reference, position));
  const std::unordered_set<const TensorView*> wanted(selected.begin(), selected.end());
  const std::vector<TensorView*> tensors = reference->fusion()->tensors();
  NVF_CHECK(std::ranges::find(tensors, reference) != tensors.end(),
            "parallelize_like: ", reference->toString(),
            " is in no kernel, because no output depends on it; call add_output before the"
            " schedule");
  // The types of the reference count, and no others.
  LoopTypes before;
  for (const TensorView* tv : tensors) {
    moveTypes(tv, before);
  }
  for (size_t k = 0; k < count; ++k) {
    IterDomain* id = reference->loop()[k];
    id->parallelize(before.at(id));
  }
  propagateParallelTypes(reference, {}, types);
  for (const TensorView* tv : tensors) {
    if (tv != reference && (wanted.empty() || wanted.contains(tv))) {
      joinTypes(tv, before);
      continue;
    }
    // What is on the way only passes the types on.
    for (IterDomain* id : tv->loop()) {
      id->parallelize(before.at(id));
    }
  }
}

void inlineMost(const std::vector<TensorView*>& selected) {
  Fusion* fusion = selected.empty() ? activeFusion() : selected.front()->fusion();
  checkFusion(fusion, selected);
  nvfuser::inlineMost(fusion, selected);
}

void inlineAt(TensorView* reference, int64_t position, bool bestEffort,
              const std::vector<TensorView*>& selected) {
  Fusion* fusion = reference->fusion();
  checkFusion(fusion, selected);
  const int64_t depth = wrapPosition(reference, position);
  const std::vector<TensorView*> targets = selected.empty() ? fusion->tensors() : selected;
  std::unordered_map<const TensorView*, int64_t> limits;
  std::vector<std::pair<TensorView*, int64_t>> before;
  for (TensorView* tv : targets) {
    limits[tv] = depth;
    before.emplace_back(tv, tv->computeAt());
  }
  nvfuser::inlineMost(fusion, selected, limits);
  if (bestEffort) {
    return;
  }
  LoopPlaces places;
  for (const TensorView* tv : targets) {
    const bool isRead =
        std::ranges::any_of(tv->uses(), [](const Expr* use) { return use->output(0)->isTensor(); });
    if (tv->isFusionInput() || !isRead) {
      continue;
    }
    int64_t expected = 0;
    while (expected < depth && expected < tv->nLoops() && !tv->axis(expected)->isReduction()) {
      ++expected;
    }
    // A tensor may lack dimensions of the reference: what follows there may belong further in.
    if (tv->computeAt() < expected &&
        referencePosition(tv, tv->computeAt(), reference, places) < depth) {
      const std::string problem =
          concatenate("Cannot inline ", tv->toString(), " at position ", expected, ", but only at ",
                      tv->computeAt(), ": the loops of its consumers differ or wait for it");
      for (const auto& [target, old] : before) {
        target->setComputeAt(old);
      }
      fail(problem);
    }
  }
}

void warpSpecialize(TensorView* tv, int64_t stages, int64_t prefetchDistance, ParallelType type,
                    int64_t loaderRegisters, int64_t computeRegisters) {
  NVF_CHECK(isBlockType(type),
            "warp_specialize: Expected block_x, block_y or block_z as the parallel type but got ",
            type);
  NVF_CHECK(stages >= 1, "warp_specialize: Expected at least one stage but got ", stages);
  NVF_CHECK(prefetchDistance > -stages && prefetchDistance < stages,
            "warp_specialize: Expected a prefetch distance between -", stages, " and ", stages,
            ", the number of stages, but got ", prefetchDistance);
  constexpr int64_t kNone = -1;
  if (loaderRegisters != kNone || computeRegisters != kNone) {
    for (const int64_t count : {loaderRegisters, computeRegisters}) {
      NVF_CHECK(count >= limits::kRegistersLeast && count <= limits::kRegistersMost &&
                    count % limits::kRegistersStep == 0,
                "warp_specialize: Expected numbers of registers from ", limits::kRegistersLeast,
                " to ", limits::kRegistersMost, " that are multiples of ", limits::kRegistersStep,
                " but got ", count);
    }
    NVF_CHECK(loaderRegisters <= computeRegisters, "warp_specialize: Expected no more registers ",
              "for the threads that load than for the others but got ", loaderRegisters, " and ",
              computeRegisters);
  }
  NVF_CHECK(tv->definition() != nullptr && tv->definition()->is<LoadStoreOp>(),
            "warp_specialize: Expected a copy, as of cache_after(), but got ", tv->toString());
  tv->setLoaders(type);
}

}  // namespace nvfuser::schedule
