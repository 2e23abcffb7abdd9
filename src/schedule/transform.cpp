// The transforms of a tensor's loop domain and the insertion of copies around a tensor: the methods
// of TensorView that a schedule is made of.

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_set>

#include "core/error.h"
#include "ir/fusion.h"
#include "ir/logical_map.h"
#include "ir/scalar.h"
#include "schedule/rejoined.h"

namespace nvfuser {

namespace {

int64_t wrapAxis(const TensorView* tv, int64_t axis) {
  const int64_t wrapped = axis < 0 ? axis + tv->nLoops() : axis;
  NVF_CHECK(wrapped >= 0 && wrapped < tv->nLoops(), "Tried to access out of boundary index ", axis,
            ": ", tv->toString(), " has ", tv->nLoops(), " loop domains");
  return wrapped;
}

// What a tensor shares with others it shares with all transforms: those come first.
void checkNotInlined(const TensorView* tv, int64_t position, const char* what) {
  const int64_t shared = std::max(tv->computeAt(), tv->produceAt());
  NVF_CHECK(position >= shared, "Cannot ", what, " loop ", position, " of ", tv->toString(),
            ": its outermost ", shared,
            " loops are shared with other tensors; transform tensors before they are inlined");
}

// A mark is about the loop as it is.
void checkNotMarked(const IterDomain* id, const char* what) {
  NVF_CHECK(id->marks() == LoopMarks{}, "Cannot ", what, " the loop ", id->toString(),
            ", which is marked: transform loops before they are marked");
}

IterType mergedType(const IterDomain* a, const IterDomain* b) {
  if (a->isBroadcast()) {
    return b->iterType();
  }
  if (b->isBroadcast() || a->iterType() == b->iterType()) {
    return a->iterType();
  }
  fail("Cannot merge a reduction with a non-reduction domain: ", a->toString(), " and ",
       b->toString());
}

}  // namespace

TensorView* TensorView::split(int64_t axisIndex, int64_t factor, bool innerSplit) {
  return split(axisIndex, scalar::constant(fusion(), factor), innerSplit);
}

TensorView* TensorView::split(int64_t axisIndex, Val* factor, bool innerSplit) {
  NVF_CHECK(!factor->isConstInt() || factor->constInt() > 0,
            "Expected a positive split factor for ", toString(), " but got ", factor->toString());
  const int64_t position = wrapAxis(this, axisIndex);
  checkNotInlined(this, position, "split");
  IterDomain* in = loop()[position];
  NVF_CHECK(!in->isParallelized(),
            "Splitting an axis of a parallelized domain is not supported: ", in->toString(), " of ",
            toString());
  checkNotMarked(in, "split");
  // Of what was merged of such parts no part is smaller.
  const Expr* before = beforeMerges(in)->definition();
  const auto* merge = before == nullptr || !innerSplit ? nullptr : before->as<Merge>();
  Val* rest = merge != nullptr && scalar::same(merge->inner()->extent(), factor)
                  ? merge->outer()->extent()
                  : scalar::ceilDiv(in->extent(), factor);
  IterDomain::Options options;
  options.iterType = in->iterType();
  auto* outer = fusion()->create<IterDomain>(innerSplit ? rest : factor, options);
  auto* inner = fusion()->create<IterDomain>(innerSplit ? factor : rest, options);
  fusion()->create<Split>(outer, inner, in, factor, innerSplit);
  std::vector<IterDomain*> domains = loop();
  domains[position] = inner;
  domains.insert(domains.begin() + position, outer);
  domain_->setLoop(std::move(domains));
  return this;
}

TensorView* TensorView::merge(int64_t outerAxis, int64_t innerAxis) {
  const int64_t outerPosition = wrapAxis(this, outerAxis);
  const int64_t innerPosition = wrapAxis(this, innerAxis);
  NVF_CHECK(outerPosition != innerPosition, "Expected two different axes to merge in ", toString(),
            " but got ", outerAxis, " twice");
  checkNotInlined(this, std::min(outerPosition, innerPosition), "merge");
  IterDomain* outer = loop()[outerPosition];
  IterDomain* inner = loop()[innerPosition];
  NVF_CHECK(!outer->isParallelized() && !inner->isParallelized(),
            "Merging parallelized domains is not supported: ", outer->toString(), " and ",
            inner->toString());
  checkNotMarked(outer, "merge");
  checkNotMarked(inner, "merge");
  IterDomain::Options options;
  options.iterType = mergedType(outer, inner);
  auto* out = fusion()->create<IterDomain>(scalar::mul(outer->extent(), inner->extent()), options);
  fusion()->create<Merge>(out, outer, inner);
  std::vector<IterDomain*> domains = loop();
  domains[outerPosition] = out;
  domains.erase(domains.begin() + innerPosition);
  domain_->setLoop(std::move(domains));
  return this;
}

TensorView* TensorView::reorder(const std::unordered_map<int64_t, int64_t>& oldToNew) {
  std::vector<IterDomain*> reordered(loop().size(), nullptr);
  std::vector<bool> moved(loop().size(), false);
  for (const auto& [from, to] : oldToNew) {
    const int64_t source = wrapAxis(this, from);
    const int64_t target = wrapAxis(this, to);
    if (source != target) {
      checkNotInlined(this, std::min(source, target), "reorder");
    }
    NVF_CHECK(!moved[source] && reordered[target] == nullptr,
              "Duplicate entries in transformation map for ", toString());
    reordered[target] = loop()[source];
    moved[source] = true;
  }
  size_t next = 0;
  for (IterDomain*& slot : reordered) {
    if (slot == nullptr) {
      while (moved[next]) {
        ++next;
      }
      slot = loop()[next++];
    }
  }
  domain_->setLoop(std::move(reordered));
  return this;
}

TensorView* TensorView::swizzle(int64_t x, int64_t y) {
  const int64_t xPosition = wrapAxis(this, x);
  const int64_t yPosition = wrapAxis(this, y);
  checkNotInlined(this, std::min(xPosition, yPosition), "swizzle");
  IterDomain* inX = loop()[xPosition];
  IterDomain* inY = loop()[yPosition];
  NVF_CHECK(inX->isReduction() == inY->isReduction(),
            "Cannot swizzle a reduced and another axis: ", inX->toString(), " and ",
            inY->toString());
  NVF_CHECK(xPosition != yPosition && inX->extent()->isConstInt() &&
                scalar::same(inX->extent(), inY->extent()) &&
                (inX->extent()->constInt() & (inX->extent()->constInt() - 1)) == 0,
            "Expected two axes of the same constant extent, a power of two, to swizzle, but got ",
            inX->toString(), " and ", inY->toString());
  auto* outX = inX->cloneWithoutRFactor();
  auto* outY = inY->cloneWithoutRFactor();
  fusion()->create<Swizzle>(outX, outY, inX, inY);
  std::vector<IterDomain*> domains = loop();
  domains[xPosition] = outX;
  domains[yPosition] = outY;
  domain_->setLoop(std::move(domains));
  return this;
}

TensorView* TensorView::alignRows(int64_t row, int64_t x, int64_t width) {
  const int64_t rowPosition = wrapAxis(this, row);
  const int64_t xPosition = wrapAxis(this, x);
  checkNotInlined(this, std::min(rowPosition, xPosition), "alignRows");
  NVF_CHECK(rowPosition != xPosition && std::has_single_bit(static_cast<uint64_t>(width)),
            "Expected two axes and a power of two to align rows, but got ", row, ", ", x, " and ",
            width);
  IterDomain* inRow = loop()[rowPosition];
  IterDomain* inX = loop()[xPosition];
  IterDomain::Options options;
  options.iterType = inX->iterType();
  auto* outRow = inRow->cloneWithoutRFactor();
  auto* outX = fusion()->create<IterDomain>(
      scalar::add(inX->extent(), scalar::constant(fusion(), width - 1)), options);
  fusion()->create<Align>(outRow, outX, inRow, inX, scalar::constant(fusion(), width));
  std::vector<IterDomain*> domains = loop();
  domains[rowPosition] = outRow;
  domains[xPosition] = outX;
  domain_->setLoop(std::move(domains));
  return this;
}

TensorView* TensorView::rFactor(const std::vector<int64_t>& axes) {
  auto* reduction = definition() == nullptr ? nullptr : definition()->as<ReductionOp>();
  NVF_CHECK(reduction != nullptr,
            "rfactor needs a tensor that is the result of a reduction: ", toString());
  checkNotInlined(this, 0, "rfactor");
  std::unordered_set<const IterDomain*> factored;
  for (int64_t axisIndex : axes) {
    IterDomain* id = axis(axisIndex);
    NVF_CHECK(id->isReduction(), "rfactor takes reduction axes, but ", id->toString(), " of ",
              toString(), " is none");
    factored.insert(id);
  }
  const auto loopReductions =
      std::ranges::count_if(loop(), [](IterDomain* id) { return id->isReduction(); });
  NVF_CHECK(!factored.empty() && static_cast<int64_t>(factored.size()) < loopReductions,
            "rfactor needs at least one reduction axis to factor out and one to leave in ",
            toString());

  Fusion* container = fusion();
  // The new producer replays all transforms, those of an rfactor before this one included. Its
  // reduced leaves become logical dimensions: those that are factored out stay reductions, the
  // others are what the consumer reduces.
  std::unordered_map<const IterDomain*, IterDomain*> toProducer;
  std::vector<IterDomain*> producerRoot;
  for (IterDomain* id : maybeRoot()) {
    producerRoot.push_back(id->cloneWithoutRFactor());
    toProducer[id] = producerRoot.back();
  }
  // Iteration transforms are replayed on the consumer, too.
  std::unordered_map<const IterDomain*, IterDomain*> toConsumer;
  std::vector<IterDomain*> consumerLogical;
  for (IterDomain* id : logical()) {
    if (!id->isReduction()) {
      toConsumer[id] = id->cloneWithoutRFactor();
      consumerLogical.push_back(toConsumer[id]);
    }
  }
  const auto isLoop = [&](const IterDomain* id) {
    return std::ranges::find(loop(), id) != loop().end();
  };
  const auto replay = [&](Expr* transform, std::unordered_map<const IterDomain*, IterDomain*>& map,
                          bool makesLogical) {
    std::vector<IterDomain*> ins;
    for (Val* in : transform->inputs()) {
      auto* id = static_cast<IterDomain*>(in);
      if (!map.contains(id)) {
        // A loop that the tensor only takes part in.
        map[id] = id->cloneWithoutRFactor();
      }
      ins.push_back(map.at(id));
    }
    std::vector<IterDomain*> outs;
    for (Val* out : transform->outputs()) {
      auto* id = static_cast<IterDomain*>(out);
      IterDomain::Options options;
      options.iterType = id->iterType();
      options.isRFactor = makesLogical;
      if (makesLogical && id->isReduction() && isLoop(id) && !factored.contains(id)) {
        options.iterType = IterType::Iteration;
      }
      outs.push_back(container->create<IterDomain>(id->extent(), options));
      map[id] = outs.back();
    }
    if (auto* split = transform->as<Split>()) {
      container->create<Split>(outs[0], outs[1], ins[0], split->factor(), split->innerSplit());
    } else if (transform->is<Merge>()) {
      container->create<Merge>(outs[0], ins[0], ins[1]);
    } else {
      fail("rfactor does not support the transform ", transform->toString());
    }
  };
  for (Expr* transform : transformsBetween(maybeRoot(), logical())) {
    replay(transform, toProducer, /*makesLogical=*/true);
  }
  for (Expr* transform : transformsBetween(logical(), loop())) {
    // A broadcast domain merged with a reduced one is reduced with it.
    const bool onReduction = static_cast<IterDomain*>(transform->output(0))->isReduction();
    replay(transform, toProducer, onReduction);
    if (!onReduction) {
      replay(transform, toConsumer, /*makesLogical=*/false);
    }
  }
  std::vector<IterDomain*> producerLogical;
  for (IterDomain* id : logical()) {
    if (!id->isReduction()) {
      producerLogical.push_back(toProducer.at(id));
    }
  }
  std::vector<IterDomain*> producerLoop;
  std::vector<IterDomain*> consumerLoop;
  for (IterDomain* id : loop()) {
    for (auto* map : {&toProducer, &toConsumer}) {
      if (id->definition() == nullptr && !map->contains(id) && id->isBroadcast()) {
        (*map)[id] = id->cloneWithoutRFactor();
      }
    }
    IterDomain* mine = toProducer.at(id);
    if (id->isReduction()) {
      if (!factored.contains(id) && mine->isReduction()) {
        // An untransformed reduction dimension that stays: in the producer it is an iteration.
        auto* iteration = mine->cloneAs(IterType::Iteration);
        std::ranges::replace(producerRoot, mine, iteration);
        mine = iteration;
      }
      producerLogical.push_back(mine);
      if (!factored.contains(id)) {
        auto* reduced = id->cloneAs(IterType::Reduction);
        consumerLogical.push_back(reduced);
        consumerLoop.push_back(reduced);
      }
    } else {
      consumerLoop.push_back(toConsumer.at(id));
    }
    mine->parallelize(id->parallelType());
    mine->setMarks(id->marks());
    producerLoop.push_back(mine);
    if (!factored.contains(id)) {
      consumerLoop.back()->parallelize(id->parallelType());
      consumerLoop.back()->setMarks(id->marks());
    }
  }
  auto* producerDomain = container->create<TensorDomain>(
      producerRoot, producerLogical, std::vector<IterDomain*>{}, producerLoop,
      TensorDomain::fullContiguity(producerLogical, true));
  auto* producer = container->create<TensorView>(producerDomain, dtype());
  auto* consumerDomain = container->create<TensorDomain>(
      std::vector<IterDomain*>{}, consumerLogical, std::vector<IterDomain*>{}, consumerLoop,
      TensorDomain::fullContiguity(consumerLogical, true));
  const BinaryOpType type = reduction->type();
  Val* init = reduction->init();
  container->moveDefinition(this, producer);
  setDomain(consumerDomain);
  container->create<ReductionOp>(type, init, this, producer);
  return producer;
}

namespace {

// A tensor with the dimensions a consumer of `like` sees, not scheduled.
TensorView* tensorLike(TensorView* like, DataType dtype) {
  std::vector<IterDomain*> logical;
  for (IterDomain* id : like->visible()) {
    logical.push_back(id->cloneWithoutRFactor());
  }
  auto* domain = like->fusion()->create<TensorDomain>(std::vector<IterDomain*>{}, logical,
                                                      std::vector<IterDomain*>{}, logical,
                                                      TensorDomain::fullContiguity(logical, true));
  return like->fusion()->create<TensorView>(domain, dtype);
}

}  // namespace

TensorView* TensorView::cacheAfter(LoadStoreOpType opType, CacheOp cacheOp,
                                   std::vector<Expr*> cachedUses) {
  NVF_CHECK(!uses().empty(), "cache_after needs a tensor with consumers: ", toString());
  for (Expr* use : cachedUses) {
    NVF_CHECK(std::ranges::find(uses(), use) != uses().end(), "cache_after: not a use of ",
              toString(), ": ", use->toString());
  }
  if (cachedUses.empty()) {
    cachedUses = uses();
  }
  TensorView* copy = tensorLike(this, dtype());
  for (Expr* use : cachedUses) {
    fusion()->replaceInput(use, this, copy);
  }
  fusion()->create<LoadStoreOp>(opType, cacheOp, copy, this);
  return copy;
}

TensorView* TensorView::cacheBefore(LoadStoreOpType opType, CacheOp cacheOp) {
  NVF_CHECK(definition() != nullptr, "cache_before needs a tensor that is computed: ", toString());
  // The producer takes over the domain with its transforms; this tensor starts afresh.
  TensorView* producer = fusion()->create<TensorView>(domain_, dtype());
  TensorView* fresh = tensorLike(this, dtype());
  TensorDomain* freshDomain = fresh->domain();
  if (domain_->hasAllocation()) {
    const auto old = visible();
    std::vector<IterDomain*> allocation;
    TensorDomain::Contiguity contiguity;
    for (size_t i = 0; i < domain_->allocation().size(); ++i) {
      IterDomain* id = domain_->allocation()[i];
      if (id->isReduction()) {
        // Takes no memory.
        continue;
      }
      const auto position = std::ranges::find(old, id) - old.begin();
      NVF_CHECK(position < static_cast<int64_t>(old.size()),
                "cache_before: the allocation domain of ", toString(),
                " is not a permutation of its logical domain");
      allocation.push_back(freshDomain->logical()[position]);
      contiguity.push_back(domain_->contiguity()[i]);
    }
    freshDomain->setAllocation(std::move(allocation), std::move(contiguity));
    domain_->setAllocation({}, TensorDomain::fullContiguity(domain_->logical(), true));
  }
  fusion()->moveDefinition(this, producer);
  setDomain(freshDomain);
  fusion()->create<LoadStoreOp>(opType, cacheOp, this, producer);
  return producer;
}

}  // namespace nvfuser
