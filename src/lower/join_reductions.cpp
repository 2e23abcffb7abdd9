#include "lower/join_reductions.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "lower/statement_needs.h"
#include "schedule/limits.h"

namespace nvfuser {

namespace {

kir::BlockReduce* reductionOf(kir::Statement& statement) {
  return std::get_if<kir::BlockReduce>(&statement.node);
}

// Where what threads exchange begins in the shared memory of a block, of all of a phase.
std::set<int64_t> scratchOffsets(const kir::Phase& phase) {
  std::set<int64_t> offsets;
  const auto add = [&](const Val* offset) {
    if (offset != nullptr && offset->isConstInt()) {
      offsets.insert(offset->constInt());
    }
  };
  for (const kir::Buffer& buffer : phase.buffers) {
    add(buffer.scratchOffset);
  }
  kir::forEachStatement(phase.body, [&](const kir::Statement& statement) {
    if (const auto* reduce = std::get_if<kir::BlockReduce>(&statement.node)) {
      add(reduce->scratchOffset);
    } else if (const auto* scan = std::get_if<kir::BlockScan>(&statement.node)) {
      add(scan->scratchOffset);
    }
  });
  return offsets;
}

class JoinedReductions {
 public:
  explicit JoinedReductions(const kir::Phase& phase) : offsets_(scratchOffsets(phase)) {}

  void joinIn(kir::Block& body) const {
    for (kir::Statement& statement : body) {
      kir::forEachBlock(statement, [&](kir::Block& inside) { joinIn(inside); });
    }
    size_t first = 0;
    while (first < body.size()) {
      if (reductionOf(body[first]) == nullptr || !joinNext(body, first)) {
        ++first;
      }
    }
  }

 private:
  // Joins the next reduction behind the first one, if there is one and that is possible; the first
  // may stand elsewhere then, and is what stands at `first`.
  bool joinNext(kir::Block& body, size_t& first) const {
    const auto from = body.begin() + static_cast<std::ptrdiff_t>(first);
    const auto next = std::find_if(from + 1, body.end(), [](kir::Statement& statement) {
      return reductionOf(statement) != nullptr;
    });
    if (next == body.end() || !canShare(*reductionOf(*from), *reductionOf(*next))) {
      return false;
    }
    const auto second = static_cast<size_t>(next - body.begin());
    std::set<size_t> moved = StatementNeeds(body).of(second);
    moved.erase(moved.begin(), moved.lower_bound(first));
    // What is written again behind the second one has another value by then.
    if (*moved.rbegin() != second || !canMove(body, first, second, moved)) {
      return false;
    }
    moved.erase(second);
    std::ranges::copy(reductionOf(body[second])->parts,
                      std::back_inserter(reductionOf(body[first])->parts));
    body.erase(body.begin() + static_cast<std::ptrdiff_t>(second));
    moveInFront(body, first, moved);
    first += moved.size();
    return true;
  }

  bool canShare(const kir::BlockReduce& a, const kir::BlockReduce& b) const {
    // The memory of the second one is to be the rest of that of the first one.
    return a.along == b.along && a.clusterBlocks == 1 && b.clusterBlocks == 1 &&
           a.isRepeated == b.isRepeated &&
           a.parts.size() + b.parts.size() <= static_cast<size_t>(limits::kCombinedTogether) &&
           a.scratchOffset->isConstInt() && b.scratchOffset->isConstInt() &&
           offsets_.upper_bound(a.scratchOffset->constInt()) ==
               offsets_.find(b.scratchOffset->constInt());
  }

  // Whether what the second reduction needs can stand in front of the first one.
  static bool canMove(const kir::Block& body, size_t first, size_t second,
                      const std::set<size_t>& moved) {
    // What those have that stay: no other value may be in it, and what is in memory may change.
    std::set<const TensorView*> passed;
    bool changesMemory = false;
    for (size_t i = first; i < second; ++i) {
      bool fits = !moved.contains(i) || computesAlone(body[i]);
      kir::forEachAccess(body[i], [&](const kir::Access& access, kir::Use use, const TensorView*) {
        const bool isLocal = access.tv->memoryType() == MemoryType::Local;
        if (!moved.contains(i)) {
          passed.insert(access.tv);
          changesMemory = changesMemory || (!isLocal && kir::isWrite(use));
        } else if (kir::isWrite(use)) {
          fits = fits && isLocal && !passed.contains(access.tv);
        } else {
          fits = fits && (isLocal || !changesMemory);
        }
      });
      if (!fits) {
        return false;
      }
    }
    return true;
  }

  std::set<int64_t> offsets_;
};

}  // namespace

void joinReductions(const PassContext& context) {
  JoinedReductions(context.phase).joinIn(context.phase.body);
}

}  // namespace nvfuser
