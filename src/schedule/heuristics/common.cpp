#include "schedule/heuristics/common.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"
#include "ir/clone.h"
#include "ir/passes.h"
#include "schedule/heuristics/references.h"
#include "schedule/limits.h"

namespace nvfuser::heuristics {

std::set<int64_t> reducedClasses(const std::vector<Expr*>& exprs, const DomainClasses& classes) {
  std::set<int64_t> reduced;
  for (Expr* expr : exprs) {
    if (expr->is<ReductionOp>()) {
      for (IterDomain* id : expr->output(0)->asTensor()->logical()) {
        if (id->isReduction()) {
          reduced.insert(classes.classOf(id));
        }
      }
    }
  }
  return reduced;
}

Stages computeStages(const std::vector<Expr*>& exprs) {
  return computeStages(exprs, DomainClasses(exprs));
}

Stages computeStages(const std::vector<Expr*>& exprs, const DomainClasses& classes) {
  const std::set<int64_t> reduced = reducedClasses(exprs, classes);
  const auto runsAlongReduced = [&](const Expr* expr) {
    return expr->is<ReductionOp>() ||
           std::ranges::any_of(expr->output(0)->asTensor()->logical(), [&](IterDomain* id) {
             return !id->isBroadcast() && reduced.contains(classes.classOf(id));
           });
  };
  Stages stages;
  std::unordered_map<const Expr*, bool> dependsOnReduction;
  for (Expr* expr : exprs) {
    int64_t stage = 0;
    bool depends = expr->is<ReductionOp>();
    for (Val* in : expr->inputs()) {
      Expr* producer = in->isTensor() ? in->definition() : nullptr;
      if (producer == nullptr || !stages.contains(producer)) {
        continue;
      }
      const bool isResult = producer->is<ReductionOp>() ||
                            (dependsOnReduction.at(producer) && !runsAlongReduced(producer));
      stage = std::max(stage, stages.at(producer) + (isResult && runsAlongReduced(expr)));
      depends = depends || dependsOnReduction.at(producer);
    }
    stages[expr] = stage;
    dependsOnReduction[expr] = depends;
  }
  // Later, where only later stages need it.
  for (auto it = exprs.rbegin(); it != exprs.rend(); ++it) {
    const Expr* expr = *it;
    if (expr->is<ReductionOp>() || (dependsOnReduction.at(expr) && !runsAlongReduced(expr)) ||
        expr->output(0)->isFusionOutput()) {
      continue;
    }
    int64_t earliestUse = -1;
    for (const Expr* use : expr->output(0)->uses()) {
      if (stages.contains(use)) {
        earliestUse = earliestUse < 0 ? stages.at(use) : std::min(earliestUse, stages.at(use));
      }
    }
    stages[expr] = std::max(stages.at(expr), earliestUse);
  }
  return stages;
}

int64_t lastStage(const Stages& stages) {
  int64_t last = 0;
  for (const auto& [expr, stage] : stages) {
    last = std::max(last, stage);
  }
  return last;
}

std::map<int64_t, std::vector<Expr*>> usesByStage(const TensorView* tv, const Stages& stages) {
  std::map<int64_t, std::vector<Expr*>> uses;
  for (Expr* use : tv->uses()) {
    if (stages.contains(use)) {
      uses[stages.at(use)].push_back(use);
    }
  }
  return uses;
}

bool isResize(const Expr* expr) { return expr->is<SliceOp>() || expr->is<PadOp>(); }

std::vector<const Expr*> resizesOfReduced(const std::vector<Expr*>& exprs) {
  std::vector<const Expr*> resizes;
  if (std::ranges::none_of(exprs, isResize)) {
    return resizes;
  }
  const std::unordered_set<const Val*> reduced = computedOfReductions(exprs);
  std::ranges::copy_if(exprs, std::back_inserter(resizes), [&](const Expr* expr) {
    return isResize(expr) && reduced.contains(expr->output(0));
  });
  return resizes;
}

namespace {

// The expressions of `exprs` that the operand of `resize` is computed by, if one of them or the
// operand itself is read elsewhere, too: none of them is a reduction, nor computes what has fewer
// dimensions `ofReductions`.
std::vector<Expr*> repeatedFor(const Expr* resize, const std::unordered_set<const Expr*>& exprs,
                               const std::unordered_set<const Val*>& ofReductions) {
  const int64_t rank = concreteRank(resize->input(0)->asTensor());
  std::vector<Expr*> above;
  std::unordered_set<const Expr*> seen{resize};
  std::vector<const Expr*> open{resize};
  while (!open.empty()) {
    const Expr* expr = open.back();
    open.pop_back();
    for (const Val* in : expr->inputs()) {
      Expr* producer = in->isTensor() ? in->definition() : nullptr;
      if (producer == nullptr || !exprs.contains(producer) ||
          (ofReductions.contains(in) && concreteRank(in->asTensor()) < rank)) {
        continue;
      }
      if (seen.insert(producer).second) {
        if (producer->is<ReductionOp>()) {
          return {};
        }
        above.push_back(producer);
        open.push_back(producer);
      }
    }
  }
  const bool isShared = std::ranges::any_of(above, [&](const Expr* expr) {
    const Val* out = expr->output(0);
    return out->isFusionOutput() ||
           std::ranges::any_of(out->uses(), [&](const Expr* use) { return !seen.contains(use); });
  });
  return isShared ? above : std::vector<Expr*>{};
}

}  // namespace

int64_t repeatedForResizes(const std::vector<Expr*>& exprs) {
  // The places that an expression is computed at: that of what reads it, and a new one for each
  // resize of one.
  const std::unordered_set<const Expr*> set(exprs.begin(), exprs.end());
  std::unordered_map<const Expr*, std::set<int64_t>> places;
  int64_t next = 1;
  int64_t repeated = 0;
  for (auto expr = exprs.rbegin(); expr != exprs.rend(); ++expr) {
    std::set<int64_t>& own = places[*expr];
    for (const Val* out : (*expr)->outputs()) {
      // Written to memory for what is elsewhere.
      bool isWritten = out->isFusionOutput() || out->uses().empty();
      for (const Expr* use : out->uses()) {
        if (!set.contains(use)) {
          isWritten = true;
          continue;
        }
        for (const int64_t place : places.at(use)) {
          own.insert(isResize(use) ? next++ : place);
        }
      }
      if (isWritten) {
        own.insert(0);
      }
    }
    repeated += static_cast<int64_t>(own.size()) - 1;
    if (repeated > limits::kRepeatedOps) {
      break;
    }
  }
  return repeated;
}

std::vector<std::pair<TensorView*, TensorView*>> repeatForResizes(Fusion* fusion) {
  std::vector<std::pair<TensorView*, TensorView*>> copies;
  int64_t added = 0;
  for (bool changed = true; changed;) {
    changed = false;
    const std::vector<Expr*> exprs = fusion->tensorExprs();
    const std::unordered_set<const Expr*> set(exprs.begin(), exprs.end());
    const std::unordered_set<const Val*> ofReductions = computedOfReductions(exprs);
    // Consumers first: what is computed for them alone may then be read by one resize only.
    for (auto expr = exprs.rbegin(); expr != exprs.rend() && !changed; ++expr) {
      const std::vector<Expr*> above =
          isResize(*expr) ? repeatedFor(*expr, set, ofReductions) : std::vector<Expr*>{};
      added += static_cast<int64_t>(above.size());
      if (above.empty() || added > limits::kRepeatedOpsScheduled) {
        continue;
      }
      Cloner cloner(fusion, true);
      const std::unordered_set<const Expr*> repeated(above.begin(), above.end());
      for (const Expr* each : above) {
        for (Val* in : each->inputs()) {
          if (in->isTensor() && !repeated.contains(in->definition())) {
            cloner.substitute(in, in);
          }
        }
      }
      Val* in = (*expr)->input(0);
      Val* copy = cloner.clone(in->definition())->output(0);
      for (const Expr* each : above) {
        TensorView* copied = cloner.clone(each)->output(0)->asTensor();
        copies.emplace_back(each->output(0)->asTensor(), copied);
      }
      fusion->replaceInput(*expr, in, copy);
      changed = true;
    }
  }
  return copies;
}

std::vector<Expr*> exprsAbove(const std::vector<Expr*>& exprs) {
  std::vector<Expr*> above;
  std::vector<Expr*> open = exprs;
  std::unordered_set<const Expr*> seen;
  while (!open.empty()) {
    Expr* expr = open.back();
    open.pop_back();
    for (Val* in : expr->inputs()) {
      Expr* definition = in->isTensor() ? in->definition() : nullptr;
      if (definition != nullptr && seen.insert(definition).second) {
        above.push_back(definition);
        open.push_back(definition);
      }
    }
  }
  return above;
}

std::vector<TensorView*> globalTensors(const Fusion* fusion) {
  std::vector<TensorView*> tensors;
  for (Val* input : fusion->inputs()) {
    if (input->isTensor()) {
      tensors.push_back(input->asTensor());
    }
  }
  std::ranges::copy(fusion->outputTensors(), std::back_inserter(tensors));
  return tensors;
}

std::vector<TensorView*> globalTensors(const std::vector<Expr*>& exprs) {
  std::vector<TensorView*> inputs;
  std::vector<TensorView*> outputs;
  for (const Expr* expr : exprs) {
    for (Val* in : expr->inputs()) {
      if (in->isTensor() && in->isFusionInput()) {
        inputs.push_back(in->asTensor());
      }
    }
    for (Val* out : expr->outputs()) {
      if (out->isFusionOutput()) {
        outputs.push_back(out->asTensor());
      }
    }
  }
  std::ranges::sort(inputs, {}, &Val::index);
  inputs.erase(std::ranges::unique(inputs).begin(), inputs.end());
  inputs.insert(inputs.end(), outputs.begin(), outputs.end());
  return inputs;
}

void forkOutputs(Fusion* fusion) {
  for (TensorView* output : fusion->outputTensors()) {
    // Accumulating in registers needs a local result, too.
    const bool isReduced =
        output->definition() != nullptr && output->definition()->is<ReductionOp>();
    if (output->definition() == nullptr || (output->uses().empty() && !isReduced) ||
        scatterOf(output) != nullptr) {
      continue;
    }
    const std::vector<Expr*> uses = output->uses();
    TensorView* local = output->cacheBefore();
    for (Expr* use : uses) {
      fusion->replaceInput(use, output, local);
    }
  }
}

bool keepsIndices(const Val* in, const Expr* use) {
  return !use->output(0)->asTensor()->domain()->hasRoot() && !isLookedUp(in, use);
}

void cacheInputs(Fusion* fusion) {
  const std::vector<Expr*> exprs = fusion->tensorExprs();
  const Stages stages = computeStages(exprs);
  for (Val* input : fusion->inputs()) {
    // What has no loops would be copied by a phase of its own.
    if (!input->isTensor() || concreteRank(input->asTensor()) == 0) {
      continue;
    }
    std::map<int64_t, std::vector<Expr*>> usesOfStage;
    for (Expr* use : input->uses()) {
      if (stages.contains(use) && keepsIndices(input, use)) {
        usesOfStage[stages.at(use)].push_back(use);
      }
    }
    for (const auto& [stage, uses] : usesOfStage) {
      if (uses.size() > 1) {
        input->asTensor()->cacheAfter(LoadStoreOpType::Set, CacheOp::Unspecified, uses);
      }
    }
  }
}

bool isCheap(const Expr* expr) {
  if (const auto* unary = expr->as<UnaryOp>()) {
    return has(unary->type(), OpTraits::Cheap);
  }
  if (const auto* binary = expr->as<BinaryOp>()) {
    return has(binary->type(), OpTraits::Cheap);
  }
  return !expr->is<ReductionOp>() && !expr->is<TernaryOp>() && !expr->is<LookupOp>() &&
         !expr->is<RandomOp>() && !expr->is<ScanOp>() && !expr->is<ScatterOp>();
}

namespace {

// Tensors that a later stage than their own reads along a reduced dimension.
class PersistentTensors {
 public:
  explicit PersistentTensors(Fusion* fusion)
      : exprs_(fusion->tensorExprs()),
        stages_(computeStages(exprs_)),
        classes_(exprs_),
        reduced_(reducedClasses(exprs_, classes_)) {
    for (const Expr* expr : exprs_) {
      const auto isOfReduction = [&](const Val* in) { return ofReductions_.contains(in); };
      if (expr->is<ReductionOp>() || std::ranges::any_of(expr->inputs(), isOfReduction)) {
        ofReductions_.insert(expr->outputs().begin(), expr->outputs().end());
      }
    }
  }

