#include "runtime/concretize.h"

#include <algorithm>

#include "core/disjoint_sets.h"
#include "core/error.h"
#include "ir/clone.h"
#include "ir/logical_map.h"
#include "ir/passes.h"
#include "ir/reshape_analysis.h"
#include "ir/scalar.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"
#include "ops/library_builder.h"
#include "ops/tensor_builder.h"
#include "runtime/counted_lookups.h"
#include "runtime/early_slices.h"
#include "runtime/known_integers.h"
#include "runtime/known_sizes.h"
#include "runtime/looked_up_operands.h"
#include "runtime/lookups_of_views.h"
#include "runtime/normalized_views.h"
#include "runtime/permutations.h"
#include "runtime/rounded.h"
#include "runtime/views_of_rows.h"
#include "runtime/written_out.h"
#include "schedule/limits.h"
#include "schedule/pairs.h"

namespace nvfuser {

namespace {

int64_t valueOf(ExpressionEvaluator& evaluator, const Val* extent) {
  const PolymorphicValue value = evaluator.evaluate(extent);
  NVF_CHECK(value.is<int64_t>(), "The extent ", extent->toString(),
            " is not determined by the inputs");
  NVF_CHECK(value.as<int64_t>() >= 0, "Invalid resized domain extent ", value.as<int64_t>(), " of ",
            extent->toString());
  return value.as<int64_t>();
}

std::vector<int64_t> sizesOf(ExpressionEvaluator& evaluator,
                             const std::vector<IterDomain*>& domains) {
  std::vector<int64_t> sizes;
  for (const IterDomain* id : domains) {
    sizes.push_back(valueOf(evaluator, id->visibleExtent()));
  }
  return sizes;
}

bool isDynamic(const Expr* expr) {
  return (expr->is<ReshapeOp>() || expr->is<ExpandOp>()) &&
         std::ranges::any_of(expr->output(0)->asTensor()->logical(),
                             [](IterDomain* id) { return id->iterType() == IterType::Symbolic; });
}

// The dimensions that a reshape makes whose sizes are computed and small, but for the outermost of
// those that it divides others into: loops over a constant few elements are no loops.
std::vector<size_t> smallParts(const ReshapeOp* reshape, const std::vector<int64_t>& in,
                               const std::vector<int64_t>& out) {
  std::vector<size_t> parts;
  const std::vector<IterDomain*>& logical = reshape->out()->logical();
  const auto add = [&](size_t part) {
    if (logical[part]->extent()->definition() != nullptr && out[part] <= limits::kConstantPart) {
      parts.push_back(part);
    }
  };
  if (isDynamic(reshape)) {
    for (const ReshapeGroup& group : reshapeGroups(in, out)) {
      for (size_t i = 1; i < group.out.size(); ++i) {
        add(group.out[i]);
      }
    }
    return parts;
  }
  for (size_t i = 0; i < logical.size(); ++i) {
    const Expr* definition = logical[i]->definition();
    const auto* split = definition == nullptr ? nullptr : definition->as<Split>();
    if (split != nullptr && split->innerSplit() && split->inner() == logical[i]) {
      add(i);
    }
  }
  return parts;
}

std::vector<size_t> smallParts(const ReshapeOp* reshape, ExpressionEvaluator& evaluator) {
  return smallParts(reshape, sizesOf(evaluator, reshape->in()->visible()),
                    sizesOf(evaluator, reshape->out()->logical()));
}

// Gives the copy of a reshape constants as these sizes.
void makeConstant(ReshapeOp* copy, size_t part, int64_t size) {
  Fusion* fusion = copy->fusion();
  IterDomain* id = copy->out()->logical()[part];
  Val* extent = scalar::constant(fusion, size);
  id->setExtent(extent);
  if (Expr* definition = id->definition(); definition != nullptr && definition->is<Split>()) {
    const auto* split = definition->as<Split>();
    IterDomain* outer = split->outer();
    IterDomain* whole = split->in();
    fusion->removeExpr(definition);
    fusion->create<Split>(outer, id, whole, extent, true);
  }
}

// The expanded dimensions of all tensors in use.
std::vector<const IterDomain*> expandedDomains(const Fusion& fusion) {
  std::vector<const IterDomain*> domains;
  for (const TensorView* tv : fusion.tensors()) {
    for (const auto* side : {&tv->root(), &tv->logical()}) {
      for (const IterDomain* id : *side) {
        if (id->hasExpandedExtent() && std::ranges::find(domains, id) == domains.end()) {
          domains.push_back(id);
        }
      }
    }
  }
  return domains;
}

void checkSelect(const SelectOp* select, ExpressionEvaluator& evaluator) {
  const PolymorphicValue index = evaluator.evaluate(select->index());
  NVF_CHECK(index.is<int64_t>(), "The index of select, ", select->index()->toString(),
            ", is not determined by the inputs");
  const auto dim = static_cast<size_t>(select->dim());
  const int64_t size = valueOf(evaluator, select->in()->visible()[dim]->visibleExtent());
  NVF_CHECK(index.as<int64_t>() >= -size && index.as<int64_t>() < size,
            "Index out of range: select along dimension ", dim, " of ", select->in()->toString(),
            ", which has size ", size, ", was given the index ", index.as<int64_t>());
}

// Kernels read from start to end: what a user normalized is checked here.
void checkSlice(const SliceOp* slice, ExpressionEvaluator& evaluator) {
  const std::vector<IterDomain*> domains = slice->in()->visible();
  for (size_t i = 0; i < domains.size(); ++i) {
    const int64_t size = valueOf(evaluator, domains[i]->visibleExtent());
    const PolymorphicValue start = evaluator.evaluate(slice->start(i));
    const PolymorphicValue end = evaluator.evaluate(slice->end(i));
    NVF_CHECK(start.is<int64_t>() && end.is<int64_t>(), "The bounds of slice, ",
              slice->start(i)->toString(), " and ", slice->end(i)->toString(),
              ", are not determined by the inputs");
    NVF_CHECK(0 <= start.as<int64_t>() && start.as<int64_t>() <= end.as<int64_t>() &&
                  end.as<int64_t>() <= size,
              "slice with manual_normalization=True: Expected 0 <= start <= end <= size in each "
              "dimension, but dimension ",
              i, " of ", slice->in()->toString(), " has size ", size, " and is sliced from ",
              start.as<int64_t>(), " to ", end.as<int64_t>());
  }
}

// Everything but the indices themselves, which the kernel checks.
void checkLookup(const LookupOp* lookup, ExpressionEvaluator& evaluator) {
  const auto dim = static_cast<size_t>(lookup->dim());
  const std::vector<int64_t> in = sizesOf(evaluator, lookup->in()->visible());
  const std::vector<int64_t> out = sizesOf(evaluator, lookup->out()->visible());
  if (lookup->type() == LookupType::Gather) {
    for (size_t i = 0; i < in.size(); ++i) {
      NVF_CHECK(i == dim || out[i] <= in[i], "gather: Expected sizes to match: dimension ", i,
                " of the index ", lookup->index()->toString(), " is ", out[i],
                ", larger than that of ", lookup->in()->toString(), ", which is ", in[i]);
    }
  }
  NVF_CHECK(in[dim] > 0 || std::ranges::find(out, 0) != out.end(),
            "Index out of range: ", toString(lookup->type()), " along dimension ", dim, " of ",
            lookup->in()->toString(), ", which has size 0");
}

// Likewise.
void checkScatter(const ScatterOp* scatter, ExpressionEvaluator& evaluator) {
  const auto dim = static_cast<size_t>(scatter->dim());
  const std::vector<int64_t> in = sizesOf(evaluator, scatter->in()->visible());
  const std::vector<int64_t> index = sizesOf(evaluator, scatter->index()->visible());
  if (std::ranges::find(index, 0) != index.end()) {
    return;
  }
  const auto requireWithin = [&](const TensorView* tv, size_t i, int64_t size) {
    NVF_CHECK(index[i] <= size, "scatter: Expected sizes to match: dimension ", i, " of the index ",
              scatter->index()->toString(), " is ", index[i], ", larger than that of ",
              tv->toString(), ", which is ", size);
  };
  for (size_t i = 0; i < in.size(); ++i) {
    if (i != dim) {
      requireWithin(scatter->in(), i, in[i]);
    }
  }
  if (scatter->src()->isTensor()) {
    const TensorView* src = scatter->src()->asTensor();
    const std::vector<int64_t> sizes = sizesOf(evaluator, src->visible());
    for (size_t i = 0; i < sizes.size(); ++i) {
      requireWithin(src, i, sizes[i]);
    }
  }
  NVF_CHECK(in[dim] > 0, "Index out of range: scatter along dimension ", dim, " of ",
            scatter->in()->toString(), ", which has size 0");
}

// Whether the index of a gather covers all of the other dimensions in this run: then it is along an
// axis, and both have the same loops.
bool coversOperand(const LookupOp* lookup, ExpressionEvaluator& evaluator) {
  if (lookup->type() != LookupType::Gather) {
    return false;
  }
  const std::vector<IterDomain*> in = lookup->in()->visible();
  const std::vector<IterDomain*> out = lookup->out()->visible();
  for (size_t i = 0; i < in.size(); ++i) {
    if (static_cast<int64_t>(i) != lookup->dim() &&
        valueOf(evaluator, in[i]->visibleExtent()) != valueOf(evaluator, out[i]->visibleExtent())) {
      return false;
    }
  }
  return true;
}

// Makes such a lookup one that maps the dimensions of its operands, where they are of the same
// kinds.
void alignLookup(LookupOp* lookup) {
  const std::vector<IterDomain*> in = lookup->in()->visible();
  const std::vector<IterDomain*> out = lookup->out()->visible();
  for (size_t i = 0; i < in.size(); ++i) {
    if (static_cast<int64_t>(i) != lookup->dim() && in[i]->iterType() != out[i]->iterType()) {
      return;
    }
  }
  Fusion* fusion = lookup->fusion();
  fusion->removeExpr(lookup);
  fusion->create<LookupOp>(LookupType::TakeAlongAxis, lookup->out(), lookup->in(), lookup->index(),
                           lookup->dim());
}

// A bit for each dimension in which an operand of a scatter is as large as the loops over it.
int64_t equalDimensions(const ScatterOp* scatter, const Val* operand,
                        ExpressionEvaluator& evaluator) {
  int64_t equal = 0;
  if (!operand->isTensor()) {
    return equal;
  }
  const std::vector<IterDomain*> from = operand->asTensor()->visible();
  const std::vector<IterDomain*>& to = scatter->out()->root();
  for (size_t i = 0; i < from.size(); ++i) {
    equal |= static_cast<int64_t>(valueOf(evaluator, from[i]->visibleExtent()) ==
                                  valueOf(evaluator, to[i]->visibleExtent()))
             << i;
  }
  return equal;
}

// Those of the dimensions in which an operand broadcasts only where the loops do, or is expanded.
int64_t alikeDimensions(const ScatterOp* scatter, const Val* operand, int64_t equal) {
  const std::vector<IterDomain*>& to = scatter->out()->root();
  for (size_t i = 0; i < to.size() && operand->isTensor(); ++i) {
    const IterDomain* from = operand->asTensor()->visible()[i];
    const bool isAlike = from->iterType() == to[i]->iterType() ||
                         (from->hasExpandedExtent() && to[i]->isIteration());
    equal &= isAlike ? ~int64_t{0} : ~(int64_t{1} << i);
  }
  return equal;
}

// Which dimensions broadcast is known when all symbolic ones are resolved.
void keepAlikeDimensions(Fusion* fusion) {
  for (Expr* expr : fusion->tensorExprs()) {
    auto* scatter = expr->as<ScatterOp>();
    if (scatter == nullptr) {
      continue;
    }
    const int64_t index = alikeDimensions(scatter, scatter->index(), scatter->exactIndex());
    const int64_t src = alikeDimensions(scatter, scatter->src(), scatter->exactSrc());
    if (index != scatter->exactIndex() || src != scatter->exactSrc()) {
      fusion->removeExpr(scatter);
      fusion->create<ScatterOp>(scatter->out(), scatter->in(), scatter->index(), scatter->src(),
                                scatter->dim(), scatter->accumulates(), index, src);
    }
  }
}

// What a chain of reshapes is made of, null for a reshape of something else.
TensorView* sourceOfChain(const ReshapeOp* reshape) {
  const auto above = [](const TensorView* tv) {
    return tv->definition() == nullptr ? nullptr : tv->definition()->as<ReshapeOp>();
  };
  if (above(reshape->in()) == nullptr) {
    return nullptr;
  }
  TensorView* source = nullptr;
  for (const ReshapeOp* at = above(reshape->in()); at != nullptr; at = above(at->in())) {
    source = at->in();
  }
  return std::ranges::any_of(source->visible(), &IterDomain::hasExpandedExtent) ? nullptr : source;
}

// How the result of a chain of reshapes is made of its source at once.
std::vector<ReshapeGroup> chainGroups(const TensorView* source, const ReshapeOp* reshape,
                                      ExpressionEvaluator& evaluator) {
  return reshapeGroups(sizesOf(evaluator, source->visible()),
                       sizesOf(evaluator, reshape->out()->logical()));
}

// Dimensions of size 1 do not broadcast.
void checkCat(const CatOp* cat, ExpressionEvaluator& evaluator) {
  const auto* first = cat->input(0)->asTensor();
  const std::vector<int64_t> expected = sizesOf(evaluator, first->visible());
  for (const Val* input : cat->inputs()) {
    const std::vector<int64_t> sizes = sizesOf(evaluator, input->asTensor()->visible());
    for (size_t i = 0; i < sizes.size(); ++i) {
      NVF_CHECK(sizes[i] == expected[i], "cat: Expected sizes to match in dimension ", i,
                ", but a conflict was found with 2 different sizes: ", expected[i], " of ",
                first->toString(), " and ", sizes[i], " of ", input->toString());
    }
  }
}

}  // namespace

void checkConditions(const Fusion& fusion, ExpressionEvaluator& evaluator) {
  for (Expr* expr : fusion.tensorExprs()) {
    if (auto* reshape = expr->as<ReshapeOp>()) {
      checkReshapeSizes(reshape->in(), sizesOf(evaluator, reshape->in()->visible()),
                        sizesOf(evaluator, reshape->out()->logical()));
    } else if (auto* squeeze = expr->as<SqueezeOp>()) {
      const auto domains = squeeze->in()->visible();
      for (size_t i = 0; i < domains.size(); ++i) {
        NVF_CHECK(!squeeze->isSqueezeDim(i) || domains[i]->isBroadcast() ||
                      valueOf(evaluator, domains[i]->extent()) == 1,
                  "Can not squeeze non-broadcasting dimension(s). Dimension ", i, " of ",
                  squeeze->in()->toString(), " has size ",
                  valueOf(evaluator, domains[i]->extent()));
      }
    } else if (auto* select = expr->as<SelectOp>()) {
      checkSelect(select, evaluator);
    } else if (auto* slice = expr->as<SliceOp>()) {
      checkSlice(slice, evaluator);
    } else if (auto* lookup = expr->as<LookupOp>()) {
      checkLookup(lookup, evaluator);
    } else if (auto* scatter = expr->as<ScatterOp>()) {
      checkScatter(scatter, evaluator);
    } else if (auto* expand = expr->as<ExpandOp>()) {
      checkExpandSizes(expand, sizesOf(evaluator, expand->in()->visible()),
                       sizesOf(evaluator, expand->out()->logical()));
    } else if (auto* cat = expr->as<CatOp>()) {
      checkCat(cat, evaluator);
    }
  }
}

namespace {

void addGroups(ClassKey& key, const std::vector<ReshapeGroup>& groups) {
  for (const ReshapeGroup& group : groups) {
    key.push_back(-1);
    key.insert(key.end(), group.in.begin(), group.in.end());
    key.push_back(-2);
    key.insert(key.end(), group.out.begin(), group.out.end());
  }
}

}  // namespace

ClassKey classKey(const Fusion& fusion, std::span<const Layout> layouts,
                  ExpressionEvaluator& evaluator) {
  ClassKey key;
  for (const Layout& layout : layouts) {
    key.push_back(static_cast<int64_t>(layout.order.size()));
    key.insert(key.end(), layout.order.begin(), layout.order.end());
    key.insert(key.end(), layout.contiguity.begin(), layout.contiguity.end());
  }
  for (const IterDomain* id : expandedDomains(fusion)) {
    key.push_back(valueOf(evaluator, id->expandedExtent()) == 0);
  }
  for (Expr* expr : fusion.tensorExprs()) {
    if (const auto* scatter = expr->as<ScatterOp>()) {
      key.push_back(equalDimensions(scatter, scatter->index(), evaluator));
      key.push_back(equalDimensions(scatter, scatter->src(), evaluator));
    }
    if (const auto* lookup = expr->as<LookupOp>()) {
      key.push_back(coversOperand(lookup, evaluator));
    }
    if (const auto* reshape = expr->as<ReshapeOp>()) {
      for (const size_t part : smallParts(reshape, evaluator)) {
        key.push_back(static_cast<int64_t>(part));
        key.push_back(valueOf(evaluator, reshape->out()->logical()[part]->extent()));
      }
      key.push_back(-5);
      if (const TensorView* source = sourceOfChain(reshape)) {
        addGroups(key, chainGroups(source, reshape, evaluator));
      }
    }
    if (!isDynamic(expr)) {
      continue;
    }
    const auto in = sizesOf(evaluator, expr->input(0)->asTensor()->visible());
    const auto out = sizesOf(evaluator, expr->output(0)->asTensor()->logical());
    if (expr->is<ReshapeOp>()) {
      addGroups(key, reshapeGroups(in, out));
    } else {
      for (size_t i = 0; i < out.size(); ++i) {
        key.push_back(out[i] == 0 ? 2 : in[i] == out[i]);
      }
    }
    key.push_back(-3);
  }
  for (const RunTimeBroadcast& broadcast : runTimeBroadcasts(fusion, evaluator)) {
    key.push_back(broadcast.use->index());
    key.push_back(broadcast.operand->index());
    for (const size_t dim : broadcast.dims) {
      const IterDomain* out = broadcast.use->output(0)->asTensor()->logical()[dim];
      key.push_back(static_cast<int64_t>(dim));
      key.push_back(valueOf(evaluator, out->visibleExtent()) == 0);
    }
    key.push_back(-4);
  }
  return key;
}

namespace {

// Extents that are equal in every run become one symbol (or constant), so that loops over them are
// the same loop.
void unifyExtents(Fusion* fusion) {
  std::vector<std::pair<Val*, Val*>> equal;
  std::vector<Val*> extents;
  for (const ExtentEquality& equality : extentEqualities(*fusion)) {
    if (!equality.broadcasts || !equality.expr->is<ExpandOp>()) {
      equal.emplace_back(equality.a->visibleExtent(), equality.b->visibleExtent());
      extents.insert(extents.end(), {equal.back().first, equal.back().second});
    }
  }
  // A constant is the best representative, then a symbol, then whatever came first.
  std::ranges::sort(extents, {}, [](const Val* v) {
    return std::pair(v->isConst() ? 0 : v->definition() == nullptr ? 1 : 2, v->index());
  });
  std::unordered_map<Val*, size_t> numbers;
  for (size_t i = 0; i < extents.size(); ++i) {
    numbers.try_emplace(extents[i], i);
  }
  DisjointSets sets(extents.size());
  for (const auto& [a, b] : equal) {
    sets.join(numbers.at(a), numbers.at(b));
  }
  const auto find = [&](Val* v) {
    const auto number = numbers.find(v);
    return number == numbers.end() ? v : extents[sets.find(number->second)];
  };
  // Extents of loops are expressions of other extents. What is being unified stands for itself.
  std::unordered_map<Val*, Val*> known;
  const auto compute = [&](Val* extent) {
    auto* binary = extent->definition()->as<BinaryOp>();
    if (binary == nullptr) {
      return extent;
    }
    const auto operand = [&](Val* in) {
      Val* representative = find(in);
      const auto entry = known.find(representative);
      return entry == known.end() ? representative : entry->second;
    };
    Val* lhs = operand(binary->lhs());
    Val* rhs = operand(binary->rhs());
    if (lhs == binary->lhs() && rhs == binary->rhs()) {
      return extent;
    }
    switch (binary->type()) {
      case BinaryOpType::Mul:
        return scalar::mul(lhs, rhs);
      case BinaryOpType::CeilDiv:
        return scalar::ceilDiv(lhs, rhs);
      default:
        return extent;
    }
  };
  const auto unified = [&](Val* extent) {
    Val* representative = find(extent);
    if (equal.empty()) {
      return representative;
    }
    // Values whose operands come next, and those whose operands are done.
    std::vector<std::pair<Val*, bool>> stack{{representative, false}};
    while (!stack.empty()) {
      const auto [val, isReady] = stack.back();
      stack.pop_back();
      if (isReady) {
        known[val] = compute(val);
      } else if (known.try_emplace(val, val).second && val->definition() != nullptr) {
        stack.emplace_back(val, true);
        if (auto* binary = val->definition()->as<BinaryOp>()) {
          stack.emplace_back(find(binary->rhs()), false);
          stack.emplace_back(find(binary->lhs()), false);
        }
      }
    }
    return known.at(representative);
  };
  const std::vector<Val*> vals = fusion->vals();
  for (Val* val : vals) {
    if (val->vtype() == ValType::IterDomain) {
      auto* id = static_cast<IterDomain*>(val);
      id->setExtent(unified(id->extent()));
      if (id->hasExpandedExtent()) {
        id->setExpandedExtent(unified(id->expandedExtent()));
      }
    }
  }
  std::vector<Fusion::Divisibility> divisible = fusion->assumedDivisible();
  for (Fusion::Divisibility& assumed : divisible) {
    assumed.extent = unified(assumed.extent);
  }
  fusion->setAssumedDivisible(std::move(divisible));
  std::vector<Fusion::Bound> bounds = fusion->assumedBounds();
  for (Fusion::Bound& assumed : bounds) {
    assumed.extent = unified(assumed.extent);
  }
  fusion->setAssumedBounds(std::move(bounds));
}

// The structure of reshapes and expands is part of the schedule.
void checkStaticStructure(const Fusion& fusion) {
  for (const TensorView* tv : fusion.tensors()) {
    const bool isDynamic = std::ranges::any_of(
        tv->logical(), [](const IterDomain* id) { return id->iterType() == IterType::Symbolic; });
    NVF_CHECK(!isDynamic || (tv->loop() == tv->logical() && tv->computeAt() == 0), "The loops of ",
              tv->toString(),
              " cannot be scheduled: its dimensions depend on sizes that are only known at run "
              "time. Declare the inputs with static sizes");
  }
}

// Expanded dimensions have no loop: one of size 0 becomes an ordinary dimension, whose loop runs no
// time. What squeezes it has no operand left.
void emptyExpandedDomains(const Fusion& fusion, Fusion* concrete, Cloner& cloner,
                          ExpressionEvaluator& evaluator) {
  std::vector<const IterDomain*> emptied;
  for (const IterDomain* id : expandedDomains(fusion)) {
    if (valueOf(evaluator, id->expandedExtent()) == 0) {
      IterDomain* copy = cloner.clone(id);
      copy->setIterType(IterType::Iteration);
      copy->setExtent(copy->expandedExtent());
      copy->setExpandedExtent(nullptr);
      emptied.push_back(copy);
    }
  }
  if (emptied.empty()) {
    return;
  }
  for (Expr* expr : concrete->tensorExprs()) {
    const auto* squeeze = expr->as<SqueezeOp>();
    if (squeeze == nullptr) {
      continue;
    }
    const auto domains = squeeze->in()->visible();
    for (size_t i = 0; i < domains.size(); ++i) {
      if (squeeze->isSqueezeDim(i) && std::ranges::find(emptied, domains[i]) != emptied.end()) {
        TensorView* out = squeeze->out();
        concrete->removeExpr(expr);
        concrete->create<FullOp>(out, ops::zeroOf(concrete, out->dtype()));
        break;
      }
    }
  }
}

void applyLayout(TensorView* tv, const Layout& layout) {
  const auto logical = tv->visible();
  std::vector<IterDomain*> allocation;
  TensorDomain::Contiguity contiguity;
  for (size_t place = 0; place < logical.size(); ++place) {
    IterDomain* id = logical[static_cast<size_t>(layout.order[place])];
    allocation.push_back(id);
    contiguity.push_back(id->isBroadcast() ? std::nullopt
                                           : std::optional<bool>(layout.contiguity[place]));
  }
  tv->domain()->setAllocation(std::move(allocation), std::move(contiguity));
}

}  // namespace

namespace {

// Gives random operations without a state their part of the run's: an offset each, in the order of
// their definition.
void addRandomState(ConcreteFusion& result) {
  Fusion* fusion = result.fusion.get();
  std::vector<Expr*> stateful = fusion->tensorExprs();
  std::erase_if(stateful, [](const Expr* expr) {
    const auto* random = expr->as<RandomOp>();
    return random == nullptr || !random->isStateful();
  });
  if (stateful.empty()) {
    return;
  }
  std::ranges::sort(stateful, {}, &Expr::index);
  const FusionGuard guard(fusion);
  result.randomSeed = fusion->create<Val>(DataType::Int);
  result.randomOffset = fusion->create<Val>(DataType::Int);
  for (Expr* expr : stateful) {
    auto* random = expr->as<RandomOp>();
    TensorView* out = random->out();
    std::vector<Val*> operands = random->operands();
    operands.push_back(result.randomSeed);
    operands.push_back(ops::binary(BinaryOpType::Add, result.randomOffset,
                                   scalar::constant(fusion, result.randomOps++)));
    const RandomType type = random->type();
    fusion->removeExpr(expr);
    fusion->create<RandomOp>(type, out, std::vector<Val*>{}, std::move(operands));
  }
}

}  // namespace

// Expands what an element-wise operation repeats in this run.
void expandRunTimeBroadcasts(const std::vector<RunTimeBroadcast>& broadcasts, Fusion* concrete,
                             Cloner& cloner, ExpressionEvaluator& evaluator) {
  const FusionGuard guard(concrete);
  for (const RunTimeBroadcast& broadcast : broadcasts) {
    const TensorView* result = broadcast.use->output(0)->asTensor();
    TensorView* operand = cloner.clone(broadcast.operand)->asTensor();
    std::vector<IterDomain*> logical = ops::cloneVisible(operand);
    bool isEmpty = false;
    for (const size_t dim : broadcast.dims) {
      const IterDomain* to = result->logical()[dim];
      isEmpty = isEmpty || valueOf(evaluator, to->visibleExtent()) == 0;
      logical[dim] = ops::newBroadcast(concrete, cloner.clone(to->visibleExtent()));
    }
    std::vector<Val*> extents;
    for (IterDomain*& id : logical) {
      extents.push_back(id->visibleExtent());
      // Has no element, and no loop over those of the operand.
      id = isEmpty ? ops::newDimension(concrete, extents.back()) : id;
    }
    TensorView* expanded = ops::newTensor(concrete, std::move(logical), operand->dtype());
    if (isEmpty) {
      concrete->create<FullOp>(expanded, ops::zeroOf(concrete, expanded->dtype()));
    } else {
      concrete->create<ExpandOp>(expanded, operand, std::move(extents));
    }
    concrete->replaceInput(cloner.clone(broadcast.use), operand, expanded);
  }
}

// Every element of what is expanded is of its own where a scatter writes into it or a scan runs
// along it: each of these elements has a loop that reads it once.
void repeatExpanded(Fusion* fusion) {
  const FusionGuard guard(fusion);
  for (Expr* expr : fusion->tensorExprs()) {
    const auto* scan = expr->as<ScanOp>();
    if (scan == nullptr && !expr->is<ScatterOp>()) {
      continue;
    }
    TensorView* in = expr->input(0)->asTensor();
    std::vector<IterDomain*> logical = in->visible();
    if (scan != nullptr) {
      const auto dim = static_cast<size_t>(scan->dim());
      if (!logical[dim]->hasExpandedExtent()) {
        continue;
      }
      logical = ops::cloneVisible(in);
      logical[dim] = ops::ownDimension(logical[dim]);
    } else if (std::ranges::none_of(logical, &IterDomain::hasExpandedExtent)) {
      continue;
    } else {
      logical = ops::ownDimensions(logical);
    }
    TensorView* copy = ops::newTensor(fusion, std::move(logical), in->dtype());
    fusion->create<LoadStoreOp>(LoadStoreOpType::Set, CacheOp::Unspecified, copy, in);
    fusion->replaceInput(expr, in, copy);
  }
}

// Lets a tensor be made at once of what a chain of reshapes makes it of: the loops of what reads it
// are those over the source, not those of the steps between. Where both have the same sizes, the
// source stands for it.
void composeReshapes(ReshapeOp* reshape, TensorView* source,
                     const std::vector<ReshapeGroup>& groups) {
  TensorView* out = reshape->out();
  const std::vector<IterDomain*> old = out->logical();
  const bool isSame = std::ranges::all_of(groups, [](const ReshapeGroup& group) {
    return group.in.size() == 1 && group.out.size() == 1;
  });
  if (isSame && eliminateReshape(reshape, source)) {
    return;
  }
  const auto isKind = [](const IterDomain* id) {
    return id->isBroadcast() == id->extent()->isConstInt(1) && !id->hasExpandedExtent();
  };
  if (isSame || out->domain()->hasAllocation() || !std::ranges::all_of(old, isKind)) {
    return;
  }
  Fusion* fusion = out->fusion();
  std::vector<IterDomain*> root;
  for (const IterDomain* id : source->visible()) {
    root.push_back(id->cloneWithoutRFactor());
  }
  std::vector<IterDomain*> logical;
  std::vector<Val*> extents;
  for (const IterDomain* id : old) {
    extents.push_back(id->extent());
    logical.push_back(ops::newDimension(fusion, id->extent(), true));
  }
  for (const ReshapeGroup& group : groups) {
    if (group.in.size() == 1 && group.out.size() == 1) {
      logical[group.out[0]] = root[group.in[0]];
    }
  }
  fusion->removeExpr(reshape);
  auto contiguity = TensorDomain::fullContiguity(logical, true);
  out->setDomain(fusion->create<TensorDomain>(root, logical, std::vector<IterDomain*>{}, logical,
                                              std::move(contiguity)));
  attachReshapeTransforms(fusion->create<ReshapeOp>(out, source, std::move(extents)), groups);
}

ConcreteFusion concretize(const Fusion& fusion, std::span<const Layout> layouts,
                          ExpressionEvaluator& evaluator, const Target& target, bool keepsSchedule,
                          const KnownScalars& sizes) {
  ConcreteFusion result;
  const std::vector<RunTimeBroadcast> broadcasts = runTimeBroadcasts(fusion, evaluator);
  if (keepsSchedule) {
    checkStaticStructure(fusion);
    NVF_CHECK(broadcasts.empty(), "The loops of ", broadcasts.front().use->output(0)->toString(),
              " cannot be scheduled: an operand broadcasts in dimension ",
              broadcasts.front().dims.front(),
              ", which has size 1 only in this run. Declare the inputs with static sizes");
  }
  Cloner cloner(nullptr);
  result.fusion = cloneFusion(fusion, &cloner, keepsSchedule, determinedBy(fusion, sizes));
  Fusion* concrete = result.fusion.get();
  for (Expr* expr : concrete->tensorExprs()) {
    if (auto* select = expr->as<SelectOp>()) {
      ops::expandSelect(select);
    }
  }
  addRandomState(result);
  emptyExpandedDomains(fusion, concrete, cloner, evaluator);
  size_t next = 0;
  for (Val* input : concrete->inputs()) {
    if (input->isTensor()) {
      applyLayout(input->asTensor(), layouts[next++]);
    }
  }
  for (Expr* expr : fusion.tensorExprs()) {
    if (const auto* scatter = expr->as<ScatterOp>()) {
      auto* copy = cloner.clone(expr);
      concrete->removeExpr(copy);
      concrete->create<ScatterOp>(copy->output(0), copy->input(0), copy->input(1), copy->input(2),
                                  scatter->dim(), scatter->accumulates(),
                                  equalDimensions(scatter, scatter->index(), evaluator),
                                  equalDimensions(scatter, scatter->src(), evaluator));
      continue;
    }
    if (const auto* reshape = expr->as<ReshapeOp>(); reshape != nullptr && !keepsSchedule) {
      for (const size_t part : smallParts(reshape, evaluator)) {
        makeConstant(cloner.clone(expr)->as<ReshapeOp>(), part,
                     valueOf(evaluator, reshape->out()->logical()[part]->extent()));
      }
    }
    if (!isDynamic(expr)) {
      continue;
    }
    const auto in = sizesOf(evaluator, expr->input(0)->asTensor()->visible());
    const auto out = sizesOf(evaluator, expr->output(0)->asTensor()->logical());
    Expr* copy = cloner.clone(expr);
    if (auto* reshape = copy->as<ReshapeOp>()) {
      attachReshapeTransforms(reshape, in, out);
      continue;
    }
    concretizeExpand(copy->as<ExpandOp>(), in, out);
    if (std::ranges::find(out, 0) != out.end()) {
      // Has no element, and no loop over those of the operand.
      TensorView* expanded = copy->output(0)->asTensor();
      concrete->removeExpr(copy);
      concrete->create<FullOp>(expanded, ops::zeroOf(concrete, expanded->dtype()));
    }
  }
  expandRunTimeBroadcasts(broadcasts, concrete, cloner, evaluator);
  resolveSymbolicDomains(concrete);
  keepAlikeDimensions(concrete);
  if (!keepsSchedule) {
    for (Expr* expr : fusion.tensorExprs()) {
      const auto* reshape = expr->as<ReshapeOp>();
      TensorView* source = reshape == nullptr ? nullptr : sourceOfChain(reshape);
      if (source != nullptr) {
        composeReshapes(cloner.clone(expr)->as<ReshapeOp>(), cloner.clone(source),
                        chainGroups(source, reshape, evaluator));
      }
      const auto* lookup = expr->as<LookupOp>();
      if (lookup != nullptr && coversOperand(lookup, evaluator)) {
        alignLookup(cloner.clone(expr)->as<LookupOp>());
      }
    }
  }
  repeatExpanded(concrete);
  if (!keepsSchedule) {
    sliceEarly(concrete);
    composePermutations(concrete);
    permuteOperands(concrete);
  }
  unifyExtents(concrete);
  InPlaceOf written;
  if (!keepsSchedule) {
    eliminateTrivialViews(concrete);
    if (target.capabilities.hasThreads) {
      eliminateCommonSubexpressions(concrete);
      lookUpOperands(concrete, target);
    }
    if (viewCountedLookups(concrete) > 0) {
      sliceEarly(concrete);
    }
    lookUpSlices(concrete);
    viewRowsFirst(concrete);
    // Each may let the other one move more.
    do {
      computeBehindReshapes(concrete);
    } while (computeBehindLookups(concrete) > 0);
    lookUpOperands(concrete, target);
    lookUpThroughViews(concrete);
    computeInFrontOfReshapes(concrete);
    reduceAlongNormalizedFirst(concrete);
    narrowInFrontOfViews(concrete);
    computeWithoutConversions(concrete);
    written = writeOutShortDimensions(concrete, target);
    if (!written.empty()) {
      sliceEarly(concrete);
    }
    updateByScatters(concrete);
    eliminateCommonSubexpressions(concrete);
    if (target.capabilities.hasThreads) {
      computeRounded(concrete);
    }
    useKnownIntegers(concrete);
    separatePairs(concrete);
  }
  for (const auto& [original, copy] : cloner.vals()) {
    if (original->isScalar()) {
      result.original[copy] = original;
    } else if (original->isTensor()) {
      result.originalTensors[copy] = original;
    }
  }
  for (const auto& [tv, source] : written) {
    if (const auto found = result.originalTensors.find(source);
        found != result.originalTensors.end()) {
      const Val* original = found->second;
      result.originalTensors.try_emplace(tv, original);
    }
  }
  return result;
}

}  // namespace nvfuser
