#include <algorithm>
#include <unordered_set>

#include "core/error.h"
#include "ir/logical_map.h"
#include "ir/scalar.h"
#include "lower/lowering/lowering.h"

namespace nvfuser {

void Lowering::lowerItem(LoopNode::Item& item, kir::Block& block, bool isTopLevel) {
  if (auto* expr = std::get_if<Expr*>(&item)) {
    lowerInit(*expr, tensorOf(*expr)->nLoops(), block);
    lowerExpr(*expr, block);
    return;
  }
  lowerLoop(*std::get<std::unique_ptr<LoopNode>>(item), block, isTopLevel);
}

int64_t Lowering::firstReductionLoop(const TensorView* tv) {
  int64_t k = 0;
  while (k < tv->nLoops() && !tv->axis(k)->isReduction()) {
    ++k;
  }
  return k;
}

const LoopNode::Member& Lowering::representative(const LoopNode& node) {
  const auto concrete = std::ranges::find_if(
      node.members, [](const LoopNode::Member& member) { return !member.id->isBroadcast(); });
  return concrete == node.members.end() ? node.members.front() : *concrete;
}

Expr* Lowering::tileOf(const LoopNode& node) {
  const auto isAlone = [](const LoopNode& loop) {
    return loop.members.size() == 1 && loop.body.size() == 1;
  };
  const TensorView* tv = node.members[0].tv;
  if (!tv->marks().isTransposedTile || node.depth != tv->nLoops() - 2 || !isAlone(node)) {
    return nullptr;
  }
  const auto* inner = std::get_if<std::unique_ptr<LoopNode>>(&node.body[0]);
  if (inner == nullptr || !isAlone(**inner)) {
    return nullptr;
  }
  auto* const* expr = std::get_if<Expr*>(&(*inner)->body[0]);
  return expr != nullptr && isCopy(*expr) ? *expr : nullptr;
}

bool Lowering::lowerTransposedCopy(LoopNode& node, kir::Block& block) {
  Expr* copy = can_.hasTransposedCopies ? tileOf(node) : nullptr;
  if (copy == nullptr) {
    return false;
  }
  TensorView* in = copy->input(0)->asTensor();
  TensorView* out = tensorOf(copy);
  if (in->dtype() != out->dtype() || !fitsVectorLane(out->dtype())) {
    return false;
  }
  Val* row = fusion_->create<Val>(DataType::Index);
  Val* column = fusion_->create<Val>(DataType::Index);
  const auto accessesAt = [&](Val* r, Val* c) {
    std::vector<Val*> indices = current_;
    indices.insert(indices.end(), {r, c});
    DomainIndices domainIndices(out, indices);
    return std::pair(elementWritten(out, domainIndices, strides_),
                     elementRead(copy, in, out, indices, domainIndices, strides_));
  };
  const auto [written, read] = accessesAt(row, column);
  kir::TransposedCopy tile;
  tile.outStride = scalar::coefficient(written, row);
  tile.inStride = scalar::coefficient(read, column);
  const auto isOne = [](const Val* stride) { return stride != nullptr && stride->isConstInt(1); };
  if (tile.outStride == nullptr || tile.inStride == nullptr ||
      !isOne(scalar::coefficient(written, column)) || !isOne(scalar::coefficient(read, row))) {
    return false;
  }
  const LoopNode::Member& inner = std::get<std::unique_ptr<LoopNode>>(node.body[0])->members[0];
  tile.rows = clipped(node.members[0], {node.members[0]});
  current_.push_back(row);
  tile.columns = clipped(inner, {inner});
  current_.pop_back();
  std::vector<Val*> indices = current_;
  indices.insert(indices.end(), {row, column});
  DomainIndices domainIndices(out, indices);
  if (predicate(out, domainIndices) != nullptr) {
    return false;
  }
  std::tie(tile.out.index, tile.in.index) = accessesAt(fusion_->zero(), fusion_->zero());
  tile.out.tv = memoryOf(out);
  tile.in.tv = in;
  block.push_back({tile});
  return true;
}

void Lowering::lowerLoop(LoopNode& node, kir::Block& block, bool isTopLevel) {
  if (lowerTransposedCopy(node, block)) {
    return;
  }
  for (const LoopNode::Member& member : node.members) {
    NVF_SCHEDULE_CHECK(
        !member.tv->marks().isRequired || !can_.hasTransposedCopies ||
            !member.tv->marks().isTransposedTile || node.depth != member.tv->nLoops() - 2,
        "transpose_tile: Expected the two innermost loops of ", member.tv->toString(),
        ", which it shares with nothing, to be a copy of elements of 1 to 8 bytes, "
        "the inner one along the memory of the result and the outer one along that "
        "of the operand");
  }
  const LoopNode::Member& leader = representative(node);
  const ParallelType type = leader.id->parallelType();
  // Reductions that begin with this loop start from their initial value.
  bool isReduction = false;
  std::vector<Expr*> beginning;
  std::vector<ScanOp*> scans;
  for (const LoopNode::Member& member : node.members) {
    NVF_SCHEDULE_CHECK(!can_.hasThreads || member.id->parallelType() == type ||
                           (!isThreadType(type) && !isThreadType(member.id->parallelType())),
                       "The loop ", leader.id->toString(), " of ", leader.tv->toString(),
                       " is shared with ", member.id->toString(), " of ", member.tv->toString(),
                       ", which has another parallel type");
    if (auto* scan = member.expr->as<ScanOp>(); scan != nullptr && isScanned(scan, node.depth)) {
      // Its iterations follow each other: they cannot be divided among workers.
      isReduction = true;
      lowerScanInit(scan, node.depth, block);
      scans.push_back(scan);
    }
    if (const ScatterOp* scatter = scatterOf(member.tv);
        scatter != nullptr && comesFrom(member.id, scatter->indexed())) {
      // The last of several elements for one position stays, or all are added to it.
      isReduction = true;
    }
    if (member.id->isReduction() && member.expr->is<ReductionOp>()) {
      // Its iterations write one value: they cannot be divided among workers.
      isReduction = true;
      if (firstReductionLoop(member.tv) == node.depth) {
        lowerInit(member.expr, node.depth, block);
        beginning.push_back(member.expr);
      }
    }
  }
  Val* extent = leader.id->extent();
  const bool isParallel =
      !can_.hasThreads && isTopLevel && !isReduction && type == ParallelType::GridX;
  // Blocks, threads and vectors take the place of the loop.
  Val* index = nullptr;
  if (can_.hasThreads && isThreadType(type)) {
    index = threadIndex(type);
  } else if (((extent->isConstInt(1) || leader.id->isBroadcast()) && !isParallel) ||
             (can_.hasVectorAccesses && type == ParallelType::Vectorize)) {
    index = fusion_->zero();
  }
  const bool isLoop = index == nullptr;
  Val* stop = extent;
  if (isLoop) {
    index = build().freshIndex();
    stop = clipped(leader, node.members);
  }
  current_.push_back(index);
  loopDepth_ += isLoop;
  const LoopMarks marks = marksOf(node);
  kir::Block body;
  for (LoopNode::Item& child : node.body) {
    lowerItem(child, body, false);
  }
  loopDepth_ -= isLoop;
  current_.pop_back();
  if (isParallel) {
    phase_->parallelExtent = stop;
    phase_->parallelIndex = index;
  }
  if (isLoop) {
    kir::Loop loop = kir::plainLoop(index, fusion_->zero(), stop, std::move(body));
    loop.parallelType = type;
    loop.marks = marks;
    loop.isReduction = isReduction;
    block.push_back({std::move(loop)});
  } else {
    std::ranges::move(body, std::back_inserter(block));
  }
  if (can_.hasThreads) {
    reduceOverThreads(beginning, node.depth, block);
  }
  for (ScanOp* scan : scans) {
    if (scanOf(scan).pieces == node.depth) {
      joinPieces(scan, block);
    }
  }
}

LoopMarks Lowering::marksOf(const LoopNode& node) {
  LoopMarks marks;
  for (const LoopNode::Member& member : node.members) {
    const LoopMarks& own = member.id->marks();
    NVF_SCHEDULE_CHECK(!own.isRequired || !marks.isRequired || own == marks,
                       "Expected one mark of the loop ", member.id->toString(), " of ",
                       member.tv->toString(), ", but what shares it has", marks.toString());
    if (own != LoopMarks{} && !marks.isRequired) {
      marks = own;
    }
  }
  return marks;
}

Val* Lowering::threadIndex(ParallelType type) const {
  const kir::ThreadDimension* dimension = threads_->find(type);
  return dimension == nullptr ? fusion_->zero() : dimension->index;
}

bool Lowering::isResizedOutside(const LoopNode::Member& member) {
  Expr* definition = member.id->definition();
  auto* split = definition == nullptr ? nullptr : definition->as<Split>();
  return split != nullptr &&
         std::ranges::any_of(transformsBetween({split->outer()}, member.tv->loop()),
                             [](const Expr* transform) { return transform->is<Resize>(); });
}

Val* Lowering::clippedStop(const LoopNode::Member& member, Val* extent) {
  Expr* definition = member.id->definition();
  auto* split = definition == nullptr ? nullptr : definition->as<Split>();
  if (split == nullptr || member.id != split->inner() || strides_.isExact(split)) {
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
  if (can_.hasThreads) {
    // Loops of constant extent are unrolled to keep what they index in registers.
    if (extent->isConstInt()) {
      return extent;
    }
    // All threads must run the same loops.
    for (const kir::ThreadDimension& dimension : phase_->threads) {
      if (isBlockType(dimension.type)) {
        unknown.insert(dimension.index);
      }
    }
  }
  if (dependsOn(outer, unknown)) {
    return extent;
  }
  return scalar::min(extent, scalar::sub(split->in()->extent(), scalar::mul(outer, extent)));
}

Val* Lowering::clipped(const LoopNode::Member& leader,
                       const std::vector<LoopNode::Member>& members) {
  if (std::ranges::any_of(members, isResizedOutside)) {
    return leader.id->extent();
  }
  Val* stop = clippedStop(leader, leader.id->extent());
  if (stop != leader.id->extent()) {
    for (const LoopNode::Member& member : members) {
      if (member.id->definition() != nullptr && member.id->definition()->is<Split>()) {
        clipped_.insert(member.id->definition());
      }
    }
    // A constant number of iterations makes less code, and takes the same time.
    if (leader.id->extent()->isConstInt() && std::ranges::all_of(members, isOfLocals)) {
      return leader.id->extent();
    }
  }
  return stop;
}

bool Lowering::isOfLocals(const LoopNode::Member& member) {
  const auto isLocal = [](const Val* val) {
    const auto* tv = val->asTensor();
    return tv->memoryType() == MemoryType::Local && !tv->isFusionInput() &&
           isFloatingPointType(tv->dtype());
  };
  return (member.expr->is<UnaryOp>() || member.expr->is<BinaryOp>() ||
          member.expr->is<BroadcastOp>() || member.expr->is<LoadStoreOp>()) &&
         isLocal(member.expr->output(0)) &&
         std::ranges::all_of(member.expr->inputs(),
                             [&](const Val* in) { return !in->isTensor() || isLocal(in); });
}

bool Lowering::isThreadLoop(const IterDomain* id) const {
  return can_.hasThreads && isThreadType(id->parallelType());
}

kir::Block* Lowering::openOwnLoops(const TensorView* tv, std::vector<Val*>& indices,
                                   kir::Block& block, const IndexOf& indexOf) {
  kir::Block* target = &block;
  for (auto k = static_cast<int64_t>(indices.size()); k < tv->nLoops(); ++k) {
    const IterDomain* id = tv->axis(k);
    if (id->isReduction() || id->isBroadcast() || id->extent()->isConstInt(1)) {
      indices.push_back(fusion_->zero());
      continue;
    }
    Val* index = indexOf(id);
    if (index == nullptr) {
      index = build().freshIndex();
      target->push_back({kir::plainLoop(index, fusion_->zero(), id->extent(), {})});
      target = std::get<kir::Loop>(target->back().node).body.get();
    }
    indices.push_back(index);
  }
  return target;
}

std::pair<std::vector<Val*>, kir::Block*> Lowering::openLoops(const TensorView* tv, int64_t depth,
                                                              kir::Block& block,
                                                              const PositionTest& isLeftOut) {
  std::vector<Val*> indices = current_;
  indices.resize(static_cast<size_t>(depth));
  kir::Block* body = openOwnLoops(tv, indices, block, [&](const IterDomain* id) -> Val* {
    if (isThreadLoop(id)) {
      return threadIndex(id->parallelType());
    }
    return isLeftOut(static_cast<int64_t>(indices.size())) ? fusion_->zero() : nullptr;
  });
  return {std::move(indices), body};
}

}  // namespace nvfuser
