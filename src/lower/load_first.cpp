#include "lower/load_first.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

#include "ir/scalar.h"

namespace nvfuser {

namespace {

using TensorSet = std::set<const TensorView*>;

bool combinesThreads(const kir::Statement& statement) {
  return std::holds_alternative<kir::BlockReduce>(statement.node) ||
         std::holds_alternative<kir::BlockScan>(statement.node);
}

TensorSet writtenIn(const kir::Block& body, const Fusion* fusion) {
  TensorSet written;
  kir::forEachAccess(body, [&](const kir::Access& access, kir::Use use, const TensorView*) {
    if (kir::isWrite(use)) {
      written.insert(kir::memoryOwner(fusion, access.tv));
    }
  });
  return written;
}

// Whether it is in memory before the kernel starts, and stays as it is.
bool isInput(const TensorView* tv, const TensorSet& written, const Fusion* fusion) {
  return tv->memoryType() == MemoryType::Global && !written.contains(kir::memoryOwner(fusion, tv));
}

// Whether a statement that loads may consist of such ones.
bool mayBeOfLoad(const kir::Statement& statement) {
  return kir::visit(
      statement, [](const kir::Either<kir::Loop, kir::If, kir::Compute> auto&) { return true; },
      [](const kir::Either<kir::TransposedCopy, kir::WholeLines, kir::StreamedCopy, kir::Prefetch,
                           kir::Assign, kir::LoadIndex, kir::Barrier, kir::BlockReduce,
                           kir::BlockScan> auto&) { return false; });
}

// Statements of a block by what they need of each other.
class EarlyLookups {
 public:
  EarlyLookups(kir::Block& body, const Fusion* fusion)
      : body_(body), fusion_(fusion), written_(writtenIn(body, fusion)) {
    for (size_t i = 0; i < body.size(); ++i) {
      kir::forEachStatement(body[i], [&](const kir::Statement& statement) {
        kir::forEachDefinition(statement, [&](Val* symbol, kir::Lifetime lifetime) {
          if (lifetime == kir::Lifetime::RestOfBlock) {
            positions_[i].insert(symbol);
            lookedUp_.insert(symbol);
          }
        });
      });
      kir::forEachAccess(body[i], [&](const kir::Access& access, kir::Use use, const TensorView*) {
        if (kir::isWrite(use)) {
          writers_[access.tv].insert(i);
        }
      });
    }
  }

  // In front of what threads combine, which they do.
  void move() {
    const auto reduce = std::ranges::find_if(body_, combinesThreads);
    size_t place = static_cast<size_t>(reduce - body_.begin());
    const size_t behind = place;
    // Back to the front of what it accumulates in a loop, unless that loads.
    while (place > 0 && !readsGlobal(body_[place - 1])) {
      --place;
    }
    std::set<size_t> moved;
    for (size_t i = behind + 1; i < body_.size(); ++i) {
      std::set<size_t> needed;
      if (looksUp(body_[i]) && findNeeded(i, needed)) {
        moved.insert(needed.lower_bound(place), needed.end());
      }
    }
    kir::Block before;
    kir::Block after;
    for (size_t i = 0; i < body_.size(); ++i) {
      (i < place || moved.contains(i) ? before : after).push_back(std::move(body_[i]));
    }
    std::ranges::move(after, std::back_inserter(before));
    body_ = std::move(before);
  }

 private:
  bool isInput(const TensorView* tv) const { return nvfuser::isInput(tv, written_, fusion_); }

  static bool readsGlobal(const kir::Statement& statement) {
    bool found = false;
    kir::forEachAccess(statement, [&](const kir::Access& access, kir::Use, const TensorView*) {
      found = found || access.tv->memoryType() == MemoryType::Global;
    });
    return found;
  }

  // Whether it reads at a position that was looked up.
  bool looksUp(const kir::Statement& statement) const {
    bool found = false;
    kir::forEachAccess(statement, [&](const kir::Access& access, kir::Use use, const TensorView*) {
      found = found ||
              (use == kir::Use::Read && isInput(access.tv) && dependsOn(access.index, lookedUp_));
    });
    return found;
  }

  // All that the i-th statement needs, itself included; whether that computes nothing but local
  // values from inputs, each thread alone.
  bool findNeeded(size_t i, std::set<size_t>& needed) const {
    if (!needed.insert(i).second) {
      return true;
    }
    std::set<size_t> others;
    bool fits = true;
    kir::forEachStatement(body_[i], [&](const kir::Statement& inside) {
      fits = fits && isOfThread(inside);
      kir::forEachScalar(inside, [&](Val* scalar) {
        for (const auto& [place, symbols] : positions_) {
          if (place != i && dependsOn(scalar, symbols)) {
            others.insert(place);
          }
        }
      });
    });
    kir::forEachAccess(body_[i], [&](const kir::Access& access, kir::Use use, const TensorView*) {
      if (access.tv->memoryType() == MemoryType::Local) {
        const auto writers = writers_.find(access.tv);
        if (writers != writers_.end()) {
          others.insert(writers->second.begin(), writers->second.end());
        }
      } else {
        fits = fits && use == kir::Use::Read && isInput(access.tv);
      }
    });
    return fits &&
           std::ranges::all_of(others, [&](size_t other) { return findNeeded(other, needed); });
  }

  static bool isOfThread(const kir::Statement& statement) {
    return kir::visit(
        statement, [](const kir::Compute& compute) { return !kir::accumulates(compute); },
        [](const kir::Either<kir::Loop, kir::If, kir::Assign, kir::LoadIndex> auto&) {
          return true;
        },
        [](const kir::Either<kir::TransposedCopy, kir::WholeLines, kir::StreamedCopy, kir::Prefetch,
                             kir::Barrier, kir::BlockReduce, kir::BlockScan> auto&) {
          return false;
        });
  }

  kir::Block& body_;
  const Fusion* fusion_;
  TensorSet written_;
  // Positions that are looked up: of each statement, and all.
  std::map<size_t, std::unordered_set<const Val*>> positions_;
  std::unordered_set<const Val*> lookedUp_;
  std::map<const TensorView*, std::set<size_t>> writers_;
};

}  // namespace

void loadFirst(const PassContext& context) {
  kir::Block& body = context.phase.body;
  const Fusion* fusion = context.kernel.fusion;
  if (std::ranges::none_of(body, combinesThreads)) {
    return;
  }
  const TensorSet written = writtenIn(body, fusion);
  std::stable_partition(body.begin(), body.end(), [&](const kir::Statement& statement) {
    bool isLoad = true;
    kir::forEachStatement(
        statement, [&](const kir::Statement& inside) { isLoad = isLoad && mayBeOfLoad(inside); });
    kir::forEachAccess(statement, [&](const kir::Access& access, kir::Use use, const TensorView*) {
      const TensorView* tv = access.tv;
      const bool fits = use == kir::Use::Read ? isInput(tv, written, fusion)
                                              : tv->memoryType() == MemoryType::Local &&
                                                    tv->definition() != nullptr &&
                                                    tv->definition()->is<LoadStoreOp>();
      isLoad = isLoad && fits;
    });
    return isLoad;
  });
}

void lookUpEarly(const PassContext& context) {
  kir::Block& body = context.phase.body;
  if (std::ranges::any_of(body, combinesThreads)) {
    EarlyLookups(body, context.kernel.fusion).move();
  }
}

}  // namespace nvfuser
