#include "ir/memory_orders.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <ranges>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/logical_map.h"
#include "ir/nodes.h"
#include "ir/views.h"
#include "value/data_type.h"

namespace nvfuser {

namespace {

// The dimensions of a tensor with elements of their own, from the outermost in memory on.
using Order = std::vector<IterDomain*>;

Order concrete(const std::vector<IterDomain*>& domains) {
  Order order;
  std::ranges::copy_if(domains, std::back_inserter(order),
                       [](const IterDomain* id) { return id->isIteration(); });
  return order;
}

// Puts domains in the place of others, which lie one behind another; false if these do not.
bool replace(Order& order, const std::vector<Val*>& from, const std::vector<Val*>& to) {
  const auto isSame = [](const IterDomain* id, const Val* val) { return id == val; };
  const auto found = std::ranges::search(order, from, isSame);
  if (found.empty()) {
    return false;
  }
  const auto place = order.erase(found.begin(), found.end());
  std::vector<IterDomain*> domains;
  std::ranges::transform(to, std::back_inserter(domains),
                         [](Val* val) { return static_cast<IterDomain*>(val); });
  order.insert(place, domains.begin(), domains.end());
  return true;
}

// Where `transforms` make some dimensions of others: the order of these in which the others lie in
// the given one; nothing if no order is the same.
std::optional<Order> behind(Order order, const std::vector<Expr*>& transforms) {
  const bool isOrder = std::ranges::all_of(transforms, [&](const Expr* transform) {
    return replace(order, transform->inputs(), transform->outputs());
  });
  return isOrder ? std::optional(concrete(order)) : std::nullopt;
}

// The same the other way round.
std::optional<Order> before(Order order, const std::vector<Expr*>& transforms) {
  const bool isOrder = std::ranges::all_of(std::views::reverse(transforms), [&](const Expr* expr) {
    return replace(order, expr->outputs(), expr->inputs());
  });
  return isOrder ? std::optional(concrete(order)) : std::nullopt;
}

std::vector<Expr*> transformsOf(const TensorView* tv) {
  return tv->domain()->hasRoot() ? transformsBetween(tv->root(), tv->logical())
                                 : std::vector<Expr*>{};
}

// The place of the dimension that a lookup takes positions of, where those of one dimension take
// its place; nothing for anything else.
std::optional<size_t> lookedUpDimension(const Expr* expr, const TensorView* producer,
                                        const TensorView* consumer) {
  const auto* lookup = expr->as<LookupOp>();
  const bool isOperand = lookup != nullptr && isLookedUp(producer, expr) &&
                         lookup->type() != LookupType::Embedding &&
                         producer->visible().size() == consumer->logical().size();
  return isOperand ? std::optional(static_cast<size_t>(lookup->dim())) : std::nullopt;
}

// The order of `producer` as that of `consumer`, if they have the same dimensions.
std::optional<Order> ofConsumer(const Expr* expr, const TensorView* producer,
                                const TensorView* consumer, const Order& order) {
  DomainMap map = producerToConsumer(expr, producer, consumer);
  if (const auto dim = lookedUpDimension(expr, producer, consumer)) {
    map[producer->visible()[*dim]] = consumer->maybeRoot()[*dim];
  }
  Order root;
  for (const IterDomain* id : order) {
    if (const auto found = map.find(id); found != map.end()) {
      root.push_back(found->second);
    }
  }
  const std::optional<Order> result = behind(concrete(root), transformsOf(consumer));
  return result && std::ranges::is_permutation(*result, concrete(consumer->logical()))
             ? result
             : std::nullopt;
}

std::optional<Order> ofProducer(const Expr* expr, const TensorView* producer,
                                const TensorView* consumer, const Order& order) {
  const std::optional<Order> root = before(order, transformsOf(consumer));
  if (!root) {
    return std::nullopt;
  }
  DomainMap map = consumerToProducer(expr, producer, consumer);
  if (const auto dim = lookedUpDimension(expr, producer, consumer)) {
    map[consumer->maybeRoot()[*dim]] = producer->visible()[*dim];
  }
  Order result;
  for (const IterDomain* id : *root) {
    if (const auto found = map.find(id); found != map.end()) {
      result.push_back(found->second);
    }
  }
  result = concrete(result);
  return std::ranges::is_permutation(result, concrete(producer->logical())) ? std::optional(result)
                                                                            : std::nullopt;
}

// Orders that speak for themselves, by the bytes of an element of what has them.
class Votes {
 public:
  void add(std::optional<Order> order, const TensorView* tv) {
    if (!order) {
      return;
    }
    const auto known = std::ranges::find(votes_, *order, &Vote::order);
    const int64_t bytes = bytesOf(tv->dtype(), 8);
    if (known == votes_.end()) {
      votes_.push_back({std::move(*order), bytes});
    } else {
      known->bytes += bytes;
    }
  }
  // The one with the most; of several, `first` if it is among them.
  std::optional<Order> most(const std::optional<Order>& first) const {
    std::optional<Order> result;
    int64_t bytes = 0;
    for (const Vote& vote : votes_) {
      if (vote.bytes > bytes || (vote.bytes == bytes && first == vote.order)) {
        result = vote.order;
        bytes = vote.bytes;
      }
    }
    return result;
  }

