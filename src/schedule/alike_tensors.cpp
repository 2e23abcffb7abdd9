#include "schedule/alike_tensors.h"

#include <algorithm>

#include "ir/scalar.h"
#include "schedule/heuristics/common.h"

namespace nvfuser {

namespace {

bool haveSameExtent(const IterDomain* a, const IterDomain* b) {
  return a->isBroadcast() == b->isBroadcast() && scalar::same(a->extent(), b->extent());
}

// The dimensions that two tensors have in common, in any order.
DomainPairs sameDimensions(const TensorView* a, const TensorView* b, const DomainClasses& classes) {
  DomainPairs pairs;
  for (IterDomain* id : a->logical()) {
    const int64_t place = classes.find(b->logical(), classes.classOf(id));
    IterDomain* other = place < 0 ? nullptr : b->logical()[static_cast<size_t>(place)];
    if (other != nullptr && haveSameExtent(id, other)) {
      pairs.emplace_back(id, other);
    }
  }
  return pairs;
}

}  // namespace

AlikeReshapes::AlikeReshapes(const std::vector<Expr*>& exprs) {
  std::vector<TensorView*> results;
  for (const Expr* expr : exprs) {
    if (expr->is<ReshapeOp>()) {
      results.push_back(expr->output(0)->asTensor());
    }
  }
  if (results.size() < 2) {
    return;
  }
  const DomainClasses classes(exprs);
  std::map<std::vector<int64_t>, std::vector<TensorView*>> byClasses;
  for (TensorView* tv : results) {
    std::vector<int64_t> key;
    for (const IterDomain* id : tv->logical()) {
      key.push_back(classes.classOf(id));
    }
    byClasses[key].push_back(tv);
  }
  for (const auto& [key, tensors] : byClasses) {
    for (const TensorView* tv : tensors) {
      of_[tv] = tensors;
    }
  }
}

std::vector<TensorView*> AlikeReshapes::of(const TensorView* tv) const {
  const auto known = of_.find(tv);
  std::vector<TensorView*> result = known == of_.end() ? std::vector<TensorView*>{} : known->second;
  // Slices leave dimensions of one class with different extents.
  std::erase_if(result, [&](const TensorView* other) {
    return other == tv || !std::ranges::equal(tv->logical(), other->logical(), haveSameExtent);
  });
  return result;
}

RejoinedRows::RejoinedRows(const std::vector<Expr*>& exprs) {
  std::vector<const Expr*> pads = heuristics::resizesOfReduced(exprs);
  std::erase_if(pads, [](const Expr* expr) { return !expr->is<PadOp>(); });
  if (pads.empty()) {
    return;
  }
  const DomainClasses classes(exprs);
  for (const Expr* expr : exprs) {
    if (!expr->is<ReductionOp>()) {
      continue;
    }
    const auto* reduction = expr->output(0)->asTensor();
    for (const Expr* pad : pads) {
      auto* rows = pad->output(0)->asTensor();
      DomainPairs pairs = sameDimensions(reduction, rows, classes);
      if (pairs.size() == rows->logical().size()) {
        of_[reduction].push_back(rows);
        pairs_[{reduction, rows}] = std::move(pairs);
      }
    }
  }
}

std::vector<TensorView*> RejoinedRows::of(const TensorView* reduction) const {
  const auto known = of_.find(reduction);
  return known == of_.end() ? std::vector<TensorView*>{} : known->second;
}

DomainPairs RejoinedRows::pairs(const TensorView* from, const TensorView* to) const {
  if (const auto known = pairs_.find({from, to}); known != pairs_.end()) {
    return known->second;
  }
  DomainPairs pairs;
  for (size_t i = 0; i < from->logical().size(); ++i) {
    pairs.emplace_back(from->logical()[i], to->logical()[i]);
  }
  return pairs;
}

}  // namespace nvfuser
