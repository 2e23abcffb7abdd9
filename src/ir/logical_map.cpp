#include "ir/logical_map.h"

#include <algorithm>
#include <functional>
#include <unordered_set>

#include "core/error.h"

namespace nvfuser {

std::vector<std::pair<IterDomain*, IterDomain*>> pairwiseMap(const Expr* expr,
                                                             const TensorView* producer,
                                                             const TensorView* consumer) {
  std::vector<std::pair<IterDomain*, IterDomain*>> pairs;
  const std::vector<IterDomain*> from = producer->visible();
  const std::vector<IterDomain*>& to = consumer->maybeRoot();
  const auto* broadcast = expr->as<BroadcastOp>();
  const auto* squeeze = expr->as<SqueezeOp>();
  size_t i = 0;
  size_t j = 0;
  while (i < from.size() && j < to.size()) {
    if (broadcast != nullptr && broadcast->isBroadcastDim(j)) {
      ++j;
    } else if (squeeze != nullptr && squeeze->isSqueezeDim(i)) {
      ++i;
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
  std::unordered_set<const Expr*> seen;
  std::vector<Expr*> sorted;
  const std::function<void(IterDomain*)> visit = [&](IterDomain* id) {
    Expr* definition = id->definition();
    if (stop.contains(id) || definition == nullptr || !seen.insert(definition).second) {
      return;
    }
    for (Val* in : definition->inputs()) {
      visit(static_cast<IterDomain*>(in));
    }
    sorted.push_back(definition);
  };
  for (IterDomain* id : to) {
    visit(id);
  }
  return sorted;
}

}  // namespace nvfuser
