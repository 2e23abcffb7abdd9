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

template <typename T>
bool contains(const std::vector<Expr*>& exprs) {
  return std::ranges::any_of(exprs, [](const Expr* expr) { return expr->is<T>(); });
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

bool FusionSummary::hasReduction() const { return contains<ReductionOp>(exprs_); }
bool FusionSummary::hasScan() const { return heuristics::hasScan(exprs_); }
bool FusionSummary::hasScatter() const { return heuristics::hasScatter(exprs_); }
bool FusionSummary::hasLibraryCall() const { return contains<LibraryOp>(exprs_); }

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

bool FusionSummary::hasLookup() const { return contains<LookupOp>(exprs_); }
ScatterOp* FusionSummary::scatter() const { return heuristics::scatterAmong(exprs_); }

const heuristics::Stages& FusionSummary::stages() const {
  return remembered(stages_, [&] { return heuristics::computeStages(exprs_, classes()); });
}

TensorView* FusionSummary::widestReduction() const {
  return heuristics::widestReduction(heuristics::reductionsOf(exprs_));
}

const std::vector<const IterDomain*>& FusionSummary::innerDomains(TensorView* reference) const {
  const auto [entry, isNew] = innerDomains_.try_emplace(reference);
  std::vector<const IterDomain*>& domains = entry->second;
  if (!isNew) {
    return domains;
  }
  const std::vector<IterDomain*> loops = reference->loop();
  heuristics::orderLikeMemory(reference, classes());
  const std::vector<bool> mergeable = heuristics::mergeableLoops(reference, classes());
  for (int64_t i = reference->nLoops() - 1; i >= 0; --i) {
    const IterDomain* id = reference->axis(i);
    const bool joins = i + 1 == reference->nLoops() ||
                       (id->isReduction() == reference->axis(i + 1)->isReduction() &&
                        mergeable[static_cast<size_t>(i)]);
    if (!joins) {
      break;
    }
    domains.push_back(id);
  }
  reference->domain()->setLoop(loops);
  return domains;
}

TensorView* FusionSummary::widestOutput() const {
  return heuristics::widestOutput(fusion_->outputTensors());
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
