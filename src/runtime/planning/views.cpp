#include "runtime/planning/views.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/error.h"

namespace nvfuser {

namespace {

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

// The strides of a tensor of these sizes and strides as one of other sizes; nothing if no strides
// lead through its elements in their order. Neighbours that lie like one dimension are divided and
// merged as one.
std::optional<std::vector<int64_t>> reshapedStrides(const std::vector<int64_t>& sizes,
                                                    const std::vector<int64_t>& strides,
                                                    const std::vector<int64_t>& newSizes) {
  struct Run {
    int64_t elements;
    int64_t stride;
  };
  // Innermost first.
  std::vector<Run> runs;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 1) {
      continue;
    }
    if (!runs.empty() && strides[i] == runs.back().elements * runs.back().stride) {
      runs.back().elements *= sizes[i];
    } else {
      runs.push_back({sizes[i], strides[i]});
    }
  }
  if (std::ranges::find(sizes, 0) != sizes.end()) {
    runs.clear();
  }
  std::vector<int64_t> newStrides(newSizes.size());
  size_t next = newSizes.size();
  int64_t behind = 1;
  const auto step = [&](int64_t stride) {
    newStrides[--next] = stride;
    behind = stride * std::max<int64_t>(1, newSizes[next]);
  };
  for (const Run& run : runs) {
    int64_t covered = 1;
    while (next > 0 && covered < run.elements) {
      covered *= newSizes[next - 1];
      step(covered / newSizes[next - 1] * run.stride);
    }
    if (covered != run.elements) {
      return std::nullopt;
    }
  }
  // Dimensions without a run span what lies inside of them.
  while (next > 0) {
    step(behind);
  }
  return newStrides;
}

// What the result of `expr` is of `view`, which is its first operand; nothing if it is no view.
std::optional<View> viewOf(const Expr* expr, View view,
                           const std::function<int64_t(const Val*)>& value) {
  const TensorView* tv = expr->output(0)->asTensor();
  std::vector<int64_t> strides;
  const auto size = [&](const IterDomain* id) { return value(id->visibleExtent()); };
  const auto sizesOf = [&](const std::vector<IterDomain*>& domains) {
    std::vector<int64_t> sizes;
    std::ranges::transform(domains, std::back_inserter(sizes), size);
    return sizes;
  };
  switch (expr->kind()) {
    case ExprKind::LoadStore:
      for (const int64_t place : expr->as<LoadStoreOp>()->places()) {
        strides.push_back(view.strides[static_cast<size_t>(place)]);
      }
      break;
    case ExprKind::Reshape: {
      auto reshaped = reshapedStrides(sizesOf(expr->input(0)->asTensor()->visible()), view.strides,
                                      sizesOf(tv->logical()));
      if (!reshaped) {
        return std::nullopt;
      }
      strides = std::move(*reshaped);
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
      return std::nullopt;
  }
  view.strides = std::move(strides);
  return view;
}

// Whether a tensor is its operand, looked at in another way: what has an order of its own is not.
bool isOnlyView(const TensorView* tv) {
  return mayBeView(tv->definition()) && !tv->domain()->hasAllocation();
}

}  // namespace

bool isInputView(const TensorView* tv, const Fusion& fusion) {
  while (tv->definition() != nullptr) {
    const TensorView* operand = isOnlyView(tv) ? tv->definition()->input(0)->asTensor() : nullptr;
    if (operand == nullptr || (tv->definition()->is<ReshapeOp>() && !isContiguous(operand))) {
      return false;
    }
    tv = operand;
  }
  return tv->isFusionInput() && !fusion.isUpdated(tv) && tv->dtype() != DataType::Float4_e2m1fn;
}

ViewChain viewChain(const TensorView* tv) {
  ViewChain chain;
  for (; tv->definition() != nullptr; tv = tv->definition()->input(0)->asTensor()) {
    chain.insert(chain.begin(), tv->definition());
  }
  return chain;
}

std::optional<View> viewAlong(const ViewChain& chain, std::vector<int64_t> strides,
                              const std::function<int64_t(const Val*)>& value) {
  std::optional<View> view = View{0, std::move(strides)};
  for (const Expr* expr : chain) {
    view = mayBeView(expr) ? viewOf(expr, std::move(*view), value) : std::nullopt;
    if (!view) {
      break;
    }
  }
  return view;
}

namespace {

// Whether a tensor is the result of a library call, looked at in another way by one operation.
bool isViewOfResult(const TensorView* tv) {
  while (isOnlyView(tv) && tv->uses().size() == 1 && !tv->isFusionOutput()) {
    tv = tv->definition()->input(0)->asTensor();
    if (tv->definition() == nullptr || tv->definition()->is<LibraryOp>()) {
      return tv->definition() != nullptr;
    }
  }
  return false;
}

}  // namespace

std::vector<size_t> strideOrderOf(const TensorView* tv, const Fusion& fusion) {
  // The dimensions of `source` that those of `tv` are.
  const TensorView* source = tv;
  std::vector<IterDomain*> places = tv->visible();
  while (source->definition() != nullptr && source->definition()->is<LoadStoreOp>() &&
         (isInputView(source, fusion) || isViewOfResult(source))) {
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
