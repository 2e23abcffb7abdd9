#include "schedule/domain_classes.h"

#include <algorithm>
#include <array>
#include <map>
#include <ranges>
#include <unordered_set>
#include <utility>

#include "ir/logical_map.h"
#include "ir/scalar.h"
#include "schedule/limits.h"

namespace nvfuser {

bool readsAnotherName(const Expr* expr, const std::vector<Expr*>& exprs) {
  const auto* copy = expr->as<LoadStoreOp>();
  if (copy == nullptr || !copy->isSegmentBoundary()) {
    return false;
  }
  const auto reads = [&](const Expr* other) {
    return other != expr && std::ranges::find(other->inputs(), copy->in()) != other->inputs().end();
  };
  return std::ranges::any_of(exprs, reads) &&
         std::ranges::find(exprs, copy->in()->definition()) == exprs.end();
}

DomainClasses::DomainClasses(const std::vector<Expr*>& exprs) {
  const auto join = [this](const IterDomain* x, const IterDomain* y) {
    classes_.join(node(x), node(y));
  };
  for (Expr* expr : exprs) {
    for (Val* out : expr->outputs()) {
      for (IterDomain* id : out->asTensor()->logical()) {
        node(id);
      }
      for (Val* in : expr->inputs()) {
        if (!in->isTensor() || readsAnotherName(expr, exprs)) {
          continue;
        }
        for (const auto& [p, c] : pairwiseMap(expr, in->asTensor(), out->asTensor())) {
          join(p, c);
        }
        for (const auto& [p, c] : partialMap(expr, in->asTensor(), out->asTensor())) {
          join(p, c);
          resized_.push_back({c, expr});
        }
      }
      for (IterDomain* id : out->asTensor()->logical()) {
        auto* resize = id->definition() == nullptr ? nullptr : id->definition()->as<Resize>();
        if (resize != nullptr) {
          join(resize->in(), id);
          resized_.push_back({id, expr});
        }
      }
    }
  }
  alikeReductions_ = AlikeReductions(
      exprs, [this](const IterDomain* x, const IterDomain* y) { return classOf(x) == classOf(y); });
  for (const auto& [tv, others] : alikeReductions_.all()) {
    for (const TensorView* other : others) {
      for (size_t i = 0; i < tv->maybeRoot().size(); ++i) {
        join(tv->maybeRoot()[i], other->maybeRoot()[i]);
      }
    }
  }
  joinEqualReshapes(exprs);
  for (Expr* expr : exprs) {
    if (expr->is<ReshapeOp>()) {
      addReshapes(expr->output(0)->asTensor());
    }
  }
}

// What the same transforms make of the same dimensions of different tensors is the same, too, and
// so is what they merge into the same ones.
void DomainClasses::joinEqualReshapes(const std::vector<Expr*>& exprs) {
  std::map<std::vector<int64_t>, const Expr*> known;
  std::vector<const Expr*> merges;
  const auto join = [&](const Val* x, const Val* y) {
    classes_.join(node(static_cast<const IterDomain*>(x)), node(static_cast<const IterDomain*>(y)));
  };
  for (const Expr* expr : exprs) {
    if (!expr->is<ReshapeOp>()) {
      continue;
    }
    const TensorView* tv = expr->output(0)->asTensor();
    for (const Expr* transform : transformsBetween(tv->root(), tv->logical())) {
      std::vector<int64_t> key{static_cast<int64_t>(transform->kind())};
      for (const Val* in : transform->inputs()) {
        node(static_cast<const IterDomain*>(in));
        key.push_back(classOf(static_cast<const IterDomain*>(in)));
      }
      const auto& attributes = transform->attributes();
      key.insert(key.end(), attributes.begin(), attributes.end());
      for (const Val* out : transform->outputs()) {
        node(static_cast<const IterDomain*>(out));
      }
      const auto [first, isNew] = known.try_emplace(std::move(key), transform);
      const auto& operands = transform->operands();
      const bool isEqual =
          !isNew && std::ranges::equal(operands, first->second->operands(), scalar::same);
      for (size_t i = 0; isEqual && i < transform->outputs().size(); ++i) {
        join(first->second->output(i), transform->output(i));
      }
      if (transform->is<Merge>()) {
        merges.push_back(transform);
      }
    }
  }
  std::map<int64_t, const Merge*> mergedInto;
  for (const Expr* expr : merges | std::views::reverse) {
    const auto* merge = expr->as<Merge>();
    const Merge* first = mergedInto.try_emplace(classOf(merge->out()), merge).first->second;
    if (first != merge && scalar::same(first->inner()->extent(), merge->inner()->extent())) {
      join(first->outer(), merge->outer());
      join(first->inner(), merge->inner());
    }
  }
}

void DomainClasses::addReshapes(const TensorView* out) {
  const std::vector<Expr*> transforms = transformsBetween(out->root(), out->logical());
  for (const Expr* transform : transforms) {
    for (const std::vector<Val*>* side : {&transform->inputs(), &transform->outputs()}) {
      for (const Val* val : *side) {
        node(static_cast<const IterDomain*>(val));
      }
    }
  }
  const auto link = [&](const IterDomain* from, const IterDomain* to, bool isInnermost) {
    reshaped_[classOf(from)].push_back({to, isInnermost});
  };
  for (const Expr* transform : transforms) {
    if (transform->is<Merge>() || transform->is<Split>()) {
      const Val* whole = transform->is<Merge>() ? transform->output(0) : transform->input(0);
      divisions_.try_emplace(classOf(static_cast<const IterDomain*>(whole)), transform);
    }
    if (const auto* merge = transform->as<Merge>()) {
      link(merge->inner(), merge->out(), true);
      link(merge->outer(), merge->out(), false);
      link(merge->out(), merge->inner(), true);
    } else if (const auto* split = transform->as<Split>()) {
      link(split->in(), split->inner(), true);
      link(split->inner(), split->in(), true);
      link(split->outer(), split->in(), false);
    }
  }
}

std::vector<const IterDomain*> DomainClasses::search(
    const IterDomain* id, bool isInnermost,
    const std::function<bool(const IterDomain*)>& isFound) const {
  // Breadth first; each domain with the place in this list of the one that led to it.
  std::vector<std::pair<const IterDomain*, size_t>> reached{{id, 0}};
  std::unordered_set<int64_t> seen{classOf(id)};
  for (size_t i = 0; i < reached.size(); ++i) {
    if (isFound(reached[i].first)) {
      std::vector<const IterDomain*> way;
      for (size_t at = i; at != 0; at = reached[at].second) {
        way.push_back(reached[at].first);
      }
      way.push_back(id);
      return way;
    }
    const auto links = reshaped_.find(classOf(reached[i].first));
    if (links == reshaped_.end()) {
      continue;
    }
    for (const Reshaped& link : links->second) {
      if ((link.isInnermost || !isInnermost) && seen.insert(classOf(link.to)).second) {
        reached.emplace_back(link.to, i);
      }
    }
  }
  return {};
}

int64_t DomainClasses::findThroughReshapes(const std::vector<IterDomain*>& domains,
                                           const IterDomain* id) const {
  int64_t position = find(domains, classOf(id));
  if (position < 0 && !reshaped_.empty() && classOf(id) >= 0) {
    search(id, false, [&](const IterDomain* reached) {
      position = find(domains, classOf(reached));
      return position >= 0;
    });
  }
  return position;
}

std::vector<const IterDomain*> DomainClasses::alongReshapes(
    const IterDomain* id, const std::vector<int64_t>& classNumbers) const {
  return search(id, true, [&](const IterDomain* reached) {
    const int64_t number = classOf(reached);
    return number >= 0 && std::ranges::find(classNumbers, number) != classNumbers.end();
  });
}

const Expr* DomainClasses::division(const IterDomain* id) const {
  const auto found = divisions_.find(classOf(id));
  if (found == divisions_.end()) {
    return nullptr;
  }
  const Expr* transform = found->second;
  const auto& parts = transform->is<Merge>() ? transform->inputs() : transform->outputs();
  const bool areWhole = std::ranges::all_of(parts, [&](const Val* val) {
    const auto* part = static_cast<const IterDomain*>(val);
    const int64_t number = classOf(part);
    // Elements of the inner part still follow each other where the outer one is cut.
    return !part->isBroadcast() && number != classOf(id) && (val == parts[0] || !isResized(number));
  });
  return areWhole ? transform : nullptr;
}

std::vector<const IterDomain*> DomainClasses::pieces(const IterDomain* id) const {
  std::vector<const IterDomain*> result;
  std::vector<const IterDomain*> stack{id};
  for (int64_t count = 0; !stack.empty(); ++count) {
    if (count > limits::kNestedReshapes) {
      return {id};
    }
    const IterDomain* next = stack.back();
    stack.pop_back();
    const Expr* transform = division(next);
    if (transform == nullptr) {
      result.push_back(next);
      continue;
    }
    const auto& parts = transform->is<Merge>() ? transform->inputs() : transform->outputs();
    for (size_t i = parts.size(); i-- > 0;) {
      stack.push_back(static_cast<const IterDomain*>(parts[i]));
    }
  }
  return result;
}

bool DomainClasses::isResized(int64_t classNumber) const {
  return std::ranges::any_of(
      resized_, [&](const Resized& resized) { return classOf(resized.id) == classNumber; });
}

bool DomainClasses::Resized::isByMultiples(int64_t factor,
                                           const std::function<int64_t(const Val*)>& extent) const {
  const auto* resize = id->definition() == nullptr ? nullptr : id->definition()->as<Resize>();
  if (resize == nullptr) {
    return false;
  }
  const std::array sizes{resize->left(), resize->right(), resize->in()->visibleExtent(),
                         id->visibleExtent()};
  return std::ranges::all_of(sizes, [&](const Val* size) { return extent(size) % factor == 0; });
}

bool DomainClasses::isResizedByMultiples(int64_t classNumber, int64_t factor,
                                         const std::function<int64_t(const Val*)>& extent) const {
  return std::ranges::all_of(resized_, [&](const Resized& resized) {
    return classOf(resized.id) != classNumber || resized.isByMultiples(factor, extent);
  });
}

bool DomainClasses::areViewedByMultiples(const std::vector<int64_t>& classNumbers, int64_t factor,
                                         const std::function<int64_t(const Val*)>& extent) const {
  const auto isApart = [&](const IterDomain* id) {
    return alongReshapes(id, classNumbers).empty();
  };
  return std::ranges::all_of(resized_,
                             [&](const Resized& resized) {
                               return resized.isByMultiples(factor, extent) || isApart(resized.id);
                             }) &&
         std::ranges::all_of(reshaped_, [&](const auto& links) {
           return std::ranges::all_of(links.second, [&](const Reshaped& link) {
             const int64_t size = link.isInnermost ? extent(link.to->visibleExtent()) : 1;
             return size == 1 || size % factor == 0 || isApart(link.to);
           });
         });
}

bool DomainClasses::isCutFromInputs(int64_t classNumber, int64_t factor,
                                    const std::function<int64_t(const Val*)>& extent) const {
  return std::ranges::all_of(resized_, [&](const Resized& resized) {
    return classOf(resized.id) != classNumber ||
           (resized.expr->is<SliceOp>() && resized.expr->input(0)->isFusionInput() &&
            extent(resized.id->visibleExtent()) % factor == 0);
  });
}

size_t DomainClasses::node(const IterDomain* id) {
  const auto [it, isNew] = nodes_.try_emplace(id, classes_.size());
  if (isNew) {
    classes_.add();
  }
  return it->second;
}

int64_t DomainClasses::classOf(const IterDomain* id) const {
  const auto found = nodes_.find(id);
  return found == nodes_.end() ? -1 : static_cast<int64_t>(classes_.find(found->second));
}

int64_t DomainClasses::find(const std::vector<IterDomain*>& domains, int64_t classNumber) const {
  for (size_t i = 0; i < domains.size(); ++i) {
    if (classNumber >= 0 && classOf(domains[i]) == classNumber) {
      return static_cast<int64_t>(i);
    }
  }
  return -1;
}

}  // namespace nvfuser