  const std::vector<Expr*>& exprs() const { return exprs_; }
  bool isLive(const Expr* expr) const { return stages_.contains(expr); }
  int64_t stageOf(const Expr* expr) const { return stages_.at(expr); }

  // A computed tensor of an earlier stage that has a reduced dimension.
  bool isPersistent(const TensorView* tv, int64_t stage) const {
    return tv->definition() != nullptr && stages_.contains(tv->definition()) &&
           !tv->definition()->is<ReductionOp>() && stages_.at(tv->definition()) < stage &&
           std::ranges::any_of(
               tv->logical(),
               [&](IterDomain* id) {
                 return !id->isReduction() && !id->isBroadcast() &&
                        reduced_.contains(classes_.classOf(id));
               });
  }

  // A tensor that an earlier stage computes from inputs alone, by no reduction.
  bool isOfInputs(const TensorView* tv, int64_t stage) const {
    const Expr* definition = tv->definition();
    return definition != nullptr && stages_.contains(definition) &&
           stages_.at(definition) < stage && !ofReductions_.contains(tv);
  }

 private:
  std::vector<Expr*> exprs_;
  Stages stages_;
  DomainClasses classes_;
  std::set<int64_t> reduced_;
  std::unordered_set<const Val*> ofReductions_;
};

class Recompute {
 public:
  Recompute(Fusion* fusion, std::optional<int64_t> most, const std::vector<TensorView*>& loads)
      : fusion_(fusion),
        always_(!most),
        most_(most.value_or(0)),
        loads_(loads.begin(), loads.end()),
        persistent_(fusion) {}

