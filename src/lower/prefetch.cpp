#include "lower/prefetch.h"

#include <algorithm>
#include <unordered_set>

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

}  // namespace

void prefetchResults(kir::Phase& phase, Fusion* fusion) {
  auto* rows = phase.body.size() == 1 ? std::get_if<kir::Loop>(&phase.body[0].node) : nullptr;
  if (rows == nullptr || rows->index != phase.parallelIndex) {
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
