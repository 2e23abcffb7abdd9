#include "schedule/heuristics/reductions.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>

#include "ir/scalar.h"
#include "schedule/id_model.h"
#include "schedule/propagate.h"

namespace nvfuser::heuristics {

std::vector<TensorView*> reductionsOf(const std::vector<Expr*>& exprs) {
  std::vector<TensorView*> tensors;
  for (Expr* expr : exprs) {
    if (expr->is<ReductionOp>()) {
      tensors.push_back(expr->output(0)->asTensor());
    }
  }
  return tensors;
}

TensorView* widestReduction(const std::vector<TensorView*>& reductions) {
  return *std::ranges::max_element(reductions, {}, [](TensorView* tv) {
    const auto concrete =
        std::ranges::count_if(tv->logical(), [](IterDomain* id) { return !id->isBroadcast(); });
    return std::tuple(concrete, -std::ssize(tv->logical()), -tv->name());
  });
}

const TensorView* unrelatedToReductions(const std::vector<Expr*>& exprs) {
  const auto hasLoops = [](const Val* val) {
    return val->isTensor() &&
           std::ranges::any_of(val->asTensor()->logical(), [](const IterDomain* id) {
             return !id->isReduction() && !id->isBroadcast();
           });
  };
  DisjointValSets related;
  for (const Expr* expr : exprs) {
    const Val* out = expr->output(0);
    related.add(out);
    for (const auto* side : {&expr->inputs(), &expr->outputs()}) {
      for (const Val* val : *side) {
        if (hasLoops(val)) {
          related.add(val);
          // What has no dimensions connects nothing with those that read it.
          related.join(out, val);
        }
      }
    }
  }
  std::set<const Val*> reduced;
  for (const TensorView* tv : reductionsOf(exprs)) {
    reduced.insert(related.representative(tv));
  }
  for (const Expr* expr : exprs) {
    const Val* out = expr->output(0);
    if (hasLoops(out) && !reduced.contains(related.representative(out))) {
      return out->asTensor();
    }
  }
  return nullptr;
}

namespace {

// The dimensions that are reduced, and how many elements each has.
std::map<int64_t, const Val*> reducedExtents(const TensorView* reduction,
                                             const DomainClasses& classes) {
  std::map<int64_t, const Val*> extents;
  for (const IterDomain* id : reduction->logical()) {
    if (id->isReduction()) {
      extents.emplace(classes.classOf(id), id->extent());
    }
  }
  return extents;
}

}  // namespace

bool leavesPartsOfRows(const std::vector<const Expr*>& resizes, const TensorView* reduction,
                       const std::vector<Expr*>& exprs, const DomainClasses& classes) {
  const std::map<int64_t, const Val*> rows = reducedExtents(reduction, classes);
  const auto changesKept = [&](const Expr* resize) {
    return std::ranges::any_of(resize->output(0)->asTensor()->logical(), [&](const IterDomain* id) {
      return id->definition() != nullptr && !rows.contains(classes.classOf(id));
    });
  };
  const auto hasRows = [&](const TensorView* tv) {
    return std::ranges::all_of(rows, [&](const auto& row) {
      const int64_t place = classes.find(tv->logical(), row.first);
      const IterDomain* id = place < 0 ? nullptr : tv->logical()[static_cast<size_t>(place)];
      return id != nullptr && !id->isBroadcast() && scalar::same(id->extent(), row.second);
    });
  };
  const std::unordered_set<const Expr*> members(exprs.begin(), exprs.end());
  const auto isLeft = [&](const Val* out) {
    return out->isFusionOutput() || std::ranges::any_of(out->uses(), [&](const Expr* use) {
             return !members.contains(use);
           });
  };
  std::unordered_set<const Val*> computed;
  for (const Expr* resize : resizes) {
    computed.insert(resize->output(0));
  }
  for (const Expr* expr : exprs) {
    const auto isComputed = [&](const Val* in) { return computed.contains(in); };
    const Val* out = expr->output(0);
    if (isComputed(out) || std::ranges::any_of(expr->inputs(), isComputed)) {
      computed.insert(out);
      if (isLeft(out) && !hasRows(out->asTensor())) {
        return true;
      }
    }
  }
  return std::ranges::any_of(resizes, changesKept);
}

const TensorView* partOfReduced(const TensorView* reduction, const std::vector<Expr*>& exprs,
                                const DomainClasses& classes) {
  const std::map<int64_t, const Val*> rows = reducedExtents(reduction, classes);
  for (const Expr* expr : exprs) {
    const auto* lookup = expr->as<LookupOp>();
    if (lookup == nullptr || !lookup->isOfSlices()) {
      continue;
    }
    const auto* out = lookup->output(0)->asTensor();
    const IterDomain* id = out->logical()[static_cast<size_t>(lookup->dim())];
    const auto row = rows.find(classes.classOf(id));
    if (row != rows.end() && !id->isBroadcast() && !scalar::same(id->extent(), row->second)) {
      return out;
    }
  }
  return nullptr;
}

const TensorView* resizedBesideReductions(const std::vector<Expr*>& exprs) {
  const std::unordered_set<const Expr*> members(exprs.begin(), exprs.end());
  const std::vector<const Expr*> after = resizesOfReduced(exprs);
  const std::unordered_set<const Expr*> others(after.begin(), after.end());
  std::unordered_set<const Val*> reduced;
  const TensorView* beside = nullptr;
  for (auto expr = exprs.rbegin(); expr != exprs.rend(); ++expr) {
    const bool isReduced =
        (*expr)->is<ReductionOp>() || std::ranges::any_of((*expr)->outputs(), [&](const Val* out) {
          return reduced.contains(out);
        });
    if (isReduced) {
      reduced.insert((*expr)->inputs().begin(), (*expr)->inputs().end());
    } else if (isResize(*expr) && !others.contains(*expr) &&
               members.contains((*expr)->input(0)->definition())) {
      beside = (*expr)->output(0)->asTensor();
    }
  }
  return beside;
}

std::string expandedMismatch(const std::vector<Expr*>& exprs, const DomainClasses& classes) {
  const TensorView* first = nullptr;
  std::set<int64_t> firstKept;
  for (const TensorView* tv : reductionsOf(exprs)) {
    std::set<int64_t> kept;
    for (IterDomain* id : tv->logical()) {
      if (!id->isReduction() && !id->isBroadcast()) {
        kept.insert(classes.classOf(id));
      }
    }
    if (first == nullptr) {
      first = tv;
      firstKept = std::move(kept);
    } else if (kept != firstKept) {
      return tv->toString() + " and " + first->toString() +
             " do not have the same dimensions: one of them is expanded";
    }
  }
  return {};
}

std::string reductionMismatch(const std::vector<Expr*>& exprs, const DomainClasses& classes) {
  const std::vector<TensorView*> reductions = reductionsOf(exprs);
  if (reductions.empty()) {
    return {};
  }
  // Whose loops the others get.
  const TensorView* reference = widestReduction(reductions);
  const std::set<int64_t> reduced = reducedClasses({reference->definition()}, classes);
  std::set<int64_t> loops;
  for (IterDomain* id : reference->logical()) {
    loops.insert(classes.classOf(id));
  }
  for (const TensorView* tv : reductions) {
    std::set<int64_t> all;
    std::set<int64_t> own;
    for (IterDomain* id : tv->logical()) {
      const int64_t number = classes.classOf(id);
      if (!all.insert(number).second) {
        return "two dimensions of " + tv->toString() + " are one and the same";
      }
      // Dimensions of one element that the reference does not have lie behind its loops.
      if (loops.contains(number) || !id->isBroadcast() || !id->visibleExtent()->isConstInt(1)) {
        own.insert(number);
      }
    }
    if (reducedClasses({tv->definition()}, classes) != reduced) {
      return tv->toString() + " and " + reference->toString() + " reduce different dimensions";
    }
    if (own != loops) {
      // They would not have the same loops.
      return tv->toString() + " and " + reference->toString() + " keep different dimensions";
    }
    for (const IterDomain* id : tv->logical()) {
      const int64_t position = classes.find(reference->logical(), classes.classOf(id));
      if (id->isReduction() &&
          !scalar::same(id->extent(),
                        reference->logical()[static_cast<size_t>(position)]->extent())) {
        return tv->toString() + " and " + reference->toString() +
               " reduce different parts of a dimension";
      }
    }
  }
  // A reduced dimension must not be a part of a kept one in another tensor, or the reverse.
  for (Expr* expr : exprs) {
    if (!expr->is<ReshapeOp>()) {
      continue;
    }
    const TensorView* tv = expr->output(0)->asTensor();
    for (const TensorView* reduction : reductions) {
      for (IterDomain* id : reduction->logical()) {
        const int64_t number = classes.classOf(id);
        const bool isAbove = std::ranges::any_of(tv->root(), [&](IterDomain* root) {
          return !root->uses().empty() && classes.classOf(root) == number &&
                 std::ranges::find(tv->logical(), root) == tv->logical().end();
        });
        if (isAbove) {
          return tv->toString() + " is a reshape of the dimensions of " + reduction->toString();
        }
      }
    }
  }
  return {};
}

const TensorView* widerThanReductions(const std::vector<Expr*>& exprs,
                                      const DomainClasses& classes) {
  // Those that loops run over: what a reduction has one element of is none.
  std::vector<IterDomain*> dimensions;
  for (const TensorView* tv : reductionsOf(exprs)) {
    std::ranges::copy_if(tv->logical(), std::back_inserter(dimensions), [](const IterDomain* id) {
      return !id->isBroadcast() || !id->visibleExtent()->isConstInt(1);
    });
  }
  for (const Expr* expr : exprs) {
    if (readsAnotherName(expr, exprs)) {
      continue;
    }
    const TensorView* tv = expr->output(0)->asTensor();
    const bool isWider = std::ranges::any_of(tv->logical(), [&](const IterDomain* id) {
      return !id->isReduction() && !id->isBroadcast() && !id->extent()->isConstInt(1) &&
             classes.findThroughReshapes(dimensions, id) < 0;
    });
    if (isWider) {
      return tv;
    }
  }
  return nullptr;
}

const IterDomain* innermostDomain(const TensorView* reference,
                                  const std::vector<TensorView*>& globals,
                                  const DomainClasses& classes) {
  const auto loops = reference->logical();
  const IterDomain* innermost = nullptr;
  int64_t most = 0;
  for (TensorView* global : globals) {
    for (const TensorView* tv : readAs(global)) {
      std::set<int64_t> places;
      const IterDomain* last = nullptr;
      for (IterDomain* id : tv->domain()->maybeAllocation()) {
        if (id->isReduction() || id->isBroadcast()) {
          continue;
        }
        const int64_t position = classes.findThroughReshapes(loops, id);
        if (position >= 0) {
          places.insert(position);
          last = loops[static_cast<size_t>(position)];
        }
      }
      const auto shared = static_cast<int64_t>(places.size());
      if (shared > most) {
        most = shared;
        innermost = last;
      }
    }
  }
  if (innermost == nullptr && !loops.empty()) {
    innermost = loops.back();
  }
  return innermost;
}

std::vector<TensorView*> tensorsOfStage(const Stages& stages, int64_t stage) {
  std::vector<TensorView*> tensors;
  for (const auto& [expr, number] : stages) {
    if (number == stage) {
      tensors.push_back(expr->output(0)->asTensor());
    }
  }
  std::ranges::sort(tensors, {}, &Val::name);
  return tensors;
}

std::vector<TensorView*> factorParts(const std::vector<TensorView*>& reductions, int64_t partLoop,
                                     std::vector<TensorView*>& inside) {
  std::vector<TensorView*> partials;
  for (TensorView* tv : reductions) {
    std::vector<int64_t> axes;
    for (int64_t i = 0; i < tv->nLoops(); ++i) {
      if (i != partLoop && tv->axis(i)->isReduction()) {
        axes.push_back(i);
      }
    }
    TensorView* partial = tv->rFactor(axes);
    inside.push_back(partial);
    partials.push_back(partial);
    // The results of one part lie together in memory.
    std::vector<IterDomain*> allocation;
    for (const bool fromReduced : {true, false}) {
      for (IterDomain* id : partial->visible()) {
        if (id->isRFactor() == fromReduced) {
          allocation.push_back(id);
        }
      }
    }
    partial->domain()->setAllocation(allocation, TensorDomain::fullContiguity(allocation, true));
    inside.push_back(partial->cacheBefore());
    propagateTransforms(inside.back(), {partial});
  }
  return partials;
}

}  // namespace nvfuser::heuristics
