#include "lower/index.h"

#include <algorithm>
#include <functional>

#include "core/error.h"
#include "ir/logical_map.h"
#include "ir/scalar.h"
#include "ir/traversal.h"
#include "schedule/memory_run.h"
#include "schedule/propagate.h"
#include "schedule/rejoined.h"
#include "schedule/slices.h"

namespace nvfuser {

namespace {

// Where a row begins in its first group.
Val* shiftOf(const Align* align, Val* row) {
  return scalar::mod(scalar::mul(row, align->inX()->extent()), align->width());
}

}  // namespace

Val* StrideTable::stride(TensorView* tv, size_t position) {
  if (const auto owner = owners_.find(tv); owner != owners_.end()) {
    return stride(owner->second, position);
  }
  std::vector<Val*>& known = strides_[tv];
  const std::vector<IterDomain*> logical = tv->visible();
  known.resize(logical.size(), nullptr);
  if (known[position] != nullptr) {
    return known[position];
  }
  Fusion* fusion = tv->fusion();
  const std::vector<IterDomain*> allocation =
      tv->domain()->hasAllocation() ? TensorDomain::noReductions(tv->domain()->allocation())
                                    : logical;
  const auto& contiguity = tv->domain()->contiguity();
  // Contiguity is listed for all allocation domains, reductions included.
  std::vector<std::optional<bool>> flags;
  const auto& all = tv->domain()->maybeAllocation();
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i]->isReduction()) {
      flags.push_back(contiguity[i]);
    }
  }
  // A dimension is contiguous with the next non-broadcast one inside it.
  const auto place =
      static_cast<size_t>(std::ranges::find(allocation, logical[position]) - allocation.begin());
  NVF_INTERNAL_CHECK(place < allocation.size(), "no allocation of ", logical[position]->toString());
  Val* result = nullptr;
  if (flags[place].value_or(false)) {
    result = fusion->one();
    for (size_t i = place + 1; i < allocation.size(); ++i) {
      if (!allocation[i]->isBroadcast()) {
        const auto inner =
            static_cast<size_t>(std::ranges::find(logical, allocation[i]) - logical.begin());
        result = scalar::mul(stride(tv, inner), allocation[i]->extent());
        break;
      }
    }
  } else {
    result = fusion->create<Val>(DataType::Index);
    kernel_->parameters.push_back(
        {kir::Parameter::Kind::Stride, tv, static_cast<int64_t>(position), result});
  }
  strides_[tv][position] = result;
  return result;
}

bool StrideTable::isExact(const Split* split) const {
  const Expr* before = beforeMerges(split->in())->definition();
  const auto* merge = before == nullptr ? nullptr : before->as<Merge>();
  return (merge != nullptr && undoes(split, merge)) ||
         scalar::isDivisible(split->in()->extent(), split->factor()) ||
         std::ranges::any_of(kernel_->divisible,
                             [&](const Fusion::Divisibility& known) {
                               return scalar::same(known.extent, split->in()->extent()) &&
                                      split->factor()->isConstInt(known.factor);
                             }) ||
         std::ranges::any_of(exact_, [&](const Split* known) {
           return scalar::same(known->in()->extent(), split->in()->extent()) &&
                  scalar::same(known->factor(), split->factor());
         });
}

DomainIndices::DomainIndices(const TensorView* tv, const std::vector<Val*>& loopIndices)
    : fusion_(tv->fusion()) {
  for (size_t k = 0; k < tv->loop().size(); ++k) {
    known_[tv->loop()[k]] = loopIndices[k];
  }
  for (Expr* transform : transformsBetween(tv->maybeRoot(), tv->loop())) {
    for (Val* in : transform->inputs()) {
      uses_[in] = transform;
    }
  }
  // Logical domains need not lie on the way to a loop (size-1 dimensions of a reshape).
  for (Expr* transform : transformsBetween(tv->maybeRoot(), tv->logical())) {
    for (Val* in : transform->inputs()) {
      uses_.try_emplace(in, transform);
    }
  }
}

Expr* DomainIndices::use(const IterDomain* id) const {
  const auto found = uses_.find(id);
  return found == uses_.end() ? nullptr : found->second;
}

const IterDomain* DomainIndices::partOfMerged(const IterDomain* id) const {
  return dividedAgain(id, [this](const IterDomain* next) { return use(next); });
}

