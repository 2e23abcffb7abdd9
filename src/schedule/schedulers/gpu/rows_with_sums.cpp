#include "schedule/schedulers/gpu/rows_with_sums.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_set>

namespace nvfuser::schedulers::gpu {

namespace {

std::set<int64_t> classesOf(const TensorView* tv, const DomainClasses& classes, bool ofReduced) {
  std::set<int64_t> result;
  for (const IterDomain* id : tv->logical()) {
    if (id->isReduction() == ofReduced && !id->isBroadcast()) {
      result.insert(classes.classOf(id));
    }
  }
  return result;
}

// Divides expressions by reductions over the dimensions `summed`; nothing where results of these
// are used along them.
std::optional<RowsWithSums> divideBy(const std::set<int64_t>& summed,
                                     const std::vector<Expr*>& exprs,
                                     const DomainClasses& classes) {
  RowsWithSums parts;
  std::unordered_set<const Val*> behind;
  std::unordered_set<const Val*> inRows;
  for (Expr* expr : exprs) {
    TensorView* tv = expr->output(0)->asTensor();
    const bool isBehind =
        std::ranges::any_of(expr->inputs(), [&](const Val* in) { return behind.contains(in); });
    if (!isBehind) {
      const bool isSum = expr->is<ReductionOp>() && classesOf(tv, classes, true) == summed;
      if (isSum) {
        parts.sums.push_back(tv);
        behind.insert(tv);
      } else {
        parts.rows.push_back(expr);
        inRows.insert(tv);
      }
      continue;
    }
    // Another kernel computes it: there are no values of rows.
    const bool readsRows =
        std::ranges::any_of(expr->inputs(), [&](const Val* in) { return inRows.contains(in); });
    const std::set<int64_t> kept = classesOf(tv, classes, false);
    if (readsRows || expr->is<ReductionOp>() ||
        std::ranges::any_of(summed, [&](int64_t place) { return kept.contains(place); })) {
      return std::nullopt;
    }
    parts.behind.push_back(expr);
    behind.insert(tv);
  }
  return parts;
}

}  // namespace

std::optional<RowsWithSums> divideRowsWithSums(const std::vector<Expr*>& exprs,
                                               const DomainClasses& classes) {
  std::set<std::set<int64_t>> kinds;
  std::set<std::set<int64_t>> wholes;
  for (const Expr* expr : exprs) {
    const TensorView* tv = expr->output(0)->asTensor();
    // Dimensions are what they are everywhere, and blocks that combine sums wait for no other
    // device.
    if (tv->domain()->hasRoot() || expr->is<ExpandOp>() || expr->is<LookupOp>() ||
        expr->is<LibraryOp>()) {
      return std::nullopt;
    }
    if (expr->is<ReductionOp>()) {
      std::set<int64_t> reduced = classesOf(tv, classes, true);
      std::set<int64_t> whole = classesOf(tv, classes, false);
      whole.insert(reduced.begin(), reduced.end());
      kinds.insert(std::move(reduced));
      wholes.insert(std::move(whole));
    }
  }
  if (kinds.size() != 2 || wholes.size() != 1) {
    return std::nullopt;
  }
  std::set<int64_t> reduced = *kinds.begin();
  reduced.insert(kinds.rbegin()->begin(), kinds.rbegin()->end());
  const bool areApart = kinds.begin()->size() + kinds.rbegin()->size() == reduced.size();
  if (!areApart || reduced != *wholes.begin()) {
    return std::nullopt;
  }
  for (const std::set<int64_t>& kind : kinds) {
    std::optional<RowsWithSums> parts = divideBy(kind, exprs, classes);
    if (!parts) {
      continue;
    }
    const FusionSummary rows(parts->rows);
    parts->isNormalization = rejectReductions(rows, SchedulerType::InnerPersistent).empty();
    if (parts->isNormalization || rejectReductions(rows, SchedulerType::Reduction).empty()) {
      return parts;
    }
  }
  return std::nullopt;
}

std::optional<RowsWithSums> findRowsWithSums(const FusionSummary& whole) {
  return divideRowsWithSums(whole.exprs(), whole.classes());
}

DetachedSums::DetachedSums(Fusion* fusion, const std::vector<TensorView*>& sums) : fusion_(fusion) {
  for (TensorView* tv : sums) {
    auto* sum = tv->definition()->as<ReductionOp>();
    sums_.push_back({sum->type(), sum->init(), tv, sum->input(0)->asTensor()});
    fusion->removeExpr(sum);
  }
}

std::vector<TensorView*> DetachedSums::operands() const {
  std::vector<TensorView*> operands;
  std::ranges::transform(sums_, std::back_inserter(operands), &Sum::in);
  return operands;
}

}  // namespace nvfuser::schedulers::gpu
