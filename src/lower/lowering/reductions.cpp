#include <algorithm>
#include <array>

#include "core/error.h"
#include "ir/scalar.h"
#include "lower/barriers.h"
#include "lower/lowering/lowering.h"
#include "schedule/limits.h"
#include "schedule/propagate.h"

namespace nvfuser {

namespace {

constexpr std::array kBlockTypes = {ParallelType::BlockX, ParallelType::BlockY,
                                    ParallelType::BlockZ};

}  // namespace

void Lowering::divideGridReductions() {
  for (TensorView* tv : fusion_->tensors()) {
    if (tv->definition() == nullptr || !tv->definition()->is<ReductionOp>()) {
      continue;
    }
    std::vector<int64_t> ofBlock;
    std::vector<int64_t> ofGrid;
    for (int64_t k = 0; k < tv->nLoops(); ++k) {
      if (tv->axis(k)->isReduction()) {
        (areBlocksApart(tv->axis(k)->parallelType()) ? ofGrid : ofBlock).push_back(k);
      }
    }
    if (ofGrid.empty()) {
      continue;
    }
    // Producers share their loops with the part, consumers with the result.
    const int64_t shared = tv->computeAt();
    const int64_t produced = tv->produceAt();
    tv->setComputeAt(0);
    tv->setProduceAt(0);
    if (ofBlock.empty()) {
      // Each block has one element: there is nothing to reduce before they are stored.
      Expr* reduction = tv->definition();
      TensorView* part = reduction->input(0)->asTensor()->cacheAfter(
          LoadStoreOpType::Set, CacheOp::Unspecified, {reduction});
      propagateTransforms(tv, {part});
      for (int64_t k = 0; k < tv->nLoops(); ++k) {
        part->axis(k)->parallelize(tv->axis(k)->parallelType());
      }
      part->setProduceAt(produced);
    } else {
      tv->rFactor(ofBlock)->setProduceAt(produced);
    }
    tv->setComputeAt(shared);
    for (IterDomain* id : tv->loop()) {
      if (id->isReduction()) {
        id->parallelize(ParallelType::Serial);
      }
    }
  }
}

bool Lowering::reducesAlongX(const std::vector<Expr*>& exprs) {
  return std::ranges::any_of(exprs, [](Expr* expr) {
    return expr->is<ReductionOp>() && isReducedAlong(tensorOf(expr), ParallelType::BlockX);
  });
}

bool Lowering::isReducedByThreads(const TensorView* tv) {
  return tv->definition()->is<ReductionOp>() &&
         (isReducedAlong(tv, ParallelType::BlockX) || isReducedAlong(tv, ParallelType::BlockY) ||
          isReducedAlong(tv, ParallelType::BlockZ) || isReducedAlong(tv, ParallelType::Cluster));
}

bool Lowering::isReducedAlong(const TensorView* tv, ParallelType type) {
  return std::ranges::any_of(tv->loop(), [&](const IterDomain* id) {
    return id->isReduction() && id->parallelType() == type && !id->extent()->isConstInt(1);
  });
}

Lowering::ThreadLocal Lowering::addThreadLocal(const TensorView* tv, DataType dtype,
                                               int64_t depth) {
  BufferDomains domains = threadDomains(tv, depth);
  if (can_.hasThreads) {
    NVF_SCHEDULE_CHECK(fitsThread(domains.size), "The reduction over threads of ", tv->toString(),
                       " keeps too many elements for a thread: ", domains.size->toString());
  }
  TensorView* array = build().addLocal(dtype, domains.size);
  return {array, std::move(domains)};
}

void Lowering::reduceOverThreads(const std::vector<Expr*>& reductions, int64_t depth,
                                 kir::Block& block) {
  for (Expr* expr : reductions) {
    TensorView* tv = tensorOf(expr);
    kir::BlockReduce reduce;
    for (size_t i = 0; i < kBlockTypes.size(); ++i) {
      reduce.along[i] = isReducedAlong(tv, kBlockTypes[i]);
    }
    if (isReducedAlong(tv, ParallelType::Cluster)) {
      reduce.clusterBlocks = threads_->find(ParallelType::Cluster)->extent->constInt();
    }
    if (std::ranges::find(reduce.along, true) == reduce.along.end() && reduce.clusterBlocks == 1) {
      continue;
    }
    for (const std::vector<Val*>& indices : reducedIndices(tv, depth)) {
      DomainIndices domainIndices(tv, indices);
      reduce.parts.push_back({expr, accumulated(tv, domainIndices)});
    }
    reduce.isRepeated = loopDepth_ > 0;
    // Independent reductions that end here share the barriers.
    auto* last = block.empty() ? nullptr : std::get_if<kir::BlockReduce>(&block.back().node);
    const bool joins =
        last != nullptr && expr != reductions.front() && last->along == reduce.along &&
        last->clusterBlocks == reduce.clusterBlocks &&
        last->parts.size() + reduce.parts.size() <= static_cast<size_t>(limits::kCombinedTogether);
    reduce.scratchOffset = takeScratch(bytesFor(reduce));
    if (joins) {
      std::ranges::copy(reduce.parts, std::back_inserter(last->parts));
    } else {
      block.push_back({std::move(reduce)});
    }
  }
  for (Expr* expr : reductions) {
    if (TensorView* tv = tensorOf(expr); isAccumulatedApart(tv)) {
      storeResult(tv, depth, block);
    }
  }
}

void Lowering::storeResult(TensorView* tv, int64_t depth, kir::Block& block) {
  for (std::vector<Val*> indices : reducedIndices(tv, depth)) {
    Val* writer = nullptr;
    for (int64_t k = depth; k < tv->nLoops(); ++k) {
      const IterDomain* id = tv->axis(k);
      if (isThreadType(id->parallelType())) {
        Val* index = threadIndex(id->parallelType());
        if (id->isReduction()) {
          writer = scalar::logicalAnd(writer, scalar::eq(index, fusion_->zero()));
        } else {
          indices[static_cast<size_t>(k)] = index;
        }
      }
    }
    DomainIndices domainIndices(tv, indices);
    emit({kir::Assign{{tv, elementWritten(tv, domainIndices, strides_)},
                      accumulated(tv, domainIndices)}},
         scalar::logicalAnd(writer, predicate(tv, domainIndices, true)), block);
  }
}

Val* Lowering::bytesFor(const kir::BlockReduce& reduce) {
  const TensorView* tv = reduce.parts.front().value.tv;
  const auto count = static_cast<int64_t>(reduce.parts.size());
  Val* bytes = bytesForThreads(tv, count);
  if (reduce.clusterBlocks == 1) {
    return bytes;
  }
  // One value of each block for all threads that are combined.
  Val* ofCluster = bytesOf(tv, count * reduce.clusterBlocks);
  for (size_t i = 0; i < kBlockTypes.size(); ++i) {
    const kir::ThreadDimension* dimension = threads_->find(kBlockTypes[i]);
    if (!reduce.along[i] && dimension != nullptr) {
      ofCluster = scalar::mul(ofCluster, dimension->extent);
    }
  }
  return scalar::add(bytes, ofCluster);
}

Val* Lowering::bytesOf(const TensorView* tv, int64_t count) const {
  return scalar::constant(fusion_, count * std::max(info(tv->dtype()).bits, 8) / 8);
}

Val* Lowering::bytesForThreads(const TensorView* tv, int64_t count) {
  Val* size = bytesOf(tv, count);
  for (const kir::ThreadDimension& dimension : threads_->list()) {
    if (isBlockType(dimension.type)) {
      size = scalar::mul(size, dimension.extent);
    }
  }
  return size;
}

std::vector<std::vector<Val*>> Lowering::reducedIndices(TensorView* tv, int64_t depth) {
  return keptIndices(tv, depth, [&](int64_t k) { return tv->axis(k)->isReduction(); });
}

std::vector<std::vector<Val*>> Lowering::keptIndices(TensorView* tv, int64_t depth,
                                                     const PositionTest& isCombined) {
  std::vector<std::vector<Val*>> all{current_};
  all.front().resize(static_cast<size_t>(depth));
  for (int64_t k = depth; k < tv->nLoops(); ++k) {
    IterDomain* id = tv->axis(k);
    std::vector<std::vector<Val*>> next;
    const bool isKept = !isCombined(k) && !id->isBroadcast() && !isThreadType(id->parallelType()) &&
                        !id->extent()->isConstInt(1);
    NVF_SCHEDULE_CHECK(
        !isKept ||
            (id->extent()->isConstInt() && id->extent()->constInt() <= limits::kCombinedTogether),
        "Expected a constant extent of at most ", limits::kCombinedTogether,
        " inside what the threads of ", tv->toString(), " combine, but got ", id->toString());
    const int64_t count = isKept ? id->extent()->constInt() : 1;
    for (const std::vector<Val*>& indices : all) {
      for (int64_t i = 0; i < count; ++i) {
        next.push_back(indices);
        next.back().push_back(scalar::constant(fusion_, i));
      }
    }
    all = std::move(next);
  }
  return all;
}

kir::Access Lowering::accumulated(TensorView* tv, DomainIndices& indices) {
  const auto apart = accumulators_.find(tv);
  if (apart == accumulators_.end()) {
    return {tv, elementWritten(tv, indices, strides_)};
  }
  return {apart->second.array, elementOf(apart->second.domains, indices)};
}

}  // namespace nvfuser
