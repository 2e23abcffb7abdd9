#include "schedule/propagate.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/error.h"
#include "ir/logical_map.h"
#include "ir/scalar.h"
#include "ir/views.h"
#include "schedule/alike_tensors.h"
#include "schedule/domain_classes.h"
#include "schedule/rejoined.h"

namespace nvfuser {

namespace {

// Repeats transforms that were recorded on one tensor (the source) on another one (the target).
class Replay {
 public:
  // With `followsResize` the target's loops may leave out what a slice does not need of it. What
  // the transforms in `reshaping` merge may be split into the same parts again: loops of those.
  Replay(TensorView* target, DomainMap map, bool followsResize,
         const std::vector<Expr*>& reshaping = {})
      : fusion_(target->fusion()),
        map_(std::move(map)),
        followsResize_(followsResize),
        reshaping_(reshaping.begin(), reshaping.end()) {
    for (Expr* own : transformsBetween(target->maybeRoot(), target->logical())) {
      for (Val* in : own->inputs()) {
        ownTransforms_[in] = own;
      }
    }
  }

  void run(const std::vector<Expr*>& transforms) {
    for (Expr* transform : transforms) {
      const bool any = std::ranges::any_of(transform->inputs(), [&](Val* in) {
        return map_.contains(static_cast<IterDomain*>(in));
      });
      if (any) {
        replay(transform);
      }
    }
  }

  // The target's own transforms that these lead along; nothing is made.
  std::unordered_set<const Expr*> followed(const std::vector<Expr*>& transforms) {
    std::unordered_set<const Expr*> result;
    for (Expr* transform : transforms) {
      std::vector<IterDomain*> ins;
      for (Val* in : transform->inputs()) {
        ins.push_back(find(static_cast<IterDomain*>(in)));
      }
      if (std::ranges::find(ins, nullptr) == ins.end() && ownTransform(ins[0]) != nullptr &&
          follow(transform, ins)) {
        result.insert(ownTransform(ins[0]));
      }
    }
    return result;
  }

  IterDomain* find(const IterDomain* source) const {
    const auto known = map_.find(source);
    return known == map_.end() ? nullptr : known->second;
  }

  IterDomain* freshLoop(const IterDomain* source) {
    IterDomain::Options options;
    options.iterType = IterType::Broadcast;
    return fusion_->create<IterDomain>(source->extent(), options);
  }

  // The transform that the target's operation itself (reshape, slice) applies to a domain, if any.
  // Only the very same transform of the source can be followed there.
  Expr* ownTransform(const IterDomain* id) const {
    const auto own = ownTransforms_.find(id);
    return own == ownTransforms_.end() ? nullptr : own->second;
  }

 private:
  // The target's counterpart of `source` as an input of a transform: a broadcast domain takes part
  // with the extent of the source.
  IterDomain* operand(IterDomain* source) {
    IterDomain*& mapped = map_[source];
    if (mapped == nullptr) {
      mapped = freshLoop(source);
    } else if (mapped->isBroadcast() && !scalar::same(mapped->extent(), source->extent())) {
      IterDomain* expanded = freshLoop(source);
      fusion_->create<BroadcastTo>(expanded, mapped);
      mapped = expanded;
    }
    return mapped;
  }

  IterDomain* result(IterDomain* source, IterType type) {
    IterDomain::Options options;
    options.iterType = type;
    auto* id = fusion_->create<IterDomain>(source->extent(), options);
    map_[source] = id;
    return id;
  }

  // A split of what the source's reshape has merged into the same parts gives these.
  bool takeApart(const Expr* transform) {
    const auto* split = transform->as<Split>();
    const IterDomain* whole = split == nullptr ? nullptr : find(split->in());
    if (whole == nullptr || !merged_.contains(whole)) {
      return false;
    }
    const auto* merge = whole->definition()->as<Merge>();
    if (!undoes(split, merge)) {
      return false;
    }
    map_[split->outer()] = merge->outer();
    map_[split->inner()] = merge->inner();
    return true;
  }

  void passOn(const Expr* transform) {
    map_[static_cast<IterDomain*>(transform->output(0))] =
        map_.at(static_cast<IterDomain*>(transform->input(0)));
  }

  bool follow(Expr* transform, const std::vector<IterDomain*>& ins) {
    Expr* own = ownTransform(ins[0]);
    if (own == nullptr || own->kind() != transform->kind() || own->inputs().size() != ins.size() ||
        own->attributes() != transform->attributes()) {
      return false;
    }
    for (size_t i = 0; i < ins.size(); ++i) {
      if (own->input(i) != ins[i]) {
        return false;
      }
    }
    for (size_t i = 0; i < own->operands().size(); ++i) {
      if (!scalar::same(own->operands()[i], transform->operands()[i])) {
        return false;
      }
    }
    for (size_t i = 0; i < own->outputs().size(); ++i) {
      map_[static_cast<IterDomain*>(transform->output(i))] =
          static_cast<IterDomain*>(own->output(i));
    }
    return true;
  }

