#include "lower/threads.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"
#include "ir/scalar.h"
#include "lower/index.h"
#include "schedule/check.h"
#include "schedule/limits.h"
#include "schedule/propagate.h"

namespace nvfuser {

namespace {

void collect(const LoopNode::Item& item, std::vector<Expr*>& exprs) {
  if (const auto* expr = std::get_if<Expr*>(&item)) {
    exprs.push_back(*expr);
    return;
  }
  for (const LoopNode::Item& child : std::get<std::unique_ptr<LoopNode>>(item)->body) {
    collect(child, exprs);
  }
}

constexpr std::array kThreadTypes = {
    ParallelType::GridX,  ParallelType::GridY,  ParallelType::GridZ, ParallelType::Cluster,
    ParallelType::BlockX, ParallelType::BlockY, ParallelType::BlockZ};

// Why the value that `consumer` reads is not computed where it can see it; empty when it is.
std::string obstacle(const Expr* use, const TensorView* producer, const TensorView* consumer) {
  if (producer->memoryType() == MemoryType::Local && !fitsThread(producer)) {
    return concatenate("has too many elements for a thread (",
                       bufferDomains(producer).size->toString(), ")");
  }
  const bool isScattered =
      scatterOf(producer) != nullptr || (use->is<ScatterOp>() && use->input(0) == producer);
  // What a block writes into its own memory it has as a whole behind a barrier.
  if (isLookedUp(producer, use) || (isScattered && producer->memoryType() != MemoryType::Shared)) {
    return "is needed as a whole";
  }
  for (ParallelType type : kThreadTypes) {
    if (producer->memoryType() == MemoryType::Shared && isBlockType(type)) {
      continue;
    }
    const IterDomain* own = loopOfType(producer, type);
    if (own == nullptr || own->isBroadcast() || own->extent()->isConstInt(1)) {
      // All compute it.
      continue;
    }
    if (own->isReduction()) {
      if (areBlocksApart(type)) {
        return "is reduced over blocks";
      }
      // All threads have the result, of all blocks of a cluster.
      continue;
    }
    const IterDomain* other = loopOfType(consumer, type);
    if (other == nullptr || !loopsCorrespond(use, producer, own, consumer, other)) {
      return concatenate("is divided among others by ", own->toString());
    }
  }
  return {};
}

// The extents of the directions in use, null for the others.
using Extents = std::array<Val*, kThreadTypes.size()>;

Extents extentsOf(const std::vector<Expr*>& exprs) {
  Extents extents{};
  for (Expr* expr : exprs) {
    for (size_t i = 0; i < kThreadTypes.size(); ++i) {
      if (const IterDomain* id = loopOfType(expr->output(0)->asTensor(), kThreadTypes[i])) {
        extents[i] = extents[i] == nullptr ? id->extent() : scalar::max(extents[i], id->extent());
      }
    }
  }
  return extents;
}

// Whether nests keep the same threads busy. One that uses none at all goes with any.
bool fitTogether(const Extents& a, const Extents& b) {
  const auto usesNone = [](const Extents& extents) {
    return std::ranges::all_of(extents, [](const Val* extent) { return extent == nullptr; });
  };
  return usesNone(a) || usesNone(b) || a == b;
}

}  // namespace

const IterDomain* loopOfType(const TensorView* tv, ParallelType type) {
  const auto found = std::ranges::find(tv->loop(), type, &IterDomain::parallelType);
  return found == tv->loop().end() ? nullptr : *found;
}

bool fitsThread(const TensorView* tv) { return fitsThread(bufferDomains(tv).size); }

bool fitsThread(const Val* size) {
  return size->isConstInt() && size->constInt() <= limits::kThreadElements;
}

std::vector<Expr*> exprsOf(const LoopNode::Item& item) {
  std::vector<Expr*> exprs;
  collect(item, exprs);
  return exprs;
}

std::vector<Expr*> exprsOf(const std::vector<LoopNode::Item>& items) {
  std::vector<Expr*> exprs;
  for (const LoopNode::Item& item : items) {
    collect(item, exprs);
  }
  return exprs;
}

namespace {

// Gives nests the numbers of their kernels.
class Division {
 public:
  explicit Division(const std::vector<LoopNode::Item>& items) {
    for (const LoopNode::Item& item : items) {
      nests_.push_back(exprsOf(item));
      for (const Expr* expr : nests_.back()) {
        nestOf_[expr] = nests_.size() - 1;
      }
    }
    kernelOf_.resize(nests_.size());
  }

  // A value that an expression of the same nest reads and cannot see.
  struct Unseen {
    Expr* use = nullptr;
    const TensorView* producer = nullptr;
    std::string why;
  };

  std::vector<size_t> run() {
    // What another kernel reads is in global memory, which has consequences for the kernel that
    // computes it.
    do {
      divide();
    } while (findPassedOn());
    return kernelOf_;
  }

