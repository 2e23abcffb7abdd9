// Looking at a lowered kernel: its statements, and running its loops without computing anything.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ir/evaluator.h"
#include "lower/lower.h"
#include "schedule/common.h"
#include "schedule/propagate.h"
#include "schedule/scheduler.h"
#include "schedule/schedulers/cpu/marks.h"
#include "schedule/schedulers/registry.h"

namespace nvfuser::testing_support {

template <typename Node>
std::vector<const Node*> statementsOf(const kir::Block& block) {
  std::vector<const Node*> found;
  forEachStatement(block, [&](const kir::Statement& statement) {
    if (const auto* node = std::get_if<Node>(&statement.node)) {
      found.push_back(node);
    }
  });
  return found;
}

inline bool hasOperation(const Val* val, BinaryOpType type) {
  const Expr* expr = val->definition();
  if (expr == nullptr) {
    return false;
  }
  const auto* binary = expr->as<BinaryOp>();
  return (binary != nullptr && binary->type() == type) ||
         std::ranges::any_of(expr->inputs(), [&](const Val* in) { return hasOperation(in, type); });
}

class KernelTest : public FusionTest {
 protected:
  // How often each element of `tv` is written when the kernel's loops run.
  using Writes = std::map<int64_t, int64_t>;
  static Writes writesOf(const kir::Kernel& kernel, const TensorView* tv,
                         ExpressionEvaluator evaluator = {}) {
    Writes writes;
    for (const kir::Phase& phase : kernel.phases) {
      // The loops of the others do not matter: sanitizers take minutes for their threads.
      if (isWritten(phase.body, tv)) {
        runThreads(phase, 0, tv, evaluator, writes);
      }
    }
    return writes;
  }
  static Writes once(int64_t count) {
    Writes writes;
    for (int64_t i = 0; i < count; ++i) {
      writes[i] = 1;
    }
    return writes;
  }
  static int64_t evaluate(ExpressionEvaluator& evaluator, const Val* val) {
    return evaluator.evaluate(val).as<int64_t>();
  }
  std::unique_ptr<kir::Kernel> lower() { return nvfuser::lower(&fusion_, "kernel", cpuTarget({})); }
  // Numbers of the tables, for nothing in particular.
  static const ScheduleContext& context() {
    static const ScheduleContext plain(cpuTarget({}));
    return plain;
  }
  // With those that run where nothing is chosen for sizes.
  std::unique_ptr<kir::Kernel> scheduleAndLower(SchedulerType type) {
    switch (type) {
      case SchedulerType::Pointwise:
        return scheduleAndLower(CpuPointwiseParams{});
      case SchedulerType::Reduction:
        return scheduleAndLower(CpuReductionParams{});
      default:
        return scheduleAndLower(CpuPersistentParams{}, type);
    }
  }
  std::unique_ptr<kir::Kernel> scheduleAndLower(CpuPointwiseParams params) {
    params.ahead = heuristics::aheadParams(context());
    return lowerWith({schedulers::cpuPointwise(), params});
  }
  std::unique_ptr<kir::Kernel> scheduleAndLower(CpuReductionParams params) {
    params.ahead = heuristics::aheadParams(context());
    return lowerWith({schedulers::cpuReduction(), params});
  }
  std::unique_ptr<kir::Kernel> scheduleAndLower(CpuPersistentParams params, SchedulerType type) {
    params.reduction.ahead = heuristics::aheadParams(context());
    params.reduction.recomputedOps = context().tuning.cpu.recomputedOps;
    return lowerWith({type == SchedulerType::InnerPersistent ? schedulers::cpuInnerPersistent()
                                                             : schedulers::cpuOuterPersistent(),
                      params});
  }
  std::unique_ptr<kir::Kernel> lowerWith(const ScheduleParams& params) {
    applySchedule(&fusion_, params);
    return lower();
  }

 private:
  static bool isWritten(const kir::Block& block, const TensorView* tv) {
    bool found = false;
    kir::forEachAccess(block, [&](const kir::Access& access, kir::Use use, const TensorView*) {
      found = found || (use == kir::Use::Write && access.tv == tv);
    });
    return found;
  }
  // All threads one after the other: the phases of a CPU kernel have none.
  static void runThreads(const kir::Phase& phase, size_t direction, const TensorView* tv,
                         ExpressionEvaluator& evaluator, Writes& writes) {
    if (direction == phase.threads.size()) {
      run(phase.body, tv, evaluator, writes);
      return;
    }
    const kir::ThreadDimension& dimension = phase.threads[direction];
    const int64_t extent = evaluate(evaluator, dimension.extent);
    for (int64_t i = 0; i < extent; ++i) {
      evaluator.bind(dimension.index, i);
      runThreads(phase, direction + 1, tv, evaluator, writes);
    }
  }

  static void run(const kir::Block& block, const TensorView* tv, ExpressionEvaluator& evaluator,
                  Writes& writes) {
    const auto valueOf = [&](const Val* val) { return evaluate(evaluator, val); };
    for (const kir::Statement& statement : block) {
      kir::visit(
          statement,
          [&](const kir::Loop& loop) {
            const int64_t stop = valueOf(loop.stop);
            for (int64_t i = valueOf(loop.start); i < stop; i += loop.step) {
              evaluator.bind(loop.index, i);
              run(*loop.body, tv, evaluator, writes);
            }
          },
          [&](const kir::If& choice) {
            if (evaluator.evaluate(choice.condition).as<bool>()) {
              run(*choice.then, tv, evaluator, writes);
            } else if (choice.otherwise != nullptr) {
              run(*choice.otherwise, tv, evaluator, writes);
            }
          },
          [&](const kir::LoadIndex& load) {
            // As if every index were 0.
            evaluator.bind(load.position, int64_t{0});
            evaluator.bind(load.isInside, true);
          },
          [&](const kir::Compute& compute) {
            for (int64_t i = 0; compute.out.tv == tv && i < compute.width; ++i) {
              ++writes[valueOf(compute.out.index) + i];
            }
          },
          [&](const kir::TransposedCopy& copy) {
            for (int64_t r = 0; copy.out.tv == tv && r < valueOf(copy.rows); ++r) {
              for (int64_t c = 0; c < valueOf(copy.columns); ++c) {
                ++writes[valueOf(copy.out.index) + r * valueOf(copy.outStride) + c];
              }
            }
          },
          [&](const kir::WholeLines& lines) {
            // As if the memory of outputs began three elements before a line.
            constexpr int64_t kBefore = 3;
            const int64_t start = valueOf(lines.start);
            const int64_t count = std::max<int64_t>(valueOf(lines.stop) - start, 0);
            const int64_t first = std::min(kBefore, count);
            evaluator.bind(lines.first, start + first);
            evaluator.bind(lines.last, start + first + (count - first) / lines.group * lines.group);
          },
          [&](const kir::StreamedCopy& copy) {
            for (int64_t i = 0; copy.out.tv == tv && i < valueOf(copy.count); ++i) {
              ++writes[valueOf(copy.out.index) + i];
            }
          },
          [&](const kir::Assign& assign) {
            if (assign.out.tv == tv) {
              ++writes[valueOf(assign.out.index)];
            }
          },
          [](const kir::Either<kir::Prefetch, kir::Barrier, kir::BlockReduce,
                               kir::BlockScan> auto&) {});
    }
  }
};

}  // namespace nvfuser::testing_support