std::vector<const IterDomain*> DomainIndices::unknownTowardsLoops(const IterDomain* id) const {
  std::vector<const IterDomain*> unknown;
  const auto need = [&](const IterDomain* next) {
    if (!known_.contains(next)) {
      unknown.push_back(next);
    }
  };
  if (const IterDomain* part = partOfMerged(id); part != id) {
    need(part);
    return unknown;
  }
  const Expr* transform = use(id);
  if (transform == nullptr) {
    return unknown;
  }
  if (const auto* split = transform->as<Split>()) {
    need(split->outer());
    need(split->inner());
  } else if (const auto* merge = transform->as<Merge>()) {
    need(merge->out());
  } else if (const auto* resize = transform->as<Resize>()) {
    if (!resize->out()->isBroadcast()) {
      need(resize->out());
    }
  } else if (const auto* swizzle = transform->as<Swizzle>()) {
    if (id != swizzle->inX()) {
      need(swizzle->outY());
    }
    need(swizzle->outX());
  } else if (const auto* align = transform->as<Align>()) {
    if (id != align->inRow()) {
      need(align->outX());
    }
    need(align->outRow());
  }
  return unknown;
}

Val* DomainIndices::operator()(const IterDomain* id) {
  // From the loops on; the transforms may be many.
  std::vector<const IterDomain*> stack{id};
  while (!stack.empty()) {
    const IterDomain* next = stack.back();
    const std::vector<const IterDomain*> unknown =
        known_.contains(next) ? std::vector<const IterDomain*>{} : unknownTowardsLoops(next);
    if (unknown.empty()) {
      compute(next);
      stack.pop_back();
    } else {
      stack.insert(stack.end(), unknown.begin(), unknown.end());
    }
  }
  return known_.at(id);
}

DomainIndices::Divided DomainIndices::divided(const IterDomain* id, Val* divisor) const {
  Val* index = known_.at(id);
  const Expr* transform = use(id);
  const auto* split = transform == nullptr ? nullptr : transform->as<Split>();
  if (split != nullptr && divisor->isConstInt() && split->inner()->extent()->isConstInt() &&
      known_.contains(split->outer()) && known_.contains(split->inner())) {
    const int64_t whole = divisor->constInt();
    const int64_t part = split->inner()->extent()->constInt();
    if (part > 1 && whole % part == 0) {
      const Divided outer = divided(split->outer(), scalar::constant(fusion_, whole / part));
      return {outer.quotient, scalar::add(scalar::mul(outer.remainder, split->inner()->extent()),
                                          known_.at(split->inner()))};
    }
    if (whole > 1 && part % whole == 0) {
      const Divided inner = divided(split->inner(), divisor);
      Val* outer = scalar::mul(known_.at(split->outer()), scalar::constant(fusion_, part / whole));
      return {scalar::add(outer, inner.quotient), inner.remainder};
    }
  }
  return {scalar::div(index, divisor), scalar::mod(index, divisor)};
}

void DomainIndices::compute(const IterDomain* id) {
  if (known_.contains(id)) {
    return;
  }
  const auto indexOf = [&](const IterDomain* next) { return known_.at(next); };
  Val* index = fusion_->zero();
  if (const IterDomain* part = partOfMerged(id); part != id) {
    index = indexOf(part);
  } else if (Expr* transform = use(id)) {
    switch (transform->kind()) {
      case ExprKind::Split: {
        auto* split = transform->as<Split>();
        index = scalar::add(scalar::mul(indexOf(split->outer()), split->inner()->extent()),
                            indexOf(split->inner()));
        break;
      }
      case ExprKind::Merge: {
        auto* merge = transform->as<Merge>();
        const Divided parts = divided(merge->out(), merge->inner()->extent());
        index = id == merge->outer() ? parts.quotient : parts.remainder;
        break;
      }
      case ExprKind::Resize: {
        auto* resize = transform->as<Resize>();
        index = scalar::sub(element(resize->out()), resize->left());
        break;
      }
      case ExprKind::BroadcastTo:
        break;
      case ExprKind::Swizzle: {
        auto* swizzle = transform->as<Swizzle>();
        Val* x = indexOf(swizzle->outX());
        index = id == swizzle->inX() ? x : scalar::bitwiseXor(x, indexOf(swizzle->outY()));
        break;
      }
      case ExprKind::Align: {
        auto* align = transform->as<Align>();
        Val* row = indexOf(align->outRow());
        if (id == align->inRow()) {
          index = row;
        } else {
          // The one element of a broadcast domain is that of every place.
          Val* x = indexOf(align->outX());
          index = align->inX()->isBroadcast() ? x : scalar::sub(x, shiftOf(align, row));
        }
        break;
      }
      default:
        fail("Not a transform of domains: ", transform->toString());
    }
  }
  known_[id] = index;
}

