#include "schedule/schedulers/common.h"

#include <algorithm>

#include "schedule/heuristics/reductions.h"
#include "schedule/heuristics/references.h"
#include "schedule/heuristics/scans.h"
#include "schedule/heuristics/scatters.h"
#include "schedule/limits.h"

namespace nvfuser::schedulers {

namespace {

std::string rejectForAll(const FusionSummary& summary) {
  if (summary.hasLibraryCall()) {
    return "no support for calls of libraries";
  }
  if (summary.hasAmbiguousBroadcast()) {
    return "a broadcast dimension stands for dimensions of different sizes";
  }
  return {};
}

}  // namespace

namespace {

std::string findPointwiseProblem(const FusionSummary& summary) {
  if (std::string problem = rejectForAll(summary); !problem.empty()) {
    return problem;
  }
  if (summary.hasReduction()) {
    // The words that clients of nvFuser look for: no output is computed in one step.
    return "cannot find reference tensor";
  }
  const std::vector<Expr*>& exprs = summary.exprs();
  if (summary.hasScan()) {
    if (std::string mismatch = heuristics::scanMismatch(exprs, summary.classes());
        !mismatch.empty()) {
      return mismatch;
    }
  }
  if (summary.hasScatter()) {
    if (std::string mismatch = heuristics::scatterMismatch(exprs); !mismatch.empty()) {
      return mismatch;
    }
  }
  if (heuristics::repeatedForResizes(exprs) > limits::kRepeatedOps) {
    return "too much would be computed again for each slice or pad of it";
  }
  const TensorView* wider = heuristics::widerThanReference(exprs, summary.classes());
  return wider != nullptr ? wider->toString() + " has a dimension that a wider output lacks" : "";
}

}  // namespace

const std::string& rejectPointwise(const FusionSummary& summary) {
  return summary.pointwiseProblem(findPointwiseProblem);
}

namespace {

std::string findReductionProblem(const FusionSummary& summary) {
  if (std::string problem = rejectForAll(summary); !problem.empty()) {
    return problem;
  }
  if (!summary.hasReduction()) {
    return "no reduction op to schedule";
  }
  if (summary.hasScan()) {
    return "no support for scans";
  }
  if (summary.hasScatter()) {
    return "no support for scatters";
  }
  const std::vector<Expr*>& exprs = summary.exprs();
  if (std::string mismatch = heuristics::reductionMismatch(exprs, summary.classes());
      !mismatch.empty()) {
    return mismatch;
  }
  if (const TensorView* apart = heuristics::unrelatedToReductions(exprs)) {
    return apart->toString() + " has nothing to do with the reductions";
  }
  if (const TensorView* wider = heuristics::widerThanReductions(exprs, summary.classes())) {
    return wider->toString() + " has a dimension that no reduction has";
  }
  return {};
}

// Slices and pads of what depends on reductions.
struct ResizedRows {
  bool areThere = false;
  // Why threads that hold rows cannot read again what is cut out of these; empty if they can.
  std::string problem;
};
ResizedRows findResizedRows(const FusionSummary& summary) {
  const std::vector<const Expr*> resizes = heuristics::resizesOfReduced(summary.exprs());
  if (resizes.empty()) {
    return {};
  }
  if (heuristics::leavesPartsOfRows(resizes, summary.widestReduction(), summary.exprs(),
                                    summary.classes())) {
    return {true, "parts of what depends on a reduction are left"};
  }
  if (heuristics::repeatedForResizes(summary.exprs()) > limits::kRepeatedOps) {
    return {true, "too much would be computed again for each slice or pad of a row"};
  }
  return {true, ""};
}

}  // namespace

std::string rejectReduction(const FusionSummary& summary, SchedulerType type) {
  if (summary.fact(findResizedRows).areThere) {
    return "a slice or pad depends on a reduction";
  }
  return rejectRows(summary, type);
}

std::string rejectRows(const FusionSummary& summary, SchedulerType type) {
  if (const std::string& problem = summary.fact(findResizedRows).problem; !problem.empty()) {
    return problem;
  }
  if (const std::string& problem = summary.reductionProblem(findReductionProblem);
      !problem.empty()) {
    return problem;
  }
  const bool persistent = summary.isPersistent();
  if (persistent != (type != SchedulerType::Reduction)) {
    return persistent ? "results of reductions are used along the reduced dimensions"
                      : "no result of a reduction is used along the reduced dimensions";
  }
  if (persistent && summary.isInnerReduction() != (type == SchedulerType::InnerPersistent)) {
    return "the innermost dimension is not of the right kind";
  }
  return summary.isInnerReduction()
             ? std::string()
             : heuristics::expandedMismatch(summary.exprs(), summary.classes());
}

}  // namespace nvfuser::schedulers
