#include "schedule/check.h"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_set>

#include "core/error.h"
#include "ir/logical_map.h"
#include "schedule/loop_tree.h"
#include "schedule/propagate.h"

namespace nvfuser {

namespace {

bool contains(const std::vector<IterDomain*>& domains, const IterDomain* id) {
  return std::ranges::find(domains, id) != domains.end();
}

void checkParallelTypes(const TensorView* tv) {
  std::set<ParallelType> seen;
  for (const IterDomain* id : tv->loop()) {
    const ParallelType type = id->parallelType();
    switch (type) {
      case ParallelType::Mma:
        fail("The loop ", id->toString(), " of ", tv->toString(),
             " is part of a matrix instruction, but matrix products are library calls");
      case ParallelType::Stream:
      case ParallelType::MeshX:
      case ParallelType::MeshY:
      case ParallelType::MeshZ:
        fail("The loop ", id->toString(), " of ", tv->toString(),
             " is divided among devices or streams, which kernels are not");
      default:
        break;
    }
    NVF_CHECK(!isThreadType(type) || seen.insert(type).second, "Expected one loop of ",
              tv->toString(), " at most to be parallelized as ", type, " but got several");
    NVF_CHECK(type != ParallelType::Vectorize || id->extent()->isConstInt(),
              "Expected a vectorized loop of constant extent in ", tv->toString(), " but got ",
              id->toString());
  }
}

void checkMerges(const TensorView* tv) {
  for (const Expr* transform : transformsBetween(tv->logical(), tv->loop())) {
    if (const auto* merge = transform->as<Merge>()) {
      NVF_CHECK(!(merge->outer()->isReduction() && merge->inner()->isIteration()) &&
                    !(merge->outer()->isIteration() && merge->inner()->isReduction()),
                "A reduced loop of ", tv->toString(),
                " is merged with one that is not: ", merge->toString());
    }
  }
}

void checkSharedLoops(const Expr* use, const TensorView* producer, const TensorView* consumer) {
  const int64_t shared = producer->computeAt();
  NVF_CHECK(shared <= producer->nLoops() && shared <= consumer->nLoops(), "The tensor ",
            producer->toString(), " is inlined ", shared, " deep, but it or its consumer ",
            consumer->toString(), " has fewer loops");
  for (int64_t k = 0; k < shared; ++k) {
    const IterDomain* own = producer->axis(k);
    const IterDomain* other = consumer->axis(k);
    NVF_CHECK(own->parallelType() != ParallelType::Vectorize &&
                  other->parallelType() != ParallelType::Vectorize,
              "The vectorized loop ", own->toString(), " of ", producer->toString(),
              " cannot be shared with ", consumer->toString(), ": inline it less deep");
    NVF_CHECK(loopsCorrespond(use, producer, own, consumer, other), "The tensor ",
              producer->toString(), " is inlined ", shared, " deep into its consumer ",
              consumer->toString(), ", but their loops ", own->toString(), " and ",
              other->toString(),
              " run over different indices: transform tensors before they are inlined");
  }
}

// What is in memory is written once. In a loop that is divided, nobody else sees it in time.
void checkInlinedGlobal(TensorView* tv) {
  for (int64_t k = 0; k < tv->computeAt(); ++k) {
    IterDomain* id = tv->axis(k);
    NVF_CHECK(!isThreadType(id->parallelType()) || !runsOverMore(tv, id), "The tensor ",
              tv->toString(), " is in global memory and does not have the dimension of the loop ",
              id->toString(),
              ", which is divided among threads that read it: inline it less deep, or insert a "
              "copy with cache_before()");
  }
}

void checkAllocation(const TensorView* tv) {
  if (!tv->domain()->hasAllocation() || tv->memoryType() == MemoryType::Local) {
    return;
  }
  const std::vector<IterDomain*>& allocation = tv->domain()->allocation();
  if (tv->memoryType() == MemoryType::Shared) {
    NVF_CHECK(isCutOfTransforms(tv, allocation), "The allocation domain of ", tv->toString(),
              " does not consist of domains between its logical and its loop domain that make up "
              "the tensor");
    return;
  }
  const auto isDimension = [&](const IterDomain* id) { return contains(tv->logical(), id); };
  NVF_CHECK(
      allocation.size() == tv->logical().size() && std::ranges::all_of(allocation, isDimension),
      "The allocation domain of ", tv->toString(),
      ", which is in global memory, must be a permutation of its logical domain");
}

// What a copy asks of the caches, and a tensor of how it is stored.
void checkMarks(const TensorView* tv) {
  const auto* copy = tv->definition()->as<LoadStoreOp>();
  NVF_CHECK(tv->marks().eviction == Eviction::InTurn ||
                (copy != nullptr && tv->memoryType() != MemoryType::Global &&
                 copy->in()->asTensor()->memoryType() == MemoryType::Global),
            "evict_first, evict_last: Expected a copy of what is in global memory to somewhere "
            "else, as of cache_after(), but got ",
            tv->toString(), " = ", tv->definition()->toString());
  NVF_CHECK(!tv->marks().stream || (copy != nullptr && tv->memoryType() == MemoryType::Global),
            "stream: Expected a copy to global memory, as behind cache_before(), but got ",
            tv->toString(), " = ", tv->definition()->toString());
  NVF_CHECK(!tv->marks().isTransposedTile || tv->nLoops() >= 2,
            "transpose_tile: Expected a tensor with two loops at least but got ", tv->toString());
}

// Threads that only load have nothing but what is in global memory.
void checkLoaders(const TensorView* tv, ParallelType& common) {
  const ParallelType type = tv->loaders();
  if (type == ParallelType::Serial) {
    return;
  }
  NVF_CHECK(tv->definition()->is<LoadStoreOp>() && tv->memoryType() == MemoryType::Shared,
            "warp_specialize: Expected a copy to shared memory but got ", tv->toString());
  const TensorView* source = tv->definition()->input(0)->asTensor();
  NVF_CHECK(source->isFusionInput() || source->memoryType() == MemoryType::Global,
            "warp_specialize: Expected ", tv->toString(),
            " to be a copy of what is in global memory, but ", source->toString(), " is not");
  NVF_CHECK(std::ranges::none_of(tv->loop(),
                                 [&](const IterDomain* id) { return id->parallelType() == type; }),
            "warp_specialize: The threads along ", type, " that load ", tv->toString(),
            " cannot be those of one of its loops");
  NVF_CHECK(common == ParallelType::Serial || common == type, "warp_specialize: The tensor ",
            tv->toString(), " is loaded by threads along ", type,
            ", but another one by those along ", common);
  common = type;
}

}  // namespace

bool isCutOfTransforms(const TensorView* tv, const std::vector<IterDomain*>& domains) {
  std::vector<IterDomain*> front = tv->logical();
  for (const Expr* transform : transformsBetween(tv->logical(), tv->loop())) {
    const bool isBehind = std::ranges::any_of(transform->inputs(), [&](Val* in) {
      auto* id = static_cast<IterDomain*>(in);
      return contains(domains, id) || !(contains(front, id) || id->definition() == nullptr);
    });
    if (isBehind) {
      continue;
    }
    for (Val* in : transform->inputs()) {
      std::erase(front, static_cast<IterDomain*>(in));
    }
    for (Val* out : transform->outputs()) {
      front.push_back(static_cast<IterDomain*>(out));
    }
  }
  const auto isKept = [](const IterDomain* id) { return !id->isReduction() && !id->isBroadcast(); };
  const std::unordered_set<const IterDomain*> given(domains.begin(), domains.end());
  return given.size() == domains.size() &&
         std::ranges::all_of(
             front, [&](const IterDomain* id) { return !isKept(id) || given.contains(id); }) &&
         std::ranges::all_of(
             domains, [&](const IterDomain* id) { return !isKept(id) || contains(front, id); });
}

bool runsOverMore(const TensorView* tv, IterDomain* id) {
  const auto isAdded = [&](const IterDomain* domain) {
    return !contains(tv->logical(), domain) && domain->isBroadcast() &&
           !domain->extent()->isConstInt(1) &&
           (domain->definition() == nullptr || domain->definition()->is<BroadcastTo>());
  };
  if (isAdded(id)) {
    return true;
  }
  for (const Expr* transform : transformsBetween(tv->logical(), {id})) {
    if (std::ranges::any_of(transform->inputs(),
                            [&](Val* in) { return isAdded(static_cast<IterDomain*>(in)); })) {
      return true;
    }
  }
  return false;
}

void checkSchedule(const Fusion& fusion) {
  const std::vector<Expr*> exprs = fusion.tensorExprs();
  ParallelType loaders = ParallelType::Serial;
  for (const Expr* expr : exprs) {
    NVF_CHECK(!expr->is<LibraryOp>(),
              "KernelExecutor does not support the Fusion provided. It calls a library for ",
              expr->toString());
    for (Val* out : expr->outputs()) {
      checkParallelTypes(out->asTensor());
      checkMerges(out->asTensor());
      checkAllocation(out->asTensor());
      checkMarks(out->asTensor());
      checkLoaders(out->asTensor(), loaders);
    }
    for (Val* in : expr->inputs()) {
      if (!in->isTensor() || in->definition() == nullptr) {
        continue;
      }
      TensorView* producer = in->asTensor();
      checkSharedLoops(expr, producer, expr->output(0)->asTensor());
      if (producer->memoryType() == MemoryType::Global ||
          producer->memoryType() == MemoryType::Symmetric) {
        checkInlinedGlobal(producer);
      }
    }
  }
  const std::string problem = LoopTree::check(exprs);
  NVF_CHECK(problem.empty(), "The schedule is not legal: ", problem);
}

}  // namespace nvfuser
