#include "runtime/permutations.h"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/passes.h"
#include "ir/views.h"
#include "ops/tensor_builder.h"
#include "ops/view.h"

namespace nvfuser {

namespace {

// The permutation that an expression is, null for anything else and for one with an order of
// memory.
const LoadStoreOp* permutationOf(const Expr* expr) {
  const LoadStoreOp* copy = asPermutation(expr);
  return copy != nullptr && !copy->out()->domain()->hasAllocation() ? copy : nullptr;
}

// Lets a tensor that is computed element by element be computed as an output that is equal to it.
void computeAs(Fusion* fusion, TensorView* tv, TensorView* output) {
  const std::vector<IterDomain*>& logical = output->logical();
  output->setDomain(fusion->create<TensorDomain>(std::vector<IterDomain*>{}, logical,
                                                 std::vector<IterDomain*>{}, logical,
                                                 TensorDomain::fullContiguity(logical, true)));
  fusion->moveDefinition(tv, output);
  fusion->replaceUses(tv, output);
}

// What is computed for a permutation alone.
class PermutedOperands {
 public:
  explicit PermutedOperands(const LoadStoreOp* permutation) : places_(permutation->places()) {
    collect(permutation->in(), permutation);
  }

  // Whether something else reads an input that is permuted, too.
  bool areRead() const {
    return std::ranges::any_of(inputs_, [&](const TensorView* input) {
      return std::ranges::any_of(input->uses(),
                                 [&](const Expr* use) { return !computed_.contains(use); });
    });
  }

  TensorView* permute(TensorView* tv) { return permute(tv, places_); }

 private:
  void collect(const TensorView* tv, const Expr* use) {
    const Expr* expr = tv->definition();
    if (expr == nullptr) {
      if (std::ranges::count_if(tv->visible(),
                                [](const IterDomain* id) { return !id->isBroadcast(); }) > 1) {
        inputs_.insert(tv);
      }
      return;
    }
    const bool isOnlyFor = std::ranges::all_of(
        tv->uses(), [&](const Expr* other) { return other == use || computed_.contains(other); });
    if (!isOnlyFor || tv->isFusionOutput() || !isMoved(expr) || !computed_.insert(expr).second) {
      return;
    }
    for (const Val* in : expr->inputs()) {
      if (in->isTensor()) {
        collect(in->asTensor(), expr);
      }
    }
  }

  static bool isMoved(const Expr* expr) {
    const size_t rank = expr->output(0)->asTensor()->visible().size();
    return expr->is<BroadcastOp>() ||
           (isElementwise(expr) && std::ranges::all_of(expr->inputs(), [&](const Val* in) {
              return !in->isTensor() || in->asTensor()->visible().size() == rank;
            }));
  }

  TensorView* permute(TensorView* tv, const std::vector<int64_t>& places) {
    if (std::ranges::is_sorted(places)) {
      return tv;
    }
    if (const auto known = permuted_.find({tv, places}); known != permuted_.end()) {
      return known->second;
    }
    const Expr* expr = tv->definition();
    TensorView* result = nullptr;
    if (expr == nullptr || !computed_.contains(expr)) {
      result = ops::permute(tv, places);
    } else if (const auto* broadcast = expr->as<BroadcastOp>()) {
      std::vector<bool> flags;
      std::vector<int64_t> ofOperand;
      for (const int64_t place : places) {
        const auto dim = static_cast<size_t>(place);
        flags.push_back(broadcast->isBroadcastDim(dim));
        if (!flags.back()) {
          ofOperand.push_back(static_cast<int64_t>(dimOfOperand(broadcast, dim)));
        }
      }
      result = ops::broadcast(permute(broadcast->in(), ofOperand), flags);
    } else {
      std::vector<Val*> inputs;
      for (Val* in : expr->inputs()) {
        inputs.push_back(in->isTensor() ? permute(in->asTensor(), places) : in);
      }
      const std::vector<IterDomain*> dims = ops::cloneVisible(tv);
      std::vector<IterDomain*> logical;
      for (const int64_t place : places) {
        logical.push_back(dims[static_cast<size_t>(place)]);
      }
      result = ops::newTensor(tv->fusion(), std::move(logical), tv->dtype());
      computeLike(expr, result, inputs);
    }
    return permuted_[{tv, places}] = result;
  }

  std::vector<int64_t> places_;
  std::unordered_set<const Expr*> computed_;
  std::unordered_set<const TensorView*> inputs_;
  std::map<std::pair<const TensorView*, std::vector<int64_t>>, TensorView*> permuted_;
};

}  // namespace

void composePermutations(Fusion* fusion) {
  const FusionGuard guard(fusion);
  bool isChanged = false;
  for (Expr* expr : fusion->tensorExprs()) {
    const LoadStoreOp* permutation = permutationOf(expr);
    const LoadStoreOp* above =
        permutation == nullptr ? nullptr : permutationOf(permutation->in()->definition());
    if (above == nullptr) {
      continue;
    }
    std::vector<int64_t> order;
    const std::vector<int64_t> places = above->places();
    for (const int64_t place : permutation->places()) {
      order.push_back(places[static_cast<size_t>(place)]);
    }
    TensorView* out = permutation->out();
    TensorView* source = above->in();
    const Expr* definition = source->definition();
    const bool isElementwise = definition != nullptr &&
                               (definition->is<UnaryOp>() || definition->is<BinaryOp>()) &&
                               !source->isFusionOutput() && !source->domain()->hasAllocation();
    if (out->isFusionOutput() && !(std::ranges::is_sorted(order) && isElementwise)) {
      continue;
    }
    fusion->removeExpr(expr);
    if (out->isFusionOutput()) {
      computeAs(fusion, source, out);
    } else {
      // What tells its operands apart by which tensor they are has two.
      const bool isRead = std::ranges::any_of(out->uses(), [&](const Expr* use) {
        return std::ranges::find(use->inputs(), source) != use->inputs().end();
      });
      fusion->replaceUses(
          out, std::ranges::is_sorted(order) && !isRead ? source : ops::permute(source, order));
    }
    isChanged = true;
  }
  if (isChanged) {
    eliminateDeadCode(fusion);
  }
}

void permuteOperands(Fusion* fusion) {
  const FusionGuard guard(fusion);
  bool isChanged = false;
  for (const Expr* expr : fusion->tensorExprs()) {
    const LoadStoreOp* permutation = permutationOf(expr);
    if (permutation == nullptr || permutation->out()->isFusionOutput() ||
        permutation->in()->isFusionInput()) {
      continue;
    }
    PermutedOperands operands(permutation);
    if (operands.areRead()) {
      fusion->replaceUses(permutation->out(), operands.permute(permutation->in()));
      isChanged = true;
    }
  }
  if (isChanged) {
    eliminateDeadCode(fusion);
  }
}

}  // namespace nvfuser