  // Whether elements of the target recur along a part of a domain, as they do along a broadcast one
  // that is padded and merged with others. Such a target has no loops of its reader's and is
  // stored, at the first of the places, which must not be cut off.
  bool repeatsPart(IterDomain* mapped) const {
    return !mapped->isBroadcast() &&
           std::ranges::any_of(transformsBetween({}, {mapped}), [&](const Expr* transform) {
             return transform->is<BroadcastTo>() && resized_.contains(transform->input(0));
           });
  }

  // Whether it may leave something out of what it resizes.
  static bool cutsOff(const Resize* resize) {
    const auto adds = [](const Val* side) { return side->isConstInt() && side->constInt() >= 0; };
    return !adds(resize->left()) || !adds(resize->right());
  }

  bool mixesKinds(const Expr* merge) const {
    bool hasReduction = false;
    bool hasIteration = false;
    for (Val* in : merge->inputs()) {
      if (const IterDomain* mapped = find(static_cast<IterDomain*>(in)); mapped != nullptr) {
        hasReduction = hasReduction || mapped->isReduction();
        hasIteration = hasIteration || mapped->isIteration();
      }
    }
    return hasReduction && hasIteration;
  }

  // Whether the target has elements along a dimension in which the source's are repeated: what the
  // source makes of its one element is not what the target's would become.
  bool hasMore(const Expr* transform) const {
    return std::ranges::any_of(transform->inputs(), [&](Val* in) {
      auto* source = static_cast<IterDomain*>(in);
      const IterDomain* mapped = find(source);
      return mapped != nullptr && source->isBroadcast() && !mapped->isBroadcast() &&
             !scalar::same(source->extent(), mapped->extent());
    });
  }

  // Of the results of Align, each is what its operand is. But where rows are aligned, elements that
  // are the same for all rows have another place in each: there is a loop over rows.
  static IterType alignedType(size_t place, const std::vector<IterDomain*>& ins) {
    return place == 0 && !ins[1]->isBroadcast() ? IterType::Iteration : ins[place]->iterType();
  }

  void replay(Expr* transform) {
    if (transform->is<BroadcastTo>()) {
      // In the target the domain may be concrete already; otherwise it is expanded where it is
      // used.
      passOn(transform);
      return;
    }
    if (transform->is<Resize>()) {
      if (!followsResize_ || (cutsOff(transform->as<Resize>()) &&
                              repeatsPart(find(static_cast<IterDomain*>(transform->input(0)))))) {
        return;
      }
      // The one element of a broadcast domain is that of all positions of a part of it, too.
      const IterDomain* mapped = find(static_cast<IterDomain*>(transform->input(0)));
      if (mapped->isBroadcast() && ownTransform(mapped) == nullptr) {
        resized_.insert(mapped);
        passOn(transform);
        return;
      }
    }
    // Where the target transforms one of the domains on its own and differently, nothing follows.
    for (Val* in : transform->inputs()) {
      IterDomain* mapped = find(static_cast<IterDomain*>(in));
      if (mapped != nullptr && ownTransform(mapped) != nullptr) {
        std::vector<IterDomain*> ins;
        for (Val* source : transform->inputs()) {
          ins.push_back(find(static_cast<IterDomain*>(source)));
        }
        if (std::ranges::find(ins, nullptr) == ins.end()) {
          follow(transform, ins);
        }
        return;
      }
    }
    if (takeApart(transform)) {
      return;
    }
    // What one tensor reduces and another does not is no loop of both.
    const bool joinsLoops = transform->is<Merge>() || transform->is<Swizzle>();
    if ((joinsLoops && mixesKinds(transform)) || hasMore(transform)) {
      return;
    }
    std::vector<IterDomain*> ins;
    for (Val* in : transform->inputs()) {
      ins.push_back(operand(static_cast<IterDomain*>(in)));
    }
    IterType type = ins[0]->iterType();
    for (IterDomain* in : ins) {
      if (!in->isBroadcast()) {
        type = in->iterType();
      }
    }
    // A part of one element is repeated where others have more, as that of the source is.
    if (transform->is<Resize>() && static_cast<IterDomain*>(transform->output(0))->isBroadcast()) {
      type = IterType::Broadcast;
    }
    std::vector<IterDomain*> outs;
    for (Val* out : transform->outputs()) {
      outs.push_back(result(static_cast<IterDomain*>(out),
                            transform->is<Align>() ? alignedType(outs.size(), ins) : type));
    }
    switch (transform->kind()) {
      case ExprKind::Split: {
        auto* split = transform->as<Split>();
        fusion_->create<Split>(outs[0], outs[1], ins[0], split->factor(), split->innerSplit());
        break;
      }
      case ExprKind::Merge:
        fusion_->create<Merge>(outs[0], ins[0], ins[1]);
        if (reshaping_.contains(transform)) {
          merged_.insert(outs[0]);
        }
        break;
      case ExprKind::Resize: {
        auto* resize = transform->as<Resize>();
        fusion_->create<Resize>(outs[0], ins[0], resize->left(), resize->right());
        break;
      }
      case ExprKind::Swizzle:
        fusion_->create<Swizzle>(outs[0], outs[1], ins[0], ins[1]);
        break;
      case ExprKind::Align:
        fusion_->create<Align>(outs[0], outs[1], ins[0], ins[1], transform->as<Align>()->width());
        break;
      default:
        fail("Not a transform of domains: ", transform->toString());
    }
  }

