#include "lower/lower.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"
#include "ir/logical_map.h"
#include "ir/scalar.h"
#include "lower/index.h"
#include "schedule/loop_tree.h"

namespace nvfuser {

namespace {

// Larger buffers of constant size live in the worker's scratch memory instead of on its stack.
constexpr int64_t kMaxStackBytes = 16 * 1024;

class Lowering {
 public:
  Lowering(Fusion* fusion, std::string name)
      : fusion_(fusion), kernel_(std::make_unique<kir::Kernel>()), strides_(kernel_.get()) {
    kernel_->fusion = fusion;
    kernel_->name = std::move(name);
  }

  std::unique_ptr<kir::Kernel> run() {
    std::vector<LoopNode::Item> items = LoopTree::build(fusion_);
    for (Val* input : fusion_->inputs()) {
      if (input->isTensor()) {
        addPointer(input->asTensor());
      }
    }
    for (const Fusion::Output& output : fusion_->outputs()) {
      // In-place outputs are written through the pointer of their input.
      if (output.alias == nullptr && !output.tv->isFusionInput()) {
        addPointer(output.tv);
      }
    }
    assignMemory(items);
    for (LoopNode::Item& item : items) {
      lowerPhase(item);
    }
    addScalarParameters();
    return std::move(kernel_);
  }

 private:
  void addPointer(TensorView* tv) {
    kernel_->parameters.push_back({kir::Parameter::Kind::Pointer, tv, 0, nullptr});
  }

  static void collect(const LoopNode::Item& item, std::vector<Expr*>& exprs) {
    if (const auto* expr = std::get_if<Expr*>(&item)) {
      exprs.push_back(*expr);
      return;
    }
    for (const LoopNode::Item& child : std::get<std::unique_ptr<LoopNode>>(item)->body) {
      collect(child, exprs);
    }
  }

  // A tensor that another phase reads must be in memory that all workers see.
  void assignMemory(const std::vector<LoopNode::Item>& items) {
    for (size_t phase = 0; phase < items.size(); ++phase) {
      std::vector<Expr*> exprs;
      collect(items[phase], exprs);
      for (Expr* expr : exprs) {
        phaseOf_[expr] = phase;
      }
    }
    for (const auto& [expr, phase] : phaseOf_) {
      for (Val* in : expr->inputs()) {
        if (in->isTensor() && in->definition() != nullptr &&
            phaseOf_.at(in->definition()) != phase &&
            in->asTensor()->memoryType() != MemoryType::Global) {
          in->asTensor()->setMemoryType(MemoryType::Global);
          kernel_->workspaces.push_back(in->asTensor());
        }
      }
    }
    std::ranges::sort(kernel_->workspaces, {}, &Val::name);
    for (TensorView* tv : kernel_->workspaces) {
      addPointer(tv);
    }
    for (const auto& [expr, phase] : phaseOf_) {
      for (Val* out : expr->outputs()) {
        // On this device registers, shared and tensor memory are all the worker's own memory.
        if (out->asTensor()->memoryType() != MemoryType::Global) {
          out->asTensor()->setMemoryType(MemoryType::Local);
        }
      }
    }
  }

  void lowerPhase(LoopNode::Item& item) {
    kernel_->phases.emplace_back();
    phase_ = &kernel_->phases.back();
    allocate(item);
    lowerItem(item, phase_->body, true);
  }

  void allocate(const LoopNode::Item& item) {
    std::vector<Expr*> exprs;
    collect(item, exprs);
    Val* scratch = fusion_->zero();
    for (Expr* expr : exprs) {
      TensorView* tv = expr->output(0)->asTensor();
      if (tv->memoryType() == MemoryType::Global) {
        continue;
      }
      std::vector<Val*> extents;
      for (IterDomain* id : allocatedLoops(tv)) {
        extents.push_back(id->extent());
      }
      kir::Buffer buffer{tv, scalar::product(fusion_, extents)};
      // Scratch is handed out in cache lines.
      const int64_t bits = std::max(info(tv->dtype()).bits, 8);
      if (!buffer.size->isConstInt() || buffer.size->constInt() * bits / 8 > kMaxStackBytes) {
        buffer.scratchOffset = scratch;
        Val* bytes = scalar::mul(buffer.size, scalar::constant(fusion_, bits / 8));
        Val* line = scalar::constant(fusion_, 64);
        scratch = scalar::add(scratch, scalar::mul(scalar::ceilDiv(bytes, line), line));
      }
      phase_->buffers.push_back(buffer);
    }
    phase_->scratchBytes = scratch;
  }

