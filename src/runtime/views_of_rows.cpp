#include "runtime/views_of_rows.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/passes.h"
#include "ir/scalar.h"
#include "ir/views.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"
#include "ops/tensor_builder.h"
#include "ops/view.h"

namespace nvfuser {

namespace {

bool isOne(const IterDomain* id) { return id->isBroadcast() || id->extent()->isConstInt(1); }

// A permutation, or a copy, which has all dimensions where they were; null for anything else.
const LoadStoreOp* asCopy(const Expr* expr) {
  const auto* copy = expr->as<LoadStoreOp>();
  return copy != nullptr && !copy->isSegmentBoundary() ? copy : nullptr;
}

// For each dimension of the result of a view the one of its operand that it is; none for what the
// view makes of others.
using Origins = std::vector<std::optional<size_t>>;

Origins originsOf(const Expr* view) {
  const auto* out = view->output(0)->asTensor();
  const auto* lookup = view->as<LookupOp>();
  const std::vector<IterDomain*>& root = out->maybeRoot();
  Origins origins(out->logical().size());
  for (size_t i = 0; i < origins.size(); ++i) {
    const auto found = std::ranges::find(root, out->logical()[i]);
    const bool isSame = lookup == nullptr || i != static_cast<size_t>(lookup->dim());
    if (found != root.end() && isSame) {
      origins[i] = static_cast<size_t>(found - root.begin());
    }
  }
  return origins;
}

// What has the dimensions of `like` already, and is reshaped to `tv`; null if nothing has.
TensorView* viewedBefore(TensorView* tv, const TensorView* like) {
  const auto isSame = [](const IterDomain* a, const IterDomain* b) {
    return a->iterType() == b->iterType() && !a->hasExpandedExtent() &&
           scalar::same(a->extent(), b->extent());
  };
  while (tv->definition() != nullptr && tv->definition()->is<ReshapeOp>()) {
    tv = tv->definition()->input(0)->asTensor();
    if (std::ranges::equal(tv->visible(), like->visible(), isSame)) {
      return tv;
    }
  }
  return nullptr;
}

// Views one behind another, each of which alone reads the one before: as many as there are, or
// `most`.
class RowViews {
 public:
  explicit RowViews(TensorView* tv, size_t most = std::numeric_limits<size_t>::max())
      : start_(tv), end_(tv) {
    origins_.resize(tv->visible().size());
    for (size_t i = 0; i < origins_.size(); ++i) {
      origins_[i] = i;
    }
    while (views_.size() < most && end_->uses().size() == 1 && !end_->isFusionOutput() &&
           add(end_->uses().front())) {
    }
  }

  size_t count() const { return views_.size(); }
  TensorView* start() const { return start_; }
  TensorView* end() const { return end_; }
  const Origins& origins() const { return origins_; }

  // Whether rows are seen at other places afterwards, and no more of them: where they lie
  // elsewhere, or where something else is computed of them.
  bool moveRows() const {
    return (movesRows_ || !end_->isFusionOutput()) && !repeatsRows_ &&
           end_->domain()->maybeAllocation() == end_->logical();
  }
  // Whether rows lie elsewhere, and not only their places have other dimensions.
  bool movesInMemory() const { return movesRows_; }

  // The same views of another tensor.
  TensorView* of(TensorView* tv) const {
    for (const Expr* view : views_) {
      const auto* out = view->output(0)->asTensor();
      if (const auto* lookup = view->as<LookupOp>()) {
        tv = ops::indexSelect(tv, lookup->index(), lookup->dim());
      } else if (TensorView* source = view->is<ReshapeOp>() ? viewedBefore(tv, out) : nullptr) {
        tv = source;
      } else if (isReshapeOrPermutation(view)) {
        TensorView* viewed = ops::newLike(out, tv->dtype());
        viewLike(view, viewed, tv);
        tv = viewed;
      }
    }
    return tv;
  }

 private:
  // Whether no more is looked up than there is.
  static bool finds(const LookupOp* lookup) {
    const auto* in = lookup->input(0)->asTensor();
    const Val* all = in->visible()[static_cast<size_t>(lookup->dim())]->visibleExtent();
    const Val* found = lookup->index()->visible().front()->visibleExtent();
    return scalar::same(all, found) ||
           (all->isConstInt() && found->isConstInt() && found->constInt() <= all->constInt());
  }

