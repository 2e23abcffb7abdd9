#include "lower/barriers.h"

#include <algorithm>
#include <map>
#include <set>

#include "lower/threads.h"
#include "schedule/propagate.h"

namespace nvfuser {

namespace {

using TensorSet = std::set<const TensorView*>;

struct Accesses {
  TensorSet reads;
  TensorSet writes;
  // Results of scatters in shared memory: those copied to, and those written at any positions.
  TensorSet copied;
  TensorSet scattered;
  // What each thread reads in shared memory of its own copies.
  TensorSet ownReads;
  // What is copied there while threads go on.
  TensorSet arriving;

  // Behind a barrier.
  void clear() { *this = {}; }
  void join(const Accesses& other) {
    reads.insert(other.reads.begin(), other.reads.end());
    writes.insert(other.writes.begin(), other.writes.end());
    copied.insert(other.copied.begin(), other.copied.end());
    scattered.insert(other.scattered.begin(), other.scattered.end());
    ownReads.insert(other.ownReads.begin(), other.ownReads.end());
    arriving.insert(other.arriving.begin(), other.arriving.end());
  }
  bool isEmpty() const {
    return reads.empty() && writes.empty() && ownReads.empty() && arriving.empty();
  }
};

bool intersect(const TensorSet& a, const TensorSet& b) {
  return std::ranges::any_of(a, [&](const TensorView* tv) { return b.contains(tv); });
}

// Whether other threads may have written what is read. What is updated was set by the thread that
// accumulates it; where threads combine what they have accumulated, they wait for each other there.
bool isForeignRead(kir::Use use) { return use == kir::Use::Read; }

// Whether `next` must wait for `before`.
bool conflict(const Accesses& before, const Accesses& next) {
  return intersect(before.writes, next.reads) || intersect(before.reads, next.writes) ||
         intersect(before.copied, next.scattered) || intersect(before.scattered, next.copied);
}

// What `next` must wait for that copies have not brought yet.
bool awaitsCopies(const Accesses& before, const Accesses& next) {
  return intersect(before.arriving, next.reads) || intersect(before.arriving, next.ownReads);
}

class Barriers {
 public:
  Barriers(const kir::Phase& phase, const Fusion& fusion) : phase_(phase) {
    for (const Fusion::Output& output : fusion.outputs()) {
      if (output.alias != nullptr) {
        owners_[output.tv] = output.alias;
      }
    }
    findExchanged();
  }

  // `pending` is what happened since the last barrier; on return since the last one in `block`.
  void process(kir::Block& block, Accesses& pending) const {
    kir::Block result;
    for (kir::Statement& statement : block) {
      const Accesses own = accessesOf(statement);
      order(own, pending, result);
      auto* loop = std::get_if<kir::Loop>(&statement.node);
      if (loop == nullptr || own.isEmpty()) {
        pending.join(own);
        if (std::holds_alternative<kir::Barrier>(statement.node)) {
          pending.clear();
        }
        result.push_back(std::move(statement));
        continue;
      }
      // One iteration after the other: what the last one left pending meets the next one's start.
      const Accesses before = pending;
      process(*loop->body, pending);
      order(own, pending, *loop->body);
      if (!loop->stop->isConstInt()) {
        // It may not run at all, and with it none of its barriers.
        pending.join(before);
      }
      result.push_back(std::move(statement));
    }
    block = std::move(result);
  }

 private:
  // Puts a barrier between what is pending and `next` where that is needed, at the end of `block`.
  static void order(const Accesses& next, Accesses& pending, kir::Block& block) {
    if (conflict(pending, next)) {
      block.push_back({kir::Barrier{.awaitsCopies = !pending.arriving.empty()}});
      pending.clear();
    } else if (awaitsCopies(pending, next)) {
      block.push_back({kir::Barrier{.isOfBlock = false, .awaitsCopies = true}});
      pending.arriving.clear();
    }
  }

  // What is updated in place is the memory of an input.
  const TensorView* ownerOf(const TensorView* tv) const {
    const auto found = owners_.find(tv);
    return found == owners_.end() ? tv : found->second;
  }

  // What the kernel writes and reads, unless each thread reads its own part; and what is copied to
  // shared memory for that only.
  void findExchanged() {
    std::map<const TensorView*, const TensorView*> writers;
    kir::forEachAccess(
        phase_.body, [&](const kir::Access& access, kir::Use use, const TensorView*) {
          const TensorView* tv = access.tv;
          const bool isOfShared = tv->memoryType() == MemoryType::Shared;
          const bool isCopy = tv->definition() != nullptr && tv->definition()->is<LoadStoreOp>() &&
                              !isScatteredInBlock(tv) && tv->loaders() == ParallelType::Serial;
          if (isOfShared && !isCopy) {
            exchanged_.insert(tv);
          } else if (kir::isWrite(use) && (isOfShared || tv->memoryType() == MemoryType::Global)) {
            writers[ownerOf(tv)] = tv;
          }
        });
    kir::forEachAccess(phase_.body,
                       [&](const kir::Access& access, kir::Use use, const TensorView* out) {
                         const auto writer = writers.find(ownerOf(access.tv));
                         if (isForeignRead(use) && writer != writers.end() &&
                             !isOwnPart(access.tv, writer->second, out)) {
                           exchanged_.insert(ownerOf(access.tv));
                         }
                       });
  }