const Align* alignOf(const TensorView* tv) {
  const std::vector<Expr*> transforms = transformsBetween(tv->maybeRoot(), tv->loop());
  const auto found = std::ranges::find_if(transforms, &Expr::is<Align>);
  return found == transforms.end() ? nullptr : (*found)->as<Align>();
}

namespace {

// Whether an index of the loop is the same for all that have the buffer in common.
bool isOutsideBuffer(const TensorView* tv, int64_t position) {
  const IterDomain* id = tv->axis(position);
  if (id->isReduction() || id->isBroadcast() || isGridType(id->parallelType())) {
    return true;
  }
  // The threads of a block share its memory.
  return isBlockType(id->parallelType()) ? tv->memoryType() != MemoryType::Shared
                                         : position < tv->computeAt();
}

// One behind the other; `padding` are the elements that are left out behind each row.
BufferDomains denseDomains(Fusion* fusion, const std::vector<IterDomain*>& stored,
                           int64_t padding) {
  BufferDomains result;
  Val* stride = fusion->one();
  for (size_t i = stored.size(); i-- > 0;) {
    result.domains.insert(result.domains.begin(), {stored[i], stride});
    stride = scalar::mul(stride, stored[i]->extent());
    if (i + 1 == stored.size() && stored.size() > 1) {
      stride = scalar::add(stride, scalar::constant(fusion, padding));
    }
  }
  result.size = stride;
  return result;
}

}  // namespace

BufferDomains bufferDomains(const TensorView* tv) {
  std::vector<IterDomain*> stored;
  if (tv->memoryType() == MemoryType::Shared && tv->domain()->hasAllocation()) {
    for (IterDomain* id : tv->domain()->allocation()) {
      bool isInside = false;
      for (int64_t k = 0; k < tv->nLoops(); ++k) {
        isInside = isInside || (comesFrom(tv->axis(k), id) && !isOutsideBuffer(tv, k));
      }
      if (isInside && !id->isReduction() && !id->isBroadcast()) {
        stored.push_back(id);
      }
    }
  } else {
    const ScatterOp* scatter = scatterOf(tv);
    for (int64_t k = 0; k < tv->nLoops(); ++k) {
      if (scatter != nullptr && comesFrom(tv->axis(k), scatter->indexed())) {
        // What is written lies in place of what the loop runs over.
        IterDomain* written = scatter->written();
        if (!written->isBroadcast() && std::ranges::find(stored, written) == stored.end()) {
          stored.push_back(written);
        }
      } else if (!isOutsideBuffer(tv, k)) {
        stored.push_back(tv->axis(k));
      }
    }
  }
  return denseDomains(tv->fusion(), stored,
                      tv->memoryType() == MemoryType::Shared ? tv->rowPadding() : 0);
}

BufferDomains threadDomains(const TensorView* tv, int64_t depth) {
  std::vector<IterDomain*> stored;
  for (int64_t k = depth; k < tv->nLoops(); ++k) {
    IterDomain* id = tv->axis(k);
    if (!id->isReduction() && !id->isBroadcast() && !isThreadType(id->parallelType())) {
      stored.push_back(id);
    }
  }
  return denseDomains(tv->fusion(), stored, 0);
}

Val* elementOf(const BufferDomains& memory, DomainIndices& indices) {
  Val* offset = memory.size->fusion()->zero();
  for (const AllocatedDomain& domain : memory.domains) {
    offset = scalar::add(offset, scalar::mul(indices(domain.id), domain.stride));
  }
  return offset;
}

