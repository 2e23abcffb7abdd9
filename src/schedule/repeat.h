// What kernels compute for themselves instead of reading what another one wrote: casts, views and
// single instructions of inputs, and constants, which cost nothing, and what takes no more reading
// to compute again than to read.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/fusion.h"

namespace nvfuser {

// Copies of expressions, and what they are copies of, which are no copies themselves.
using Repeated = std::unordered_map<const Expr*, const Expr*>;

// Views of what is in memory: their results are read like inputs.
using ViewsOfMemory = std::unordered_set<const Expr*>;

// Gives each of the sorted expressions that are not free its own copies of the free ones behind its
// operands. Returns the expressions with the copies, sorted, without those that nothing uses any
// more.
std::vector<Expr*> repeatFree(Fusion* fusion, const std::vector<Expr*>& exprs,
                              const ViewsOfMemory& views, Repeated& repeated);

// The same for what one group of expressions computes element by element and others read, where
// fewer bytes are moved in all. Returns the expressions of all groups, sorted, with the copies;
// empty if nothing is repeated.
std::vector<Expr*> repeatCheap(Fusion* fusion, const std::vector<std::vector<Expr*>>& groups,
                               const ViewsOfMemory& views, Repeated& repeated);

// Leaves one of the copies of each expression among the sorted expressions of a kernel.
void shareRepeated(Fusion* fusion, std::vector<Expr*>& exprs, const Repeated& repeated);

}  // namespace nvfuser
