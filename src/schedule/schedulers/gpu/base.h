// What is the same for every scheduler for devices with threads.
#pragma once

#include <type_traits>
#include <variant>
#include <vector>

#include "schedule/scheduler.h"
#include "schedule/schedulers/common.h"
#include "schedule/schedulers/gpu/choose.h"
#include "schedule/schedulers/gpu/loops.h"
#include "schedule/schedulers/registry.h"

namespace nvfuser::schedulers::gpu {

template <typename T, typename Variant>
inline constexpr bool isAmong = false;
template <typename T, typename... Types>
inline constexpr bool isAmong<T, std::variant<Types...>> = (std::is_same_v<T, Types> || ...);

// A scheduler with parameters of one type, which others may know or not.
template <typename Params>
class GpuScheduler : public Scheduler {
 public:
  bool isFor(const Target& target) const override { return target.capabilities.hasThreads; }
  std::vector<ScheduleParams> candidates(const FusionSummary& summary,
                                         const ScheduleContext& context) const final {
    std::vector<ScheduleParams> candidates;
    for (const Params& params : choose(summary, context)) {
      if constexpr (kAreOwn) {
        candidates.push_back({this, OwnParams(params)});
      } else {
        candidates.push_back({this, params});
      }
    }
    return candidates;
  }
  void apply(Fusion* fusion, const ScheduleParams& params) const final {
    schedule(fusion, paramsOf(params));
    checkDivided(*fusion);
  }

 protected:
  using Scheduler::Scheduler;

  static const Params& paramsOf(const ScheduleParams& params) {
    if constexpr (kAreOwn) {
      return *std::get<OwnParams>(params.values).template as<Params>();
    } else {
      return std::get<Params>(params.values);
    }
  }

 private:
  static constexpr bool kAreOwn = !isAmong<Params, decltype(ScheduleParams::values)>;

  virtual std::vector<Params> choose(const FusionSummary& summary,
                                     const ScheduleContext& context) const = 0;
  virtual void schedule(Fusion* fusion, const Params& params) const = 0;
};

}  // namespace nvfuser::schedulers::gpu
