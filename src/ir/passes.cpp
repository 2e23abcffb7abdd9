#include "ir/passes.h"

#include <algorithm>
#include <bit>
#include <complex>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/error.h"
#include "ir/clone.h"
#include "ir/logical_map.h"
#include "ir/scalar.h"
#include "ir/views.h"

namespace nvfuser {

bool isElementwise(const Expr* expr) {
  return expr->is<UnaryOp>() || expr->is<BinaryOp>() || expr->is<TernaryOp>();
}

const UnaryOp* asConversion(const Expr* expr) {
  const auto* unary = expr == nullptr ? nullptr : expr->as<UnaryOp>();
  const bool isCast =
      unary != nullptr && unary->type() == UnaryOpType::Cast && unary->input(0)->isTensor();
  return isCast ? unary : nullptr;
}

void replaceTensor(TensorView* tv, TensorView* by) {
  tv->fusion()->replaceUses(tv, by);
  if (tv->isFusionOutput()) {
    tv->fusion()->replaceOutput(tv, by);
  }
}

size_t eliminateDeadCode(Fusion* fusion) {
  std::vector<bool> isLive(fusion->allExprs().size(), false);
  for (const Expr* expr : fusion->tensorExprs()) {
    isLive[expr->index()] = true;
  }
  size_t removed = 0;
  for (Expr* expr : fusion->allExprs()) {
    if (isLive[expr->index()] || expr->outputs().empty() || !expr->output(0)->isTensor() ||
        expr->output(0)->definition() != expr) {
      continue;
    }
    fusion->removeExpr(expr);
    ++removed;
  }
  return removed;
}

namespace {

using Key = std::vector<int64_t>;

// Numbers values such that equal ones have the same number: scalars by their expressions, tensors
// as the caller says.
class ValueNumbering {
 public:
  explicit ValueNumbering(const Fusion& fusion) : numbers_(fusion.vals().size(), 0) {
    // In order of creation, operands come before what is computed from them.
    for (const Expr* expr : fusion.allExprs()) {
      for (const Val* output : expr->outputs()) {
        if (output->isScalar() && output->definition() == expr) {
          numberOf(output) = numberFor(keyOf(expr));
        }
      }
    }
  }

  int64_t of(const Val* val) {
    if (val == nullptr) {
      return -1;
    }
    int64_t& number = numberOf(val);
    if (number == 0) {
      number = val->isConst() ? numberFor(keyOfConstant(val)) : next_++;
    }
    return number;
  }
  void setEqual(const Val* val, const Val* other) { numberOf(val) = of(other); }

  // Kind, attributes and the numbers of the operands.
  Key keyOf(const Expr* expr) {
    Key key{static_cast<int64_t>(expr->kind()), static_cast<int64_t>(expr->output(0)->dtype()),
            static_cast<int64_t>(expr->attributes().size())};
    key.insert(key.end(), expr->attributes().begin(), expr->attributes().end());
    for (const auto* operands : {&expr->inputs(), &expr->operands()}) {
      key.push_back(static_cast<int64_t>(operands->size()));
      for (const Val* operand : *operands) {
        key.push_back(of(operand));
      }
    }
    return key;
  }

 private:
  int64_t& numberOf(const Val* val) {
    const auto index = static_cast<size_t>(val->index());
    if (index >= numbers_.size()) {
      numbers_.resize(index + 1, 0);
    }
    return numbers_[index];
  }

  int64_t numberFor(Key key) {
    const auto [known, isNew] = numberOfKey_.try_emplace(std::move(key), next_);
    next_ += isNew ? 1 : 0;
    return known->second;
  }

  static Key keyOfConstant(const Val* val) {
    const PolymorphicValue& value = val->value();
    // Negative: no kind of expression.
    Key key{-1 - static_cast<int64_t>(value.value.index()), static_cast<int64_t>(val->dtype())};
    if (value.is<int64_t>()) {
      key.push_back(value.as<int64_t>());
    } else if (value.is<bool>()) {
      key.push_back(value.as<bool>());
    } else if (value.is<double>()) {
      key.push_back(std::bit_cast<int64_t>(value.as<double>()));
    } else {
      const auto& z = value.as<std::complex<double>>();
      key.push_back(std::bit_cast<int64_t>(z.real()));
      key.push_back(std::bit_cast<int64_t>(z.imag()));
    }
    return key;
  }