 private:
  struct Vote {
    Order order;
    int64_t bytes;
  };
  std::vector<Vote> votes_;
};

class MemoryOrders {
 public:
  MemoryOrders(Fusion* fusion, std::optional<int64_t> mostAcross)
      : fusion_(fusion), exprs_(fusion->tensorExprs()), mostAcross_(mostAcross) {
    for (const Fusion::Output& output : fusion->outputs()) {
      if (!output.isOrderOpen) {
        fixed_.insert(output.tv);
      }
    }
    for (const Expr* expr : exprs_) {
      if (const auto* call = expr->as<LibraryOp>()) {
        std::ranges::copy_if(expr->inputs(), std::inserter(fixed_, fixed_.end()),
                             [&](const Val* in) { return !readsInAnyOrder(call, in); });
      }
      if (!hasChoice(expr)) {
        fixed_.insert(expr->outputs().begin(), expr->outputs().end());
      }
    }
  }

  void choose() {
    for (size_t i = exprs_.size(); i-- > 0;) {
      for (Val* out : exprs_[i]->outputs()) {
        if (!isFixed(out->asTensor())) {
          findWanted(out->asTensor());
        }
      }
    }
    for (Expr* expr : exprs_) {
      for (Val* out : expr->outputs()) {
        if (!isFixed(out->asTensor())) {
          decide(expr, out->asTensor());
        }
      }
    }
    removeCopies();
    for (const Fusion::Output& output : fusion_->outputs()) {
      if (output.alias == nullptr && !output.tv->isFusionInput() && liesAcross(output.tv)) {
        copyBehind(output.tv);
      }
    }
  }

 private:
  // Whether the results may lie in any order: values of random operations are by their place.
  static bool hasChoice(const Expr* expr) {
    switch (expr->kind()) {
      case ExprKind::Unary:
      case ExprKind::Binary:
      case ExprKind::Ternary:
      case ExprKind::LoadStore:
      case ExprKind::Reduction:
      case ExprKind::Broadcast:
      case ExprKind::Squeeze:
      case ExprKind::Expand:
      case ExprKind::Reshape:
      case ExprKind::Slice:
      case ExprKind::Pad:
      case ExprKind::Cat:
        return true;
      case ExprKind::Lookup:
        // Whole rows that are looked up lie as they did.
        return expr->as<LookupOp>()->type() != LookupType::Embedding;
      default:
        return false;
    }
  }

  // Products look at a transposed operand.
  static bool readsInAnyOrder(const LibraryOp* call, const Val* in) {
    const bool isProduct =
        call->type() == LibraryOpType::Matmul || call->type() == LibraryOpType::Linear;
    return isProduct && asPermutation(in->definition()) != nullptr;
  }

  bool isFixed(const TensorView* tv) const {
    return tv->definition() == nullptr || fixed_.contains(tv) || tv->domain()->hasAllocation();
  }

  static Order ownOrder(const TensorView* tv) { return concrete(tv->domain()->maybeAllocation()); }

  void findWanted(const TensorView* tv) {
    Votes votes;
    for (const Expr* use : tv->uses()) {
      for (const Val* out : use->outputs()) {
        const TensorView* consumer = out->asTensor();
        const auto known = wanted_.find(consumer);
        if (isFixed(consumer)) {
          votes.add(ofProducer(use, tv, consumer, ownOrder(consumer)), consumer);
        } else if (known != wanted_.end()) {
          votes.add(ofProducer(use, tv, consumer, known->second), consumer);
        }
      }
    }
    if (std::optional<Order> order = votes.most(ownOrder(tv))) {
      wanted_.emplace(tv, std::move(*order));
    }
  }

  void decide(const Expr* expr, TensorView* tv) {
    const auto wanted = wanted_.find(tv);
    const auto want = wanted == wanted_.end() ? std::nullopt : std::optional(wanted->second);
    Votes votes;
    bool isReduced = expr->is<ReductionOp>();
    for (const Val* in : expr->inputs()) {
      if (in->isTensor()) {
        const TensorView* producer = in->asTensor();
        isReduced = isReduced || reduced_.contains(producer);
        votes.add(ofConsumer(expr, producer, tv, ownOrder(producer)), producer);
      }
    }
    if (isReduced) {
      reduced_.insert(tv);
    }
    // Kernels of element-wise operations transpose well, those that reduce do not, and what is
    // only looked at in another way is not copied.
    std::optional<Order> order = want && !isReduced && !mayBeView(expr) ? want : votes.most(want);
    if (!order) {
      order = want;
    }
    if (order && *order != concrete(tv->logical())) {
      setOrder(tv, *order);
    }
  }

