#include "schedule/scan_loops.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/error.h"
#include "ir/logical_map.h"

namespace nvfuser {

namespace {

// What transforms make of the dimension of a scan, in order. An alignment shifts it, each row by as
// much as that begins behind a vector of memory.
struct Divided {
  std::unordered_set<const Val*> domains;
  std::vector<const Expr*> transforms;
};

Divided dividedScan(const ScanOp* scan) {
  const TensorView* out = scan->out();
  Divided divided{.domains = {scan->domain()}, .transforms = {}};
  for (const Expr* transform : transformsBetween(out->logical(), out->loop())) {
    const auto* align = transform->as<Align>();
    if (align != nullptr && divided.domains.contains(align->inX())) {
      divided.domains.insert(align->outX());
      divided.transforms.push_back(align);
    } else if (std::ranges::any_of(transform->inputs(),
                                   [&](const Val* in) { return divided.domains.contains(in); })) {
      divided.domains.insert(transform->outputs().begin(), transform->outputs().end());
      divided.transforms.push_back(transform);
    }
  }
  return divided;
}

}  // namespace

bool ScanLoops::contains(int64_t position) const {
  return std::ranges::find(positions, position) != positions.end();
}

ScanLoops scanLoops(const ScanOp* scan) {
  ScanLoops loops;
  const TensorView* out = scan->out();
  const Divided divided = dividedScan(scan);
  for (int64_t k = 0; k < out->nLoops(); ++k) {
    const IterDomain* id = out->axis(k);
    if (!divided.domains.contains(id)) {
      continue;
    }
    if (scan->upTo() != nullptr && isGridType(id->parallelType())) {
      loops.blocks = k;
    } else {
      loops.positions.push_back(k);
      if (isThreadType(id->parallelType())) {
        loops.threads = k;
      }
    }
  }
  return loops;
}

void checkScanLoops(const ScanOp* scan) {
  const TensorView* out = scan->out();
  const auto require = [&](bool condition, const char* what) {
    NVF_SCHEDULE_CHECK(condition, "Expected the dimension ", scan->domain()->toString(), " that ",
                       scan->toString(), " runs along ", what, ", but the loops are ",
                       out->domain()->toString());
  };
  const ScanLoops loops = scanLoops(scan);
  // The parts of a dimension, by where the dimension is among all: those of the inner part of a
  // split all come behind those of the outer one.
  std::unordered_map<const Val*, std::pair<int64_t, int64_t>> span;
  if (loops.blocks >= 0) {
    span[out->axis(loops.blocks)] = {loops.blocks, loops.blocks};
  }
  for (int64_t k : loops.positions) {
    const ParallelType type = out->axis(k)->parallelType();
    span[out->axis(k)] = {k, k};
    require(!isGridType(type), "not to be divided among blocks");
    require(type != ParallelType::Vectorize, "not to be vectorized");
    require(!isThreadType(type) || k == loops.threads, "to be divided along one kind of threads");
  }
  const std::vector<const Expr*> transforms = dividedScan(scan).transforms;
  for (auto transform = transforms.rbegin(); transform != transforms.rend(); ++transform) {
    if (const auto* align = (*transform)->as<Align>()) {
      span[align->inX()] = span[align->outX()];
      continue;
    }
    const auto* split = (*transform)->as<Split>();
    require(split != nullptr, "to be one loop or split into several");
    const auto outer = span.find(split->outer());
    const auto inner = span.find(split->inner());
    require(
        outer != span.end() && inner != span.end() && outer->second.second < inner->second.first,
        "to have its loops in the order of its elements");
    span[split->in()] = {outer->second.first, inner->second.second};
  }
}

bool dividesScan(const TensorView* tv, int64_t position) {
  const auto* scan = tv->definition() == nullptr ? nullptr : tv->definition()->as<ScanOp>();
  if (scan == nullptr || !isThreadType(tv->axis(position)->parallelType())) {
    return false;
  }
  return scanLoops(scan).contains(position);
}

}  // namespace nvfuser
