#include "schedule/pairs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/clone.h"
#include "ir/logical_map.h"
#include "ir/passes.h"
#include "ops/view.h"
#include "schedule/limits.h"

namespace nvfuser {

namespace {

// For each dimension of a source, its place in a tensor, counted from the innermost; nothing where
// the tensor does not have it.
using Places = std::vector<std::optional<int64_t>>;

// Kernels have the same text in every process.
struct InOrderOfNames {
  bool operator()(const TensorView* a, const TensorView* b) const { return a->name() < b->name(); }
};
using PlacesOf = std::map<TensorView*, Places, InOrderOfNames>;

// Views and casts, which are computed again for each name of what they read.
bool isView(const Expr* expr) {
  if (const auto* copy = expr->as<LoadStoreOp>()) {
    return !copy->isSegmentBoundary();
  }
  if (const auto* unary = expr->as<UnaryOp>()) {
    return unary->type() == UnaryOpType::Cast;
  }
  return expr->is<BroadcastOp>() || expr->is<SqueezeOp>() || expr->is<ExpandOp>() ||
         expr->is<ReshapeOp>() || expr->is<SliceOp>();
}

// Whether a few operations of numbers that are counted are all that a tensor is computed with.
bool isCounted(const Val* val) {
  for (int64_t depth = 0; depth < limits::kFreeOps; ++depth) {
    const Expr* definition = val->definition();
    if (definition == nullptr || definition->is<IotaOp>()) {
      return definition != nullptr;
    }
    const auto isTensor = [](const Val* in) { return in->isTensor(); };
    if (!isElementwise(definition) || std::ranges::count_if(definition->inputs(), isTensor) != 1) {
      return false;
    }
    val = *std::ranges::find_if(definition->inputs(), isTensor);
  }
  return false;
}

// What has one element along a dimension has no loop there.
Places ownPlaces(const TensorView* tv) {
  const std::vector<IterDomain*> dims = tv->visible();
  Places places(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!dims[i]->isBroadcast()) {
      places[i] = static_cast<int64_t>(dims.size() - 1 - i);
    }
  }
  return places;
}

// The places in the result of `expr` of what is at `places` in an operand.
Places behind(const Expr* expr, const TensorView* operand, const Places& places) {
  const TensorView* out = expr->output(0)->asTensor();
  const std::vector<IterDomain*> from = operand->visible();
  const std::vector<IterDomain*>& to = out->logical();
  if (expr->is<SliceOp>()) {
    // A part of a dimension has its loop; of an element there is none.
    Places result = places;
    for (std::optional<int64_t>& place : result) {
      if (place && to[to.size() - 1 - static_cast<size_t>(*place)]->isBroadcast()) {
        place.reset();
      }
    }
    return result;
  }
  const DomainMap map = producerToConsumer(expr, operand, out);
  Places result(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    if (!places[i]) {
      continue;
    }
    const auto mapped = map.find(from[from.size() - 1 - static_cast<size_t>(*places[i])]);
    const auto at = mapped == map.end() ? to.end() : std::ranges::find(to, mapped->second);
    if (at != to.end()) {
      result[i] = to.end() - at - 1;
    }
  }
  return result;
}

bool areApart(const Places& a, const Places& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] && b[i] && *a[i] != *b[i]) {
      return true;
    }
  }
  return false;
}

class Pairs {
 public:
  explicit Pairs(Fusion* fusion) : fusion_(fusion), exprs_(fusion->tensorExprs()) {
    for (const Fusion::Output& output : fusion->outputs()) {
      updated_.insert(output.alias);
    }
  }

  size_t separate() {
    findViews();
    if (tracked_.empty()) {
      return 0;
    }
    for (Expr* expr : exprs_) {
      if (isElementwise(expr)) {
        combine(expr);
      } else if (isView(expr)) {
        follow(expr);
      }
    }
    return names_.size();
  }

 private:
  struct View {
    TensorView* source;
    Places places;
  };

  // What a tensor is a view of: itself, unless it is made by views alone.
  View viewOf(Val* val) const {
    const auto known = views_.find(val);
    return known != views_.end() ? known->second
                                 : View{val->asTensor(), ownPlaces(val->asTensor())};
  }

