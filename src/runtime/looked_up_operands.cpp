#include "runtime/looked_up_operands.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/logical_map.h"
#include "ir/passes.h"
#include "ir/scalar.h"
#include "ir/views.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"
#include "ops/tensor_builder.h"
#include "ops/view.h"
#include "runtime/known_integers.h"
#include "schedule/element_cost.h"
#include "schedule/limits.h"

namespace nvfuser {

namespace {

// The division that positions are the remainders of, null where they are none.
const BinaryOp* remainderOf(const LookupOp* lookup) {
  const Expr* definition = lookup->index()->definition();
  const auto* rest = definition == nullptr ? nullptr : definition->as<BinaryOp>();
  return rest != nullptr && rest->type() == BinaryOpType::Remainder ? rest : nullptr;
}

// Whether no position is there twice: what is looked up at them is computed once for each, whether
// before or after.
bool isOneToOne(const LookupOp* lookup) {
  const BinaryOp* rest = remainderOf(lookup);
  const Expr* definition =
      rest != nullptr ? rest->input(0)->definition() : lookup->index()->definition();
  const auto* iota = definition == nullptr ? nullptr : definition->as<IotaOp>();
  if (iota == nullptr || !iota->step()->isConstInt()) {
    return false;
  }
  const int64_t step = iota->step()->constInt();
  return rest == nullptr ? step != 0
                         : std::abs(step) == 1 &&
                               scalar::same(rest->input(1),
                                            lookup->index()->visible().front()->visibleExtent());
}

// Whether all positions are some of the dimension, for any sizes.
bool goesAround(const LookupOp* lookup) {
  const BinaryOp* rest = remainderOf(lookup);
  const std::vector<IterDomain*> dims = lookup->input(0)->asTensor()->visible();
  return rest != nullptr &&
         scalar::same(rest->input(1), dims[static_cast<size_t>(lookup->dim())]->visibleExtent());
}

// Whether a lookup selects slices of a tensor at the positions of a vector.
bool isAtPositions(const LookupOp* lookup) {
  return lookup->type() == LookupType::IndexSelect && lookup->index()->visible().size() == 1;
}

// The pad that a tensor is of another one along a dimension, and along no other; null if it is
// none.
const PadOp* padAlong(const TensorView* tv, size_t dim) {
  const auto* pad = tv->definition() == nullptr ? nullptr : tv->definition()->as<PadOp>();
  for (size_t i = 0; pad != nullptr && i < tv->visible().size(); ++i) {
    const bool isPadded = !pad->left(i)->isConstInt(0) || !pad->right(i)->isConstInt(0);
    if (i != dim && isPadded) {
      return nullptr;
    }
  }
  const bool isKnown = pad != nullptr && pad->left(dim)->isConstInt() &&
                       pad->in()->visible()[dim]->extent()->isConstInt();
  return isKnown ? pad : nullptr;
}

// Whether a tensor is there before anything is computed, or is what a library computes: as it is,
// or in another shape.
bool isInMemory(const TensorView* tv) {
  const Expr* definition = tv->definition();
  while (definition != nullptr && definition->is<ReshapeOp>()) {
    tv = definition->input(0)->asTensor();
    definition = tv->definition();
  }
  return tv->isFusionInput() || (definition != nullptr && definition->is<LibraryOp>());
}

// Whether it is its operand, in memory of its own if anything asks for that.
bool isCopy(const Expr* expr) {
  const auto* copy = expr->as<LoadStoreOp>();
  return copy != nullptr && !copy->isSegmentBoundary() && !copy->isPermutation();
}

bool isCut(const SliceOp* slice, size_t dim) {
  return slice->out()->logical()[dim]->definition() != nullptr;
}

// Positions along the dimensions of a tensor, each a vector; null where they are all that there
// are, in order.
using Positions = std::vector<TensorView*>;

size_t countOf(const Positions& positions) {
  return positions.size() - static_cast<size_t>(std::ranges::count(positions, nullptr));
}

// The dimensions from the first one with positions to the last one.
struct Span {
  size_t first;
  size_t last;
};
Span spanOf(const Positions& positions) {
  Span span{.first = positions.size(), .last = 0};
  for (size_t i = 0; i < positions.size(); ++i) {
    if (positions[i] != nullptr) {
      span.first = std::min(span.first, i);
      span.last = i;
    }
  }
  return span;
}

// Whether dimensions follow each other in memory as if they were one.
bool areOneInMemory(const TensorView* tv, Span span) {
  if (tv->definition() != nullptr && tv->definition()->is<ReshapeOp>()) {
    return false;
  }
  const std::vector<IterDomain*>& allocation = tv->domain()->maybeAllocation();
  const std::vector<IterDomain*> dims = tv->visible();
  for (size_t i = span.first; i < span.last; ++i) {
    const auto place = std::ranges::find(allocation, dims[i]);
    if (dims[i]->isBroadcast() || place == allocation.end() || place + 1 == allocation.end() ||
        *(place + 1) != dims[i + 1] ||
        !tv->domain()->contiguity()[static_cast<size_t>(place - allocation.begin())].value_or(
            false)) {
      return false;
    }
  }
  return !dims[span.last]->isBroadcast();
}

bool onlyMerges(const ReshapeOp* reshape) {
  const TensorView* out = reshape->out();
  return std::ranges::all_of(transformsBetween(out->maybeRoot(), out->logical()), &Expr::is<Merge>);
}

// A reshape that divides the dimension that a lookup has looked up.
struct Divided {
  const LookupOp* lookup;
  // What is looked up at, with the dimensions that it is divided into.
  TensorView* positions;
  // The first of these in the result.
  size_t dim;

