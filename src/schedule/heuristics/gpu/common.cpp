#include "schedule/heuristics/gpu/common.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "ir/logical_map.h"
#include "schedule/heuristics/scatters.h"
#include "schedule/propagate.h"
#include "schedule/rejoined.h"
#include "schedule/slices.h"

namespace nvfuser::heuristics {

namespace {

// Views of an input, or slices of it, that are read as they are, without a copy in front.
bool isLoadItself(const Val* input, const Expr* use) {
  const TensorView* out = use->output(0)->asTensor();
  const auto* lookup = use->as<LookupOp>();
  return !out->isFusionOutput() &&
         (use->is<ReshapeOp>() || use->is<SliceOp>() || use->is<SqueezeOp>() ||
          (use->is<LoadStoreOp>() && out->domain()->hasRoot()) ||
          (lookup != nullptr && lookup->isOfSlices() && isLookedUp(input, lookup)));
}

// Whether a scatter has an element of an input for each of its loops.
bool isScattered(const Val* input, const Expr* use) {
  const auto* scatter = use->as<ScatterOp>();
  if (scatter == nullptr || input == scatter->in()) {
    return false;
  }
  bool isExact = true;
  for (size_t i = 0; i < input->asTensor()->visible().size(); ++i) {
    isExact = isExact && scatter->isExact(input, i);
  }
  return isExact;
}

// Whether a copy has many elements of one of its operand, which no vector of it is made of.
bool expandsOperand(const TensorView* copy) {
  const Expr* definition = copy->definition();
  const auto* operand = definition->input(0)->asTensor();
  return std::ranges::any_of(pairwiseMap(definition, operand, copy), [](const auto& pair) {
    return pair.first->isBroadcast() && !pair.second->isBroadcast();
  });
}

int64_t rankOf(const TensorView* tv) {
  return std::ranges::count_if(tv->logical(),
                               [](const IterDomain* id) { return !id->isBroadcast(); });
}

void addLoads(TensorView* input, size_t number, const Stages& stages, bool perStage,
              CacheOp cacheOp, GlobalCopies& copies) {
  std::map<int64_t, std::vector<Expr*>> usesOfStage;
  for (Expr* use : std::vector<Expr*>(input->uses())) {
    if (!stages.contains(use)) {
      continue;
    }
    // Only a copy says how it is to be cached.
    const bool isCopied = use->is<ReshapeOp>() && cacheOp != CacheOp::Unspecified;
    if (isLoadItself(input, use) && !isCopied) {
      copies.loads.push_back(use->output(0)->asTensor());
      copies.number[copies.loads.back()] = number;
    } else if (isCopied || keepsIndices(input, use) || isScattered(input, use)) {
      usesOfStage[perStage ? stages.at(use) : 0].push_back(use);
    }
  }
  for (const auto& [stage, uses] : usesOfStage) {
    copies.loads.push_back(input->cacheAfter(LoadStoreOpType::Set, cacheOp, uses));
    copies.number[copies.loads.back()] = number;
  }
}

}  // namespace

GlobalCopies separateGlobals(Fusion* fusion, bool perStage, const GpuParams& params) {
  GlobalCopies copies;
  const std::vector<TensorView*> globals = globalTensors(fusion);
  forkOutputs(fusion);
  for (size_t i = 0; i < globals.size(); ++i) {
    TensorView* tv = globals[i];
    if (tv->isFusionInput()) {
      continue;
    }
    if (const ScatterOp* scatter = scatterOf(tv)) {
      // Its memory is that of what is written into.
      scatter->in()->followLayout(tv);
      copies.number[scatter->in()] = i;
      if (expandsOperand(scatter->in())) {
        scatter->in()->cacheBefore();
      }
      continue;
    }
    const auto* copy = tv->definition()->as<LoadStoreOp>();
    if (copy == nullptr || tv->domain()->hasRoot() || copy->in()->isFusionInput()) {
      tv->cacheBefore();
    }
    copies.stores.push_back(tv);
    copies.number[tv] = i;
  }
  const std::vector<Expr*> exprs = fusion->tensorExprs();
  const ScatterOp* scatter = scatterAmong(exprs);
  const Stages stages = scatter != nullptr ? stagesOf(scatter) : computeStages(exprs);
  for (size_t i = 0; i < globals.size(); ++i) {
    if (globals[i]->isFusionInput()) {
      const bool isReadOnce = i < 64 && (params.readOnce >> i & 1) != 0;
      addLoads(globals[i], i, stages, perStage || scatter != nullptr,
               isReadOnce ? params.ofReadOnce : CacheOp::Unspecified, copies);
    }
  }
  return copies;
}

int64_t elementsOf(const TensorView* tv, const ScheduleContext& context,
                   const IterDomain* leftOut) {
  int64_t elements = 1;
  for (const IterDomain* id : tv->logical()) {
    elements *= id == leftOut || id->isBroadcast() ? 1 : context.extent(id->extent());
  }
  return elements;
}

int64_t bytesOf(const TensorView* tv, const ScheduleContext& context) {
  return elementsOf(tv, context) * std::max(info(tv->dtype()).bits, 8) / 8;
}

double timesOfCache(const Fusion* fusion, const ScheduleContext& context) {
  if (context.target.gpu.l2Bytes == 0) {
    return 0;
  }
  int64_t bytes = 0;
  for (const TensorView* tv : globalTensors(fusion)) {
    bytes += bytesOf(tv, context);
  }
  return static_cast<double>(bytes) / static_cast<double>(context.target.gpu.l2Bytes);
}

void chooseCacheOp(CacheOp op, const Fusion* fusion, const ScheduleContext& context,
                   GpuParams& params) {
  constexpr int64_t kParts = 16;
  const std::vector<TensorView*> globals = globalTensors(fusion);
  int64_t most = 0;
  for (const TensorView* tv : globals) {
    most = std::max(most, elementsOf(tv, context));
  }
  for (size_t i = 0; op != CacheOp::Unspecified && i < std::min<size_t>(globals.size(), 64); ++i) {
    if (globals[i]->isFusionInput() && elementsOf(globals[i], context) * kParts >= most) {
      params.readOnce |= uint64_t{1} << i;
    }
  }
  params.ofReadOnce = params.readOnce != 0 ? op : CacheOp::Unspecified;
}

int64_t bytesLoadedFor(const Fusion* fusion, const TensorView* tv) {
  int64_t bytes = 0;
  // What it reduces is loaded, too.
  for (const Val* input : fusion->inputs()) {
    if (input->isTensor() && rankOf(input->asTensor()) >= rankOf(tv)) {
      bytes += std::max(info(input->dtype()).bits, 8) / 8;
    }
  }
  return bytes;
}

InnerGroup innerGroup(TensorView* reference, const DomainClasses& classes,
                      const ScheduleContext& context) {
  InnerGroup group;
  const std::vector<IterDomain*> loops = reference->loop();
  orderLikeMemory(reference, classes);
  for (int64_t i = reference->nLoops() - 1; i >= 0; --i) {
    const IterDomain* id = reference->axis(i);
    const bool joins = i + 1 == reference->nLoops() ||
                       (id->isReduction() == reference->axis(i + 1)->isReduction() &&
                        canMergeWithNext(reference, i, classes));
    if (!joins) {
      break;
    }
    group.classes.push_back(classes.classOf(id));
    if (!id->isBroadcast()) {
      group.extent *= context.extent(id->extent());
    }
  }
  reference->domain()->setLoop(loops);
  return group;
}

namespace {

// The innermost part of a dimension that reshapes divide, the dimension itself where none does.
const IterDomain* innermostPart(const Fusion* fusion, const IterDomain* id,
                                const DomainClasses& classes) {
  std::set<int64_t> seen;
  for (const Expr* expr : fusion->tensorExprs()) {
    if (!expr->is<ReshapeOp>()) {
      continue;
    }
    const TensorView* out = expr->output(0)->asTensor();
    for (const Expr* transform : transformsBetween(out->root(), out->logical())) {
      const auto* split = transform->as<Split>();
      const int64_t divided = classes.classOf(id);
      if (split != nullptr && divided >= 0 && classes.classOf(split->in()) == divided &&
          seen.insert(divided).second) {
        id = split->inner();
      }
    }
  }
  return id;
}

bool isSliced(const TensorView* tv) {
  return std::ranges::any_of(tv->uses(), [](const Expr* use) { return use->is<SliceOp>(); });
}

// Whether vectors of an input may begin anywhere.
bool isReadUnaligned(const TensorView* tv) {
  return tv->isFusionInput() && isSliced(tv) && std::ranges::all_of(tv->uses(), readsUnaligned);
}

// Whether a dimension of a tensor can be divided into vectors of that width: slices and pads of its
// class begin and end with whole ones, or only inputs do not whose vectors begin anywhere.
bool beginsWithVectors(const TensorView* tv, const IterDomain* id, int64_t width,
                       const DomainClasses& classes, const ScheduleContext& context) {
  const int64_t place = classes.classOf(id);
  if (classes.isResizedByMultiples(place, width, context.extent)) {
    return true;
  }
  if (!classes.isCutFromInputs(place, width, context.extent)) {
    return false;
  }
  if (isSliced(tv)) {
    return isReadUnaligned(tv);
  }
  return context.extent(id->extent()) % width == 0 &&
         std::ranges::all_of(tv->fusion()->inputs(), [](const Val* input) {
           const TensorView* other = input->isTensor() ? input->asTensor() : nullptr;
           return other == nullptr || !isSliced(other) || isReadUnaligned(other);
         });
}

// How wide the elements of `tv` along the inner group can be accessed, in elements; 0 where the
// tensor does not lie along it.
int64_t widthOf(const TensorView* tv, const InnerGroup& inner, const DomainClasses& classes,
                const ScheduleContext& context) {
  const auto& allocation = tv->domain()->maybeAllocation();
  const auto& contiguity = tv->domain()->contiguity();
  const std::vector<IterDomain*> visible = tv->visible();
  const std::vector<int64_t> strides = context.strides(tv);
  const auto isInner = [&](const IterDomain* id) {
    return std::ranges::find(inner.classes, classes.classOf(id)) != inner.classes.end();
  };
  constexpr int64_t kMaxBytes = 32;
  const int64_t bits = info(tv->dtype()).bits;
  const bool isAligned = !isReadUnaligned(tv);
  int64_t width = 1;
  while (2 * width * bits / 8 <= kMaxBytes && inner.extent % (2 * width) == 0 &&
         (!isAligned ||
          context.alignment(tv) % std::clamp<int64_t>(2 * width * bits / 8, 1, 16) == 0)) {
    width *= 2;
  }
  bool isFirst = true;
  size_t along = 0;
  for (size_t i = allocation.size(); i-- > 0;) {
    const IterDomain* id = allocation[i];
    if (id->isReduction() || id->isBroadcast()) {
      continue;
    }
    // Two dimensions that run along the same one, of x + x.t(), lie differently for each use.
    along += isInner(id);
    if (along > inner.classes.size()) {
      return 0;
    }
    if (isFirst) {
      if ((!isInner(id) && !isInner(innermostPart(tv->fusion(), id, classes))) ||
          !contiguity[i].value_or(false)) {
        return 0;
      }
      while (width > 1 && !beginsWithVectors(tv, id, width, classes, context)) {
        width /= 2;
      }
      isFirst = false;
    } else if (isAligned && !isInner(id)) {
      const auto place = static_cast<size_t>(std::ranges::find(visible, id) - visible.begin());
      while (strides[place] % width != 0) {
        width /= 2;
      }
    }
  }
  return isFirst ? 0 : width;
}

}  // namespace

void chooseVectors(const Fusion* fusion, const InnerGroup& inner, const DomainClasses& classes,
                   const ScheduleContext& context, GpuParams& params) {
  const std::vector<TensorView*> globals = globalTensors(fusion);
  std::vector<int64_t> widths;
  // 16 bytes of the narrowest type, but no more than two accesses of the widest one.
  int64_t width = 1;
  int64_t limit = 16;
  for (const TensorView* tv : globals) {
    widths.push_back(widthOf(tv, inner, classes, context));
    if (widths.back() > 0) {
      const int64_t bits = info(tv->dtype()).bits;
      width = std::max(width, std::min<int64_t>(128 / bits, 16));
      limit = std::min(limit, std::max<int64_t>(256 / bits, 1));
    }
  }
  width = std::min(width, limit);
  const int64_t widest = widths.empty() ? 1 : *std::ranges::max_element(widths);
  while (width > 1 && (inner.extent % width != 0 || widest < width)) {
    width /= 2;
  }
  params.vectorWidth = width;
  params.vectorized = 0;
  addVectors(fusion, inner, classes, context, params);
}

void addVectors(const Fusion* fusion, const InnerGroup& group, const DomainClasses& classes,
                const ScheduleContext& context, GpuParams& params) {
  const std::vector<TensorView*> globals = globalTensors(fusion);
  for (size_t i = 0; i < globals.size() && i < GlobalCopies::kWorkspace; ++i) {
    if (params.vectorWidth > 1 &&
        widthOf(globals[i], group, classes, context) >= params.vectorWidth) {
      params.vectorized |= uint64_t{1} << i;
    }
  }
}

namespace {

// Whether consecutive iterations of a copy's loop are consecutive elements of global memory.
bool isAlongMemory(const TensorView* global, const TensorView* copy, const IterDomain* loop) {
  const auto& allocation = global->domain()->maybeAllocation();
  const auto innermost = std::ranges::find_if(
      allocation.rbegin(), allocation.rend(),
      [](const IterDomain* id) { return !id->isReduction() && !id->isBroadcast(); });
  if (innermost == allocation.rend()) {
    return false;
  }
  const IterDomain* id = *innermost;
  if (global != copy) {
    const DomainMap map = producerToConsumer(copy->definition(), global, copy);
    const auto known = map.find(*innermost);
    if (known == map.end()) {
      return false;
    }
    id = known->second;
  }
  std::unordered_map<const Val*, const Expr*> uses;
  for (const Expr* transform : transformsBetween(copy->maybeRoot(), copy->loop())) {
    for (const Val* in : transform->inputs()) {
      uses[in] = transform;
    }
  }
  const auto useOf = [&](const IterDomain* part) -> const Expr* {
    const auto known = uses.find(part);
    return known == uses.end() ? nullptr : known->second;
  };
  while (const Expr* transform = useOf(id)) {
    const auto* merge = transform->as<Merge>();
    if (const IterDomain* whole = rejoined(id, useOf); whole != id) {
      id = whole;
    } else if (const auto* split = transform->as<Split>()) {
      // No vector crosses from one part into the next.
      const Val* part = split->inner()->extent();
      if (!part->isConstInt() || part->constInt() % loop->extent()->constInt() != 0) {
        return false;
      }
      id = split->inner();
    } else if (const auto* resize = transform->as<Resize>()) {
      id = resize->out();
    } else if (merge != nullptr && merge->inner() == id) {
      id = merge->out();
    } else {
      return false;
    }
  }
  // Nothing else may run inside.
  const auto place = std::ranges::find(copy->loop(), loop);
  return id == loop && std::all_of(place + 1, copy->loop().end(),
                                   [](const IterDomain* inside) { return inside->isBroadcast(); });
}

bool isScatteredInto(const TensorView* tv) {
  return std::ranges::any_of(tv->uses(), [&](const Expr* use) {
    return use->is<ScatterOp>() && use->as<ScatterOp>()->in() == tv;
  });
}

// Whether what a loop computes before it is used is of constant size.
bool fitsRegisters(const TensorView* tv, const IterDomain* loop) {
  return std::all_of(std::ranges::find(tv->loop(), loop), tv->loop().end(),
                     [](const IterDomain* id) {
                       return id->extent()->isConstInt() || isThreadType(id->parallelType());
                     });
}

}  // namespace

void parallelizeForGpu(TensorView* reference, const std::vector<ParallelType>& types,
                       const std::vector<TensorView*>& selected, const GlobalCopies& copies,
                       const GpuParams& params) {
  for (size_t i = 0; i < types.size(); ++i) {
    reference->axis(static_cast<int64_t>(i))->parallelize(types[i]);
  }
  propagateParallelTypes(reference, selected);
  std::vector<TensorView*> all = selected;
  if (std::ranges::find(all, reference) == all.end()) {
    all.push_back(reference);
  }
  for (TensorView* tv : all) {
    const auto copy = copies.number.find(tv);
    const bool isLoad = std::ranges::find(copies.loads, tv) != copies.loads.end();
    const bool isVectorized = copy != copies.number.end() && copy->second < 64 &&
                              (params.vectorized >> copy->second & 1) != 0;
    const TensorView* global = isLoad ? tv->definition()->input(0)->asTensor() : tv;
    for (IterDomain* id : tv->loop()) {
      const ParallelType type = id->parallelType();
      if (type != ParallelType::Vectorize && type != ParallelType::Unroll) {
        continue;
      }
      // What a scatter writes into has memory of its own.
      if (type == ParallelType::Vectorize && isVectorized && isAlongMemory(global, tv, id) &&
          (!isScatteredInto(tv) || isAlongMemory(tv, tv, id))) {
        continue;
      }
      id->parallelize(isLoad && fitsRegisters(tv, id) ? ParallelType::Unroll
                                                      : ParallelType::Serial);
    }
  }
}

}  // namespace nvfuser::heuristics
