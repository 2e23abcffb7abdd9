#include "schedule/heuristics/gpu/unfused.h"

#include <unordered_map>

#include "schedule/heuristics/common.h"

namespace nvfuser::heuristics {

namespace {

constexpr int64_t kThreads = 128;

}  // namespace

void scheduleGpuUnfused(Fusion* fusion) {
  for (Expr* expr : fusion->tensorExprs()) {
    // A thread scans its elements one after the other.
    const auto* scan = expr->as<ScanOp>();
    for (Val* out : expr->outputs()) {
      auto* tv = out->asTensor();
      std::unordered_map<int64_t, int64_t> order;
      int64_t kept = 0;
      for (int64_t i = 0; i < tv->nLoops(); ++i) {
        if (!tv->axis(i)->isReduction() && (scan == nullptr || tv->axis(i) != scan->domain())) {
          order[i] = kept++;
        }
      }
      if (kept == 0) {
        continue;
      }
      tv->reorder(order);
      mergeRange(tv, 0, kept - 1);
      tv->split(0, kThreads);
      tv->axis(0)->parallelize(ParallelType::GridX);
      tv->axis(1)->parallelize(ParallelType::BlockX);
    }
  }
}

}  // namespace nvfuser::heuristics
