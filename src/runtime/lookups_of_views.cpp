#include "runtime/lookups_of_views.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "device/memory.h"
#include "ir/logical_map.h"
#include "ir/passes.h"
#include "ir/scalar.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"
#include "ops/view.h"
#include "runtime/known_integers.h"

namespace nvfuser {

namespace {

// Where rows of a view lie: a tensor of positions for each dimension that they are looked up along.
// What is missing is a dimension of one element, or one of the rows themselves.
using Places = std::unordered_map<const IterDomain*, TensorView*>;

// The places in front of a transform of a reshape; false where it has both rows and their elements.
bool undo(const Expr* transform, Places& places) {
  if (const auto* split = transform->as<Split>()) {
    const auto outer = places.find(split->outer());
    const auto inner = places.find(split->inner());
    if (outer == places.end() || inner == places.end()) {
      return outer == inner;
    }
    TensorView* first = ops::binary(BinaryOpType::Mul, outer->second, split->inner()->extent());
    places[split->in()] = ops::binary(BinaryOpType::Add, first, inner->second);
    return true;
  }
  const auto* merge = transform->as<Merge>();
  const auto merged = places.find(merge->out());
  if (merged != places.end()) {
    TensorView* place = merged->second;
    Val* extent = merge->inner()->extent();
    places[merge->outer()] = ops::binary(BinaryOpType::Div, place, extent);
    places[merge->inner()] = ops::binary(BinaryOpType::Remainder, place, extent);
  }
  return true;
}

// Whether a permutation has the dimensions without places, of more than one element, in the order
// in which they were.
bool keepsOrderOfOthers(const std::vector<IterDomain*>& from, const std::vector<IterDomain*>& to,
                        const Places& places) {
  const auto othersOf = [&](std::vector<IterDomain*> dims) {
    std::erase_if(dims,
                  [&](const IterDomain* id) { return id->isBroadcast() || places.contains(id); });
    return dims;
  };
  return othersOf(from) == othersOf(to);
}

// The same places in the operand of a view or copy; none where its rows are others.
std::optional<Places> placesInOperand(const Expr* view, Places places) {
  const auto* out = view->output(0)->asTensor();
  const std::vector<IterDomain*>& root = out->maybeRoot();
  if (const auto* slice = view->as<SliceOp>()) {
    Places cut;
    for (size_t i = 0; i < root.size(); ++i) {
      const auto place = places.find(out->logical()[i]);
      if (place != places.end()) {
        cut[root[i]] = ops::binary(BinaryOpType::Add, place->second, slice->start(i));
      } else if (out->logical()[i]->definition() != nullptr) {
        return std::nullopt;
      }
    }
    places = std::move(cut);
  } else if (view->is<ReshapeOp>()) {
    const std::vector<Expr*> transforms = transformsBetween(root, out->logical());
    for (auto transform = transforms.rbegin(); transform != transforms.rend(); ++transform) {
      if (!undo(*transform, places)) {
        return std::nullopt;
      }
    }
  } else {
    const auto* copy = view->as<LoadStoreOp>();
    if (copy == nullptr || copy->isSegmentBoundary() ||
        !keepsOrderOfOthers(root, out->logical(), places)) {
      return std::nullopt;
    }
  }
  Places found;
  for (const auto& [ofOperand, ofView] : pairwiseMap(view, view->input(0)->asTensor(), out)) {
    const auto place = places.find(ofView);
    if (place != places.end()) {
      found[ofOperand] = place->second;
    }
  }
  return found;
}

// A tensor of one dimension among others.
TensorView* along(TensorView* tv, size_t first, size_t rank) {
  std::vector<bool> isBroadcast(rank, true);
  std::fill_n(isBroadcast.begin() + static_cast<std::ptrdiff_t>(first), tv->visible().size(),
              false);
  return ops::broadcast(tv, isBroadcast);
}

// Where in its operand each row lies that is looked up.
Places placesOf(const LookupOp* lookup) {
  const auto dim = static_cast<size_t>(lookup->dim());
  const std::vector<IterDomain*> dims = lookup->input(0)->asTensor()->visible();
  const size_t rank = dim + lookup->index()->visible().size();
  Places places;
  for (size_t i = 0; i < dim; ++i) {
    if (!dims[i]->isBroadcast()) {
      places[dims[i]] =
          along(ops::iota(dims[i]->extent(), nullptr, nullptr, lookup->index()->dtype()), i, rank);
    }
  }
  places[dims[dim]] = along(lookup->index(), dim, rank);
  return places;
}

std::vector<Val*> extentsOf(const std::vector<IterDomain*>& dims) {
  std::vector<Val*> extents;
  for (const IterDomain* id : dims) {
    extents.push_back(id->visibleExtent());
  }
  return extents;
}

// The rows of an input one behind another, and the number of each that is looked up; null where
// rows do not follow each other in memory.
struct Rows {
  TensorView* all = nullptr;
  TensorView* numbers = nullptr;
};
Rows rowsOf(TensorView* input, const Places& places) {
  const std::vector<IterDomain*> dims = input->visible();
  const auto isOfRow = [&](const IterDomain* id) {
    return !id->isBroadcast() && !places.contains(id);
  };
  const auto first = std::ranges::find_if(dims, isOfRow);
  const auto count = static_cast<size_t>(first - dims.begin());
  const auto& contiguity = input->domain()->contiguity();
  if (input->domain()->maybeAllocation() != dims || !std::all_of(first, dims.end(), isOfRow) ||
      count == 0) {
    return {};
  }
  Rows rows;
  for (size_t i = 0; i < count; ++i) {
    if (dims[i]->isBroadcast()) {
      continue;
    }
    if (count > 1 && !contiguity[i].value_or(false)) {
      return {};
    }
    TensorView* place = places.at(dims[i]);
    rows.numbers =
        rows.numbers == nullptr
            ? place
            : ops::binary(BinaryOpType::Add,
                          ops::binary(BinaryOpType::Mul, rows.numbers, dims[i]->extent()), place);
  }
  std::vector<Val*> shape = extentsOf({first, dims.end()});
  shape.insert(shape.begin(), scalar::product(input->fusion(), extentsOf({dims.begin(), first})));
  rows.all = count == 1 ? input : ops::reshape(input, shape);
  return rows;
}

// Whether what a position stands for are whole vectors of memory, not single elements, which would
// be read one by one across it.
bool isOfRows(const LookupOp* lookup) {
  const auto* in = lookup->input(0)->asTensor();
  const std::vector<IterDomain*> dims = in->visible();
  int64_t bits = info(in->dtype()).bits;
  for (auto i = static_cast<size_t>(lookup->dim()) + 1; i < dims.size(); ++i) {
    if (!dims[i]->visibleExtent()->isConstInt()) {
      return false;
    }
    bits *= dims[i]->visibleExtent()->constInt();
  }
  return bits >= 8 * kVectorBytes;
}

TensorView* throughViews(const LookupOp* lookup) {
  auto* in = lookup->input(0)->asTensor();
  const bool areSizes = std::ranges::none_of(
      in->visible(), [](const IterDomain* id) { return id->hasExpandedExtent(); });
  if (!lookup->isOfSlices() || !isOfRows(lookup) || !areSizes ||
      in->visible()[static_cast<size_t>(lookup->dim())]->isBroadcast()) {
    return nullptr;
  }
  TensorView* from = in;
  std::optional<Places> places = placesOf(lookup);
  // A reshaped input is an input.
  bool isCopied = false;
  while (places && from->definition() != nullptr) {
    const Expr* view = from->definition();
    places = placesInOperand(view, std::move(*places));
    from = places ? view->input(0)->asTensor() : from;
    isCopied = isCopied || !view->is<ReshapeOp>();
  }
  const Rows rows = places && isCopied ? rowsOf(from, *places) : Rows();
  if (rows.all == nullptr || rows.numbers == nullptr) {
    return nullptr;
  }
  const std::vector<Val*> shape = extentsOf(lookup->out()->visible());
  const std::vector<Val*> count{scalar::product(in->fusion(), extentsOf(rows.numbers->visible()))};
  TensorView* found = ops::indexSelect(rows.all, ops::reshape(rows.numbers, count), 0);
  return ops::reshape(found, shape);
}

}  // namespace

size_t lookUpThroughViews(Fusion* fusion) {
  const FusionGuard guard(fusion);
  const std::vector<LookupOp*> lookups = lookupsInside(fusion);
  size_t changed = 0;
  for (const LookupOp* lookup : lookups) {
    TensorView* out = lookup->out();
    if (lookup->input(0)->isFusionInput() || out->domain()->hasAllocation()) {
      continue;
    }
    if (TensorView* found = throughViews(lookup)) {
      replaceTensor(out, found);
      ++changed;
    }
  }
  // Also what was tried in vain.
  if (!lookups.empty()) {
    eliminateDeadCode(fusion);
  }
  return changed;
}

}  // namespace nvfuser