namespace {

// One dimension of a global tensor: the index of domain `id` times `stride`.
struct Dimension {
  const IterDomain* id;
  Val* stride;
  // Whether stride == stride of the next dimension * its extent.
  bool contiguousWithNext;
  // Where it is in the visible logical domain.
  size_t position = 0;
};

// The offset of an element in a global tensor. Dimensions that are adjacent in memory and that the
// loops merge are indexed by the merged loop as a whole, which saves the division and remainder;
// also where that is the outer part of one of them only, whose inner part is a dimension then.
Val* globalOffset(Fusion* fusion, std::vector<Dimension> dimensions, DomainIndices& indices,
                  const StrideTable& strides) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t i = 0; i + 1 < dimensions.size(); ++i) {
      Expr* outerUse = indices.use(dimensions[i].id);
      Expr* innerUse = indices.use(dimensions[i + 1].id);
      const auto* merge = outerUse == nullptr ? nullptr : outerUse->as<Merge>();
      if (!dimensions[i].contiguousWithNext || merge == nullptr ||
          merge->outer() != dimensions[i].id) {
        continue;
      }
      if (merge->inner() == dimensions[i + 1].id) {
        dimensions[i + 1].id = merge->out();
        dimensions.erase(dimensions.begin() + static_cast<std::ptrdiff_t>(i));
        changed = true;
        break;
      }
      const auto* split = innerUse == nullptr ? nullptr : innerUse->as<Split>();
      if (split != nullptr && merge->inner() == split->outer() && strides.isExact(split)) {
        dimensions[i].id = merge->out();
        dimensions[i].stride = scalar::mul(split->inner()->extent(), dimensions[i + 1].stride);
        dimensions[i + 1].id = split->inner();
        changed = true;
        break;
      }
    }
  }
  Val* offset = fusion->zero();
  for (const Dimension& dimension : dimensions) {
    offset = scalar::add(offset, scalar::mul(indices.element(dimension.id), dimension.stride));
  }
  return offset;
}

// The non-broadcast dimensions of `tv` in memory order; `idOf` gives the domain that indexes one.
std::vector<Dimension> memoryDimensions(TensorView* tv, StrideTable& strides,
                                        const std::function<const IterDomain*(IterDomain*)>& idOf) {
  std::vector<Dimension> dimensions;
  const std::vector<IterDomain*> logical = tv->visible();
  const auto& allocation = tv->domain()->maybeAllocation();
  for (size_t i = 0; i < allocation.size(); ++i) {
    IterDomain* id = allocation[i];
    if (id->isReduction() || id->isBroadcast()) {
      continue;
    }
    const IterDomain* indexed = idOf(id);
    if (indexed == nullptr) {
      // What lies further outside is not adjacent to what lies further inside.
      if (!dimensions.empty()) {
        dimensions.back().contiguousWithNext = false;
      }
      continue;
    }
    const auto position = static_cast<size_t>(std::ranges::find(logical, id) - logical.begin());
    dimensions.push_back({indexed, strides.stride(tv, position),
                          tv->domain()->contiguity()[i].value_or(false), position});
  }
  return dimensions;
}

Val* localOffset(const TensorView* tv, const std::function<Val*(IterDomain*)>& indexOf) {
  Fusion* fusion = tv->fusion();
  Val* offset = fusion->zero();
  for (const AllocatedDomain& domain : bufferDomains(tv).domains) {
    offset = scalar::add(offset, scalar::mul(indexOf(domain.id), domain.stride));
  }
  return offset;
}

// The consumer's loop that is the producer's loop `id` as well; -1 if there is none.
int64_t correspondingLoop(const Expr* expr, const TensorView* producer, const IterDomain* id,
                          const TensorView* consumer) {
  const auto place = std::ranges::find(producer->loop(), id) - producer->loop().begin();
  if (place == producer->nLoops()) {
    return -1;
  }
  // Usually it is the one at the same place.
  for (int64_t offset = 0; offset < consumer->nLoops(); ++offset) {
    const int64_t k = (place + offset) % consumer->nLoops();
    if (loopsCorrespond(expr, producer, id, consumer, consumer->axis(k))) {
      return k;
    }
  }
  return -1;
}

}  // namespace

Val* elementWritten(TensorView* tv, DomainIndices& indices, StrideTable& strides) {
  if (tv->memoryType() == MemoryType::Global) {
    return globalOffset(tv->fusion(),
                        memoryDimensions(tv, strides, [](IterDomain* id) { return id; }), indices,
                        strides);
  }
  return elementOf(bufferDomains(tv), indices);
}

