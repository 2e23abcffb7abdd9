// FusionSummary: the facts of a fusion, or of a part of one, that schedulers ask for. Each is
// computed when it is first asked for, and remembered.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
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

  bool hasReduction() const { return kinds().hasReduction; }
  bool hasScan() const { return kinds().scan != nullptr; }
  bool hasScatter() const { return kinds().scatter != nullptr; }
  bool hasLibraryCall() const { return kinds().hasLibraryCall; }
  bool hasLookup() const { return !lookups().empty(); }
  // Whether some expression is a function that takes longer than a few instructions.
  bool evaluatesFunction() const { return kinds().evaluatesFunction; }
  // Whether elements in memory are narrower than those that are computed with.
  bool hasReducedPrecision() const;
  // The first ones; null for none.
  ScanOp* scan() const { return kinds().scan; }
  ScatterOp* scatter() const { return kinds().scatter; }
  // All, in order of definition.
  const std::vector<LookupOp*>& lookups() const { return kinds().lookups; }
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
  const std::vector<const IterDomain*>& innerDomains(
      TensorView* reference, heuristics::LoopsOf kind = heuristics::LoopsOf::Dimensions,
      heuristics::Leads leads = heuristics::Leads::Outputs) const;
  // The same where only these tensors are in memory.
  std::vector<const IterDomain*> innerDomains(TensorView* reference,
                                              const std::vector<TensorView*>& memory,
                                              heuristics::LoopsOf kind) const;

  // The loops of a tensor that is not scheduled yet, in the order of memory, outermost first, and
  // for each but the last whether it can be merged with the next one.
  struct MemoryOrder {
    std::vector<IterDomain*> loops;
    std::vector<bool> mergeable;
  };
  const MemoryOrder& memoryOrder(TensorView* reference) const;

  // Of whole fusions: their tensors, the output that the others are computed beside, and the
  // transposed inputs.
  const std::vector<TensorView*>& inputs() const;
  const std::vector<TensorView*>& outputs() const;
  TensorView* widestOutput() const;
  const heuristics::Crossing& crossing() const;

  // A fact that only one scheduler asks for, as a type of its own: what `find` returns for this
  // summary when it is first asked for.
  template <typename Fact>
  const Fact& fact(Fact (*find)(const FusionSummary&)) const {
    std::shared_ptr<void>& known = facts_[reinterpret_cast<void (*)()>(find)];
    if (known == nullptr) {
      known = std::make_shared<Fact>(find(*this));
    }
    return *static_cast<const Fact*>(known.get());
  }

  // Why schedulers of element-wise operations, and of reductions, reject it: what `find` says when
  // first asked.
  using FindProblem = std::string (*)(const FusionSummary&);
  const std::string& pointwiseProblem(FindProblem find) const;
  const std::string& reductionProblem(FindProblem find) const;

 private:
  struct Kinds {
    bool hasReduction = false;
    bool hasLibraryCall = false;
    bool evaluatesFunction = false;
    ScanOp* scan = nullptr;
    ScatterOp* scatter = nullptr;
    std::vector<LookupOp*> lookups;
  };
  const Kinds& kinds() const;

  Fusion* fusion_;
  std::vector<Expr*> exprs_;
  bool isWhole_ = false;
  mutable std::optional<Kinds> kinds_;
  mutable std::optional<DomainClasses> classes_;
  mutable std::optional<bool> hasAmbiguousBroadcast_;
  mutable std::optional<bool> isPersistent_;
  mutable std::optional<bool> isInnerReduction_;
  mutable std::optional<bool> hasReducedPrecision_;
  mutable std::optional<std::vector<TensorView*>> globals_;
  mutable std::optional<std::vector<TensorView*>> inputs_;
  mutable std::optional<std::vector<TensorView*>> outputs_;
  mutable std::optional<TensorView*> widestReduction_;
  mutable std::optional<TensorView*> widestOutput_;
  mutable std::optional<heuristics::Stages> stages_;
  mutable std::map<std::tuple<const TensorView*, heuristics::LoopsOf, heuristics::Leads>,
                   std::vector<const IterDomain*>>
      innerDomains_;
  mutable std::unordered_map<const TensorView*, MemoryOrder> memoryOrders_;
  mutable std::optional<heuristics::Crossing> crossing_;
  mutable std::unordered_map<void (*)(), std::shared_ptr<void>> facts_;
  mutable std::optional<std::string> pointwiseProblem_;
  mutable std::optional<std::string> reductionProblem_;
};

}  // namespace nvfuser
