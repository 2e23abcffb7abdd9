#include "ir/fusion.h"

#include <algorithm>
#include <functional>
#include <unordered_set>

#include "core/error.h"

namespace nvfuser {

namespace {
thread_local Fusion* currentFusion = nullptr;
}  // namespace

Fusion* Fusion::active() { return currentFusion; }

Fusion* activeFusion() {
  NVF_CHECK(
      currentFusion != nullptr,
      "No active fusion: operations build IR inside `with FusionDefinition() as fd:` or while a "
      "FusionGuard is alive");
  return currentFusion;
}

FusionGuard::FusionGuard(Fusion* fusion) : previous_(currentFusion) { currentFusion = fusion; }
FusionGuard::~FusionGuard() { currentFusion = previous_; }

void Fusion::registerVal(Val* val) {
  val->name_ = nameCounters_[static_cast<size_t>(val->vtype())]++;
  val->index_ = static_cast<int64_t>(vals_.size());
  vals_.push_back(val);
}

void Fusion::rename(Val* val, int64_t name) {
  int64_t& next = nameCounters_[static_cast<size_t>(val->vtype())];
  val->name_ = name;
  next = std::max(next, name + 1);
}

void Fusion::registerExpr(Expr* expr) {
  expr->index_ = static_cast<int64_t>(exprs_.size());
  exprs_.push_back(expr);
  for (Val* out : expr->outputs_) {
    out->definition_ = expr;
  }
  for (Val* in : expr->inputs_) {
    // It may read a value twice.
    if (in->uses_.empty() || in->uses_.back() != expr) {
      in->uses_.push_back(expr);
    }
  }
}

void Fusion::addInput(Val* input) {
  NVF_CHECK(input->fusion() == this, input->toString(), " belongs to another fusion");
  NVF_CHECK(!input->isConst(),
            "Immediate scalar value cannot be added as an input: ", input->toString());
  NVF_CHECK(!input->isFusionInput(), input->toString(), " is already registered as input");
  NVF_CHECK(input->definition() == nullptr, input->toString(),
            " is the result of an operation and cannot be an input");
  inputs_.push_back(input);
  input->isFusionInput_ = true;
  if (input->isTensor() && input->asTensor()->memoryType() != MemoryType::Symmetric) {
    input->asTensor()->setMemoryType(MemoryType::Global);
  }
}

void Fusion::addOutput(Val* output) {
  NVF_CHECK(output->fusion() == this, output->toString(), " belongs to another fusion");
  NVF_CHECK(output->isTensor(), "Non-TensorView outputs are not supported: ", output->toString());
  TensorView* tv = output->asTensor();
  tv->isFusionOutput_ = true;
  tv->setMemoryType(MemoryType::Global);
  outputs_.push_back({tv, nullptr, true});
}

void Fusion::addOutput(Val* output, Val* aliasInput) {
  if (aliasInput == nullptr) {
    addOutput(output);
    return;
  }
  NVF_CHECK(output->fusion() == this && aliasInput->fusion() == this, output->toString(), " or ",
            aliasInput->toString(), " belongs to another fusion");
  NVF_CHECK(output->isTensor(), "Non-TensorView outputs are not supported: ", output->toString());
  NVF_CHECK(aliasInput->isTensor() && aliasInput->isFusionInput(),
            "alias source can only be a fusion input, but got ", aliasInput->toString());
  TensorView* tv = output->asTensor();
  if (tv->isFusionInput()) {
    // The input's own buffer stays as it is: a copy is what is written.
    std::vector<IterDomain*> logical;
    for (IterDomain* id : tv->visible()) {
      logical.push_back(id->cloneWithoutRFactor());
    }
    auto contiguity = TensorDomain::fullContiguity(logical, true);
    auto* domain = create<TensorDomain>(std::vector<IterDomain*>{}, logical,
                                        std::vector<IterDomain*>{}, logical, contiguity);
    auto* copy = create<TensorView>(domain, tv->dtype());
    create<LoadStoreOp>(LoadStoreOpType::Set, CacheOp::Unspecified, copy, tv);
    tv = copy;
  }
  tv->isFusionOutput_ = true;
  tv->setMemoryType(MemoryType::Global);
  outputs_.push_back({tv, aliasInput->asTensor(), false});
}

void Fusion::addOutputInAnyOrder(Val* output) {
  addOutput(output);
  outputs_.back().isOrderOpen = true;
}

void Fusion::addHiddenOutput(TensorView* tv) {
  addOutput(tv);
  outputs_.back().isVisible = false;
}

void Fusion::removeOutput(TensorView* output) {
  std::erase_if(outputs_, [&](const Output& known) { return known.tv == output; });
  output->isFusionOutput_ = false;
  if (!output->isFusionInput()) {
    output->setMemoryType(MemoryType::Local);
  }
}

void Fusion::replaceOutput(TensorView* output, TensorView* by) {
  for (Output& known : outputs_) {
    known.tv = known.tv == output ? by : known.tv;
  }
  by->isFusionOutput_ = true;
  by->setMemoryType(MemoryType::Global);
  output->isFusionOutput_ = false;
  output->setMemoryType(MemoryType::Local);
}

void Fusion::replaceInput(Expr* use, Val* from, Val* to) {
  std::ranges::replace(use->inputs_, from, to);
  std::erase(from->uses_, use);
  // The expression may use `to` already.
  if (std::ranges::find(to->uses_, use) == to->uses_.end()) {
    to->uses_.push_back(use);
  }
}

void Fusion::replaceUses(Val* from, Val* to) {
  for (Expr* use : std::vector<Expr*>(from->uses())) {
    replaceInput(use, from, to);
  }
}

void Fusion::moveDefinition(TensorView* from, TensorView* to) {
  Expr* expr = from->definition_;
  NVF_INTERNAL_CHECK(expr != nullptr, from->toString(), " has no definition to move");
  std::ranges::replace(expr->outputs_, static_cast<Val*>(from), static_cast<Val*>(to));
  to->definition_ = expr;
  from->definition_ = nullptr;
}

void Fusion::removeExpr(Expr* expr) {
  for (Val* in : expr->inputs_) {
    std::erase(in->uses_, expr);
  }
  for (Val* out : expr->outputs_) {
    if (out->definition_ == expr) {
      out->definition_ = nullptr;
    }
  }
}

bool Fusion::isUpdated(const Val* input) const {
  return std::ranges::any_of(outputs_, [&](const Output& output) { return output.alias == input; });
}

std::vector<TensorView*> Fusion::outputTensors() const {
  std::vector<TensorView*> tensors;
  std::unordered_set<const TensorView*> seen;
  for (const Output& output : outputs_) {
    if (seen.insert(output.tv).second) {
      tensors.push_back(output.tv);
    }
  }
  return tensors;
}

std::vector<Expr*> Fusion::tensorExprs() const {
  std::vector<Expr*> sorted;
  std::vector<uint8_t> state(exprs_.size(), 0);
  // An explicit stack: definitions may be thousands of operations deep.
  std::vector<std::pair<Expr*, size_t>> stack;
  const auto visit = [&](Val* val) {
    Expr* definition = val->definition();
    if (definition != nullptr && state[definition->index()] == 0) {
      state[definition->index()] = 1;
      stack.emplace_back(definition, 0);
    }
  };
  for (const Output& output : outputs_) {
    visit(output.tv);
    while (!stack.empty()) {
      auto& [expr, next] = stack.back();
      if (next < expr->inputs().size()) {
        Val* in = expr->input(next++);
        if (in->isTensor()) {
          visit(in);
        }
      } else {
        sorted.push_back(expr);
        stack.pop_back();
      }
    }
  }
  return sorted;
}

std::vector<TensorView*> Fusion::tensors() const {
  std::vector<TensorView*> result;
  for (Val* input : inputs_) {
    if (input->isTensor()) {
      result.push_back(input->asTensor());
    }
  }
  for (Expr* expr : tensorExprs()) {
    for (Val* out : expr->outputs()) {
      result.push_back(out->asTensor());
    }
  }
  return result;
}

Val* Fusion::zero() {
  if (zero_ == nullptr) {
    zero_ = create<Val>(DataType::Index, PolymorphicValue(int64_t{0}));
  }
  return zero_;
}

Val* Fusion::one() {
  if (one_ == nullptr) {
    one_ = create<Val>(DataType::Index, PolymorphicValue(int64_t{1}));
  }
  return one_;
}

bool Fusion::hasDynamicTransform() const {
  return std::ranges::any_of(exprs_, [](Expr* expr) {
    if (!expr->is<ReshapeOp>() && !expr->is<ExpandOp>()) {
      return false;
    }
    return std::ranges::any_of(expr->output(0)->asTensor()->logical(),
                               [](IterDomain* id) { return id->iterType() == IterType::Symbolic; });
  });
}

bool updatesOperand(const ScatterOp* scatter) {
  return scatter->in()->isFusionInput() &&
         std::ranges::any_of(scatter->fusion()->outputs(), [&](const Fusion::Output& output) {
           return output.tv == scatter->out() && output.alias == scatter->in();
         });
}

}  // namespace nvfuser
