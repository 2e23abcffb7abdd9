#include "runtime/written_out.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/passes.h"
#include "ir/scalar.h"
#include "ir/views.h"
#include "ops/indexing.h"
#include "ops/tensor_builder.h"
#include "schedule/element_cost.h"
#include "schedule/limits.h"

namespace nvfuser {

namespace {

bool isPointwise(const Expr* expr) { return expr != nullptr && isElementwise(expr); }

size_t concreteRank(const std::vector<IterDomain*>& dims) {
  return static_cast<size_t>(
      std::ranges::count_if(dims, [](const IterDomain* id) { return !id->isBroadcast(); }));
}

// A dimension of a tensor.
using Place = std::pair<TensorView*, size_t>;

std::vector<int64_t> flagsWithout(const BroadcastOp* broadcast, size_t dim) {
  std::vector<int64_t> flags;
  for (size_t i = 0; i < broadcast->output(0)->asTensor()->logical().size(); ++i) {
    if (i != dim) {
      flags.push_back(broadcast->isBroadcastDim(i) ? 1 : 0);
    }
  }
  return flags;
}

// Whether the elements of a dimension of an input lie apart, with rows of others between them.
bool liesApart(Place place) {
  const auto& [tv, dim] = place;
  if (!tv->isFusionInput()) {
    return false;
  }
  const std::vector<IterDomain*>& allocation = tv->domain()->allocation();
  const auto innermost =
      std::ranges::find_if(allocation.rbegin(), allocation.rend(),
                           [](const IterDomain* id) { return !id->isBroadcast(); });
  return innermost != allocation.rend() && *innermost != tv->visible()[dim];
}

// Whether a tensor is cut out of an input.
bool isCutOfInput(const TensorView* tv) {
  const Expr* expr = tv->definition();
  while (expr != nullptr && (expr->is<SliceOp>() || expr->is<SqueezeOp>())) {
    tv = expr->input(0)->asTensor();
    expr = tv->definition();
  }
  return tv->isFusionInput();
}

// What is stacked along a dimension, each as one element of it; nothing if the tensor is no stack.
std::vector<TensorView*> stackedAlong(Place place) {
  const auto& [tv, dim] = place;
  const Expr* expr = tv->definition();
  const auto* cat = expr == nullptr ? nullptr : expr->as<CatOp>();
  if (cat == nullptr || static_cast<size_t>(cat->dim()) != dim) {
    return {};
  }
  std::vector<TensorView*> parts;
  for (const Val* in : cat->inputs()) {
    const Expr* above = in->definition();
    const auto* pad = above == nullptr ? nullptr : above->as<PadOp>();
    if (pad == nullptr || !pad->in()->visible()[dim]->isBroadcast() ||
        pad->in()->visible()[dim]->hasExpandedExtent()) {
      return {};
    }
    parts.push_back(pad->in());
  }
  return parts;
}

// Whether a tensor is computed, element by element, of one that is stacked along a dimension; by no
// more operations than are written out.
bool readsStack(Place place) {
  const size_t dim = place.second;
  std::vector<TensorView*> left{place.first};
  std::unordered_set<const TensorView*> seen{place.first};
  while (!left.empty() && std::ssize(seen) <= limits::kWrittenOutOperations) {
    TensorView* tv = left.back();
    left.pop_back();
    if (!stackedAlong({tv, dim}).empty()) {
      return true;
    }
    if (!isPointwise(tv->definition())) {
      continue;
    }
    for (Val* in : tv->definition()->inputs()) {
      if (in->isTensor() && seen.insert(in->asTensor()).second) {
        left.push_back(in->asTensor());
      }
    }
  }
  return false;
}

// Which inputs may have the dimension that is written out beside all others.
enum class Inputs { kNone, kWithRowsBetween, kAny };

// What computes the elements of a dimension.
class Elements {
 public:
  Elements(TensorView* in, size_t dim, Inputs inputs = Inputs::kNone)
      : rank_(in->visible().size()), inputs_(inputs) {
    isPossible_ = measure({in, dim});
  }