  void run() {
    for (Expr* expr : persistent_.exprs()) {
      const int64_t stage = persistent_.stageOf(expr);
      for (Val* in : std::vector<Val*>(expr->inputs())) {
        if (!in->isTensor() || !isRepeated(in->asTensor(), stage)) {
          continue;
        }
        if (always_ || cost(in->asTensor(), stage) <= most_) {
          fusion_->replaceInput(expr, in, again(in->asTensor(), stage));
        }
      }
    }
  }

 private:
  // What was read once is not read again, unless nothing is to be persistent: then stages also have
  // smaller tensors for themselves, such as a statistic that was saved. A phase that computed one
  // would cost a launch.
  bool isRepeated(const TensorView* tv, int64_t stage) const {
    if (loads_.contains(tv)) {
      return false;
    }
    if (always_ && persistent_.isOfInputs(tv, stage)) {
      return true;
    }
    const auto* copy = tv->definition() == nullptr ? nullptr : tv->definition()->as<LoadStoreOp>();
    const bool isInputCopy = copy != nullptr && copy->in()->isFusionInput();
    return persistent_.isPersistent(tv, stage) && (always_ || !isInputCopy);
  }

  int64_t cost(const TensorView* tv, int64_t stage) const {
    if (!isRepeated(tv, stage)) {
      return 0;
    }
    // Threads have other elements of what is cut or extended than of the result.
    const Expr* definition = tv->definition();
    const bool isOfOthers = isResize(definition) || definition->is<CatOp>();
    int64_t total = isCheap(definition) && !isOfOthers ? 1 : most_ + 1;
    for (Val* in : tv->definition()->inputs()) {
      if (in->isTensor() && total <= most_) {
        total += cost(in->asTensor(), stage);
      }
    }
    return total;
  }

