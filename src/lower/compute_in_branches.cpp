#include "lower/compute_in_branches.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/passes.h"
#include "schedule/element_cost.h"
#include "schedule/limits.h"

namespace nvfuser {

namespace {

using Readers = std::unordered_map<const TensorView*, int64_t>;

// How often statements read each tensor, or change what is in it by then.
void countReads(const kir::Block& block, Readers& reads) {
  kir::forEachAccess(block, [&](const kir::Access& access, kir::Use use, const TensorView*) {
    reads[access.tv] += use == kir::Use::Write ? 0 : 1;
  });
}

// What computes a local variable from others, if a statement does.
const kir::Compute* computedOf(const kir::Statement& statement) {
  const auto* compute = std::get_if<kir::Compute>(&statement.node);
  if (compute == nullptr || compute->width != 1) {
    return nullptr;
  }
  bool isLocal = isElementwise(compute->expr);
  kir::forEachOwnAccess(statement, [&](const kir::Access& access, kir::Use, const TensorView*) {
    isLocal = isLocal && access.tv->memoryType() == MemoryType::Local;
  });
  return isLocal ? compute : nullptr;
}

class Branches {
 public:
  explicit Branches(const kir::Phase& phase) { countReads(phase.body, reads_); }

  void sinkIn(kir::Block& block) const {
    for (size_t i = 0; i < block.size(); ++i) {
      for (kir::Block* side : sidesOf(block[i])) {
        // What is taken away was in front.
        i -= sinkInto(*side, block, i);
      }
      kir::forEachBlock(block[i], [&](kir::Block& inside) { sinkIn(inside); });
    }
  }

 private:
  static std::vector<kir::Block*> sidesOf(const kir::Statement& statement) {
    const auto* choice = std::get_if<kir::If>(&statement.node);
    std::vector<kir::Block*> sides;
    if (choice != nullptr) {
      sides.push_back(choice->then.get());
      if (choice->otherwise != nullptr) {
        sides.push_back(choice->otherwise.get());
      }
    }
    return sides;
  }

  // Moves what only `side`, a block of the statement at `place`, needs of those in front of it to
  // its front. Returns how many were moved.
  size_t sinkInto(kir::Block& side, kir::Block& block, size_t place) const {
    Readers inside;
    countReads(side, inside);
    std::vector<size_t> chosen;
    int64_t cost = 0;
    // What the statements in between write: an operand is to be what it was.
    std::set<const TensorView*> written;
    for (size_t i = place; i-- > 0;) {
      const kir::Compute* compute = computedOf(block[i]);
      const auto isChanged = [&](const kir::Operand& in) {
        const auto* access = std::get_if<kir::Access>(&in);
        return access != nullptr && written.contains(access->tv);
      };
      const bool isMoved = compute != nullptr && inside.contains(compute->out.tv) &&
                           inside.at(compute->out.tv) == reads_.at(compute->out.tv) &&
                           !written.contains(compute->out.tv) &&
                           std::ranges::none_of(compute->inputs, isChanged);
      if (isMoved) {
        chosen.push_back(i);
        cost += costOf(compute->expr).value_or(0);
        for (const kir::Operand& in : compute->inputs) {
          if (const auto* access = std::get_if<kir::Access>(&in)) {
            ++inside[access->tv];
          }
        }
        continue;
      }
      kir::forEachAccess(block[i], [&](const kir::Access& access, kir::Use use, const TensorView*) {
        if (kir::isWrite(use)) {
          written.insert(access.tv);
        }
      });
    }
    if (cost < limits::kFunctionCost) {
      return 0;
    }
    kir::Block moved;
    for (const size_t i : chosen) {
      moved.insert(moved.begin(), std::move(block[i]));
    }
    std::ranges::move(side, std::back_inserter(moved));
    side = std::move(moved);
    for (const size_t i : chosen) {
      block.erase(block.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return chosen.size();
  }

  Readers reads_;
};

}  // namespace

void computeInBranches(const PassContext& context) {
  Branches(context.phase).sinkIn(context.phase.body);
}

}  // namespace nvfuser
