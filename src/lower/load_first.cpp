#include "lower/load_first.h"

#include <algorithm>
#include <set>

#include "ir/scalar.h"
#include "lower/statement_needs.h"

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

// What is looked up behind a reduction of the threads.
class EarlyLookups {
 public:
  EarlyLookups(kir::Block& body, const Fusion* fusion)
      : body_(body), fusion_(fusion), written_(writtenIn(body, fusion)), needs_(body) {}

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
      const std::set<size_t> needed = looksUp(body_[i]) ? needs_.of(i) : std::set<size_t>{};
      if (std::ranges::all_of(needed, [&](size_t each) { return isOfThread(body_[each]); })) {
        moved.insert(needed.lower_bound(place), needed.end());
      }
    }
    moveInFront(body_, place, moved);
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
      found = found || (use == kir::Use::Read && isInput(access.tv) &&
                        dependsOn(access.index, needs_.symbols()));
    });
    return found;
  }

  // Whether each thread computes nothing but local values from inputs.
  bool isOfThread(const kir::Statement& statement) const {
    bool fits = computesAlone(statement);
    kir::forEachStatement(statement, [&](const kir::Statement& inside) {
      const auto* compute = std::get_if<kir::Compute>(&inside.node);
      fits = fits && (compute == nullptr || !kir::accumulates(*compute));
    });
    kir::forEachAccess(statement, [&](const kir::Access& access, kir::Use use, const TensorView*) {
      fits = fits && (access.tv->memoryType() == MemoryType::Local ||
                      (use == kir::Use::Read && isInput(access.tv)));
    });
    return fits;
  }

  kir::Block& body_;
  const Fusion* fusion_;
  TensorSet written_;
  StatementNeeds needs_;
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