  Positions ofPositions(const Positions& all) const {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(dim);
    return {first, first + std::ssize(positions->visible())};
  }
  // Those of what is looked up in.
  Positions ofOperand(Positions all, TensorView* index) const {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(dim);
    all.erase(first + 1, first + std::ssize(positions->visible()));
    all[dim] = index;
    return all;
  }
};

// Nothing for a reshape that does something else.
std::optional<Divided> dividedBy(const ReshapeOp* reshape) {
  const Expr* definition = reshape->in()->definition();
  const auto* lookup = definition == nullptr ? nullptr : definition->as<LookupOp>();
  if (lookup == nullptr || !isAtPositions(lookup) || lookup->index()->definition() == nullptr) {
    return std::nullopt;
  }
  const auto* merge = lookup->index()->definition()->as<ReshapeOp>();
  if (merge == nullptr || !onlyMerges(merge)) {
    return std::nullopt;
  }
  const Divided divided{
      .lookup = lookup, .positions = merge->in(), .dim = static_cast<size_t>(lookup->dim())};
  const std::vector<IterDomain*> parts = divided.positions->visible();
  const std::vector<IterDomain*>& whole = lookup->out()->logical();
  std::vector<const Val*> expected;
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const IterDomain* id : i == divided.dim ? parts : std::vector<IterDomain*>{whole[i]}) {
      expected.push_back(id->visibleExtent());
    }
  }
  const bool isSame = std::ranges::equal(expected, reshape->out()->logical(),
                                         [](const Val* extent, const IterDomain* id) {
                                           return scalar::same(extent, id->visibleExtent());
                                         });
  return isSame ? std::optional(divided) : std::nullopt;
}

// What is computed, element by element, from inputs and what is counted, at some positions: of
// elements looked up in these.
class AtPositions {
 public:
  // The lookups all of whose positions are known to be some of the dimension.
  explicit AtPositions(const std::vector<LookupOp*>& inside)
      : inside_(inside.begin(), inside.end()) {}

  // Whether a tensor can be computed at positions along some dimensions, where no other positions,
  // and no others that read what it is computed of, need the same elements.
  bool canCompute(TensorView* tv, const Positions& positions) {
    start(tv, false);
    return isComputable(tv, positions);
  }

  // The same of what is looked up, or a slice of it, whoever needs the same elements.
  bool canComputeAgain(TensorView* part) {
    start(part, true);
    return isComputableNew(part, Positions(part->visible().size(), nullptr));
  }
  TensorView* computeAgain(TensorView* part) {
    return computeNew(part, Positions(part->visible().size(), nullptr));
  }

  // Instructions of an element of what was asked for last, what is looked up for it, and the
  // lookups that this is at positions along several dimensions of.
  int64_t cost() const { return cost_; }
  int64_t lookups() const { return lookups_; }
  const std::set<const LookupOp*>& divided() const { return divided_; }

