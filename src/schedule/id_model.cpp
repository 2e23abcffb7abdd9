#include "schedule/id_model.h"

#include <algorithm>
#include <functional>

#include "core/error.h"
#include "ir/logical_map.h"
#include "ir/scalar.h"

namespace nvfuser {

void DisjointValSets::add(const Val* val) {
  if (numbers_.try_emplace(val, vals_.size()).second) {
    vals_.push_back(val);
    sets_.add();
  }
}

const Val* DisjointValSets::representative(const Val* val) const {
  return vals_[sets_.find(numbers_.at(val))];
}

bool DisjointValSets::join(const Val* a, const Val* b) {
  return sets_.join(numbers_.at(a), numbers_.at(b));
}

bool DisjointValSets::strictAreMapped(const Val* a, const Val* b) const {
  for (const Val* val : {a, b}) {
    NVF_CHECK(contains(val), "strict_are_mapped: ", val->toString(), " is in no set");
  }
  return representative(a) == representative(b);
}

std::string DisjointValSets::toString() const {
  std::map<int64_t, std::string> sets;
  for (const Val* val : vals_) {
    std::string& text = sets[representative(val)->index()];
    text += (text.empty() ? "" : "; ") + val->toString();
  }
  std::string result = "disjoint sets{\n";
  for (const auto& [first, members] : sets) {
    result += "  { " + members + " }\n";
  }
  return result + "}\n";
}

ValGraph::ValGraph(const Fusion& fusion) {
  for (const TensorView* tv : fusion.tensors()) {
    const TensorDomain* domain = tv->domain();
    for (const auto* domains : {&domain->root(), &domain->logical(), &domain->loop()}) {
      std::ranges::for_each(*domains, [&](const IterDomain* id) { sets_.add(id); });
    }
    for (const Expr* transform : transformsBetween(tv->maybeRoot(), tv->logical())) {
      transforms_.push_back(transform);
    }
    for (const Expr* transform : transformsBetween(tv->logical(), tv->loop())) {
      transforms_.push_back(transform);
    }
  }
  for (const Expr* transform : transforms_) {
    for (const auto* side : {&transform->inputs(), &transform->outputs()}) {
      std::ranges::for_each(*side, [&](const Val* id) { sets_.add(id); });
    }
  }
}

void ValGraph::mapVals(const Val* a, const Val* b) {
  for (const Val* val : {a, b}) {
    NVF_CHECK(sets_.contains(val), "map_vals: ", val->toString(), " is no domain of the fusion");
  }
  if (sets_.join(a, b)) {
    propagate();
  }
}

namespace {

bool areAlike(const Expr* a, const Expr* b) {
  return a->kind() == b->kind() && a->attributes() == b->attributes() &&
         a->inputs().size() == b->inputs().size() && a->operands().size() == b->operands().size() &&
         std::equal(a->operands().begin(), a->operands().end(), b->operands().begin(),
                    scalar::same);
}

}  // namespace

void ValGraph::propagate() {
  // Of a product the factors are known if one of them is.
  const auto divideAlike = [](const Expr* a, const Expr* b) {
    const auto* merge = a->as<Merge>();
    return merge == nullptr ||
           scalar::same(merge->inner()->extent(), b->as<Merge>()->inner()->extent());
  };
  const auto always = [](const Expr*, const Expr*) { return true; };
  while (join(&Expr::inputs, &Expr::outputs, always) ||
         join(&Expr::outputs, &Expr::inputs, divideAlike)) {
  }
}

bool ValGraph::join(Side known, Side implied,
                    const std::function<bool(const Expr*, const Expr*)>& decides) {
  bool joined = false;
  std::map<std::vector<const Val*>, std::vector<const Expr*>> ofKnown;
  for (const Expr* transform : transforms_) {
    std::vector<const Val*> key;
    for (const Val* val : (transform->*known)()) {
      key.push_back(sets_.representative(val));
    }
    std::vector<const Expr*>& others = ofKnown[key];
    const auto same = std::ranges::find_if(others, [&](const Expr* other) {
      return areAlike(transform, other) && decides(transform, other);
    });
    if (same == others.end()) {
      others.push_back(transform);
      continue;
    }
    const std::vector<Val*>& vals = (transform->*implied)();
    for (size_t i = 0; i < vals.size(); ++i) {
      joined = sets_.join(vals[i], ((*same)->*implied)()[i]) || joined;
    }
  }
  return joined;
}

std::string ValGraph::toString() const {
  std::string text = sets_.toString();
  for (const Expr* transform : transforms_) {
    text += transform->toString();
  }
  return text;
}

IdModel::IdModel(const Fusion& fusion, bool allowsSelfMapping) : fusion_(fusion) {
  if (allowsSelfMapping) {
    return;
  }
  const DisjointValSets& sets = graph(IdMappingMode::Exact)->disjointValSets();
  for (const TensorView* tv : fusion.tensors()) {
    const auto& domains = tv->logical();
    for (size_t i = 0; i < domains.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        NVF_CHECK(!sets.strictAreMapped(domains[i], domains[j]), "Two dimensions of ",
                  tv->toString(), " are mapped with each other: ", domains[j]->toString(), " and ",
                  domains[i]->toString());
      }
    }
  }
}

