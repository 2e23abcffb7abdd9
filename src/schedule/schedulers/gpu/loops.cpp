#include "schedule/schedulers/gpu/loops.h"

#include <algorithm>
#include <bit>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "ir/logical_map.h"
#include "ir/scalar.h"
#include "schedule/heuristics/merging.h"
#include "schedule/heuristics/references.h"
#include "schedule/heuristics/scatters.h"
#include "schedule/limits.h"
#include "schedule/memory_run.h"
#include "schedule/propagate.h"
#include "schedule/rejoined.h"
#include "schedule/slices.h"

namespace nvfuser::schedulers::gpu {

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

// Whether a view of an input is sliced: its loops are those of the slice, not of the input.
bool isViewSliced(const Expr* view) {
  return std::ranges::any_of(view->output(0)->uses(),
                             [](const Expr* use) { return use->is<SliceOp>(); });
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

void addLoads(TensorView* input, size_t number, const Stages& stages, bool perStage,
              Eviction eviction, GlobalCopies& copies) {
  if (heuristics::concreteRank(input) == 0) {
    // What has no loops would be copied by a kernel of its own for those that have none in common.
    return;
  }
  std::map<int64_t, std::vector<Expr*>> usesOfStage;
  for (Expr* use : std::vector<Expr*>(input->uses())) {
    if (!stages.contains(use)) {
      continue;
    }
    // Only a copy says how it is to be cached.
    const bool isCopied =
        use->is<ReshapeOp>() && eviction != Eviction::InTurn && !isViewSliced(use);
    if (isLoadItself(input, use) && !isCopied) {
      copies.loads.push_back(use->output(0)->asTensor());
      copies.number[copies.loads.back()] = number;
    } else if (isCopied || keepsIndices(input, use) || isScattered(input, use) ||
               (copies.fitResizes && use->is<PadOp>())) {
      usesOfStage[perStage ? stages.at(use) : 0].push_back(use);
    }
  }
  for (const auto& [stage, uses] : usesOfStage) {
    TensorView* load = input->cacheAfter(LoadStoreOpType::Set, CacheOp::Unspecified, uses);
    load->setMarks({.eviction = eviction});
    copies.loads.push_back(load);
    copies.number[copies.loads.back()] = number;
  }
}

}  // namespace

bool expandsOperand(const TensorView* copy) {
  const Expr* definition = copy->definition();
  const auto* operand = definition->input(0)->asTensor();
  return std::ranges::any_of(pairwiseMap(definition, operand, copy), [](const auto& pair) {
    return pair.first->isBroadcast() && !pair.second->isBroadcast();
  });
}

bool isVectorizedTensor(const GpuVectors& vectors, size_t number) {
  if (number == GlobalCopies::kWorkspace) {
    // It is contiguous and begins with a vector; what is cut off it may not.
    return vectors.width > 1 && vectors.fitResizes;
  }
  return number < limits::kNumberedTensors && (vectors.tensors >> number & 1) != 0;
}

GlobalCopies separateGlobals(Fusion* fusion, bool perStage, const GpuReadOnce& readOnce,
                             const GpuVectors& vectors) {
  GlobalCopies copies;
  copies.fitResizes = vectors.fitResizes;
  const std::vector<TensorView*> globals = globalTensors(fusion);
  forkOutputs(fusion);
  for (size_t i = 0; i < globals.size(); ++i) {
    TensorView* tv = globals[i];
    if (tv->isFusionInput()) {
      continue;
    }
    if (const ScatterOp* scatter = scatterOf(tv)) {
      // Its memory is that of what is written into.
      copies.number[scatter->in()] = i;
      if (updatesOperand(scatter)) {
        continue;
      }
      scatter->in()->followLayout(tv);
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
      const bool isReadOnce = i < limits::kNumberedTensors && (readOnce.inputs >> i & 1) != 0;
      addLoads(globals[i], i, stages, perStage || scatter != nullptr,
               isReadOnce ? readOnce.eviction : Eviction::InTurn, copies);
    }
  }
  return copies;
}

void repeatForResizes(Fusion* fusion, GlobalCopies& copies) {
  for (const auto& [original, copy] : heuristics::repeatForResizes(fusion)) {
    if (copies.fitResizes && std::ranges::find(copies.loads, original) != copies.loads.end()) {
      copies.loads.push_back(copy);
      copies.number[copy] = copies.number.at(original);
    }
  }
  // Of what all uses have a copy now, nothing is left.
  const std::vector<Expr*> exprs = fusion->tensorExprs();
  const std::unordered_set<const Expr*> live(exprs.begin(), exprs.end());
  std::erase_if(copies.loads,
                [&](const TensorView* load) { return !live.contains(load->definition()); });
}

namespace {

// The concrete dimensions of what a copy reads or writes, outermost first, as the copy has them;
// none where it lacks the innermost one.
std::vector<MemoryDimension> memoryDimensions(const TensorView* global, const TensorView* copy) {
  DomainMap map;
  if (global != copy) {
    map = producerToConsumer(copy->definition(), global, copy);
  }
  std::vector<MemoryDimension> dimensions;
  const auto& allocation = global->domain()->maybeAllocation();
  for (size_t i = 0; i < allocation.size(); ++i) {
    IterDomain* id = allocation[i];
    if (id->isReduction() || id->isBroadcast()) {
      continue;
    }
    const auto known = map.find(id);
    const IterDomain* own = global == copy ? id : known == map.end() ? nullptr : known->second;
    dimensions.push_back({own, global->domain()->contiguity()[i].value_or(false)});
  }
  if (!dimensions.empty() && dimensions.back().id == nullptr) {
    dimensions.clear();
  }
  return dimensions;
}

// Whether consecutive iterations of a copy's loop are consecutive elements of global memory.
// Vectors were chosen to fit what is cut off its innermost dimension or added to it; `fitViews`:
// also what views make of that.
bool isAlongMemory(const TensorView* global, const TensorView* copy, const IterDomain* loop,
                   bool fitViews) {
  const std::vector<MemoryDimension> dimensions = memoryDimensions(global, copy);
  if (dimensions.empty() || loop->isBroadcast()) {
    return false;
  }
  size_t first = dimensions.size() - 1;
  const IterDomain* id = dimensions[first].id;
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
  // Whether all elements so far follow each other in memory.
  bool isRun = true;
  bool isMerged = false;
  while (const Expr* transform = useOf(id)) {
    const auto* merge = transform->as<Merge>();
    if (const IterDomain* whole = rejoined(id, useOf); whole != id) {
      id = whole;
    } else if (const auto* split = transform->as<Split>()) {
      // No vector crosses from one part into the next.
      const Val* part = split->inner()->extent();
      if (part->isConstInt() ? part->constInt() % loop->extent()->constInt() != 0 : !fitViews) {
        return false;
      }
      id = split->inner();
      isRun = false;
    } else if (const auto* resize = transform->as<Resize>()) {
      if ((isMerged || !isRun) && !fitViews) {
        return false;
      }
      id = resize->out();
      isRun = false;
    } else if (const auto* align = transform->as<Align>(); align != nullptr && id == align->inX()) {
      if (!isRun || !prolongRun(align->inRow(), dimensions, first) || first != 0) {
        return false;
      }
      id = align->outX();
    } else if (merge != nullptr && merge->inner() == id) {
      isRun = isRun && prolongRun(merge->outer(), dimensions, first);
      if (!isRun && !fitViews) {
        return false;
      }
      id = merge->out();
      isMerged = true;
    } else {
      return false;
    }
  }
  // Nothing else may run inside.
  const auto place = std::ranges::find(copy->loop(), loop);
  return id == loop && std::all_of(place + 1, copy->loop().end(),
                                   [](const IterDomain* inside) { return inside->isBroadcast(); });
}

// Whether consecutive iterations of a copy's loop are consecutive elements of what it reads.
bool isAlongOperand(const TensorView* copy, const IterDomain* loop, bool isLoad, bool fitViews) {
  const auto* operand = copy->definition()->input(0)->asTensor();
  // What an earlier kernel computed, or a scatter has written for all threads, is read from memory,
  // too.
  if (isLoad || operand->memoryType() == MemoryType::Global ||
      (operand->memoryType() == MemoryType::Local && scatterOf(operand) != nullptr)) {
    return isAlongMemory(operand, copy, loop, fitViews);
  }
  // Registers have loops like the copy's; those of one element have none of its own for each.
  const auto place =
      static_cast<size_t>(std::ranges::find(copy->loop(), loop) - copy->loop().begin());
  return place >= operand->loop().size() || !operand->loop()[place]->isBroadcast();
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

void parallelize(TensorView* reference, const std::vector<ParallelType>& types,
                 const std::vector<TensorView*>& selected, const GlobalCopies& copies,
                 const GpuVectors& vectors) {
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
    // Moments are three words each: no vectors are made of them.
    const bool isVectorized = copy != copies.number.end() &&
                              isVectorizedTensor(vectors, copy->second) &&
                              std::has_single_bit(static_cast<uint64_t>(info(tv->dtype()).bits));
    for (IterDomain* id : tv->loop()) {
      const ParallelType type = id->parallelType();
      if (type != ParallelType::Vectorize && type != ParallelType::Unroll) {
        continue;
      }
      // What a scatter writes into has memory of its own.
      if (type == ParallelType::Vectorize && isVectorized &&
          isAlongOperand(tv, id, isLoad, vectors.fitViews) &&
          ((isLoad && !isScatteredInto(tv)) || isAlongMemory(tv, tv, id, vectors.fitViews))) {
        if (const auto* slice = tv->definition()->as<SliceOp>();
            slice != nullptr && vectors.fitResizes && !vectors.sliceAnywhere) {
          tv->fusion()->assumeDivisible(startAlongMemory(slice), vectors.width);
        }
        continue;
      }
      id->parallelize(isLoad && fitsRegisters(tv, id) ? ParallelType::Unroll
                                                      : ParallelType::Serial);
    }
  }
}

void scheduleBlocksAround(TensorView* reference, const GpuVectors& vectors, const GpuBlocks& blocks,
                          const std::vector<TensorView*>& selected, const GlobalCopies& copies) {
  std::vector<TensorView*> memory = globalTensors(reference->fusion());
  if (vectors.mergesRows) {
    memory = heuristics::ofAllDimensions(reference, memory,
                                         DomainClasses(reference->fusion()->tensorExprs()));
  }
  scheduleBlocksAround(reference, vectors, blocks, selected, copies, memory);
}

void scheduleBlocksAround(TensorView* reference, const GpuVectors& vectors, const GpuBlocks& blocks,
                          const std::vector<TensorView*>& selected, const GlobalCopies& copies,
                          const std::vector<TensorView*>& memory) {
  const DomainClasses classes(reference->fusion()->tensorExprs());
  orderLikeMemory(reference, classes);
  mergeContiguous(reference, 0, reference->nLoops() - (blocks.keepsInnermost ? 2 : 1), classes,
                  vectors.mergesCut    ? LoopsOf::Elements
                  : blocks.keepsPieces ? LoopsOf::Pieces
                                       : LoopsOf::Dimensions,
                  memory);
  // One element is no row: threads along rows would all compute the same.
  while (reference->nLoops() > 1 && reference->axis(0)->extent()->isConstInt(1)) {
    reference->merge(0, 1);
  }
  const bool unrollsOutermost = blocks.unrollsOutermost && reference->nLoops() > 2;
  const bool unrollsInnermost = blocks.unrollsInnermost && reference->nLoops() > 2;
  if (unrollsOutermost) {
    // -> [outermost / u, other rows, u, columns]
    reference->split(0, blocks.unroll);
    reference->reorder({{1, reference->nLoops() - 2}});
    mergeRange(reference, 0, reference->nLoops() - 3, classes);
  } else if (unrollsInnermost) {
    // -> [rows / (u y), u y, columns]
    reference->split(-2, blocks.unroll * blocks.threadsY);
    mergeRange(reference, 0, reference->nLoops() - 3, classes);
  } else if (reference->nLoops() > 2) {
    mergeRange(reference, 0, reference->nLoops() - 2, classes);
  }
  if (reference->nLoops() == 0) {
    propagateTransforms(reference, selected);
    return;
  }
  const bool hasRows = reference->nLoops() >= 2;
  if (hasRows && vectors.alignsRows) {
    reference->alignRows(0, 1, vectors.width);
  }
  // [rows, columns] -> [rows, columns / (x v), x, v]
  reference->split(-1, vectors.width);
  reference->split(-2, blocks.threadsX);
  std::vector<ParallelType> types{ParallelType::GridX, ParallelType::Unroll, ParallelType::BlockX,
                                  ParallelType::Vectorize};
  if (hasRows) {
    // -> [rows / (u y), columns / (x v), u, y, x, v], or [rows / y, columns / (u x v), u, y, x, v]
    reference->split(unrollsInnermost ? 1 : 0, blocks.threadsY);
    if (unrollsInnermost) {
      reference->reorder({{3, 1}});
    } else if (unrollsOutermost) {
      reference->reorder({{1, 3}, {3, 1}});
    } else if (blocks.unrollsRows) {
      reference->split(2, blocks.unroll);
      reference->reorder({{1, 3}});
    } else {
      reference->split(0, blocks.unroll);
      reference->reorder({{3, 1}});
    }
    types.insert(types.begin() + 2, ParallelType::BlockY);
    if (blocks.isColumnMajor) {
      reference->reorder({{0, 1}});
    }
    if (blocks.hasOuterAlongY) {
      types.insert(types.begin(), ParallelType::GridY);
    } else {
      reference->merge(0, 1);
    }
  } else {
    // All threads of blocks for a wider output lie along what this one has.
    if (blocks.threadsY > 1) {
      reference->split(0, blocks.threadsY);
      types.insert(types.begin() + 2, ParallelType::BlockY);
    }
    reference->split(0, blocks.unroll);
  }
  propagateTransforms(reference, selected);
  parallelize(reference, types, selected, copies, vectors);
}

namespace {

// The extents of what is expanded: of one element, whatever they are computed from.
std::vector<const Val*> expandedExtents(const Fusion& fusion) {
  std::vector<const Val*> extents;
  for (const Expr* expr : fusion.tensorExprs()) {
    if (!expr->is<ExpandOp>()) {
      continue;
    }
    const std::vector<IterDomain*> from = expr->input(0)->asTensor()->visible();
    const std::vector<IterDomain*>& to = expr->output(0)->asTensor()->logical();
    for (size_t i = 0; i < from.size(); ++i) {
      if (!from[i]->isBroadcast() && to[i]->isBroadcast()) {
        extents.push_back(from[i]->extent());
      }
    }
  }
  return extents;
}

// Whether one thread may compute all of a tensor.
bool isLittle(const TensorView* tv, const std::vector<const Val*>& expanded) {
  int64_t elements = 1;
  for (const IterDomain* id : tv->loop()) {
    const auto isOne = [&](const Val* extent) { return scalar::same(extent, id->extent()); };
    if (id->isBroadcast() || id->isReduction() || std::ranges::any_of(expanded, isOne)) {
      continue;
    }
    if (!id->extent()->isConstInt()) {
      return false;
    }
    elements *= id->extent()->constInt();
  }
  return elements <= limits::kUnrolledIterations;
}

}  // namespace

void checkDivided(const Fusion& fusion) {
  const std::vector<const Val*> expanded = expandedExtents(fusion);
  for (const Expr* expr : fusion.tensorExprs()) {
    if (expr->is<ScanOp>()) {
      // Its elements follow each other.
      continue;
    }
    const TensorView* tv = expr->output(0)->asTensor();
    NVF_SCHEDULE_CHECK(
        isLittle(tv, expanded) ||
            std::ranges::any_of(
                tv->loop(), [](const IterDomain* id) { return isThreadType(id->parallelType()); }),
        "No threads divide the loops of ", tv->toString());
  }
}

}  // namespace nvfuser::schedulers::gpu
