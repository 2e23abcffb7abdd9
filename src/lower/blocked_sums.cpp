#include "lower/blocked_sums.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <unordered_set>
#include <utility>

#include "ir/scalar.h"
#include "lower/apart_totals.h"
#include "lower/builder.h"
#include "schedule/limits.h"

namespace nvfuser {

namespace {

// Whether a loop adds up what is rounded to single precision.
bool sums(const kir::Loop& loop) {
  return std::ranges::any_of(*loop.body, [](const kir::Statement& statement) {
    const auto& compute = std::get<kir::Compute>(statement.node);
    const auto* reduction = compute.expr->as<ReductionOp>();
    const DataType dtype = compute.out.tv->dtype();
    return reduction != nullptr && reduction->type() == BinaryOpType::Add &&
           (dtype == DataType::Float || dtype == DataType::ComplexFloat);
  });
}

// Whether a loop has at least so many iterations, or an unknown number.
bool mayHave(int64_t count, const kir::Loop& loop) {
  return kir::iterationsOf(loop).value_or(count) >= count;
}

// Gives each iteration of a loop around others a sum of its own.
void sumEach(kir::Loop& loop, kir::Loop& inner, const kir::Builder& build) {
  Fusion* fusion = build.fusion();
  auto [before, after] = accumulateApart(*inner.body, fusion->zero(), fusion->one(), build);
  std::ranges::move(*loop.body, std::back_inserter(before));
  std::ranges::move(after, std::back_inserter(before));
  *loop.body = std::move(before);
}

// Gives blocks of `size` iterations a sum of their own; what is left of the loop comes behind.
kir::Block divide(kir::Loop loop, int64_t size, const kir::Builder& build) {
  Fusion* fusion = build.fusion();
  Val* step = scalar::constant(fusion, size);
  Val* block = build.freshIndex();
  Val* whole = kir::endOfGroups(loop, size);
  kir::Loop iterations =
      kir::similarLoop(loop, block, scalar::add(block, step), kir::copyOf(*loop.body));
  // Blocks are whole vectors.
  iterations.marks.mask = {};
  std::unordered_set<const Val*> indices;
  auto [body, after] = accumulateApart(*innermostReduced(iterations, indices)->body, fusion->zero(),
                                       fusion->one(), build);
  body.push_back({std::move(iterations)});
  std::ranges::move(after, std::back_inserter(body));
  kir::Loop blocks = kir::plainLoop(block, loop.start, whole, std::move(body));
  blocks.isReduction = true;
  blocks.step = size;
  kir::Block result;
  result.push_back({std::move(blocks)});
  if (!scalar::same(whole, loop.stop)) {
    loop.start = whole;
    result.push_back({std::move(loop)});
  }
  return result;
}

// What a loop adds up, in blocks of as many elements as make whole vectors, or of about as many
// iterations of a loop around others as there are blocks; 0 where it has too few.
int64_t sizeOfBlocks(const kir::Loop& loop, bool isAround) {
  if (!isAround) {
    return mayHave(2 * limits::kSummedElements, loop) ? limits::kSummedElements : 0;
  }
  const auto count = static_cast<double>(kir::iterationsOf(loop).value_or(0));
  const auto size = static_cast<int64_t>(std::sqrt(std::max(count, 0.0)));
  return size >= limits::kSummedIterations / 2 ? size : 0;
}

// Calls sum(loop, innermost) for loops that sum up, from the outside in; it may return what comes
// in their place.
template <typename Sum>
void forEachSum(kir::Block& body, Sum&& sum) {
  kir::rewriteLoops(body, [&](kir::Loop& loop) -> std::optional<kir::Block> {
    std::unordered_set<const Val*> indices;
    kir::Loop* inner = innermostReduced(loop, indices);
    const bool isSum = inner != nullptr && loop.step == 1 && !loop.isRest &&
                       loop.parallelType == ParallelType::Serial && sums(*inner) &&
                       hasApartTotals(*inner, indices);
    return isSum ? sum(loop, *inner) : std::nullopt;
  });
}

}  // namespace

void sumInBlocks(const PassContext& context) {
  const kir::Builder build(context.kernel, context.phase);
  forEachSum(context.phase.body, [&](kir::Loop& loop, kir::Loop& inner) {
    const int64_t size = mayHave(limits::kSummedIterations, inner)
                             ? sizeOfBlocks(loop, &inner != &loop)
                             : int64_t{0};
    return size > 0 ? std::optional(divide(std::move(loop), size, build)) : std::nullopt;
  });
  forEachSum(context.phase.body,
             [&](kir::Loop& loop, kir::Loop& inner) -> std::optional<kir::Block> {
               if (&inner != &loop && mayHave(limits::kSummedIterations, inner)) {
                 sumEach(loop, inner, build);
               }
               return std::nullopt;
             });
}

}  // namespace nvfuser