  // Whether a thread computes `out` from elements of `tv` that no other thread writes. Updates in
  // place read what they write.
  bool isOwnPart(const TensorView* tv, const TensorView* writer, const TensorView* out) const {
    return std::ranges::all_of(phase_.threads, [&](const kir::ThreadDimension& dimension) {
      const ParallelType type = dimension.type;
      if (!isBlockType(type)) {
        return true;
      }
      if (out == nullptr || !isDividedAlong(writer, type) || !isDividedAlong(out, type)) {
        return false;
      }
      return tv != writer || loopsCorrespond(out->definition(), tv, loopOfType(tv, type), out,
                                             loopOfType(out, type));
    });
  }

  static bool isScatteredInBlock(const TensorView* tv) {
    return tv->memoryType() == MemoryType::Shared && scatterOf(tv) != nullptr;
  }

  Accesses accessesOf(const kir::Statement& statement) const {
    Accesses accesses;
    kir::forEachAccess(statement, [&](const kir::Access& access, kir::Use use, const TensorView*) {
      const TensorView* owner = ownerOf(access.tv);
      if (!exchanged_.contains(owner)) {
        if (access.tv->memoryType() == MemoryType::Shared && isForeignRead(use)) {
          accesses.ownReads.insert(owner);
        }
        return;
      }
      if (isForeignRead(use)) {
        accesses.reads.insert(owner);
      }
      if (kir::isWrite(use)) {
        accesses.writes.insert(owner);
      }
    });
    kir::forEachStatement(statement, [&](const kir::Statement& inside) {
      const auto* compute = std::get_if<kir::Compute>(&inside.node);
      if (compute != nullptr && kir::isAsynchronous(*compute)) {
        accesses.arriving.insert(compute->out.tv);
      }
      if (compute != nullptr && isScatteredInBlock(compute->out.tv)) {
        (compute->expr->is<ScatterOp>() ? accesses.scattered : accesses.copied)
            .insert(compute->out.tv);
      }
    });
    return accesses;
  }

  const kir::Phase& phase_;
  std::map<const TensorView*, const TensorView*> owners_;
  TensorSet exchanged_;
};

}  // namespace

void insertBarriers(const PassContext& context) {
  Accesses pending;
  Barriers(context.phase, *context.kernel.fusion).process(context.phase.body, pending);
}

namespace {

// Of a block, in front of which `before` has been written, and whose iterations read it again if it
// is that of a loop.
void noteHeld(kir::Block& body, TensorSet before, bool isRepeated) {
  const auto readBy = [](const kir::Statement& statement) {
    TensorSet read;
    kir::forEachAccess(statement, [&](const kir::Access& access, kir::Use use, const TensorView*) {
      // What is updated is accumulated anew for every reduction, and no value of before is held.
      if (use == kir::Use::Read && access.tv->memoryType() == MemoryType::Local &&
          isReducedPrecision(access.tv->dtype())) {
        read.insert(access.tv);
      }
    });
    return read;
  };
  const TensorSet beforeAll = before;
  for (size_t i = 0; i < body.size(); ++i) {
    if (auto* reduce = std::get_if<kir::BlockReduce>(&body[i].node)) {
      TensorSet held;
      for (size_t k = 0; k < body.size(); ++k) {
        const TensorSet& written = k < i ? beforeAll : before;
        if (k >= i || isRepeated) {
          std::ranges::set_intersection(readBy(body[k]), written, std::inserter(held, held.end()));
        }
      }
      for (const TensorView* tv : held) {
        reduce->held.push_back(const_cast<TensorView*>(tv));
      }
      std::ranges::sort(reduce->held, {}, &Val::name);
    }
    if (auto* loop = std::get_if<kir::Loop>(&body[i].node)) {
      noteHeld(*loop->body, before, true);
    }
    kir::forEachAccess(body[i], [&](const kir::Access& access, kir::Use use, const TensorView*) {
      if (kir::isWrite(use)) {
        before.insert(access.tv);
      }
    });
  }
}

}  // namespace

void noteHeldTensors(const PassContext& context) { noteHeld(context.phase.body, {}, false); }

}  // namespace nvfuser
