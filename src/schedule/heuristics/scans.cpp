#include "schedule/heuristics/scans.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "schedule/heuristics/common.h"

namespace nvfuser::heuristics {

namespace {

const ScanOp* firstScan(const std::vector<Expr*>& exprs) {
  const auto scan =
      std::ranges::find_if(exprs, [](const Expr* expr) { return expr->is<ScanOp>(); });
  return scan == exprs.end() ? nullptr : (*scan)->as<ScanOp>();
}

// Whether something in memory is cut along other dimensions than `scanned`: it is only found
// elsewhere.
bool cutsMemory(const Expr* expr, int64_t scanned, const std::unordered_set<const Val*>& computed,
                const DomainClasses& classes) {
  return expr->is<SliceOp>() && !computed.contains(expr->input(0)) &&
         std::ranges::none_of(expr->output(0)->asTensor()->logical(), [&](const IterDomain* id) {
           return id->definition() != nullptr && classes.classOf(id) == scanned;
         });
}

}  // namespace

bool hasScan(const std::vector<Expr*>& exprs) { return firstScan(exprs) != nullptr; }

std::string scanMismatch(const std::vector<Expr*>& exprs, const DomainClasses& classes) {
  const int64_t scanned = classes.classOf(firstScan(exprs)->domain());
  std::unordered_set<const Val*> computed;
  for (const Expr* expr : exprs) {
    computed.insert(expr->outputs().begin(), expr->outputs().end());
    const auto* scan = expr->as<ScanOp>();
    if (scan != nullptr && classes.classOf(scan->domain()) != scanned) {
      return "scans run along different dimensions";
    }
    // What is looked up in memory is loaded.
    const bool isInMemory = expr->is<LookupOp>() && !computed.contains(expr->input(0));
    const bool changesDimensions = isResize(expr) || expr->is<ReshapeOp>() || expr->is<CatOp>() ||
                                   (expr->is<LookupOp>() && !isInMemory);
    if (changesDimensions && !cutsMemory(expr, scanned, computed, classes)) {
      return "scans are not combined with operations that change dimensions";
    }
    // Who has the scanned dimension has it once.
    const std::vector<IterDomain*>& logical = expr->output(0)->asTensor()->logical();
    if (std::ranges::count_if(
            logical, [&](const IterDomain* id) { return classes.classOf(id) == scanned; }) > 1) {
      return "a tensor has the dimension of a scan twice";
    }
  }
  return "";
}

const TensorView* unlikeScan(const std::vector<Expr*>& exprs, const DomainClasses& classes) {
  std::set<int64_t> dimensions;
  const auto isLong = [](const IterDomain* id) {
    return !id->isBroadcast() && !id->extent()->isConstInt(1);
  };
  for (const IterDomain* id : firstScan(exprs)->out()->logical()) {
    if (isLong(id)) {
      dimensions.insert(classes.classOf(id));
    }
  }
  std::unordered_set<const Val*> results;
  for (const Expr* expr : exprs) {
    const auto* out = expr->output(0)->asTensor();
    const bool isBehind =
        std::ranges::any_of(expr->inputs(), [&](const Val* in) { return results.contains(in); });
    if (isBehind || expr->is<ScanOp>()) {
      results.insert(out);
    }
    if (!isBehind) {
      continue;
    }
    std::set<int64_t> seen;
    for (const IterDomain* id : out->logical()) {
      const int64_t number = classes.classOf(id);
      if (isLong(id) && (!dimensions.contains(number) || !seen.insert(number).second)) {
        return out;
      }
    }
  }
  return nullptr;
}

TensorView* scanAmong(const std::vector<TensorView*>& tensors) {
  const auto scan = std::ranges::find_if(tensors, [](const TensorView* tv) {
    return tv->definition() != nullptr && tv->definition()->is<ScanOp>();
  });
  return scan == tensors.end() ? nullptr : *scan;
}

}  // namespace nvfuser::heuristics
