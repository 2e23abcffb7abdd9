#include <algorithm>
#include <optional>
#include <set>

#include "core/error.h"
#include "ir/logical_map.h"
#include "ir/scalar.h"
#include "lower/lowering/lowering.h"
#include "lower/parameters.h"
#include "lower/passes.h"
#include "schedule/check.h"
#include "schedule/limits.h"

namespace nvfuser {

std::unique_ptr<kir::Kernel> Lowering::run() {
  for (Val* input : fusion_->inputs()) {
    if (input->isTensor() && input->asTensor()->memoryType() == MemoryType::Symmetric) {
      kernel_->peers.push_back(input->asTensor());
    }
  }
  for (TensorView* tv : fusion_->tensors()) {
    // Memory of several devices is memory of this one.
    if (tv->memoryType() == MemoryType::Symmetric) {
      tv->setMemoryType(MemoryType::Global);
    }
  }
  kernel_->divisible = fusion_->assumedDivisible();
  assumeReshapesFit();
  if (can_.hasThreads) {
    divideGridReductions();
    assumeVectorsFit();
    if (separates_) {
      separateUnseen(fusion_);
    }
  } else {
    useOneThread();
  }
  std::vector<std::vector<LoopNode::Item>> phases;
  if (can_.hasThreads) {
    phases = divideAmongKernels(fusion_);
  } else {
    for (LoopNode::Item& item : LoopTree::build(fusion_)) {
      phases.emplace_back();
      phases.back().push_back(std::move(item));
    }
  }
  if (separates_) {
    checkIterations();
  }
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
  assignMemory(phases);
  for (std::vector<LoopNode::Item>& items : phases) {
    lowerPhase(items);
    if (can_.hasThreads) {
      chooseDirection(exprsOf(items));
    }
  }
  // What scatters write into is accessed in the memory of their results.
  for (kir::VectorCondition& condition : kernel_->vectors) {
    condition.tv = memoryOf(condition.tv);
  }
  if (!kernel_->peers.empty()) {
    kernel_->parameters.push_back({kir::Parameter::Kind::Exchange, nullptr, 0, nullptr});
  }
  if (can_.reportsLookups && !kernel_->lookups.empty()) {
    kernel_->parameters.push_back({kir::Parameter::Kind::Misses, nullptr, 0, nullptr});
  }
  addScalarParameters(*kernel_, can_.hasThreads);
  return std::move(kernel_);
}

void Lowering::addPointer(TensorView* tv) {
  kernel_->parameters.push_back({kir::Parameter::Kind::Pointer, tv, 0, nullptr});
}

void Lowering::useOneThread() {
  for (TensorView* tv : fusion_->tensors()) {
    for (int64_t k = 0; k < tv->nLoops(); ++k) {
      if (isThreadType(tv->axis(k)->parallelType()) &&
          (k > 0 || tv->axis(k)->parallelType() != ParallelType::GridX)) {
        tv->axis(k)->parallelize(ParallelType::Serial);
      }
    }
  }
}

void Lowering::assumeReshapesFit() {
  for (const Expr* expr : fusion_->tensorExprs()) {
    if (!expr->is<ReshapeOp>()) {
      continue;
    }
    const auto* out = expr->output(0)->asTensor();
    for (const Expr* transform : transformsBetween(out->root(), out->logical())) {
      const auto* split = transform->as<Split>();
      if (split != nullptr && split->factor()->isConstInt()) {
        kernel_->divisible.push_back({split->in()->extent(), split->factor()->constInt()});
      } else if (split != nullptr) {
        strides_.takeForExact(split);
      }
    }
  }
}

void Lowering::assumeVectorsFit() {
  for (TensorView* tv : fusion_->tensors()) {
    for (IterDomain* id : tv->loop()) {
      if (id->parallelType() != ParallelType::Vectorize) {
        continue;
      }
      NVF_SCHEDULE_CHECK(id->extent()->isConstInt(),
                         "Expected a vectorized loop of constant extent in ", tv->toString(),
                         " but got ", id->toString());
      auto* split = id->definition() == nullptr ? nullptr : id->definition()->as<Split>();
      const Expr* before = split == nullptr ? nullptr : split->in()->definition();
      if (split != nullptr && split->inner() == id && (before == nullptr || !before->is<Align>())) {
        kernel_->divisible.push_back({split->in()->extent(), id->extent()->constInt()});
      }
    }
  }
}

void Lowering::assignMemory(const std::vector<std::vector<LoopNode::Item>>& phases) {
  for (size_t phase = 0; phase < phases.size(); ++phase) {
    for (Expr* expr : exprsOf(phases[phase])) {
      phaseOf_[expr] = phase;
    }
  }
  shareMemoryOfScatters();
  std::set<TensorView*> workspaces;
  for (const auto& [expr, phase] : phaseOf_) {
    for (Val* in : expr->inputs()) {
      if (in->isTensor() && in->definition() != nullptr && phaseOf_.at(in->definition()) != phase) {
        if (TensorView* memory = memoryOf(in->asTensor()); !memory->isFusionOutput()) {
          workspaces.insert(memory);
        }
      }
    }
    for (Val* out : expr->outputs()) {
      if (out->asTensor()->memoryType() == MemoryType::Global && !out->isFusionOutput() &&
          !written_.contains(out->asTensor())) {
        workspaces.insert(out->asTensor());
      }
    }
  }
  kernel_->workspaces.assign(workspaces.begin(), workspaces.end());
  std::ranges::sort(kernel_->workspaces, {}, &Val::name);
  for (TensorView* tv : kernel_->workspaces) {
    tv->setMemoryType(MemoryType::Global);
    useOwnLayout(tv);
    addPointer(tv);
  }
  for (const auto& [expr, phase] : phaseOf_) {
    for (Val* out : expr->outputs()) {
      // On the CPU registers, shared and tensor memory are all the worker's own memory.
      TensorView* tv = out->asTensor();
      const bool isShared = can_.hasSharedMemory && tv->memoryType() == MemoryType::Shared;
      if (tv->memoryType() != MemoryType::Global && !isShared) {
        tv->setMemoryType(MemoryType::Local);
      }
    }
  }
  for (const auto& [expr, phase] : phaseOf_) {
    if (auto* scatter = expr->as<ScatterOp>(); scatter != nullptr && !updatesOperand(scatter)) {
      TensorView* in = scatter->in();
      TensorView* out = scatter->out();
      NVF_SCHEDULE_CHECK(
          out->memoryType() == MemoryType::Global || in->computeAt() == out->computeAt(),
          "Expected ", in->toString(), ", which ", scatter->toString(),
          " writes into, to share as many loops as its result");
      in->setMemoryType(out->memoryType());
      in->followLayout(out);
      strides_.share(in, out);
    }
  }
}

void Lowering::shareMemoryOfScatters() {
  for (const auto& [expr, phase] : phaseOf_) {
    if (auto* scatter = expr->as<ScatterOp>(); scatter != nullptr && !updatesOperand(scatter)) {
      TensorView* in = scatter->in();
      NVF_SCHEDULE_CHECK(in->definition() != nullptr && in->definition()->is<LoadStoreOp>() &&
                             !in->isFusionOutput() && in->uses().size() == 1,
                         "Expected what ", scatter->toString(),
                         " writes into to be a copy that nothing else reads");
      written_[in] = scatter->out();
    }
  }
}

void Lowering::useOwnLayout(TensorView* tv) {
  // Vectors of a copy or a slice lie along what they were read from.
  const Expr* copy = tv->definition();
  if ((copy->is<LoadStoreOp>() || copy->is<SliceOp>()) && !tv->domain()->hasAllocation() &&
      !copy->input(0)->asTensor()->hasReduction() &&
      std::ranges::find(tv->loop(), ParallelType::Vectorize, &IterDomain::parallelType) !=
          tv->loop().end()) {
    const auto* in = copy->input(0)->asTensor();
    if (copy->is<SliceOp>()) {
      tv->followLayout(in);
    } else {
      const DomainMap map = producerToConsumer(copy, in, tv);
      std::vector<IterDomain*> own;
      for (const IterDomain* id : in->domain()->maybeAllocation()) {
        if (const auto known = map.find(id); known != map.end()) {
          own.push_back(known->second);
        }
      }
      if (own.size() == tv->logical().size()) {
        tv->domain()->setAllocation(own, TensorDomain::fullContiguity(own, true));
      }
    }
  }
  const std::vector<IterDomain*>& allocation = tv->domain()->allocation();
  const bool isPermutation =
      allocation.size() == tv->logical().size() &&
      std::ranges::all_of(allocation, [&](const IterDomain* id) { return isLogical(tv, id); });
  tv->domain()->setAllocation(
      isPermutation ? allocation : std::vector<IterDomain*>{},
      TensorDomain::fullContiguity(isPermutation ? allocation : tv->logical(), true));
}

void Lowering::lowerPhase(std::vector<LoopNode::Item>& items) {
  kernel_->phases.emplace_back();
  phase_ = &kernel_->phases.back();
  const std::vector<Expr*> exprs = exprsOf(items);
  phase_->scratchBytes = fusion_->zero();
  if (can_.hasThreads) {
    threads_.emplace(build(), exprs, reducesAlongX(exprs), target_.gpu.warpSize);
    phase_->threads = threads_->list();
    checkClusters();
  }
  allocate(exprs);
  for (LoopNode::Item& item : items) {
    lowerItem(item, phase_->body, true);
  }
  runKernelPasses({*kernel_, *phase_, target_});
}

void Lowering::checkClusters() const {
  const kir::ThreadDimension* cluster = threads_->find(ParallelType::Cluster);
  if (cluster == nullptr) {
    return;
  }
  NVF_SCHEDULE_CHECK(
      cluster->extent->isConstInt() && cluster->extent->constInt() <= target_.gpu.clusterBlocks,
      "Expected clusters of a constant number of blocks, of which ", target_.architecture,
      " has at most ", target_.gpu.clusterBlocks, ", but got ", cluster->extent->toString());
  NVF_SCHEDULE_CHECK(threads_->find(ParallelType::GridY) == nullptr,
                     "The blocks of a cluster are those along y of the grid: ", ParallelType::GridY,
                     " cannot be used beside ", ParallelType::Cluster);
}

void Lowering::chooseDirection(const std::vector<Expr*>& exprs) {
  // The largest, by its dimensions, of what an earlier phase read, too.
  const TensorView* shared = nullptr;
  std::set<const TensorView*> read;
  for (const Expr* expr : exprs) {
    for (const Val* in : expr->inputs()) {
      const TensorView* tv = in->isTensor() ? in->asTensor() : nullptr;
      if (tv == nullptr || tv->memoryType() != MemoryType::Global || !read.insert(tv).second) {
        continue;
      }
      const auto rank = [](const TensorView* of) {
        return std::ranges::count_if(of->logical(), &IterDomain::isIteration);
      };
      if (readInReverse_.contains(tv) && (shared == nullptr || rank(tv) > rank(shared))) {
        shared = tv;
      }
    }
  }
  phase_->isReversed = shared != nullptr && !readInReverse_.at(shared);
  for (const TensorView* tv : read) {
    readInReverse_[tv] = phase_->isReversed;
  }
}

namespace {

// Whether a tensor that is in memory is hardly divided among threads: those that differ along a
// dimension that it does not have compute the same elements, each thread more elements than there
// are threads, or less than a warp of a block much. A few elements do not matter.
bool isHardlyDivided(TensorView* tv, int64_t warpSize) {
  bool isRepeated = false;
  // None where a number is not known.
  std::optional<int64_t> ofThread = 1;
  std::optional<int64_t> threads = 1;
  std::optional<int64_t> ofBlock = 1;
  const auto multiply = [](std::optional<int64_t>& count, const Val* extent) {
    count =
        count && extent->isConstInt() ? std::optional(*count * extent->constInt()) : std::nullopt;
  };
  for (IterDomain* id : tv->loop()) {
    const bool isOfThreads = isThreadType(id->parallelType());
    if (!isOfThreads && (id->isReduction() || id->isBroadcast())) {
      continue;
    }
    isRepeated = isRepeated || (isOfThreads && runsOverMore(tv, id));
    multiply(isOfThreads ? threads : ofThread, id->extent());
    if (isBlockType(id->parallelType())) {
      multiply(ofBlock, id->extent());
    }
  }
  const bool areFew = ofThread && *ofThread <= limits::kChosenThreadElements;
  const bool isBetween = !tv->isFusionOutput() && ofThread && threads;
  return !areFew && (isRepeated || (isBetween && (*threads < *ofThread ||
                                                  ofBlock.value_or(warpSize) < warpSize)));
}

}  // namespace

void Lowering::checkIterations() const {
  // Loops of a heuristic's may have something computed again, as what slices or pads are cut out
  // of; but not everything for every element of something else.
  int64_t largest = limits::kFewIterations / limits::kRepeatedIterations;
  for (const TensorView* tv : fusion_->tensors()) {
    const std::optional<int64_t> elements = knownElements(tv->logical());
    if (!elements) {
      return;
    }
    largest = std::max(largest, *elements);
  }
  for (const Expr* expr : fusion_->tensorExprs()) {
    const auto* tv = expr->output(0)->asTensor();
    int64_t iterations = 1;
    for (const IterDomain* id : tv->loop()) {
      const bool isKnown = id->extent()->isConstInt();
      NVF_SCHEDULE_CHECK(
          !isKnown || (!__builtin_mul_overflow(iterations, id->extent()->constInt(), &iterations) &&
                       iterations / limits::kRepeatedIterations <= largest),
          "Loops would compute ", tv->toString(), " again and again");
    }
  }
}

void Lowering::allocate(const std::vector<Expr*>& exprs) {
  for (Expr* expr : exprs) {
    TensorView* tv = expr->output(0)->asTensor();
    if (can_.hasThreads && tv->memoryType() != MemoryType::Local && isReducedByThreads(tv)) {
      accumulators_[tv] = addThreadLocal(tv, tv->dtype(), firstReductionLoop(tv));
    }
    if (tv->memoryType() == MemoryType::Global || written_.contains(tv)) {
      NVF_SCHEDULE_CHECK(
          !can_.hasThreads || !separates_ || !isHardlyDivided(tv, target_.gpu.warpSize),
          "Threads would hardly divide the elements of ", tv->toString());
      continue;
    }
    kir::Buffer buffer{tv, bufferDomains(tv).size};
    const int64_t bits = std::max(info(tv->dtype()).bits, 8);
    bool isVariable = buffer.size->isConstInt();
    if (can_.hasThreads) {
      isVariable = tv->memoryType() != MemoryType::Shared;
      NVF_SCHEDULE_CHECK(!isVariable || fitsThread(tv), "The local tensor ", tv->toString(),
                         " has too many elements for a thread, ", buffer.size->toString());
      // A whole tensor of a heuristic's would be computed by every thread.
      NVF_SCHEDULE_CHECK(
          !isVariable || !separates_ || buffer.size->constInt() <= limits::kChosenThreadElements,
          "Each thread would compute ", buffer.size->toString(), " elements of ", tv->toString());
    } else {
      isVariable = isVariable && buffer.size->constInt() * bits / 8 <= limits::kStackBytes;
    }
    if (!isVariable) {
      if (can_.hasThreads && tv->marks().copiesAhead) {
        buffer.size = scalar::add(buffer.size, buffer.size);
      }
      buffer.scratchOffset =
          takeScratch(scalar::mul(buffer.size, scalar::constant(fusion_, bits / 8)));
    }
    phase_->buffers.push_back(buffer);
  }
}

Val* Lowering::takeScratch(Val* bytes) {
  Val* offset = phase_->scratchBytes;
  Val* line = scalar::constant(fusion_, kernel_->lineBytes);
  phase_->scratchBytes = scalar::add(offset, scalar::mul(scalar::ceilDiv(bytes, line), line));
  return offset;
}

}  // namespace nvfuser