  TensorView* compute(TensorView* tv, const Positions& positions) {
    if (countOf(positions) == 0) {
      return tv;
    }
    TensorView*& result = computed_[{tv, positions}];
    if (result == nullptr) {
      result = computeNew(tv, positions);
    }
    return result;
  }

 private:
  void start(const TensorView* tv, bool mayRepeat) {
    mayRepeat_ = mayRepeat;
    rank_ = rankOf(tv);
    cost_ = 0;
    lookups_ = 0;
    divided_.clear();
    seen_.clear();
  }

  static int64_t rankOf(const TensorView* tv) {
    return std::ranges::count_if(tv->visible(), std::mem_fn(&IterDomain::isIteration));
  }

  // Of positions that have yet to be computed those that they are looked up in stand for them.
  bool isComputable(TensorView* tv, const Positions& positions) {
    return countOf(positions) == 0 || !seen_.emplace(tv, positions).second ||
           isComputableNew(tv, positions);
  }

  bool isComputableNew(TensorView* tv, const Positions& positions) {
    const Span span = spanOf(positions);
    const bool isOne = span.first == span.last;
    if (isInMemory(tv)) {
      ++lookups_;
      return hasAll(tv, positions) && (isOne || areOneInMemory(tv, span));
    }
    const Expr* expr = tv->definition();
    if (expr == nullptr || std::ssize(seen_) > limits::kRepeatedOpsScheduled) {
      return false;
    }
    if (const auto* reshape = expr->as<ReshapeOp>()) {
      return mayRepeat_ &&
             (isComputableReshaped(reshape, positions) || isComputableDivided(reshape, positions));
    }
    if (expr->is<BroadcastOp>()) {
      return isComputable(expr->input(0)->asTensor(), ofOperand(expr, positions));
    }
    if (isOne && padAlong(tv, span.first) != nullptr) {
      return isComputable(expr->input(0)->asTensor(), positions);
    }
    if (const auto* squeeze = expr->as<SqueezeOp>()) {
      return isComputable(squeeze->in(), behindSqueeze(squeeze, positions));
    }
    if (const auto* slice = expr->as<SliceOp>()) {
      return (mayRepeat_ || isInMemory(slice->in())) &&
             isComputable(slice->in(), behindSlice(slice, positions));
    }
    if (const auto* lookup = expr->as<LookupOp>()) {
      const auto dim = static_cast<size_t>(lookup->dim());
      if ((!mayRepeat_ && !isOneToOne(lookup)) || !isInside(lookup) ||
          (positions[dim] != nullptr && !isCounted(lookup->index(), {positions[dim]}))) {
        return false;
      }
      Positions all = positions;
      all[dim] = lookup->index();
      return isComputable(lookup->in(), all);
    }
    if (expr->is<IotaOp>()) {
      return true;
    }
    if (isCopy(expr)) {
      return isComputable(expr->input(0)->asTensor(), positions);
    }
    const bool isShared = tv->uses().size() > 1 || tv->isFusionOutput();
    if (!isElementwise(expr) || (!mayRepeat_ && isShared && rankOf(tv) == rank_)) {
      return false;
    }
    cost_ += costOf(expr).value_or(limits::kRepeatedCost);
    return std::ranges::all_of(expr->inputs(), [&](Val* in) {
      return !in->isTensor() || (in->asTensor()->visible().size() == positions.size() &&
                                 hasAll(in->asTensor(), positions) &&
                                 isComputable(in->asTensor(), ofOne(in->asTensor(), positions)));
    });
  }

  bool isInside(const LookupOp* lookup) const {
    return isAtPositions(lookup) && (goesAround(lookup) || inside_.contains(lookup));
  }

  // Whether positions in a vector of positions can be computed, which costs next to nothing.
  bool isCounted(TensorView* index, const Positions& positions) {
    const int64_t cost = cost_;
    const int64_t lookups = lookups_;
    const bool is = isComputable(index, positions) && lookups_ == lookups;
    cost_ = cost;
    return is;
  }

  // The positions that are looked up in one dimension are those of several, which that of the
  // result is divided into.
  bool isComputableDivided(const ReshapeOp* reshape, const Positions& positions) {
    const std::optional<Divided> divided = dividedBy(reshape);
    if (!divided || !isInside(divided->lookup)) {
      return false;
    }
    divided_.insert(divided->lookup);
    return isCounted(divided->positions, divided->ofPositions(positions)) &&
           isComputable(divided->lookup->in(),
                        divided->ofOperand(positions, divided->lookup->index()));
  }