Val* elementRead(const Expr* expr, TensorView* producer, const TensorView* consumer,
                 const std::vector<Val*>& loopIndices, DomainIndices& indices,
                 StrideTable& strides) {
  DomainMap map = producerToConsumer(expr, producer, consumer);
  if (producer->memoryType() == MemoryType::Global) {
    const auto idOf = [&](IterDomain* id) -> const IterDomain* {
      const auto found = map.find(id);
      return found == map.end() ? nullptr : found->second;
    };
    const DomainPairs partial = partialMap(expr, producer, consumer);
    map.insert(partial.begin(), partial.end());
    std::vector<Dimension> dimensions = memoryDimensions(producer, strides, idOf);
    for (Dimension& dimension : dimensions) {
      // The loops run over a part of it.
      dimension.contiguousWithNext = dimension.contiguousWithNext && partial.empty();
    }
    return globalOffset(producer->fusion(), std::move(dimensions), indices, strides);
  }
  // From the producer's logical domains towards its loops.
  Fusion* fusion = producer->fusion();
  const auto isStart = [&](const Val* val) {
    return map.contains(static_cast<const IterDomain*>(val)) || val->definition() == nullptr ||
           std::ranges::find(producer->logical(), val) != producer->logical().end();
  };
  std::unordered_map<const Val*, Val*> known;
  const auto indexOf = [&](const IterDomain* id) -> Val* {
    if (!isStart(id)) {
      return known.at(id);
    }
    const auto found = map.find(id);
    return found == map.end() || id->isBroadcast() ? fusion->zero() : indices(found->second);
  };
  const auto compute = [&](const IterDomain* id) -> Val* {
    const Expr* definition = id->definition();
    switch (definition->kind()) {
      case ExprKind::Split: {
        auto* split = definition->as<Split>();
        Val* in = indexOf(split->in());
        return id == split->outer() ? scalar::div(in, split->inner()->extent())
                                    : scalar::mod(in, split->inner()->extent());
      }
      case ExprKind::Merge: {
        auto* merge = definition->as<Merge>();
        return scalar::add(scalar::mul(indexOf(merge->outer()), merge->inner()->extent()),
                           indexOf(merge->inner()));
      }
      case ExprKind::Resize: {
        auto* resize = definition->as<Resize>();
        return scalar::add(indexOf(resize->in()), resize->left());
      }
      case ExprKind::Swizzle: {
        auto* swizzle = definition->as<Swizzle>();
        Val* x = indexOf(swizzle->inX());
        return id == swizzle->outX() ? x : scalar::bitwiseXor(x, indexOf(swizzle->inY()));
      }
      case ExprKind::Align: {
        auto* align = definition->as<Align>();
        Val* row = indexOf(align->inRow());
        return id == align->outRow() ? row
                                     : scalar::add(indexOf(align->inX()), shiftOf(align, row));
      }
      default:
        return fusion->zero();
    }
  };
  const auto forward = [&](const IterDomain* id) {
    visitOperandsFirst(
        static_cast<const Val*>(id),
        [&](const Val* val) { return isStart(val) || known.contains(val); },
        [&](const Val* val) { known[val] = compute(static_cast<const IterDomain*>(val)); });
    return indexOf(id);
  };
  return localOffset(producer, [&](IterDomain* id) -> Val* {
    const int64_t k = correspondingLoop(expr, producer, id, consumer);
    return k < 0 ? forward(id) : loopIndices[k];
  });
}

bool isReadInPlace(const Expr* expr, const TensorView* producer, const TensorView* consumer) {
  return std::ranges::all_of(bufferDomains(producer).domains, [&](const AllocatedDomain& domain) {
    return correspondingLoop(expr, producer, domain.id, consumer) >= 0;
  });
}

Val* elementNumber(TensorView* tv, DomainIndices& indices, const StrideTable& strides) {
  std::vector<Dimension> dimensions;
  Val* stride = tv->fusion()->one();
  const std::vector<IterDomain*>& logical = tv->logical();
  for (size_t i = logical.size(); i-- > 0;) {
    if (!logical[i]->isBroadcast()) {
      dimensions.insert(dimensions.begin(), {logical[i], stride, true});
      stride = scalar::mul(logical[i]->extent(), stride);
    }
  }
  return globalOffset(tv->fusion(), std::move(dimensions), indices, strides);
}

