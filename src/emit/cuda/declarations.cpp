#include "emit/cuda/declarations.h"

#include <algorithm>
#include <unordered_set>

namespace nvfuser::cuda {

namespace {

// A loop of those around a statement, with its body; the outermost is the phase itself, of no
// index.
struct Level {
  const Val* index = nullptr;
  const kir::Block* body = nullptr;
};

class Places {
 public:
  explicit Places(const kir::Phase& phase) {
    levels_.push_back({nullptr, &phase.body});
    visit(phase.body);
  }

  const kir::Block* blockOf(const TensorView* tv) const {
    const auto found = variables_.find(tv);
    return found == variables_.end() || !found->second.isWrittenFirst
               ? levels_.front().body
               : found->second.levels.back().body;
  }

 private:
  struct Variable {
    std::vector<Level> levels;
    bool isWrittenFirst = false;
  };

  void visit(const kir::Block& block) {
    for (const kir::Statement& statement : block) {
      kir::forEachOwnAccess(statement, [&](const kir::Access& access, kir::Use use,
                                           const TensorView*) { note(access, use); });
      if (const auto* reduce = std::get_if<kir::BlockReduce>(&statement.node)) {
        for (TensorView* held : reduce->held) {
          note({held, nullptr}, kir::Use::Read);
        }
      }
      const auto* loop = std::get_if<kir::Loop>(&statement.node);
      if (loop != nullptr) {
        levels_.push_back({loop->index, loop->body.get()});
      }
      kir::forEachBlock(statement, [&](const kir::Block& inner) { visit(inner); });
      if (loop != nullptr) {
        levels_.pop_back();
      }
    }
  }

  void note(const kir::Access& access, kir::Use use) {
    if (access.tv->memoryType() != MemoryType::Local) {
      return;
    }
    const auto [found, isFirst] = variables_.try_emplace(access.tv);
    Variable& variable = found->second;
    if (isFirst) {
      variable = {levels_, use == kir::Use::Write};
    }
    const size_t most = std::min(variable.levels.size(), levels_.size());
    size_t common = 1;
    // Elements that are those of one iteration each are there for others, too.
    while (common < most && variable.levels[common].body == levels_[common].body &&
           (access.index == nullptr || !dependsOn(access.index, {levels_[common].index}))) {
      ++common;
    }
    variable.levels.resize(common);
  }

  std::vector<Level> levels_;
  std::unordered_map<const TensorView*, Variable> variables_;
};

}  // namespace

Declarations declarationsOf(const kir::Phase& phase) {
  const Places places(phase);
  Declarations declarations;
  for (const kir::Buffer& buffer : phase.buffers) {
    const bool isLocal = buffer.scratchOffset == nullptr;
    declarations[isLocal ? places.blockOf(buffer.tv) : &phase.body].push_back(&buffer);
  }
  return declarations;
}

}  // namespace nvfuser::cuda
