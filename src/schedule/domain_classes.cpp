#include "schedule/domain_classes.h"

#include <algorithm>
#include <array>

#include "ir/logical_map.h"

namespace nvfuser {

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
        if (!in->isTensor()) {
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
}

bool DomainClasses::isResized(int64_t classNumber) const {
  return std::ranges::any_of(
      resized_, [&](const Resized& resized) { return classOf(resized.id) == classNumber; });
}

bool DomainClasses::isResizedByMultiples(int64_t classNumber, int64_t factor,
                                         const std::function<int64_t(const Val*)>& extent) const {
  return std::ranges::all_of(resized_, [&](const Resized& resized) {
    const IterDomain* id = resized.id;
    if (classOf(id) != classNumber) {
      return true;
    }
    const auto* resize = id->definition() == nullptr ? nullptr : id->definition()->as<Resize>();
    if (resize == nullptr) {
      return false;
    }
    const std::array sizes{resize->left(), resize->right(), resize->in()->visibleExtent(),
                           id->visibleExtent()};
    return std::ranges::all_of(sizes, [&](const Val* size) { return extent(size) % factor == 0; });
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
