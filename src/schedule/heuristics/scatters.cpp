#include "schedule/heuristics/scatters.h"

#include <algorithm>
#include <unordered_set>

namespace nvfuser::heuristics {

namespace {

// Adds what `val` is computed from by expressions of the fusion, and itself.
void addAbove(const Val* val, std::unordered_set<const Expr*>& above) {
  Expr* definition = val->definition();
  if (definition != nullptr && above.insert(definition).second) {
    for (const Val* in : definition->inputs()) {
      if (in->isTensor()) {
        addAbove(in, above);
      }
    }
  }
}

void addBelow(const Val* val, std::unordered_set<const Expr*>& below) {
  for (const Expr* use : val->uses()) {
    if (below.insert(use).second) {
      for (const Val* out : use->outputs()) {
        addBelow(out, below);
      }
    }
  }
}

bool keepsDimensions(const Expr* expr, size_t rank) {
  const TensorView* out = expr->output(0)->asTensor();
  const bool isElementwise = expr->is<UnaryOp>() || expr->is<BinaryOp>() || expr->is<TernaryOp>() ||
                             expr->is<LoadStoreOp>() || expr->is<ExpandOp>() || expr->is<FullOp>();
  return isElementwise && !out->domain()->hasRoot() && out->logical().size() == rank;
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
  const size_t rank = scatter->out()->logical().size();
  std::unordered_set<const Expr*> copied;
  std::unordered_set<const Expr*> written;
  addAbove(scatter->in(), copied);
  addAbove(scatter->index(), written);
  addAbove(scatter->src(), written);
  std::unordered_set<const Expr*> behind;
  addBelow(scatter->out(), behind);
  std::unordered_set<const Expr*> related;
  for (const Expr* expr : exprs) {
    if (behind.contains(expr)) {
      addAbove(expr->output(0), related);
    }
  }
  const std::unordered_set<const Expr*> all(exprs.begin(), exprs.end());
  for (const Expr* expr : exprs) {
    if (expr == scatter) {
      continue;
    }
    if (!keepsDimensions(expr, rank)) {
      return "a scatter is combined with element-wise operations of its dimensions only";
    }
    const bool isCopied = copied.contains(expr);
    const bool isWritten = written.contains(expr);
    if (!isCopied && !isWritten && !related.contains(expr)) {
      return "not everything has to do with the scatter";
    }
    const auto leaves = [&](const Expr* use) {
      return all.contains(use) && use != scatter && (isCopied ? copied : written).count(use) == 0;
    };
    if ((isCopied && isWritten) ||
        ((isCopied || isWritten) && std::ranges::any_of(expr->output(0)->uses(), leaves))) {
      return "what a scatter copies, what it writes and what is computed from its result have "
             "tensors in common";
    }
  }
  return "";
}

void copyForScatters(Fusion* fusion) {
  for (Expr* expr : fusion->tensorExprs()) {
    if (auto* scatter = expr->as<ScatterOp>()) {
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
  std::unordered_set<const Expr*> copied;
  std::unordered_set<const Expr*> written{scatter};
  addAbove(scatter->in(), copied);
  addAbove(scatter->index(), written);
  addAbove(scatter->src(), written);
  ScatterParts parts;
  for (const Expr* expr : scatter->fusion()->tensorExprs()) {
    TensorView* tv = expr->output(0)->asTensor();
    if (copied.contains(expr)) {
      parts.copied.push_back(tv);
    } else if (written.contains(expr)) {
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