  // Whether all that has the dimension can be taken element by element.
  bool canBeTaken() const { return isPossible_; }
  int64_t operations() const { return operations_; }
  // What was made of elements, with the tensors that have these.
  InPlaceOf inPlaceOf() const {
    InPlaceOf result;
    for (const auto& [place, element] : made_) {
      result.emplace_back(element, place.first.first);
    }
    return result;
  }

  // The element at `k` of a dimension, as a tensor without it.
  TensorView* at(Place place, int64_t k) {
    if (const auto known = made_.find({place, k}); known != made_.end()) {
      return known->second;
    }
    TensorView* element = make(place, k);
    made_[{place, k}] = element;
    return element;
  }

 private:
  // Counts the operations; returns whether all of them can be written out.
  bool measure(Place place) {
    auto [tv, dim] = place;
    const IterDomain* id = tv->visible()[dim];
    if (id->hasExpandedExtent()) {
      return false;
    }
    if (id->isBroadcast()) {
      return true;
    }
    const Expr* expr = tv->definition();
    if (isPointwise(expr)) {
      ++operations_;
      return operations_ <= limits::kWrittenOutOperations &&
             std::ranges::all_of(expr->inputs(), [&](Val* in) {
               return !in->isTensor() || measure({in->asTensor(), dim});
             });
    }
    if (expr != nullptr && expr->is<BroadcastOp>()) {
      return measure({expr->input(0)->asTensor(), dimOfOperand(expr->as<BroadcastOp>(), dim)});
    }
    if (!stackedAlong(place).empty()) {
      return true;
    }
    if (inputs_ == Inputs::kAny && isCutOfInput(tv)) {
      return true;
    }
    // Beside inputs, what is reduced first would be no part of the same kernel either.
    const bool isMade = expr != nullptr && !expr->inputs().empty() && !isCutOfInput(tv);
    return concreteRank(tv->visible()) < rank_
               ? inputs_ == Inputs::kNone || !isMade
               : inputs_ == Inputs::kWithRowsBetween && liesApart(place);
  }

  TensorView* make(Place place, int64_t k) {
    auto [tv, dim] = place;
    Fusion* fusion = tv->fusion();
    const Expr* expr = tv->definition();
    const auto* broadcast = expr == nullptr ? nullptr : expr->as<BroadcastOp>();
    if (const std::vector<TensorView*> parts = stackedAlong(place); !parts.empty()) {
      return at({parts[static_cast<size_t>(k)], dim}, 0);
    }
    if (broadcast == nullptr && !isPointwise(expr)) {
      TensorView* element = ops::select(tv, scalar::constant(fusion, k), static_cast<int64_t>(dim));
      ops::expandSelect(element->definition()->as<SelectOp>());
      return element;
    }
    std::vector<IterDomain*> dims = ops::cloneVisible(tv);
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(dim));
    if (broadcast != nullptr) {
      TensorView* in = broadcast->input(0)->asTensor();
      TensorView* source =
          broadcast->isBroadcastDim(dim) ? in : at({in, dimOfOperand(broadcast, dim)}, k);
      std::vector<int64_t> flags = flagsWithout(broadcast, dim);
      if (std::ranges::find(flags, 1) == flags.end()) {
        return source;
      }
      TensorView* element = ops::newTensor(fusion, std::move(dims), tv->dtype());
      fusion->create<BroadcastOp>(element, source, std::move(flags));
      return element;
    }
    std::vector<Val*> inputs;
    for (Val* in : expr->inputs()) {
      inputs.push_back(in->isTensor() ? at({in->asTensor(), dim}, k) : in);
    }
    TensorView* element = ops::newTensor(fusion, std::move(dims), tv->dtype());
    computeLike(expr, element, inputs);
    return element;
  }

