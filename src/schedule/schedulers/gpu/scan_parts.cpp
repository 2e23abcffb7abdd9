#include "schedule/schedulers/gpu/scan_parts.h"

#include <algorithm>

#include "ir/clone.h"
#include "ir/passes.h"
#include "ops/elementwise.h"
#include "ops/scan.h"
#include "ops/tensor_builder.h"
#include "ops/view.h"
#include "schedule/heuristics/merging.h"
#include "schedule/heuristics/reductions.h"
#include "schedule/propagate.h"

namespace nvfuser::schedulers::gpu {

namespace {

std::vector<ScanOp*> scansOf(const std::vector<Expr*>& exprs) {
  std::vector<ScanOp*> scans;
  for (Expr* expr : exprs) {
    if (expr->is<ScanOp>()) {
      scans.push_back(expr->as<ScanOp>());
    }
  }
  return scans;
}

// Computes the operands of scans a second time.
class SecondTime {
 public:
  SecondTime(Fusion* fusion, const std::vector<ScanOp*>& scans, GlobalCopies& copies)
      : cloner_(fusion, true), above_(exprsAbove({scans.begin(), scans.end()})) {
    for (const Expr* expr : above_) {
      for (Val* in : expr->inputs()) {
        if (in->isTensor() && in->definition() == nullptr) {
          cloner_.substitute(in, in);
        }
      }
    }
    for (const Expr* expr : above_) {
      tensors_.push_back(cloner_.clone(expr)->output(0)->asTensor());
      const auto number = copies.number.find(expr->output(0)->asTensor());
      if (number != copies.number.end()) {
        copies.loads.push_back(tensors_.back());
        copies.number[tensors_.back()] = number->second;
      }
    }
  }

  TensorView* operator()(TensorView* tv) {
    return tv->definition() == nullptr ? tv : cloner_.clone(tv);
  }
  const std::vector<TensorView*>& tensors() const { return tensors_; }

 private:
  Cloner cloner_;
  std::vector<Expr*> above_;
  std::vector<TensorView*> tensors_;
};

}  // namespace

bool canScanInParts(const std::vector<Expr*>& exprs) {
  const std::vector<ScanOp*> scans = scansOf(exprs);
  return std::ranges::none_of(
             exprsAbove({scans.begin(), scans.end()}),
             [](const Expr* expr) { return expr->is<ScanOp>() || expr->is<RandomOp>(); }) &&
         std::ranges::none_of(scans, [](const ScanOp* scan) {
           return scan->in()->visible()[static_cast<size_t>(scan->dim())]->isBroadcast();
         });
}

void scanInParts(const std::vector<TensorView*>& tensors, const ArrangeScan& arrange,
                 const GpuVectors& vectors, GlobalCopies& copies,
                 std::unordered_map<const TensorView*, int64_t>& limits) {
  Fusion* fusion = tensors.front()->fusion();
  const FusionGuard guard(fusion);
  std::vector<Expr*> exprs;
  for (const TensorView* tv : tensors) {
    if (tv->definition() != nullptr) {
      exprs.push_back(tv->definition());
    }
  }
  std::vector<ScanOp*> scans = scansOf(exprs);
  SecondTime secondTime(fusion, scans, copies);
  std::vector<TensorView*> inside = secondTime.tensors();
  std::vector<TensorView*> totals;
  for (ScanOp*& scan : scans) {
    TensorView* in = secondTime(scan->in());
    const DataType dtype = computeType(in->dtype());
    if (dtype != in->dtype()) {
      in = ops::cast(in, dtype);
      inside.push_back(in);
    }
    std::vector<IterDomain*> logical = ops::cloneVisible(in);
    IterDomain*& scanned = logical[static_cast<size_t>(scan->dim())];
    scanned = scanned->cloneAs(IterType::Reduction);
    totals.push_back(ops::newTensor(fusion, std::move(logical), dtype));
    fusion->create<ReductionOp>(scan->type(), ops::scanIdentity(fusion, scan->type(), dtype),
                                totals.back(), in);
    // That of all parts stands for those of each until there are these.
    fusion->removeExpr(scan);
    scan = fusion->create<ScanOp>(scan, totals.back());
  }
  // The parts are those of the scan itself.
  TensorView* reference = totals.front();
  std::vector<TensorView*> all = inside;
  all.insert(all.end(), totals.begin(), totals.end());
  for (const TensorView* tv : all) {
    exprs.push_back(tv->definition());
  }
  const auto dim = static_cast<size_t>(scans.front()->dim());
  const std::vector<ParallelType> types =
      arrange(reference, reference->logical()[dim], DomainClasses(exprs));
  const auto partLoop = std::ranges::find(types, ParallelType::GridY) - types.begin();
  propagateTransforms(reference, all);
  const std::vector<TensorView*> partials = factorParts(totals, partLoop, inside);
  const auto local = std::ranges::find_if(inside, [&](const TensorView* tv) {
    return tv->hasReduction() && tv->nLoops() == static_cast<int64_t>(types.size());
  });
  parallelize(*local, types, inside, copies, vectors);
  for (size_t i = 0; i < scans.size(); ++i) {
    TensorView* partial = partials[i];
    limits[partial] = 0;
    TensorView* scanned = ops::scan(scans[i]->type(), partial, -1, scans[i]->init());
    TensorView* upTo = ops::set(scanned);
    limits[upTo] = 0;
    fusion->replaceInput(scans[i], totals[i], upTo);
    std::vector<ParallelType> kinds{ParallelType::BlockX};
    if (upTo->nLoops() > 1) {
      mergeRange(upTo, 0, upTo->nLoops() - 2);
      kinds.insert(kinds.begin(), ParallelType::GridX);
    }
    propagateTransforms(upTo, {scanned});
    parallelize(upTo, kinds, {scanned, upTo}, copies, vectors);
  }
  eliminateDeadCode(fusion);
}

}  // namespace nvfuser::schedulers::gpu
