#include "runtime/counted_lookups.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ir/passes.h"
#include "ir/scalar.h"
#include "ir/views.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"
#include "ops/tensor_builder.h"
#include "ops/view.h"
#include "runtime/known_integers.h"
#include "schedule/limits.h"

namespace nvfuser {

namespace {

// Positions that are counted along a dimension of known size, in which all of them lie.
struct Counted {
  int64_t start;
  int64_t step;
  int64_t count;
  int64_t extent;
};

std::optional<Counted> countedOf(const LookupOp* lookup) {
  const Expr* definition = lookup->index()->definition();
  const auto* iota = definition == nullptr ? nullptr : definition->as<IotaOp>();
  if (lookup->type() != LookupType::IndexSelect || iota == nullptr) {
    return std::nullopt;
  }
  const auto* in = lookup->input(0)->asTensor();
  const Val* extent = in->visible()[static_cast<size_t>(lookup->dim())]->visibleExtent();
  const Val* count = iota->out()->logical().front()->visibleExtent();
  for (const Val* number : {extent, count, static_cast<const Val*>(iota->start()),
                            static_cast<const Val*>(iota->step())}) {
    if (!number->isConstInt()) {
      return std::nullopt;
    }
  }
  const Counted counted{.start = iota->start()->constInt(),
                        .step = iota->step()->constInt(),
                        .count = count->constInt(),
                        .extent = extent->constInt()};
  // Of numbers of any size none overflows.
  const bool isShort = counted.step > -counted.extent && counted.step < counted.extent;
  if (counted.count <= 0 || counted.start < 0 || counted.start >= counted.extent || !isShort ||
      counted.count - 1 > counted.extent / std::max<int64_t>(std::abs(counted.step), 1)) {
    return std::nullopt;
  }
  const int64_t last = counted.start + (counted.count - 1) * counted.step;
  const bool isInside = last >= 0 && last < counted.extent;
  return isInside ? std::optional(counted) : std::nullopt;
}

// One of each n elements; null where these are not n for the first and the last one.
TensorView* elementsOfParts(const LookupOp* lookup, const Counted& counted) {
  auto* in = lookup->input(0)->asTensor();
  Fusion* fusion = in->fusion();
  // How many of the n lie in front of it.
  const int64_t whole = counted.count * counted.step;
  const int64_t inFront = std::max<int64_t>(counted.start + whole - counted.extent, 0);
  if (counted.step <= 1 || inFront >= counted.step || inFront > counted.start) {
    return nullptr;
  }
  const int64_t begin = counted.start - inFront;
  const int64_t end = begin + whole;
  const int64_t dim = lookup->dim();
  std::vector<Val*> starts(in->visible().size(), fusion->zero());
  std::vector<Val*> ends = ops::shape(in);
  starts[static_cast<size_t>(dim)] = scalar::constant(fusion, begin);
  ends[static_cast<size_t>(dim)] = scalar::constant(fusion, end);
  TensorView* cut =
      begin == 0 && end == counted.extent ? in : ops::slice(in, starts, ends, {}, true);
  std::vector<Val*> shape = ops::shape(cut);
  shape[static_cast<size_t>(dim)] = scalar::constant(fusion, counted.count);
  shape.insert(shape.begin() + dim + 1, scalar::constant(fusion, counted.step));
  TensorView* parts = ops::reshape(cut, shape);
  TensorView* elements = ops::select(parts, scalar::constant(fusion, inFront), dim + 1);
  ops::expandSelect(elements->definition()->as<SelectOp>());
  return elements;
}

// A slice of what is looked up in the input that was cut; null where none was.
TensorView* cutBehindLookup(const LookupOp* lookup, const Counted& counted) {
  const Expr* definition = lookup->input(0)->definition();
  const auto* slice = definition == nullptr ? nullptr : definition->as<SliceOp>();
  const auto dim = static_cast<size_t>(lookup->dim());
  if (slice == nullptr || !slice->in()->isFusionInput() || !slice->start(dim)->isConstInt()) {
    return nullptr;
  }
  Fusion* fusion = slice->fusion();
  const int64_t start = counted.start + slice->start(dim)->constInt();
  Val* count = scalar::constant(fusion, counted.count);
  TensorView* index = ops::iota(count, scalar::constant(fusion, start),
                                scalar::constant(fusion, counted.step), lookup->index()->dtype());
  TensorView* found = ops::indexSelect(slice->in(), index, lookup->dim());
  std::vector<Val*> starts;
  std::vector<Val*> ends;
  bool isCut = false;
  for (size_t i = 0; i < slice->out()->logical().size(); ++i) {
    isCut = isCut || (i != dim && slice->out()->logical()[i]->definition() != nullptr);
    starts.push_back(i == dim ? fusion->zero() : slice->start(i));
    ends.push_back(i == dim ? count : slice->end(i));
  }
  return isCut ? ops::slice(found, starts, ends, {}, true) : found;
}

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

// What is computed, element by element, from inputs and what is counted, looked up in these.
class LookedUpOperands {
 public:
  explicit LookedUpOperands(const LookupOp* lookup) : LookedUpOperands(lookup, lookup->index()) {}

