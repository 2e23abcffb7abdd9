#include "lower/mask_rests.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ir/scalar.h"
#include "schedule/limits.h"

namespace nvfuser {

namespace {

// What lanes can compute beside each other.
bool isOfLanes(const kir::Statement& statement) {
  if (const auto* compute = std::get_if<kir::Compute>(&statement.node)) {
    return !compute->expr->is<ScanOp>() && !compute->expr->is<ScatterOp>();
  }
  if (const auto* loop = std::get_if<kir::Loop>(&statement.node)) {
    // Which is written out.
    return loop->parallelType == ParallelType::Unroll && loop->stop->isConstInt() &&
           std::ranges::all_of(*loop->body, isOfLanes);
  }
  return std::holds_alternative<kir::Assign>(statement.node) ||
         std::holds_alternative<kir::LoadIndex>(statement.node);
}

// Whether a loop may have more iterations beside whole vectors than are worth to be written out.
bool mayHaveRest(const kir::Loop& loop) {
  if (!loop.stop->isConstInt() || !loop.start->isConstInt()) {
    return true;
  }
  const int64_t count = loop.stop->constInt() - loop.start->constInt();
  return count > limits::kWrittenOutRow && count % loop.marks.mask.lanes > limits::kWrittenOutRest;
}

bool hasRest(const kir::Loop& loop, const kir::Phase& phase) {
  // Other passes have chosen for the loops that they made.
  return loop.marks.mask && loop.index != phase.parallelIndex && loop.step == 1 && !loop.isRest &&
         loop.vectors == 0 && loop.parallelType == ParallelType::Serial && mayHaveRest(loop) &&
         std::ranges::all_of(*loop.body, isOfLanes);
}

kir::Block divide(kir::Loop loop, const MaskMark& mark) {
  kir::Block result;
  if (mark.group > 0) {
    Fusion* fusion = loop.index->fusion();
    Val* group = scalar::constant(fusion, mark.group);
    Val* all = scalar::max(scalar::sub(loop.stop, loop.start), fusion->zero());
    Val* middle = scalar::add(loop.start, scalar::mul(scalar::div(all, group), group));
    // Short loops have no whole group.
    if (!scalar::same(middle, loop.start)) {
      result.push_back({kir::similarLoop(loop, loop.start, middle, kir::copyOf(*loop.body))});
      loop.start = middle;
    }
  }
  loop.isRest = true;
  loop.lanes = mark.lanes;
  result.push_back({std::move(loop)});
  return result;
}

}  // namespace

void maskRests(const PassContext& context) {
  kir::rewriteLoops(context.phase.body, [&](kir::Loop& loop) -> std::optional<kir::Block> {
    if (!hasRest(loop, context.phase)) {
      return std::nullopt;
    }
    const MaskMark mark = std::exchange(loop.marks.mask, {});
    return divide(std::move(loop), mark);
  });
}

}  // namespace nvfuser
