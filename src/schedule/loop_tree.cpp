#include "schedule/loop_tree.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "core/disjoint_sets.h"
#include "core/error.h"
#include "schedule/scan_loops.h"

namespace nvfuser {

namespace {

class Builder {
 public:
  explicit Builder(const std::vector<Expr*>& exprs) : exprs_(exprs) {
    for (size_t e = 0; e < exprs.size(); ++e) {
      position_[exprs[e]] = e;
      firstLoop_.push_back(groups_.size());
      for (int64_t k = 0; k < tensorOf(e)->nLoops(); ++k) {
        groups_.add();
      }
    }
    for (size_t e = 0; e < exprs.size(); ++e) {
      for (Val* in : exprs[e]->inputs()) {
        if (!in->isTensor() || in->definition() == nullptr ||
            !position_.contains(in->definition())) {
          continue;
        }
        const size_t producer = position_.at(in->definition());
        dependencies_.emplace_back(producer, e);
        const int64_t shared = in->asTensor()->computeAt();
        for (int64_t k = 0; k < shared && k < tensorOf(e)->nLoops(); ++k) {
          groups_.join(firstLoop_[producer] + k, firstLoop_[e] + k);
        }
      }
    }
  }

  // Empty when the nest exists; fills `items` when given.
  std::string run(std::vector<LoopNode::Item>* items) {
    for (const auto& [producer, consumer] : dependencies_) {
      const TensorView* tv = tensorOf(producer);
      const int64_t common = commonDepth(producer, consumer);
      if (common != tv->computeAt()) {
        return concatenate("the loops of ", tv->toString(), " and of its consumer ",
                           tensorOf(consumer)->toString(), " coincide ", common,
                           " deep, although the compute-at position is ", tv->computeAt());
      }
      for (int64_t k = 0; k < common; ++k) {
        if (tv->axis(k)->isReduction()) {
          return concatenate("the reduction loop ", tv->axis(k)->toString(),
                             " is shared with a consumer of its result");
        }
        if (dividesScan(tv, k)) {
          return concatenate("the loop ", tv->axis(k)->toString(), " that divides the scan of ",
                             tv->toString(), " among threads is shared with a consumer of it");
        }
      }
    }
    std::vector<size_t> all(exprs_.size());
    std::iota(all.begin(), all.end(), size_t{0});
    return order(all, 0, items);
  }

 private:
  TensorView* tensorOf(size_t e) const { return exprs_[e]->output(0)->asTensor(); }

  size_t group(size_t e, int64_t depth) const {
    return groups_.find(firstLoop_[e] + static_cast<size_t>(depth));
  }

  int64_t commonDepth(size_t a, size_t b) const {
    const int64_t limit = std::min(tensorOf(a)->nLoops(), tensorOf(b)->nLoops());
    int64_t depth = 0;
    while (depth < limit && group(a, depth) == group(b, depth)) {
      ++depth;
    }
    return depth;
  }

  // Orders the expressions `members`, which share all loops above `depth`.
  std::string order(const std::vector<size_t>& members, int64_t depth,
                    std::vector<LoopNode::Item>* items) {
    // A child is a loop group at this depth or a single expression without one.
    std::map<std::pair<bool, size_t>, size_t> childIndex;
    std::vector<std::vector<size_t>> children;
    std::vector<size_t> childOf(exprs_.size(), SIZE_MAX);
    for (size_t e : members) {
      const bool isLoop = tensorOf(e)->nLoops() > depth;
      const auto [it, isNew] =
          childIndex.try_emplace({isLoop, isLoop ? group(e, depth) : e}, children.size());
      if (isNew) {
        children.emplace_back();
      }
      children[it->second].push_back(e);
      childOf[e] = it->second;
    }
    std::vector<std::set<size_t>> successors(children.size());
    std::vector<size_t> blockers(children.size(), 0);
    for (const auto& [producer, consumer] : dependencies_) {
      const size_t from = childOf[producer];
      const size_t to = childOf[consumer];
      if (from != SIZE_MAX && to != SIZE_MAX && from != to && successors[from].insert(to).second) {
        ++blockers[to];
      }
    }
    // Among what is ready, the order of definition.
    std::set<std::pair<size_t, size_t>> ready;
    for (size_t c = 0; c < children.size(); ++c) {
      if (blockers[c] == 0) {
        ready.emplace(children[c].front(), c);
      }
    }
    size_t placed = 0;
    while (!ready.empty()) {
      const size_t c = ready.begin()->second;
      ready.erase(ready.begin());
      ++placed;
      const bool isLoop = tensorOf(children[c].front())->nLoops() > depth;
      if (!isLoop) {
        if (items != nullptr) {
          items->emplace_back(exprs_[children[c].front()]);
        }
      } else {
        std::vector<LoopNode::Item>* body = nullptr;
        if (items != nullptr) {
          auto node = std::make_unique<LoopNode>();
          node->depth = depth;
          for (size_t e : children[c]) {
            node->members.push_back({exprs_[e], tensorOf(e), tensorOf(e)->axis(depth)});
          }
          body = &node->body;
          items->emplace_back(std::move(node));
        }
        std::string problem = order(children[c], depth + 1, body);
        if (!problem.empty()) {
          return problem;
        }
      }
      for (size_t next : successors[c]) {
        if (--blockers[next] == 0) {
          ready.emplace(children[next].front(), next);
        }
      }
    }
    if (placed < children.size()) {
      return concatenate("loops at depth ", depth, " depend on each other, for example that of ",
                         tensorOf(members.front())->toString());
    }
    return {};
  }

  const std::vector<Expr*>& exprs_;
  std::unordered_map<const Expr*, size_t> position_;
  std::vector<size_t> firstLoop_;
  // Loops that are one loop.
  DisjointSets groups_;
  std::vector<std::pair<size_t, size_t>> dependencies_;
};

}  // namespace

std::vector<LoopNode::Item> LoopTree::build(Fusion* fusion) {
  const std::vector<Expr*> exprs = fusion->tensorExprs();
  std::vector<LoopNode::Item> items;
  const std::string problem = Builder(exprs).run(&items);
  NVF_SCHEDULE_CHECK(problem.empty(), "The schedule is not legal: ", problem);
  return items;
}

std::string LoopTree::check(const std::vector<Expr*>& exprs) { return Builder(exprs).run(nullptr); }

}  // namespace nvfuser