  // The first one that was found, without a use where there is none.
  const Unseen& unseen() const { return unseen_; }

 private:
  void divide() {
    Extents current{};
    size_t kernel = 0;
    for (size_t nest = 0; nest < nests_.size(); ++nest) {
      const Extents extents = extentsOf(nests_[nest]);
      bool mustStart = false;
      // Shared memory lives as long as its kernel.
      bool sharesMemory = false;
      for (Expr* expr : nests_[nest]) {
        mustStart = !mayUpdate(expr->output(0)->asTensor(), nest, kernel) || mustStart;
        for (const Val* in : expr->inputs()) {
          const auto producer = in->isTensor() ? nestOf_.find(in->definition()) : nestOf_.end();
          if (producer == nestOf_.end()) {
            continue;
          }
          const bool isBefore = producer->second != nest && kernelOf_[producer->second] == kernel;
          sharesMemory =
              sharesMemory || (isBefore && in->asTensor()->memoryType() == MemoryType::Shared);
          mustStart =
              !mayRead(expr, in->asTensor(), producer->second == nest, isBefore) || mustStart;
        }
      }
      if (nest > 0 && (mustStart || (!fitTogether(current, extents) && !sharesMemory))) {
        ++kernel;
        current = extents;
      }
      if (current == Extents{}) {
        current = extents;
      }
      kernelOf_[nest] = kernel;
    }
  }

  // Whether an expression of a kernel can read what the same nest or one before it in this kernel
  // computes.
  bool mayRead(Expr* expr, const TensorView* producer, bool inSameNest, bool isBefore) {
    const TensorView* consumer = expr->output(0)->asTensor();
    const bool isGlobal = producer->memoryType() == MemoryType::Global;
    std::string why =
        isGlobal && !inSameNest ? "is in global memory" : obstacle(expr, producer, consumer);
    if (why.empty() && (isGlobal || passedOn_.contains(producer))) {
      why = obstacleInMemory(producer);
    }
    if (!why.empty() && inSameNest && unseen_.use == nullptr) {
      unseen_ = {expr, producer, why};
    }
    return why.empty() || !isBefore;
  }

  // Whether a nest of a kernel can write into an input: not where other blocks of the kernel may
  // still read what was there.
  bool mayUpdate(const TensorView* tv, size_t nest, size_t kernel) const {
    const auto& outputs = tv->fusion()->outputs();
    const auto output = std::ranges::find(outputs, tv, &Fusion::Output::tv);
    if (output == outputs.end() || output->alias == nullptr) {
      return true;
    }
    const Val* updated = output->alias;
    for (size_t before = 0; before < nest; ++before) {
      for (const Expr* reader : nests_[before]) {
        const auto& inputs = reader->inputs();
        if (kernelOf_[before] == kernel && std::ranges::find(inputs, updated) != inputs.end() &&
            !areOfOneBlock(reader->output(0)->asTensor(), tv)) {
          return false;
        }
      }
    }
    return true;
  }

  // Whether blocks have the same elements of two tensors that are computed at the same indices.
  static bool areOfOneBlock(const TensorView* a, const TensorView* b) {
    const auto rank = [](const TensorView* tv) {
      return std::ranges::count_if(tv->logical(), &IterDomain::isIteration);
    };
    return std::ranges::all_of(kThreadTypes, [&](ParallelType type) {
      const IterDomain* loop = loopOfType(a, type);
      const IterDomain* other = loopOfType(b, type);
      if (!isGridType(type) || (loop == nullptr && other == nullptr)) {
        return true;
      }
      return rank(a) == rank(b) && loop != nullptr && other != nullptr &&
             scalar::same(loop->extent(), other->extent());
    });
  }

  // A barrier orders the threads of a block, but not blocks.
  std::string obstacleInMemory(const TensorView* producer) const {
    for (const auto& exprs : nests_) {
      for (const Expr* expr : exprs) {
        for (const IterDomain* id : expr->output(0)->asTensor()->loop()) {
          if (isGridType(id->parallelType()) && !id->extent()->isConstInt(1) &&
              !isDividedAlong(producer, id->parallelType())) {
            return "is written by one block only";
          }
        }
      }
    }
    return {};
  }

  // Notes tensors that pass from one kernel to another; returns whether there are new ones.
  bool findPassedOn() {
    const size_t before = passedOn_.size();
    for (size_t nest = 0; nest < nests_.size(); ++nest) {
      for (const Expr* expr : nests_[nest]) {
        for (const Val* in : expr->inputs()) {
          const auto producer = in->isTensor() ? nestOf_.find(in->definition()) : nestOf_.end();
          if (producer != nestOf_.end() && kernelOf_[producer->second] != kernelOf_[nest]) {
            passedOn_.insert(in->asTensor());
          }
        }
      }
    }
    return passedOn_.size() > before;
  }