  void lowerItem(LoopNode::Item& item, kir::Block& block, bool isTopLevel) {
    if (auto* expr = std::get_if<Expr*>(&item)) {
      lowerInit(*expr, tensorOf(*expr)->nLoops(), block);
      lowerExpr(*expr, block);
      return;
    }
    lowerLoop(*std::get<std::unique_ptr<LoopNode>>(item), block, isTopLevel);
  }

  static TensorView* tensorOf(Expr* expr) { return expr->output(0)->asTensor(); }

  static int64_t firstReductionLoop(const TensorView* tv) {
    int64_t k = 0;
    while (k < tv->nLoops() && !tv->axis(k)->isReduction()) {
      ++k;
    }
    return k;
  }

  // The member that says what the loop runs over: a concrete one where there is one.
  static const LoopNode::Member& representative(const LoopNode& node) {
    const auto concrete = std::ranges::find_if(
        node.members, [](const LoopNode::Member& member) { return !member.id->isBroadcast(); });
    return concrete == node.members.end() ? node.members.front() : *concrete;
  }

  void lowerLoop(LoopNode& node, kir::Block& block, bool isTopLevel) {
    const LoopNode::Member& leader = representative(node);
    // Reductions that begin with this loop start from their initial value.
    bool isReduction = false;
    for (const LoopNode::Member& member : node.members) {
      if (member.id->isReduction() && member.expr->is<ReductionOp>()) {
        // Its iterations write one value: they cannot be divided among workers.
        isReduction = true;
        if (firstReductionLoop(member.tv) == node.depth) {
          lowerInit(member.expr, node.depth, block);
        }
      }
    }
    Val* extent = leader.id->extent();
    Val* index = nullptr;
    const bool isParallel =
        isTopLevel && !isReduction && leader.id->parallelType() == ParallelType::GridX;
    if (extent->isConstInt(1) && !isParallel) {
      index = fusion_->zero();
    } else {
      index = fusion_->create<Val>(DataType::Index);
      loopIndices_.insert(index);
    }
    Val* stop = extent;
    if (!index->isConstInt()) {
      stop = clippedStop(leader, extent);
      if (stop != extent) {
        for (const LoopNode::Member& member : node.members) {
          if (member.id->definition() != nullptr && member.id->definition()->is<Split>()) {
            clipped_.insert(member.id->definition());
          }
        }
      }
    }
    current_.push_back(index);
    kir::Block body;
    for (LoopNode::Item& child : node.body) {
      lowerItem(child, body, false);
    }
    current_.pop_back();
    if (index->isConstInt()) {
      std::ranges::move(body, std::back_inserter(block));
      return;
    }
    if (isParallel) {
      phase_->parallelExtent = stop;
      phase_->parallelIndex = index;
    }
    block.push_back({kir::Loop{index, fusion_->zero(), stop, leader.id->parallelType(), isReduction,
                               std::make_unique<kir::Block>(std::move(body))}});
  }

  // The loop over the inner part of a split that does not divide evenly ends where the domain ends,
  // if the enclosing loops already determine the outer part.
  Val* clippedStop(const LoopNode::Member& member, Val* extent) {
    Expr* definition = member.id->definition();
    auto* split = definition == nullptr ? nullptr : definition->as<Split>();
    if (split == nullptr || member.id != split->inner() || !needsPredicate(split)) {
      return extent;
    }
    std::vector<Val*> indices = current_;
    // Loops that are not open yet get symbols that must not occur in the result.
    std::unordered_set<const Val*> unknown;
    while (static_cast<int64_t>(indices.size()) < member.tv->nLoops()) {
      indices.push_back(fusion_->create<Val>(DataType::Index));
      unknown.insert(indices.back());
    }
    DomainIndices domainIndices(member.tv, indices);
    Val* outer = domainIndices(split->outer());
    if (dependsOn(outer, unknown)) {
      return extent;
    }
    return scalar::min(extent, scalar::sub(split->in()->extent(), scalar::mul(outer, extent)));
  }

