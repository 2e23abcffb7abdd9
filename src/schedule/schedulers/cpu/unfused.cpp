// Every tensor with loops of its own, which fits every fusion.
#include "schedule/schedulers/cpu/common.h"
#include "schedule/schedulers/registry.h"

namespace nvfuser::schedulers {

namespace {

class CpuUnfused : public CpuScheduler {
 public:
  CpuUnfused() : CpuScheduler(SchedulerType::NoOp) {}
  std::string reject(const FusionSummary& /*summary*/) const override {
    return "it is for what no other scheduler does";
  }
  std::vector<ScheduleParams> candidates(const FusionSummary& /*summary*/,
                                         const ScheduleContext& /*context*/) const override {
    return {ScheduleParams{this, {}}};
  }
  void apply(Fusion* fusion, const ScheduleParams& /*params*/) const override {
    removeSchedule(fusion);
  }
};

}  // namespace

const Scheduler* cpuUnfused() {
  static const CpuUnfused scheduler;
  return &scheduler;
}

}  // namespace nvfuser::schedulers