  bool add(const Expr* expr) {
    const auto* lookup = expr->as<LookupOp>();
    const bool isLookup = lookup != nullptr && lookup->type() == LookupType::IndexSelect &&
                          lookup->input(0) == end_ && lookup->index()->visible().size() == 1;
    if (!isLookup && !expr->is<ReshapeOp>() && asCopy(expr) == nullptr) {
      return false;
    }
    Origins origins = originsOf(expr);
    for (std::optional<size_t>& origin : origins) {
      origin = origin ? origins_[*origin] : std::nullopt;
    }
    origins_ = std::move(origins);
    views_.push_back(expr);
    end_ = expr->output(0)->asTensor();
    movesRows_ = movesRows_ || isLookup || asPermutation(expr) != nullptr;
    repeatsRows_ = repeatsRows_ || (isLookup && !finds(lookup));
    return true;
  }

  TensorView* start_;
  TensorView* end_;
  // Of the dimensions at the end.
  Origins origins_;
  std::vector<const Expr*> views_;
  bool movesRows_ = false;
  bool repeatsRows_ = false;
};

// What is computed from the inputs for the start of some views, computed for their end.
class MovedRows {
 public:
  explicit MovedRows(const RowViews& views) : views_(views) {
    const std::vector<IterDomain*> dims = views.start()->visible();
    isRow_.resize(dims.size(), false);
    std::optional<size_t> last;
    inOrder_ = true;
    for (const std::optional<size_t>& origin : views.origins()) {
      if (origin) {
        inOrder_ = inOrder_ && (!last || *last < *origin);
        last = origin;
        isRow_[*origin] = true;
      }
    }
    for (size_t i = 0; i < dims.size(); ++i) {
      isPlace_.push_back(!isRow_[i] && !isOne(dims[i]));
    }
  }

  // Whether all of it can be, with a reduction of a row in it.
  bool canBeViewed() {
    return inOrder_ && std::ranges::find(isPlace_, true) != isPlace_.end() &&
           collect(views_.start()) && isReduced_ && check(views_.start());
  }

  TensorView* compute() { return at(views_.start()); }

 private:
  // The dimensions of the start that those of a tensor are.
  using Dims = std::vector<size_t>;

  // Notes what is computed for the start alone; false where something cannot be computed anew.
  bool collect(TensorView* start) {
    std::vector<TensorView*> left{start};
    std::vector<Expr*> own;
    std::unordered_set<const Expr*> seen;
    while (!left.empty()) {
      TensorView* tv = left.back();
      left.pop_back();
      Expr* expr = tv->definition();
      if (expr == nullptr || !isOfRows(expr) || !seen.insert(expr).second) {
        continue;
      }
      own.push_back(expr);
      for (Val* in : expr->inputs()) {
        if (in->isTensor()) {
          left.push_back(in->asTensor());
        }
      }
    }
    // What others read, too, is in memory or computed there.
    bool changed = true;
    while (changed) {
      changed = std::erase_if(own, [&](const Expr* expr) {
                  const auto* out = expr->output(0)->asTensor();
                  const bool isOther =
                      out->isFusionOutput() ||
                      (out != start && !std::ranges::all_of(out->uses(), [&](const Expr* use) {
                         return seen.contains(use);
                       }));
                  if (isOther) {
                    seen.erase(expr);
                  }
                  return isOther;
                }) > 0;
    }
    for (const Expr* expr : own) {
      own_.insert(expr->output(0)->asTensor());
      isReduced_ = isReduced_ || expr->is<ReductionOp>();
    }
    return own_.contains(start);
  }

  static bool isOfRows(const Expr* expr) {
    return isElementwise(expr) || expr->is<ReductionOp>() || expr->is<BroadcastOp>() ||
           expr->is<SqueezeOp>();
  }

  bool isWide(const TensorView* tv) const {
    return tv->visible().size() == views_.start()->visible().size();
  }

  // The dimensions of what is computed; none where they are not known.
  std::optional<Dims> dimsOf(TensorView* tv) {
    const auto known = dims_.find(tv);
    if (known != dims_.end()) {
      return known->second;
    }
    std::optional<Dims> dims;
    if (isWide(tv)) {
      dims.emplace();
      for (size_t i = 0; i < tv->visible().size(); ++i) {
        dims->push_back(i);
      }
    } else if (own_.contains(tv)) {
      dims = dimsBehind(tv->definition());
    }
    dims_[tv] = dims;
    return dims;
  }