  TensorView* computeDivided(const ReshapeOp* reshape, const Positions& positions) {
    const std::optional<Divided> divided = dividedBy(reshape);
    TensorView* places = compute(divided->positions, divided->ofPositions(positions));
    const std::vector<Val*> sizes = ops::shape(places);
    const std::vector<Val*> count{scalar::product(places->fusion(), sizes)};
    TensorView* found =
        compute(divided->lookup->in(), divided->ofOperand(positions, ops::reshape(places, count)));
    std::map<TensorView*, TensorView*> known;
    return divide(found, divided->dim, sizes, known);
  }

  // A tensor with one dimension divided into several. What is computed element by element is of
  // operands that are divided: slices of it may be computed at other positions.
  static TensorView* divide(TensorView* tv, size_t dim, const std::vector<Val*>& sizes,
                            std::map<TensorView*, TensorView*>& known) {
    TensorView*& result = known[tv];
    if (result == nullptr) {
      result = divideNew(tv, dim, sizes, known);
    }
    return result;
  }

  static TensorView* divideNew(TensorView* tv, size_t dim, const std::vector<Val*>& sizes,
                               std::map<TensorView*, TensorView*>& known) {
    const std::vector<IterDomain*> dims = tv->visible();
    if (dims[dim]->isBroadcast()) {
      std::vector<bool> isNew(dims.size() + sizes.size() - 1, false);
      std::fill_n(isNew.begin() + static_cast<std::ptrdiff_t>(dim) + 1, sizes.size() - 1, true);
      return ops::broadcast(tv, isNew);
    }
    const Expr* expr = tv->definition();
    if (expr == nullptr || !isElementwise(expr)) {
      std::vector<Val*> shape = ops::shape(tv);
      const auto place = shape.begin() + static_cast<std::ptrdiff_t>(dim);
      shape.insert(shape.erase(place), sizes.begin(), sizes.end());
      return ops::reshape(tv, shape);
    }
    std::vector<Val*> operands;
    for (Val* in : expr->inputs()) {
      operands.push_back(in->isTensor() ? divide(in->asTensor(), dim, sizes, known) : in);
    }
    return ops::elementwiseOf(expr, operands);
  }

  // Dimensions are merged of what is computed element by element: as well of its operands before.
  bool isComputableReshaped(const ReshapeOp* reshape, const Positions& positions) {
    const Expr* expr = reshape->in()->definition();
    if (expr == nullptr || !isElementwise(expr) || !onlyMerges(reshape)) {
      return false;
    }
    cost_ += costOf(expr).value_or(limits::kRepeatedCost);
    return std::ranges::all_of(expr->inputs(), [&](Val* in) {
      if (!in->isTensor()) {
        return true;
      }
      TensorView* merged = mergedLike(reshape, in->asTensor());
      return merged != nullptr && hasAll(merged, positions) &&
             isComputable(merged, ofOne(merged, positions));
    });
  }

  // An operand of what is reshaped with its own dimensions merged; null where it has only some of
  // those that become one.
  TensorView* mergedLike(const ReshapeOp* reshape, TensorView* operand) {
    const auto [known, isNew] = merged_.try_emplace({reshape->out(), operand}, nullptr);
    const std::vector<IterDomain*> dims = operand->visible();
    const std::vector<IterDomain*>& root = reshape->out()->maybeRoot();
    if (!isNew || dims.size() != root.size()) {
      return known->second;
    }
    std::vector<Val*> shape;
    for (IterDomain* id : reshape->out()->logical()) {
      Val* extent = operand->fusion()->one();
      const std::vector<Expr*> transforms = transformsBetween(root, {id});
      const auto isOf = [&](size_t i) {
        return root[i] == id || std::ranges::any_of(transforms, [&](const Expr* merge) {
                 return std::ranges::find(merge->inputs(), root[i]) != merge->inputs().end();
               });
      };
      size_t all = 0;
      size_t ones = 0;
      for (size_t i = 0; i < root.size(); ++i) {
        if (isOf(i)) {
          ++all;
          ones += dims[i]->isBroadcast() && !root[i]->isBroadcast() ? 1 : 0;
          extent = scalar::mul(extent, dims[i]->visibleExtent());
        }
      }
      if (ones > 0 && ones < all) {
        return nullptr;
      }
      shape.push_back(extent);
    }
    return known->second = ops::reshape(operand, shape);
  }

