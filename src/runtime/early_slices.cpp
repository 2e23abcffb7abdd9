#include "runtime/early_slices.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "ir/passes.h"
#include "ir/scalar.h"
#include "ops/elementwise.h"
#include "ops/tensor_builder.h"
#include "ops/view.h"

namespace nvfuser {

namespace {

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
  return ops::broadcast(ops::slice(broadcast->in(), starts, ends, {}, true), isBroadcast);
}

TensorView* ofSlice(const SliceOp* slice, const SliceOp* above) {
  std::vector<Val*> starts;
  std::vector<Val*> ends;
  for (size_t i = 0; i < slice->out()->logical().size(); ++i) {
    starts.push_back(scalar::add(above->start(i), slice->start(i)));
    ends.push_back(scalar::add(above->start(i), slice->end(i)));
  }
  return ops::slice(above->in(), starts, ends, {}, true);
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
// operand broadcasts along what is cut.
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
      const bool isWhole = result[i]->definition() == nullptr;
      if (!isWhole && dims[i]->isBroadcast()) {
        return nullptr;
      }
      starts.push_back(isWhole ? slice->fusion()->zero() : slice->start(i));
      ends.push_back(isWhole ? dims[i]->visibleExtent() : slice->end(i));
    }
    std::vector<Val*> bounds = starts;
    bounds.insert(bounds.end(), ends.begin(), ends.end());
    TensorView*& cut = cuts[{operand, std::move(bounds)}];
    if (cut == nullptr || cut->definition() == nullptr) {
      cut = ops::slice(operand, starts, ends, {}, true);
    }
    inputs.push_back(cut);
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
  if (const auto* cut = above->as<SliceOp>()) {
    return ofSlice(slice, cut);
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
        for (auto& [key, cut] : cuts) {
          cut = cut == out ? found : cut;
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
