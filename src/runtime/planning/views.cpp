#include "runtime/planning/views.h"

#include <algorithm>

#include "core/error.h"

namespace nvfuser {

namespace {

bool isUpdated(const TensorView* input, const Fusion& fusion) {
  return std::ranges::any_of(fusion.outputs(),
                             [&](const Fusion::Output& output) { return output.alias == input; });
}

// Row-major without gaps, by what the class of the input guarantees.
bool isContiguous(const TensorView* tv) {
  if (tv->definition() != nullptr) {
    return tv->definition()->is<ReshapeOp>();
  }
  const auto& allocation = tv->domain()->maybeAllocation();
  if (!std::ranges::equal(allocation, tv->logical())) {
    return false;
  }
  for (size_t i = 0; i < allocation.size(); ++i) {
    if (allocation[i]->hasExpandedExtent() ||
        (!allocation[i]->isBroadcast() && !tv->domain()->contiguity()[i].value_or(false))) {
      return false;
    }
  }
  return true;
}

// Whether a tensor is a view of the first operand of its definition.
bool isViewOfOperand(const TensorView* tv) {
  const Expr* expr = tv->definition();
  if (expr->inputs().empty() || !expr->input(0)->isTensor()) {
    return false;
  }
  const TensorView* in = expr->input(0)->asTensor();
  switch (expr->kind()) {
    case ExprKind::LoadStore:
      // A plain copy, one with a layout of its own and a segment boundary are copies.
      return tv->domain()->hasRoot() && !tv->domain()->hasAllocation() &&
             !expr->as<LoadStoreOp>()->isSegmentBoundary();
    case ExprKind::Reshape:
      return isContiguous(in);
    case ExprKind::Broadcast:
    case ExprKind::Squeeze:
    case ExprKind::Slice:
      return true;
    default:
      return false;
  }
}

// What the result of `expr` is of `view`, which is its first operand.
View viewOf(const Expr* expr, View view, const std::function<int64_t(const Val*)>& value) {
  const TensorView* tv = expr->output(0)->asTensor();
  std::vector<int64_t> strides;
  const auto size = [&](const IterDomain* id) { return value(id->visibleExtent()); };
  switch (expr->kind()) {
    case ExprKind::LoadStore:
      for (IterDomain* id : tv->logical()) {
        const auto source = std::ranges::find(tv->root(), id) - tv->root().begin();
        strides.push_back(view.strides[static_cast<size_t>(source)]);
      }
      break;
    case ExprKind::Reshape: {
      int64_t stride = 1;
      for (size_t i = tv->logical().size(); i-- > 0;) {
        strides.insert(strides.begin(), stride);
        stride *= std::max<int64_t>(1, size(tv->logical()[i]));
      }
      break;
    }
    case ExprKind::Broadcast: {
      // A new dimension spans what lies inside it.
      const auto* broadcast = expr->as<BroadcastOp>();
      size_t next = view.strides.size();
      int64_t inside = 1;
      for (size_t i = tv->logical().size(); i-- > 0;) {
        if (!broadcast->isBroadcastDim(i)) {
          --next;
          inside = view.strides[next] * std::max<int64_t>(1, size(tv->logical()[i]));
          strides.insert(strides.begin(), view.strides[next]);
        } else {
          strides.insert(strides.begin(), inside);
        }
      }
      break;
    }
    case ExprKind::Squeeze: {
      const auto* squeeze = expr->as<SqueezeOp>();
      for (size_t i = 0; i < view.strides.size(); ++i) {
        if (!squeeze->isSqueezeDim(i)) {
          strides.push_back(view.strides[i]);
        }
      }
      break;
    }
    case ExprKind::Slice: {
      const auto* slice = expr->as<SliceOp>();
      strides = view.strides;
      for (size_t i = 0; i < strides.size(); ++i) {
        view.offset += value(slice->start(i)) * strides[i];
      }
      break;
    }
    default:
      fail("Not a view: ", expr->toString());
  }
  view.strides = std::move(strides);
  return view;
}

}  // namespace

bool isInputView(const TensorView* tv, const Fusion& fusion) {
  while (tv->definition() != nullptr) {
    if (!isViewOfOperand(tv)) {
      return false;
    }
    tv = tv->definition()->input(0)->asTensor();
  }
  return tv->isFusionInput() && !isUpdated(tv, fusion) && tv->dtype() != DataType::Float4_e2m1fn;
}

ViewChain viewChain(const TensorView* tv) {
  ViewChain chain;
  for (; tv->definition() != nullptr; tv = tv->definition()->input(0)->asTensor()) {
    chain.insert(chain.begin(), tv->definition());
  }
  return chain;
}

View inputView(const ViewChain& chain,
               const std::function<std::vector<int64_t>(const TensorView*)>& stridesOf,
               const std::function<int64_t(const Val*)>& value) {
  const TensorView* input = chain.front()->input(0)->asTensor();
  View view{input, 0, stridesOf(input)};
  for (const Expr* expr : chain) {
    view = viewOf(expr, std::move(view), value);
  }
  return view;
}

std::vector<size_t> strideOrderOf(const TensorView* tv, const Fusion& fusion) {
  // The dimensions of `source` that those of `tv` are.
  const TensorView* source = tv;
  std::vector<IterDomain*> places = tv->visible();
  while (source->definition() != nullptr && source->definition()->is<LoadStoreOp>() &&
         isInputView(source, fusion)) {
    const std::vector<IterDomain*>& root = source->domain()->root();
    source = source->definition()->input(0)->asTensor();
    const std::vector<IterDomain*> operands = source->visible();
    for (IterDomain*& place : places) {
      place = operands[static_cast<size_t>(std::ranges::find(root, place) - root.begin())];
    }
  }
  std::vector<size_t> order;
  for (const IterDomain* id : TensorDomain::noReductions(source->domain()->maybeAllocation())) {
    order.push_back(static_cast<size_t>(std::ranges::find(places, id) - places.begin()));
  }
  return order;
}

}  // namespace nvfuser
