#include "lower/mask_rests.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "ir/scalar.h"
#include "lower/interleave.h"
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

// The indices of loops that are all that there is in another one. Of few iterations, compilers
// write them out and have vectors of the other.
std::unordered_set<const Val*> indicesAlone(const kir::Phase& phase) {
  std::unordered_set<const Val*> indices;
  kir::forEachStatement(phase.body, [&](const kir::Statement& statement) {
    const auto* loop = std::get_if<kir::Loop>(&statement.node);
    if (loop != nullptr && loop->body->size() == 1) {
      if (const auto* inner = std::get_if<kir::Loop>(&loop->body->front().node)) {
        indices.insert(inner->index);
      }
    }
  });
  return indices;
}

// Whether a loop may have more iterations beside whole vectors than are worth to be written out.
// Those that are worth to be interleaved are long, if they are not reduced: then vectors are of the
// results.
bool mayHaveRest(const kir::Loop& loop, bool isAlone) {
  const std::optional<int64_t> count = kir::iterationsOf(loop);
  const bool isLong =
      !isAlone && !loop.isReduction && std::ranges::any_of(*loop.body, isMarkedInterleaved);
  return !count || ((*count > limits::kWrittenOutRow || isLong) &&
                    *count % loop.marks.mask.lanes > limits::kWrittenOutRest);
}

bool hasRest(const kir::Loop& loop, bool isAlone, const kir::Phase& phase) {
  // Other passes have chosen for the loops that they made.
  return loop.marks.mask && loop.index != phase.parallelIndex && loop.step == 1 && !loop.isRest &&
         loop.vectors == 0 && loop.parallelType == ParallelType::Serial &&
         mayHaveRest(loop, isAlone) && std::ranges::all_of(*loop.body, isOfLanes);
}

kir::Block divide(kir::Loop loop, const MaskMark& mark) {
  kir::Block result;
  if (mark.group > 0) {
    Val* middle = kir::endOfGroups(loop, mark.group);
    // Short loops have no whole group.
    if (!scalar::same(middle, loop.start)) {
      result.push_back({kir::similarLoop(loop, loop.start, middle, kir::copyOf(*loop.body))});
      loop.start = middle;
    }
  }
  const std::optional<int64_t> count = kir::iterationsOf(loop);
  loop.isRest = true;
  loop.lanes = count && 2 * *count <= mark.lanes ? mark.lanes / 2 : mark.lanes;
  result.push_back({std::move(loop)});
  return result;
}

}  // namespace

void maskRests(const PassContext& context) {
  const std::unordered_set<const Val*> alone = indicesAlone(context.phase);
  kir::rewriteLoops(context.phase.body, [&](kir::Loop& loop) -> std::optional<kir::Block> {
    if (!hasRest(loop, alone.contains(loop.index), context.phase)) {
      return std::nullopt;
    }
    const MaskMark mark = std::exchange(loop.marks.mask, {});
    return divide(std::move(loop), mark);
  });
}

}  // namespace nvfuser