  std::optional<Dims> dimsBehind(const Expr* expr) {
    if (isElementwise(expr)) {
      for (Val* in : expr->inputs()) {
        if (in->isTensor()) {
          if (auto dims = dimsOf(in->asTensor())) {
            return dims;
          }
        }
      }
      return std::nullopt;
    }
    const std::optional<Dims> before = dimsOf(expr->input(0)->asTensor());
    if (!before || expr->is<BroadcastOp>()) {
      return std::nullopt;
    }
    Dims dims;
    for (size_t i = 0; i < before->size(); ++i) {
      if (!isRemoved(expr, i)) {
        dims.push_back((*before)[i]);
      }
    }
    return dims;
  }

  // Whether a reduction or squeeze removes a dimension of its operand.
  static bool isRemoved(const Expr* expr, size_t i) {
    const auto* squeeze = expr->as<SqueezeOp>();
    return squeeze != nullptr ? squeeze->isSqueezeDim(i)
                              : expr->output(0)->asTensor()->logical()[i]->isReduction();
  }

  // What a tensor has of the dimensions whose places change.
  enum class Has { kAll, kNone, kSome };
  Has placesIn(const TensorView* tv, const Dims& dims) const {
    const std::vector<IterDomain*> visible = tv->visible();
    size_t all = 0;
    size_t found = 0;
    for (size_t i = 0; i < isPlace_.size(); ++i) {
      all += isPlace_[i] ? 1 : 0;
    }
    for (size_t i = 0; i < dims.size(); ++i) {
      found += isPlace_[dims[i]] && !visible[i]->isBroadcast() ? 1 : 0;
    }
    return found == all ? Has::kAll : found == 0 ? Has::kNone : Has::kSome;
  }

  // Whether a tensor can be computed behind the views.
  bool check(TensorView* tv) {
    const auto [known, isNew] = checked_.try_emplace(tv, true);
    if (isNew) {
      known->second = checkNew(tv);
    }
    return known->second;
  }

  bool checkNew(TensorView* tv) {
    const std::optional<Dims> dims = dimsOf(tv);
    if (!dims) {
      return false;
    }
    const Has has = placesIn(tv, *dims);
    if (has == Has::kSome || std::ranges::any_of(tv->visible(), [](const IterDomain* id) {
          return id->hasExpandedExtent();
        })) {
      return false;
    }
    if (has == Has::kNone) {
      return isWide(tv) && isOneOutsideOfRows(tv);
    }
    if (!own_.contains(tv)) {
      // Views like those of the start can be of it.
      return isWide(tv) && haveSameOnes(tv, views_.start()) && isInMemory(tv);
    }
    const Expr* expr = tv->definition();
    if (!isElementwise(expr)) {
      auto* in = expr->input(0)->asTensor();
      const std::optional<Dims> before = dimsOf(in);
      if (expr->is<BroadcastOp>()) {
        return isWide(tv) && before && check(in);
      }
      for (size_t i = 0; before && i < in->visible().size(); ++i) {
        // What only sums of rows are computed of is as well read as it lies.
        const size_t dim = (*before)[i];
        const bool isOfSums =
            !views_.movesInMemory() && isRow_[dim] && isOne(views_.start()->visible()[dim]);
        if (isRemoved(expr, i) && (isPlace_[dim] || isOfSums)) {
          return false;
        }
      }
      return before && check(in);
    }
    return std::ranges::all_of(expr->inputs(),
                               [&](Val* in) { return !in->isTensor() || check(in->asTensor()); });
  }

  // Whether rows are the same at all places.
  bool isOneOutsideOfRows(const TensorView* tv) const {
    const std::vector<IterDomain*> dims = tv->visible();
    for (size_t i = 0; i < dims.size(); ++i) {
      if (!isRow_[i] && !dims[i]->isBroadcast()) {
        return false;
      }
    }
    return true;
  }

  // Whether a tensor is an input, or another view of one.
  static bool isInMemory(const TensorView* tv) {
    while (tv->definition() != nullptr && isReshapeOrPermutation(tv->definition())) {
      tv = tv->definition()->input(0)->asTensor();
    }
    return tv->isFusionInput();
  }

  // Which dimensions at the end a tensor has not that the start has.
  std::vector<bool> missingFrom(const Dims& dims) const {
    std::vector<bool> missing;
    for (const std::optional<size_t>& origin : views_.origins()) {
      missing.push_back(origin && std::ranges::find(dims, *origin) == dims.end());
    }
    return missing;
  }