  static bool dependsOn(const Val* val, const std::unordered_set<const Val*>& symbols) {
    if (symbols.contains(val)) {
      return true;
    }
    return val->definition() != nullptr &&
           std::ranges::any_of(val->definition()->inputs(),
                               [&](const Val* in) { return dependsOn(in, symbols); });
  }

  static bool needsPredicate(const Split* split) {
    return !scalar::isDivisible(split->in()->extent(), split->factor());
  }

  // When the element computed at the current indices exists.
  Val* predicate(TensorView* tv, DomainIndices& indices) {
    Val* condition = nullptr;
    const auto require = [&](Val* c) { condition = scalar::logicalAnd(condition, c); };
    for (Expr* transform : transformsBetween(tv->logical(), tv->loop())) {
      if (auto* split = transform->as<Split>()) {
        if (needsPredicate(split) && !clipped_.contains(split)) {
          require(scalar::lt(indices(split->in()), split->in()->extent()));
        }
      } else if (auto* resize = transform->as<Resize>()) {
        requireInside(resize, indices, require);
      }
    }
    if (tv->memoryType() == MemoryType::Global) {
      // In loops the tensor only takes part in, one iteration writes.
      const auto writeOnce = [&](const IterDomain* id) {
        if (id->isBroadcast() && !id->extent()->isConstInt(1)) {
          require(scalar::eq(indices(id), fusion_->zero()));
        }
      };
      std::unordered_set<const IterDomain*> seen;
      for (Expr* transform : transformsBetween(tv->logical(), tv->loop())) {
        for (Val* in : transform->inputs()) {
          auto* id = static_cast<IterDomain*>(in);
          if (id->definition() == nullptr && !isLogical(tv, id) && seen.insert(id).second) {
            writeOnce(id);
          }
        }
        if (transform->is<BroadcastTo>()) {
          writeOnce(static_cast<IterDomain*>(transform->output(0)));
        }
      }
      for (IterDomain* id : tv->loop()) {
        if (id->definition() == nullptr && !isLogical(tv, id) && seen.insert(id).second) {
          writeOnce(id);
        }
      }
    }
    return condition;
  }

  static bool isLogical(const TensorView* tv, const IterDomain* id) {
    return std::ranges::find(tv->logical(), id) != tv->logical().end();
  }

  template <typename Require>
  void requireInside(const Resize* resize, DomainIndices& indices, const Require& require) {
    const auto crops = [](const Val* width) {
      return width->isConstInt() && width->constInt() <= 0;
    };
    Val* index = indices(resize->in());
    if (!crops(resize->left())) {
      require(scalar::ge(index, fusion_->zero()));
    }
    if (!crops(resize->right())) {
      require(scalar::lt(index, resize->in()->extent()));
    }
  }

  void lowerInit(Expr* expr, int64_t depth, kir::Block& block) {
    auto* reduction = expr->as<ReductionOp>();
    if (reduction == nullptr || firstReductionLoop(tensorOf(expr)) != depth) {
      return;
    }
    TensorView* tv = tensorOf(expr);
    // Own loops over what the reduction keeps apart inside its reduction loops.
    std::vector<Val*> indices = current_;
    indices.resize(depth);
    kir::Block* target = &block;
    for (int64_t k = depth; k < tv->nLoops(); ++k) {
      IterDomain* id = tv->axis(k);
      if (id->isReduction() || id->isBroadcast() || id->extent()->isConstInt(1)) {
        indices.push_back(fusion_->zero());
        continue;
      }
      Val* index = fusion_->create<Val>(DataType::Index);
      loopIndices_.insert(index);
      indices.push_back(index);
      target->push_back({kir::Loop{index, fusion_->zero(), id->extent(), ParallelType::Serial,
                                   false, std::make_unique<kir::Block>()}});
      target = std::get<kir::Loop>(target->back().node).body.get();
    }
    DomainIndices domainIndices(tv, indices);
    kir::Assign init{{tv, elementWritten(tv, domainIndices, strides_)}, reduction->init()};
    // Memory of the caller must not be written beyond its end.
    Val* condition =
        tv->memoryType() == MemoryType::Global ? predicate(tv, domainIndices) : nullptr;
    emit({std::move(init)}, condition, *target);
  }

  void emit(kir::Statement statement, Val* condition, kir::Block& block) {
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
    auto then = std::make_unique<kir::Block>();
    then->push_back(std::move(statement));
    block.push_back({kir::If{condition, std::move(then), nullptr}});
  }