  // An operand may have become a copy for its user's own stage by now.
  TensorView* originalOf(Val* val) const {
    const auto original = originals_.find(val->asTensor());
    return original == originals_.end() ? val->asTensor() : original->second;
  }

  // The copy for a stage, of what is repeated there, which may be a long chain.
  TensorView* again(TensorView* tv, int64_t stage) {
    const auto copyOf = [&](TensorView* original) {
      return isRepeated(original, stage) ? copies_[{original, stage}] : original;
    };
    TensorView* result = originalOf(tv);
    std::vector<TensorView*> stack{result};
    while (!stack.empty()) {
      TensorView* original = stack.back();
      if (copyOf(original) != nullptr) {
        stack.pop_back();
        continue;
      }
      Cloner cloner(fusion_, true);
      const size_t depth = stack.size();
      for (Val* in : original->definition()->inputs()) {
        if (!in->isTensor()) {
          continue;
        }
        if (TensorView* copy = copyOf(originalOf(in))) {
          cloner.substitute(in, copy);
        } else {
          stack.push_back(originalOf(in));
        }
      }
      if (stack.size() > depth) {
        continue;
      }
      TensorView* copy = cloner.clone(original->definition())->output(0)->asTensor();
      copy->setRepeated(original);
      originals_[copy] = original;
      copies_[{original, stage}] = copy;
    }
    return copyOf(result);
  }