  // Whether no dimension with positions repeats elements by its size alone.
  static bool hasAll(const TensorView* tv, const Positions& positions) {
    const std::vector<IterDomain*> dims = tv->visible();
    for (size_t i = 0; i < dims.size(); ++i) {
      if (positions[i] != nullptr && dims[i]->hasExpandedExtent()) {
        return false;
      }
    }
    return true;
  }

  // All positions find the one element of a dimension.
  static Positions ofOne(const TensorView* tv, Positions positions) {
    const std::vector<IterDomain*> dims = tv->visible();
    for (size_t i = 0; i < dims.size(); ++i) {
      positions[i] = dims[i]->isBroadcast() ? nullptr : positions[i];
    }
    return positions;
  }

  static Positions ofOperand(const Expr* expr, const Positions& positions) {
    const auto* broadcast = expr->as<BroadcastOp>();
    Positions of(broadcast->in()->visible().size(), nullptr);
    for (size_t i = 0; i < positions.size(); ++i) {
      if (!broadcast->isBroadcastDim(i)) {
        of[dimOfOperand(broadcast, i)] = positions[i];
      }
    }
    return ofOne(broadcast->in(), of);
  }

  // Those in what is cut: the same vectors, each time. What memory has is cut afterwards along the
  // dimensions without positions.
  const Positions& behindSlice(const SliceOp* slice, const Positions& positions) {
    Positions& behind = behind_[{slice->out(), positions}];
    if (!behind.empty()) {
      return behind;
    }
    behind = positions;
    const bool isOfMemory = isInMemory(slice->in());
    for (size_t i = 0; i < positions.size(); ++i) {
      if (!isCut(slice, i)) {
        continue;
      }
      if (positions[i] != nullptr) {
        behind[i] = plus(positions[i], slice->start(i));
      } else if (!isOfMemory) {
        behind[i] = ops::iota(slice->out()->logical()[i]->extent(), slice->start(i), nullptr,
                              DataType::Int);
      }
    }
    return behind;
  }

  static Positions behindSqueeze(const SqueezeOp* squeeze, const Positions& positions) {
    Positions all;
    size_t next = 0;
    for (size_t i = 0; i < squeeze->in()->visible().size(); ++i) {
      all.push_back(squeeze->isSqueezeDim(i) ? nullptr : positions[next++]);
    }
    return all;
  }

  static TensorView* plus(TensorView* place, Val* by) {
    return by->isConstInt(0) ? place : ops::binary(BinaryOpType::Add, place, by)->asTensor();
  }

  TensorView* computeNew(TensorView* tv, const Positions& positions) {
    if (isInMemory(tv)) {
      return lookedUp(tv, positions);
    }
    const Expr* expr = tv->definition();
    const size_t dim = spanOf(positions).first;
    if (const auto* iota = expr->as<IotaOp>()) {
      TensorView* place = positions[dim];
      place =
          iota->step()->isConstInt(1) ? place : ops::binary(BinaryOpType::Mul, place, iota->step());
      place = plus(place, iota->start());
      return place->dtype() == tv->dtype() ? place : ops::cast(place, tv->dtype());
    }
    if (const auto* broadcast = expr->as<BroadcastOp>()) {
      std::vector<bool> flags;
      for (size_t i = 0; i < tv->visible().size(); ++i) {
        flags.push_back(broadcast->isBroadcastDim(i));
      }
      return ops::broadcast(compute(broadcast->in(), ofOperand(expr, positions)), flags);
    }
    if (countOf(positions) == 1 && padAlong(tv, dim) != nullptr) {
      return lookedUpPadded(padAlong(tv, dim), positions, dim);
    }
    if (const auto* squeeze = expr->as<SqueezeOp>()) {
      TensorView* found = compute(squeeze->in(), behindSqueeze(squeeze, positions));
      std::vector<int64_t> dims;
      for (size_t i = 0; i < found->visible().size(); ++i) {
        if (squeeze->isSqueezeDim(i)) {
          dims.push_back(static_cast<int64_t>(i));
        }
      }
      return ops::squeeze(found, dims, true);
    }
    if (const auto* slice = expr->as<SliceOp>()) {
      TensorView* found = compute(slice->in(), behindSlice(slice, positions));
      return isInMemory(slice->in()) ? cutWithoutPositions(slice, positions, found) : found;
    }
    if (const auto* lookup = expr->as<LookupOp>()) {
      Positions all = positions;
      TensorView*& place = all[static_cast<size_t>(lookup->dim())];
      place = place == nullptr ? lookup->index() : compute(lookup->index(), {place});
      return compute(lookup->in(), all);
    }
    if (isCopy(expr)) {
      return compute(expr->input(0)->asTensor(), positions);
    }
    const auto* reshape = expr->as<ReshapeOp>();
    if (reshape != nullptr && !isElementwise(reshape->in()->definition())) {
      return computeDivided(reshape, positions);
    }
    const Expr* operation = reshape != nullptr ? reshape->in()->definition() : expr;
    std::vector<Val*> inputs;
    for (Val* in : operation->inputs()) {
      if (in->isTensor()) {
        TensorView* operand =
            reshape != nullptr ? mergedLike(reshape, in->asTensor()) : in->asTensor();
        in = compute(operand, ofOne(operand, positions));
      }
      inputs.push_back(in);
    }
    std::vector<IterDomain*> logical = ops::cloneVisible(tv);
    for (size_t i = 0; i < logical.size(); ++i) {
      if (positions[i] != nullptr && !logical[i]->isBroadcast()) {
        logical[i] = ops::cloneVisible(positions[i]).front();
      }
    }
    TensorView* out = ops::newTensor(tv->fusion(), std::move(logical), tv->dtype());
    computeLike(operation, out, inputs);
    return out;
  }

