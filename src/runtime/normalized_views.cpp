#include "runtime/normalized_views.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/logical_map.h"
#include "ir/passes.h"
#include "ir/reshape_analysis.h"
#include "ir/views.h"
#include "ops/elementwise.h"
#include "ops/tensor_builder.h"
#include "ops/view.h"

namespace nvfuser {

namespace {

bool isExpanded(const TensorView* tv) {
  return std::ranges::any_of(tv->visible(), &IterDomain::hasExpandedExtent);
}

// Whether an operand of a reshape that only merges was normalized along one of the dimensions that
// are merged: computed from a reduction over it, element by element. No kernel has loops over the
// result, then, that are those of the reduction.
bool mergesReduced(const ReshapeOp* reshape, const std::set<size_t>& normalized) {
  const TensorView* out = reshape->out();
  const std::vector<Expr*> transforms = transformsBetween(out->root(), out->logical());
  const auto mergesLoops = [](const Expr* transform) {
    return transform->is<Merge>() && std::ranges::none_of(transform->inputs(), [](const Val* in) {
             return static_cast<const IterDomain*>(in)->isBroadcast();
           });
  };
  if (transforms.empty() || !std::ranges::all_of(transforms, mergesLoops) || isExpanded(out) ||
      isExpanded(reshape->in())) {
    return false;
  }
  const auto isMerged = [&](size_t dim) {
    return std::ranges::find(out->logical(), out->root()[dim]) == out->logical().end();
  };
  return std::ranges::any_of(normalized, isMerged);
}

// What has the dimensions of the result of a reshape that merges, in front of it.
class Unmerged {
 public:
  explicit Unmerged(const ReshapeOp* reshape) : reshape_(reshape) {
    const TensorView* out = reshape->out();
    std::map<const Val*, size_t> places;
    for (size_t i = 0; i < out->root().size(); ++i) {
      places[out->root()[i]] = i;
    }
    for (IterDomain* id : out->logical()) {
      std::vector<Val*> left{id};
      std::vector<size_t>& parts = parts_.emplace_back();
      while (!left.empty()) {
        Val* next = left.back();
        left.pop_back();
        if (const auto known = places.find(next); known != places.end()) {
          parts.push_back(known->second);
          continue;
        }
        // What the reshape inserts has one element, and no definition.
        if (next->definition() != nullptr) {
          const auto* merge = next->definition()->as<Merge>();
          left.push_back(merge->inner());
          left.push_back(merge->outer());
        }
      }
    }
  }

  // Whether an operand of the same rank as the result is computed of inputs alone, all of which may
  // be looked at in other dimensions.
  bool canView(TensorView* tv) { return canView(tv, allPlaces()); }
  TensorView* of(TensorView* tv) { return of(tv, allPlaces()); }

 private:
  // For each dimension of a tensor the one of the result of the reshape that it is.
  using Places = std::vector<size_t>;

  Places allPlaces() const {
    Places places(parts_.size());
    for (size_t i = 0; i < places.size(); ++i) {
      places[i] = i;
    }
    return places;
  }

  static Places behind(const BroadcastOp* broadcast, const Places& places) {
    Places result;
    for (size_t i = 0; i < places.size(); ++i) {
      if (!broadcast->isBroadcastDim(i)) {
        result.push_back(places[i]);
      }
    }
    return result;
  }

  static bool canView(TensorView* tv, const Places& places) {
    if (isExpanded(tv) || tv->visible().size() != places.size()) {
      return false;
    }
    const Expr* expr = tv->definition();
    if (expr == nullptr) {
      return tv->isFusionInput();
    }
    if (const auto* broadcast = expr->as<BroadcastOp>()) {
      return canView(broadcast->input(0)->asTensor(), behind(broadcast, places));
    }
    const auto isViewed = [&](Val* in) {
      return !in->isTensor() || canView(in->asTensor(), places);
    };
    return isElementwise(expr) && std::ranges::any_of(expr->inputs(), &Val::isTensor) &&
           std::ranges::all_of(expr->inputs(), isViewed);
  }

  TensorView* of(TensorView* tv, const Places& places) {
    TensorView*& result = made_[{tv, places}];
    if (result != nullptr) {
      return result;
    }
    const Expr* expr = tv->definition();
    if (expr == nullptr) {
      return result = viewOf(tv, places);
    }
    if (const auto* broadcast = expr->as<BroadcastOp>()) {
      return result = of(broadcast->input(0)->asTensor(), behind(broadcast, places));
    }
    std::vector<Val*> operands;
    for (Val* in : expr->inputs()) {
      operands.push_back(in->isTensor() ? of(in->asTensor(), places) : in);
    }
    return result = ops::elementwiseOf(expr, operands);
  }

