// Arithmetic on integer scalars with constant folding: extents, indices, offsets and bounds.
//
// Operands are non-negative unless said otherwise, so division truncates and floors alike. Equal
// expressions give the same Val (hash-consing), so comparing pointers compares expressions.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/fusion.h"

namespace nvfuser::scalar {

Val* constant(Fusion* fusion, int64_t value);

Val* add(Val* a, Val* b);
Val* sub(Val* a, Val* b);
Val* mul(Val* a, Val* b);
Val* div(Val* a, Val* b);
Val* mod(Val* a, Val* b);
Val* ceilDiv(Val* a, Val* b);
Val* min(Val* a, Val* b);
Val* max(Val* a, Val* b);
Val* bitwiseXor(Val* a, Val* b);

// Conditions; null stands for "always true" in the arguments and the result of logicalAnd.
Val* lt(Val* a, Val* b);
Val* ge(Val* a, Val* b);
Val* eq(Val* a, Val* b);
Val* logicalAnd(Val* a, Val* b);
// What a chain of one associative operation combines, left to right; the value itself for others.
std::vector<Val*> combinedBy(BinaryOpType type, Val* value);
// The parts of a condition that are joined by "and".
inline std::vector<Val*> atomsOf(Val* condition) {
  return combinedBy(BinaryOpType::LogicalAnd, condition);
}
// `a` where a condition holds, else `b`.
Val* where(Val* condition, Val* a, Val* b);
// The remainder of division by a positive `b`, of `a` of any sign: not negative.
Val* wrapped(Val* a, Val* b);

// The product of extents; 1 for none.
Val* product(Fusion* fusion, const std::vector<Val*>& factors);

// The same constant or the same expression.
bool same(const Val* a, const Val* b);
// Whether an extent is computed from scalars or other extents, and not that of an input: a
// dimension that has it broadcasts in the runs where it is 1.
bool isComputed(const Val* extent);
// Whether `expr` is a quotient or remainder of what may be negative: its user means those of signed
// integers, while indices are only divided where they are not negative. `least` has what indices of
// loops start from, where that is not 0.
using LeastIndices = std::unordered_map<const Val*, int64_t>;
bool maySignMatter(const Expr* expr, const LeastIndices& least = {});
// What `symbol` is multiplied with in `expression`; null where that is not linear in it.
Val* coefficient(Val* expression, const Val* symbol);
// `expression` with `value` in place of `symbol`; null where that is an operand of something else
// than arithmetic on integers.
Val* substituted(Val* expression, const Val* symbol, Val* value);
// What an integer is at most, as far as constants tell.
int64_t upperBound(const Val* val);
// Whether `divisor` divides `dividend` for every value of the symbols in them.
bool isDivisible(const Val* dividend, const Val* divisor);

}  // namespace nvfuser::scalar
