// FusionSummary: the facts of a fusion, or of a part of one, that schedulers ask for. Each is found
// out when it is first asked for, and kept.
#pragma once

#include <optional>
#include <vector>

#include "ir/fusion.h"
#include "schedule/domain_classes.h"

namespace nvfuser {

class FusionSummary {
 public:
  // Of a part of a fusion.
  explicit FusionSummary(std::vector<Expr*> exprs)
      : fusion_(exprs.empty() ? nullptr : exprs.front()->fusion()), exprs_(std::move(exprs)) {}
  // Of a whole fusion, which is not scheduled as long as anything is asked.
  explicit FusionSummary(Fusion* fusion) : fusion_(fusion), exprs_(fusion->tensorExprs()) {}
  FusionSummary(const FusionSummary&) = delete;
  FusionSummary& operator=(const FusionSummary&) = delete;

  // Null for no expressions.
  Fusion* fusion() const { return fusion_; }
  const std::vector<Expr*>& exprs() const { return exprs_; }
  const DomainClasses& classes() const;

  bool hasReduction() const;
  bool hasScan() const;
  bool hasScatter() const;
  bool hasLibraryCall() const;
  // Whether a dimension of size 1 stands for dimensions of different sizes: the loops of its tensor
  // can follow one of them only.
  bool hasAmbiguousBroadcast() const;
  // Whether results of reductions are used again along the reduced dimensions.
  bool isPersistent() const;
  // Whether the innermost dimension of what is reduced is reduced itself.
  bool isInnerReduction() const;

 private:
  Fusion* fusion_;
  std::vector<Expr*> exprs_;
  mutable std::optional<DomainClasses> classes_;
  mutable std::optional<bool> hasAmbiguousBroadcast_;
  mutable std::optional<bool> isPersistent_;
  mutable std::optional<bool> isInnerReduction_;
};

}  // namespace nvfuser