  void lowerExpr(Expr* expr, kir::Block& block) {
    TensorView* out = tensorOf(expr);
    std::vector<Val*> indices = current_;
    NVF_INTERNAL_CHECK(static_cast<int64_t>(indices.size()) == out->nLoops(), "loops of ",
                       out->toString(), " are not open");
    DomainIndices domainIndices(out, indices);
    const kir::Access written{out, elementWritten(out, domainIndices, strides_)};
    std::vector<kir::Operand> inputs;
    for (Val* in : expr->inputs()) {
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
      inputs.emplace_back(domainIndices(out->logical()[0]));
      inputs.emplace_back(iota->start());
      inputs.emplace_back(iota->step());
    }
    Val* condition = predicate(out, domainIndices);
    auto* pad = expr->as<PadOp>();
    if (pad == nullptr) {
      emit({kir::Compute{expr, written, std::move(inputs)}}, condition, block);
      return;
    }
    Val* inside = nullptr;
    for (Expr* transform : transformsBetween(out->root(), out->logical())) {
      requireInside(transform->as<Resize>(), domainIndices,
                    [&](Val* c) { inside = scalar::logicalAnd(inside, c); });
    }
    kir::Statement copy{kir::Compute{expr, written, std::move(inputs)}};
    if (inside == nullptr) {
      emit(std::move(copy), condition, block);
      return;
    }
    kir::If choice{inside, std::make_unique<kir::Block>(), std::make_unique<kir::Block>()};
    choice.then->push_back(std::move(copy));
    choice.otherwise->push_back({kir::Assign{written, pad->value()}});
    emit({std::move(choice)}, condition, block);
  }

  // The symbols that the kernel uses but does not compute.
  void addScalarParameters() {
    std::unordered_set<const Val*> seen;
    for (const kir::Parameter& parameter : kernel_->parameters) {
      if (parameter.value != nullptr) {
        seen.insert(parameter.value);
      }
    }
    const std::function<void(Val*)> visit = [&](Val* val) {
      if (val == nullptr || val->isConst() || loopIndices_.contains(val) ||
          !seen.insert(val).second) {
        return;
      }
      if (val->definition() == nullptr) {
        kernel_->parameters.push_back({kir::Parameter::Kind::Scalar, nullptr, 0, val});
        return;
      }
      for (Val* in : val->definition()->inputs()) {
        visit(in);
      }
    };
    const auto visitOperand = [&](const kir::Operand& operand) {
      if (const auto* access = std::get_if<kir::Access>(&operand)) {
        visit(access->index);
      } else {
        visit(std::get<Val*>(operand));
      }
    };
    const std::function<void(const kir::Block&)> visitBlock = [&](const kir::Block& block) {
      for (const kir::Statement& statement : block) {
        if (const auto* loop = std::get_if<kir::Loop>(&statement.node)) {
          visit(loop->stop);
          visitBlock(*loop->body);
        } else if (const auto* choice = std::get_if<kir::If>(&statement.node)) {
          visit(choice->condition);
          visitBlock(*choice->then);
          if (choice->otherwise != nullptr) {
            visitBlock(*choice->otherwise);
          }
        } else if (const auto* compute = std::get_if<kir::Compute>(&statement.node)) {
          visit(compute->out.index);
          std::ranges::for_each(compute->inputs, visitOperand);
        } else if (const auto* assign = std::get_if<kir::Assign>(&statement.node)) {
          visit(assign->out.index);
          visitOperand(assign->value);
        }
      }
    };
    for (const kir::Phase& phase : kernel_->phases) {
      for (const kir::Buffer& buffer : phase.buffers) {
        visit(buffer.scratchOffset);
      }
      visitBlock(phase.body);
    }
  }

  Fusion* fusion_;
  std::unique_ptr<kir::Kernel> kernel_;
  StrideTable strides_;
  kir::Phase* phase_ = nullptr;
  std::unordered_map<Expr*, size_t> phaseOf_;
  std::vector<Val*> current_;
  std::unordered_set<const Val*> loopIndices_;
  std::unordered_set<const Expr*> clipped_;
};

}  // namespace

std::unique_ptr<kir::Kernel> lowerForCpu(Fusion* fusion, std::string name) {
  return Lowering(fusion, std::move(name)).run();
}

}  // namespace nvfuser
