// The automatic schedulers: which one fits a fusion, with which parameters, and applying it.
//
// A scheduler is a program over the schedule primitives. It is split in three: what the structure
// of the fusion allows (no sizes), the parameters for the sizes of a run, and the transforms, which
// depend on the structure and the parameters only. Kernels are compiled once for each set of
// parameters.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ir/fusion.h"

namespace nvfuser {

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
  // The run-time value of an extent.
  std::function<int64_t(const Val*)> extent;
  int64_t numThreads = 1;
};

struct ScheduleParams {
  SchedulerType type = SchedulerType::None;
  // Every stage (a reduction with what it needs) runs to its end before the next begins, instead of
  // row by row.
  bool separateStages = false;
  // Reductions are computed in parts of this many elements that are then combined; 0: in one part.
  int64_t reductionChunk = 0;
  // Columns that are computed together where the reduced dimension is not the innermost one.
  int64_t columnTile = 0;
  // The innermost loop is divided into parts of this many elements to have enough of them; 0: it is
  // not.
  int64_t innerChunk = 0;
  // Inputs whose innermost dimension is not that of the output are read in square tiles of this
  // side; 0: element by element.
  int64_t transposeTile = 0;

  friend bool operator==(const ScheduleParams&, const ScheduleParams&) = default;
  friend auto operator<=>(const ScheduleParams&, const ScheduleParams&) = default;
};

// Empty when the scheduler fits the structure of the fusion, otherwise why it does not.
std::string rejectionReason(SchedulerType type, const std::vector<Expr*>& exprs);
// The first type in order of preference that fits; None when there is none.
SchedulerType proposeScheduler(const std::vector<Expr*>& exprs);

ScheduleParams computeHeuristics(Fusion* fusion, SchedulerType type,
                                 const ScheduleContext& context);
// NoOp leaves the fusion as it is: every tensor has loops of its own.
void applySchedule(Fusion* fusion, const ScheduleParams& params);

}  // namespace nvfuser