  std::vector<int64_t> numbers_;
  std::map<Key, int64_t> numberOfKey_;
  int64_t next_ = 1;
};

// The dimensions of a result: which are reduced, how they are permuted and lie in memory.
void appendDomain(Key& key, const TensorView* tv, ValueNumbering& numbering) {
  std::vector<const IterDomain*> seen;
  const TensorDomain* domain = tv->domain();
  for (const auto* domains : {&domain->root(), &domain->logical(), &domain->allocation()}) {
    key.push_back(static_cast<int64_t>(domains->size()));
    for (const IterDomain* id : *domains) {
      const auto known = std::ranges::find(seen, id);
      key.push_back(known - seen.begin());
      if (known == seen.end()) {
        seen.push_back(id);
        key.push_back(static_cast<int64_t>(id->iterType()));
        key.push_back(numbering.of(id->extent()));
        key.push_back(numbering.of(id->expandedExtent()));
      }
    }
  }
}

// Whether an expression that tells its operands apart by which tensor they are has both.
bool areKeptApart(const TensorView* a, const TensorView* b) {
  return std::ranges::any_of(a->uses(), [&](const Expr* use) {
    return (use->is<LookupOp>() || use->is<ScatterOp>()) &&
           std::ranges::find(use->inputs(), b) != use->inputs().end();
  });
}

// Lets one expression stand for two equal ones; false if both have to stay.
bool unify(Fusion* fusion, Expr*& kept, Expr* duplicate) {
  TensorView* first = kept->output(0)->asTensor();
  TensorView* second = duplicate->output(0)->asTensor();
  if (areKeptApart(first, second)) {
    return false;
  }
  if (second->isFusionOutput() && !first->isFusionOutput()) {
    std::swap(first, second);
    std::swap(kept, duplicate);
  }
  fusion->replaceUses(second, first);
  if (second->isFusionOutput()) {
    return false;
  }
  fusion->removeExpr(duplicate);
  return true;
}

bool areSame(const IterDomain* a, const IterDomain* b) {
  return a->iterType() == b->iterType() && a->hasExpandedExtent() == b->hasExpandedExtent() &&
         scalar::same(a->visibleExtent(), b->visibleExtent());
}

// Whether a reshape or an expansion has the dimensions of its operand, all of which are loops.
bool keepsDimensions(const Expr* view) {
  const TensorView* out = view->output(0)->asTensor();
  return out->maybeRoot() == out->logical() &&
         std::ranges::equal(view->input(0)->asTensor()->visible(), out->logical(), areSame);
}

// Flags for the dimensions of one element that `all` has beside `others`; nothing if these are not
// the rest, or all.
std::vector<int64_t> onesBeside(const std::vector<IterDomain*>& others,
                                const std::vector<IterDomain*>& all) {
  std::vector<int64_t> flags;
  auto other = others.begin();
  for (const IterDomain* id : all) {
    const bool isOther = other != others.end() && areSame(*other, id);
    if (!isOther && (!id->isBroadcast() || id->hasExpandedExtent())) {
      return {};
    }
    flags.push_back(isOther ? 0 : 1);
    other += isOther ? 1 : 0;
  }
  return other == others.end() && all.size() > others.size() ? flags : std::vector<int64_t>{};
}

// Makes a reshape that only leaves out dimensions of one element, or inserts some, say so: loops
// merged with those correspond then.
void sayWhichAreOnes(ReshapeOp* reshape) {
  TensorView* in = reshape->in();
  TensorView* out = reshape->out();
  TensorDomain* domain = out->domain();
  // Loops that devices share stay what they are.
  if (!transformsBetween(domain->maybeRoot(), domain->logical()).empty() ||
      domain->loop() != domain->logical()) {
    return;
  }
  std::vector<int64_t> removed = onesBeside(domain->logical(), in->visible());
  std::vector<int64_t> added = onesBeside(in->visible(), domain->logical());
  if (removed.empty() && added.empty()) {
    return;
  }
  Fusion* fusion = reshape->fusion();
  fusion->removeExpr(reshape);
  out->setDomain(fusion->create<TensorDomain>(std::vector<IterDomain*>{}, domain->logical(),
                                              domain->allocation(), domain->logical(),
                                              domain->contiguity()));
  if (removed.empty()) {
    fusion->create<BroadcastOp>(out, in, std::move(added));
  } else {
    fusion->create<SqueezeOp>(out, in, std::move(removed));
  }
}

// Whether a tensor is a copy for the sake of its views only, while those of the operand, which lies
// row by row, are as good.
bool isCopyForViews(const Expr* expr) {
  const auto* copy = expr->as<LoadStoreOp>();
  if (copy == nullptr || copy->isSegmentBoundary()) {
    return false;
  }
  const TensorView* in = copy->in();
  const TensorView* out = expr->output(0)->asTensor();
  const auto& contiguity = in->domain()->contiguity();
  return !out->domain()->hasRoot() && !out->domain()->hasAllocation() && in->isFusionInput() &&
         in->domain()->maybeAllocation() == in->logical() &&
         std::ranges::none_of(contiguity, [](std::optional<bool> runs) { return runs == false; }) &&
         std::ranges::all_of(out->uses(), mayBeView);
}

// Whether a slice leaves all of its operand, which shows where sizes are known.
bool leavesAll(const Expr* expr) {
  const auto* slice = expr->as<SliceOp>();
  if (slice == nullptr ||
      !std::ranges::equal(slice->in()->visible(), slice->out()->logical(), areSame)) {
    return false;
  }
  for (size_t i = 0; i < slice->out()->logical().size(); ++i) {
    if (!slice->start(i)->isConstInt(0)) {
      return false;
    }
  }
  return true;
}

}  // namespace

size_t eliminateTrivialViews(Fusion* fusion) {
  size_t removed = 0;
  for (Expr* expr : fusion->tensorExprs()) {
    const bool isCopy = isCopyForViews(expr) || leavesAll(expr);
    if (!expr->is<ReshapeOp>() && !expr->is<ExpandOp>() && !isCopy) {
      continue;
    }
    if (!isCopy && !keepsDimensions(expr)) {
      if (auto* reshape = expr->as<ReshapeOp>()) {
        sayWhichAreOnes(reshape);
      }
      continue;
    }
    if (expr->output(0)->isFusionOutput()) {
      continue;
    }
    TensorView* in = expr->input(0)->asTensor();
    TensorView* out = expr->output(0)->asTensor();
    if (areKeptApart(in, out)) {
      continue;
    }
    fusion->replaceUses(out, in);
    fusion->removeExpr(expr);
    ++removed;
  }
  return removed;
}

bool eliminateReshape(ReshapeOp* reshape, TensorView* source) {
  const auto isOfSameKind = [](const IterDomain* a, const IterDomain* b) {
    return a->iterType() == b->iterType() && !a->hasExpandedExtent() && !b->hasExpandedExtent();
  };
  TensorView* out = reshape->out();
  if (out->isFusionOutput() || areKeptApart(source, out) ||
      !std::ranges::equal(source->visible(), out->logical(), isOfSameKind)) {
    return false;
  }
  out->fusion()->replaceUses(out, source);
  out->fusion()->removeExpr(reshape);
  return true;
}

namespace {

// Whether an operand has one element along a dimension, the same for all positions in it.
bool isSameAlong(const TensorView* tv, size_t dim) {
  const IterDomain* id = tv->logical()[dim];
  return id->isBroadcast() && id->visibleExtent()->isConstInt(1);
}

// Whether the operands of an element-wise operation can be looked up in place of its result. One
// position along the dimension is looked up in each line of the others.
bool canBeLookedUp(const Expr* above, const LookupOp* lookup) {
  if (asConversion(above) != nullptr) {
    return true;
  }
  const auto dim = static_cast<size_t>(lookup->dim());
  const std::vector<IterDomain*>& found = lookup->out()->logical();
  const std::vector<IterDomain*>& all = lookup->input(0)->asTensor()->logical();
  if (!isElementwise(above) || lookup->isOfSlices() || found.size() != all.size() ||
      !found[dim]->visibleExtent()->isConstInt(1)) {
    return false;
  }
  return std::ranges::all_of(above->inputs(), [&](const Val* in) {
    if (!in->isTensor()) {
      return true;
    }
    const TensorView* operand = in->asTensor();
    if (operand->logical().size() != found.size()) {
      return false;
    }
    for (size_t i = 0; i < found.size(); ++i) {
      const IterDomain* id = operand->logical()[i];
      if (i != dim && (id->isBroadcast() || found[i]->isBroadcast() ||
                       !scalar::same(id->extent(), found[i]->extent()))) {
        return false;
      }
      if (i == dim && id->isBroadcast() && !isSameAlong(operand, i)) {
        return false;
      }
    }
    return true;
  });
}

// A tensor like the result of a lookup, with elements of `operand`.
TensorView* lookedUp(LookupOp* lookup, TensorView* operand) {
  Fusion* fusion = lookup->fusion();
  std::vector<IterDomain*> logical;
  for (const IterDomain* id : lookup->out()->logical()) {
    logical.push_back(fusion->create<IterDomain>(id->extent(), id->options()));
  }
  auto* domain =
      fusion->create<TensorDomain>(std::vector<IterDomain*>{}, logical, std::vector<IterDomain*>{},
                                   logical, TensorDomain::fullContiguity(logical, true));
  auto* found = fusion->create<TensorView>(domain, operand->dtype());
  fusion->create<LookupOp>(lookup->type(), found, operand, lookup->index(), lookup->dim());
  return found;
}

// The vector that a tensor repeats along all dimensions but one; null if it is no such tensor.
TensorView* vectorAlong(TensorView* tv, size_t dim) {
  while (tv->visible().size() > 1) {
    const Expr* definition = tv->definition();
    const bool repeats =
        definition != nullptr && (definition->is<BroadcastOp>() || definition->is<ExpandOp>());
    if (!repeats || tv->visible()[dim]->isBroadcast()) {
      return nullptr;
    }
    if (const auto* broadcast = definition->as<BroadcastOp>()) {
      dim = dimOfOperand(broadcast, dim);
    }
    tv = definition->input(0)->asTensor();
  }
  return tv->visible().empty() ? nullptr : tv;
}

}  // namespace

void computeLike(const Expr* operation, TensorView* out, const std::vector<Val*>& inputs) {
  Fusion* fusion = out->fusion();
  if (const auto* unary = operation->as<UnaryOp>()) {
    fusion->create<UnaryOp>(unary->type(), out, inputs[0]);
  } else if (const auto* binary = operation->as<BinaryOp>()) {
    fusion->create<BinaryOp>(binary->type(), out, inputs[0], inputs[1]);
  } else {
    fusion->create<TernaryOp>(operation->as<TernaryOp>()->type(), out, inputs);
  }
}

size_t lookUpSlices(Fusion* fusion) {
  size_t changed = 0;
  for (Expr* expr : fusion->tensorExprs()) {
    const auto* lookup = expr->as<LookupOp>();
    if (lookup == nullptr || lookup->type() != LookupType::TakeAlongAxis) {
      continue;
    }
    const auto dim = static_cast<size_t>(lookup->dim());
    TensorView* index = vectorAlong(lookup->index(), dim);
    TensorView* in = lookup->input(0)->asTensor();
    const std::vector<IterDomain*> all = in->visible();
    const std::vector<IterDomain*> found = lookup->out()->visible();
    bool areSame = index != nullptr;
    for (size_t i = 0; i < all.size(); ++i) {
      areSame = areSame && (i == dim || (all[i]->isIteration() && found[i]->isIteration() &&
                                         scalar::same(all[i]->extent(), found[i]->extent())));
    }
    if (areSame) {
      TensorView* out = lookup->out();
      fusion->removeExpr(expr);
      fusion->create<LookupOp>(LookupType::IndexSelect, out, in, index, static_cast<int64_t>(dim));
      ++changed;
    }
  }
  if (changed > 0) {
    eliminateDeadCode(fusion);
  }
  return changed;
}

size_t computeBehindLookups(Fusion* fusion) {
  size_t moved = 0;
  std::vector<LookupOp*> lookups;
  for (Expr* expr : fusion->tensorExprs()) {
    if (auto* lookup = expr->as<LookupOp>()) {
      lookups.push_back(lookup);
    }
  }
  // The first one first: lookups one behind another pass operations on.
  for (size_t i = 0; i < lookups.size(); ++i) {
    LookupOp* lookup = lookups[i];
    const Expr* above = lookup->input(0)->definition();
    if (above == nullptr || !canBeLookedUp(above, lookup)) {
      continue;
    }
    const auto dim = static_cast<size_t>(lookup->dim());
    const bool isCast = above->is<UnaryOp>() && above->inputs().size() == 1;
    std::vector<Val*> inputs;
    for (Val* in : above->inputs()) {
      const bool isLookedUp = in->isTensor() && (isCast || !isSameAlong(in->asTensor(), dim));
      inputs.push_back(isLookedUp ? lookedUp(lookup, in->asTensor()) : in);
      if (isLookedUp) {
        lookups.push_back(inputs.back()->definition()->as<LookupOp>());
      }
    }
    TensorView* out = lookup->out();
    fusion->removeExpr(lookup);
    computeLike(above, out, inputs);
    ++moved;
  }
  if (moved > 0) {
    eliminateDeadCode(fusion);
  }
  return moved;
}

std::unordered_set<const Val*> computedOfReductions(const std::vector<Expr*>& exprs) {
  std::unordered_set<const Val*> computed;
  for (const Expr* expr : exprs) {
    const auto isComputed = [&](const Val* in) { return computed.contains(in); };
    if (expr->is<ReductionOp>() || std::ranges::any_of(expr->inputs(), isComputed)) {
      computed.insert(expr->outputs().begin(), expr->outputs().end());
    }
  }
  return computed;
}

Normalized findNormalized(const std::vector<Expr*>& exprs) {
  Normalized normalized;
  const std::unordered_set<const Val*> ofReductions = computedOfReductions(exprs);
  for (const Expr* expr : exprs) {
    if (!isElementwise(expr) && !expr->is<BroadcastOp>()) {
      continue;
    }
    const TensorView* out = expr->output(0)->asTensor();
    std::set<size_t> along;
    for (size_t i = 0; i < out->logical().size(); ++i) {
      if (expr->is<BroadcastOp>() && ofReductions.contains(out) &&
          out->logical()[i]->isBroadcast()) {
        along.insert(i);
      }
    }
    for (const Val* in : expr->inputs()) {
      const auto known = normalized.find(in);
      if (known != normalized.end() && in->asTensor()->visible().size() == out->logical().size()) {
        along.insert(known->second.begin(), known->second.end());
      }
    }
    if (!along.empty()) {
      normalized[out] = std::move(along);
    }
  }
  return normalized;
}

namespace {

// A tensor with the dimensions of another one.
TensorView* newLike(const TensorView* tv, DataType dtype) {
  Fusion* fusion = tv->fusion();
  std::vector<IterDomain*> logical;
  for (const IterDomain* id : tv->visible()) {
    IterDomain::Options options = id->options();
    options.isRFactor = false;
    logical.push_back(fusion->create<IterDomain>(id->extent(), options));
  }
  auto* domain =
      fusion->create<TensorDomain>(std::vector<IterDomain*>{}, logical, std::vector<IterDomain*>{},
                                   logical, TensorDomain::fullContiguity(logical, true));
  return fusion->create<TensorView>(domain, dtype);
}

}  // namespace

void viewLike(const Expr* view, TensorView* out, TensorView* in) {
  Fusion* fusion = out->fusion();
  Cloner cloner(fusion, /*sharesScalars=*/true);
  const TensorDomain* like = cloner.clone(view->output(0)->asTensor())->domain();
  const TensorDomain* own = out->domain();
  std::vector<IterDomain*> allocation;
  for (const IterDomain* id : own->allocation()) {
    const auto place = std::ranges::find(own->logical(), id) - own->logical().begin();
    allocation.push_back(like->logical()[static_cast<size_t>(place)]);
  }
  out->setDomain(fusion->create<TensorDomain>(like->root(), like->logical(), std::move(allocation),
                                              like->logical(), own->contiguity()));
  if (view->is<ReshapeOp>()) {
    fusion->create<ReshapeOp>(out, in, view->operands());
  } else {
    const auto* copy = view->as<LoadStoreOp>();
    fusion->create<LoadStoreOp>(copy->type(), copy->cacheOp(), out, in);
  }
}

namespace {

int64_t bitsOf(const Val* tensor) { return info(tensor->dtype()).bits; }

bool narrows(const Expr* expr) {
  const UnaryOp* cast = asConversion(expr);
  return cast != nullptr && bitsOf(cast->output(0)) < bitsOf(cast->input(0));
}

bool widens(const Expr* expr) {
  const UnaryOp* cast = asConversion(expr);
  return cast != nullptr && bitsOf(cast->output(0)) > bitsOf(cast->input(0));
}

// What repeats converted elements in front of a reshape, from that on.
std::vector<const Expr*> repetitionsInFrontOf(const ReshapeOp* reshape) {
  std::vector<const Expr*> repetitions;
  for (const TensorView* tv = reshape->in(); !tv->isFusionOutput();) {
    const Expr* expr = tv->definition();
    if (expr == nullptr || widens(expr)) {
      return expr == nullptr ? std::vector<const Expr*>{} : repetitions;
    }
    const auto* copy = expr->as<LoadStoreOp>();
    const bool isPlainCopy =
        copy != nullptr && !copy->isSegmentBoundary() && asPermutation(expr) == nullptr;
    if (!expr->is<BroadcastOp>() && !expr->is<ExpandOp>() && !isPlainCopy) {
      return {};
    }
    repetitions.push_back(expr);
    tv = expr->input(0)->asTensor();
  }
  return {};
}

// What computes an operand `ofReshape`, or what is repeated for that, from one tensor, element by
// element, from the reshape on, and may do so behind it: what widens, and where elements are looked
// up all of it, from the narrowest tensor on if that is in memory only for the reshape.
std::vector<const Expr*> movedBehind(const ReshapeOp* reshape, const TensorView* ofReshape) {
  const bool isLookedUpIn = std::ranges::any_of(
      reshape->out()->uses(), [&](const Expr* use) { return isLookedUp(reshape->out(), use); });
  std::vector<const Expr*> moved;
  std::ptrdiff_t fromNarrowest = 0;
  int64_t least = bitsOf(ofReshape);
  for (const TensorView* tv = ofReshape;;) {
    const Expr* expr = tv->definition();
    if (expr == nullptr) {
      return moved;
    }
    if (tv->isFusionOutput() || !isElementwise(expr) ||
        std::ranges::count_if(expr->inputs(), &Val::isTensor) != 1) {
      break;
    }
    const auto* in = (*std::ranges::find_if(expr->inputs(), &Val::isTensor))->asTensor();
    if (!widens(expr) && !isLookedUpIn) {
      break;
    }
    moved.push_back(expr);
    tv = in;
    if (bitsOf(tv) <= least) {
      least = bitsOf(tv);
      fromNarrowest = std::ssize(moved);
    }
  }
  moved.resize(static_cast<size_t>(fromNarrowest));
  return moved;
}

}  // namespace

size_t computeBehindReshapes(Fusion* fusion) {
  size_t count = 0;
  for (const Expr* expr : fusion->tensorExprs()) {
    const auto* reshape = expr->as<ReshapeOp>();
    if (reshape == nullptr || reshape->out()->isFusionOutput()) {
      continue;
    }
    const std::vector<const Expr*> repetitions = repetitionsInFrontOf(reshape);
    const Val* repeated = repetitions.empty() ? reshape->in() : repetitions.back()->input(0);
    const std::vector<const Expr*> moved = movedBehind(reshape, repeated->asTensor());
    if (moved.empty()) {
      continue;
    }
    const auto sourceOf = [](const Expr* above) {
      return (*std::ranges::find_if(above->inputs(), &Val::isTensor))->asTensor();
    };
    TensorView* source = sourceOf(moved.back());
    for (const Expr* repetition : repetitions | std::views::reverse) {
      Cloner cloner(fusion, /*sharesScalars=*/true);
      TensorView* copy = newLike(repetition->output(0)->asTensor(), source->dtype());
      cloner.substitute(repetition->output(0), copy);
      cloner.cloneOf(repetition, {source});
      source = copy;
    }
    TensorView* value = newLike(reshape->out(), source->dtype());
    viewLike(reshape, value, source);
    for (const Expr* above : moved | std::views::reverse) {
      std::vector<Val*> inputs = above->inputs();
      std::ranges::replace_if(inputs, &Val::isTensor, value);
      value = newLike(reshape->out(), above->output(0)->asTensor()->dtype());
      computeLike(above, value, inputs);
    }
    fusion->replaceUses(reshape->out(), value);
    count += moved.size();
  }
  if (count > 0) {
    eliminateDeadCode(fusion);
  }
  return count;
}

namespace {

bool hasGivenOrder(const Val* tv) {
  return std::ranges::any_of(tv->fusion()->outputs(), [&](const Fusion::Output& output) {
    return output.tv == tv && !output.isOrderOpen;
  });
}

// The reshapes and permutations behind which a conversion stands, from it on: what they return is
// needed by no operation that stays behind them.
std::vector<const Expr*> viewsInFrontOf(const UnaryOp* cast) {
  const auto staysBehind = [](const Expr* use) {
    return !narrows(use) && !use->is<LibraryOp>() && !isReshapeOrPermutation(use);
  };
  std::vector<const Expr*> views;
  for (const auto* tv = cast->input(0)->asTensor();; tv = views.back()->input(0)->asTensor()) {
    const Expr* view = tv->definition();
    if (!isReshapeOrPermutation(view) || tv->isFusionOutput() ||
        std::ranges::any_of(tv->uses(), staysBehind)) {
      return views;
    }
    // To permute a result whose order in memory is given would be a copy.
    if (!view->is<ReshapeOp>() && hasGivenOrder(cast->output(0))) {
      return {};
    }
    views.push_back(view);
  }
}

}  // namespace

size_t narrowInFrontOfViews(Fusion* fusion) {
  size_t moved = 0;
  for (Expr* expr : fusion->tensorExprs()) {
    if (!narrows(expr)) {
      continue;
    }
    const std::vector<const Expr*> views = viewsInFrontOf(asConversion(expr));
    if (views.empty()) {
      continue;
    }
    TensorView* out = expr->output(0)->asTensor();
    TensorView* source = views.back()->input(0)->asTensor();
    TensorView* narrow = newLike(source, out->dtype());
    computeLike(expr, narrow, {source});
    fusion->removeExpr(expr);
    for (auto view = views.rbegin(); view != views.rend(); ++view) {
      TensorView* viewed =
          *view == views.front() ? out : newLike((*view)->output(0)->asTensor(), out->dtype());
      viewLike(*view, viewed, narrow);
      narrow = viewed;
    }
    ++moved;
  }
  if (moved > 0) {
    eliminateDeadCode(fusion);
  }
  return moved;
}

namespace {

bool keepsDigits(const Expr* expr) {
  const auto keeps = [](const auto* op) {
    return op != nullptr && has(op->type(), OpTraits::KeepsDigits);
  };
  return keeps(expr->as<UnaryOp>()) || keeps(expr->as<BinaryOp>());
}

// Tensors as they were before they were converted to wider elements, and what keeps the digits of
// these, computed of them.
using Unconverted = std::unordered_map<const Val*, TensorView*>;

// The operands of an expression as they were; nothing where they are of several dtypes. Emitters
// round numbers to that of the result: of extremes that may as well be done before.
std::optional<std::vector<Val*>> unconverted(const Expr* expr, const Unconverted& known) {
  std::vector<Val*> inputs;
  const Val* first = nullptr;
  for (Val* in : expr->inputs()) {
    const auto source = known.find(in);
    if (in->isTensor() && (source == known.end() ||
                           (first != nullptr && source->second->dtype() != first->dtype()))) {
      return std::nullopt;
    }
    inputs.push_back(in->isTensor() ? source->second : in);
    first = in->isTensor() ? inputs.back() : first;
  }
  return inputs;
}

// Whether all truth values or integers of a dtype are the same integers of a wider one.
bool isExactInteger(DataType narrow, DataType wide) {
  const bool isWider =
      isBooleanType(narrow) || (isIntegralType(narrow) && info(narrow).bits < info(wide).bits &&
                                (info(wide).isSigned || !info(narrow).isSigned));
  return isWider && isIntegralType(wide);
}

}  // namespace

size_t computeWithoutConversions(Fusion* fusion) {
  size_t changed = 0;
  Unconverted known;
  for (Expr* expr : fusion->tensorExprs()) {
    if (const UnaryOp* cast = asConversion(expr)) {
      TensorView* in = cast->input(0)->asTensor();
      TensorView* out = cast->output(0)->asTensor();
      if (const UnaryOp* first = asConversion(in->definition()); first != nullptr) {
        const DataType narrow = first->input(0)->dtype();
        if (isExactInteger(narrow, in->dtype()) && narrow != out->dtype()) {
          fusion->removeExpr(expr);
          computeLike(first, out, first->inputs());
          ++changed;
          continue;
        }
      }
      const auto source = known.find(in);
      // All narrower elements are exact in what they are computed in, unlike in integers.
      const bool isExact = isFloatingPointType(in->dtype()) && isFloatingPointType(out->dtype()) &&
                           !isReducedPrecision(out->dtype()) && bitsOf(in) < bitsOf(out);
      if (isExact) {
        known[out] = in;
      } else if (source != known.end() && source->second->dtype() == out->dtype() &&
                 keepsDigits(in->definition())) {
        fusion->removeExpr(expr);
        computeLike(in->definition(), out, source->second->definition()->inputs());
        ++changed;
      }
    } else if (keepsDigits(expr)) {
      if (const auto inputs = unconverted(expr, known)) {
        const auto first = std::ranges::find_if(*inputs, &Val::isTensor);
        TensorView* out = newLike(expr->output(0)->asTensor(), (*first)->dtype());
        computeLike(expr, out, *inputs);
        known[expr->output(0)] = out;
      }
    }
  }
  eliminateDeadCode(fusion);
  return changed;
}

namespace {

// Reduces the operand of a reduction along the dimensions of these numbers.
TensorView* reduceAlong(const ReductionOp* reduction, const std::set<size_t>& first) {
  TensorView* in = reduction->input(0)->asTensor();
  Fusion* fusion = in->fusion();
  std::vector<IterDomain*> logical;
  const std::vector<IterDomain*> dims = in->visible();
  for (size_t i = 0; i < dims.size(); ++i) {
    logical.push_back(first.contains(i) ? dims[i]->cloneAs(IterType::Reduction)
                                        : dims[i]->cloneWithoutRFactor());
  }
  auto* domain =
      fusion->create<TensorDomain>(std::vector<IterDomain*>{}, logical, std::vector<IterDomain*>{},
                                   logical, TensorDomain::fullContiguity(logical, true));
  auto* partial = fusion->create<TensorView>(domain, in->dtype());
  fusion->create<ReductionOp>(reduction->type(), reduction->init(), partial, in);
  return partial;
}

// Lets a reduction begin with what is its operand reduced along the dimensions of these numbers.
void reduceFurther(ReductionOp* reduction, const std::set<size_t>& first, TensorView* partial) {
  TensorView* out = reduction->output(0)->asTensor();
  Fusion* fusion = out->fusion();
  const TensorDomain* own = out->domain();
  const auto isDone = [&](const IterDomain* id) {
    const auto place = std::ranges::find(own->logical(), id) - own->logical().begin();
    return first.contains(static_cast<size_t>(place));
  };
  std::vector<IterDomain*> left = own->logical();
  std::erase_if(left, isDone);
  std::vector<IterDomain*> allocation;
  std::vector<std::optional<bool>> contiguity;
  for (size_t i = 0; i < own->maybeAllocation().size(); ++i) {
    if (!isDone(own->maybeAllocation()[i])) {
      allocation.push_back(own->maybeAllocation()[i]);
      contiguity.push_back(own->contiguity()[i]);
    }
  }
  if (own->allocation().empty()) {
    allocation.clear();
  }
  const BinaryOpType type = reduction->type();
  Val* init = reduction->init();
  fusion->removeExpr(reduction);
  out->setDomain(fusion->create<TensorDomain>(std::vector<IterDomain*>{}, left,
                                              std::move(allocation), left, std::move(contiguity)));
  fusion->create<ReductionOp>(type, init, out, partial);
}

std::set<size_t> reducedDimensions(const ReductionOp* reduction) {
  const std::vector<IterDomain*>& dims = reduction->output(0)->asTensor()->logical();
  std::set<size_t> result;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i]->isReduction()) {
      result.insert(i);
    }
  }
  return result;
}

}  // namespace

