// Walks over what values are computed from, on explicit stacks: definitions may be many thousands
// of operations deep, and the stack of a thread may be small.
#pragma once

#include <utility>
#include <vector>

#include "ir/val.h"

namespace nvfuser {

// Calls `visit` for what `root`, a `Val*` or `const Val*`, is computed from and then for `root`,
// each behind its operands. Nothing is done for a value that `isKnown`, nor for what only such
// values are computed from; a value must be known once it has been visited.
template <typename ValPointer, typename IsKnown, typename Visit>
void visitOperandsFirst(ValPointer root, const IsKnown& isKnown, const Visit& visit) {
  if (isKnown(root)) {
    return;
  }
  // A value, and how many of its operands are done.
  std::vector<std::pair<ValPointer, size_t>> stack{{root, 0}};
  while (!stack.empty()) {
    auto& [val, next] = stack.back();
    const Expr* definition = val->definition();
    if (definition != nullptr && next < definition->inputs().size()) {
      if (ValPointer operand = definition->input(next++); !isKnown(operand)) {
        stack.emplace_back(operand, 0);
      }
      continue;
    }
    ValPointer done = val;
    stack.pop_back();
    visit(done);
  }
}

}  // namespace nvfuser