  Fusion* fusion_;
  bool always_;
  int64_t most_;
  std::unordered_set<const TensorView*> loads_;
  PersistentTensors persistent_;
  std::map<std::pair<TensorView*, int64_t>, TensorView*> copies_;
  std::unordered_map<const TensorView*, TensorView*> originals_;
};

}  // namespace

void recomputeAcrossStages(Fusion* fusion, std::optional<int64_t> most,
                           const std::vector<TensorView*>& loads) {
  Recompute(fusion, most, loads).run();
}

std::vector<TensorView*> neededByLaterStages(Fusion* fusion,
                                             const std::vector<TensorView*>& tensors) {
  const PersistentTensors persistent(fusion);
  std::vector<TensorView*> needed;
  std::ranges::copy_if(tensors, std::back_inserter(needed), [&](const TensorView* tv) {
    return std::ranges::any_of(tv->uses(), [&](const Expr* use) {
      return persistent.isLive(use) && persistent.isPersistent(tv, persistent.stageOf(use));
    });
  });
  return needed;
}

std::vector<TensorView*> bufferForLaterStages(Fusion* fusion) {
  const PersistentTensors persistent(fusion);
  std::vector<TensorView*> copies;
  for (Expr* expr : persistent.exprs()) {
    for (Val* out : expr->outputs()) {
      TensorView* tv = out->asTensor();
      std::vector<Expr*> later;
      for (Expr* use : tv->uses()) {
        if (persistent.isLive(use) && persistent.isPersistent(tv, persistent.stageOf(use))) {
          later.push_back(use);
        }
      }
      const auto live =
          std::ranges::count_if(tv->uses(), [&](Expr* use) { return persistent.isLive(use); });
      if (!later.empty() && static_cast<int64_t>(later.size()) < live) {
        copies.push_back(tv->cacheAfter(LoadStoreOpType::Set, CacheOp::Unspecified, later));
      }
    }
  }
  return copies;
}

const IterDomain* innermostInMemory(const TensorView* tv) {
  const std::vector<IterDomain*>& dims = tv->domain()->maybeAllocation();
  const auto found = std::ranges::find_if(dims.rbegin(), dims.rend(), [](const IterDomain* id) {
    return !id->isReduction() && !id->isBroadcast();
  });
  return found == dims.rend() ? nullptr : *found;
}

namespace {

// How often positions count single steps, along dimensions of their own: not at all, once, or more
// often, which counts as twice. What is `known` is not counted anew, and what takes long to compute
// does not count.
int64_t singleSteps(const Val* position, std::unordered_map<const Val*, int64_t>& known) {
  if (const auto found = known.find(position); found != known.end()) {
    return found->second;
  }
  int64_t steps = 0;
  known[position] = steps;
  const Expr* expr = std::ssize(known) <= limits::kRepeatedOps ? position->definition() : nullptr;
  if (const auto* iota = expr == nullptr ? nullptr : expr->as<IotaOp>()) {
    steps = iota->step()->isConstInt(1) || iota->step()->isConstInt(-1) ? 1 : 0;
  } else if (expr != nullptr &&
             (isElementwise(expr) || expr->is<BroadcastOp>() || expr->is<ReshapeOp>())) {
    for (const Val* in : expr->inputs()) {
      steps += in->isTensor() ? singleSteps(in, known) : 0;
    }
  }
  return known[position] = std::min<int64_t>(steps, 2);
}

}  // namespace

bool areCounted(const TensorView* positions) {
  std::vector<const TensorView*> left{positions};
  std::unordered_set<const TensorView*> seen{positions};
  while (!left.empty()) {
    const Expr* expr = left.back()->definition();
    left.pop_back();
    const bool isOfCounted =
        expr != nullptr && (isElementwise(expr) || expr->is<BroadcastOp>() ||
                            expr->is<SqueezeOp>() || expr->is<ReshapeOp>() || expr->is<IotaOp>());
    if (!isOfCounted || std::ssize(seen) > limits::kRepeatedOps) {
      return false;
    }
    for (const Val* in : expr->inputs()) {
      if (in->isTensor() && seen.insert(in->asTensor()).second) {
        left.push_back(in->asTensor());
      }
    }
  }
  return true;
}

bool looksUpSlices(const TensorView* tv, const Expr* use, const IterDomain* dimension) {
  const auto* lookup = use->as<LookupOp>();
  return isLookedUp(tv, use) && lookup->isOfSlices() &&
         tv->visible()[static_cast<size_t>(lookup->dim())] != dimension;
}

std::vector<TensorView*> readAs(TensorView* tv) {
  std::vector<TensorView*> tensors;
  const IterDomain* innermost = innermostInMemory(tv);
  const bool hasRows = innermost != nullptr && tv->visible().back() == innermost;
  std::unordered_map<const Val*, int64_t> known;
  for (const Expr* use : tv->uses()) {
    const auto* lookup = use->as<LookupOp>();
    if (hasRows && looksUpSlices(tv, use, innermost)) {
      tensors.push_back(lookup->output(0)->asTensor());
      continue;
    }
    // Windows that begin at each element lie along both of their dimensions.
    if (lookup == nullptr || lookup->input(0) != tv ||
        tv->visible()[static_cast<size_t>(lookup->dim())] != innermost ||
        singleSteps(lookup->index(), known) > 1) {
      continue;
    }
    TensorView* result = lookup->output(0)->asTensor();
    while (result->uses().size() == 1 && result->uses().front()->is<ReshapeOp>()) {
      result = result->uses().front()->output(0)->asTensor();
    }
    tensors.push_back(result);
  }
  tensors.push_back(tv);
  return tensors;
}

namespace {

// Where among loops the dimension of a tensor in memory is: where loops that reduce are of its
// pieces, those, outermost first.
std::vector<int64_t> placesOf(const IterDomain* id, const std::vector<IterDomain*>& loops,
                              const DomainClasses& classes) {
  std::vector<int64_t> places;
  // What is only copied keeps the order of what it is made into.
  const bool reduces = std::ranges::any_of(loops, &IterDomain::isReduction);
  if (reduces && classes.find(loops, classes.classOf(id)) < 0) {
    for (const IterDomain* piece : classes.pieces(id)) {
      if (const int64_t place = classes.find(loops, classes.classOf(piece)); place >= 0) {
        places.push_back(place);
      }
    }
  }
  if (places.empty()) {
    if (const int64_t place = classes.findThroughReshapes(loops, id); place >= 0) {
      places.push_back(place);
    }
  }
  return places;
}

// Whether the innermost dimension of a tensor in memory is divided into pieces of a few elements.
bool isInShortPieces(const TensorView* tv, const DomainClasses& classes) {
  const IterDomain* innermost = innermostInMemory(tv);
  const std::vector<const IterDomain*> pieces =
      innermost == nullptr ? std::vector<const IterDomain*>{} : classes.pieces(innermost);
  return pieces.size() > 1 && pieces.back()->extent()->isConstInt() &&
         pieces.back()->extent()->constInt() <= limits::kConstantPart;
}

}  // namespace

std::vector<int64_t> memoryOrder(const TensorView* reference,
                                 const std::vector<TensorView*>& candidates,
                                 const DomainClasses& classes) {
  // The tensor with the most concrete dimensions in common leads.
  const std::vector<IterDomain*>& loops = reference->loop();
  const TensorView* leader = nullptr;
  int64_t most = 0;
  for (const TensorView* tv : candidates) {
    // Rows in short pieces are not read along these: a vector of results would lie far apart.
    const bool arePieces = !isInShortPieces(tv, classes);
    std::set<int64_t> places;
    for (IterDomain* id : tv->visible()) {
      if (!id->isBroadcast()) {
        const std::vector<int64_t> all = placesOf(id, loops, classes);
        const auto first = arePieces || all.empty() ? all.begin() : std::prev(all.end());
        places.insert(first, all.end());
      }
    }
    const auto shared = static_cast<int64_t>(places.size());
    if (shared > most) {
      most = shared;
      leader = tv;
    }
  }
  // What the leader does not have goes outside, the others follow in its memory order.
  std::vector<int64_t> inner;
  std::set<int64_t> taken;
  if (leader != nullptr) {
    for (IterDomain* id : leader->domain()->maybeAllocation()) {
      if (id->isReduction() || id->isBroadcast()) {
        continue;
      }
      for (const int64_t position : placesOf(id, loops, classes)) {
        if (taken.insert(position).second) {
          inner.push_back(position);
        }
      }
    }
  }
  std::vector<int64_t> order;
  for (int64_t i = 0; i < reference->nLoops(); ++i) {
    if (!taken.contains(i)) {
      order.push_back(i);
    }
  }
  order.insert(order.end(), inner.begin(), inner.end());
  return order;
}

void orderLikeMemory(TensorView* reference, const DomainClasses& classes, Leads leads) {
  Fusion* fusion = reference->fusion();
  std::vector<TensorView*> candidates = fusion->outputTensors();
  // What is scattered is written into memory in any case.
  if (reference->isFusionOutput() || scatterOf(reference) != nullptr) {
    candidates.insert(candidates.begin(), reference);
  }
  const auto outputs = static_cast<std::ptrdiff_t>(candidates.size());
  for (Val* input : fusion->inputs()) {
    if (input->isTensor()) {
      std::ranges::copy(readAs(input->asTensor()), std::back_inserter(candidates));
    }
  }
  const auto isReduced = [&](int64_t loop) { return reference->axis(loop)->isReduction(); };
  std::vector<int64_t> order;
  if (leads == Leads::InputsWhereReduced) {
    order = memoryOrder(reference, candidates, classes);
    std::erase_if(order, isReduced);
  }
  if (leads != Leads::Outputs) {
    std::ranges::rotate(candidates, candidates.begin() + outputs);
  }
  std::ranges::copy_if(
      memoryOrder(reference, candidates, classes), std::back_inserter(order),
      [&](int64_t loop) { return leads != Leads::InputsWhereReduced || isReduced(loop); });
  std::unordered_map<int64_t, int64_t> places;
  for (const int64_t position : order) {
    places.emplace(position, static_cast<int64_t>(places.size()));
  }
  reference->reorder(places);
}

namespace {

// The pieces of loops, as far as reshapes divide their dimensions.
struct Pieces {
  // Of all loops, outermost first.
  std::vector<int64_t> classes;
  // Where those of each loop begin, and the end.
  std::vector<size_t> firsts;
  // Whether a piece and the next one are one run of elements in all tensors that have one of them.
  std::vector<bool> joins;

