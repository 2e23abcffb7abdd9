// The automatic schedulers: which one fits a fusion, with which parameters, and applying it.
//
// A scheduler is a program over the schedule primitives. It is split in three: what the structure
// of the fusion allows (no sizes), the parameters for the sizes of a run, and the transforms, which
// depend on the structure and the parameters only. Schedulers are objects without state; their
// order in the registry (schedule/schedulers/registry.h) is the order in which they are tried.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/target.h"
#include "ir/fusion.h"
#include "schedule/params.h"
#include "schedule/summary.h"
#include "schedule/tuning/tuning.h"

namespace nvfuser {

// What users know a scheduler as.
enum class SchedulerType : uint8_t {
  None,
  NoOp,
  Pointwise,
  Matmul,
  Reduction,
  InnerPersistent,
  InnerOuterPersistent,
  OuterPersistent,
  Transpose,
  ExprEval,
  Resize
};
const char* toString(SchedulerType type);

// What a scheduler may know of the run.
struct ScheduleContext {
  ScheduleContext() = default;
  explicit ScheduleContext(Target device) : target(std::move(device)), tuning(tuningFor(target)) {}

  Target target;
  Tuning tuning;
  // Otherwise what these functions return is made up, and schedules must fit other sizes, too.
  bool hasSizes = true;
  // Whether several elements may be accessed at once.
  bool hasVectors = true;
  // The run-time value of an extent.
  std::function<int64_t(const Val*)> extent;
  // Of an input or output: a power of two that divides its address, in bytes, at most 16.
  std::function<int64_t(const TensorView*)> alignment;
  // Of an input or output: the stride of each dimension of its visible logical domain, in elements.
  std::function<std::vector<int64_t>(const TensorView*)> strides;
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  SchedulerType type() const { return type_; }
  // Whether it schedules for devices like this one.
  virtual bool isFor(const Target& target) const = 0;
  // Empty when it can schedule a fusion of this structure, otherwise why it cannot.
  virtual std::string reject(const FusionSummary& summary) const = 0;
  // Sets of parameters for the sizes of a run of the whole fusion, best first; it has been
  // accepted. None where the sizes do not suit it: then the next scheduler that accepts the fusion
  // is asked.
  virtual std::vector<ScheduleParams> candidates(const FusionSummary& summary,
                                                 const ScheduleContext& context) const = 0;
  virtual void apply(Fusion* fusion, const ScheduleParams& params) const = 0;
  // Threads that a block has at most, where their number is not constant; 0: not known.
  virtual int64_t maxThreads(const ScheduleParams& /*params*/) const { return 0; }
  // Blocks that a multiprocessor runs at a time at least; 0: any number.
  virtual int64_t minBlocks(const ScheduleParams& /*params*/) const { return 0; }

 protected:
  explicit Scheduler(SchedulerType type) : type_(type) {}

 private:
  SchedulerType type_;
};

// All there are, in the order in which they are tried.
std::span<const Scheduler* const> allSchedulers();
// The types of those for a target, in that order, each once.
std::vector<SchedulerType> schedulerTypes(const Target& target);
// SchedulerType::None for no scheduler.
SchedulerType typeOf(const ScheduleParams& params);

// The schedulers of that type that fit the structure of the fusion, in order of preference.
std::vector<const Scheduler*> acceptingSchedulers(SchedulerType type, const FusionSummary& summary,
                                                  const Target& target);
// Empty when a scheduler of that type fits the structure of the fusion, otherwise why none does.
std::string rejectionReason(SchedulerType type, const FusionSummary& summary, const Target& target);
// The first type in order of preference that fits; None when there is none.
SchedulerType proposeScheduler(const FusionSummary& summary, const Target& target);

// Whether some tensor has no elements. There is nothing to gain from a schedule then, and loops
// that tensors share would run no time also for those that have elements.
bool hasEmptyTensor(const Fusion& fusion, const ScheduleContext& context);

// The best parameters of the first of these schedulers, which accepted the fusion, that has any for
// the sizes; nothing if none has.
std::optional<ScheduleParams> computeHeuristics(const FusionSummary& summary,
                                                std::span<const Scheduler* const> schedulers,
                                                const ScheduleContext& context);
// The same of those of one type that accept the fusion.
ScheduleParams computeHeuristics(Fusion* fusion, SchedulerType type,
                                 const ScheduleContext& context);
// Every tensor with loops of its own, which fits every fusion.
ScheduleParams unfusedParams(const Target& target);

// Takes back what was scheduled, but for the tensors that were inserted.
void removeSchedule(Fusion* fusion);
// Without a scheduler the fusion stays as it is scheduled. Raises a ScheduleError, or the lowering
// does, for fusions that a scheduler accepts by mistake.
void applySchedule(Fusion* fusion, const ScheduleParams& params);

}  // namespace nvfuser
