#include "lower/interleave.h"

#include <algorithm>
#include <unordered_set>

#include "core/error.h"

namespace nvfuser {

namespace {

const TensorView* computedBy(const kir::Compute& compute) {
  return compute.expr->output(0)->asTensor();
}

bool isPlain(const kir::Statement& statement) {
  const auto* compute = std::get_if<kir::Compute>(&statement.node);
  return compute != nullptr && !kir::accumulates(*compute);
}

}  // namespace

bool isMarkedInterleaved(const kir::Statement& statement) {
  const auto* compute = std::get_if<kir::Compute>(&statement.node);
  return compute != nullptr && computedBy(*compute)->marks().interleave;
}

void interleave(const PassContext& context) {
  std::unordered_set<const TensorView*> interleaved;
  kir::rewriteLoops(context.phase.body, [&](kir::Loop& loop) {
    if (std::ranges::all_of(*loop.body, isPlain)) {
      int64_t vectors = 0;
      for (const kir::Statement& statement : *loop.body) {
        const TensorView* tv = computedBy(std::get<kir::Compute>(statement.node));
        if (isMarkedInterleaved(statement)) {
          vectors = std::max(vectors, tv->marks().interleave.vectors);
          interleaved.insert(tv);
        }
      }
      // Passes have chosen for the loops that they made.
      if (loop.vectors == 0) {
        loop.vectors = vectors;
      }
    }
    return std::optional<kir::Block>();
  });
  kir::forEachStatement(context.phase.body, [&](const kir::Statement& statement) {
    const auto* compute = std::get_if<kir::Compute>(&statement.node);
    const TensorView* tv = compute == nullptr ? nullptr : computedBy(*compute);
    NVF_SCHEDULE_CHECK(tv == nullptr || !tv->marks().interleave || !tv->marks().isRequired ||
                           interleaved.contains(tv),
                       "interleave: Expected ", tv->toString(),
                       " to be computed by an innermost loop without conditions that accumulates "
                       "nothing");
  });
}

}  // namespace nvfuser
