#include <algorithm>

#include "core/error.h"
#include "ir/logical_map.h"
#include "ir/scalar.h"
#include "lower/index_values.h"
#include "lower/lowering/lowering.h"
#include "ops/elementwise.h"

namespace nvfuser {

void Lowering::lowerInit(Expr* expr, int64_t depth, kir::Block& block) {
  auto* reduction = expr->as<ReductionOp>();
  if (reduction == nullptr || firstReductionLoop(tensorOf(expr)) != depth) {
    return;
  }
  TensorView* tv = tensorOf(expr);
  // Own loops over what the reduction keeps apart inside its reduction loops.
  std::vector<Val*> indices = current_;
  indices.resize(depth);
  kir::Block* target = openOwnLoops(tv, indices, block, [&](const IterDomain* id) {
    return can_.hasThreads && isThreadType(id->parallelType()) ? threadIndex(id->parallelType())
                                                               : nullptr;
  });
  DomainIndices domainIndices(tv, indices);
  kir::Assign init{accumulated(tv, domainIndices), reduction->init()};
  // Memory of the caller must not be written beyond its end.
  Val* condition = init.out.tv->memoryType() == MemoryType::Global
                       ? predicate(tv, domainIndices, true)
                       : nullptr;
  emit({std::move(init)}, condition, *target);
}

void Lowering::emit(kir::Statement statement, Val* condition, kir::Block& block) {
  if (condition == nullptr) {
    block.push_back(std::move(statement));
    return;
  }
  // Statements under the same condition stand together.
  if (!block.empty()) {
    if (auto* last = std::get_if<kir::If>(&block.back().node);
        last != nullptr && last->condition == condition && last->otherwise == nullptr) {
      last->then->push_back(std::move(statement));
      return;
    }
  }
  block.push_back({kir::choiceOf(condition, kir::blockOf(std::move(statement)))});
}

bool Lowering::isCopy(const Expr* expr) {
  return expr->is<LoadStoreOp>() || expr->is<BroadcastOp>() || expr->is<SqueezeOp>() ||
         expr->is<ExpandOp>() || expr->is<ReshapeOp>() || expr->is<SliceOp>();
}

// Whether all elements along the innermost dimension are written into one row.
static bool hasOneRow(const ScatterOp* scatter) {
  const std::vector<IterDomain*> indexed = scatter->index()->visible();
  const size_t innermost = indexed.size() - 1;
  return indexed[innermost]->isBroadcast() && scatter->isExact(scatter->index(), innermost) &&
         static_cast<size_t>(scatter->dim()) != innermost;
}

int64_t Lowering::vectorWidth(Expr* expr, DomainIndices& indices) {
  TensorView* out = tensorOf(expr);
  const auto loop =
      std::ranges::find(out->loop(), ParallelType::Vectorize, &IterDomain::parallelType);
  if (!can_.hasVectorAccesses || loop == out->loop().end()) {
    return 1;
  }
  NVF_SCHEDULE_CHECK(std::all_of(loop + 1, out->loop().end(),
                                 [](const IterDomain* id) { return id->isBroadcast(); }),
                     "Expected the vectorized loop ", (*loop)->toString(), " of ", out->toString(),
                     " to be the innermost one");
  const auto* lookup = expr->as<LookupOp>();
  const auto* scatter = expr->as<ScatterOp>();
  const bool isSum = scatter != nullptr && scatter->accumulates() && scatter->src()->isTensor() &&
                     hasOneRow(scatter);
  NVF_SCHEDULE_CHECK(isCopy(expr) || isSum || (lookup != nullptr && lookup->isOfSlices()),
                     "Only copies can be vectorized, but ", out->toString(), " is the result of ",
                     expr->toString());
  TensorView* operand = (isSum ? scatter->src() : expr->input(0))->asTensor();
  for (TensorView* tv : {out, operand}) {
    NVF_SCHEDULE_CHECK(isContiguousAlong(out, *loop, tv, indices, strides_, kernel_.get()),
                       "The elements of ", tv->toString(), " along the vectorized loop ",
                       (*loop)->toString(), " of ", out->toString(), " are not adjacent in memory");
  }
  return (*loop)->extent()->constInt();
}

void Lowering::lowerAligned(kir::Compute copy, DomainIndices& indices, kir::Block& block) {
  TensorView* out = tensorOf(copy.expr);
  auto* in = copy.expr->input(0)->asTensor();
  const Align* align = alignOf(out);
  if (out->memoryType() == MemoryType::Global || fusion_->isUpdated(in)) {
    // Other threads may write what is of their rows.
    Val* inRow = indices(align->inX());
    copy.first = scalar::sub(fusion_->zero(), inRow);
    copy.end = scalar::sub(align->inX()->extent(), inRow);
  } else if (in->memoryType() != MemoryType::Local && in->memoryType() != MemoryType::Shared) {
    // What is read of a neighbouring row does no harm; behind the last one there is nothing. What a
    // block has itself is made of whole vectors.
    Val* size = fusion_->one();
    for (const IterDomain* id : in->visible()) {
      size = id->isBroadcast() ? size : scalar::mul(size, id->visibleExtent());
    }
    copy.first = fusion_->zero();
    copy.end = scalar::sub(size, std::get<kir::Access>(copy.inputs[0]).index);
  }
  emit({std::move(copy)}, predicate(out, indices, false, true), block);
}

void Lowering::lowerLookup(LookupOp* lookup, const std::vector<Val*>& indices,
                           DomainIndices& domainIndices, kir::Block& block) {
  TensorView* out = lookup->out();
  const kir::Access written{out, elementWritten(out, domainIndices, strides_)};
  if (Val* position = knownPosition(lookup, domainIndices)) {
    const kir::Access read{lookup->in(),
                           elementLookedUp(lookup, position, indices, domainIndices, strides_)};
    emit({kir::Compute{lookup, written, {read}, vectorWidth(lookup, domainIndices)}},
         predicate(out, domainIndices), block);
    return;
  }
  kir::LoadIndex load = loadIndex(lookup, {toString(lookup->type()), lookup->in(), lookup->dim()},
                                  {lookup->index(), elementRead(lookup, lookup->index(), out,
                                                                indices, domainIndices, strides_)});
  const int64_t width = vectorWidth(lookup, domainIndices);
  kir::Statement copy{kir::Compute{
      lookup,
      written,
      {kir::Access{lookup->in(),
                   elementLookedUp(lookup, load.position, indices, domainIndices, strides_)}},
      width}};
  Val* condition = predicate(out, domainIndices);
  Val* isInside = load.isInside;
  const bool isKnown = load.isKnown;
  emit({std::move(load)}, condition, block);
  if (!can_.reportsLookups && !isKnown) {
    kir::If choice = kir::choiceOf(isInside, kir::blockOf(std::move(copy)), {});
    for (int64_t i = 0; i < width; ++i) {
      Val* element = scalar::add(written.index, scalar::constant(fusion_, i));
      choice.otherwise->push_back(
          {kir::Assign{{out, element}, ops::zeroOf(fusion_, out->dtype())}});
    }
    copy = {std::move(choice)};
  }
  emit(std::move(copy), condition, block);
}

void Lowering::lowerScatter(ScatterOp* scatter, const std::vector<Val*>& indices,
                            DomainIndices& domainIndices, kir::Block& block) {
  TensorView* out = scatter->out();
  const auto access = [&](TensorView* tv) {
    return kir::Access{tv, elementRead(scatter, tv, out, indices, domainIndices, strides_)};
  };
  kir::LoadIndex load =
      loadIndex(scatter, {"scatter", out, scatter->dim()}, access(scatter->index()));
  Val* isInside = load.isInside;
  Val* condition = predicate(out, domainIndices);
  // The loops run over all that is copied.
  const std::vector<IterDomain*> indexed = scatter->index()->visible();
  for (size_t i = 0; i < indexed.size(); ++i) {
    if (!scatter->isExact(scatter->index(), i) && out->root()[i] != scatter->indexed()) {
      condition = scalar::logicalAnd(condition, scalar::lt(domainIndices.element(out->root()[i]),
                                                           indexed[i]->visibleExtent()));
    }
  }
  domainIndices.set(scatter->written(), load.position);
  kir::Operand value = scatter->src();
  if (scatter->src()->isTensor()) {
    value = access(scatter->src()->asTensor());
  }
  kir::Compute write{scatter,
                     {out, elementWritten(out, domainIndices, strides_)},
                     {value},
                     vectorWidth(scatter, domainIndices)};
  emit({std::move(load)}, condition, block);
  if (!can_.reportsLookups) {
    emit({kir::choiceOf(isInside, kir::blockOf({std::move(write)}))}, condition, block);
  } else {
    emit({std::move(write)}, condition, block);
  }
}

Val* Lowering::orderThatChooses(const Expr* expr, const std::vector<Val*>& indices) {
  const auto* choice = expr->as<TernaryOp>();
  return choice != nullptr && choice->type() == TernaryOpType::Where && choice->input(0)->isTensor()
             ? comparedIndices(choice->input(0)->asTensor(), indices)
             : nullptr;
}

kir::Statement Lowering::chooseInput(CatOp* cat, size_t first, Val* index,
                                     const kir::Access& written,
                                     const std::vector<kir::Operand>& inputs) {
  kir::Statement copy{kir::Compute{cat, written, {inputs[first]}}};
  if (first + 1 == inputs.size()) {
    return copy;
  }
  Val* isBefore = scalar::lt(index, cat->end(first));
  kir::Statement others = chooseInput(cat, first + 1, index, written, inputs);
  return {kir::choiceOf(isBefore, kir::blockOf(std::move(copy)), kir::blockOf(std::move(others)))};
}

kir::LoadIndex Lowering::loadIndex(Expr* expr, const kir::Lookup& lookup, kir::Access index) {
  kir::LoadIndex load;
  load.position = build().freshIndex();
  load.isInside = build().freshCondition();
  load.index = index;
  load.extent = lookup.extent();
  load.isKnown = expr->is<LookupOp>() && expr->as<LookupOp>()->staysInside();
  if (!load.isKnown) {
    const auto [known, isNew] = lookupNumbers_.try_emplace(expr, kernel_->lookups.size());
    if (isNew) {
      kernel_->lookups.push_back(lookup);
    }
    load.lookup = known->second;
  }
  return load;
}

void Lowering::lowerExpr(Expr* expr, kir::Block& block) {
  TensorView* out = tensorOf(expr);
  std::vector<Val*> indices = current_;
  NVF_INTERNAL_CHECK(static_cast<int64_t>(indices.size()) == out->nLoops(), "loops of ",
                     out->toString(), " are not open");
  DomainIndices domainIndices(out, indices);
  if (auto* lookup = expr->as<LookupOp>()) {
    lowerLookup(lookup, indices, domainIndices, block);
    return;
  }
  if (auto* scatter = expr->as<ScatterOp>()) {
    lowerScatter(scatter, indices, domainIndices, block);
    return;
  }
  kir::Access written = accumulated(out, domainIndices);
  written.tv = memoryOf(written.tv);
  std::vector<kir::Operand> inputs;
  const auto* scanned = expr->as<ScanOp>();
  for (Val* in : expr->inputs()) {
    if (scanned != nullptr && in == scanned->upTo()) {
      continue;
    }
    if (in->isTensor()) {
      inputs.emplace_back(
          kir::Access{in->asTensor(),
                      elementRead(expr, in->asTensor(), out, indices, domainIndices, strides_)});
    } else {
      inputs.emplace_back(in);
    }
  }
  if (auto* full = expr->as<FullOp>()) {
    inputs.emplace_back(full->value());
  } else if (auto* iota = expr->as<IotaOp>()) {
    inputs.emplace_back(domainIndices.element(out->logical()[0]));
    inputs.emplace_back(iota->start());
    inputs.emplace_back(iota->step());
  }
  if (auto* random = expr->as<RandomOp>()) {
    const kir::Operand seed = inputs.empty() ? kir::Operand(random->seed()) : inputs.front();
    inputs = {elementNumber(out, domainIndices, strides_), random->a(), random->b(), seed,
              random->offset()};
  }
  Val* condition = mayRunAnywhere(expr) ? nullptr : predicate(out, domainIndices);
  if (auto* op = expr->as<ScanOp>()) {
    const Scan& scan = scanOf(op);
    const bool isPiece = scan.pieces >= 0;
    const kir::Access sum = isPiece ? totalOf(op, indices) : carryOf(op, indices);
    emit({kir::Compute{expr, sum, std::move(inputs)}}, condition, block);
    if (isPiece) {
      block.push_back({kir::Assign{partialOf(op, domainIndices), sum}});
    } else {
      emit({kir::Assign{written, sum}}, condition, block);
    }
    return;
  }
  if (Val* order = can_.hasThreads ? nullptr : orderThatChooses(expr, indices)) {
    // On one side of a line through the indices: the loop is divided there.
    emit({kir::choiceOf(order, kir::blockOf({kir::Assign{written, inputs[1]}}),
                        kir::blockOf({kir::Assign{written, inputs[2]}}))},
         condition, block);
    return;
  }
  if (auto* cat = expr->as<CatOp>()) {
    Val* index = domainIndices.element(out->logical()[static_cast<size_t>(cat->dim())]);
    emit(chooseInput(cat, 0, index, written, inputs), condition, block);
    return;
  }
  auto* pad = expr->as<PadOp>();
  if (pad == nullptr) {
    const int64_t width = vectorWidth(expr, domainIndices);
    kir::Compute compute{expr, written, std::move(inputs), width};
    if (width > 1 && alignOf(out) != nullptr) {
      lowerAligned(std::move(compute), domainIndices, block);
    } else {
      emit({std::move(compute)}, condition, block);
    }
    return;
  }
  Val* inside = nullptr;
  for (Expr* transform : transformsBetween(out->root(), out->logical())) {
    const auto* resize = transform->as<Resize>();
    requireInside(resize, domainIndices(resize->in()),
                  [&](Val* c) { inside = scalar::logicalAnd(inside, c); });
  }
  kir::Statement copy{kir::Compute{expr, written, std::move(inputs)}};
  if (inside == nullptr) {
    emit(std::move(copy), condition, block);
    return;
  }
  emit({kir::choiceOf(inside, kir::blockOf(std::move(copy)),
                      kir::blockOf({kir::Assign{written, pad->value()}}))},
       condition, block);
}

}  // namespace nvfuser
