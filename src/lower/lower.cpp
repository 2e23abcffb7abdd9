#include "lower/lower.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"
#include "ir/logical_map.h"
#include "ir/scalar.h"
#include "lower/barriers.h"
#include "lower/index.h"
#include "lower/index_values.h"
#include "lower/parameters.h"
#include "lower/prefetch.h"
#include "lower/split_loops.h"
#include "lower/threads.h"
#include "ops/elementwise.h"
#include "ops/scan.h"
#include "ops/tensor_builder.h"
#include "schedule/loop_tree.h"
#include "schedule/scan_loops.h"

namespace nvfuser {

namespace {

// Larger buffers of constant size live in the worker's scratch memory instead of on its stack.
constexpr int64_t kMaxStackBytes = 16 * 1024;
constexpr int64_t kWarpSize = 32;
// So many results at a time share the barriers of a reduction or scan over threads.
constexpr int64_t kMaxCombinedTogether = 16;

class Lowering {
 public:
  Lowering(Fusion* fusion, std::string name, DeviceType device)
      : fusion_(fusion),
        isCuda_(device == DeviceType::CUDA),
        kernel_(std::make_unique<kir::Kernel>()),
        strides_(kernel_.get()) {
    kernel_->fusion = fusion;
    kernel_->name = std::move(name);
  }

  std::unique_ptr<kir::Kernel> run() {
    for (TensorView* tv : fusion_->tensors()) {
      // Memory of several devices is memory of this one.
      if (tv->memoryType() == MemoryType::Symmetric) {
        tv->setMemoryType(MemoryType::Global);
      }
    }
    kernel_->divisible = fusion_->assumedDivisible();
    assumeReshapesFit();
    if (isCuda_) {
      divideGridReductions();
      assumeVectorsFit();
    } else {
      useOneThread();
    }
    std::vector<std::vector<LoopNode::Item>> phases;
    std::vector<LoopNode::Item> nests = LoopTree::build(fusion_);
    if (isCuda_) {
      phases = divideAmongKernels(std::move(nests));
    } else {
      for (LoopNode::Item& item : nests) {
        phases.emplace_back();
        phases.back().push_back(std::move(item));
      }
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
    }
    if (!isCuda_ && !kernel_->lookups.empty()) {
      kernel_->parameters.push_back({kir::Parameter::Kind::Misses, nullptr, 0, nullptr});
    }
    addScalarParameters(*kernel_, loopIndices_);
    return std::move(kernel_);
  }

 private:
  void addPointer(TensorView* tv) {
    kernel_->parameters.push_back({kir::Parameter::Kind::Pointer, tv, 0, nullptr});
  }

  // What schedules for the GPU ask for means plain loops here, but for the outermost one.
  void useOneThread() {
    for (TensorView* tv : fusion_->tensors()) {
      for (int64_t k = 0; k < tv->nLoops(); ++k) {
        if (isThreadType(tv->axis(k)->parallelType()) &&
            (k > 0 || tv->axis(k)->parallelType() != ParallelType::GridX)) {
          tv->axis(k)->parallelize(ParallelType::Serial);
        }
      }
    }
  }

  // A reshape divides dimensions into whole parts.
  void assumeReshapesFit() {
    for (const Expr* expr : fusion_->tensorExprs()) {
      if (!expr->is<ReshapeOp>()) {
        continue;
      }
      const auto* out = expr->output(0)->asTensor();
      for (const Expr* transform : transformsBetween(out->root(), out->logical())) {
        const auto* split = transform->as<Split>();
        if (split != nullptr && split->factor()->isConstInt()) {
          kernel_->divisible.push_back({split->in()->extent(), split->factor()->constInt()});
        }
      }
    }
  }

  // Blocks cannot wait for each other: where they reduce together, each leaves its part in global
  // memory, and another kernel combines the parts.
  void divideGridReductions() {
    for (TensorView* tv : fusion_->tensors()) {
      if (tv->definition() == nullptr || !tv->definition()->is<ReductionOp>()) {
        continue;
      }
      std::vector<int64_t> ofBlock;
      std::vector<int64_t> ofGrid;
      for (int64_t k = 0; k < tv->nLoops(); ++k) {
        if (tv->axis(k)->isReduction()) {
          (isGridType(tv->axis(k)->parallelType()) ? ofGrid : ofBlock).push_back(k);
        }
      }
      if (ofGrid.empty()) {
        continue;
      }
      NVF_SCHEDULE_CHECK(!ofBlock.empty(), "The reduction ", tv->toString(),
                         " leaves nothing to each block: split the loop of blocks, ",
                         tv->axis(ofGrid.front())->toString(), ", before it is parallelized");
      // Producers share their loops with the part, consumers with the result.
      const int64_t shared = tv->computeAt();
      const int64_t produced = tv->produceAt();
      tv->setComputeAt(0);
      tv->setProduceAt(0);
      tv->rFactor(ofBlock)->setProduceAt(produced);
      tv->setComputeAt(shared);
      for (IterDomain* id : tv->loop()) {
        if (id->isReduction()) {
          id->parallelize(ParallelType::Serial);
        }
      }
    }
  }