  Fusion* fusion_;
  DomainMap map_;
  bool followsResize_;
  std::unordered_set<const Expr*> reshaping_;
  // What these have merged of the target's domains.
  std::unordered_set<const Val*> merged_;
  // Broadcast domains of the target that the source has padded or cut.
  std::unordered_set<const Val*> resized_;
  std::unordered_map<const Val*, Expr*> ownTransforms_;
};

// Orders what was replayed on `tv` like the loops of its source.
void setReplayedLoop(TensorView* tv, const std::vector<IterDomain*>& sourceLoops, Replay& replay) {
  std::vector<IterDomain*> loop;
  std::unordered_set<const IterDomain*> covered;
  const auto cover = [&](IterDomain* id) {
    for (Expr* transform : transformsBetween(tv->logical(), {id})) {
      for (Val* in : transform->inputs()) {
        covered.insert(static_cast<IterDomain*>(in));
      }
    }
    covered.insert(id);
  };
  bool anyOwn = false;
  std::vector<IterDomain*> leading;
  for (IterDomain* id : sourceLoops) {
    IterDomain* mapped = replay.find(id);
    if (mapped != nullptr && mapped->isBroadcast() &&
        !scalar::same(mapped->extent(), id->extent())) {
      IterDomain* expanded = replay.freshLoop(id);
      tv->fusion()->create<BroadcastTo>(expanded, mapped);
      mapped = expanded;
    }
    // A mapped domain that the target's own operation transforms further is no loop of its.
    if (mapped != nullptr && replay.ownTransform(mapped) == nullptr) {
      if (!anyOwn) {
        loop.insert(loop.end(), leading.begin(), leading.end());
        anyOwn = true;
      }
      loop.push_back(mapped);
      cover(mapped);
    } else if (mapped == nullptr && !id->isReduction() && !anyOwn && !tv->hasReduction()) {
      leading.push_back(replay.freshLoop(id));
    }
  }
  // Parts of dimensions whose other parts are loops of the source's that are not carried over.
  const std::vector<IterDomain*> carried = loop;
  for (const Expr* transform : transformsBetween(tv->logical(), carried)) {
    for (Val* out : transform->outputs()) {
      auto* id = static_cast<IterDomain*>(out);
      if (!covered.contains(id)) {
        loop.push_back(id);
        covered.insert(id);
      }
    }
  }
  // What the source does not have keeps its place behind.
  for (IterDomain* id : loopDimensions(tv)) {
    if (!covered.contains(id)) {
      loop.push_back(id);
    }
  }
  tv->domain()->setLoop(std::move(loop));
}

// Another consumer may need what this one's slice leaves out.
bool isOnlyUse(const TensorView* producer) {
  return producer->uses().size() == 1 && !producer->isFusionOutput();
}

// Whether an expression has the dimensions of its operands, each in its place.
bool keepsPlaces(const Expr* expr) {
  return !expr->output(0)->asTensor()->domain()->hasRoot() &&
         (expr->is<UnaryOp>() || expr->is<BinaryOp>() || expr->is<TernaryOp>() ||
          expr->is<LoadStoreOp>());
}

// How a tensor was made of another one: where each dimension of the latter is, of the result of the
// last reshape on the way if there is one.
struct Way {
  const Expr* reshape = nullptr;
  std::vector<size_t> places;

