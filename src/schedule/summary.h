// FusionSummary: the facts of a fusion, or of a part of one, that schedulers ask for. Each is found
// out when it is first asked for, and kept.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/fusion.h"
#include "schedule/domain_classes.h"
#include "schedule/heuristics/common.h"
#include "schedule/heuristics/references.h"

namespace nvfuser {

class FusionSummary {
 public:
  // Of a part of a fusion.
  explicit FusionSummary(std::vector<Expr*> exprs)
      : fusion_(exprs.empty() ? nullptr : exprs.front()->fusion()), exprs_(std::move(exprs)) {}
  // Of a whole fusion, which is not scheduled as long as anything is asked.
  explicit FusionSummary(Fusion* fusion)
      : fusion_(fusion), exprs_(fusion->tensorExprs()), isWhole_(true) {}
  FusionSummary(const FusionSummary&) = delete;
  FusionSummary& operator=(const FusionSummary&) = delete;

  // Null for no expressions.
  Fusion* fusion() const { return fusion_; }
  const std::vector<Expr*>& exprs() const { return exprs_; }
  const DomainClasses& classes() const;
  // The inputs and outputs of the fusion, or of the fusion among those of the part.
  const std::vector<TensorView*>& globals() const;

  bool hasReduction() const;
  bool hasScan() const;
  bool hasScatter() const;
  bool hasLibraryCall() const;
  bool hasLookup() const;
  // The first one; null for none.
  ScatterOp* scatter() const;
  // Whether a dimension of size 1 stands for dimensions of different sizes: the loops of its tensor
  // can follow one of them only.
  bool hasAmbiguousBroadcast() const;
  // Whether results of reductions are used again along the reduced dimensions.
  bool isPersistent() const;
  // Whether the innermost dimension of what is reduced is reduced itself.
  bool isInnerReduction() const;
  const heuristics::Stages& stages() const;
  // The reduction whose operand has the most dimensions; there is one.
  TensorView* widestReduction() const;
  // The innermost dimensions of a tensor that are contiguous as one in all inputs and outputs,
  // innermost first.
  const std::vector<const IterDomain*>& innerDomains(TensorView* reference) const;

  // Of whole fusions: the output that the others are computed beside, and the inputs that lie
  // across it.
  TensorView* widestOutput() const;
  const heuristics::Crossing& crossing() const;

  // Why schedulers of element-wise operations, and of reductions, reject it: what `find` says when
  // first asked.
  using FindProblem = std::string (*)(const FusionSummary&);
  const std::string& pointwiseProblem(FindProblem find) const;
  const std::string& reductionProblem(FindProblem find) const;

 private:
  Fusion* fusion_;
  std::vector<Expr*> exprs_;
  bool isWhole_ = false;
  mutable std::optional<DomainClasses> classes_;
  mutable std::optional<bool> hasAmbiguousBroadcast_;
  mutable std::optional<bool> isPersistent_;
  mutable std::optional<bool> isInnerReduction_;
  mutable std::optional<std::vector<TensorView*>> globals_;
  mutable std::optional<heuristics::Stages> stages_;
  mutable std::unordered_map<const TensorView*, std::vector<const IterDomain*>> innerDomains_;
  mutable std::optional<heuristics::Crossing> crossing_;
  mutable std::optional<std::string> pointwiseProblem_;
  mutable std::optional<std::string> reductionProblem_;
};

}  // namespace nvfuser