  TensorView* at(TensorView* tv) {
    TensorView*& result = made_[tv];
    if (result == nullptr) {
      result = make(tv);
    }
    return result;
  }

  TensorView* make(TensorView* tv) {
    const Dims dims = *dimsOf(tv);
    if (placesIn(tv, dims) == Has::kNone) {
      return sameAtAllPlaces(tv);
    }
    if (!own_.contains(tv)) {
      return views_.of(tv);
    }
    const Expr* expr = tv->definition();
    if (isElementwise(expr)) {
      return computeNew(expr);
    }
    auto* in = expr->input(0)->asTensor();
    const Dims before = *dimsOf(in);
    TensorView* source = at(in);
    if (expr->is<BroadcastOp>()) {
      return ops::broadcast(source, missingFrom(before));
    }
    // What is removed of the dimensions that the operand has at the end.
    const std::vector<bool> missing = missingFrom(before);
    const std::vector<bool> missingAfter = missingFrom(dims);
    std::vector<int64_t> removed;
    std::vector<IterDomain*> logical = ops::cloneVisible(source);
    size_t place = 0;
    for (size_t i = 0; i < missing.size(); ++i) {
      if (missing[i]) {
        continue;
      }
      if (missingAfter[i]) {
        removed.push_back(static_cast<int64_t>(place));
        logical[place] = logical[place]->cloneAs(IterType::Reduction);
      }
      ++place;
    }
    if (removed.empty()) {
      return source;
    }
    if (expr->is<SqueezeOp>()) {
      return ops::squeeze(source, removed, true);
    }
    const auto* reduction = expr->as<ReductionOp>();
    TensorView* out = ops::newTensor(tv->fusion(), std::move(logical), tv->dtype());
    tv->fusion()->create<ReductionOp>(reduction->type(), reduction->init(), out, source);
    return out;
  }

  // Of a tensor without places: its rows, with dimensions of one element in place of these.
  TensorView* sameAtAllPlaces(TensorView* tv) const {
    std::vector<int64_t> others;
    for (size_t i = 0; i < isRow_.size(); ++i) {
      if (!isRow_[i]) {
        others.push_back(static_cast<int64_t>(i));
      }
    }
    std::vector<bool> flags;
    for (const std::optional<size_t>& origin : views_.origins()) {
      flags.push_back(!origin);
    }
    return ops::broadcast(others.empty() ? tv : ops::squeeze(tv, others, true), flags);
  }

  TensorView* computeNew(const Expr* expr) {
    std::vector<Val*> operands;
    for (Val* in : expr->inputs()) {
      operands.push_back(in->isTensor() ? at(in->asTensor()) : in);
    }
    return ops::elementwiseOf(expr, operands);
  }

  const RowViews& views_;
  bool inOrder_ = false;
  bool isReduced_ = false;
  // Of the dimensions of the start.
  std::vector<bool> isRow_;
  std::vector<bool> isPlace_;
  std::unordered_set<const TensorView*> own_;
  std::map<const TensorView*, std::optional<Dims>> dims_;
  std::map<const TensorView*, bool> checked_;
  std::map<const TensorView*, TensorView*> made_;
};

}  // namespace

size_t viewRowsFirst(Fusion* fusion) {
  const FusionGuard guard(fusion);
  const auto isReduction = [](const Expr* expr) { return expr->is<ReductionOp>(); };
  if (std::ranges::none_of(fusion->tensorExprs(), isReduction)) {
    return 0;
  }
  // What nothing needs any more reads nothing.
  eliminateDeadCode(fusion);
  size_t changed = 0;
  for (Expr* expr : fusion->tensorExprs()) {
    auto* tv = expr->output(0)->asTensor();
    if (!isElementwise(expr) || tv->isFusionOutput() || tv->uses().size() != 1) {
      continue;
    }
    // The last ones may divide rows.
    bool isDone = false;
    for (size_t count = RowViews(tv).count(); count > 0 && !isDone; --count) {
      const RowViews views(tv, count);
      MovedRows rows(views);
      isDone = views.moveRows() && rows.canBeViewed();
      if (isDone) {
        replaceTensor(views.end(), rows.compute());
        ++changed;
      }
    }
  }
  if (changed > 0) {
    eliminateDeadCode(fusion);
  }
  return changed;
}

}  // namespace nvfuser