  friend bool operator==(const Way&, const Way&) = default;
};

// The way from `tv` that an expression prolongs; nothing if it does more than to keep or place
// dimensions.
std::optional<Way> prolonged(const Way& way, const Val* tv, const Expr* expr) {
  if (keepsPlaces(expr)) {
    return way;
  }
  // What is looked up has the dimensions of the positions.
  if (const auto* lookup = expr->as<LookupOp>(); lookup != nullptr && !isLookedUp(tv, lookup)) {
    Way result = way;
    for (size_t& place : result.places) {
      place += lookup->isOfSlices() ? static_cast<size_t>(lookup->dim()) : 0;
    }
    return result;
  }
  if (expr->is<ReshapeOp>()) {
    return Way{expr, {}};
  }
  if (const LoadStoreOp* permutation = asPermutation(expr)) {
    const std::vector<IterDomain*>& before = permutation->out()->root();
    const std::vector<IterDomain*>& after = permutation->out()->logical();
    Way result{way.reshape, {}};
    for (const size_t place : way.places) {
      const auto found = std::ranges::find(after, before[place]) - after.begin();
      result.places.push_back(static_cast<size_t>(found));
    }
    return result;
  }
  const auto* broadcast = expr->as<BroadcastOp>();
  if (broadcast == nullptr) {
    return std::nullopt;
  }
  std::vector<size_t> iterated;
  for (size_t i = 0; i < broadcast->output(0)->asTensor()->logical().size(); ++i) {
    if (!broadcast->isBroadcastDim(i)) {
      iterated.push_back(i);
    }
  }
  Way result{way.reshape, {}};
  for (const size_t place : way.places) {
    result.places.push_back(iterated[place]);
  }
  return result;
}

// Whether all that is computed from a tensor passes through the same slice or pad, which so leaves
// out the same of it on every way there: on different ways, as in x[None] - x[:, None], it would be
// another dimension on each.
bool isOnlyForOneResize(const TensorView* producer) {
  // No loop runs over dimensions of one element.
  std::vector<size_t> places;
  for (size_t i = 0; i < producer->visible().size(); ++i) {
    if (!producer->visible()[i]->visibleExtent()->isConstInt(1)) {
      places.push_back(i);
    }
  }
  std::unordered_map<const Val*, Way> ways{{producer, {nullptr, std::move(places)}}};
  std::vector<const Val*> stack{producer};
  const Expr* resize = nullptr;
  while (!stack.empty()) {
    const Val* next = stack.back();
    stack.pop_back();
    if (next->isFusionOutput()) {
      return false;
    }
    for (const Expr* use : next->uses()) {
      if (use->is<SliceOp>() || use->is<PadOp>()) {
        if (resize != nullptr && resize != use) {
          return false;
        }
        resize = use;
        continue;
      }
      std::optional<Way> way = prolonged(ways.at(next), next, use);
      if (!way.has_value()) {
        return false;
      }
      const auto [known, isNew] = ways.try_emplace(use->output(0), *way);
      if (!isNew && known->second != *way) {
        return false;
      }
      if (isNew) {
        stack.push_back(use->output(0));
      }
    }
  }
  return resize != nullptr;
}

struct Edge {
  int64_t weight;
  // Dimensions of more than one element among those that it counts: of two ways to a tensor, the
  // one that carries these over leaves less of it without the loops of the reference.
  int64_t concrete;
  // Not through an input, which has no loops of its own: of two ways that carry over as much, the
  // other one says more about what reads it for something else, a slice of it for instance.
  bool isDirect;
  int64_t order;
  // Null between a tensor and what computes it again, or merges the same dimensions.
  Expr* expr;
  TensorView* from;
  TensorView* to;
  friend bool operator<(const Edge& a, const Edge& b) {
    return std::tie(a.weight, a.concrete, a.isDirect, b.order) <
           std::tie(b.weight, b.concrete, b.isDirect, a.order);
  }
};

// The inputs of the chosen ones among sorted transforms, and all that these are made of.
std::unordered_set<const Val*> above(const std::vector<Expr*>& transforms,
                                     const std::function<bool(const Expr*)>& isChosen) {
  std::unordered_set<const Val*> result;
  for (size_t i = transforms.size(); i-- > 0;) {
    const auto& outs = transforms[i]->outputs();
    if (isChosen(transforms[i]) ||
        std::ranges::any_of(outs, [&](const Val* out) { return result.contains(out); })) {
      result.insert(transforms[i]->inputs().begin(), transforms[i]->inputs().end());
    }
  }
  return result;
}

// Counts what a way from a tensor to a neighbour carries over of its loops.
class Ways {
 public:
  // The pairs of dimensions that the loops of `from` are followed in: not those that `to`, a
  // consumer, transforms otherwise by its own operation, nor those that loops of `from` leave a
  // part out of, if another use of `to` needs it (see Replay).
  DomainPairs carriedOver(const Expr* expr, TensorView* from, TensorView* to) {
    const bool isForward = std::ranges::find(expr->inputs(), from) != expr->inputs().end();
    DomainPairs pairs = isForward ? pairwiseMap(expr, from, to) : pairwiseMap(expr, to, from);
    const std::vector<Expr*> transforms =
        transformsBetween(isForward ? from->logical() : from->maybeRoot(), from->loop());
    if (isForward && to->domain()->hasRoot() && !pairs.empty()) {
      Replay replay(to, DomainMap(pairs.begin(), pairs.end()), false);
      const std::unordered_set<const Expr*> followed = replay.followed(transforms);
      const auto lost = above(transformsBetween(to->maybeRoot(), to->logical()),
                              [&](const Expr* transform) { return !followed.contains(transform); });
      std::erase_if(pairs, [&](const auto& pair) { return lost.contains(pair.second); });
    }
    if (std::ranges::any_of(transforms, &Expr::is<Resize>) && (isForward || !followsResize(to))) {
      const auto lost = above(transforms, &Expr::is<Resize>);
      std::erase_if(pairs, [&](const auto& pair) {
        return lost.contains(isForward ? pair.first : pair.second);
      });
    }
    return pairs;
  }