  bool areFound(TensorView* tv, size_t dim) {
    const auto [known, isNew] = found_.try_emplace({tv, dim}, true);
    if (isNew) {
      known->second = isFound(tv, dim);
    }
    return known->second;
  }

  TensorView* compute(TensorView* tv, size_t dim) {
    if (tv->visible()[dim]->isBroadcast()) {
      return tv;
    }
    TensorView*& result = computed_[{tv, dim}];
    if (result == nullptr) {
      result = computeNew(tv, dim);
    }
    return result;
  }

 private:
  // The same at other positions.
  LookedUpOperands(const LookupOp* lookup, TensorView* index) : lookup_(lookup), index_(index) {}

  // Whether all elements of the result are computed from elements of `tv`.
  bool isWhole(const TensorView* tv) const {
    const auto count = [](const TensorView* of) {
      return std::ranges::count_if(of->visible(), std::mem_fn(&IterDomain::isIteration));
    };
    return count(tv) == count(lookup_->out());
  }

  bool isFound(TensorView* tv, size_t dim) {
    const IterDomain* id = tv->visible()[dim];
    if (tv->isFusionInput() || id->isBroadcast()) {
      return !id->hasExpandedExtent();
    }
    const Expr* expr = tv->definition();
    if (expr == nullptr || std::ssize(found_) > limits::kRepeatedOps) {
      return false;
    }
    if (const auto* broadcast = expr->as<BroadcastOp>()) {
      return areFound(broadcast->in(), dimOfOperand(broadcast, dim));
    }
    if (const PadOp* pad = padAlong(tv, dim)) {
      return areFound(pad->in(), dim);
    }
    // What others compute, too, is computed twice.
    if (isElementwise(expr) && isWhole(tv) && (tv->uses().size() > 1 || tv->isFusionOutput())) {
      return false;
    }
    return expr->is<IotaOp>() ||
           (isElementwise(expr) && std::ranges::all_of(expr->inputs(), [&](Val* in) {
              return !in->isTensor() || (in->asTensor()->visible().size() == tv->visible().size() &&
                                         areFound(in->asTensor(), dim));
            }));
  }

  TensorView* computeNew(TensorView* tv, size_t dim) {
    const Expr* expr = tv->definition();
    if (expr == nullptr) {
      return ops::indexSelect(tv, index_, static_cast<int64_t>(dim));
    }
    if (const auto* iota = expr->as<IotaOp>()) {
      TensorView* place = index_;
      place =
          iota->step()->isConstInt(1) ? place : ops::binary(BinaryOpType::Mul, place, iota->step());
      place = iota->start()->isConstInt(0) ? place
                                           : ops::binary(BinaryOpType::Add, place, iota->start());
      return place->dtype() == tv->dtype() ? place : ops::cast(place, tv->dtype());
    }
    if (const auto* broadcast = expr->as<BroadcastOp>()) {
      std::vector<bool> flags;
      for (size_t i = 0; i < tv->visible().size(); ++i) {
        flags.push_back(broadcast->isBroadcastDim(i));
      }
      return ops::broadcast(compute(broadcast->in(), dimOfOperand(broadcast, dim)), flags);
    }
    if (const PadOp* pad = padAlong(tv, dim)) {
      return lookUpPadded(pad, dim);
    }
    std::vector<Val*> inputs;
    for (Val* in : expr->inputs()) {
      inputs.push_back(in->isTensor() ? compute(in->asTensor(), dim) : in);
    }
    std::vector<IterDomain*> logical = ops::cloneVisible(tv);
    logical[dim] = ops::cloneVisible(index_).front();
    TensorView* out = ops::newTensor(tv->fusion(), std::move(logical), tv->dtype());
    computeLike(expr, out, inputs);
    return out;
  }