Val* elementLookedUp(const LookupOp* lookup, Val* position, const std::vector<Val*>& loopIndices,
                     DomainIndices& indices, StrideTable& strides) {
  TensorView* in = lookup->in();
  NVF_SCHEDULE_CHECK(in->memoryType() == MemoryType::Global, "Expected ", in->toString(),
                     " to be complete before it is read at the indices of ",
                     lookup->index()->toString(), ": give it a loop nest of its own");
  Val* around = elementRead(lookup, in, lookup->out(), loopIndices, indices, strides);
  const auto dim = static_cast<size_t>(lookup->dim());
  if (in->visible()[dim]->isBroadcast()) {
    return around;
  }
  return scalar::add(around, scalar::mul(position, strides.stride(in, dim)));
}

namespace {

// What is met between a dimension and a loop that is its innermost part.
struct InnermostWay {
  std::vector<const Merge*> merges;
  std::vector<const Split*> splits;
  std::vector<const Resize*> resizes;
  const Align* align = nullptr;
};

// Follows `id` towards the loops as their innermost part. Returns whether it ends in `vector`; no
// vector crosses from one part of a split into the next.
bool endsInnermost(const IterDomain* id, const IterDomain* vector, const DomainIndices& indices,
                   InnermostWay& way) {
  while (id != vector) {
    Expr* use = indices.use(id);
    if (use == nullptr) {
      return false;
    }
    if (auto* split = use->as<Split>()) {
      // What one reshape divides and another one joins is as it was.
      const auto useOf = [&](const IterDomain* part) { return indices.use(part); };
      if (const IterDomain* whole = rejoined(id, useOf); whole != id) {
        id = whole;
        continue;
      }
      if (split->inner()->extent()->isConstInt() &&
          split->inner()->extent()->constInt() % vector->extent()->constInt() != 0) {
        return false;
      }
      if (way.align == nullptr) {
        way.splits.push_back(split);
      }
      id = split->inner();
    } else if (auto* merge = use->as<Merge>();
               merge != nullptr && merge->inner() == id && way.align == nullptr) {
      way.merges.push_back(merge);
      id = merge->out();
    } else if (auto* resize = use->as<Resize>()) {
      way.resizes.push_back(resize);
      id = resize->out();
    } else if (auto* align = use->as<Align>();
               align != nullptr && align->inX() == id && way.splits.empty() &&
               way.resizes.empty() && align->width()->isConstInt(vector->extent()->constInt())) {
      way.align = align;
      id = align->outX();
    } else {
      return false;
    }
  }
  return true;
}

// Whether `vector` is the innermost part of what corresponds to a loop of `producer`.
bool endsInnermostOf(const IterDomain* loop, const Expr* expr, const TensorView* producer,
                     const TensorView* consumer, const IterDomain* vector) {
  const int64_t width = vector->extent()->constInt();
  const IterDomain* id = vector;
  while (!loopsCorrespond(expr, producer, loop, consumer, id)) {
    const Expr* definition = id->definition();
    const auto* split = definition == nullptr ? nullptr : definition->as<Split>();
    if (split == nullptr || split->inner() != id || !id->extent()->isConstInt() ||
        id->extent()->constInt() % width != 0) {
      return false;
    }
    id = split->in();
  }
  return true;
}

std::vector<MemoryDimension> memoryOf(const std::vector<Dimension>& dimensions) {
  std::vector<MemoryDimension> inMemory;
  for (const Dimension& dimension : dimensions) {
    inMemory.push_back({dimension.id, dimension.contiguousWithNext});
  }
  return inMemory;
}

// The first of the innermost dimensions that the loops merge without a gap between them in memory.
// The merges that do so are removed from `way`.
size_t runOf(const std::vector<Dimension>& dimensions, const DomainIndices& indices,
             InnermostWay& way) {
  const std::vector<MemoryDimension> inMemory = memoryOf(dimensions);
  size_t first = dimensions.size() - 1;
  const IterDomain* whole = dimensions.back().id;
  for (bool isWhole = true; isWhole;) {
    Expr* use = indices.use(whole);
    const auto* merge = use == nullptr ? nullptr : use->as<Merge>();
    if (merge == nullptr || merge->inner() != whole) {
      break;
    }
    const size_t before = first;
    isWhole = prolongRun(merge->outer(), inMemory, first);
    if (isWhole || first < before) {
      std::erase(way.merges, merge);
    }
    whole = merge->out();
  }
  return first;
}

}  // namespace

