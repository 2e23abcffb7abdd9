// Inlining: the deepest legal compute-at position of every tensor.

#include <algorithm>
#include <unordered_set>

#include "schedule/loop_tree.h"
#include "schedule/propagate.h"
#include "schedule/scan_loops.h"

namespace nvfuser {

namespace {

// Loops whose iterations are executed as one (vectorize, unroll) are not shared: the tensor keeps
// all of their elements at a time.
bool isGroupedLoop(const IterDomain* id) {
  return id->parallelType() == ParallelType::Vectorize ||
         id->parallelType() == ParallelType::Unroll || id->parallelType() == ParallelType::Tma;
}

// Whether threads or blocks divide one of the loops in another way than the other one.
bool dividesDifferently(const IterDomain* a, const IterDomain* b) {
  return a->parallelType() != b->parallelType() &&
         (isThreadType(a->parallelType()) || isThreadType(b->parallelType()));
}

int64_t deepestPosition(const TensorView* producer, const std::unordered_set<const Expr*>& live) {
  int64_t position = producer->nLoops();
  bool anyUse = false;
  for (const Expr* use : producer->uses()) {
    if (!live.contains(use)) {
      continue;
    }
    anyUse = true;
    const TensorView* consumer = use->output(0)->asTensor();
    int64_t k = 0;
    while (k < position && k < consumer->nLoops()) {
      const IterDomain* p = producer->axis(k);
      const IterDomain* c = consumer->axis(k);
      if (p->isReduction() || dividesScan(producer, k) || isGroupedLoop(p) || isGroupedLoop(c) ||
          dividesDifferently(p, c) || !loopsCorrespond(use, producer, p, consumer, c)) {
        break;
      }
      ++k;
    }
    position = k;
  }
  return anyUse ? position : 0;
}

}  // namespace

void updateProduceAt(const std::vector<Expr*>& exprs) {
  for (Expr* expr : exprs) {
    int64_t position = 0;
    for (Val* in : expr->inputs()) {
      if (in->isTensor()) {
        position = std::max(position, in->asTensor()->computeAt());
      }
    }
    for (Val* out : expr->outputs()) {
      out->asTensor()->setProduceAt(position);
    }
  }
}

void inlineMost(Fusion* fusion, const std::vector<TensorView*>& selected,
                const std::unordered_map<const TensorView*, int64_t>& limits) {
  const std::vector<Expr*> exprs = fusion->tensorExprs();
  const std::unordered_set<const Expr*> live(exprs.begin(), exprs.end());
  const std::unordered_set<const TensorView*> wanted(selected.begin(), selected.end());
  // Consumers first: a tensor between a reduction and its late consumer is then the one that
  // is persistent.
  std::vector<TensorView*> candidates;
  for (auto expr = exprs.rbegin(); expr != exprs.rend(); ++expr) {
    TensorView* tv = (*expr)->output(0)->asTensor();
    if (wanted.empty() || wanted.contains(tv)) {
      tv->setComputeAt(0);
      candidates.push_back(tv);
    }
  }
  for (TensorView* tv : candidates) {
    const auto limit = limits.find(tv);
    const int64_t deepest = deepestPosition(tv, live);
    tv->setComputeAt(limit == limits.end() ? deepest : std::min(deepest, limit->second));
  }
  // All at their deepest is usually legal at once; otherwise tensors give way one after the other.
  if (!LoopTree::check(exprs).empty()) {
    std::vector<int64_t> deepest;
    for (TensorView* tv : candidates) {
      deepest.push_back(tv->computeAt());
      tv->setComputeAt(0);
    }
    for (size_t i = 0; i < candidates.size(); ++i) {
      for (int64_t position = deepest[i]; position >= 0; --position) {
        candidates[i]->setComputeAt(position);
        if (position == 0 || LoopTree::check(exprs).empty()) {
          break;
        }
      }
    }
  }
  updateProduceAt(exprs);
}

}  // namespace nvfuser
