#include "schedule/scheduler.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "ir/logical_map.h"
#include "schedule/heuristics/cpu/pointwise.h"
#include "schedule/heuristics/cpu/reduction.h"
#include "schedule/heuristics/gpu/pointwise.h"
#include "schedule/heuristics/gpu/reduction.h"
#include "schedule/heuristics/gpu/unfused.h"
#include "schedule/heuristics/reductions.h"
#include "schedule/heuristics/scans.h"
#include "schedule/heuristics/scatters.h"
#include "schedule/id_model.h"

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

std::string toString(const ScheduleParams& params) {
  std::string text = concatenate("scheduler: ", toString(params.type),
                                 "\nindices: ", params.hasWideIndex ? "int64_t" : "int", "\n");
  if (params.device == DeviceType::CUDA) {
    const GpuParams& gpu = params.gpu;
    return text +
           concatenate("vector width: ", gpu.vectorWidth,
                       "\nvectorized tensors (a bit each): ", gpu.vectorized,
                       "\nunroll: ", gpu.unroll, gpu.unrollsRows ? " of a row" : "",
                       gpu.isColumnMajor ? "\ncolumns: " : "\nrows: ",
                       gpu.hasOuterAlongY ? "y" : "x", "\nthreads: ", gpu.threadsX, " x ",
                       gpu.threadsY, "\npersistent batches: ", gpu.batches,
                       "\nsplits: ", gpu.splits, "\nblocks per multiprocessor: ", gpu.minBlocks,
                       "\nbound by latency: ", gpu.isLatencyBound ? "yes" : "no",
                       "\nsizes divide: ", gpu.isExact ? "yes" : "no", "\ninputs in the L2 cache: ",
                       gpu.ofReadOnce == CacheOp::AllLevels   ? "leave last"
                       : gpu.ofReadOnce == CacheOp::Streaming ? "leave first"
                                                              : "leave in turn",
                       "\n");
  }
  return text + concatenate("separate stages: ", params.separateStages ? "yes" : "no",
                            "\nreduction chunk: ", params.reductionChunk,
                            "\ncolumn tile: ", params.columnTile,
                            "\nseveral rows at once: ", params.jamsRows ? "yes" : "no",
                            "\nmoments in one pass: ", params.mergesMoments ? "yes" : "no",
                            "\ninner chunk: ", params.innerChunk,
                            "\nserial loops: ", params.serialLoops,
                            "\ntranspose tile: ", params.transposeTile,
                            "\nstreamed outputs: ", params.streamsOutputs ? "yes" : "no", "\n");
}

