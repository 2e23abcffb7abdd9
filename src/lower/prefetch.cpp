#include "lower/prefetch.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/scalar.h"

namespace nvfuser {

namespace {

// Of shorter rows, the loops in between are over before memory has answered, and all requests at
// once delay them. Longer ones take the place of what these loops read.
constexpr int64_t kMinBytes = 16 * 1024;
constexpr int64_t kMaxBytes = 32 * 1024;

// Requests for the rows of the tensors that the loop writes element by element.
kir::Block requestsFor(const kir::Loop& loop, const kir::Phase& phase, Fusion* fusion) {
  kir::Block requests;
  std::unordered_set<const TensorView*> seen;
  for (const kir::Statement& statement : *loop.body) {
    const auto* compute = std::get_if<kir::Compute>(&statement.node);
    if (compute == nullptr || compute->out.tv->memoryType() != MemoryType::Global ||
        kir::isStreamed(*compute) || !seen.insert(compute->out.tv).second) {
      continue;
    }
    const kir::Access& out = compute->out;
    const Val* step = scalar::coefficient(out.index, loop.index);
    const Val* row = scalar::coefficient(out.index, phase.parallelIndex);
    if (step == nullptr || !step->isConstInt(1) || row == nullptr || row->isConstInt(0)) {
      continue;
    }
    const auto elements = [&](int64_t bytes) {
      return scalar::constant(fusion, bytes * 8 / info(out.tv->dtype()).bits);
    };
    const kir::Prefetch request{out, loop.index, loop.stop};
    Val* pays = scalar::logicalAnd(scalar::ge(loop.stop, elements(kMinBytes)),
                                   scalar::lt(loop.stop, elements(kMaxBytes)));
    if (pays == nullptr) {
      requests.push_back({request});
    } else if (!pays->isConst()) {
      auto then = std::make_unique<kir::Block>();
      then->push_back({request});
      requests.push_back({kir::If{pays, std::move(then), nullptr}});
    }
  }
  return requests;
}

// Of a phase, the loop that workers share, if it is all that there is.
kir::Loop* unitsOf(kir::Phase& phase) {
  auto* units = phase.body.size() == 1 ? std::get_if<kir::Loop>(&phase.body[0].node) : nullptr;
  return units != nullptr && units->index == phase.parallelIndex ? units : nullptr;
}

kir::Loop* innerLoop(kir::Loop& loop) {
  for (kir::Statement& statement : *loop.body) {
    if (auto* inner = std::get_if<kir::Loop>(&statement.node)) {
      return inner;
    }
  }
  return nullptr;
}

// Requests of what the next tile reads, spread over the work on this one.
class NextTile {
 public:
  NextTile(kir::Loop& units, Fusion* fusion, std::unordered_set<const Val*>& loopIndices)
      : units_(units), fusion_(fusion), loopIndices_(loopIndices) {}

  // With each row of this one, a line of what is transposed for the next one and a row of what else
  // it reads.
  void request() {
    kir::Loop* rows = innerLoop(units_);
    kir::Loop* columns = rows == nullptr ? nullptr : innerLoop(*rows);
    if (columns == nullptr) {
      return;
    }
    kir::Block requests;
    for (const kir::Statement& statement : *units_.body) {
      const auto* copy = std::get_if<kir::TransposedCopy>(&statement.node);
      Val* first = copy == nullptr ? nullptr : atNext(copy->in.index);
      if (first != nullptr && copy->in.tv->memoryType() == MemoryType::Global) {
        Val* line = scalar::add(first, scalar::mul(rows->index, copy->inStride));
        Val* index = freshIndex();
        requests.push_back(
            {kir::Prefetch{{copy->in.tv, scalar::add(line, index)}, index, copy->rows, false}});
      }
    }
    if (requests.empty() || !columns->start->isConstInt(0)) {
      return;
    }
    for (const kir::Access& access : readsAlong(*columns, units_.index)) {
      if (Val* next = atNext(access.index)) {
        requests.push_back(
            {kir::Prefetch{{access.tv, next}, columns->index, columns->stop, false}});
      }
    }
    std::ranges::move(requests, std::inserter(*rows->body, rows->body->begin()));
  }

 private:
  Val* freshIndex() const {
    Val* index = fusion_->create<Val>(DataType::Index);
    loopIndices_.insert(index);
    return index;
  }

  // An index of the next tile; null where it cannot be written.
  Val* atNext(Val* index) const {
    return scalar::substituted(index, units_.index,
                               scalar::add(units_.index, scalar::constant(fusion_, 1)));
  }

  kir::Loop& units_;
  Fusion* fusion_;
  std::unordered_set<const Val*>& loopIndices_;
};

}  // namespace

std::vector<kir::Access> readsAlong(const kir::Loop& loop, const Val* outer) {
  std::vector<kir::Access> reads;
  for (const kir::Statement& statement : *loop.body) {
    const auto* compute = std::get_if<kir::Compute>(&statement.node);
    for (const kir::Operand& operand :
         compute == nullptr ? std::vector<kir::Operand>{} : compute->inputs) {
      const auto* access = std::get_if<kir::Access>(&operand);
      const Val* step =
          access == nullptr ? nullptr : scalar::coefficient(access->index, loop.index);
      if (step != nullptr && step->isConstInt(1) &&
          access->tv->memoryType() == MemoryType::Global && dependsOn(access->index, {outer}) &&
          std::ranges::find(reads, access->tv, &kir::Access::tv) == reads.end()) {
        reads.push_back(*access);
      }
    }
  }
  return reads;
}

void prefetchNextTile(kir::Phase& phase, Fusion* fusion,
                      std::unordered_set<const Val*>& loopIndices) {
  kir::Loop* units = unitsOf(phase);
  if (units == nullptr) {
    return;
  }
  NextTile(*units, fusion, loopIndices).request();
}

void prefetchResults(kir::Phase& phase, Fusion* fusion) {
  kir::Loop* rows = unitsOf(phase);
  if (rows == nullptr) {
    return;
  }
  kir::Block& body = *rows->body;
  std::vector<std::ptrdiff_t> loops;
  for (size_t i = 0; i < body.size(); ++i) {
    if (std::holds_alternative<kir::Loop>(body[i].node)) {
      loops.push_back(static_cast<std::ptrdiff_t>(i));
    }
  }
  if (loops.size() < 2) {
    return;
  }
  const auto& last = std::get<kir::Loop>(body[static_cast<size_t>(loops.back())].node);
  for (kir::Statement& request : requestsFor(last, phase, fusion)) {
    body.insert(body.begin() + loops.front() + 1, std::move(request));
  }
}

}  // namespace nvfuser
