// Statements for another value of an index.
#pragma once

#include "lower/kernel.h"

namespace nvfuser::kir {

// Puts `value` in place of a symbol in all that statements compute, copy and assign, in loops and
// under conditions that are comparisons. False where it cannot be written there, or there are other
// statements: then they are of no use any more.
bool substitute(Statement& statement, const Val* symbol, Val* value);
bool substitute(Block& block, const Val* symbol, Val* value);

}  // namespace nvfuser::kir
