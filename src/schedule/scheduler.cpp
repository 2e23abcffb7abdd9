#include "schedule/scheduler.h"

#include <algorithm>

#include "core/error.h"
#include "schedule/heuristics/scatters.h"

namespace nvfuser {

const char* toString(SchedulerType type) {
  constexpr const char* kNames[] = {"none",
                                    "no_op",
                                    "pointwise",
                                    "matmul",
                                    "reduction",
                                    "inner_persistent",
                                    "inner_outer_persistent",
                                    "outer_persistent",
                                    "transpose",
                                    "expr_eval",
                                    "resize"};
  return kNames[static_cast<size_t>(type)];
}

namespace {

std::vector<const Scheduler*> schedulersOf(SchedulerType type, const Target& target) {
  std::vector<const Scheduler*> found;
  std::ranges::copy_if(allSchedulers(), std::back_inserter(found), [&](const Scheduler* scheduler) {
    return scheduler->type() == type && scheduler->isFor(target);
  });
  return found;
}

}  // namespace

std::vector<SchedulerType> schedulerTypes(const Target& target) {
  std::vector<SchedulerType> types;
  for (const Scheduler* scheduler : allSchedulers()) {
    if (scheduler->isFor(target) && std::ranges::find(types, scheduler->type()) == types.end()) {
      types.push_back(scheduler->type());
    }
  }
  return types;
}

SchedulerType typeOf(const ScheduleParams& params) {
  return params.scheduler == nullptr ? SchedulerType::None : params.scheduler->type();
}

std::vector<const Scheduler*> acceptingSchedulers(SchedulerType type, const FusionSummary& summary,
                                                  const Target& target) {
  std::vector<const Scheduler*> schedulers = schedulersOf(type, target);
  std::erase_if(schedulers,
                [&](const Scheduler* scheduler) { return !scheduler->reject(summary).empty(); });
  return schedulers;
}

std::string rejectionReason(SchedulerType type, const FusionSummary& summary,
                            const Target& target) {
  std::string problem = "not a scheduler of this device";
  for (const Scheduler* scheduler : schedulersOf(type, target)) {
    problem = scheduler->reject(summary);
    if (problem.empty()) {
      return {};
    }
  }
  return concatenate("Scheduler _", toString(type), "_ ***rejected*** because : ", problem);
}

SchedulerType proposeScheduler(const FusionSummary& summary, const Target& target) {
  for (const Scheduler* scheduler : allSchedulers()) {
    if (scheduler->isFor(target) && scheduler->reject(summary).empty()) {
      return scheduler->type();
    }
  }
  return SchedulerType::None;
}

bool hasEmptyTensor(const Fusion& fusion, const ScheduleContext& context) {
  return std::ranges::any_of(fusion.tensors(), [&](const TensorView* tv) {
    return std::ranges::any_of(tv->logical(), [&](const IterDomain* id) {
      return context.extent(id->visibleExtent()) == 0;
    });
  });
}

std::optional<ScheduleParams> computeHeuristics(const FusionSummary& summary,
                                                std::span<const Scheduler* const> schedulers,
                                                const ScheduleContext& context) {
  for (const Scheduler* scheduler : schedulers) {
    const std::vector<ScheduleParams> candidates = scheduler->candidates(summary, context);
    if (!candidates.empty()) {
      return candidates.front();
    }
  }
  return std::nullopt;
}

ScheduleParams computeHeuristics(Fusion* fusion, SchedulerType type,
                                 const ScheduleContext& context) {
  const FusionSummary summary(fusion);
  const auto schedulers = acceptingSchedulers(type, summary, context.target);
  const auto params = computeHeuristics(summary, schedulers, context);
  NVF_CHECK(params, "Could not schedule fusion with the SchedulerType ", toString(type));
  return *params;
}

ScheduleParams unfusedParams(const Target& target) {
  return schedulersOf(SchedulerType::NoOp, target)
      .front()
      ->candidates(FusionSummary(std::vector<Expr*>{}), ScheduleContext(target))
      .front();
}

void removeSchedule(Fusion* fusion) {
  for (TensorView* tv : fusion->tensors()) {
    for (IterDomain* id : loopDimensions(tv)) {
      id->parallelize(ParallelType::Serial);
      id->setMarks({});
    }
    tv->domain()->setLoop(loopDimensions(tv));
    tv->setMarks({});
    tv->setComputeAt(0);
    tv->setProduceAt(0);
    if (!tv->isFusionInput() && !tv->isFusionOutput()) {
      tv->setMemoryType(MemoryType::Local);
    }
  }
  fusion->setAssumedDivisible({});
  fusion->setAssumedBounds({});
}

void applySchedule(Fusion* fusion, const ScheduleParams& params) {
  heuristics::copyForScatters(fusion);
  if (params.scheduler == nullptr) {
    return;
  }
  try {
    params.scheduler->apply(fusion, params);
  } catch (const ScheduleError&) {
    throw;
  } catch (const Error& error) {
    // The transforms of a user raise the same: only here it is the scheduler that is wrong.
    failSchedule("The scheduler _", toString(params.scheduler->type()),
                 "_ accepted what it cannot schedule: ", error.what());
  }
}

}  // namespace nvfuser
