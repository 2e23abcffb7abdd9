// What it takes to compute an element: whether to compute it again, or to keep it in memory.
#pragma once

#include <cstdint>
#include <optional>

#include "device/target.h"
#include "ir/fusion.h"

namespace nvfuser {

// Whether a tensor has more elements, or an unknown number.
bool mayHaveMore(const TensorView* tv, int64_t elements);

// Instructions of an element of an expression, about; nothing for what is not computed element by
// element.
std::optional<int64_t> costOf(const Expr* expr);

// Whether an expression repeats an operand along further dimensions, which takes more instructions
// for each repetition than to read what a kernel of its own has computed, and to launch that.
bool repeatsLongComputation(const Expr* expr, const Val* in, const Target& target);

// Whether a long function was evaluated for several parts of a concatenation, each of which would
// do so again.
bool computesForSeveralParts(const Val* in, const Target& target);

// Whether an expression evaluates a function of what was reduced from each of many short rows,
// which a loop over rows would do one by one, and no row needs the result, or rows are so short
// that they are as soon read again.
bool computesBehindShortRows(const Expr* expr, const Val* in, const Target& target);

}  // namespace nvfuser
