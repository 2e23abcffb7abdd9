#include "runtime/early_slices.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ir/passes.h"
#include "ir/reshape_analysis.h"
#include "ir/scalar.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/tensor_builder.h"
#include "ops/view.h"

namespace nvfuser {

namespace {

// A slice, or the whole tensor.
TensorView* cut(TensorView* tv, std::span<Val* const> starts, std::span<Val* const> ends) {
  TensorView* out = ops::slice(tv, starts, ends, {}, true);
  return out->definition()->is<SliceOp>() ? out : tv;
}

// A slice of the operand of a broadcast along other dimensions, broadcast; null where these are
// cut.
TensorView* ofBroadcast(const SliceOp* slice, const BroadcastOp* broadcast) {
  std::vector<Val*> starts;
  std::vector<Val*> ends;
  std::vector<bool> isBroadcast;
  for (size_t i = 0; i < slice->out()->logical().size(); ++i) {
    isBroadcast.push_back(broadcast->isBroadcastDim(i));
    if (!isBroadcast.back()) {
      starts.push_back(slice->start(i));
      ends.push_back(slice->end(i));
    } else if (slice->out()->logical()[i]->definition() != nullptr) {
      return nullptr;
    }
  }
  return ops::broadcast(cut(broadcast->in(), starts, ends), isBroadcast);
}

// A slice of the operand of a squeeze, squeezed.
TensorView* ofSqueeze(const SliceOp* slice, const SqueezeOp* squeeze) {
  std::vector<Val*> starts;
  std::vector<Val*> ends;
  std::vector<int64_t> squeezed;
  for (size_t i = 0; i < squeeze->in()->visible().size(); ++i) {
    const bool isSqueezed = squeeze->isSqueezeDim(i);
    const size_t place = i - squeezed.size();
    starts.push_back(isSqueezed ? slice->fusion()->zero() : slice->start(place));
    ends.push_back(isSqueezed ? squeeze->in()->visible()[i]->visibleExtent() : slice->end(place));
    if (isSqueezed) {
      squeezed.push_back(static_cast<int64_t>(i));
    }
  }
  return ops::squeeze(cut(squeeze->in(), starts, ends), squeezed, true);
}

TensorView* ofSlice(const SliceOp* slice, const SliceOp* above) {
  std::vector<Val*> starts;
  std::vector<Val*> ends;
  for (size_t i = 0; i < slice->out()->logical().size(); ++i) {
    starts.push_back(scalar::add(above->start(i), slice->start(i)));
    ends.push_back(scalar::add(above->start(i), slice->end(i)));
  }
  return cut(above->in(), starts, ends);
}

// What is left of a padded dimension: where it begins and ends in the operand, and what is in front
// of it and behind it.
struct PaddedPart {
  Val* start;
  Val* end;
  Val* left;
  Val* right;
};

// The same of dimension `i`; nothing where sizes are not known.
std::optional<PaddedPart> partOf(const SliceOp* slice, const PadOp* pad, size_t i) {
  Val* zero = slice->fusion()->zero();
  Val* extent = pad->in()->visible()[i]->visibleExtent();
  if (slice->out()->logical()[i]->definition() == nullptr) {
    return PaddedPart{zero, extent, pad->left(i), pad->right(i)};
  }
  if (pad->left(i)->isConstInt(0) && pad->right(i)->isConstInt(0)) {
    return PaddedPart{slice->start(i), slice->end(i), zero, zero};
  }
  for (const Val* number : {slice->start(i), slice->end(i), pad->left(i), extent}) {
    if (!number->isConstInt()) {
      return std::nullopt;
    }
  }
  // In positions of the operand.
  const int64_t start = slice->start(i)->constInt() - pad->left(i)->constInt();
  const int64_t end = slice->end(i)->constInt() - pad->left(i)->constInt();
  const int64_t last = std::clamp<int64_t>(end, 0, extent->constInt());
  const int64_t first = std::clamp<int64_t>(start, 0, last);
  const auto number = [&](int64_t value) { return scalar::constant(slice->fusion(), value); };
  return PaddedPart{number(first), number(last), number(first - start), number(end - last)};
}

// A slice of the operand of a pad, with what is left of the pad around it: where a window is
// shifted along one dimension, the others have no ends to look for. Beside the operand all is the
// value of the pad. Of open sizes the front end does it, with what torch knows of them.
TensorView* ofPad(const SliceOp* slice, const PadOp* pad) {
  std::vector<Val*> starts;
  std::vector<Val*> ends;
  std::vector<Val*> widths;
  for (size_t i = slice->out()->logical().size(); i-- > 0;) {
    const std::optional<PaddedPart> part = partOf(slice, pad, i);
    if (!part) {
      return nullptr;
    }
    if (part->start->isConstInt() && part->end->isConstInt() &&
        part->start->constInt() >= part->end->constInt()) {
      return ops::full(ops::shape(slice->out()), pad->value(), slice->out()->dtype());
    }
    starts.insert(starts.begin(), part->start);
    ends.insert(ends.begin(), part->end);
    widths.insert(widths.end(), {part->left, part->right});
  }
  TensorView* part = cut(pad->in(), starts, ends);
  const bool isPadded =
      !std::ranges::all_of(widths, [](const Val* width) { return width->isConstInt(0); });
  return isPadded ? ops::pad(part, widths, pad->value()) : part;
}

// Whether a slice leaves a dimension as it is.
bool isWhole(const SliceOp* slice, size_t i) {
  return slice->out()->logical()[i]->definition() == nullptr;
}

// A slice of that one of concatenated tensors which all is cut out of; null where it is of several,
// or sizes are not known.
TensorView* ofCat(const SliceOp* slice, const CatOp* cat) {
  const auto dim = static_cast<size_t>(cat->dim());
  Val* start = slice->start(dim);
  Val* end = slice->end(dim);
  if (isWhole(slice, dim) || !start->isConstInt() || !end->isConstInt()) {
    return nullptr;
  }
  size_t place = 0;
  const size_t last = cat->inputs().size() - 1;
  while (place < last && cat->end(place)->isConstInt() &&
         cat->end(place)->constInt() <= start->constInt()) {
    ++place;
  }
  const bool isOfOne = place == last || (cat->end(place)->isConstInt() &&
                                         end->constInt() <= cat->end(place)->constInt());
  if (!isOfOne) {
    return nullptr;
  }
  const std::span<Val* const> bounds = slice->operands();
  const size_t rank = bounds.size() / 2;
  return cut(cat->input(place)->asTensor(), bounds.first(rank), bounds.last(rank));
}

// A slice of what a reshape divides, where one of the equal parts that it divides a dimension into
// is cut out: as of shifts and scales that were computed together. Null for other reshapes, and
// where sizes are not known.
TensorView* ofReshape(const SliceOp* slice, const ReshapeOp* reshape) {
  const auto extentsOf = [](const std::vector<IterDomain*>& domains) {
    std::vector<Val*> extents;
    std::ranges::transform(domains, std::back_inserter(extents), &IterDomain::visibleExtent);
    return extents;
  };
  const std::vector<IterDomain*> in = reshape->in()->visible();
  const std::vector<IterDomain*>& divided = reshape->out()->logical();
  const std::vector<Val*> extents = extentsOf(divided);
  const auto groups = reshapeGroups(extentsOf(in), extents);
  const auto isExpanded = [](const IterDomain* id) { return id->hasExpandedExtent(); };
  if (!groups || std::ranges::any_of(in, isExpanded) || std::ranges::any_of(divided, isExpanded)) {
    return nullptr;
  }
  Val* zero = slice->fusion()->zero();
  std::vector<Val*> starts(in.size(), zero);
  std::vector<Val*> ends = extentsOf(in);
  for (const ReshapeGroup& group : *groups) {
    if (std::ranges::all_of(group.out, [&](size_t i) { return isWhole(slice, i); })) {
      if (group.in.size() != 1 || group.out.size() != 1) {
        return nullptr;
      }
      continue;
    }
    const bool isPart = group.in.size() == 1 && group.out.size() == 2 &&
                        isWhole(slice, group.out[1]) && extents[group.out[1]]->isConstInt() &&
                        slice->out()->logical()[group.out[0]]->extent()->isConstInt(1);
    if (!isPart) {
      return nullptr;
    }
    starts[group.in[0]] = scalar::mul(slice->start(group.out[0]), extents[group.out[1]]);
    ends[group.in[0]] = scalar::mul(slice->end(group.out[0]), extents[group.out[1]]);
  }
  // Those in no group have one element.
  std::vector<int64_t> ones;
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i]->visibleExtent()->isConstInt(1)) {
      ones.push_back(static_cast<int64_t>(i));
    }
  }
  std::vector<bool> areOnes;
  for (const IterDomain* id : slice->out()->logical()) {
    areOnes.push_back(id->visibleExtent()->isConstInt(1));
  }
  const auto kept = static_cast<size_t>(std::ranges::count(areOnes, false));
  if (kept != in.size() - ones.size()) {
    return nullptr;
  }
  TensorView* part = cut(reshape->in(), starts, ends);
  part = ones.empty() ? part : ops::squeeze(part, ones, true);
  return kept == areOnes.size() ? part : ops::broadcast(part, areOnes);
}

