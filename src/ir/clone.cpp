#include "ir/clone.h"

#include "core/error.h"
#include "ir/scalar.h"

namespace nvfuser {

template <typename T>
std::vector<T*> Cloner::cloneAll(const std::vector<T*>& items) {
  std::vector<T*> copies;
  copies.reserve(items.size());
  for (T* item : items) {
    copies.push_back(static_cast<T*>(clone(static_cast<const Val*>(item))));
  }
  return copies;
}

Val* Cloner::clone(const Val* val) {
  if (val == nullptr) {
    return nullptr;
  }
  if (const auto known = vals_.find(val); known != vals_.end()) {
    return known->second;
  }
  if (sharesScalars_ && val->isScalar()) {
    return const_cast<Val*>(val);
  }
  return val->isTensor() || val->vtype() == ValType::TensorDomain ? cloneNode(val)
                                                                  : cloneWithDefinition(val);
}

Val* Cloner::cloneNode(const Val* val) {
  Val* copy = create(val);
  vals_[val] = copy;
  keepName(val);
  return copy;
}

void Cloner::keepName(const Val* val) {
  if (keepsNames_) {
    target_->rename(vals_.at(val), val->name());
  }
}

Val* Cloner::create(const Val* val) {
  Val* copy = nullptr;
  switch (val->vtype()) {
    case ValType::Scalar:
      if (val->isConst()) {
        copy = target_->create<Val>(val->dtype(), val->value());
      } else {
        copy = target_->create<Val>(val->dtype());
      }
      break;
    case ValType::IterDomain: {
      const auto* id = static_cast<const IterDomain*>(val);
      IterDomain::Options options = id->options();
      Val* extent = clone(id->extent());
      options.expandedExtent = clone(id->expandedExtent());
      copy = target_->create<IterDomain>(extent, options);
      break;
    }
    case ValType::TensorDomain: {
      const auto* domain = static_cast<const TensorDomain*>(val);
      auto root = cloneAll(domain->root());
      auto logical = cloneAll(domain->logical());
      auto allocation = cloneAll(domain->allocation());
      auto loop = cloneAll(domain->loop());
      copy =
          target_->create<TensorDomain>(std::move(root), std::move(logical), std::move(allocation),
                                        std::move(loop), domain->contiguity());
      break;
    }
    case ValType::TensorView: {
      const auto* tv = static_cast<const TensorView*>(val);
      auto* domain = static_cast<TensorDomain*>(clone(static_cast<const Val*>(tv->domain())));
      // The memory of a result is that of the result alone: a copy gets it when it becomes one.
      const bool isResult = tv->isFusionOutput() && !tv->isFusionInput();
      auto* tensor = target_->create<TensorView>(domain, tv->dtype(),
                                                 isResult ? MemoryType::Local : tv->memoryType());
      tensor->setCpuScalar(tv->isCpuScalar());
      tensor->setDeviceMesh(tv->deviceMesh());
      tensor->setRowPadding(tv->rowPadding());
      tensor->setLoaders(tv->loaders());
      tensor->setMarks(tv->marks());
      tensor->setComputeAt(tv->computeAt());
      tensor->setProduceAt(tv->produceAt());
      copy = tensor;
      break;
    }
  }
  return copy;
}

// Scalars and domains carry their definitions along; those of tensors are cloned in order by the
// caller. An explicit stack: scalars may be many thousands of operations deep.
Val* Cloner::cloneWithDefinition(const Val* val) {
  // A value, and how many inputs of its definition are cloned.
  std::vector<std::pair<const Val*, size_t>> stack;
  const auto enter = [&](const Val* entered) {
    vals_[entered] = create(entered);
    stack.emplace_back(entered, 0);
  };
  enter(val);
  while (!stack.empty()) {
    auto& [top, next] = stack.back();
    const Expr* definition = top->definition();
    if (definition != nullptr && !exprs_.contains(definition) &&
        next < definition->inputs().size()) {
      const Val* in = definition->input(next++);
      if (in->isTensor()) {
        clone(in);
      } else if (!vals_.contains(in) && !(sharesScalars_ && in->isScalar())) {
        enter(in);
      }
      continue;
    }
    if (definition != nullptr) {
      clone(definition);
    }
    keepName(top);
    stack.pop_back();
  }
  return vals_.at(val);
}

namespace {

Expr* createNode(Fusion* fusion, const Expr* like, std::vector<Val*> outputs,
                 std::vector<Val*> inputs, std::vector<Val*> operands) {
  switch (like->kind()) {
#define X(enumerator, node)                                                          \
  case ExprKind::enumerator:                                                         \
    return fusion->create<node>(like->kind(), std::move(outputs), std::move(inputs), \
                                like->attributes(), std::move(operands));
    NVF_EXPR_KINDS(X)
#undef X
  }
  fail("Unknown kind of expression: ", like->toString());
}

}  // namespace

Expr* Cloner::clone(const Expr* expr) {
  if (const auto known = exprs_.find(expr); known != exprs_.end()) {
    return known->second;
  }
  auto inputs = cloneAll(expr->inputs());
  auto operands = cloneAll(expr->operands());
  // Cloning an input may have come back to this expression through a sibling output.
  if (const auto known = exprs_.find(expr); known != exprs_.end()) {
    return known->second;
  }
  exprs_[expr] = nullptr;
  auto outputs = cloneAll(expr->outputs());
  auto* copy =
      createNode(target_, expr, std::move(outputs), std::move(inputs), std::move(operands));
  exprs_[expr] = copy;
  return copy;
}

Expr* Cloner::cloneOf(const Expr* expr, std::vector<Val*> inputs) {
  auto operands = cloneAll(expr->operands());
  return createNode(target_, expr, cloneAll(expr->outputs()), std::move(inputs),
                    std::move(operands));
}

void Cloner::cloneAssumptions(const Fusion& from) {
  for (const Fusion::Divisibility& known : from.assumedDivisible()) {
    target_->assumeDivisible(clone(known.extent), known.factor);
  }
  for (const Fusion::Bound& known : from.assumedBounds()) {
    target_->assumeAtMost(clone(known.extent), known.most);
  }
}

std::unique_ptr<Fusion> cloneFusion(const Fusion& fusion, Cloner* cloner, bool keepsNames,
                                    const KnownScalars& known) {
  auto copy = std::make_unique<Fusion>();
  Cloner local(copy.get());
  if (cloner == nullptr) {
    cloner = &local;
  } else {
    *cloner = Cloner(copy.get());
  }
  if (keepsNames) {
    cloner->keepNames();
  }
  for (const auto& [scalar, value] : known) {
    cloner->substitute(scalar, value.is<int64_t>()
                                   ? scalar::constant(copy.get(), value.as<int64_t>())
                                   : copy->create<Val>(scalar->dtype(), value));
  }
  for (Val* input : fusion.inputs()) {
    const bool isConst = input->isScalar() && cloner->contains(input);
    copy->addInput(isConst ? copy->create<Val>(input->dtype()) : cloner->clone(input));
  }
  for (Expr* expr : fusion.tensorExprs()) {
    cloner->clone(expr);
  }
  for (const Fusion::Output& output : fusion.outputs()) {
    TensorView* tv = cloner->clone(output.tv);
    if (output.alias != nullptr) {
      copy->addOutput(tv, cloner->clone(output.alias));
    } else {
      output.isOrderOpen ? copy->addOutputInAnyOrder(tv)
      : output.isVisible ? copy->addOutput(tv)
                         : copy->addHiddenOutput(tv);
    }
  }
  cloner->cloneAssumptions(fusion);
  return copy;
}

}  // namespace nvfuser