  // Follows views, and notes which tensors have some whose dimensions are at different places.
  void findViews() {
    std::unordered_map<const TensorView*, Places> firsts;
    for (const Expr* expr : exprs_) {
      for (Val* in : expr->inputs()) {
        if (!in->isTensor()) {
          continue;
        }
        View view = viewOf(in);
        if (isView(expr)) {
          view.places = behind(expr, in->asTensor(), view.places);
          views_[expr->output(0)] = std::move(view);
        } else if (isElementwise(expr) && !updated_.contains(view.source)) {
          const auto [first, isNew] = firsts.try_emplace(view.source, view.places);
          if (!isNew && areApart(first->second, view.places)) {
            tracked_.insert(view.source);
          }
        }
      }
    }
  }

  // The places of tracked tensors in what is computed from them element by element.
  PlacesOf placesIn(Val* val) const {
    const auto known = places_.find(val);
    if (known != places_.end()) {
      return known->second;
    }
    View view = viewOf(val);
    if (tracked_.contains(view.source)) {
      return {{view.source, std::move(view.places)}};
    }
    return {};
  }

  // A view of what is computed has what that is computed from at other places.
  void follow(const Expr* view) {
    const auto known = places_.find(view->input(0));
    if (known == places_.end()) {
      return;
    }
    PlacesOf all;
    for (const auto& [source, places] : known->second) {
      all[source] = behind(view, view->input(0)->asTensor(), places);
    }
    places_[view->output(0)] = std::move(all);
  }

  void combine(Expr* expr) {
    PlacesOf all;
    for (Val* in : std::vector<Val*>(expr->inputs())) {
      if (!in->isTensor()) {
        continue;
      }
      for (const auto& [source, inside] : placesIn(in)) {
        const Places places = behind(expr, in->asTensor(), inside);
        const auto [known, isNew] = all.try_emplace(source, places);
        if (!isNew && areApart(known->second, places)) {
          rename(expr, in, source);
        }
      }
    }
    if (!all.empty()) {
      places_[expr->output(0)] = std::move(all);
    }
  }

  // Lets what an operand is computed from have another name of the source, if it is a view of that,
  // or is read here only.
  void rename(Expr* reader, Val* operand, TensorView* source) {
    while (viewOf(operand).source != source) {
      Expr* definition = operand->definition();
      if (operand->uses().size() > 1 || operand->isFusionOutput() || !isElementwise(definition)) {
        return;
      }
      const auto in = std::ranges::find_if(definition->inputs(), [&](Val* val) {
        return val->isTensor() && placesIn(val).contains(source);
      });
      if (in == definition->inputs().end()) {
        return;
      }
      reader = definition;
      operand = *in;
    }
    if (std::ranges::find(reader->inputs(), operand) != reader->inputs().end()) {
      fusion_->replaceInput(reader, operand, copyOf(operand, nameFor(viewOf(operand))));
    }
  }

  // One for each place that it is read at. Numbers are counted again instead of being read.
  TensorView* nameFor(const View& view) {
    TensorView*& name = names_[{view.source, view.places}];
    if (name == nullptr) {
      name = isCounted(view.source) ? countAgain(view.source)->asTensor()
                                    : ops::segmentSet(view.source)->asTensor();
    }
    return name;
  }

  Val* countAgain(Val* counted) {
    Expr* definition = counted->definition();
    Cloner cloner(fusion_, /*sharesScalars=*/true);
    for (Val* in : definition->inputs()) {
      if (in->isTensor()) {
        cloner.substitute(in, countAgain(in));
      }
    }
    return cloner.clone(definition)->output(0);
  }

  // The same view of `name`.
  Val* copyOf(Val* view, TensorView* name) {
    if (view == viewOf(view).source) {
      return name;
    }
    Expr* definition = view->definition();
    Cloner cloner(fusion_, /*sharesScalars=*/true);
    for (Val* in : definition->inputs()) {
      if (in->isTensor()) {
        cloner.substitute(in, copyOf(in, name));
      }
    }
    return cloner.clone(definition)->output(0);
  }

  Fusion* fusion_;
  std::vector<Expr*> exprs_;
  std::set<const Val*> updated_;
  std::unordered_map<const Val*, View> views_;
  std::set<const TensorView*> tracked_;
  std::unordered_map<const Val*, PlacesOf> places_;
  std::map<std::pair<TensorView*, Places>, TensorView*> names_;
};

}  // namespace

size_t separatePairs(Fusion* fusion) {
  const FusionGuard guard(fusion);
  const size_t names = Pairs(fusion).separate();
  if (names > 0) {
    // Views that have been made again of other names.
    eliminateDeadCode(fusion);
  }
  return names;
}

}  // namespace nvfuser
