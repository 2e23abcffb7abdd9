// Sums and the like with an accumulator for each of some elements.
#pragma once

#include <unordered_set>

#include "lower/builder.h"
#include "lower/passes.h"

namespace nvfuser {

// The innermost of loops that reduce, nested with nothing else between them, if that only computes;
// the loop itself where there are no others in it, null where there is more to it. Adds the indices
// of all of them.
kir::Loop* innermostReduced(kir::Loop& loop, std::unordered_set<const Val*>& indices);

// Whether what a loop accumulates may as well be accumulated in parts: it is the same for all of
// `indices`, of numbers whose order does not matter, and read behind the loop only.
bool hasApartTotals(const kir::Loop& loop, const std::unordered_set<const Val*>& indices);

// What surrounds the loops over a body whose totals are apart.
struct ApartTotals {
  // Of each, `size` identities.
  kir::Block before;
  // Adds them up.
  kir::Block after;
};

// Lets the reductions of a body accumulate into number `place` of `size` accumulators.
ApartTotals accumulateApart(kir::Block& body, Val* place, Val* size, const kir::Builder& build);

// Reductions over rows of few elements would add up the lanes of a vector at the end of each row.
// Where the schedule asks for it, the elements of rows have an accumulator each:
//   for r in n: for c in m: t += x[r, c]
// becomes
//   for r in n: for c in m: p[c] += x[r, c]
//   for c in m: t += p[c]
void accumulateRowsApart(const PassContext& context);

}  // namespace nvfuser