  std::vector<std::vector<Expr*>> nests_;
  std::unordered_map<const Expr*, size_t> nestOf_;
  std::vector<size_t> kernelOf_;
  std::unordered_set<const TensorView*> passedOn_;
  Unseen unseen_;
};

// For each nest how many kernels it waits for at least.
std::vector<size_t> waitsOf(const std::vector<LoopNode::Item>& items) {
  std::unordered_map<const Val*, size_t> known;
  std::vector<size_t> waits;
  for (const LoopNode::Item& item : items) {
    const std::vector<Expr*> exprs = exprsOf(item);
    size_t most = 0;
    for (const Expr* expr : exprs) {
      for (const Val* in : expr->inputs()) {
        if (const auto producer = known.find(in); producer != known.end()) {
          const TensorView* tv = in->asTensor();
          const bool passes = tv->memoryType() == MemoryType::Global ||
                              !obstacle(expr, tv, expr->output(0)->asTensor()).empty();
          most = std::max(most, producer->second + (passes ? 1 : 0));
        }
      }
    }
    for (const Expr* expr : exprs) {
      for (const Val* out : expr->outputs()) {
        known[out] = most;
      }
    }
    waits.push_back(most);
  }
  return waits;
}

// How many kernels nests take in an order.
size_t kernelsOf(const std::vector<LoopNode::Item>& items) {
  return items.empty() ? 0 : Division(items).run().back() + 1;
}

// The nests of a fusion, those that wait for fewer kernels in front where that takes fewer: what
// does not need each other is in the same ones then. Inputs that are updated are read before that
// in the order of definition.
std::vector<LoopNode::Item> nestsOf(Fusion* fusion) {
  std::vector<LoopNode::Item> items = LoopTree::build(fusion);
  const std::vector<size_t> waits = waitsOf(items);
  const auto isUpdate = [](const Fusion::Output& output) { return output.alias != nullptr; };
  if (std::ranges::is_sorted(waits) || std::ranges::any_of(fusion->outputs(), isUpdate)) {
    return items;
  }
  std::vector<size_t> order(items.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return waits[i]; });
  const size_t before = kernelsOf(items);
  std::vector<LoopNode::Item> sorted;
  for (const size_t i : order) {
    sorted.push_back(std::move(items[i]));
  }
  return kernelsOf(sorted) < before ? std::move(sorted) : LoopTree::build(fusion);
}

// What is computed from the outputs of an expression, itself included.
std::unordered_set<const Expr*> withBelow(const Expr* expr) {
  std::unordered_set<const Expr*> below{expr};
  std::vector<const Expr*> stack{expr};
  while (!stack.empty()) {
    const Expr* next = stack.back();
    stack.pop_back();
    for (const Val* out : next->outputs()) {
      for (const Expr* use : out->uses()) {
        if (below.insert(use).second) {
          stack.push_back(use);
        }
      }
    }
  }
  return below;
}

// What the operands of an expression are computed by.
std::unordered_set<const Expr*> withAbove(const Expr* expr) {
  std::unordered_set<const Expr*> above{expr};
  std::vector<const Expr*> stack{expr};
  while (!stack.empty()) {
    const Expr* next = stack.back();
    stack.pop_back();
    for (const Val* in : next->inputs()) {
      if (in->definition() != nullptr && above.insert(in->definition()).second) {
        stack.push_back(in->definition());
      }
    }
  }
  return above;
}

// Lets nothing that one of two parts of a fusion computes and the other one reads share loops;
// returns whether that is legal, otherwise all is as before.
bool separate(const std::vector<Expr*>& exprs, const std::unordered_set<const Expr*>& part) {
  std::vector<std::pair<TensorView*, int64_t>> before;
  for (Expr* expr : exprs) {
    auto* tv = expr->output(0)->asTensor();
    const bool crosses = std::ranges::any_of(
        tv->uses(), [&](const Expr* use) { return part.contains(use) != part.contains(expr); });
    if (crosses && tv->computeAt() > 0) {
      before.emplace_back(tv, tv->computeAt());
      tv->setComputeAt(0);
    }
  }
  if (!before.empty() && LoopTree::check(exprs).empty()) {
    return true;
  }
  for (const auto& [tv, position] : before) {
    tv->setComputeAt(position);
  }
  return false;
}

}  // namespace

bool isDividedAlong(const TensorView* tv, ParallelType type) {
  const IterDomain* id = loopOfType(tv, type);
  return id != nullptr && !id->isReduction() && !id->isBroadcast() &&
         !id->extent()->isConstInt(1) && !runsOverMore(tv, const_cast<IterDomain*>(id));
}