// What is counted from the first element that is cut out; null where that is rounded.
TensorView* ofCounted(const SliceOp* slice, const IotaOp* iota) {
  if (!isIntegralType(slice->out()->dtype())) {
    return nullptr;
  }
  TensorView* out = ops::newLike(slice->out(), slice->out()->dtype());
  slice->fusion()->create<IotaOp>(
      out, scalar::add(iota->start(), scalar::mul(slice->start(0), iota->step())), iota->step());
  return out;
}

// Whether one element of a dimension is cut out, so that next to nothing is computed again.
bool isOfOneElement(const SliceOp* slice) {
  return std::ranges::any_of(slice->out()->logical(), [](const IterDomain* id) {
    return id->definition() != nullptr && id->extent()->isConstInt(1);
  });
}

// What was cut out of a tensor from where to where: operands that are read several times are cut
// once.
using Cuts = std::map<std::pair<TensorView*, std::vector<Val*>>, TensorView*>;

// Slices of the operands of an element-wise operation, and the operation of these; null where an
// operand broadcasts along what is cut, unless one element is, as the operand has.
TensorView* ofElementwise(const SliceOp* slice, const Expr* above, Cuts& cuts) {
  const std::vector<IterDomain*>& result = slice->out()->logical();
  std::vector<Val*> inputs;
  for (Val* in : above->inputs()) {
    if (!in->isTensor()) {
      inputs.push_back(in);
      continue;
    }
    TensorView* operand = in->asTensor();
    const std::vector<IterDomain*> dims = operand->visible();
    std::vector<Val*> starts;
    std::vector<Val*> ends;
    for (size_t i = 0; i < result.size(); ++i) {
      const bool isOne = dims[i]->isBroadcast() && !dims[i]->hasExpandedExtent();
      if (!isWhole(slice, i) && dims[i]->isBroadcast() &&
          !(isOne && result[i]->extent()->isConstInt(1))) {
        return nullptr;
      }
      const bool isCut = !isWhole(slice, i) && !isOne;
      starts.push_back(isCut ? slice->start(i) : slice->fusion()->zero());
      ends.push_back(isCut ? slice->end(i) : dims[i]->visibleExtent());
    }
    std::vector<Val*> bounds = starts;
    bounds.insert(bounds.end(), ends.begin(), ends.end());
    TensorView*& part = cuts[{operand, std::move(bounds)}];
    if (part == nullptr || (part != operand && part->definition() == nullptr)) {
      part = cut(operand, starts, ends);
    }
    inputs.push_back(part);
  }
  TensorView* out = ops::newLike(slice->out(), above->output(0)->dtype());
  computeLike(above, out, inputs);
  return out;
}