  // Whether a tensor is the result of a reduction, or computed of such results alone.
  static bool isOfReductions(const TensorView* tv) {
    std::vector<const Val*> open{tv};
    std::unordered_set<const Val*> seen;
    for (size_t i = 0; i < open.size(); ++i) {
      const Expr* expr = open[i]->definition();
      if (expr == nullptr || !(expr->is<ReductionOp>() || expr->is<UnaryOp>() ||
                               expr->is<BinaryOp>() || expr->is<TernaryOp>())) {
        return false;
      }
      for (const Val* in : expr->inputs()) {
        if (in->isTensor() && !expr->is<ReductionOp>() && seen.insert(in).second) {
          open.push_back(in);
        }
      }
    }
    return true;
  }

  // The order that a fixed result of reductions would have if it had a choice; nothing for others.
  static std::optional<Order> orderOfReduced(const TensorView* tv) {
    const Expr* expr = tv->definition();
    const auto in = std::ranges::find_if(expr->inputs(), &Val::isTensor);
    return isOfReductions(tv) && in != expr->inputs().end()
               ? ofConsumer(expr, (*in)->asTensor(), tv, ownOrder((*in)->asTensor()))
               : std::nullopt;
  }

  // Whether many results of reductions would be written one by one across memory.
  bool liesAcross(const TensorView* tv) const {
    const std::optional<Order> order = mostAcross_ ? orderOfReduced(tv) : std::nullopt;
    if (!order || order->empty() || !tv->uses().empty() || order->back() == ownOrder(tv).back()) {
      return false;
    }
    const std::optional<int64_t> elements = knownElements(*order);
    return elements && *elements > *mostAcross_;
  }

  // Lets an output be a copy, which passes through tiles, of what is computed in that order.
  void copyBehind(TensorView* output) {
    // What is computed takes over the dimensions of the output, that are reduced ones, too.
    const std::optional<Order> order = orderOfReduced(output);
    TensorView* computed = output->cacheBefore();
    setOrder(computed, *order);
    fusion_->removeExpr(output->definition());
    fusion_->create<LoadStoreOp>(LoadStoreOpType::Set, CacheOp::Unspecified, output, computed,
                                 true);
  }

  // What has one element stays in front of its right neighbour, and what is reduced takes no place.
  static void setOrder(TensorView* tv, const Order& order) {
    std::vector<IterDomain*> allocation = order;
    auto place = allocation.end();
    for (size_t i = tv->logical().size(); i-- > 0;) {
      IterDomain* id = tv->logical()[i];
      place = id->isIteration() ? std::ranges::find(allocation, id) : allocation.insert(place, id);
    }
    auto contiguity = TensorDomain::fullContiguity(allocation, true);
    tv->domain()->setAllocation(std::move(allocation), std::move(contiguity));
  }

  void removeCopies() {
    for (Expr* expr : exprs_) {
      const auto* copy = expr->as<LoadStoreOp>();
      if (copy == nullptr || copy->isPermutation() || copy->isSegmentBoundary() ||
          copy->out()->isFusionOutput()) {
        continue;
      }
      TensorView* in = copy->in();
      if (!in->hasReduction() && in->domain()->hasAllocation() && hasNoGaps(in) &&
          copy->out()->domain()->hasAllocation() &&
          ofConsumer(expr, in, copy->out(), ownOrder(in)) == ownOrder(copy->out())) {
        fusion_->replaceUses(copy->out(), in);
        fusion_->removeExpr(expr);
      }
    }
  }

  // Whether a tensor is computed by a kernel, or is an input that lies in its order without gaps.
  bool hasNoGaps(const TensorView* tv) const {
    const auto isGap = [](const std::optional<bool>& contiguous) { return contiguous == false; };
    return tv->definition() != nullptr
               ? !tv->definition()->is<LibraryOp>()
               : std::ranges::none_of(tv->domain()->contiguity(), isGap) &&
                     !fusion_->isUpdated(tv) &&
                     std::ranges::all_of(tv->logical(), &IterDomain::isIteration);
  }

  Fusion* fusion_;
  std::vector<Expr*> exprs_;
  std::optional<int64_t> mostAcross_;
  std::unordered_set<const Val*> fixed_;
  std::unordered_map<const TensorView*, Order> wanted_;
  std::unordered_set<const TensorView*> reduced_;
};

}  // namespace

void chooseMemoryOrders(Fusion* fusion, std::optional<int64_t> mostAcross) {
  MemoryOrders(fusion, mostAcross).choose();
}

}  // namespace nvfuser
