#include "schedule/summary.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "ir/logical_map.h"
#include "schedule/heuristics/reductions.h"
#include "schedule/heuristics/scans.h"
#include "schedule/heuristics/scatters.h"
#include "schedule/id_model.h"

namespace nvfuser {

namespace {

bool standsForDifferentSizes(const std::vector<Expr*>& exprs) {
  DisjointValSets same;
  std::vector<std::pair<const IterDomain*, const Val*>> sizes;
  for (const Expr* expr : exprs) {
    for (Val* out : expr->outputs()) {
      for (Val* in : expr->inputs()) {
        if (!in->isTensor() || isLookedUp(in, expr)) {
          continue;
        }
        for (const auto& [from, to] : pairwiseMap(expr, in->asTensor(), out->asTensor())) {
          if (!from->isBroadcast()) {
            continue;
          }
          same.add(from);
          if (to->isIteration()) {
            sizes.emplace_back(from, to->extent());
          } else if (to->isBroadcast()) {
            same.add(to);
            same.join(from, to);
          }
        }
      }
    }
  }
  std::unordered_map<const Val*, const Val*> known;
  return std::ranges::any_of(sizes, [&](const auto& entry) {
    const Val* size =
        known.try_emplace(same.representative(entry.first), entry.second).first->second;
    return size != entry.second && !(size->isConstInt() && entry.second->isConstInt() &&
                                     size->constInt() == entry.second->constInt());
  });
}

// The loops are put into that order and back: the tensor is as it was.
FusionSummary::MemoryOrder orderInMemory(TensorView* reference, const DomainClasses& classes,
                                         heuristics::LoopsOf kind, heuristics::Leads leads,
                                         const std::vector<TensorView*>& memory) {
  const std::vector<IterDomain*> loops = reference->loop();
  heuristics::orderLikeMemory(reference, classes, leads);
  FusionSummary::MemoryOrder order{reference->loop(),
                                   heuristics::mergeableLoops(reference, classes, kind, memory)};
  reference->domain()->setLoop(loops);
  return order;
}

// The innermost loops that can be merged with each other, innermost first.
std::vector<const IterDomain*> innermostRun(const FusionSummary::MemoryOrder& order) {
  const auto& [loops, mergeable] = order;
  std::vector<const IterDomain*> domains;
  for (size_t i = loops.size(); i-- > 0;) {
    const bool joins = i + 1 == loops.size() ||
                       (loops[i]->isReduction() == loops[i + 1]->isReduction() && mergeable[i]);
    if (!joins) {
      break;
    }
    domains.push_back(loops[i]);
  }
  return domains;
}

template <typename T, typename Find>
const T& remembered(std::optional<T>& known, const Find& find) {
  if (!known) {
    known.emplace(find());
  }
  return *known;
}

}  // namespace

const DomainClasses& FusionSummary::classes() const {
  return remembered(classes_, [&] { return DomainClasses(exprs_); });
}

const FusionSummary::Kinds& FusionSummary::kinds() const {
  return remembered(kinds_, [&] {
    Kinds kinds;
    for (Expr* expr : exprs_) {
      kinds.hasReduction = kinds.hasReduction || expr->is<ReductionOp>();
      kinds.hasLibraryCall = kinds.hasLibraryCall || expr->is<LibraryOp>();
      kinds.evaluatesFunction = kinds.evaluatesFunction || nvfuser::evaluatesFunction(expr);
      kinds.scan = kinds.scan == nullptr ? expr->as<ScanOp>() : kinds.scan;
      kinds.scatter = kinds.scatter == nullptr ? expr->as<ScatterOp>() : kinds.scatter;
      if (auto* lookup = expr->as<LookupOp>()) {
        kinds.lookups.push_back(lookup);
      }
    }
    return kinds;
  });
}

bool FusionSummary::hasReducedPrecision() const {
  return remembered(hasReducedPrecision_, [&] {
    return std::ranges::any_of(
        globals(), [](const TensorView* tv) { return isReducedPrecision(tv->dtype()); });
  });
}

bool FusionSummary::hasAmbiguousBroadcast() const {
  return remembered(hasAmbiguousBroadcast_, [&] { return standsForDifferentSizes(exprs_); });
}

bool FusionSummary::isPersistent() const {
  return remembered(isPersistent_, [&] { return heuristics::lastStage(stages()) > 0; });
}

bool FusionSummary::isInnerReduction() const {
  return remembered(isInnerReduction_, [&] {
    const IterDomain* innermost =
        heuristics::innermostDomain(widestReduction(), globals(), classes());
    return innermost == nullptr || innermost->isReduction();
  });
}

const std::vector<TensorView*>& FusionSummary::globals() const {
  return remembered(globals_, [&] {
    return isWhole_ ? heuristics::globalTensors(fusion_) : heuristics::globalTensors(exprs_);
  });
}

const heuristics::Stages& FusionSummary::stages() const {
  return remembered(stages_, [&] { return heuristics::computeStages(exprs_, classes()); });
}

TensorView* FusionSummary::widestReduction() const {
  return remembered(widestReduction_,
                    [&] { return heuristics::widestReduction(heuristics::reductionsOf(exprs_)); });
}

const std::vector<const IterDomain*>& FusionSummary::innerDomains(TensorView* reference,
                                                                  heuristics::LoopsOf kind,
                                                                  heuristics::Leads leads) const {
  const auto [entry, isNew] = innerDomains_.try_emplace({reference, kind, leads});
  if (isNew) {
    entry->second = innermostRun(orderInMemory(reference, classes(), kind, leads,
                                               heuristics::globalTensors(reference->fusion())));
  }
  return entry->second;
}

std::vector<const IterDomain*> FusionSummary::innerDomains(TensorView* reference,
                                                           const std::vector<TensorView*>& memory,
                                                           heuristics::LoopsOf kind) const {
  return innermostRun(
      orderInMemory(reference, classes(), kind, heuristics::Leads::Outputs, memory));
}

const FusionSummary::MemoryOrder& FusionSummary::memoryOrder(TensorView* reference) const {
  const auto [entry, isNew] = memoryOrders_.try_emplace(reference);
  if (isNew) {
    entry->second =
        orderInMemory(reference, classes(), heuristics::LoopsOf::Pieces, heuristics::Leads::Outputs,
                      heuristics::globalTensors(reference->fusion()));
  }
  return entry->second;
}

const std::vector<TensorView*>& FusionSummary::inputs() const {
  return remembered(inputs_, [&] {
    std::vector<TensorView*> tensors;
    for (Val* input : fusion_->inputs()) {
      if (input->isTensor()) {
        tensors.push_back(input->asTensor());
      }
    }
    return tensors;
  });
}

const std::vector<TensorView*>& FusionSummary::outputs() const {
  return remembered(outputs_, [&] { return fusion_->outputTensors(); });
}

TensorView* FusionSummary::widestOutput() const {
  return remembered(widestOutput_, [&] { return heuristics::widestOutput(outputs()); });
}

const heuristics::Crossing& FusionSummary::crossing() const {
  return remembered(crossing_, [&] { return heuristics::findCrossing(widestOutput(), classes()); });
}

const std::string& FusionSummary::pointwiseProblem(FindProblem find) const {
  return remembered(pointwiseProblem_, [&] { return find(*this); });
}

const std::string& FusionSummary::reductionProblem(FindProblem find) const {
  return remembered(reductionProblem_, [&] { return find(*this); });
}

}  // namespace nvfuser