namespace {

// The domains that an expression maps, by mode.
void joinExpr(const Expr* expr, IdMappingMode mode, const std::function<void(Val*, Val*)>& join) {
  for (Val* out : expr->outputs()) {
    for (Val* in : expr->inputs()) {
      if (!in->isTensor()) {
        continue;
      }
      const TensorView* producer = in->asTensor();
      const TensorView* consumer = out->asTensor();
      if (mode == IdMappingMode::Loop) {
        for (int64_t k = 0; k < producer->computeAt() && k < consumer->nLoops(); ++k) {
          join(producer->axis(k), consumer->axis(k));
        }
        continue;
      }
      for (const auto& [p, c] : pairwiseMap(expr, producer, consumer)) {
        if (mode >= IdMappingMode::Broadcast || p->isBroadcast() == c->isBroadcast()) {
          join(p, c);
        }
      }
      if (mode == IdMappingMode::Permissive) {
        for (const auto& [p, c] : partialMap(expr, producer, consumer)) {
          join(p, c);
        }
      }
    }
  }
}

// What a transform hardly changes.
void joinTransform(const Expr* transform, IdMappingMode mode,
                   const std::function<void(Val*, Val*)>& join) {
  if (mode == IdMappingMode::Exact || mode == IdMappingMode::Loop) {
    return;
  }
  if (const auto* split = transform->as<Split>();
      split != nullptr && split->factor()->isConstInt(1)) {
    join(split->in(), split->innerSplit() ? split->outer() : split->inner());
  } else if (const auto* merge = transform->as<Merge>()) {
    if (merge->inner()->extent()->isConstInt(1)) {
      join(merge->outer(), merge->out());
    } else if (merge->outer()->extent()->isConstInt(1)) {
      join(merge->inner(), merge->out());
    }
  } else if (mode == IdMappingMode::Permissive &&
             (transform->is<Resize>() || transform->is<BroadcastTo>())) {
    join(transform->input(0), transform->output(0));
  }
}

}  // namespace

const std::shared_ptr<ValGraph>& IdModel::graph(IdMappingMode mode) {
  std::shared_ptr<ValGraph>& graph = graphs_[mode];
  if (graph == nullptr) {
    auto made = std::make_shared<ValGraph>(fusion_);
    const auto join = [&](Val* a, Val* b) {
      if (made->sets_.contains(a) && made->sets_.contains(b)) {
        made->sets_.join(a, b);
      }
    };
    for (const Expr* expr : fusion_.tensorExprs()) {
      joinExpr(expr, mode, join);
    }
    for (const Expr* transform : made->transforms_) {
      joinTransform(transform, mode, join);
    }
    if (mode != IdMappingMode::Loop) {
      made->propagate();
    }
    graph = std::move(made);
  }
  return graph;
}

std::string IdModel::toString() const {
  constexpr const char* kNames[] = {"exact", "almost_exact", "broadcast", "permissive", "loop"};
  std::string text = "IdModel{\n";
  for (const auto& [mode, graph] : graphs_) {
    text += std::string(kNames[static_cast<size_t>(mode)]) + ": " + graph->toString();
  }
  return text + "}\n";
}

}  // namespace nvfuser