size_t reduceAlongNormalizedFirst(Fusion* fusion) {
  size_t divided = 0;
  const std::vector<Expr*> exprs = fusion->tensorExprs();
  const Normalized normalized = findNormalized(exprs);
  for (Expr* expr : exprs) {
    auto* reduction = expr->as<ReductionOp>();
    const auto along =
        reduction == nullptr ? normalized.end() : normalized.find(reduction->input(0));
    if (along == normalized.end() || reduction->output(0)->asTensor()->domain()->hasRoot()) {
      continue;
    }
    const std::set<size_t> reduced = reducedDimensions(reduction);
    std::set<size_t> first = along->second;
    std::erase_if(first, [&](size_t dim) { return !reduced.contains(dim); });
    if (!first.empty() && first.size() < reduced.size()) {
      reduceFurther(reduction, first, reduceAlong(reduction, first));
      ++divided;
    }
  }
  return divided;
}

size_t reduceFurtherWhatIsReduced(Fusion* fusion) {
  struct Reduced {
    ReductionOp* reduction;
    std::set<size_t> dims;
  };
  std::vector<const Val*> operands;
  std::unordered_map<const Val*, std::vector<Reduced>> byOperand;
  for (Expr* expr : fusion->tensorExprs()) {
    auto* reduction = expr->as<ReductionOp>();
    if (reduction == nullptr || reduction->output(0)->asTensor()->domain()->hasRoot()) {
      continue;
    }
    // Sums of 16 bits would be rounded in between.
    const DataType dtype = reduction->output(0)->asTensor()->dtype();
    if (dtype == reduction->input(0)->asTensor()->dtype() && !isReducedPrecision(dtype)) {
      std::vector<Reduced>& all = byOperand[reduction->input(0)];
      if (all.empty()) {
        operands.push_back(reduction->input(0));
      }
      all.push_back({reduction, reducedDimensions(reduction)});
    }
  }
  size_t changed = 0;
  for (const Val* operand : operands) {
    // Those along the fewest dimensions first.
    std::vector<Reduced>& all = byOperand[operand];
    std::ranges::stable_sort(all, {}, [](const Reduced& each) { return each.dims.size(); });
    for (size_t i = all.size(); i-- > 1;) {
      const auto& [reduction, dims] = all[i];
      for (size_t j = i; j-- > 0;) {
        if (all[j].reduction->type() == reduction->type() && all[j].dims.size() < dims.size() &&
            std::ranges::includes(dims, all[j].dims)) {
          reduceFurther(reduction, all[j].dims, all[j].reduction->output(0)->asTensor());
          ++changed;
          break;
        }
      }
    }
  }
  return changed;
}