namespace {

// Whether a dimension of size 1 stands for dimensions of different sizes: the loops of its tensor
// can follow one of them only.
bool hasAmbiguousBroadcast(const std::vector<Expr*>& exprs) {
  DisjointValSets same;
  std::vector<std::pair<const IterDomain*, const Val*>> sizes;
  for (const Expr* expr : exprs) {
    for (Val* out : expr->outputs()) {
      for (Val* in : expr->inputs()) {
        if (!in->isTensor() || isLookedUp(in, expr)) {
          continue;
        }
        for (const auto& [from, to] : pairwiseMap(expr, in->asTensor(), out->asTensor())) {
          if (!from->isBroadcast()) {
            continue;
          }
          same.add(from);
          if (to->isIteration()) {
            sizes.emplace_back(from, to->extent());
          } else if (to->isBroadcast()) {
            same.add(to);
            same.join(from, to);
          }
        }
      }
    }
  }
  std::unordered_map<const Val*, const Val*> known;
  return std::ranges::any_of(sizes, [&](const auto& entry) {
    const Val* size =
        known.try_emplace(same.representative(entry.first), entry.second).first->second;
    return size != entry.second && !(size->isConstInt() && entry.second->isConstInt() &&
                                     size->constInt() == entry.second->constInt());
  });
}

std::string structureProblem(SchedulerType type, const std::vector<Expr*>& exprs) {
  const bool hasReduction =
      std::ranges::any_of(exprs, [](Expr* expr) { return expr->is<ReductionOp>(); });
  const bool hasCall = std::ranges::any_of(exprs, [](Expr* expr) { return expr->is<LibraryOp>(); });
  if (type == SchedulerType::ExprEval) {
    return hasCall && exprs.size() == 1 ? "" : "only a single call of a library has no kernel";
  }
  if (hasCall) {
    return "no support for calls of libraries";
  }
  if (hasAmbiguousBroadcast(exprs)) {
    return "a broadcast dimension stands for dimensions of different sizes";
  }
  switch (type) {
    case SchedulerType::Pointwise:
      if (hasReduction) {
        // The words that clients of nvFuser look for: no output is computed in one step.
        return "cannot find reference tensor";
      }
      if (heuristics::hasScan(exprs)) {
        const std::string mismatch = heuristics::scanMismatch(exprs);
        if (!mismatch.empty()) {
          return mismatch;
        }
      }
      if (heuristics::hasScatter(exprs)) {
        const std::string mismatch = heuristics::scatterMismatch(exprs);
        if (!mismatch.empty()) {
          return mismatch;
        }
      }
      return heuristics::repeatedForResizes(exprs) > heuristics::kMaxRepeatedOps
                 ? "too much would be computed again for each slice or pad of it"
                 : "";
    case SchedulerType::Reduction:
    case SchedulerType::InnerPersistent:
    case SchedulerType::OuterPersistent: {
      if (!hasReduction) {
        return "no reduction op to schedule";
      }
      if (heuristics::hasScan(exprs)) {
        return "no support for scans";
      }
      if (heuristics::hasScatter(exprs)) {
        return "no support for scatters";
      }
      if (heuristics::resizesReduced(exprs)) {
        return "a slice or pad depends on a reduction";
      }
      if (std::ranges::any_of(exprs, [](Expr* expr) { return expr->is<CatOp>(); })) {
        return "no support for concatenation";
      }
      const std::string mismatch = heuristics::reductionMismatch(exprs);
      if (!mismatch.empty()) {
        return mismatch;
      }
      if (const TensorView* apart = heuristics::unrelatedToReductions(exprs)) {
        return apart->toString() + " has nothing to do with the reductions";
      }
      const bool persistent = heuristics::isPersistent(exprs);
      if (persistent != (type != SchedulerType::Reduction)) {
        return persistent ? "results of reductions are used along the reduced dimensions"
                          : "no result of a reduction is used along the reduced dimensions";
      }
      if (persistent &&
          heuristics::isInnerReduction(exprs) != (type == SchedulerType::InnerPersistent)) {
        return "the innermost dimension is not of the right kind";
      }
      return "";
    }
    default:
      return "not a scheduler of this device";
  }
}

}  // namespace

std::string rejectionReason(SchedulerType type, const std::vector<Expr*>& exprs) {
  const std::string problem = structureProblem(type, exprs);
  return problem.empty()
             ? problem
             : concatenate("Scheduler _", toString(type), "_ ***rejected*** because : ", problem);
}

SchedulerType proposeScheduler(const std::vector<Expr*>& exprs) {
  for (const SchedulerType type : kSchedulers) {
    if (structureProblem(type, exprs).empty()) {
      return type;
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

ScheduleParams computeHeuristics(Fusion* fusion, SchedulerType type,
                                 const ScheduleContext& context) {
  const bool isCuda = context.device == DeviceType::CUDA;
  switch (type) {
    case SchedulerType::Pointwise:
      return isCuda ? heuristics::gpuPointwiseParams(fusion, context)
                    : heuristics::pointwiseParams(fusion, context);
    case SchedulerType::Reduction:
    case SchedulerType::InnerPersistent:
    case SchedulerType::OuterPersistent:
      return isCuda ? heuristics::gpuReductionParams(fusion, type, context)
                    : heuristics::reductionParams(fusion, type, context);
    default:
      fail("Could not schedule fusion with the SchedulerType ", toString(type));
  }
}

void removeSchedule(Fusion* fusion) {
  for (TensorView* tv : fusion->tensors()) {
    for (IterDomain* id : loopDimensions(tv)) {
      id->parallelize(ParallelType::Serial);
    }
    tv->domain()->setLoop(loopDimensions(tv));
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
  if (params.type == SchedulerType::None) {
    return;
  }
  if (params.type == SchedulerType::NoOp) {
    removeSchedule(fusion);
    if (params.device == DeviceType::CUDA) {
      heuristics::scheduleGpuUnfused(fusion);
    }
    return;
  }
  const bool isPointwise = params.type == SchedulerType::Pointwise;
  try {
    if (params.device == DeviceType::CUDA) {
      isPointwise ? heuristics::scheduleGpuPointwise(fusion, params)
                  : heuristics::scheduleGpuReduction(fusion, params);
    } else {
      isPointwise ? heuristics::schedulePointwise(fusion, params)
                  : heuristics::scheduleReduction(fusion, params);
    }
  } catch (const ScheduleError&) {
    throw;
  } catch (const Error& error) {
    // The transforms of a user raise the same: only here it is the scheduler that is wrong.
    failSchedule("The scheduler _", toString(params.type),
                 "_ accepted what it cannot schedule: ", error.what());
  }
}

}  // namespace nvfuser
