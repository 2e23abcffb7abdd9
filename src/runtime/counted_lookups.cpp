#include "runtime/counted_lookups.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "ir/passes.h"
#include "ir/scalar.h"
#include "ir/views.h"
#include "ops/creation.h"
#include "ops/indexing.h"
#include "ops/view.h"

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

}  // namespace

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
