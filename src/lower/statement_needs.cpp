#include "lower/statement_needs.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace nvfuser {

StatementNeeds::StatementNeeds(const kir::Block& body) : body_(body) {
  for (size_t i = 0; i < body.size(); ++i) {
    kir::forEachStatement(body[i], [&](const kir::Statement& statement) {
      kir::forEachDefinition(statement, [&](Val* symbol, kir::Lifetime lifetime) {
        if (lifetime == kir::Lifetime::RestOfBlock) {
          definitions_[i].insert(symbol);
          symbols_.insert(symbol);
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

std::set<size_t> StatementNeeds::of(size_t i) const {
  std::set<size_t> needed;
  find(i, needed);
  return needed;
}

void StatementNeeds::find(size_t i, std::set<size_t>& needed) const {
  if (!needed.insert(i).second) {
    return;
  }
  std::set<size_t> others;
  kir::forEachStatement(body_[i], [&](const kir::Statement& inside) {
    kir::forEachScalar(inside, [&](Val* scalar) {
      for (const auto& [place, symbols] : definitions_) {
        if (place != i && dependsOn(scalar, symbols)) {
          others.insert(place);
        }
      }
    });
  });
  kir::forEachAccess(body_[i], [&](const kir::Access& access, kir::Use, const TensorView*) {
    const auto writers = writers_.find(access.tv);
    if (access.tv->memoryType() == MemoryType::Local && writers != writers_.end()) {
      others.insert(writers->second.begin(), writers->second.end());
    }
  });
  for (const size_t other : others) {
    find(other, needed);
  }
}

bool computesAlone(const kir::Statement& statement) {
  bool isAlone = true;
  kir::forEachStatement(statement, [&](const kir::Statement& inside) {
    isAlone =
        isAlone && kir::visit(
                       inside,
                       [](const kir::Either<kir::Loop, kir::If, kir::Compute, kir::Assign,
                                            kir::LoadIndex> auto&) { return true; },
                       [](const kir::Either<kir::TransposedCopy, kir::WholeLines, kir::StreamedCopy,
                                            kir::Prefetch, kir::Barrier, kir::BlockReduce,
                                            kir::BlockScan> auto&) { return false; });
  });
  return isAlone;
}

void moveInFront(kir::Block& body, size_t place, const std::set<size_t>& moved) {
  kir::Block before;
  kir::Block after;
  for (size_t i = 0; i < body.size(); ++i) {
    (i < place || moved.contains(i) ? before : after).push_back(std::move(body[i]));
  }
  std::ranges::move(after, std::back_inserter(before));
  body = std::move(before);
}

}  // namespace nvfuser