// What stands for a slice; null where it stays.
TensorView* earlier(const SliceOp* slice, Cuts& cuts) {
  const Expr* above = slice->in()->definition();
  if (above == nullptr) {
    return nullptr;
  }
  if (const auto* broadcast = above->as<BroadcastOp>()) {
    return ofBroadcast(slice, broadcast);
  }
  if (const auto* squeeze = above->as<SqueezeOp>()) {
    return ofSqueeze(slice, squeeze);
  }
  if (const auto* wider = above->as<SliceOp>()) {
    return ofSlice(slice, wider);
  }
  if (const auto* pad = above->as<PadOp>()) {
    return ofPad(slice, pad);
  }
  if (const auto* cat = above->as<CatOp>()) {
    return ofCat(slice, cat);
  }
  if (const auto* reshape = above->as<ReshapeOp>()) {
    return ofReshape(slice, reshape);
  }
  if (const auto* iota = above->as<IotaOp>()) {
    return ofCounted(slice, iota);
  }
  return asConversion(above) != nullptr || (isElementwise(above) && isOfOneElement(slice))
             ? ofElementwise(slice, above, cuts)
             : nullptr;
}

}  // namespace

void sliceEarly(Fusion* fusion) {
  const FusionGuard guard(fusion);
  Cuts cuts;
  bool isChanged = true;
  while (isChanged) {
    isChanged = false;
    for (Expr* expr : fusion->tensorExprs()) {
      auto* slice = expr->as<SliceOp>();
      TensorView* found =
          slice == nullptr || slice->out()->isFusionOutput() ? nullptr : earlier(slice, cuts);
      if (found != nullptr) {
        TensorView* out = slice->out();
        fusion->replaceUses(out, found);
        fusion->removeExpr(expr);
        for (auto& [key, part] : cuts) {
          part = part == out ? found : part;
        }
        isChanged = true;
      }
    }
    if (isChanged) {
      eliminateDeadCode(fusion);
    }
  }
}

}  // namespace nvfuser