  size_t count(size_t loop) const { return firsts[loop + 1] - firsts[loop]; }
  bool areJoined(size_t first, size_t last) const {
    return std::all_of(joins.begin() + static_cast<std::ptrdiff_t>(first),
                       joins.begin() + static_cast<std::ptrdiff_t>(last), std::identity());
  }
};

std::vector<const IterDomain*> partsOf(const IterDomain* id, const DomainClasses& classes,
                                       LoopsOf kind) {
  return kind == LoopsOf::Pieces ? classes.pieces(id) : std::vector<const IterDomain*>{id};
}

// Where the pieces of a tensor's dimensions lie in memory.
class Memory {
 public:
  Memory(const TensorView* tv, const DomainClasses& classes, LoopsOf kind) {
    const auto& allocation = tv->domain()->maybeAllocation();
    const auto& contiguity = tv->domain()->contiguity();
    for (size_t i = 0; i < allocation.size(); ++i) {
      if (allocation[i]->isReduction() || allocation[i]->isBroadcast()) {
        continue;
      }
      for (const IterDomain* piece : partsOf(allocation[i], classes, kind)) {
        const auto [place, isNew] = places_.try_emplace(classes.classOf(piece), isRun_.size());
        if (!isNew) {
          place->second = std::nullopt;
        }
        isRun_.push_back(true);
      }
      isRun_.back() = contiguity[i].value_or(false);
    }
  }

