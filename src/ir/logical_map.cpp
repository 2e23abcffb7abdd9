#include "ir/logical_map.h"

#include <algorithm>
#include <unordered_set>

#include "core/error.h"
#include "ir/traversal.h"

namespace nvfuser {

namespace {

// All dimensions of `from` but number `left`, from the first ones on.
void pairAround(DomainPairs& pairs, const std::vector<IterDomain*>& from,
                const std::vector<IterDomain*>& to, size_t left) {
  for (size_t i = 0; i < from.size(); ++i) {
    if (i != left) {
      pairs.emplace_back(from[i], to[i]);
    }
  }
}

// What a lookup maps one to one; the dimensions around the one that is looked up, of a gather,
// only with `partial`.
DomainPairs lookupPairs(const LookupOp* lookup, const TensorView* producer,
                        const TensorView* consumer, bool partial) {
  DomainPairs pairs;
  const std::vector<IterDomain*> from = producer->visible();
  const std::vector<IterDomain*>& to = consumer->maybeRoot();
  const auto dim = static_cast<size_t>(lookup->dim());
  const bool isIndex = producer == lookup->index();
  const bool isAligned =
      lookup->type() == LookupType::Gather || lookup->type() == LookupType::TakeAlongAxis;
  if (partial != (lookup->type() == LookupType::Gather && !isIndex)) {
    return pairs;
  }
  if (isAligned) {
    pairAround(pairs, from, to, isIndex ? from.size() : dim);
  } else if (isIndex) {
    for (size_t i = 0; i < from.size(); ++i) {
      pairs.emplace_back(from[i], to[dim + i]);
    }
  } else {
    // The dimensions of the index tensor stand in place of `dim`, one for a 0-dim index.
    const size_t inserted = to.size() + 1 - from.size();
    for (size_t i = 0; i < from.size(); ++i) {
      if (i != dim) {
        pairs.emplace_back(from[i], to[i < dim ? i : i + inserted - 1]);
      }
    }
  }
  return pairs;
}

// What a scatter maps one to one, or, with `partial`, dimensions that are of other sizes.
DomainPairs scatterPairs(const ScatterOp* scatter, const TensorView* producer,
                         const TensorView* consumer, bool partial) {
  DomainPairs pairs;
  const bool isCopied = producer == scatter->in();
  const std::vector<IterDomain*> from = producer->visible();
  const std::vector<IterDomain*>& to = isCopied ? consumer->logical() : consumer->root();
  for (size_t i = 0; i < from.size(); ++i) {
    if ((isCopied || scatter->isExact(producer, i)) != partial) {
      pairs.emplace_back(from[i], to[i]);
    }
  }
  return pairs;
}

}  // namespace

DomainPairs partialMap(const Expr* expr, const TensorView* producer, const TensorView* consumer) {
  if (const auto* scatter = expr->as<ScatterOp>()) {
    return scatterPairs(scatter, producer, consumer, true);
  }
  const auto* lookup = expr->as<LookupOp>();
  return lookup == nullptr ? DomainPairs{} : lookupPairs(lookup, producer, consumer, true);
}

DomainPairs pairwiseMap(const Expr* expr, const TensorView* producer, const TensorView* consumer) {
  if (const auto* lookup = expr->as<LookupOp>()) {
    return lookupPairs(lookup, producer, consumer, false);
  }
  if (const auto* scatter = expr->as<ScatterOp>()) {
    return scatterPairs(scatter, producer, consumer, false);
  }
  // No loop goes through a library call; dimensions that have the same size have the same extent.
  if (expr->is<LibraryOp>()) {
    return {};
  }
  DomainPairs pairs;
  const std::vector<IterDomain*> from = producer->visible();
  const std::vector<IterDomain*>& to = consumer->maybeRoot();
  if (const auto* scan = expr->as<ScanOp>(); scan != nullptr && producer == scan->upTo()) {
    // The last dimension counts parts of the one that is scanned.
    const auto dim = static_cast<size_t>(scan->dim());
    for (size_t i = 0; i + 1 < to.size(); ++i) {
      pairs.emplace_back(from[i], to[i < dim ? i : i + 1]);
    }
    return pairs;
  }
  const auto* broadcast = expr->as<BroadcastOp>();
  const auto* squeeze = expr->as<SqueezeOp>();
  const auto* select = expr->as<SelectOp>();
  const auto isRemoved = [&](size_t i) {
    return (squeeze != nullptr && squeeze->isSqueezeDim(i)) ||
           (select != nullptr && static_cast<size_t>(select->dim()) == i);
  };
  size_t i = 0;
  size_t j = 0;
  while (i < from.size() && j < to.size()) {
    if (broadcast != nullptr && broadcast->isBroadcastDim(j)) {
      ++j;
    } else if (isRemoved(i)) {
      ++i;
    } else if (expr->is<ExpandOp>() && from[i]->isIteration() && to[j]->isBroadcast()) {
      // Has size 1 in this run, which is no loop of the many that it is expanded to.
      ++i;
      ++j;
    } else {
      pairs.emplace_back(from[i++], to[j++]);
    }
  }
  return pairs;
}

DomainMap producerToConsumer(const Expr* expr, const TensorView* producer,
                             const TensorView* consumer) {
  DomainMap map;
  for (const auto& [p, c] : pairwiseMap(expr, producer, consumer)) {
    map[p] = c;
  }
  return map;
}

DomainMap consumerToProducer(const Expr* expr, const TensorView* producer,
                             const TensorView* consumer) {
  DomainMap map;
  for (const auto& [p, c] : pairwiseMap(expr, producer, consumer)) {
    map[c] = p;
  }
  return map;
}

std::vector<Expr*> transformsBetween(const std::vector<IterDomain*>& from,
                                     const std::vector<IterDomain*>& to) {
  const std::unordered_set<const Val*> stop(from.begin(), from.end());
  std::unordered_set<const Val*> seen;
  std::unordered_set<const Expr*> found;
  std::vector<Expr*> sorted;
  for (IterDomain* id : to) {
    visitOperandsFirst(
        static_cast<const Val*>(id),
        [&](const Val* val) { return stop.contains(val) || seen.contains(val); },
        [&](const Val* val) {
          seen.insert(val);
          if (val->definition() != nullptr && found.insert(val->definition()).second) {
            sorted.push_back(val->definition());
          }
        });
  }
  return sorted;
}

bool comesFrom(const IterDomain* id, const IterDomain* from) { return dependsOn(id, {from}); }

}  // namespace nvfuser