bool updateByScatters(Fusion* fusion) {
  bool isChanged = false;
  for (const auto& [tv, alias, isVisible, isOrderOpen] : std::vector(fusion->outputs())) {
    const auto* copy = tv->definition() == nullptr ? nullptr : tv->definition()->as<LoadStoreOp>();
    if (alias == nullptr || copy == nullptr || tv->domain()->hasRoot() || !tv->uses().empty()) {
      continue;
    }
    TensorView* updated = copy->in();
    const ScatterOp* scatter = scatterOf(updated);
    if (scatter != nullptr && scatter->in() == alias && !updated->isFusionOutput()) {
      fusion->replaceOutput(tv, updated);
      isChanged = true;
    }
  }
  if (isChanged) {
    eliminateDeadCode(fusion);
  }
  return isChanged;
}

size_t eliminateCommonSubexpressions(Fusion* fusion) {
  ValueNumbering numbering(*fusion);
  std::map<Key, Expr*> known;
  size_t removed = 0;
  for (Expr* expr : fusion->tensorExprs()) {
    // Any operator of torch may have effects: two random numbers are two.
    const auto* call = expr->as<LibraryOp>();
    if (expr->outputs().size() != 1 || (call != nullptr && call->type() == LibraryOpType::Torch)) {
      continue;
    }
    Key key = numbering.keyOf(expr);
    appendDomain(key, expr->output(0)->asTensor(), numbering);
    const auto [entry, isNew] = known.try_emplace(std::move(key), expr);
    if (!isNew) {
      numbering.setEqual(expr->output(0), entry->second->output(0));
      removed += unify(fusion, entry->second, expr) ? 1 : 0;
    }
  }
  return removed;
}

}  // namespace nvfuser
