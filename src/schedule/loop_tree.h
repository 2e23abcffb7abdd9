// LoopTree: the nest of loops that a schedule means.
//
// Expression e with loops l0, l1, ... stands in the innermost of them. Two expressions share loop k
// when one computes an operand of the other and its compute-at position is above k. Sharing is
// transitive, so loops form groups, and groups form a tree. The tree exists only if every group can
// be entered after all that it depends on was computed: otherwise the schedule is not legal.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ir/fusion.h"

namespace nvfuser {

struct LoopNode {
  struct Member {
    Expr* expr;
    TensorView* tv;
    IterDomain* id;
  };
  using Item = std::variant<Expr*, std::unique_ptr<LoopNode>>;

  int64_t depth = 0;
  std::vector<Member> members;
  // In order of execution.
  std::vector<Item> body;
};

class LoopTree {
 public:
  // The top-level loops and expressions in order of execution. Raises when the schedule is not
  // legal.
  static std::vector<LoopNode::Item> build(Fusion* fusion);
  // Why the schedule is not legal, empty when it is.
  static std::string check(const std::vector<Expr*>& exprs);
};

}  // namespace nvfuser
