#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/logical_map.h"
#include "ir/scalar.h"
#include "lower/lowering/lowering.h"

namespace nvfuser {

namespace {

// The pad that a tensor is computed for, element by element, and for nothing else; null if there is
// none.
const PadOp* padBehind(const TensorView* tv) {
  while (tv->uses().size() == 1 && !tv->isFusionOutput()) {
    const Expr* use = tv->uses().front();
    const bool isElementwise =
        use->is<UnaryOp>() || use->is<BinaryOp>() || use->is<TernaryOp>() || use->is<BroadcastOp>();
    tv = use->output(0)->asTensor();
    if (tv->memoryType() != MemoryType::Local) {
      return nullptr;
    }
    if (const auto* pad = use->as<PadOp>()) {
      return pad;
    }
    if (!isElementwise) {
      return nullptr;
    }
  }
  return nullptr;
}

// Domains of one tensor with those of another one that have the same loops.
using Counterparts = std::unordered_map<const IterDomain*, const IterDomain*>;

// From two loops up to what is not made by a transform, of `own`; false where they are made in
// different ways.
bool findCounterparts(const IterDomain* own, const IterDomain* other, Counterparts& found) {
  if (const auto [known, isNew] = found.try_emplace(own, other); !isNew) {
    return known->second == other;
  }
  const Expr* transform = own->definition();
  if (transform == nullptr || transform->is<BroadcastTo>()) {
    return true;
  }
  const Expr* like = other->definition();
  if (like == nullptr || like->kind() != transform->kind()) {
    return false;
  }
  if (const auto* merge = transform->as<Merge>()) {
    return findCounterparts(merge->outer(), like->as<Merge>()->outer(), found) &&
           findCounterparts(merge->inner(), like->as<Merge>()->inner(), found);
  }
  const auto* split = transform->as<Split>();
  return split != nullptr && scalar::same(split->factor(), like->as<Split>()->factor()) &&
         (own == split->outer()) == (other == like->as<Split>()->outer()) &&
         findCounterparts(split->in(), like->as<Split>()->in(), found);
}

// The domains of `tv` with those of `other`, which has the same loops over the same dimensions;
// nothing if it has not.
Counterparts counterpartsOf(const TensorView* tv, const TensorView* other) {
  Counterparts found;
  if (tv->nLoops() != other->nLoops()) {
    return {};
  }
  for (int64_t k = 0; k < tv->nLoops(); ++k) {
    if (!findCounterparts(tv->axis(k), other->axis(k), found)) {
      return {};
    }
  }
  auto last = other->logical().begin();
  for (const IterDomain* id : tv->logical()) {
    if (!id->isBroadcast()) {
      const auto known = found.find(id);
      last = known == found.end() ? other->logical().end()
                                  : std::find(last, other->logical().end(), known->second);
      if (last == other->logical().end()) {
        return {};
      }
      ++last;
    }
  }
  return found;
}

}  // namespace

void Lowering::requireForPad(const TensorView* tv, DomainIndices& indices, const Require& require) {
  const auto* load = tv->definition() == nullptr ? nullptr : tv->definition()->as<LoadStoreOp>();
  const PadOp* pad =
      load == nullptr || load->in()->memoryType() != MemoryType::Global ? nullptr : padBehind(tv);
  if (pad == nullptr) {
    return;
  }
  const Counterparts counterparts = counterpartsOf(tv, pad->out());
  for (const IterDomain* padded : pad->out()->logical()) {
    const auto* resize =
        padded->definition() == nullptr ? nullptr : padded->definition()->as<Resize>();
    const auto known = std::ranges::find(counterparts, padded, &Counterparts::value_type::second);
    if (resize == nullptr || !resize->in()->isBroadcast() || known == counterparts.end()) {
      continue;
    }
    const IterDomain* own = known->first;
    if (own->isBroadcast() && !comesFrom(tv->loop().back(), own)) {
      requireInside(resize, scalar::sub(indices(own), resize->left()), require);
    }
  }
}

Val* Lowering::predicate(TensorView* tv, DomainIndices& indices, bool ofResult, bool ofVector) {
  Val* condition = nullptr;
  const auto require = [&](Val* c) { condition = scalar::logicalAnd(condition, c); };
  // What a reduction that was divided by rfactor reads lies behind its own transforms.
  const bool isReduction = tv->definition() != nullptr && tv->definition()->is<ReductionOp>();
  const auto& domains = isReduction && !ofResult ? tv->maybeRoot() : tv->logical();
  // Domains whose index is known to be inside.
  std::unordered_set<const IterDomain*> inside;
  // The outer index of a split is inside where that of the whole is.
  const auto isImplied = [&](const Split* split) {
    const auto* above =
        split->in()->definition() == nullptr ? nullptr : split->in()->definition()->as<Split>();
    return above != nullptr && above->outer() == split->in() && inside.contains(above->in());
  };
  // A thread or block beyond a broadcast dimension has its own copy of the one value: others read
  // it there, see obstacle() in threads.cpp.
  const bool isCopied = can_.hasThreads && tv->memoryType() != MemoryType::Global;
  for (Expr* transform : transformsBetween(domains, tv->loop())) {
    if (auto* split = transform->as<Split>()) {
      if (isImplied(split) || inside.contains(split->in())) {
        inside.insert(split->in());
      } else if (!strides_.isExact(split) && !clipped_.contains(split) &&
                 !(isCopied && split->in()->isBroadcast())) {
        require(scalar::lt(indices(split->in()), split->in()->extent()));
        inside.insert(split->in());
      }
    } else if (auto* resize = transform->as<Resize>()) {
      requireInside(resize, indices(resize->in()), require);
    } else if (auto* align = transform->as<Align>()) {
      if (!(ofResult && align->inX()->isReduction())) {
        requireInRow(align, indices, ofVector, require);
      }
      inside.insert(align->outX());
    } else if (auto* merge = transform->as<Merge>(); merge != nullptr && isCopied && isReduction) {
      requireOnce(merge, indices, require);
    }
  }
  if (can_.hasThreads) {
    requireOwnThreads(tv, indices, require);
    requireForPad(tv, indices, require);
  }
  // Into shared memory every block writes, and several threads of it the same value where a loop
  // runs over a piece of a broadcast dimension and over another one.
  if (tv->memoryType() == MemoryType::Global) {
    // In loops the tensor only takes part in, one iteration writes.
    const auto writeOnce = [&](const IterDomain* id) {
      if (id->isBroadcast() && !id->extent()->isConstInt(1)) {
        require(scalar::eq(indices(id), fusion_->zero()));
      }
    };
    std::unordered_set<const IterDomain*> seen;
    for (Expr* transform : transformsBetween(tv->logical(), tv->loop())) {
      for (Val* in : transform->inputs()) {
        auto* id = static_cast<IterDomain*>(in);
        if (id->definition() == nullptr && !isLogical(tv, id) && seen.insert(id).second) {
          writeOnce(id);
        }
      }
      if (transform->is<BroadcastTo>()) {
        writeOnce(static_cast<IterDomain*>(transform->output(0)));
      }
    }
    for (IterDomain* id : tv->loop()) {
      if (id->definition() == nullptr && !isLogical(tv, id) && seen.insert(id).second) {
        writeOnce(id);
      }
    }
  }
  return condition;
}

// A loop that runs over a reduced dimension and a piece of a broadcast one meets each element of
// the former as many times as the piece has places.
void Lowering::requireOnce(const Merge* merge, DomainIndices& indices, const Require& require) {
  for (IterDomain* id : {merge->outer(), merge->inner()}) {
    if (merge->out()->isReduction() && id->isBroadcast() && !id->extent()->isConstInt(1)) {
      require(scalar::eq(indices(id), fusion_->zero()));
    }
  }
}

void Lowering::requireOwnThreads(const TensorView* tv, DomainIndices& indices,
                                 const Require& require) {
  const bool isWritten = tv->memoryType() != MemoryType::Local;
  for (const kir::ThreadDimension& dimension : phase_->threads) {
    if (dimension.firstLoader != nullptr && tv->loaders() == dimension.type) {
      require(scalar::eq(dimension.index, dimension.firstLoader));
      continue;
    }
    const auto own = std::ranges::find_if(
        tv->loop(), [&](const IterDomain* id) { return id->parallelType() == dimension.type; });
    if (own != tv->loop().end() && !(*own)->isReduction() && (*own)->isBroadcast()) {
      // One of them writes, into global memory: see predicate() for loops of several iterations.
      // One of a single iteration is run by all blocks that others have.
      const bool isOwnMemory =
          tv->memoryType() == MemoryType::Shared && isBlockType(dimension.type);
      const bool isOne = tv->memoryType() == MemoryType::Global &&
                         (*own)->extent()->isConstInt(1) && !dimension.extent->isConstInt(1);
      if (isOwnMemory || isOne) {
        require(scalar::eq(dimension.index, fusion_->zero()));
      }
      continue;
    }
    if (own == tv->loop().end()) {
      // What a block writes to its own memory all blocks write.
      const bool isOwnMemory = tv->memoryType() == MemoryType::Shared && isGridType(dimension.type);
      if (isWritten && !isOwnMemory) {
        require(scalar::eq(dimension.index, fusion_->zero()));
      } else if (dimension.firstLoader != nullptr) {
        require(scalar::lt(dimension.index, dimension.firstLoader));
      }
    } else if (!scalar::same((*own)->extent(), dimension.extent)) {
      require(scalar::lt(indices(*own), (*own)->extent()));
    }
  }
}

bool Lowering::mayRunAnywhere(const Expr* expr) const {
  const auto* out = expr->output(0)->asTensor();
  const auto isOwn = [&](const Val* val) {
    return !val->isTensor() || (val->asTensor()->memoryType() == MemoryType::Local &&
                                isReadInPlace(expr, val->asTensor(), out));
  };
  return can_.hasThreads && !expr->is<ReductionOp>() && !expr->is<ScanOp>() &&
         out->memoryType() == MemoryType::Local && std::ranges::all_of(expr->inputs(), isOwn);
}

bool Lowering::isLogical(const TensorView* tv, const IterDomain* id) {
  return std::ranges::find(tv->logical(), id) != tv->logical().end();
}

void Lowering::requireInside(const Resize* resize, Val* index, const Require& require) {
  const auto crops = [](const Val* width) { return width->isConstInt() && width->constInt() <= 0; };
  if (!crops(resize->left())) {
    require(scalar::ge(index, fusion_->zero()));
  }
  if (!crops(resize->right())) {
    require(scalar::lt(index, resize->in()->visibleExtent()));
  }
}

void Lowering::requireInRow(const Align* align, DomainIndices& indices, bool ofVector,
                            const Require& require) {
  if (align->inX()->isBroadcast()) {
    return;
  }
  Val* index = indices(align->inX());
  Val* isBeforeEnd = scalar::lt(index, align->inX()->extent());
  require(ofVector ? isBeforeEnd
                   : scalar::logicalAnd(scalar::ge(index, fusion_->zero()), isBeforeEnd));
}

}  // namespace nvfuser