  // Whether a producer's loops may leave out what its consumer's leave out.
  bool followsResize(const TensorView* producer) {
    const auto [known, isNew] = followsResize_.try_emplace(producer);
    if (isNew) {
      known->second = isOnlyUse(producer) || isOnlyForOneResize(producer);
    }
    return known->second;
  }

 private:
  std::unordered_map<const TensorView*, bool> followsResize_;
};

// The transforms from the dimensions that neighbours know to the loops.
void replayProducer(TensorView* producer, const TensorView* consumer, const Expr* expr,
                    const std::vector<IterDomain*>& loops, Ways& ways) {
  const std::vector<Expr*> transforms = transformsBetween(consumer->maybeRoot(), loops);
  const bool isResized = std::ranges::any_of(transforms, &Expr::is<Resize>);
  Replay replay(producer, consumerToProducer(expr, producer, consumer),
                isResized && ways.followsResize(producer),
                transformsBetween(consumer->maybeRoot(), consumer->logical()));
  replay.run(transforms);
  setReplayedLoop(producer, loops, replay);
}

void replayConsumer(TensorView* consumer, const TensorView* producer, const Expr* expr,
                    const std::vector<IterDomain*>& loops) {
  Replay replay(consumer, producerToConsumer(expr, producer, consumer), false);
  replay.run(transformsBetween(producer->logical(), loops));
  setReplayedLoop(consumer, loops, replay);
}

// The same between a tensor and what computes it again, merges the same dimensions, or reduces
// alike, in either direction.
void replayRepeated(TensorView* tv, const TensorView* from, const DomainPairs& pairs,
                    const std::vector<IterDomain*>& loops) {
  Replay replay(tv, DomainMap(pairs.begin(), pairs.end()), false);
  replay.run(transformsBetween(from->logical(), loops));
  setReplayedLoop(tv, loops, replay);
}

AlikeReductions alikeReductionsOf(const std::vector<Expr*>& exprs) {
  return std::ranges::count_if(exprs, &Expr::is<ReductionOp>) > 1
             ? DomainClasses(exprs).alikeReductions()
             : AlikeReductions();
}

}  // namespace

void propagateTransforms(TensorView* reference, const std::vector<TensorView*>& selected,
                         int64_t count) {
  Fusion* fusion = reference->fusion();
  const std::unordered_set<const TensorView*> wanted(selected.begin(), selected.end());
  std::unordered_set<const Expr*> live;
  const std::vector<Expr*> exprs = fusion->tensorExprs();
  live.insert(exprs.begin(), exprs.end());
  std::unordered_map<const TensorView*, std::vector<TensorView*>> copies;
  for (TensorView* tv : fusion->tensors()) {
    if (tv->repeated() != nullptr) {
      copies[tv->repeated()].push_back(tv);
    }
  }
  const AlikeReshapes reshapes(exprs);
  const AlikeReductions reductions = alikeReductionsOf(exprs);
  const RejoinedRows rejoined(exprs);
  std::unordered_set<const TensorView*> done{reference};
  // The neighbour that shares the most dimensions with the reference is visited first: what a
  // tensor receives has then lost as little as possible on the way.
  std::priority_queue<Edge> queue;
  Ways ways;
  int64_t order = 0;
  const auto push = [&](TensorView* from, bool isDirect, int64_t weight, int64_t most) {
    // What is passed on of what `from` received: all but what there are no pairs of, and, to a
    // neighbour, at least what there are pairs of, since one dimension may stand for several that a
    // reshape has merged.
    const auto add = [&](Expr* expr, TensorView* to, const DomainPairs& pairs,
                         const std::vector<IterDomain*>& dims) {
      const auto mapped = static_cast<int64_t>(pairs.size());
      const int64_t concrete = std::ranges::count_if(pairs, [](const auto& pair) {
        return !pair.first->isBroadcast() && !pair.second->isBroadcast();
      });
      const auto received = static_cast<int64_t>(dims.size());
      const int64_t receivedConcrete =
          std::ranges::count_if(dims, [](const IterDomain* id) { return !id->isBroadcast(); });
      const auto passedOn = [&](int64_t before, int64_t paired, int64_t all) {
        const int64_t least = expr == nullptr ? 0 : paired;
        return std::min(before, std::max(least, before - (all - paired)));
      };
      queue.push({passedOn(weight, mapped, received), passedOn(most, concrete, receivedConcrete),
                  isDirect && (expr == nullptr || !from->isFusionInput()), order++, expr, from,
                  to});
    };
    const auto consider = [&](Expr* expr, TensorView* to, const TensorView* p,
                              const TensorView* c) {
      add(expr, to, ways.carriedOver(expr, from, to), from == c ? c->maybeRoot() : p->logical());
    };
    if (from->definition() != nullptr && live.contains(from->definition())) {
      for (Val* in : from->definition()->inputs()) {
        if (in->isTensor()) {
          consider(from->definition(), in->asTensor(), in->asTensor(), from);
        }
      }
    }
    for (Expr* use : from->uses()) {
      if (!live.contains(use)) {
        continue;
      }
      for (Val* out : use->outputs()) {
        consider(use, out->asTensor(), from, out->asTensor());
      }
    }
    // Of numbers that are counted, a copy has no other neighbour in common with the original.
    std::vector<TensorView*> alike = copies[from];
    if (from->repeated() != nullptr) {
      alike.push_back(from->repeated());
    }
    for (const std::vector<TensorView*>& others :
         {reshapes.of(from), reductions.of(from), rejoined.of(from)}) {
      std::ranges::copy_if(others, std::back_inserter(alike),
                           [&](const TensorView* tv) { return !done.contains(tv); });
    }
    if (alike.empty()) {
      return;
    }
    // What the loops of `from` leave a part out of, those of the others would, too.
    const auto lost = above(transformsBetween(from->logical(), from->loop()), &Expr::is<Resize>);
    for (TensorView* to : alike) {
      DomainPairs pairs = rejoined.pairs(from, to);
      std::erase_if(pairs, [&](const auto& pair) { return lost.contains(pair.first); });
      add(nullptr, to, pairs, from->logical());
    }
  };
  const auto rank = static_cast<int64_t>(reference->logical().size());
  push(reference, true, rank, rank);
  while (!queue.empty()) {
    const Edge edge = queue.top();
    queue.pop();
    if (done.contains(edge.to) || (!wanted.empty() && !wanted.contains(edge.to))) {
      continue;
    }
    std::vector<IterDomain*> loops = edge.from->loop();
    if (edge.from == reference && count >= 0) {
      loops.resize(static_cast<size_t>(count));
    }
    if (edge.expr == nullptr) {
      done.insert(edge.to);
      replayRepeated(edge.to, edge.from, rejoined.pairs(edge.from, edge.to), loops);
      push(edge.to, edge.isDirect, edge.weight, edge.concrete);
      continue;
    }
    const bool toProducer =
        std::ranges::find(edge.expr->inputs(), edge.to) != edge.expr->inputs().end();
    const bool isResized = edge.expr->is<SliceOp>() || edge.expr->is<PadOp>();
    if (toProducer && isResized && !isOnlyUse(edge.to)) {
      // In loops around it, the tensor would be computed whole in each iteration.
      continue;
    }
    done.insert(edge.to);
    if (toProducer) {
      replayProducer(edge.to, edge.from, edge.expr, loops, ways);
    } else {
      replayConsumer(edge.to, edge.from, edge.expr, loops);
    }
    push(edge.to, edge.isDirect, edge.weight, edge.concrete);
  }
}

namespace {

// Copies parallel types between corresponding loops of `producer` and `consumer`, where one of the
// two has none. Returns whether anything changed.
bool alignParallelTypes(const Expr* expr, TensorView* producer, TensorView* consumer,
                        const std::unordered_set<ParallelType>& types, bool toProducer,
                        bool toConsumer) {
  // Loops of one element may correspond to several, but threads are those of one loop.
  const auto isWanted = [&](ParallelType type, const TensorView* other) {
    return type != ParallelType::Serial && (types.empty() || types.contains(type)) &&
           (!isThreadType(type) || std::ranges::none_of(other->loop(), [&](const IterDomain* id) {
             return id->parallelType() == type;
           }));
  };
  // Loops of dimensions that both lack correspond with all of that extent: those in the same place
  // are the ones.
  const std::vector<IterDomain*>& ofProducer = producer->loop();
  const std::vector<IterDomain*>& ofConsumer = consumer->loop();
  std::vector<bool> isInPlace(std::max(ofProducer.size(), ofConsumer.size()));
  for (size_t i = 0; i < std::min(ofProducer.size(), ofConsumer.size()); ++i) {
    isInPlace[i] = loopsCorrespond(expr, producer, ofProducer[i], consumer, ofConsumer[i]);
  }
  bool changed = false;
  std::unordered_set<const IterDomain*> taken;
  for (size_t i = 0; i < ofProducer.size(); ++i) {
    IterDomain* p = ofProducer[i];
    for (size_t j = 0; j < ofConsumer.size(); ++j) {
      IterDomain* c = ofConsumer[j];
      const bool forward =
          toConsumer && !c->isParallelized() && isWanted(p->parallelType(), consumer);
      const bool backward =
          toProducer && !p->isParallelized() && isWanted(c->parallelType(), producer);
      const bool mayCorrespond = i == j ? isInPlace[i] : !isInPlace[i] && !isInPlace[j];
      if ((!forward && !backward) || !mayCorrespond || taken.contains(c) ||
          (i != j && !loopsCorrespond(expr, producer, p, consumer, c))) {
        continue;
      }
      taken.insert(c);
      if (forward) {
        c->parallelize(p->parallelType());
      } else {
        p->parallelize(c->parallelType());
      }
      changed = true;
      break;
    }
  }
  return changed;
}

// The same between a tensor and what computes it again, or reduces alike, whose loops are in the
// same places.
bool alignRepeated(TensorView* original, TensorView* copy,
                   const std::unordered_set<ParallelType>& types, bool toOriginal, bool toCopy) {
  bool changed = false;
  const size_t count = std::min(original->loop().size(), copy->loop().size());
  for (size_t i = 0; i < count; ++i) {
    IterDomain* a = original->loop()[i];
    IterDomain* b = copy->loop()[i];
    const auto isWanted = [&](const IterDomain* id) {
      return id->isParallelized() && (types.empty() || types.contains(id->parallelType()));
    };
    if (!scalar::same(a->extent(), b->extent())) {
      break;
    }
    if (toCopy && isWanted(a) && !b->isParallelized()) {
      b->parallelize(a->parallelType());
      changed = true;
    } else if (toOriginal && isWanted(b) && !a->isParallelized()) {
      a->parallelize(b->parallelType());
      changed = true;
    }
  }
  return changed;
}

}  // namespace

void propagateParallelTypes(TensorView* reference, const std::vector<TensorView*>& selected,
                            const std::unordered_set<ParallelType>& types) {
  const std::vector<TensorView*> targets =
      selected.empty() ? reference->fusion()->tensors() : selected;
  std::unordered_set<const TensorView*> reached(targets.begin(), targets.end());
  const auto isTarget = [&](const TensorView* tv) {
    return tv != reference && reached.contains(tv);
  };
  // From neighbour to neighbour. Inputs have no loops of their own, but their consumers correspond
  // with each other through them.
  std::vector<IterDomain*> ofInputs;
  const auto note = [&](const TensorView* tv) {
    if (tv->isFusionInput()) {
      std::ranges::copy_if(tv->loop(), std::back_inserter(ofInputs),
                           [](IterDomain* id) { return !id->isParallelized(); });
    }
  };
  const std::vector<Expr*> exprs = reference->fusion()->tensorExprs();
  const AlikeReductions reductions = alikeReductionsOf(exprs);
  for (bool changed = true; changed;) {
    changed = false;
    for (TensorView* tv : targets) {
      TensorView* original = tv->repeated();
      if (original != nullptr && (isTarget(original) || original == reference)) {
        changed = alignRepeated(original, tv, types, isTarget(original), isTarget(tv)) || changed;
      }
      for (TensorView* other : reductions.of(tv)) {
        if (isTarget(other) || other == reference) {
          changed = alignRepeated(other, tv, types, isTarget(other), isTarget(tv)) || changed;
        }
      }
    }
    for (Expr* expr : exprs) {
      for (Val* in : expr->inputs()) {
        if (!in->isTensor()) {
          continue;
        }
        for (Val* out : expr->outputs()) {
          TensorView* producer = in->asTensor();
          TensorView* consumer = out->asTensor();
          const bool connects = (isTarget(producer) || producer == reference) &&
                                (isTarget(consumer) || consumer == reference);
          if (connects) {
            note(producer);
            changed = alignParallelTypes(expr, producer, consumer, types, isTarget(producer),
                                         isTarget(consumer)) ||
                      changed;
          }
        }
      }
    }
  }
  for (IterDomain* id : ofInputs) {
    id->parallelize(ParallelType::Serial);
  }
}

namespace {

// Rows stay what they are where they are aligned.
const IterDomain* beforeAlign(const IterDomain* id) {
  const auto* align = id->definition() == nullptr ? nullptr : id->definition()->as<Align>();
  return align != nullptr && id == align->outRow() ? align->inRow() : id;
}

}  // namespace

bool loopsCorrespond(const Expr* expr, const TensorView* producer, const IterDomain* producerLoop,
                     const TensorView* consumer, const IterDomain* consumerLoop) {
  const DomainMap map = producerToConsumer(expr, producer, consumer);
  const bool isReshape = expr->is<ReshapeOp>();
  // Whether the consumer takes part in a loop of nothing but dimensions that are squeezed.
  const auto isSqueezed = [&](const IterDomain* p, const IterDomain* c) {
    const auto& logical = consumer->logical();
    return expr->is<SqueezeOp>() && p->isBroadcast() && c->isBroadcast() &&
           c->definition() == nullptr && scalar::same(p->extent(), c->extent()) &&
           std::ranges::find(logical, c) == logical.end() &&
           std::ranges::none_of(map, [&](const auto& pair) { return comesFrom(p, pair.first); });
  };
  // All must match, each pair once: several ways lead to domains that were split and merged again.
  std::set<std::pair<const IterDomain*, const IterDomain*>> seen;
  const std::function<bool(const IterDomain*, const IterDomain*)> match =
      [&](const IterDomain* p, const IterDomain* c) -> bool {
    p = beforeAlign(p);
    c = beforeAlign(c);
    // What the producer has as it is may have been merged by the consumer before it was split.
    if (isReshape &&
        (p->definition() == nullptr || !p->definition()->is<Split>() || map.contains(p))) {
      c = beforeMerges(c);
    }
    if (const auto known = map.find(p); known != map.end()) {
      // A broadcast domain of both may be expanded in the consumer's loops only. One that the
      // consumer has elements along, more than one, makes other loops of what it is merged with or
      // split into.
      const bool isOneElement = c->isBroadcast() || c->extent()->isConstInt(1);
      return known->second == c && (p == producerLoop || p->isBroadcast() == isOneElement);
    }
    if (isSqueezed(p, c)) {
      return true;
    }
    const Expr* pDefinition = p->definition();
    const Expr* cDefinition = c->definition();
    const bool isLogical = std::ranges::find(producer->logical(), p) != producer->logical().end();
    if (pDefinition == nullptr) {
      // A loop the producer only takes part in.
      return !isLogical && p->isBroadcast() && scalar::same(p->extent(), c->extent());
    }
    if (isLogical) {
      return false;
    }
    if (const auto* broadcast = pDefinition->as<BroadcastTo>()) {
      if (!scalar::same(p->extent(), c->extent())) {
        return false;
      }
      const auto known = map.find(broadcast->in());
      if (known == map.end()) {
        // The dimension does not exist in the consumer (it was squeezed): the loop is only shared.
        return true;
      }
      if (known->second == c) {
        return true;
      }
      // Expanded in both, or cut and padded by the consumer: the one element is that of each place.
      const Expr* above = cDefinition;
      while (above != nullptr && above->is<Resize>() && above->input(0) != known->second) {
        above = static_cast<const IterDomain*>(above->input(0))->definition();
      }
      return above != nullptr && (above->is<BroadcastTo>() || above->is<Resize>()) &&
             above->input(0) == known->second;
    }
    if (cDefinition == nullptr || cDefinition->kind() != pDefinition->kind() ||
        cDefinition->attributes() != pDefinition->attributes()) {
      return false;
    }
    for (size_t i = 0; i < pDefinition->operands().size(); ++i) {
      if (!scalar::same(pDefinition->operands()[i], cDefinition->operands()[i])) {
        return false;
      }
    }
    for (size_t i = 0; i < pDefinition->outputs().size(); ++i) {
      if ((pDefinition->output(i) == p) != (cDefinition->output(i) == c)) {
        return false;
      }
    }
    for (size_t i = 0; i < pDefinition->inputs().size(); ++i) {
      const auto* pIn = static_cast<const IterDomain*>(pDefinition->input(i));
      const auto* cIn = static_cast<const IterDomain*>(cDefinition->input(i));
      if (seen.emplace(pIn, cIn).second && !match(pIn, cIn)) {
        return false;
      }
    }
    return true;
  };
  return match(producerLoop, consumerLoop);
}

}  // namespace nvfuser
