// How the dimensions of an expression's inputs correspond to those of its outputs.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/nodes.h"

namespace nvfuser {

using DomainPairs = std::vector<std::pair<IterDomain*, IterDomain*>>;

// Pairs (logical domain of the producer, root domain of the consumer) that `expr` maps one to one;
// what a scatter writes into has its logical domains.
// A broadcast domain of the producer may be paired with a concrete one of the consumer. Dimensions
// that the expression creates, removes or looks up by value are in no pair.
DomainPairs pairwiseMap(const Expr* expr, const TensorView* producer, const TensorView* consumer);

// Pairs of domains that have the same index, although one may be shorter: the dimensions that a
// gather does not look up, and of the index and what is written of a scatter.
DomainPairs partialMap(const Expr* expr, const TensorView* producer, const TensorView* consumer);

using DomainMap = std::unordered_map<const IterDomain*, IterDomain*>;
DomainMap producerToConsumer(const Expr* expr, const TensorView* producer,
                             const TensorView* consumer);
DomainMap consumerToProducer(const Expr* expr, const TensorView* producer,
                             const TensorView* consumer);

// The transforms between two sets of domains of one tensor, in an order in which every input is
// available before it is used: all expressions that `to` is computed from without going above
// `from`.
std::vector<Expr*> transformsBetween(const std::vector<IterDomain*>& from,
                                     const std::vector<IterDomain*>& to);
// Whether `id` is `from`, or transforms make it from that.
bool comesFrom(const IterDomain* id, const IterDomain* from);

}  // namespace nvfuser
