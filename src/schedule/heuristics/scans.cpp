#include "schedule/heuristics/scans.h"

#include <algorithm>

#include "schedule/heuristics/common.h"

namespace nvfuser::heuristics {

namespace {

const ScanOp* firstScan(const std::vector<Expr*>& exprs) {
  const auto scan =
      std::ranges::find_if(exprs, [](const Expr* expr) { return expr->is<ScanOp>(); });
  return scan == exprs.end() ? nullptr : (*scan)->as<ScanOp>();
}

}  // namespace

bool hasScan(const std::vector<Expr*>& exprs) { return firstScan(exprs) != nullptr; }

std::string scanMismatch(const std::vector<Expr*>& exprs, const DomainClasses& classes) {
  const int64_t scanned = classes.classOf(firstScan(exprs)->domain());
  for (const Expr* expr : exprs) {
    const auto* scan = expr->as<ScanOp>();
    if (scan != nullptr && classes.classOf(scan->domain()) != scanned) {
      return "scans run along different dimensions";
    }
    if (isResize(expr) || expr->is<ReshapeOp>() || expr->is<CatOp>() || expr->is<LookupOp>()) {
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

TensorView* scanAmong(const std::vector<TensorView*>& tensors) {
  const auto scan = std::ranges::find_if(tensors, [](const TensorView* tv) {
    return tv->definition() != nullptr && tv->definition()->is<ScanOp>();
  });
  return scan == tensors.end() ? nullptr : *scan;
}

}  // namespace nvfuser::heuristics
