#include "schedule/heuristics/scatters.h"

#include <algorithm>
#include <ranges>
#include <unordered_set>

#include "device/gpu_features.h"
#include "ops/indexing.h"
#include "ops/promotion.h"

namespace nvfuser::heuristics {

namespace {

using Exprs = std::unordered_set<const Expr*>;

// Those of sorted expressions that compute the tensors, and what these are computed from. Nothing
// else of the fusion is looked at: it may be far larger.
Exprs computing(const std::vector<Expr*>& exprs, std::unordered_set<const Val*> tensors) {
  Exprs found;
  for (const Expr* expr : exprs | std::views::reverse) {
    if (std::ranges::any_of(expr->outputs(),
                            [&](const Val* out) { return tensors.contains(out); })) {
      found.insert(expr);
      tensors.insert(expr->inputs().begin(), expr->inputs().end());
    }
  }
  return found;
}

// The results of those of sorted expressions that are computed from `tv`.
std::unordered_set<const Val*> resultsBehind(const std::vector<Expr*>& exprs, const Val* tv) {
  std::unordered_set<const Val*> results;
  for (const Expr* expr : exprs) {
    if (std::ranges::any_of(expr->inputs(),
                            [&](const Val* in) { return in == tv || results.contains(in); })) {
      results.insert(expr->outputs().begin(), expr->outputs().end());
    }
  }
  return results;
}

// What computes the operand that a scatter writes into, and what computes the others, with what is
// computed from these alone.
struct Operands {
  Exprs copied;
  Exprs written;
};
Operands operandsOf(const ScatterOp* scatter, const std::vector<Expr*>& exprs) {
  Operands operands{computing(exprs, {scatter->in()}),
                    computing(exprs, {scatter->index(), scatter->src()})};
  const Exprs all(exprs.begin(), exprs.end());
  for (const Expr* expr : exprs) {
    const auto isWritten = [&](const Val* in) {
      return in->isTensor() && operands.written.contains(in->definition());
    };
    const auto isThere = [&](const Val* in) {
      return !in->isTensor() || isWritten(in) || !all.contains(in->definition());
    };
    if (expr != scatter && std::ranges::any_of(expr->inputs(), isWritten) &&
        std::ranges::all_of(expr->inputs(), isThere)) {
      operands.written.insert(expr);
    }
  }
  return operands;
}

// Whether an operation is element by element, or a view.
bool isOfElements(const Expr* expr) {
  const bool isElementwise = expr->is<UnaryOp>() || expr->is<BinaryOp>() || expr->is<TernaryOp>() ||
                             expr->is<LoadStoreOp>() || expr->is<ExpandOp>() ||
                             expr->is<BroadcastOp>() || expr->is<SqueezeOp>() ||
                             expr->is<FullOp>() || expr->is<LookupOp>();
  return expr->is<ReshapeOp>() || expr->is<SliceOp>() ||
         (isElementwise && !expr->output(0)->asTensor()->domain()->hasRoot());
}

}  // namespace

ScatterOp* scatterAmong(const std::vector<Expr*>& exprs) {
  const auto scatter =
      std::ranges::find_if(exprs, [](const Expr* expr) { return expr->is<ScatterOp>(); });
  return scatter == exprs.end() ? nullptr : (*scatter)->as<ScatterOp>();
}

bool hasScatter(const std::vector<Expr*>& exprs) { return scatterAmong(exprs) != nullptr; }

std::string scatterMismatch(const std::vector<Expr*>& exprs) {
  const ScatterOp* scatter = scatterAmong(exprs);
  const auto [copied, written] = operandsOf(scatter, exprs);
  const Exprs related = computing(exprs, resultsBehind(exprs, scatter->out()));
  const Exprs all(exprs.begin(), exprs.end());
  for (const Expr* expr : exprs) {
    if (expr == scatter) {
      continue;
    }
    if (!isOfElements(expr)) {
      return "a scatter is combined with element-wise operations and views only";
    }
    const bool isCopied = copied.contains(expr);
    const bool isWritten = written.contains(expr);
    if (!isCopied && !isWritten && !related.contains(expr)) {
      return "not everything has to do with the scatter";
    }
    const Exprs& own = isCopied ? copied : written;
    const auto leaves = [&](const Expr* use) {
      return all.contains(use) && use != scatter && !own.contains(use);
    };
    if ((isCopied && isWritten) ||
        ((isCopied || isWritten) && std::ranges::any_of(expr->output(0)->uses(), leaves))) {
      return "what a scatter copies, what it writes and what is computed from its result have "
             "tensors in common";
    }
  }
  return "";
}

bool hasScatterDimensions(const std::vector<Expr*>& exprs) {
  const ScatterOp* scatter = scatterAmong(exprs);
  const Exprs written = operandsOf(scatter, exprs).written;
  const Exprs needed = computing(exprs, {scatter->index(), scatter->src()});
  return std::ranges::all_of(exprs, [&](const Expr* expr) {
    const size_t rank = expr->output(0)->asTensor()->logical().size();
    return rank == scatter->out()->logical().size() && !expr->is<ReshapeOp>() &&
           !expr->is<SliceOp>() && (needed.contains(expr) || !written.contains(expr));
  });
}

bool writesRows(const ScatterOp* scatter) {
  const std::vector<IterDomain*> positions = scatter->index()->visible();
  const size_t innermost = positions.size() - 1;
  return static_cast<size_t>(scatter->dim()) != innermost && positions[innermost]->isBroadcast() &&
         scatter->isExact(scatter->index(), innermost);
}

bool addsVectorsOf(DataType dtype, const Target& target) {
  return target.capabilities.hasThreads && addsVectors(target.gpu) &&
         (dtype == DataType::Float || dtype == DataType::Half || dtype == DataType::BFloat16);
}

void widenSums(Fusion* fusion, const Target& target) {
  const FusionGuard guard(fusion);
  for (Expr* expr : fusion->tensorExprs()) {
    const auto* scatter = expr->as<ScatterOp>();
    if (scatter == nullptr || !scatter->accumulates()) {
      continue;
    }
    TensorView* sum = scatter->out();
    const DataType dtype = sum->dtype();
    const DataType wide = computeType(dtype);
    if (wide == dtype || (addsVectorsOf(dtype, target) && writesRows(scatter))) {
      continue;
    }
    Val* src = scatter->src()->isTensor() ? ops::convert(scatter->src(), wide) : scatter->src();
    TensorView* widened = ops::scatter(ops::convert(scatter->in(), wide), scatter->index(), src,
                                       scatter->dim(), true);
    // Whose dimensions are as large as those of the result is known.
    const ScatterOp* made = scatterOf(widened);
    TensorView* in = made->in();
    TensorView* index = made->index();
    src = made->src();
    fusion->removeExpr(widened->definition());
    fusion->create<ScatterOp>(widened, in, index, src, scatter->dim(), true, scatter->exactIndex(),
                              scatter->exactSrc());
    TensorView* rounded = ops::convert(widened, dtype);
    if (sum->domain()->hasAllocation()) {
      rounded->followLayout(sum);
    }
    fusion->replaceUses(sum, rounded);
    if (sum->isFusionOutput()) {
      fusion->replaceOutput(sum, rounded);
    }
    fusion->removeExpr(expr);
  }
}

void copyForScatters(Fusion* fusion) {
  for (Expr* expr : fusion->tensorExprs()) {
    if (auto* scatter = expr->as<ScatterOp>(); scatter != nullptr && !updatesOperand(scatter)) {
      const TensorView* in = scatter->in();
      const bool isOwn = in->definition() != nullptr && in->definition()->is<LoadStoreOp>() &&
                         !in->domain()->hasRoot() && !in->isFusionOutput() &&
                         in->uses().size() == 1;
      if (!isOwn) {
        scatter->in()->cacheAfter(LoadStoreOpType::Set, CacheOp::Unspecified, {scatter});
      }
    }
  }
}

ScatterParts partsOf(const ScatterOp* scatter) {
  const std::vector<Expr*> exprs = scatter->fusion()->tensorExprs();
  const auto [copied, written] = operandsOf(scatter, exprs);
  ScatterParts parts;
  for (const Expr* expr : exprs) {
    TensorView* tv = expr->output(0)->asTensor();
    if (copied.contains(expr)) {
      parts.copied.push_back(tv);
    } else if (expr == scatter || written.contains(expr)) {
      parts.written.push_back(tv);
    } else {
      // Joins those that it reads.
      std::vector<TensorView*> joined{tv};
      std::erase_if(parts.behind, [&](const std::vector<TensorView*>& part) {
        const bool isRead = std::ranges::any_of(part, [&](const TensorView* known) {
          return std::ranges::find(expr->inputs(), known) != expr->inputs().end();
        });
        if (isRead) {
          joined.insert(joined.begin(), part.begin(), part.end());
        }
        return isRead;
      });
      parts.behind.push_back(std::move(joined));
    }
  }
  return parts;
}

Stages stagesOf(const ScatterOp* scatter) {
  const ScatterParts parts = partsOf(scatter);
  Stages stages;
  int64_t stage = 0;
  const auto add = [&](const std::vector<TensorView*>& part) {
    for (const TensorView* tv : part) {
      stages[tv->definition()] = stage;
    }
    ++stage;
  };
  add(parts.copied);
  add(parts.written);
  std::ranges::for_each(parts.behind, add);
  return stages;
}

}  // namespace nvfuser::heuristics