  TensorView* viewOf(TensorView* tv, const Places& places) const {
    std::vector<int64_t> ones;
    // Of the dimensions of more than one element.
    Places wide;
    for (size_t i = 0; i < places.size(); ++i) {
      if (tv->visible()[i]->isBroadcast()) {
        ones.push_back(static_cast<int64_t>(i));
      } else {
        wide.push_back(places[i]);
      }
    }
    TensorView* split = splitOf(ones.empty() ? tv : ops::squeeze(tv, ones), wide);
    std::vector<bool> missing(reshape_->out()->root().size(), true);
    for (const size_t place : wide) {
      for (const size_t part : parts_[place]) {
        missing[part] = false;
      }
    }
    const bool isWhole = std::ranges::find(missing, true) == missing.end();
    return isWhole ? split : ops::broadcast(split, missing);
  }

  // With the dimensions that the reshape merges.
  TensorView* splitOf(TensorView* tv, const Places& places) const {
    std::vector<IterDomain*> root;
    std::vector<IterDomain*> logical;
    std::vector<Val*> extents;
    std::vector<ReshapeGroup> groups;
    for (size_t i = 0; i < places.size(); ++i) {
      const std::vector<size_t>& parts = parts_[places[i]];
      root.push_back(tv->visible()[i]->cloneWithoutRFactor());
      ReshapeGroup& group = groups.emplace_back(ReshapeGroup{{i}, {}});
      for (const size_t part : parts) {
        Val* extent = reshape_->out()->root()[part]->extent();
        group.out.push_back(logical.size());
        extents.push_back(extent);
        logical.push_back(parts.size() == 1 ? root.back()
                                            : ops::newDimension(tv->fusion(), extent, true));
      }
    }
    if (logical.size() == root.size()) {
      return tv;
    }
    TensorView* out = ops::newTensor(tv->fusion(), std::move(logical), tv->dtype(), root);
    attachReshapeTransforms(tv->fusion()->create<ReshapeOp>(out, tv, std::move(extents)), groups);
    return out;
  }

  const ReshapeOp* reshape_;
  // Of each dimension of the result, what is merged, outermost first.
  std::vector<std::vector<size_t>> parts_;
  std::map<std::pair<const TensorView*, Places>, TensorView*> made_;
};

// Moves what is computed from the result of a reshape, and of inputs, in front of it.
size_t computeInFront(Fusion* fusion, const ReshapeOp* reshape, const std::vector<Expr*>& exprs) {
  Unmerged unmerged(reshape);
  // What is computed from the result.
  std::unordered_set<const Val*> computed{reshape->out()};
  std::vector<Expr*> moved;
  for (Expr* expr : exprs) {
    const auto isComputed = [&](const Val* in) { return computed.contains(in); };
    const auto canMove = [&](Val* in) {
      return !in->isTensor() || isComputed(in) || unmerged.canView(in->asTensor());
    };
    if (isElementwise(expr) && std::ranges::any_of(expr->inputs(), isComputed) &&
        std::ranges::all_of(expr->inputs(), canMove) &&
        haveSameOnes(expr->output(0)->asTensor(), reshape->out())) {
      computed.insert(expr->output(0));
      moved.push_back(expr);
    }
  }
  const std::unordered_set<const Expr*> members(moved.begin(), moved.end());
  const auto isNeeded = [&](const Val* val) {
    return val->isFusionOutput() || std::ranges::any_of(val->uses(), [&](const Expr* use) {
             return !members.contains(use);
           });
  };
  // Otherwise two tensors pass between the kernels in place of one.
  if (moved.empty() || isNeeded(reshape->out())) {
    return 0;
  }
  std::vector<TensorView*> needed;
  for (const Expr* expr : moved) {
    if (isNeeded(expr->output(0))) {
      needed.push_back(expr->output(0)->asTensor());
    }
  }
  // What stands for a result before it is reshaped.
  std::unordered_map<const Val*, TensorView*> before{{reshape->out(), reshape->in()}};
  for (Expr* expr : moved) {
    std::vector<Val*> inputs;
    for (Val* in : expr->inputs()) {
      const auto known = before.find(in);
      inputs.push_back(!in->isTensor()         ? in
                       : known != before.end() ? known->second
                                               : unmerged.of(in->asTensor()));
    }
    TensorView* out = ops::newLike(reshape->in(), expr->output(0)->asTensor()->dtype());
    computeLike(expr, out, inputs);
    before[expr->output(0)] = out;
  }
  for (TensorView* out : needed) {
    fusion->removeExpr(out->definition());
    viewLike(reshape, out, before.at(out));
  }
  return moved.size();
}

}  // namespace

size_t computeInFrontOfReshapes(Fusion* fusion) {
  const FusionGuard guard(fusion);
  size_t moved = 0;
  const std::vector<Expr*> exprs = fusion->tensorExprs();
  if (std::ranges::none_of(exprs, &Expr::is<ReshapeOp>)) {
    return 0;
  }
  const Normalized normalized = findNormalized(exprs);
  for (const Expr* expr : exprs) {
    const auto* reshape = expr->as<ReshapeOp>();
    const auto along = reshape == nullptr ? normalized.end() : normalized.find(reshape->in());
    if (along != normalized.end() && mergesReduced(reshape, along->second)) {
      moved += computeInFront(fusion, reshape, fusion->tensorExprs());
    }
  }
  if (moved > 0) {
    eliminateDeadCode(fusion);
  }
  return moved;
}

}  // namespace nvfuser
