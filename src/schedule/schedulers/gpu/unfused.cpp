// Each expression in a kernel of its own, which fits every fusion: a thread for each element of a
// result, which it reduces alone.
#include <unordered_map>

#include "schedule/heuristics/merging.h"
#include "schedule/schedulers/gpu/base.h"

namespace nvfuser::schedulers {

namespace gpu {

namespace {

class Unfused : public GpuScheduler<GpuUnfusedParams> {
 public:
  Unfused() : GpuScheduler(SchedulerType::NoOp) {}
  std::string reject(const FusionSummary& /*summary*/) const override {
    return "it is for what no other scheduler does";
  }

 private:
  std::vector<GpuUnfusedParams> choose(const FusionSummary& /*summary*/,
                                       const ScheduleContext& context) const override {
    return {{.threads = context.tuning.gpu.unfusedThreads}};
  }

  void schedule(Fusion* fusion, const GpuUnfusedParams& params) const override {
    removeSchedule(fusion);
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
        tv->split(0, params.threads);
        tv->axis(0)->parallelize(ParallelType::GridX);
        tv->axis(1)->parallelize(ParallelType::BlockX);
      }
    }
  }
};

}  // namespace

}  // namespace gpu

const Scheduler* gpuUnfused() {
  static const gpu::Unfused scheduler;
  return &scheduler;
}

}  // namespace nvfuser::schedulers