  size_t rank_;
  Inputs inputs_;
  int64_t operations_ = 0;
  bool isPossible_ = false;
  std::map<std::pair<Place, int64_t>, TensorView*> made_;
};

// The only dimension that a reduction reduces, if it has a few elements.
std::optional<size_t> shortDimension(const ReductionOp* reduction) {
  const auto* out = reduction->output(0)->asTensor();
  std::optional<size_t> found;
  for (size_t i = 0; i < out->logical().size(); ++i) {
    const IterDomain* id = out->logical()[i];
    if (!id->isReduction()) {
      continue;
    }
    const bool isShort = id->extent()->isConstInt() && id->extent()->constInt() > 1 &&
                         id->extent()->constInt() <= limits::kConstantPart;
    if (found || !isShort) {
      return std::nullopt;
    }
    found = i;
  }
  return found;
}

bool isOfTwo(BinaryOpType type) {
  return type == BinaryOpType::Add || type == BinaryOpType::Mul || type == BinaryOpType::Maximum ||
         type == BinaryOpType::Minimum;
}

bool isFew(const Elements& elements, int64_t count) {
  return elements.canBeTaken() && count * elements.operations() <= limits::kWrittenOutOperations;
}

// What becomes of the result of a reduction.
struct Behind {
  // Whether something that is computed of it, element by element, is reduced along other
  // dimensions: two reductions, one behind the other, take two kernels.
  bool isReduced = false;
  bool evaluates = false;
};

// Of the reduction of `rank` dimensions along `dim`. Nothing where something else needs it, or
// where what gets that dimension again, as what is compared with an extreme, is not reduced along
// it, too.
std::optional<Behind> findBehind(TensorView* tv, size_t rank, size_t dim) {
  std::vector<TensorView*> left{tv};
  std::unordered_set<TensorView*> seen{tv};
  Behind behind;
  while (!left.empty()) {
    const TensorView* next = left.back();
    left.pop_back();
    const bool isWhole = concreteRank(next->visible()) == rank;
    if (isWhole && next->isFusionOutput()) {
      return std::nullopt;
    }
    for (const Expr* use : next->uses()) {
      const auto* reduction = use->as<ReductionOp>();
      if (reduction != nullptr && !isWhole) {
        behind.isReduced = true;
        continue;
      }
      behind.evaluates = behind.evaluates || evaluatesFunction(use);
      const auto* copy = use->as<LoadStoreOp>();
      const bool isCopied = copy != nullptr && !copy->isSegmentBoundary();
      TensorView* out = use->output(0)->asTensor();
      const bool fits = reduction != nullptr ? shortDimension(reduction) == dim
                                             : isPointwise(use) || isCopied ||
                                                   use->is<BroadcastOp>() || use->is<SqueezeOp>();
      if (!fits || concreteRank(out->visible()) > rank) {
        return std::nullopt;
      }
      if (seen.insert(out).second) {
        left.push_back(out);
      }
    }
  }
  return behind;
}

// Whether functions are evaluated for what is reduced, element by element.
bool evaluatesAbove(const TensorView* tv) {
  std::vector<const TensorView*> left{tv};
  std::unordered_set<const TensorView*> seen{tv};
  while (!left.empty()) {
    const Expr* expr = left.back()->definition();
    left.pop_back();
    if (!isPointwise(expr)) {
      continue;
    }
    if (evaluatesFunction(expr)) {
      return true;
    }
    for (const Val* in : expr->inputs()) {
      if (in->isTensor() && seen.insert(in->asTensor()).second) {
        left.push_back(in->asTensor());
      }
    }
  }
  return false;
}

// Which inputs the operand of a reduction may be computed of if that is written out.
Inputs inputsFor(const ReductionOp* reduction, size_t dim, const Target& target) {
  TensorView* in = reduction->input(0)->asTensor();
  if (readsStack({in, dim})) {
    // Its elements are computed apart anyway.
    return Inputs::kAny;
  }
  const std::optional<Behind> behind =
      findBehind(reduction->output(0)->asTensor(), concreteRank(in->visible()), dim);
  if (!behind) {
    return Inputs::kNone;
  }
  // Functions of several rows at once take less time than those of one row after the other.
  if (!target.capabilities.hasThreads && (behind->evaluates || evaluatesAbove(in))) {
    return Inputs::kAny;
  }
  if (!behind->isReduced) {
    return Inputs::kNone;
  }
  // To read elements of short rows apart takes no longer than another kernel.
  return mayHaveMore(in, limits::kElementsReadApart) ? Inputs::kWithRowsBetween : Inputs::kAny;
}

// The result of a reduction, element by element; null where that is not written out.
TensorView* reduceElements(const ReductionOp* reduction, const Target& target,
                           InPlaceOf& inPlaceOf) {
  const std::optional<size_t> dim = shortDimension(reduction);
  TensorView* in = reduction->input(0)->asTensor();
  const auto* out = reduction->output(0)->asTensor();
  if (!isOfTwo(reduction->type()) || !dim || in->dtype() != out->dtype()) {
    return nullptr;
  }
  Elements elements(in, *dim, inputsFor(reduction, *dim, target));
  const int64_t count = out->logical()[*dim]->extent()->constInt();
  if (!isFew(elements, count)) {
    return nullptr;
  }
  TensorView* total = elements.at({in, *dim}, 0);
  for (int64_t k = 1; k < count; ++k) {
    TensorView* next = ops::newLike(total, out->dtype());
    in->fusion()->create<BinaryOp>(reduction->type(), next, total, elements.at({in, *dim}, k));
    total = next;
  }
  std::ranges::copy(elements.inPlaceOf(), std::back_inserter(inPlaceOf));
  return total;
}

// The element that a slice takes of a short dimension, which is squeezed; null where that is not
// written out.
TensorView* takeElement(const SqueezeOp* squeeze) {
  const Expr* above = squeeze->in()->definition();
  const auto* slice = above == nullptr ? nullptr : above->as<SliceOp>();
  if (slice == nullptr) {
    return nullptr;
  }
  const std::vector<IterDomain*> dims = slice->in()->visible();
  const std::vector<IterDomain*>& cut = slice->out()->logical();
  std::optional<size_t> taken;
  for (size_t i = 0; i < cut.size(); ++i) {
    if (cut[i]->definition() == nullptr && !squeeze->isSqueezeDim(i)) {
      continue;
    }
    const bool isTaken = squeeze->isSqueezeDim(i) && cut[i]->isBroadcast() &&
                         dims[i]->extent()->isConstInt() && slice->start(i)->isConstInt();
    if (taken || !isTaken || dims[i]->extent()->constInt() > limits::kConstantPart) {
      return nullptr;
    }
    taken = i;
  }
  if (!taken) {
    return nullptr;
  }
  const Expr* definition = slice->in()->definition();
  if (definition == nullptr || !(isPointwise(definition) || definition->is<BroadcastOp>())) {
    return nullptr;
  }
  Elements elements(slice->in(), *taken);
  return isFew(elements, 1) ? elements.at({slice->in(), *taken}, slice->start(*taken)->constInt())
                            : nullptr;
}

}  // namespace

InPlaceOf writeOutShortDimensions(Fusion* fusion, const Target& target) {
  const FusionGuard guard(fusion);
  InPlaceOf written;
  for (Expr* expr : fusion->tensorExprs()) {
    TensorView* out = expr->output(0)->asTensor();
    TensorView* result = nullptr;
    if (out->domain()->hasAllocation()) {
      continue;
    }
    if (const auto* reduction = expr->as<ReductionOp>()) {
      result = reduceElements(reduction, target, written);
    } else if (const auto* squeeze = expr->as<SqueezeOp>()) {
      result = takeElement(squeeze);
    }
    if (result == nullptr) {
      continue;
    }
    replaceTensor(out, result);
    written.emplace_back(result, out);
  }
  if (!written.empty()) {
    eliminateDeadCode(fusion);
  }
  return written;
}

}  // namespace nvfuser
