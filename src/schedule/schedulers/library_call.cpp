// A single call of a library, which has no kernel.
#include "core/error.h"
#include "schedule/scheduler.h"
#include "schedule/schedulers/registry.h"

namespace nvfuser::schedulers {

namespace {

class LibraryCall : public Scheduler {
 public:
  LibraryCall() : Scheduler(SchedulerType::ExprEval) {}
  bool isFor(const Target& /*target*/) const override { return true; }
  std::string reject(const FusionSummary& summary) const override {
    return summary.hasLibraryCall() && summary.exprs().size() == 1
               ? ""
               : "only a single call of a library has no kernel";
  }
  std::vector<ScheduleParams> candidates(const FusionSummary& /*summary*/,
                                         const ScheduleContext& /*context*/) const override {
    return {};
  }
  void apply(Fusion* /*fusion*/, const ScheduleParams& /*params*/) const override {
    fail("A call of a library has no loops to schedule");
  }
};

}  // namespace

const Scheduler* libraryCall() {
  static const LibraryCall scheduler;
  return &scheduler;
}

}  // namespace nvfuser::schedulers