  // A vectorized loop has no remainder: sizes for which there is one are not run with this kernel.
  void assumeVectorsFit() {
    for (TensorView* tv : fusion_->tensors()) {
      for (IterDomain* id : tv->loop()) {
        if (id->parallelType() != ParallelType::Vectorize) {
          continue;
        }
        NVF_SCHEDULE_CHECK(id->extent()->isConstInt(),
                           "Expected a vectorized loop of constant extent in ", tv->toString(),
                           " but got ", id->toString());
        auto* split = id->definition() == nullptr ? nullptr : id->definition()->as<Split>();
        if (split != nullptr && split->inner() == id) {
          kernel_->divisible.push_back({split->in()->extent(), id->extent()->constInt()});
        }
      }
    }
  }

  // A tensor that another phase reads must be in memory that all workers see.
  void assignMemory(const std::vector<std::vector<LoopNode::Item>>& phases) {
    for (size_t phase = 0; phase < phases.size(); ++phase) {
      for (Expr* expr : exprsOf(phases[phase])) {
        phaseOf_[expr] = phase;
      }
    }
    std::set<TensorView*> workspaces;
    for (const auto& [expr, phase] : phaseOf_) {
      for (Val* in : expr->inputs()) {
        if (in->isTensor() && in->definition() != nullptr &&
            phaseOf_.at(in->definition()) != phase && !in->isFusionOutput()) {
          workspaces.insert(in->asTensor());
        }
      }
      for (Val* out : expr->outputs()) {
        if (out->asTensor()->memoryType() == MemoryType::Global && !out->isFusionOutput()) {
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
        const bool isShared = isCuda_ && tv->memoryType() == MemoryType::Shared;
        if (tv->memoryType() != MemoryType::Global && !isShared) {
          tv->setMemoryType(MemoryType::Local);
        }
      }
    }
  }

  // Workspaces are dense, in the order of an allocation domain of whole dimensions.
  static void useOwnLayout(TensorView* tv) {
    const std::vector<IterDomain*>& allocation = tv->domain()->allocation();
    const bool isPermutation =
        allocation.size() == tv->logical().size() &&
        std::ranges::all_of(allocation, [&](const IterDomain* id) { return isLogical(tv, id); });
    tv->domain()->setAllocation(
        isPermutation ? allocation : std::vector<IterDomain*>{},
        TensorDomain::fullContiguity(isPermutation ? allocation : tv->logical(), true));
  }

  void lowerPhase(std::vector<LoopNode::Item>& items) {
    kernel_->phases.emplace_back();
    phase_ = &kernel_->phases.back();
    const std::vector<Expr*> exprs = exprsOf(items);
    phase_->scratchBytes = fusion_->zero();
    if (isCuda_) {
      threads_.emplace(fusion_, exprs, reducesAlongX(exprs) ? kWarpSize : 1);
      phase_->threads = threads_->list();
      for (const kir::ThreadDimension& dimension : phase_->threads) {
        loopIndices_.insert(dimension.index);
      }
    }
    allocate(exprs);
    for (LoopNode::Item& item : items) {
      lowerItem(item, phase_->body, true);
    }
    if (isCuda_) {
      insertBarriers(*phase_, *fusion_);
      noteHeldTensors(phase_->body);
    } else {
      splitLoops(*phase_, *fusion_);
      prefetchResults(*phase_, fusion_);
    }
  }

  // Shuffles between the threads of a warp need all of them.
  static bool reducesAlongX(const std::vector<Expr*>& exprs) {
    return std::ranges::any_of(exprs, [](Expr* expr) {
      return expr->is<ReductionOp>() && isReducedAlong(tensorOf(expr), ParallelType::BlockX);
    });
  }

  static bool isReducedByThreads(const TensorView* tv) {
    return tv->definition()->is<ReductionOp>() &&
           (isReducedAlong(tv, ParallelType::BlockX) || isReducedAlong(tv, ParallelType::BlockY) ||
            isReducedAlong(tv, ParallelType::BlockZ));
  }

  static bool isReducedAlong(const TensorView* tv, ParallelType type) {
    return std::ranges::any_of(tv->loop(), [&](const IterDomain* id) {
      return id->isReduction() && id->parallelType() == type && !id->extent()->isConstInt(1);
    });
  }

  void allocate(const std::vector<Expr*>& exprs) {
    for (Expr* expr : exprs) {
      TensorView* tv = expr->output(0)->asTensor();
      if (isCuda_ && tv->memoryType() != MemoryType::Local && isReducedByThreads(tv)) {
        accumulators_[tv] = addAccumulator(tv, tv->dtype(), firstReductionLoop(tv));
      }
      if (tv->memoryType() == MemoryType::Global) {
        continue;
      }
      kir::Buffer buffer{tv, bufferDomains(tv).size};
      const int64_t bits = std::max(info(tv->dtype()).bits, 8);
      bool isVariable = buffer.size->isConstInt();
      if (isCuda_) {
        isVariable = tv->memoryType() != MemoryType::Shared;
        NVF_SCHEDULE_CHECK(!isVariable || fitsThread(tv), "The local tensor ", tv->toString(),
                           " has too many elements for a thread, ", buffer.size->toString());
      } else {
        isVariable = isVariable && buffer.size->constInt() * bits / 8 <= kMaxStackBytes;
      }
      if (!isVariable) {
        buffer.scratchOffset =
            takeScratch(scalar::mul(buffer.size, scalar::constant(fusion_, bits / 8)));
      }
      phase_->buffers.push_back(buffer);
    }
  }

  // A tensor in the same loops, for what a thread keeps inside those from `depth` on.
  TensorView* addAccumulator(TensorView* tv, DataType dtype, int64_t depth) {
    auto* accumulator = fusion_->create<TensorView>(tv->domain(), dtype);
    accumulator->setComputeAt(depth);
    kir::Buffer buffer{accumulator, bufferDomains(accumulator).size};
    if (isCuda_) {
      NVF_CHECK(fitsThread(accumulator), "The reduction over threads of ", tv->toString(),
                " keeps too many elements for a thread: ", buffer.size->toString());
    }
    phase_->buffers.push_back(buffer);
    return accumulator;
  }

  // The offset of so many bytes of scratch memory, which is handed out in cache lines.
  Val* takeScratch(Val* bytes) {
    Val* offset = phase_->scratchBytes;
    Val* line = scalar::constant(fusion_, 64);
    phase_->scratchBytes = scalar::add(offset, scalar::mul(scalar::ceilDiv(bytes, line), line));
    return offset;
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

  // The copy that a tile of two vectorized loops consists of; null for any other loop.
  static Expr* tileOf(const LoopNode& node) {
    const auto isAlone = [](const LoopNode& loop) {
      return loop.members.size() == 1 && loop.body.size() == 1 &&
             loop.members[0].id->parallelType() == ParallelType::Vectorize;
    };
    if (!isAlone(node)) {
      return nullptr;
    }
    const auto* inner = std::get_if<std::unique_ptr<LoopNode>>(&node.body[0]);
    if (inner == nullptr || !isAlone(**inner)) {
      return nullptr;
    }
    auto* const* expr = std::get_if<Expr*>(&(*inner)->body[0]);
    return expr != nullptr && isCopy(*expr) ? *expr : nullptr;
  }

  // A tile of two vectorized loops whose inner one runs along the lines of the result and whose
  // outer one along those of the operand. Returns whether it is such a tile; plain loops do for any
  // other.
  bool lowerTransposedCopy(LoopNode& node, kir::Block& block) {
    Expr* copy = isCuda_ ? nullptr : tileOf(node);
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
    tile.out.tv = out;
    tile.in.tv = in;
    block.push_back({tile});
    return true;
  }

  void lowerLoop(LoopNode& node, kir::Block& block, bool isTopLevel) {
    if (lowerTransposedCopy(node, block)) {
      return;
    }
    const LoopNode::Member& leader = representative(node);
    const ParallelType type = leader.id->parallelType();
    // Reductions that begin with this loop start from their initial value.
    bool isReduction = false;
    std::vector<Expr*> beginning;
    std::vector<ScanOp*> scans;
    for (const LoopNode::Member& member : node.members) {
      NVF_SCHEDULE_CHECK(!isCuda_ || member.id->parallelType() == type ||
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
    const bool isParallel = !isCuda_ && isTopLevel && !isReduction && type == ParallelType::GridX;
    // Blocks, threads and vectors take the place of the loop.
    Val* index = nullptr;
    if (isCuda_ && isThreadType(type)) {
      index = threadIndex(type);
    } else if (((extent->isConstInt(1) || leader.id->isBroadcast()) && !isParallel) ||
               (isCuda_ && type == ParallelType::Vectorize)) {
      index = fusion_->zero();
    }
    const bool isLoop = index == nullptr;
    Val* stop = extent;
    if (isLoop) {
      index = fusion_->create<Val>(DataType::Index);
      loopIndices_.insert(index);
      stop = clipped(leader, node.members);
    }
    current_.push_back(index);
    loopDepth_ += isLoop;
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
      block.push_back({kir::Loop{index, fusion_->zero(), stop, type, isReduction,
                                 std::make_unique<kir::Block>(std::move(body))}});
    } else {
      std::ranges::move(body, std::back_inserter(block));
    }
    if (isCuda_) {
      reduceOverThreads(beginning, node.depth, block);
    }
    for (ScanOp* scan : scans) {
      if (scanOf(scan).pieces == node.depth) {
        joinPieces(scan, block);
      }
    }
  }

  Val* threadIndex(ParallelType type) const {
    const kir::ThreadDimension* dimension = threads_->find(type);
    return dimension == nullptr ? fusion_->zero() : dimension->index;
  }

  // Combines the parts of reductions that the threads of a block have computed in the loops from
  // `depth` on.
  void reduceOverThreads(const std::vector<Expr*>& reductions, int64_t depth, kir::Block& block) {
    for (Expr* expr : reductions) {
      TensorView* tv = tensorOf(expr);
      kir::BlockReduce reduce;
      constexpr std::array kTypes = {ParallelType::BlockX, ParallelType::BlockY,
                                     ParallelType::BlockZ};
      for (size_t i = 0; i < kTypes.size(); ++i) {
        reduce.along[i] = isReducedAlong(tv, kTypes[i]);
      }
      if (std::ranges::find(reduce.along, true) == reduce.along.end()) {
        continue;
      }
      TensorView* accumulator = accumulatorOf(tv);
      for (const std::vector<Val*>& indices : reducedIndices(tv, depth)) {
        DomainIndices domainIndices(accumulator, indices);
        reduce.parts.push_back(
            {expr, {accumulator, elementWritten(accumulator, domainIndices, strides_)}});
      }
      reduce.isRepeated = loopDepth_ > 0;
      // Independent reductions that end here share the barriers.
      auto* last = block.empty() ? nullptr : std::get_if<kir::BlockReduce>(&block.back().node);
      const bool joins =
          last != nullptr && expr != reductions.front() && last->along == reduce.along &&
          last->parts.size() + reduce.parts.size() <= static_cast<size_t>(kMaxCombinedTogether);
      reduce.scratchOffset = takeScratch(bytesForThreads(
          reduce.parts.front().value.tv, static_cast<int64_t>(reduce.parts.size())));
      if (joins) {
        std::ranges::copy(reduce.parts, std::back_inserter(last->parts));
      } else {
        block.push_back({std::move(reduce)});
      }
    }
    for (Expr* expr : reductions) {
      if (TensorView* tv = tensorOf(expr); accumulatorOf(tv) != tv) {
        storeResult(tv, depth, block);
      }
    }
  }

  // One of the threads that have the result of a reduction writes it.
  void storeResult(TensorView* tv, int64_t depth, kir::Block& block) {
    TensorView* accumulator = accumulatorOf(tv);
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
      emit({kir::Assign{
               {tv, elementWritten(tv, domainIndices, strides_)},
               kir::Access{accumulator, elementWritten(accumulator, domainIndices, strides_)}}},
           scalar::logicalAnd(writer, predicate(tv, domainIndices, true)), block);
    }
  }

  // So many values like those of `tv` for each thread.
  Val* bytesForThreads(const TensorView* tv, int64_t count) {
    Val* size = scalar::constant(fusion_, count * std::max(info(tv->dtype()).bits, 8) / 8);
    for (const kir::ThreadDimension& dimension : threads_->list()) {
      if (isBlockType(dimension.type)) {
        size = scalar::mul(size, dimension.extent);
      }
    }
    return size;
  }

  // The indices that a reduction keeps apart in its loops from `depth` on.
  std::vector<std::vector<Val*>> reducedIndices(TensorView* tv, int64_t depth) {
    return keptIndices(tv, depth, [&](int64_t k) { return tv->axis(k)->isReduction(); });
  }

  // The indices that threads keep apart in the loops of `tv` from `depth` on that they do not
  // combine.
  template <typename IsCombined>
  std::vector<std::vector<Val*>> keptIndices(TensorView* tv, int64_t depth,
                                             const IsCombined& isCombined) {
    std::vector<std::vector<Val*>> all{current_};
    all.front().resize(static_cast<size_t>(depth));
    for (int64_t k = depth; k < tv->nLoops(); ++k) {
      IterDomain* id = tv->axis(k);
      std::vector<std::vector<Val*>> next;
      const bool isKept = !isCombined(k) && !id->isBroadcast() &&
                          !isThreadType(id->parallelType()) && !id->extent()->isConstInt(1);
      NVF_SCHEDULE_CHECK(
          !isKept ||
              (id->extent()->isConstInt() && id->extent()->constInt() <= kMaxCombinedTogether),
          "Expected a constant extent of at most ", kMaxCombinedTogether,
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

  // Whether the loop is the inner part of a split whose outer part is then cut off or extended:
  // what shares the loop may end elsewhere.
  static bool isResizedOutside(const LoopNode::Member& member) {
    Expr* definition = member.id->definition();
    auto* split = definition == nullptr ? nullptr : definition->as<Split>();
    return split != nullptr &&
           std::ranges::any_of(transformsBetween({split->outer()}, member.tv->loop()),
                               [](const Expr* transform) { return transform->is<Resize>(); });
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
    if (isCuda_) {
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

  // Where the loop over these members ends, which needs no condition inside it where that is before
  // the extent.
  Val* clipped(const LoopNode::Member& leader, const std::vector<LoopNode::Member>& members) {
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

  // Whether a member computes elements of local variables from elements of such alone: one that
  // does not exist has memory, too, and may have any value.
  static bool isOfLocals(const LoopNode::Member& member) {
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

  bool needsPredicate(const Split* split) const {
    return !scalar::isDivisible(split->in()->extent(), split->factor()) &&
           std::ranges::none_of(kernel_->divisible, [&](const Fusion::Divisibility& known) {
             return scalar::same(known.extent, split->in()->extent()) &&
                    split->factor()->isConstInt(known.factor);
           });
  }

  // When the element computed at the current indices exists; of a reduction, when there is
  // something to add to it, unless it is the result as such that is asked for.
  Val* predicate(TensorView* tv, DomainIndices& indices, bool ofResult = false) {
    Val* condition = nullptr;
    const auto require = [&](Val* c) { condition = scalar::logicalAnd(condition, c); };
    // What a reduction that was divided by rfactor reads lies behind its own transforms.
    const bool isReduction = tv->definition() != nullptr && tv->definition()->is<ReductionOp>();
    const auto& domains = isReduction && !ofResult ? tv->maybeRoot() : tv->logical();
    for (Expr* transform : transformsBetween(domains, tv->loop())) {
      if (auto* split = transform->as<Split>()) {
        // A thread beyond a broadcast dimension has its own copy of the one value: others read it
        // there, see obstacle() in threads.cpp.
        const bool isCopied =
            isCuda_ && tv->memoryType() == MemoryType::Local && split->in()->isBroadcast();
        if (needsPredicate(split) && !clipped_.contains(split) && !isCopied) {
          require(scalar::lt(indices(split->in()), split->in()->extent()));
        }
      } else if (auto* resize = transform->as<Resize>()) {
        requireInside(resize, indices, require);
      }
    }
    if (isCuda_) {
      requireOwnThreads(tv, indices, require);
    }
    // Into shared memory every block, and maybe several threads of it, write the same value.
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

  // There may be more threads than a tensor has use for.
  template <typename Require>
  void requireOwnThreads(const TensorView* tv, DomainIndices& indices, const Require& require) {
    const bool isWritten = tv->memoryType() != MemoryType::Local;
    for (const kir::ThreadDimension& dimension : phase_->threads) {
      if (dimension.firstLoader != nullptr && tv->loaders() == dimension.type) {
        require(scalar::eq(dimension.index, dimension.firstLoader));
        continue;
      }
      const auto own = std::ranges::find_if(
          tv->loop(), [&](const IterDomain* id) { return id->parallelType() == dimension.type; });
      if (own != tv->loop().end() && !(*own)->isReduction() && (*own)->isBroadcast()) {
        // One of them writes: see predicate().
        continue;
      }
      if (own == tv->loop().end()) {
        // What a block writes to its own memory all blocks write.
        const bool isOwnMemory =
            tv->memoryType() == MemoryType::Shared && isGridType(dimension.type);
        if (isWritten && !isOwnMemory) {
          require(scalar::eq(dimension.index, fusion_->zero()));
        } else if (dimension.firstLoader != nullptr) {
          require(scalar::lt(dimension.index, dimension.firstLoader));
        }
      } else if (!scalar::same((*own)->extent(), dimension.extent)) {
        require(scalar::lt(indices(*own), (*own)->extent()));
      }
    }
  }

  // On CUDA, what threads compute for themselves beyond the end of a tensor does no harm as long as
  // it stays in their registers.
  bool mayRunAnywhere(const Expr* expr) const {
    const auto isOwn = [](const Val* val) {
      return !val->isTensor() || val->asTensor()->memoryType() == MemoryType::Local;
    };
    return isCuda_ && !expr->is<ReductionOp>() && !expr->is<ScanOp>() && isOwn(expr->output(0)) &&
           std::ranges::all_of(expr->inputs(), isOwn);
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
      require(scalar::lt(index, resize->in()->visibleExtent()));
    }
  }

  // Where a reduction accumulates: in the registers of a thread, if threads share its result.
  TensorView* accumulatorOf(TensorView* tv) const {
    const auto known = accumulators_.find(tv);
    return known == accumulators_.end() ? tv : known->second;
  }

  // How a scan is computed.
  struct Scan {
    ScanLoops loops;
    // Divided among threads: the first of the loops that are computed as a whole, in pieces.
    // Negative where every element is combined with all before it at once.
    int64_t pieces = -1;
    // What has been combined so far, of each column: a scalar of that position in the loops inside.
    TensorView* carry = nullptr;
    // In pieces: what each of them combines to, and the elements so far.
    TensorView* total = nullptr;
    TensorView* partial = nullptr;
  };

  const Scan& scanOf(ScanOp* op) {
    const auto [known, isNew] = scans_.try_emplace(op);
    Scan& scan = known->second;
    if (!isNew) {
      return scan;
    }
    TensorView* out = op->out();
    scan.loops = scanLoops(op);
    checkScanLoops(op);
    const DataType dtype = computeType(out->dtype());
    if (scan.loops.threads >= 0) {
      const auto first = std::ranges::lower_bound(scan.loops.positions, out->computeAt());
      NVF_SCHEDULE_CHECK(
          first != scan.loops.positions.end() && out->memoryType() == MemoryType::Local,
          "Expected the result of ", op->toString(), ", whose loops ", out->domain()->toString(),
          " divide it among threads, to be a local tensor that is computed outside of these loops");
      scan.pieces = *first;
      scan.total = addCarry(op, dtype, scan.pieces, [&](int64_t k) { return isElement(scan, k); });
      scan.partial = dtype == out->dtype() ? out : addAccumulator(out, dtype, out->computeAt());
    }
    scan.carry = addCarry(op, dtype, scan.loops.positions.front(),
                          [&](int64_t k) { return scan.loops.contains(k); });
    return scan;
  }

  bool isScanned(ScanOp* op, int64_t position) { return scanOf(op).loops.contains(position); }

  // Whether a loop runs over the elements of the pieces, which follow each other.
  static bool isElement(const Scan& scan, int64_t position) {
    return position > scan.loops.threads && scan.loops.contains(position);
  }

  bool isThreadLoop(const IterDomain* id) const {
    return isCuda_ && isThreadType(id->parallelType());
  }

  // The number of an element among those for each position of the loops of `tv` from `first` on
  // that are not combined, and how many these are.
  template <typename IsCombined>
  std::pair<Val*, Val*> placeAmong(const TensorView* tv, int64_t first,
                                   const std::vector<Val*>& indices, const IsCombined& isCombined) {
    Val* size = fusion_->one();
    Val* index = fusion_->zero();
    for (int64_t k = tv->nLoops() - 1; k >= first; --k) {
      const IterDomain* id = tv->axis(k);
      if (!id->isBroadcast() && !isThreadLoop(id) && !isCombined(k)) {
        index = scalar::add(index, scalar::mul(indices[static_cast<size_t>(k)], size));
        size = scalar::mul(size, id->extent());
      }
    }
    return {index, size};
  }

  // A variable for each position of the loops of a scan from `first` on that are not combined.
  template <typename IsCombined>
  TensorView* addCarry(ScanOp* op, DataType dtype, int64_t first, const IsCombined& isCombined) {
    TensorView* carry = ops::newTensor(fusion_, {}, dtype);
    carry->setMemoryType(MemoryType::Local);
    const TensorView* out = op->out();
    const std::vector<Val*> nowhere(static_cast<size_t>(out->nLoops()), fusion_->zero());
    kir::Buffer buffer{carry, placeAmong(out, first, nowhere, isCombined).second};
    const int64_t bytes = std::max(info(dtype).bits, 8) / 8;
    const bool fits =
        buffer.size->isConstInt() && buffer.size->constInt() * bytes <= kMaxStackBytes;
    NVF_SCHEDULE_CHECK(fits || !isCuda_, "The loops inside that of ", op->toString(),
                       " must be those of threads");
    if (!fits) {
      buffer.scratchOffset =
          takeScratch(scalar::mul(buffer.size, scalar::constant(fusion_, bytes)));
    }
    phase_->buffers.push_back(buffer);
    return carry;
  }

  kir::Access carryOf(ScanOp* op, const std::vector<Val*>& indices) {
    const Scan& scan = scanOf(op);
    return {scan.carry,
            placeAmong(op->out(), scan.loops.positions.front(), indices, [&](int64_t k) {
              return scan.loops.contains(k);
            }).first};
  }

  kir::Access totalOf(ScanOp* op, const std::vector<Val*>& indices) {
    const Scan& scan = scanOf(op);
    return {scan.total, placeAmong(op->out(), scan.pieces, indices, [&](int64_t k) {
                          return isElement(scan, k);
                        }).first};
  }

  // Opens loops over the loops of `tv` behind those that `indices` has, which it completes, and
  // returns the body of the innermost one. Those of one element have no loop, and neither have
  // those of which `indexOf` knows the index.
  template <typename IndexOf>
  kir::Block* openOwnLoops(const TensorView* tv, std::vector<Val*>& indices, kir::Block& block,
                           const IndexOf& indexOf) {
    kir::Block* target = &block;
    for (auto k = static_cast<int64_t>(indices.size()); k < tv->nLoops(); ++k) {
      const IterDomain* id = tv->axis(k);
      if (id->isReduction() || id->isBroadcast() || id->extent()->isConstInt(1)) {
        indices.push_back(fusion_->zero());
        continue;
      }
      Val* index = indexOf(id);
      if (index == nullptr) {
        index = fusion_->create<Val>(DataType::Index);
        loopIndices_.insert(index);
        target->push_back({kir::Loop{index, fusion_->zero(), id->extent(), ParallelType::Serial,
                                     false, std::make_unique<kir::Block>()}});
        target = std::get<kir::Loop>(target->back().node).body.get();
      }
      indices.push_back(index);
    }
    return target;
  }

  // What the carry of a scan begins with in front of its outermost loop, and each piece.
  void lowerScanInit(ScanOp* op, int64_t depth, kir::Block& block) {
    const Scan& scan = scanOf(op);
    Val* identity = ops::scanIdentity(fusion_, op->type(), scan.carry->dtype());
    if (depth == scan.loops.positions.front()) {
      const auto [indices, body] =
          openLoops(op->out(), depth, block, [&](int64_t k) { return scan.loops.contains(k); });
      body->push_back(
          {kir::Assign{carryOf(op, indices), op->init() != nullptr ? op->init() : identity}});
    }
    if (depth == scan.pieces) {
      const auto [indices, body] =
          openLoops(op->out(), depth, block, [&](int64_t k) { return isElement(scan, k); });
      body->push_back({kir::Assign{totalOf(op, indices), identity}});
    }
  }

  // Opens loops over those of `tv` from `depth` on, but for those of threads and those that are
  // left out. Returns the indices and the body of the innermost loop.
  template <typename IsLeftOut>
  std::pair<std::vector<Val*>, kir::Block*> openLoops(const TensorView* tv, int64_t depth,
                                                      kir::Block& block,
                                                      const IsLeftOut& isLeftOut) {
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

  // Once all pieces are combined for themselves: combines their elements with what precedes them.
  void joinPieces(ScanOp* op, kir::Block& block) {
    const Scan& scan = scanOf(op);
    TensorView* out = op->out();
    kir::BlockScan join;
    const std::vector<std::vector<Val*>> pieces =
        keptIndices(out, scan.pieces, [&](int64_t k) { return isElement(scan, k); });
    for (const std::vector<Val*>& indices : pieces) {
      join.parts.push_back({op, totalOf(op, indices), carryOf(op, indices)});
    }
    join.along = out->axis(scan.loops.threads)->parallelType();
    join.isRepeated = loopDepth_ > 0;
    join.scratchOffset =
        takeScratch(bytesForThreads(scan.total, static_cast<int64_t>(pieces.size())));
    block.push_back({std::move(join)});
    const auto [indices, body] =
        openLoops(out, scan.pieces, block, [](int64_t /*k*/) { return false; });
    DomainIndices domainIndices(out, indices);
    const kir::Access partial{scan.partial, elementWritten(scan.partial, domainIndices, strides_)};
    body->push_back({kir::Compute{op, partial, {totalOf(op, indices)}}});
    if (scan.partial != out) {
      body->push_back({kir::Assign{{out, elementWritten(out, domainIndices, strides_)}, partial}});
    }
  }

  void lowerInit(Expr* expr, int64_t depth, kir::Block& block) {
    auto* reduction = expr->as<ReductionOp>();
    if (reduction == nullptr || firstReductionLoop(tensorOf(expr)) != depth) {
      return;
    }
    TensorView* tv = accumulatorOf(tensorOf(expr));
    // Own loops over what the reduction keeps apart inside its reduction loops.
    std::vector<Val*> indices = current_;
    indices.resize(depth);
    kir::Block* target = openOwnLoops(tv, indices, block, [&](const IterDomain* id) {
      return isCuda_ && isThreadType(id->parallelType()) ? threadIndex(id->parallelType())
                                                         : nullptr;
    });
    DomainIndices domainIndices(tv, indices);
    kir::Assign init{{tv, elementWritten(tv, domainIndices, strides_)}, reduction->init()};
    // Memory of the caller must not be written beyond its end.
    Val* condition =
        tv->memoryType() == MemoryType::Global ? predicate(tv, domainIndices, true) : nullptr;
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

  // Whether every element of the result is one of the operand's.
  static bool isCopy(const Expr* expr) {
    return expr->is<LoadStoreOp>() || expr->is<BroadcastOp>() || expr->is<SqueezeOp>() ||
           expr->is<ExpandOp>() || expr->is<ReshapeOp>() || expr->is<SliceOp>();
  }

  // Elements that a copy in a vectorized loop moves at once; 1 outside of one.
  int64_t vectorWidth(Expr* expr, DomainIndices& indices) {
    TensorView* out = tensorOf(expr);
    const auto loop =
        std::ranges::find(out->loop(), ParallelType::Vectorize, &IterDomain::parallelType);
    if (!isCuda_ || loop == out->loop().end()) {
      return 1;
    }
    NVF_SCHEDULE_CHECK(std::all_of(loop + 1, out->loop().end(),
                                   [](const IterDomain* id) { return id->isBroadcast(); }),
                       "Expected the vectorized loop ", (*loop)->toString(), " of ",
                       out->toString(), " to be the innermost one");
    NVF_SCHEDULE_CHECK(isCopy(expr), "Only copies can be vectorized, but ", out->toString(),
                       " is the result of ", expr->toString());
    for (TensorView* tv : {out, expr->input(0)->asTensor()}) {
      NVF_SCHEDULE_CHECK(isContiguousAlong(out, *loop, tv, indices, strides_, kernel_.get()),
                         "The elements of ", tv->toString(), " along the vectorized loop ",
                         (*loop)->toString(), " of ", out->toString(),
                         " are not adjacent in memory");
    }
    return (*loop)->extent()->constInt();
  }

  // Reads the index, then the element at that position. Where there is no such position the result
  // is 0; on the CPU that is reported.
  void lowerLookup(LookupOp* lookup, const std::vector<Val*>& indices, DomainIndices& domainIndices,
                   kir::Block& block) {
    TensorView* out = lookup->out();
    const kir::Access written{out, elementWritten(out, domainIndices, strides_)};
    kir::LoadIndex load =
        loadIndex(lookup, {toString(lookup->type()), lookup->in(), lookup->dim()},
                  {lookup->index(),
                   elementRead(lookup, lookup->index(), out, indices, domainIndices, strides_)});
    kir::Statement copy{kir::Compute{
        lookup,
        written,
        {kir::Access{lookup->in(),
                     elementLookedUp(lookup, load.position, indices, domainIndices, strides_)}}}};
    Val* condition = predicate(out, domainIndices);
    Val* isInside = load.isInside;
    emit({std::move(load)}, condition, block);
    if (isCuda_) {
      kir::If choice{isInside, std::make_unique<kir::Block>(), std::make_unique<kir::Block>()};
      choice.then->push_back(std::move(copy));
      choice.otherwise->push_back({kir::Assign{written, ops::zeroOf(fusion_, out->dtype())}});
      copy = {std::move(choice)};
    }
    emit(std::move(copy), condition, block);
  }

  // The condition on indices by which a `where` chooses between its operands, null for others.
  static Val* orderThatChooses(const Expr* expr, const std::vector<Val*>& indices) {
    const auto* choice = expr->as<TernaryOp>();
    return choice != nullptr && choice->type() == TernaryOpType::Where &&
                   choice->input(0)->isTensor()
               ? comparedIndices(choice->input(0)->asTensor(), indices)
               : nullptr;
  }

  // Copies the input, of those from `first` on, that the element comes from.
  static kir::Statement chooseInput(CatOp* cat, size_t first, Val* index,
                                    const kir::Access& written,
                                    const std::vector<kir::Operand>& inputs) {
    kir::Statement copy{kir::Compute{cat, written, {inputs[first]}}};
    if (first + 1 == inputs.size()) {
      return copy;
    }
    kir::If choice{scalar::lt(index, cat->end(first)), std::make_unique<kir::Block>(),
                   std::make_unique<kir::Block>()};
    choice.then->push_back(std::move(copy));
    choice.otherwise->push_back(chooseInput(cat, first + 1, index, written, inputs));
    return {std::move(choice)};
  }

  kir::LoadIndex loadIndex(Expr* expr, const kir::Lookup& lookup, kir::Access index) {
    const auto [known, isNew] = lookupNumbers_.try_emplace(expr, kernel_->lookups.size());
    if (isNew) {
      kernel_->lookups.push_back(lookup);
    }
    kir::LoadIndex load;
    load.position = fusion_->create<Val>(DataType::Index);
    load.isInside = fusion_->create<Val>(DataType::Bool);
    loopIndices_.insert({load.position, load.isInside});
    load.index = index;
    load.extent = lookup.extent();
    load.lookup = known->second;
    return load;
  }

  void lowerExpr(Expr* expr, kir::Block& block) {
    TensorView* out = tensorOf(expr);
    std::vector<Val*> indices = current_;
    NVF_INTERNAL_CHECK(static_cast<int64_t>(indices.size()) == out->nLoops(), "loops of ",
                       out->toString(), " are not open");
    DomainIndices domainIndices(out, indices);
    if (auto* lookup = expr->as<LookupOp>()) {
      lowerLookup(lookup, indices, domainIndices, block);
      return;
    }
    TensorView* place = expr->is<ReductionOp>() ? accumulatorOf(out) : out;
    const kir::Access written{place, elementWritten(place, domainIndices, strides_)};
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
      // One element may be in a loop of other tensors' elements.
      const IterDomain* id = out->logical()[0];
      inputs.emplace_back(id->isBroadcast() ? fusion_->zero() : domainIndices(id));
      inputs.emplace_back(iota->start());
      inputs.emplace_back(iota->step());
    }
    if (expr->is<RandomOp>()) {
      inputs.emplace_back(elementNumber(out, domainIndices));
      inputs.insert(inputs.end(), expr->operands().begin(), expr->operands().end());
    }
    Val* condition = mayRunAnywhere(expr) ? nullptr : predicate(out, domainIndices);
    if (auto* op = expr->as<ScanOp>()) {
      const Scan& scan = scanOf(op);
      const bool isPiece = scan.pieces >= 0;
      const kir::Access sum = isPiece ? totalOf(op, indices) : carryOf(op, indices);
      emit({kir::Compute{expr, sum, std::move(inputs)}}, condition, block);
      if (isPiece) {
        block.push_back({kir::Assign{
            {scan.partial, elementWritten(scan.partial, domainIndices, strides_)}, sum}});
      } else {
        emit({kir::Assign{written, sum}}, condition, block);
      }
      return;
    }
    if (Val* order = isCuda_ ? nullptr : orderThatChooses(expr, indices)) {
      // On one side of a line through the indices: the loop is divided there.
      kir::If choice{order, std::make_unique<kir::Block>(), std::make_unique<kir::Block>()};
      choice.then->push_back({kir::Assign{written, inputs[1]}});
      choice.otherwise->push_back({kir::Assign{written, inputs[2]}});
      emit({std::move(choice)}, condition, block);
      return;
    }
    if (auto* cat = expr->as<CatOp>()) {
      Val* index = domainIndices(out->logical()[static_cast<size_t>(cat->dim())]);
      emit(chooseInput(cat, 0, index, written, inputs), condition, block);
      return;
    }
    auto* pad = expr->as<PadOp>();
    if (pad == nullptr) {
      const int64_t width = vectorWidth(expr, domainIndices);
      emit({kir::Compute{expr, written, std::move(inputs), width}}, condition, block);
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

  Fusion* fusion_;
  bool isCuda_;
  std::unique_ptr<kir::Kernel> kernel_;
  StrideTable strides_;
  kir::Phase* phase_ = nullptr;
  std::unordered_map<Expr*, size_t> phaseOf_;
  // Of the phase, on CUDA.
  std::optional<ThreadDimensions> threads_;
  std::vector<Val*> current_;
  // Loops that are open, threads not counted.
  int64_t loopDepth_ = 0;
  std::unordered_set<const Val*> loopIndices_;
  std::unordered_set<const Expr*> clipped_;
  std::unordered_map<const TensorView*, TensorView*> accumulators_;
  std::unordered_map<const Expr*, size_t> lookupNumbers_;
  std::unordered_map<const Expr*, Scan> scans_;
};

}  // namespace

std::unique_ptr<kir::Kernel> lowerForCpu(Fusion* fusion, std::string name) {
  return Lowering(fusion, std::move(name), DeviceType::CPU).run();
}

std::unique_ptr<kir::Kernel> lowerForCuda(Fusion* fusion, std::string name) {
  return Lowering(fusion, std::move(name), DeviceType::CUDA).run();
}

}  // namespace nvfuser