bool isContiguousAlong(TensorView* tv, const IterDomain* vector, TensorView* accessed,
                       DomainIndices& indices, StrideTable& strides, kir::Kernel* kernel) {
  const int64_t width = vector->extent()->constInt();
  InnermostWay way;
  if (accessed->memoryType() != MemoryType::Global) {
    const std::vector<AllocatedDomain> domains = bufferDomains(accessed).domains;
    if (domains.empty()) {
      return false;
    }
    const IterDomain* last = domains.back().id;
    const bool isAligned = domains.size() == 1 || accessed->rowPadding() % width == 0;
    const IterDomain* indexed = last;
    if (accessed != tv) {
      // A whole dimension is what the vector may be a part of.
      const DomainMap map = producerToConsumer(tv->definition(), accessed, tv);
      const auto known = map.find(last);
      if (known == map.end()) {
        return isAligned && endsInnermostOf(last, tv->definition(), accessed, tv, vector);
      }
      indexed = known->second;
    }
    return isAligned && endsInnermost(indexed, vector, indices, way) && way.merges.empty() &&
           way.resizes.empty() && way.align == nullptr;
  }
  // In global memory: the last concrete dimension, of stride 1.
  const std::vector<IterDomain*> visible = accessed->visible();
  DomainMap map;
  if (accessed != tv) {
    map = producerToConsumer(tv->definition(), accessed, tv);
  }
  const auto indexed = [&](IterDomain* id) -> const IterDomain* {
    if (accessed == tv) {
      return id;
    }
    const auto known = map.find(id);
    return known == map.end() ? nullptr : known->second;
  };
  // Of concrete dimensions, outermost first.
  std::vector<size_t> positions;
  for (const IterDomain* id : accessed->domain()->maybeAllocation()) {
    if (!id->isReduction() && !id->isBroadcast()) {
      positions.push_back(static_cast<size_t>(std::ranges::find(visible, id) - visible.begin()));
    }
  }
  const std::vector<Dimension> dimensions = memoryDimensions(accessed, strides, indexed);
  if (dimensions.empty() || dimensions.back().position != positions.back() ||
      !dimensions.back().stride->isConstInt(1) ||
      !endsInnermost(dimensions.back().id, vector, indices, way)) {
    return false;
  }
  const size_t run = runOf(dimensions, indices, way);
  if (way.align != nullptr) {
    // All rows follow each other in memory.
    const std::vector<MemoryDimension> inMemory = memoryOf(dimensions);
    size_t first = inMemory.size();
    if (dimensions.size() != positions.size() || !prolongRun(way.align->inX(), inMemory, first) ||
        !prolongRun(way.align->inRow(), inMemory, first) || first != 0) {
      return false;
    }
    kernel->vectors.push_back({accessed, width, {}});
    return true;
  }
  const bool isAligned = accessed == tv || !readsUnaligned(tv->definition());
  kir::VectorCondition condition{accessed, width, {}};
  for (const size_t position : positions) {
    const bool isInRun =
        std::any_of(dimensions.begin() + static_cast<std::ptrdiff_t>(run), dimensions.end(),
                    [&](const Dimension& dimension) { return dimension.position == position; });
    if (!isInRun) {
      condition.dimensions.push_back(position);
    }
  }
  for (const Split* split : way.splits) {
    for (Val* extent : {split->in()->extent(), split->inner()->extent()}) {
      if (!extent->isConstInt()) {
        kernel->divisible.push_back({extent, width});
      }
    }
  }
  // A vector is inside of what is cut off or added, or outside; what is left of that ends with one.
  for (const Resize* resize : way.resizes) {
    if (!isAligned) {
      break;
    }
    for (Val* size : {resize->left(), resize->right(), resize->in()->visibleExtent(),
                      resize->out()->visibleExtent()}) {
      if (!size->isConstInt()) {
        kernel->divisible.push_back({size, width});
      } else if (size->constInt() % width != 0) {
        return false;
      }
    }
  }
  // Where rows do not follow each other in memory no vector may cross from one to the next.
  for (const Merge* merge : way.merges) {
    kernel->divisible.push_back({merge->inner()->extent(), width});
  }
  if (isAligned) {
    kernel->vectors.push_back(std::move(condition));
  }
  return true;
}

}  // namespace nvfuser