  static TensorView* cutWithoutPositions(const SliceOp* slice, const Positions& positions,
                                         TensorView* found) {
    std::vector<Val*> starts(positions.size(), slice->fusion()->zero());
    std::vector<Val*> ends = ops::shape(found);
    bool isAny = false;
    for (size_t i = 0; i < positions.size(); ++i) {
      if (positions[i] == nullptr && isCut(slice, i)) {
        starts[i] = slice->start(i);
        ends[i] = slice->end(i);
        isAny = true;
      }
    }
    return isAny ? ops::slice(found, starts, ends, {}, true) : found;
  }

  // Positions along several dimensions are such along the one that these are in memory.
  static TensorView* lookedUp(TensorView* tv, const Positions& positions) {
    const Span span = spanOf(positions);
    if (span.first == span.last) {
      return ops::indexSelect(tv, positions[span.first], static_cast<int64_t>(span.first));
    }
    const size_t rank = span.last - span.first + 1;
    const std::vector<Val*> shape = ops::shape(tv);
    std::vector<Val*> merged(shape.begin(),
                             shape.begin() + static_cast<std::ptrdiff_t>(span.first));
    std::vector<Val*> found = merged;
    std::vector<Val*> sizes;
    TensorView* places = nullptr;
    for (size_t i = span.first; i <= span.last; ++i) {
      TensorView* own = positions[i] != nullptr
                            ? positions[i]
                            : ops::iota(shape[i], nullptr, nullptr, DataType::Int);
      sizes.push_back(own->visible().front()->visibleExtent());
      std::vector<bool> isOther(rank, true);
      isOther[i - span.first] = false;
      own = ops::broadcast(own, isOther);
      places = places == nullptr
                   ? own
                   : ops::binary(BinaryOpType::Add,
                                 ops::binary(BinaryOpType::Mul, places, shape[i]), own)
                         ->asTensor();
    }
    Fusion* fusion = tv->fusion();
    const auto behind = shape.begin() + static_cast<std::ptrdiff_t>(span.last) + 1;
    const std::vector<Val*> along(shape.begin() + static_cast<std::ptrdiff_t>(span.first), behind);
    merged.push_back(scalar::product(fusion, along));
    merged.insert(merged.end(), behind, shape.end());
    found.insert(found.end(), sizes.begin(), sizes.end());
    found.insert(found.end(), behind, shape.end());
    const std::vector<Val*> count{scalar::product(fusion, sizes)};
    TensorView* rows = ops::indexSelect(ops::reshape(tv, merged), ops::reshape(places, count),
                                        static_cast<int64_t>(span.first));
    return ops::reshape(rows, found);
  }