std::vector<std::vector<LoopNode::Item>> divideAmongKernels(Fusion* fusion) {
  std::vector<std::vector<LoopNode::Item>> kernels;
  std::vector<LoopNode::Item> items = nestsOf(fusion);
  Division division(items);
  const std::vector<size_t> kernelOf = division.run();
  const Division::Unseen& unseen = division.unseen();
  if (unseen.use != nullptr) {
    failSchedule("The tensor ", unseen.producer->toString(), " ", unseen.why, ", but ",
                 unseen.use->output(0)->asTensor()->toString(),
                 " reads it inside the same loop; give it shared memory or other parallel types");
  }
  for (size_t nest = 0; nest < items.size(); ++nest) {
    kernels.resize(kernelOf[nest] + 1);
    kernels.back().push_back(std::move(items[nest]));
  }
  return kernels;
}

void separateUnseen(Fusion* fusion) {
  const std::vector<Expr*> exprs = fusion->tensorExprs();
  while (true) {
    const std::vector<LoopNode::Item> items = nestsOf(fusion);
    Division division(items);
    division.run();
    const Division::Unseen& unseen = division.unseen();
    if (unseen.use == nullptr) {
      return;
    }
    // The longer part is left together with what it belongs to.
    if (separate(exprs, withBelow(unseen.use)) ||
        separate(exprs, withAbove(unseen.producer->definition()))) {
      updateProduceAt(exprs);
      continue;
    }
    // Nothing of the nest, then.
    bool isShared = false;
    for (const LoopNode::Item& item : items) {
      const std::vector<Expr*> nest = exprsOf(item);
      if (std::ranges::find(nest, unseen.use) == nest.end()) {
        continue;
      }
      for (Expr* expr : nest) {
        auto* tv = expr->output(0)->asTensor();
        isShared = isShared || tv->computeAt() > 0;
        tv->setComputeAt(0);
      }
    }
    updateProduceAt(exprs);
    if (!isShared) {
      return;
    }
  }
}

ThreadDimensions::ThreadDimensions(const kir::Builder& build, const std::vector<Expr*>& exprs,
                                   bool hasWholeWarps, int64_t warpSize) {
  Fusion* fusion = build.fusion();
  const int64_t multiple = hasWholeWarps ? warpSize : 1;
  for (ParallelType type : kThreadTypes) {
    Val* extent = nullptr;
    bool anyWithout = false;
    for (Expr* expr : exprs) {
      const TensorView* tv = expr->output(0)->asTensor();
      if (const IterDomain* id = loopOfType(tv, type)) {
        extent = extent == nullptr ? id->extent() : scalar::max(extent, id->extent());
      } else {
        anyWithout = anyWithout || tv->memoryType() == MemoryType::Global;
      }
    }
    const Val* assumed = extent;
    // What is written by one thread is written where the others have no elements, too.
    if (extent != nullptr && anyWithout) {
      extent = scalar::max(extent, fusion->one());
    }
    const bool hasLoaders = std::ranges::any_of(
        exprs, [&](Expr* expr) { return expr->output(0)->asTensor()->loaders() == type; });
    if (extent == nullptr && hasLoaders) {
      extent = fusion->one();
    }
    if (extent == nullptr || (extent->isConstInt(1) && !hasLoaders)) {
      continue;
    }
    const bool isMultiple =
        std::ranges::any_of(fusion->assumedDivisible(), [&](const Fusion::Divisibility& known) {
          return scalar::same(known.extent, extent) && known.factor % multiple == 0;
        });
    const auto bound =
        std::ranges::find_if(fusion->assumedBounds(), [&](const Fusion::Bound& known) {
          return assumed != nullptr && scalar::same(known.extent, assumed);
        });
    if (isBlockType(type) && bound != fusion->assumedBounds().end()) {
      extent = scalar::constant(fusion, bound->most);
    } else if (type == ParallelType::BlockX && !extent->isConstInt() && !isMultiple) {
      Val* unit = scalar::constant(fusion, multiple);
      extent = scalar::mul(scalar::ceilDiv(extent, unit), unit);
    }
    list_.push_back({type, build.freshIndex(), extent});
    if (hasLoaders) {
      // Along x they are a warp of their own.
      Val* unit = scalar::constant(fusion, type == ParallelType::BlockX ? warpSize : 1);
      Val* first = scalar::mul(scalar::ceilDiv(extent, unit), unit);
      list_.back().firstLoader = first;
      list_.back().extent = scalar::add(first, unit);
    }
  }
}

const kir::ThreadDimension* ThreadDimensions::find(ParallelType type) const {
  const auto found = std::ranges::find(list_, type, &kir::ThreadDimension::type);
  return found == list_.end() ? nullptr : &*found;
}

bool ThreadDimensions::isThreadIndex(const Val* val) const {
  return std::ranges::any_of(
      list_, [&](const kir::ThreadDimension& d) { return d.index == val && isBlockType(d.type); });
}

}  // namespace nvfuser