  bool joins(int64_t outer, int64_t inner) const {
    const auto first = places_.find(outer);
    const auto second = places_.find(inner);
    if (first == places_.end() || second == places_.end()) {
      return first == second;
    }
    return first->second && second->second && *first->second + 1 == *second->second &&
           isRun_[*first->second];
  }

 private:
  // Nothing where a tensor has a class twice.
  std::unordered_map<int64_t, std::optional<size_t>> places_;
  std::vector<bool> isRun_;
};

Pieces piecesOf(const TensorView* reference, const DomainClasses& classes, LoopsOf kind,
                std::vector<TensorView*> tensors) {
  Pieces pieces;
  for (const IterDomain* id : reference->loop()) {
    pieces.firsts.push_back(pieces.classes.size());
    for (const IterDomain* piece : partsOf(id, classes, kind)) {
      pieces.classes.push_back(classes.classOf(piece));
    }
  }
  pieces.firsts.push_back(pieces.classes.size());
  // Results of reductions may be read from memory, too.
  std::vector<std::set<int64_t>> counted;
  for (Expr* expr : reference->fusion()->tensorExprs()) {
    if (expr->is<ReductionOp>()) {
      tensors.push_back(expr->output(0)->asTensor());
    }
    if (auto* iota = expr->as<IotaOp>()) {
      counted.emplace_back();
      for (const IterDomain* piece : partsOf(iota->out()->logical()[0], classes, kind)) {
        counted.back().insert(classes.classOf(piece));
      }
    }
  }
  std::vector<Memory> memories;
  for (const TensorView* tv : tensors) {
    memories.emplace_back(tv, classes, kind);
  }
  const auto isApart = [&](int64_t number) {
    return number < 0 || (kind != LoopsOf::Elements && classes.isResized(number));
  };
  for (size_t i = 0; i + 1 < pieces.classes.size(); ++i) {
    const int64_t outer = pieces.classes[i];
    const int64_t inner = pieces.classes[i + 1];
    // What is cut stays the outer part of one dimension, whose elements are as far apart as before.
    const bool areOfOne = std::ranges::find(pieces.firsts, i + 1) == pieces.firsts.end();
    pieces.joins.push_back(
        outer != inner && (areOfOne || !isApart(outer)) && !isApart(inner) &&
        // What counts is made of the index: dividing the merged one costs more than a loop.
        std::ranges::all_of(counted,
                            [&](const std::set<int64_t>& along) {
                              return along.contains(outer) == along.contains(inner);
                            }) &&
        std::ranges::all_of(memories, [&](const Memory& tv) { return tv.joins(outer, inner); }));
  }
  return pieces;
}

}  // namespace

std::vector<bool> mergeableLoops(const TensorView* reference, const DomainClasses& classes,
                                 LoopsOf kind) {
  return mergeableLoops(reference, classes, kind, globalTensors(reference->fusion()));
}

std::vector<bool> mergeableLoops(const TensorView* reference, const DomainClasses& classes,
                                 LoopsOf kind, const std::vector<TensorView*>& memory) {
  const Pieces pieces = piecesOf(reference, classes, kind, memory);
  std::vector<bool> mergeable;
  for (size_t i = 0; i + 1 < reference->loop().size(); ++i) {
    mergeable.push_back(pieces.areJoined(pieces.firsts[i], pieces.firsts[i + 2] - 1));
  }
  return mergeable;
}

namespace {

// Divides a loop that stands for `id`, whose pieces begin with number `first`, between those that
// are no run of elements. Returns where the pieces of its parts begin.
std::vector<size_t> dividePieces(TensorView* reference, int64_t position, const IterDomain* id,
                                 size_t first, const Pieces& pieces, const DomainClasses& classes) {
  const size_t count = classes.pieces(id).size();
  if (pieces.areJoined(first, first + count - 1)) {
    return {first};
  }
  const Expr* transform = classes.division(id);
  const auto* split = transform->as<Split>();
  const auto& parts = split != nullptr ? transform->outputs() : transform->inputs();
  const auto* outer = static_cast<const IterDomain*>(parts[0]);
  const auto* inner = static_cast<const IterDomain*>(parts[1]);
  if (split != nullptr) {
    reference->split(position, split->factor(), split->innerSplit());
  } else {
    reference->split(position, inner->extent());
  }
  const size_t next = first + classes.pieces(outer).size();
  const auto behind = dividePieces(reference, position + 1, inner, next, pieces, classes);
  auto firsts = dividePieces(reference, position, outer, first, pieces, classes);
  firsts.insert(firsts.end(), behind.begin(), behind.end());
  return firsts;
}

}  // namespace

std::vector<int64_t> makeRuns(TensorView* reference, const DomainClasses& classes) {
  const Pieces pieces =
      piecesOf(reference, classes, LoopsOf::Pieces, globalTensors(reference->fusion()));
  std::vector<size_t> firsts;
  for (int64_t i = reference->nLoops() - 1; i >= 0; --i) {
    const auto own = dividePieces(reference, i, reference->axis(i),
                                  pieces.firsts[static_cast<size_t>(i)], pieces, classes);
    firsts.insert(firsts.begin(), own.begin(), own.end());
  }
  std::vector<int64_t> loops;
  for (size_t i = firsts.size(); i-- > 0;) {
    const size_t end = i + 1 < firsts.size() ? firsts[i + 1] : pieces.classes.size();
    const bool isMerged = i + 1 < firsts.size() && pieces.joins[end - 1];
    if (isMerged) {
      reference->merge(static_cast<int64_t>(i), static_cast<int64_t>(i) + 1);
    } else {
      loops.insert(loops.begin(), pieces.classes[end - 1]);
    }
  }
  return loops;
}

std::vector<int64_t> takeColumns(const TensorView* reference, std::vector<int64_t>& kept,
                                 const DomainClasses& classes, LoopsOf kind) {
  const std::vector<bool> joins = mergeableLoops(reference, classes, kind);
  std::vector<int64_t> columns;
  while (!kept.empty() && (columns.empty() || (kept.back() + 1 == columns.front() &&
                                               joins[static_cast<size_t>(kept.back())]))) {
    columns.insert(columns.begin(), kept.back());
    kept.pop_back();
  }
  return columns;
}

}  // namespace nvfuser::heuristics