  // What a position finds in front of the operand or behind it is the pad's value.
  TensorView* lookedUpPadded(const PadOp* pad, Positions positions, size_t dim) {
    TensorView* in = pad->in();
    Fusion* fusion = in->fusion();
    const int64_t last = in->visible()[dim]->extent()->constInt() - 1;
    TensorView* place = ops::binary(BinaryOpType::Sub, positions[dim], pad->left(dim));
    TensorView* inside =
        ops::binary(BinaryOpType::LogicalAnd, ops::binary(BinaryOpType::Ge, place, fusion->zero()),
                    ops::binary(BinaryOpType::Le, place, scalar::constant(fusion, last)));
    positions[dim] = ops::binary(BinaryOpType::Minimum,
                                 ops::binary(BinaryOpType::Maximum, place, fusion->zero()),
                                 scalar::constant(fusion, last));
    std::vector<bool> isOther(in->visible().size(), true);
    isOther[dim] = false;
    return ops::where(ops::broadcast(inside, isOther), compute(in, ofOne(in, positions)),
                      pad->value())
        ->asTensor();
  }

  std::unordered_set<const LookupOp*> inside_;
  bool mayRepeat_ = false;
  // Dimensions with elements of their own.
  int64_t rank_ = 0;
  int64_t cost_ = 0;
  int64_t lookups_ = 0;
  std::set<const LookupOp*> divided_;
  std::set<std::pair<TensorView*, Positions>> seen_;
  std::map<std::pair<TensorView*, Positions>, Positions> behind_;
  std::map<std::pair<TensorView*, TensorView*>, TensorView*> merged_;
  std::map<std::pair<TensorView*, Positions>, TensorView*> computed_;
};

// Whether what is looked up in a tensor may be computed instead: at positions that the dimension
// has. Another one is an error, or reads as 0.
bool isReplaceable(const LookupOp* lookup, const std::vector<LookupOp*>& inside) {
  const auto dim = static_cast<size_t>(lookup->dim());
  const auto* in = lookup->input(0)->asTensor();
  return isAtPositions(lookup) && !isInMemory(in) && !in->visible()[dim]->isBroadcast() &&
         !lookup->out()->domain()->hasAllocation() &&
         (goesAround(lookup) || std::ranges::find(inside, lookup) != inside.end());
}

Positions positionsOf(const LookupOp* lookup) {
  Positions positions(lookup->input(0)->asTensor()->visible().size(), nullptr);
  positions[static_cast<size_t>(lookup->dim())] = lookup->index();
  return positions;
}

// The slices that the result of a lookup is read in alone, or it itself; what it is divided into
// stands for it where nothing reads it otherwise.
std::vector<TensorView*> partsOf(TensorView* found) {
  std::vector<TensorView*> parts;
  for (const Expr* use : found->uses()) {
    auto* part = use->output(0)->asTensor();
    const auto* reshape = use->as<ReshapeOp>();
    if (found->isFusionOutput() || part->domain()->hasAllocation() ||
        !(use->is<SliceOp>() || (reshape != nullptr && dividedBy(reshape)))) {
      return {found};
    }
    const std::vector<TensorView*> own =
        reshape != nullptr ? partsOf(part) : std::vector<TensorView*>{part};
    parts.insert(parts.end(), own.begin(), own.end());
  }
  return parts.empty() ? std::vector<TensorView*>{found} : parts;
}

// The lookups in a tensor that is in memory for nothing else; none where it is.
std::vector<LookupOp*> lookupsIn(const TensorView* tv, const std::vector<LookupOp*>& inside) {
  std::vector<LookupOp*> lookups;
  for (Expr* use : tv->uses()) {
    auto* lookup = use->as<LookupOp>();
    if (lookup != nullptr && lookup->input(0) == tv && lookup->index() != tv &&
        isReplaceable(lookup, inside)) {
      lookups.push_back(lookup);
    } else if (!isElementwise(use) && !isCopy(use)) {
      return {};
    }
  }
  return tv->isFusionOutput() ? std::vector<LookupOp*>{} : lookups;
}