  // What a position finds in front of the operand or behind it is the pad's value.
  TensorView* lookUpPadded(const PadOp* pad, size_t dim) {
    TensorView* in = pad->in();
    Fusion* fusion = in->fusion();
    const int64_t last = in->visible()[dim]->extent()->constInt() - 1;
    TensorView* place = ops::binary(BinaryOpType::Sub, index_, pad->left(dim));
    TensorView* inside =
        ops::binary(BinaryOpType::LogicalAnd, ops::binary(BinaryOpType::Ge, place, fusion->zero()),
                    ops::binary(BinaryOpType::Le, place, scalar::constant(fusion, last)));
    TensorView* clamped = ops::binary(BinaryOpType::Minimum,
                                      ops::binary(BinaryOpType::Maximum, place, fusion->zero()),
                                      scalar::constant(fusion, last));
    std::vector<bool> isOther(in->visible().size(), true);
    isOther[dim] = false;
    Val* found = ops::where(ops::broadcast(inside, isOther),
                            LookedUpOperands(lookup_, clamped).compute(in, dim), pad->value());
    return found->asTensor();
  }

  const LookupOp* lookup_;
  TensorView* index_;
  std::map<std::pair<TensorView*, size_t>, bool> found_;
  std::map<std::pair<TensorView*, size_t>, TensorView*> computed_;
};

}  // namespace

size_t lookUpOperands(Fusion* fusion) {
  const FusionGuard guard(fusion);
  const std::vector<LookupOp*> inside = lookupsInside(fusion);
  size_t changed = 0;
  for (Expr* expr : fusion->tensorExprs()) {
    const auto* lookup = expr->as<LookupOp>();
    if (lookup == nullptr || lookup->type() != LookupType::IndexSelect ||
        lookup->input(0)->isFusionInput() || lookup->out()->domain()->hasAllocation() ||
        lookup->index()->visible().size() != 1) {
      continue;
    }
    auto* in = lookup->input(0)->asTensor();
    const auto dim = static_cast<size_t>(lookup->dim());
    // Nothing is computed for what is only padded, however often it is looked up.
    const PadOp* pad = padAlong(in, dim);
    if (!isOneToOne(lookup) && (pad == nullptr || !pad->in()->isFusionInput())) {
      continue;
    }
    // A position that the dimension does not have is an error, or reads as 0.
    if (!goesAround(lookup) && std::ranges::find(inside, lookup) == inside.end()) {
      continue;
    }
    LookedUpOperands operands(lookup);
    if (!in->visible()[dim]->isBroadcast() && operands.areFound(in, dim)) {
      replaceTensor(lookup->out(), operands.compute(in, dim));
      ++changed;
    }
  }
  if (changed > 0) {
    eliminateDeadCode(fusion);
  }
  return changed;
}

size_t viewCountedLookups(Fusion* fusion) {
  const FusionGuard guard(fusion);
  size_t changed = 0;
  for (Expr* expr : fusion->tensorExprs()) {
    const auto* lookup = expr->as<LookupOp>();
    if (lookup == nullptr || lookup->input(0)->isFusionInput()) {
      continue;
    }
    const std::optional<Counted> counted = countedOf(lookup);
    if (!counted) {
      continue;
    }
    TensorView* out = lookup->out();
    TensorView* view = elementsOfParts(lookup, *counted);
    view = view == nullptr ? cutBehindLookup(lookup, *counted) : view;
    if (view == nullptr || out->domain()->hasAllocation()) {
      continue;
    }
    replaceTensor(out, view);
    ++changed;
  }
  if (changed > 0) {
    eliminateDeadCode(fusion);
  }
  return changed;
}

}  // namespace nvfuser
