#include "schedule/heuristics/cpu/scan.h"

#include "schedule/heuristics/common.h"
#include "schedule/propagate.h"

namespace nvfuser::heuristics {

namespace {

// What a worker scans side by side: a few cache lines of each row.
constexpr int64_t kColumns = 256;

}  // namespace

void scheduleScanAround(TensorView* reference, const std::vector<TensorView*>& selected) {
  const DomainClasses classes(reference->fusion()->tensorExprs());
  const auto* scanned = reference->definition()->as<ScanOp>();
  orderLikeMemory(reference, classes);
  const int64_t scan = classes.find(reference->loop(), classes.classOf(scanned->domain()));
  const int64_t inner = reference->nLoops() - 1 - scan;
  if (inner > 0) {
    mergeRange(reference, scan + 1, reference->nLoops() - 1);
    // [outer, scan, columns / c, c] -> [outer * columns / c, scan, c]
    reference->split(-1, kColumns);
    reference->reorder({{-3, -2}});
    mergeRange(reference, 0, reference->nLoops() - 3);
    reference->axis(0)->parallelize(ParallelType::GridX);
  } else if (scan > 0) {
    mergeRange(reference, 0, scan - 1);
    reference->axis(0)->parallelize(ParallelType::GridX);
  }
  propagateTransforms(reference, selected);
  propagateParallelTypes(reference, selected);
}

}  // namespace nvfuser::heuristics