// Computes a tensor again at each of the positions that are looked up in it, where that takes few
// instructions. Returns how many results of lookups, or slices of them, it was.
size_t computeAgain(const TensorView* tv, const std::vector<LookupOp*>& inside) {
  AtPositions at(inside);
  std::vector<TensorView*> parts;
  int64_t cost = 0;
  int64_t found = 0;
  for (const LookupOp* lookup : lookupsIn(tv, inside)) {
    for (TensorView* part : partsOf(lookup->out())) {
      if (!at.canComputeAgain(part)) {
        return 0;
      }
      cost += at.cost();
      found += at.lookups();
      parts.push_back(part);
    }
  }
  if (cost > limits::kRepeatedCost || found > limits::kRepeatedLookups) {
    return 0;
  }
  for (TensorView* part : parts) {
    replaceTensor(part, at.computeAgain(part));
  }
  return parts.size();
}

// Computes one tensor again, which none is computed of that can be. Returns how many results it
// was.
size_t computeAgain(Fusion* fusion) {
  // What nothing uses any more still reads what it did.
  eliminateDeadCode(fusion);
  const std::vector<LookupOp*> inside = lookupsInside(fusion);
  const std::vector<Expr*> exprs = fusion->tensorExprs();
  for (auto expr = exprs.rbegin(); expr != exprs.rend(); ++expr) {
    if ((*expr)->outputs().size() != 1) {
      continue;
    }
    if (const size_t parts = computeAgain((*expr)->output(0)->asTensor(), inside); parts > 0) {
      return parts;
    }
  }
  return 0;
}

// Computes slices of what is looked up along several dimensions at once at the positions of each:
// loops that run over both the slice and the dimension that these are in memory there are none.
// Returns how many slices there were.
size_t lookUpSlicesOfDivided(Fusion* fusion) {
  eliminateDeadCode(fusion);
  AtPositions at(lookupsInside(fusion));
  const std::vector<Expr*> exprs = fusion->tensorExprs();
  std::unordered_set<const Expr*> needed;
  std::set<const LookupOp*> divided;
  std::vector<TensorView*> slices;
  int64_t cost = 0;
  int64_t found = 0;
  for (auto expr = exprs.rbegin(); expr != exprs.rend(); ++expr) {
    const auto isNeeded = [&](const Val* out) {
      return out->isFusionOutput() || std::ranges::any_of(out->uses(), [&](const Expr* use) {
               return needed.contains(use);
             });
    };
    if (std::ranges::none_of((*expr)->outputs(), isNeeded)) {
      continue;
    }
    auto* out = (*expr)->output(0)->asTensor();
    if ((*expr)->is<SliceOp>() && !out->domain()->hasAllocation() && at.canComputeAgain(out) &&
        !at.divided().empty()) {
      divided.insert(at.divided().begin(), at.divided().end());
      cost += at.cost();
      found += at.lookups();
      slices.push_back(out);
    } else {
      needed.insert(*expr);
    }
  }
  const auto count = static_cast<int64_t>(divided.size());
  if (cost > count * limits::kRepeatedCost || found > count * limits::kRepeatedLookups) {
    return 0;
  }
  for (TensorView* slice : slices) {
    replaceTensor(slice, at.computeAgain(slice));
  }
  return slices.size();
}

}  // namespace

size_t lookUpOperands(Fusion* fusion, const Target& target) {
  const FusionGuard guard(fusion);
  const std::vector<LookupOp*> inside = lookupsInside(fusion);
  size_t changed = 0;
  for (Expr* expr : fusion->tensorExprs()) {
    const auto* lookup = expr->as<LookupOp>();
    if (lookup == nullptr || !isReplaceable(lookup, inside)) {
      continue;
    }
    auto* in = lookup->input(0)->asTensor();
    // Nothing is computed for what is only padded, however often it is looked up.
    const PadOp* pad = padAlong(in, static_cast<size_t>(lookup->dim()));
    if (!isOneToOne(lookup) && (pad == nullptr || !pad->in()->isFusionInput())) {
      continue;
    }
    AtPositions at(inside);
    if (at.canCompute(in, positionsOf(lookup))) {
      replaceTensor(lookup->out(), at.compute(in, positionsOf(lookup)));
      ++changed;
    }
  }
  if (!inside.empty()) {
    while (const size_t again = target.capabilities.hasThreads ? computeAgain(fusion) : 0) {
      changed += again;
    }
    changed += lookUpSlicesOfDivided(fusion);
  }
  // Also what was tried in vain.
  if (changed > 0 || !inside.empty()) {
    eliminateDeadCode(fusion);
  }
  return changed;
}

}  // namespace nvfuser
