#include "lower/index.h"

#include <algorithm>
#include <functional>

#include "core/error.h"
#include "ir/logical_map.h"
#include "ir/scalar.h"
#include "schedule/propagate.h"

namespace nvfuser {

Val* StrideTable::stride(TensorView* tv, size_t position) {
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

Val* DomainIndices::operator()(const IterDomain* id) {
  if (const auto found = known_.find(id); found != known_.end()) {
    return found->second;
  }
  Val* index = fusion_->zero();
  if (Expr* transform = use(id)) {
    switch (transform->kind()) {
      case ExprKind::Split: {
        auto* split = transform->as<Split>();
        index = scalar::add(scalar::mul((*this)(split->outer()), split->inner()->extent()),
                            (*this)(split->inner()));
        break;
      }
      case ExprKind::Merge: {
        auto* merge = transform->as<Merge>();
        Val* merged = (*this)(merge->out());
        index = id == merge->outer() ? scalar::div(merged, merge->inner()->extent())
                                     : scalar::mod(merged, merge->inner()->extent());
        break;
      }
      case ExprKind::Resize: {
        auto* resize = transform->as<Resize>();
        index = scalar::sub((*this)(resize->out()), resize->left());
        break;
      }
      case ExprKind::BroadcastTo:
        break;
      case ExprKind::Swizzle: {
        auto* swizzle = transform->as<Swizzle>();
        Val* x = (*this)(swizzle->outX());
        index = id == swizzle->inX() ? x : scalar::bitwiseXor(x, (*this)(swizzle->outY()));
        break;
      }
      default:
        fail("Not a transform of domains: ", transform->toString());
    }
  }
  known_[id] = index;
  return index;
}

std::vector<IterDomain*> allocatedLoops(const TensorView* tv) {
  std::vector<IterDomain*> loops;
  for (int64_t k = tv->computeAt(); k < tv->nLoops(); ++k) {
    IterDomain* id = tv->axis(k);
    if (!id->isReduction() && !id->isBroadcast()) {
      loops.push_back(id);
    }
  }
  return loops;
}

namespace {

// One dimension of a global tensor: the index of domain `id` times `stride`.
struct Dimension {
  const IterDomain* id;
  Val* stride;
  // Whether stride == stride of the next dimension * its extent.
  bool contiguousWithNext;
};

// The offset of an element in a global tensor. Dimensions that are adjacent in memory and that the
// loops merge are indexed by the merged loop as a whole, which saves the division and remainder.
Val* globalOffset(Fusion* fusion, std::vector<Dimension> dimensions, DomainIndices& indices) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t i = 0; i + 1 < dimensions.size(); ++i) {
      Expr* outerUse = indices.use(dimensions[i].id);
      Expr* innerUse = indices.use(dimensions[i + 1].id);
      if (!dimensions[i].contiguousWithNext || outerUse == nullptr || outerUse != innerUse) {
        continue;
      }
      if (auto* merge = outerUse->as<Merge>(); merge != nullptr &&
                                               merge->outer() == dimensions[i].id &&
                                               merge->inner() == dimensions[i + 1].id) {
        dimensions[i + 1].id = merge->out();
        dimensions.erase(dimensions.begin() + static_cast<std::ptrdiff_t>(i));
        changed = true;
        break;
      }
    }
  }
  Val* offset = fusion->zero();
  for (const Dimension& dimension : dimensions) {
    offset = scalar::add(offset, scalar::mul(indices(dimension.id), dimension.stride));
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
      continue;
    }
    const auto position = static_cast<size_t>(std::ranges::find(logical, id) - logical.begin());
    dimensions.push_back(
        {indexed, strides.stride(tv, position), tv->domain()->contiguity()[i].value_or(false)});
  }
  return dimensions;
}

Val* localOffset(const TensorView* tv, const std::function<Val*(IterDomain*)>& indexOf) {
  Fusion* fusion = tv->fusion();
  Val* offset = fusion->zero();
  for (IterDomain* id : allocatedLoops(tv)) {
    offset = scalar::add(scalar::mul(offset, id->extent()), indexOf(id));
  }
  return offset;
}

}  // namespace

Val* elementWritten(TensorView* tv, DomainIndices& indices, StrideTable& strides) {
  if (tv->memoryType() == MemoryType::Global) {
    return globalOffset(tv->fusion(),
                        memoryDimensions(tv, strides, [](IterDomain* id) { return id; }), indices);
  }
  return localOffset(tv, [&](IterDomain* id) { return indices(id); });
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
    return globalOffset(producer->fusion(), memoryDimensions(producer, strides, idOf), indices);
  }
  // From the producer's logical domains towards its loops.
  Fusion* fusion = producer->fusion();
  const std::function<Val*(IterDomain*)> forward = [&](IterDomain* id) -> Val* {
    if (const auto found = map.find(id); found != map.end()) {
      return id->isBroadcast() ? fusion->zero() : indices(found->second);
    }
    Expr* definition = id->definition();
    const bool isLogical = std::ranges::find(producer->logical(), id) != producer->logical().end();
    if (definition == nullptr || isLogical) {
      return fusion->zero();
    }
    switch (definition->kind()) {
      case ExprKind::Split: {
        auto* split = definition->as<Split>();
        Val* in = forward(split->in());
        return id == split->outer() ? scalar::div(in, split->inner()->extent())
                                    : scalar::mod(in, split->inner()->extent());
      }
      case ExprKind::Merge: {
        auto* merge = definition->as<Merge>();
        return scalar::add(scalar::mul(forward(merge->outer()), merge->inner()->extent()),
                           forward(merge->inner()));
      }
      case ExprKind::Resize: {
        auto* resize = definition->as<Resize>();
        return scalar::add(forward(resize->in()), resize->left());
      }
      case ExprKind::Swizzle: {
        auto* swizzle = definition->as<Swizzle>();
        Val* x = forward(swizzle->inX());
        return id == swizzle->outX() ? x : scalar::bitwiseXor(x, forward(swizzle->inY()));
      }
      default:
        return fusion->zero();
    }
  };
  return localOffset(producer, [&](IterDomain* id) -> Val* {
    const auto place = std::ranges::find(producer->loop(), id) - producer->loop().begin();
    // Usually the consumer's loop at the same place is the same loop.
    for (int64_t offset = 0; offset < consumer->nLoops(); ++offset) {
      const int64_t k = (place + offset) % consumer->nLoops();
      if (loopsCorrespond(expr, producer, id, consumer, consumer->axis(k))) {
        return loopIndices[k];
      }
    }
    return forward(id);
  });
}

}  // namespace nvfuser
